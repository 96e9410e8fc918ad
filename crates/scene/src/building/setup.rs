//! A scene ready to run, and the places in its file that errors of the model point at.

use super::skin::Skin;
use crate::error::{Fault, Place, SceneError};
use crate::file::Scene;
use crate::file::document::{Document, Problems};
use crate::file::spec::{Camera, Light, Tolerate};
use crate::file::tree::Origin;
use crate::measuring::{Expect, Probe};
use pliant::{EntryKind, Model, ModelError, PushError, Pushed, Settled, SolverConfig, World, push_apart};
use std::collections::HashMap;
use std::sync::Arc;

/// A scene ready to run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Name of the scene.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Key of the paper it comes from, or `pliant`.
    pub source: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Steps of the whole run.
    pub steps: usize,
    /// Steps before the step that `pliant compare` looks into.
    pub compare_step: Option<usize>,
    /// Variant of the scene, if it has any.
    pub variant: Option<String>,
    /// From where pictures are taken.
    pub camera: Camera,
    /// What lights pictures; the usual lights if there is none.
    pub lights: Vec<Light>,
    /// What is simulated.
    pub model: Model,
    /// Whether the bodies start in equilibrium.
    pub settle: bool,
    /// What pictures and exports show of each body.
    pub skins: Vec<Skin>,
    /// By which solver.
    pub solver: SolverConfig,
    /// What is measured.
    pub probes: Vec<Probe>,
    /// What must hold at the end.
    pub expectations: Vec<Expect>,
    /// What its verdict lets pass.
    pub tolerate: Tolerate,
    /// How far bodies were pushed apart, if the scene asked for it and it was needed.
    pub pushed_apart: Option<Pushed>,
    /// Where the entries are that the model itself may refuse.
    pub(super) places: Places,
}

/// Places of entries by their path, and of the file as a whole.
#[derive(Clone, Debug)]
pub(super) struct Places {
    label: String,
    /// The file: lines are counted only for an error.
    text: Arc<str>,
    by_path: HashMap<String, Origin>,
}

impl Places {
    pub(super) fn of(scene: &Scene, document: &Document, problems: &Problems) -> Places {
        let mut paths =
            ["solver", "scene.dt", "scene.settle", "scene.push_apart"].map(str::to_string).to_vec();
        for i in 0..document.bodies.len() {
            paths.extend(["", ".material", ".mesh"].map(|part| format!("body.{i}{part}")));
        }
        paths.extend((0..document.obstacles.len()).map(|i| format!("obstacle.{i}")));
        paths.extend((0..document.pins.len()).map(|i| format!("pin.{i}")));
        paths.extend((0..document.forces.len()).map(|i| format!("force.{i}")));
        paths.extend((0..document.attachments.len()).map(|i| format!("attachment.{i}")));
        paths.extend((0..document.cables.len()).map(|i| format!("cable.{i}")));
        paths.extend((0..document.needles.len()).map(|i| format!("needle.{i}")));
        let by_path = paths.into_iter().map(|path| (path.clone(), problems.origin(&path))).collect();
        Places { label: scene.label().to_string(), text: scene.text().into(), by_path }
    }

    fn get(&self, path: &str) -> Place {
        let known = self.by_path.get(path).map(|origin| origin.place(&self.label, &self.text));
        known.unwrap_or_else(|| Place::Whole(self.label.clone()))
    }
}

impl Setup {
    /// Assembles the world, in equilibrium if that is asked for. What the model itself refuses is reported like any
    /// problem of the scene.
    pub fn world(&self) -> Result<World, SceneError> {
        let mut world = self.assemble()?;
        if self.settle {
            self.bring_to_rest(&mut world)?;
        }
        Ok(world)
    }

    /// Assembles the world as the bodies start, in equilibrium or not.
    pub(crate) fn assemble(&self) -> Result<World, SceneError> {
        World::new(self.model.clone(), self.solver.clone()).map_err(|e| self.refusal(&e))
    }

    fn bring_to_rest(&self, world: &mut World) -> Result<(), SceneError> {
        let refuse = |cause: String| {
            let remedy = "hold the bodies by contact or pins at time 0, or set scene.settle = false";
            SceneError::one(self.places.get("scene.settle"), &cause, remedy)
        };
        let settled = world.settle().map_err(|e| refuse(format!("the bodies do not settle: {e}")))?;
        if settled.at_rest {
            return Ok(());
        }
        let Settled { steps, last_move, .. } = settled;
        Err(refuse(format!(
            "the bodies have not come to rest after {steps} steps: {last_move:.1e} m in the last"
        )))
    }

    /// Separates what overlaps at the start.
    pub(super) fn push_apart(&mut self) -> Result<(), SceneError> {
        self.pushed_apart = push_apart(&mut self.model).map_err(|e| match e {
            PushError::Model(error) => self.refusal(&error),
            _ => Fault::from(e).at(self.places.get("scene.push_apart")),
        })?;
        Ok(())
    }

    fn refusal(&self, error: &ModelError) -> SceneError {
        Fault::from(error).at(self.place_of(error))
    }

    /// Where the entry is that an error is about; the whole file if no entry has its name.
    fn place_of(&self, error: &ModelError) -> Place {
        let body = |name: &str| {
            find(self.model.bodies.iter().map(|b| &b.name), name).map(|index| format!("body.{index}"))
        };
        let path = match error {
            ModelError::Material { body: name, .. } => body(name).map(|path| path + ".material"),
            ModelError::TooStiff { body: name, .. } => body(name).map(|path| path + ".material"),
            ModelError::TimeStepRange(_) => Some("scene.dt".to_string()),
            ModelError::Mesh { body: name, .. } => body(name).map(|path| path + ".mesh"),
            ModelError::Value { body: name, .. } | ModelError::Mass { body: name, .. } => body(name),
            ModelError::Solver { .. } => Some("solver".to_string()),
            ModelError::Entry { kind, name, .. } => self.entry_path(*kind, name),
            _ => None,
        };
        path.map_or_else(|| Place::Whole(self.places.label.clone()), |path| self.places.get(&path))
    }

    /// Path of the entry of this kind and name.
    fn entry_path(&self, kind: EntryKind, name: &str) -> Option<String> {
        let model = &self.model;
        let (key, index) = match kind {
            EntryKind::Body => ("body", find(model.bodies.iter().map(|b| &b.name), name)),
            EntryKind::Obstacle => ("obstacle", find(model.obstacles.iter().map(|o| &o.name), name)),
            EntryKind::Pin => ("pin", find(model.pins.iter().map(|p| &p.name), name)),
            EntryKind::Attachment => ("attachment", find(model.attachments.iter().map(|a| &a.name), name)),
            EntryKind::Cable => ("cable", find(model.cables.iter().map(|c| &c.name), name)),
            EntryKind::Needle => ("needle", find(model.needles.iter().map(|n| &n.name), name)),
            EntryKind::Load => ("force", find(model.loads.iter().map(|l| &l.name), name)),
        };
        Some(format!("{key}.{}", index?))
    }

    /// Number of vertices of all bodies.
    pub fn vertices(&self) -> usize {
        self.model.bodies.iter().map(|b| b.mesh.vertices().len()).sum()
    }

    /// Number of elements of all bodies.
    pub fn elements(&self) -> usize {
        self.model.bodies.iter().map(|b| b.mesh.element_count()).sum()
    }
}

/// The index of the first that has this name.
fn find<'a>(mut names: impl Iterator<Item = &'a String>, name: &str) -> Option<usize> {
    names.position(|n| n == name)
}
