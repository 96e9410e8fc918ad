//! Turns a checked scene into what a [`World`](pliant::World) is made of.

mod air;
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
use obstacles::obstacles;
use pins::pins;
use pliant::Model;
use probes::probes;
use setup::Places;

impl Scene {
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
        let obstacles = obstacles(&document, &self.directory, &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let places = Places::of(self, &document, &problems);
        let scene = &document.scene;
        let model = Model {
            dt: scene.dt,
            gravity: scene.gravity.into(),
            pins: pins(&document, &names, &bodies, &mut problems),
            loads: loads(&document, &names, &bodies, &mut problems),
            attachments: attachments(&document, &names, &bodies, &mut problems),
            cables: cables(&document, &names, &bodies, &mut problems),
            needles: needles(&document, &names, &bodies, &mut problems),
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
            pushed_apart: None,
            places,
        };
        if scene.push_apart {
            setup.push_apart()?;
        }
        Ok(setup)
    }
}
