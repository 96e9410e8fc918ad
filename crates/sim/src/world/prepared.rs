//! What is computed once for all worlds of a model: the checked description, the system, the factor.

use super::World;
use super::engine::Engine;
use super::identity::identity;
use crate::contact::Contacts;
use crate::fem::System;
use crate::model::{Model, ModelError};
use crate::solver::{self, Room, Solver, SolverConfig, Timings};
use crate::step::Workspace;
use pliant_mesh::DVec3;
use std::sync::Arc;

/// A model that is checked, assembled and factored. Any number of worlds start from it and share what never changes.
///
/// ```
/// # fn main() -> Result<(), pliant::ModelError> {
/// # let mesh = pliant_mesh::block([0.1; 3], [2; 3]).expect("valid sizes");
/// # let material = pliant::Material { law: pliant::Law::Arap, youngs: 1e5, poisson: 0.3 };
/// # let body = pliant::Body::new("cube", pliant_mesh::Mesh::Tet(mesh), material);
/// # let model = pliant::Model { bodies: vec![body], ..pliant::Model::default() };
/// let prepared = pliant::Prepared::new(model, pliant::SolverConfig::default())?;
/// let mut worlds: Vec<pliant::World> = (0..8).map(|_| prepared.world()).collect();
/// # worlds.clear();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Prepared {
    model: Arc<Model>,
    system: Arc<System>,
    config: SolverConfig,
    /// As before the first step: worlds get copies, which share what never changes.
    solver: Box<dyn Solver>,
    contacts: Contacts,
    identity: u64,
    /// How far bodies were moved so that a barrier has a gap, m.
    moved_apart: f64,
}

impl Prepared {
    /// Checks the model, assembles it and prepares the solver.
    ///
    /// # Errors
    /// If a value is out of range, a mesh is unusable, or the solver cannot run the model.
    pub fn new(model: impl Into<Arc<Model>>, config: SolverConfig) -> Result<Prepared, ModelError> {
        let mut model = model.into();
        let mut system = System::build(&model)?;
        let mut room = Room::default();
        let contacts = match solver::contacts(&config, &model, &system, &room) {
            Ok(contacts) => contacts,
            Err(refusal) => {
                room = solver::room(&config, &model, &system)?;
                if room.is_empty() {
                    return Err(refusal);
                }
                if !room.ways.is_empty() {
                    move_apart(Arc::make_mut(&mut model), &room.ways);
                    system = System::build(&model)?;
                }
                // If it does not help, what was wrong at first is what can be mended.
                solver::contacts(&config, &model, &system, &room).map_err(|_| refusal)?
            }
        };
        let solver = solver::prepare(&config, &system, system.dt, &contacts)?;
        let identity = identity(&model, &system);
        let moved_apart = room.ways.iter().map(|way| way.length()).fold(0.0, f64::max);
        Ok(Prepared { model, system: Arc::new(system), config, solver, contacts, identity, moved_apart })
    }

    /// A new world, at the start.
    pub fn world(&self) -> World {
        self.clone().into_world()
    }

    /// The description of what is simulated.
    pub fn model(&self) -> &Model {
        &self.model
    }

    pub(super) fn into_world(self) -> World {
        let Prepared { model, system, config, solver, contacts, identity, moved_apart } = self;
        let kind = config.description();
        let timings = Timings::new(kind.stages, kind.counters);
        World {
            state: system.start_state(&model),
            workspace: Workspace::new(&system),
            model,
            system,
            config,
            settled_start: None,
            solver: Engine::Own(solver),
            contacts,
            timings,
            has_stepped: false,
            identity,
            moved_apart,
        }
    }
}

/// Moves the start of each body as a whole.
fn move_apart(model: &mut Model, ways: &[DVec3]) {
    for (body, &way) in model.bodies.iter_mut().zip(ways) {
        let mut start = body.start.take().unwrap_or_else(|| body.mesh.vertices().to_vec());
        start.iter_mut().for_each(|x| *x += way);
        body.start = Some(start);
    }
}
