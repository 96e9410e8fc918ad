//! Turns a checked scene into what a [`World`](pliant::World) is made of.

mod air;
mod animation;
mod bodies;
mod find;
mod joints;
mod loads;
mod locate;
mod mesh;
mod mesh_file;
mod motion;
mod obstacles;
mod pins;
mod placement;
mod probes;
mod schedule;
mod select;
mod setup;
mod skin;
mod solid;

pub use setup::Setup;
pub use skin::Skin;

use crate::checks;
use crate::error::SceneError;
use crate::file::Scene;
use crate::measuring::Expect;
use air::air;
use bodies::bodies;
use joints::{attachments, cables, needles};
use loads::loads;
use mesh_file::MeshFiles;
use obstacles::obstacles;
use pins::pins;
use pliant::Model;
use probes::probes;
use setup::Places;

/// What a scene says about itself, without its meshes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// One line about it.
    pub description: String,
    /// Key of the paper it comes from, or `pliant`.
    pub source: String,
    /// Kind of its solver.
    pub solver: &'static str,
    /// Names of its probes.
    pub probes: Vec<String>,
}

impl Scene {
    /// What the scene says about itself: keys, types and ranges are checked, but no mesh is made.
    pub fn outline(&self) -> Result<Outline, SceneError> {
        let (document, mut problems) = self.read()?;
        checks::document(&document, &mut problems);
        let solver = checks::solver(&document.solver, &mut problems);
        let (true, Some(solver)) = (problems.is_empty(), solver) else { return Err(problems.into_error()) };
        Ok(Outline {
            solver: solver.kind(),
            probes: document.probe_names(),
            description: document.scene.description,
            source: document.scene.source,
        })
    }

    /// Checks everything short of running: keys, types, ranges, meshes, selections.
    pub fn validate(&self) -> Result<(), SceneError> {
        self.build().map(|_| ())
    }

    /// Checks the scene and builds all that a run needs. Nothing is written anywhere.
    pub fn build(&self) -> Result<Setup, SceneError> {
        let (document, mut problems) = self.read()?;
        let names = checks::document(&document, &mut problems);
        let solver = checks::solver(&document.solver, &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let (bodies, skins) = bodies(&document, &names, self, &mut problems);
        let obstacles = obstacles(&document, MeshFiles::of(self), &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let places = Places::of(self, &document, &problems);
        let scene = &document.scene;
        let model = Model {
            dt: scene.dt,
            gravity: scene.gravity.into(),
            pins: pins(&document, &names, &bodies, &self.directory, &mut problems),
            loads: loads(&document, &names, &bodies, &mut problems),
            attachments: attachments(&document, &names, &bodies, &mut problems),
            cables: cables(&document, &names, &bodies, &mut problems),
            needles: needles(&document, &names, (&bodies, &self.directory), &mut problems),
            air: air(&document),
            contact_margin: scene.contact_margin,
            bodies,
            obstacles,
        };
        let probes = probes(&document, &names, &model.bodies, &mut problems);
        let (true, Some(solver)) = (problems.is_empty(), solver) else { return Err(problems.into_error()) };
        let mut setup = Setup {
            name: scene.name.clone(),
            description: scene.description.clone(),
            source: scene.source.clone(),
            seed: scene.seed,
            // Rounded first, so that 1.0 s of 0.1 s is 10 steps and not 11.
            steps: ((scene.duration / scene.dt * (1.0 - 1e-9)).ceil() as usize).max(1),
            compare_step: scene.compare_step,
            variant: self.variant().map(str::to_string),
            camera: scene.camera,
            lights: scene.lights.clone(),
            settle: scene.settle,
            model,
            skins,
            solver,
            probes,
            expectations: document.expectations.iter().map(Expect::new).collect(),
            tolerate: document.tolerate,
            pushed_apart: None,
            places,
        };
        if scene.push_apart {
            setup.push_apart()?;
        }
        Ok(setup)
    }
}
