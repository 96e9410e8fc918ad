//! Turns a checked scene into what a [`World`](pliant::World) is made of.

use crate::check;
use crate::document::{Document, Problems};
use crate::error::{Place, SceneError};
use crate::expect::Expect;
use crate::joint::{attachments, cables, needles};
use crate::obstacle::obstacles;
use crate::probe::{Probe, probes};
use crate::scene::Scene;
use crate::shape;
use crate::skin::Skin;
use crate::spec::{
    BendingWord, BodyRef, BodySpec, ForceKind, LawWord, MaterialSpec, MotionSpec, Select, resolve_body,
};
use crate::view::{Camera, Light};
use pliant::{
    Bending, BendingKind, Body, Damping, Keyframe, Law, Load, LoadKind, Material, Model, ModelError, Motion,
    Pin, PinKind, PushError, Pushed, Settled, SolverConfig, World, push_apart,
};
use pliant_mesh::{Mesh, Point};
use std::collections::HashMap;
use std::f64::consts::TAU;

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
    /// How far bodies were pushed apart, if the scene asked for it and it was needed.
    pub pushed_apart: Option<Pushed>,
    /// Where the entries are that the model itself may refuse.
    places: Places,
}

/// Places of entries by their path, and of the file as a whole.
#[derive(Clone, Debug)]
struct Places {
    label: String,
    by_path: HashMap<String, Place>,
}

impl Places {
    fn of(scene: &Scene, document: &Document, problems: &Problems) -> Places {
        let mut paths = ["solver", "scene.settle", "scene.push_apart"].map(str::to_string).to_vec();
        for i in 0..document.bodies.len() {
            paths.extend(["", ".material", ".mesh"].map(|part| format!("body.{i}{part}")));
        }
        paths.extend((0..document.obstacles.len()).map(|i| format!("obstacle.{i}")));
        paths.extend((0..document.pins.len()).map(|i| format!("pin.{i}")));
        paths.extend((0..document.forces.len()).map(|i| format!("force.{i}")));
        paths.extend((0..document.attachments.len()).map(|i| format!("attachment.{i}")));
        paths.extend((0..document.cables.len()).map(|i| format!("cable.{i}")));
        paths.extend((0..document.needles.len()).map(|i| format!("needle.{i}")));
        let by_path = paths.into_iter().map(|path| (path.clone(), problems.place(&path))).collect();
        Places { label: scene.label.clone(), by_path }
    }

