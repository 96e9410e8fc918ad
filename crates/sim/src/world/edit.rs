//! Changes of a running simulation: what the solver takes over at once, and what makes it factorise its matrix anew.

use super::World;
use super::engine::Engine;
use crate::fem::System;
use crate::model::{Model, ModelError};
use crate::solver::{self, Knob, SettingError, SolverConfig, Value};
use pliant_collide::{BodyId, ObstacleId, Pose};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// A value that can be changed while the simulation goes on.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{DVec3, Edit};
///
/// let mut world = cube_on_floor();
/// let cube = world.body("cube").expect("it has this name");
/// world.edit(&Edit::Gravity(DVec3::new(0.0, 0.0, -1.62)))?;
/// world.edit(&Edit::Youngs(cube, 2e5))?; // factorises anew, the motion goes on
/// world.step()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// Gravity in m/s^2.
    Gravity(DVec3),
    /// A setting of the solver, see [`SolverConfig::knobs`].
    Setting(&'static Knob, Value),
    /// Coefficient of friction of a body.
    BodyFriction(BodyId, f64),
    /// Coefficient of friction of an obstacle.
    ObstacleFriction(ObstacleId, f64),
    /// Young's modulus in Pa of the first material of a body; its other materials keep their ratio to it.
    Youngs(BodyId, f64),
    /// Poisson's ratio of all materials of a body.
    Poisson(BodyId, f64),
    /// Density of a body in kg/m^3.
    Density(BodyId, f64),
}

/// Why a value cannot be changed so.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::Edit;
///
/// let mut world = cube_on_floor();
/// let cube = world.body("cube").expect("it has this name");
/// let refused = world.edit(&Edit::BodyFriction(cube, -1.0)).unwrap_err();
/// assert_eq!(refused.to_string(), "friction = -1 must be 0 or more");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// Gravity that is infinite or none.
    #[error("gravity = {:?} m/s^2 must be finite", .0.to_array())]
    Gravity(DVec3),
    /// The solver cannot have such a setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A coefficient of friction that is negative or not finite.
    #[error("friction = {0} must be 0 or more")]
    Friction(f64),
    /// There is no such entry.
    #[error("there is no {what} {index}, there are {count}")]
    NoSuch {
        /// "body", "obstacle", "pin", "cable" or "load".
        what: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A pose that is none.
    #[error("the pose {0:?} must be finite, its rotation without scale and mirror")]
    Pose(Pose),
    /// A force is not changed as a pressure, nor a pressure as a force.
    #[error("load `{name}` is a {is}")]
    OtherLoad {
        /// Its name.
        name: String,
        /// What it is.
        is: &'static str,
    },
    /// Wind without air.
    #[error("the model has no air: give it `air: Some(Air::default())`")]
    NoAir,
    /// The model with this value cannot be simulated.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Edit {
    /// Whether the solver has to assemble and factorise its matrix anew. The motion goes on in any case.
    pub fn rebuilds(&self) -> bool {
        match self {
            Edit::Youngs(..) | Edit::Poisson(..) | Edit::Density(..) => true,
            Edit::Setting(knob, _) => knob.live.is_none(),
            Edit::Gravity(_) | Edit::BodyFriction(..) | Edit::ObstacleFriction(..) => false,
        }
    }

    /// Changes the description; on an error nothing is changed.
    fn apply(&self, model: &mut Model, config: &mut SolverConfig) -> Result<(), EditError> {
        match *self {
            Edit::Gravity(g) if g.is_finite() => model.gravity = g,
            Edit::Gravity(g) => return Err(EditError::Gravity(g)),
            Edit::Setting(knob, value) => config.set(knob.name, value)?,
            Edit::BodyFriction(body, mu) => {
                check_friction(mu)?;
                entry(&mut model.bodies, body.index(), "body")?.friction = mu;
            }
            Edit::ObstacleFriction(obstacle, mu) => {
                check_friction(mu)?;
                entry(&mut model.obstacles, obstacle.index(), "obstacle")?.friction = Some(mu);
            }
            Edit::Youngs(body, youngs) => {
                let materials = &mut entry(&mut model.bodies, body.index(), "body")?.materials;
                let factor = materials.first().map_or(1.0, |m| youngs / m.youngs);
                materials.iter_mut().for_each(|m| m.youngs *= factor);
                // The factor may round.
                materials.first_mut().into_iter().for_each(|m| m.youngs = youngs);
            }
            Edit::Poisson(body, poisson) => {
                let materials = &mut entry(&mut model.bodies, body.index(), "body")?.materials;
                materials.iter_mut().for_each(|m| m.poisson = poisson);
            }
            Edit::Density(body, density) => entry(&mut model.bodies, body.index(), "body")?.density = density,
        }
        Ok(())
    }
}

impl World {
    /// Changes a value; contacts, holds and the motion go on. On an error nothing has changed.
    ///
    /// # Errors
    /// If the value is out of range, or there is no such body or obstacle.
    pub fn edit(&mut self, edit: &Edit) -> Result<(), EditError> {
        if !edit.rebuilds() {
            edit.apply(Arc::make_mut(&mut self.model), &mut self.config)?;
            self.contacts.set_friction(&self.model);
            if let Edit::Setting(knob, value) = *edit {
                self.solver.own().retune(knob.name, value)?;
            }
            return Ok(());
        }
        let (mut model, mut config) = (Model::clone(&self.model), self.config.clone());
        edit.apply(&mut model, &mut config)?;
        let mut system = System::build_with(&model, self.system.active_pins.clone())?;
        system.origins.clone_from(&self.system.origins);
        self.solver = Engine::Own(solver::prepare(&config, &system, system.dt, &self.contacts)?);
        (self.model, self.system, self.config) = (Arc::new(model), Arc::new(system), config);
        self.has_stepped = false;
        Ok(())
    }
}

pub(super) fn entry<'a, T>(
    list: &'a mut [T],
    index: usize,
    what: &'static str,
) -> Result<&'a mut T, EditError> {
    let count = list.len();
    list.get_mut(index).ok_or(EditError::NoSuch { what, index, count })
}

fn check_friction(mu: f64) -> Result<(), EditError> {
    if mu >= 0.0 && mu.is_finite() { Ok(()) } else { Err(EditError::Friction(mu)) }
}