    fn get(&self, path: &str) -> Place {
        self.by_path.get(path).cloned().unwrap_or_else(|| Place::Whole(self.label.clone()))
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
    fn push_apart(&mut self) -> Result<(), SceneError> {
        self.pushed_apart = push_apart(&mut self.model).map_err(|e| match &e {
            PushError::Model(error) => self.refusal(error),
            _ => {
                let text = e.to_string();
                let (cause, remedy) = text.rsplit_once(": ").unwrap_or((&text, ""));
                SceneError::one(self.places.get("scene.push_apart"), cause, remedy)
            }
        })?;
        Ok(())
    }

    fn refusal(&self, error: &ModelError) -> SceneError {
        let text = error.to_string();
        let (cause, remedy) = text.split_once("; ").unwrap_or((&text, ""));
        SceneError::one(self.place_of(error), cause, remedy)
    }

    fn place_of(&self, error: &ModelError) -> Place {
        let body = |name: &str| self.model.bodies.iter().position(|b| b.name == name).unwrap_or(0);
        let path = match error {
            ModelError::Material { body: name, .. } => format!("body.{}.material", body(name)),
            ModelError::Mesh { body: name, .. } => format!("body.{}.mesh", body(name)),
            ModelError::Value { body: name, .. } => format!("body.{}", body(name)),
            ModelError::Solver { .. } => "solver".to_string(),
            ModelError::Reference { item, name, .. } => self.entry_path(item, name),
            _ => String::new(),
        };
        self.places.get(&path)
    }

    /// Path of the entry of this kind and name.
    fn entry_path(&self, item: &str, name: &str) -> String {
        fn find<'a>(mut names: impl Iterator<Item = &'a String>, name: &str) -> usize {
            names.position(|n| n == name).unwrap_or(0)
        }
        let model = &self.model;
        match item {
            "obstacle" => format!("obstacle.{}", find(model.obstacles.iter().map(|o| &o.name), name)),
            "pin" => format!("pin.{}", find(model.pins.iter().map(|p| &p.name), name)),
            "attachment" => format!("attachment.{}", find(model.attachments.iter().map(|a| &a.name), name)),
            "cable" => format!("cable.{}", find(model.cables.iter().map(|c| &c.name), name)),
            "needle" => format!("needle.{}", find(model.needles.iter().map(|n| &n.name), name)),
            _ => format!("force.{}", find(model.loads.iter().map(|l| &l.name), name)),
        }
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

impl Scene {
    /// Checks the scene and builds all that a run needs. Nothing is written anywhere.
    pub fn build(&self) -> Result<Setup, SceneError> {
        let (document, mut problems) = self.read()?;
        let names = check::document(&document, &mut problems);
        let solver = check::solver(&document.solver, &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let (bodies, skins) = bodies(&document, &names, self, &mut problems);
        let obstacles = obstacles(&document, &self.directory, &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let places = Places::of(self, &document, &problems);
        let scene = &document.scene;
        let model = Model {
            dt: scene.dt,
            gravity: scene.gravity,
            pins: pins(&document, &names, &bodies, &mut problems),
            loads: loads(&document, &names, &bodies, &mut problems),
            attachments: attachments(&document, &names, &bodies, &mut problems),
            cables: cables(&document, &names, &bodies, &mut problems),
            needles: needles(&document, &names, &bodies, &mut problems),
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
            pushed_apart: None,
            places,
        };
        if scene.push_apart {
            setup.push_apart()?;
        }
        Ok(setup)
    }
}

/// The bodies with what is shown of them.
fn bodies(d: &Document, names: &[String], scene: &Scene, problems: &mut Problems) -> (Vec<Body>, Vec<Skin>) {
    let (mut bodies, mut skins) = (Vec::new(), Vec::new());
    let mut elements = 0;
    for (i, (spec, name)) in d.bodies.iter().zip(names).enumerate() {
        let path = format!("body.{i}");
        match shape::mesh_of(&spec.mesh, &spec.transform, &scene.directory) {
            Ok(mesh) => {
                elements += mesh.element_count() as u128;
                skins.extend(skin(&path, spec, &mesh, scene, problems));
                bodies.push(body(&path, name, spec, mesh, problems));
            }
            Err((cause, remedy)) => {
                problems.add(&format!("{path}.mesh"), format!("{path}.mesh: {cause}"), remedy)
            }
        }
        if elements > shape::MAX_ELEMENTS {
            let cause = format!("the bodies have more than {} elements together", shape::MAX_ELEMENTS);
            problems.add(&format!("{path}.mesh"), cause, "use fewer cells or fewer bodies");
            break;
        }
    }
    (bodies, skins)
}

fn skin(path: &str, spec: &BodySpec, mesh: &Mesh, scene: &Scene, problems: &mut Problems) -> Option<Skin> {
    let Some(surface) = &spec.surface else { return Some(Skin::of(mesh)) };
    let path = format!("{path}.surface");
    Skin::read(surface, &spec.transform, mesh, &scene.directory)
        .map_err(|(cause, remedy)| problems.add(&path, format!("{path}: {cause}"), remedy))
        .ok()
}

fn body(path: &str, name: &str, spec: &BodySpec, mesh: Mesh, problems: &mut Problems) -> Body {
    let mut materials = vec![material(&spec.material)];
    let mut material_of = Vec::new();
    if spec.regions.len() >= usize::from(u16::MAX) {
        problems.add(&format!("{path}.regions"), format!("{path} has too many regions"), "use at most 65000");
    } else if !spec.regions.is_empty() {
        material_of = vec![0; mesh.element_count()];
        for (i, region) in spec.regions.iter().enumerate() {
            materials.push(material(&region.material));
            match shape::region_elements(region, &mesh) {
                Ok(elements) => elements.iter().for_each(|&e| material_of[e as usize] = i as u16 + 1),
                Err((cause, remedy)) => {
                    let path = format!("{path}.regions.{i}");
                    problems.add(&path, format!("{path}: {cause}"), remedy);
                }
            }
        }
    }
    let bending = spec.bending.and_then(|b| {
        let kind = match b.kind {
            BendingWord::Isometric => BendingKind::Isometric,
            BendingWord::LaplaceBeltrami => BendingKind::LaplaceBeltrami,
            BendingWord::None => return None,
        };
        (b.stiffness > 0.0).then_some(Bending { kind, stiffness: b.stiffness })
    });
    if bending.is_some() && matches!(mesh, Mesh::Tet(_)) {
        let path = format!("{path}.bending");
        problems.add(
            &path,
            format!("{path}: only a surface mesh can bend"),
            "remove `bending` or use a cloth",
        );
    }
    Body {
        density: spec.density,
        thickness: spec.thickness,
        material_of,
        bending,
        damping: Damping { mass: spec.damping.mass, stiffness: spec.damping.stiffness },
        velocity: spec.velocity,
        angular_velocity: spec.angular_velocity,
        materials,
        friction: spec.friction,
        contact_radius: spec.contact_radius,
        self_contact: spec.self_contact.unwrap_or(matches!(mesh, Mesh::Tri(_))),
        ..Body::new(name, mesh, material(&spec.material))
    }
}

fn material(spec: &MaterialSpec) -> Material {
    let law = match spec.kind {
        LawWord::Arap => Law::Arap,
        LawWord::Corotational => Law::Corotational,
        LawWord::NeoHookean => Law::NeoHookean,
        LawWord::StableNeoHookean => Law::StableNeoHookean,
        LawWord::FixedCorotated => Law::FixedCorotated,
        LawWord::StVenantKirchhoff => Law::StVenantKirchhoff,
    };
    Material { law, youngs: spec.youngs, poisson: spec.poisson }
}

fn pins(d: &Document, names: &[String], bodies: &[Body], problems: &mut Problems) -> Vec<Pin> {
    let pin_names = check::names(d.pins.iter().map(|p| p.name.as_deref()), "pin");
    let mut pins = Vec::new();
    for (i, (spec, name)) in d.pins.iter().zip(pin_names).enumerate() {
        let path = format!("pin.{i}");
        let Some(body) = body_index(&path, spec.body.as_ref(), names, problems) else { continue };
        let Some(vertices) = selection(&path, Some(&spec.select), &bodies[body].mesh, problems) else {
            continue;
        };
        let motion = motion(&spec.motion, || mean(&vertices, bodies[body].mesh.vertices()));
        let compliant = spec.compliance.filter(|c| *c > 0.0).map(|c| 1.0 / c);
        let kind = spec.stiffness.or(compliant).map_or(PinKind::Hard, PinKind::Soft);
        pins.push(Pin { name, body, vertices, motion, kind });
    }
    pins
}

pub(crate) fn body_index(
    path: &str,
    reference: Option<&BodyRef>,
    names: &[String],
    problems: &mut Problems,
) -> Option<usize> {
    resolve_body(reference, names)
        .map_err(|(cause, remedy)| problems.add(&format!("{path}.body"), format!("{path}: {cause}"), remedy))
        .ok()
}

/// Selected vertices; all of them if there is no selection.
pub(crate) fn selection(
    path: &str,
    spec: Option<&Select>,
    mesh: &Mesh,
    problems: &mut Problems,
) -> Option<Vec<u32>> {
    let all = Select::All(true);
    shape::select(spec.unwrap_or(&all), mesh)
        .map_err(|(cause, remedy)| {
            problems.add(&format!("{path}.select"), format!("{path}.select: {cause}"), remedy)
        })
        .ok()
}

pub(crate) fn mean(vertices: &[u32], positions: &[Point]) -> Point {
    let sum = vertices
        .iter()
        .fold([0.0; 3], |s: Point, &v| std::array::from_fn(|k| s[k] + positions[v as usize][k]));
    sum.map(|s| s / vertices.len() as f64)
}

/// A scripted motion; rotations are about `center` unless the script names a point.
pub(crate) fn motion(spec: &MotionSpec, center: impl Fn() -> Point) -> Motion {
    match spec {
        MotionSpec::Fixed => Motion::Fixed,
        MotionSpec::Velocity { velocity, start, stop } => {
            Motion::Velocity { velocity: *velocity, start: *start, stop: stop.unwrap_or(f64::INFINITY) }
        }
        MotionSpec::Rotation { axis, point, turns_per_second, degrees_per_second, start, stop } => {
            Motion::Rotation {
                point: point.unwrap_or_else(&center),
                axis: *axis,
                rate: turns_per_second.map_or(0.0, |t| t * TAU)
                    + degrees_per_second.map_or(0.0, f64::to_radians),
                start: *start,
                stop: stop.unwrap_or(f64::INFINITY),
            }
        }
        MotionSpec::Keyframes { frames, axis, point } => Motion::Keyframes {
            point: point.unwrap_or_else(&center),
            axis: *axis,
            frames: frames
                .iter()
                .map(|f| Keyframe {
                    time: f.time,
                    translation: f.translate,
                    angle: f.degrees.to_radians() + f.turns * TAU,
                })
                .collect(),
        },
    }
}

fn loads(d: &Document, names: &[String], bodies: &[Body], problems: &mut Problems) -> Vec<Load> {
    let load_names = check::names(d.forces.iter().map(|f| f.name.as_deref()), "force");
    let mut loads = Vec::new();
    for (i, (spec, name)) in d.forces.iter().zip(load_names).enumerate() {
        let path = format!("force.{i}");
        let Some(body) = body_index(&path, spec.body.as_ref(), names, problems) else { continue };
        let kind = match spec.kind {
            ForceKind::Pressure => LoadKind::Pressure { value: spec.value.unwrap_or(0.0) },
            ForceKind::Force => {
                let mesh = &bodies[body].mesh;
                let Some(vertices) = selection(&path, spec.select.as_ref(), mesh, problems) else { continue };
                LoadKind::Force { vertices, total: spec.total.unwrap_or([0.0; 3]) }
            }
        };
        loads.push(Load { name, body, kind, ramp: spec.ramp });
    }
    loads
}
