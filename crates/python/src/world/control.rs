//! Control between steps. Nothing is assembled or factorised for it, unless its description says so.

use super::World;
use crate::arrays::{number, points, rotation, vector};
use crate::errors::{ControlError, SceneError, raise, type_error, value_error};
use crate::names;
use crate::threads::within;
use pliant::{
    BodyId, CableDrive, DVec3, Edit, HoldId, MaterialPoint, Model, Motion, Pose, Schedule, Side, State,
};
use pliant_scene::Scene;
use pyo3::prelude::*;

/// A spring that holds a point of a body.
#[pyclass(frozen, module = "pliant")]
pub struct Hold(HoldId);

/// A cable follows a length or a tension.
fn drive(length: Option<f64>, pull: Option<f64>) -> PyResult<CableDrive> {
    match (length, pull) {
        (Some(length), None) => Ok(CableDrive::Length(Schedule::from(number(length, "length")?))),
        (None, Some(pull)) => Ok(CableDrive::Pull(Schedule::from(number(pull, "pull")?))),
        _ => Err(type_error("set_cable", "a cable has a length or a pull", "give exactly one of them")),
    }
}

/// A motion as scene files write it, about `center` unless it names a point.
fn motion_of(toml: &str, center: DVec3) -> PyResult<Motion> {
    let [x, y, z] = center.to_array();
    let text = format!(
        "format = \"pliant-scene\"\nversion = 1\n[scene]\nname = \"motion\"\nduration = 1\n\
         [[body]]\nmesh = {{ kind = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }}\n\
         material = {{ kind = \"arap\", youngs = 1, poisson = 0.3 }}\n[[obstacle]]\nshape = {{ kind = \"plane\" }}\n\
         transform = {{ translate = [{x:?}, {y:?}, {z:?}] }}\nmotion = {toml}\n"
    );
    let setup =
        Scene::parse("motion", &text).and_then(|scene| scene.build()).map_err(raise::<SceneError, _>)?;
    Ok(setup.model.obstacles[0].motion.clone())
}

#[pymethods]
impl World {
    /// Moves an obstacle in the next step to a place, where it stays; bodies that touch it feel its velocity on the way.
    /// `rotation` is a matrix of shape (3, 3) or a quaternion (w, x, y, z); the present one if absent.
    #[pyo3(name = "move_obstacle", signature = (name, position=None, rotation=None))]
    fn move_obstacle(
        &self,
        name: &str,
        position: Option<&Bound<PyAny>>,
        rotation: Option<&Bound<PyAny>>,
    ) -> PyResult<()> {
        let position = position.map(|p| vector(p, "position")).transpose()?;
        let turned = rotation.map(|r| self::rotation(r, "rotation")).transpose()?;
        let mut held = self.hold()?;
        let world = held.steer()?;
        let obstacle = names::obstacle(world.model(), Some(name))?;
        let now = world.model().obstacles[obstacle.index()].pose(world.state().time);
        let to = Pose {
            translation: position.unwrap_or(now.translation),
            rotation: turned.unwrap_or(now.rotation),
        };
        world.move_obstacle(obstacle, to).map_err(raise::<ControlError, _>)
    }

    /// Moves the vertices of a pin in the next step by so much, in m, where they stay.
    fn set_pins(&self, name: &str, by: &Bound<PyAny>) -> PyResult<()> {
        let by = vector(by, "by")?;
        let mut held = self.hold()?;
        let world = held.steer()?;
        let pin = names::pin(world.model(), Some(name))?;
        world.move_pin(pin, by).map_err(raise::<ControlError, _>)
    }

    /// Lets an obstacle or a pin follow a motion, from where it is. The motion has the keys of scene files, as in
    /// `{"kind": "velocity", "velocity": [0, 0, 1]}`.
    fn set_motion(&self, py: Python, name: &str, motion: &Bound<PyAny>) -> PyResult<()> {
        let toml: String = py.import("pliant._toml")?.call_method1("value", (motion, "motion"))?.extract()?;
        let mut held = self.hold()?;
        let world = held.steer()?;
        if let Some(pin) = world.model().pin(name) {
            let held_by = &world.model().pins[pin.index()];
            let positions = world.positions(held_by.body);
            let places = held_by.vertices.iter().map(|v| positions[*v as usize]);
            let center = places.sum::<DVec3>() / held_by.vertices.len().max(1) as f64;
            let motion = motion_of(&toml, center)?;
            return world.set_pin_motion(pin, motion).map_err(raise::<ControlError, _>);
        }
        let obstacle = names::obstacle(world.model(), Some(name))?;
        let center = world.model().obstacles[obstacle.index()].pose(world.state().time).translation;
        let motion = motion_of(&toml, center)?;
        world.set_obstacle_motion(obstacle, motion).map_err(raise::<ControlError, _>)
    }

    /// Drives a cable: to a `length` in m, or by a `pull` in N.
    #[pyo3(signature = (name, *, length=None, pull=None))]
    fn set_cable(&self, name: &str, length: Option<f64>, pull: Option<f64>) -> PyResult<()> {
        let drive = drive(length, pull)?;
        let mut held = self.hold()?;
        let world = held.steer()?;
        let cable = names::cable(world.model(), Some(name))?;
        world.set_cable(cable, drive).map_err(raise::<ControlError, _>)
    }

    /// Changes the total of a force of the scene, N.
    fn set_force(&self, name: &str, total: &Bound<PyAny>) -> PyResult<()> {
        let total = vector(total, "total")?;
        let mut held = self.hold()?;
        let world = held.steer()?;
        let load = names::load(world.model(), Some(name))?;
        world.set_force(load, total).map_err(raise::<ControlError, _>)
    }

    /// Changes a pressure of the scene, Pa.
    fn set_pressure(&self, name: &str, value: f64) -> PyResult<()> {
        let mut held = self.hold()?;
        let world = held.steer()?;
        let load = names::load(world.model(), Some(name))?;
        world.set_pressure(load, number(value, "value")?).map_err(raise::<ControlError, _>)
    }

    /// Changes the wind, m/s. The scene must have air.
    fn set_wind(&self, velocity: &Bound<PyAny>) -> PyResult<()> {
        let velocity = vector(velocity, "velocity")?;
        self.hold()?.steer()?.set_wind(velocity).map_err(raise::<ControlError, _>)
    }

    /// Changes gravity, m/s^2.
    fn set_gravity(&self, gravity: &Bound<PyAny>) -> PyResult<()> {
        let gravity = vector(gravity, "gravity")?;
        self.hold()?.steer()?.edit(&Edit::Gravity(gravity)).map_err(raise::<ControlError, _>)
    }

    /// Changes the coefficient of friction of a body or an obstacle.
    fn set_friction(&self, name: &str, friction: f64) -> PyResult<()> {
        let mut held = self.hold()?;
        let world = held.steer()?;
        let edit = friction_edit(world.model(), name)?;
        world.edit(&edit(friction)).map_err(raise::<ControlError, _>)
    }

    /// Changes Young's modulus in Pa, Poisson's ratio or the density in kg/m^3 of a body. The solver factorises anew.
    #[pyo3(signature = (body=None, *, youngs=None, poisson=None, density=None))]
    fn set_material(
        &self,
        py: Python,
        body: Option<&str>,
        youngs: Option<f64>,
        poisson: Option<f64>,
        density: Option<f64>,
    ) -> PyResult<()> {
        let mut held = self.hold()?;
        let world = held.steer()?;
        let body = names::body(world.model(), body)?;
        let edits = [
            youngs.map(|e| Edit::Youngs(body, e)),
            poisson.map(|nu| Edit::Poisson(body, nu)),
            density.map(|rho| Edit::Density(body, rho)),
        ];
        let (pool, before) = (self.pool(), world.clone());
        for edit in edits.into_iter().flatten() {
            if let Err(refused) = py.detach(|| within(pool, || world.edit(&edit))) {
                // All or nothing.
                *world = before;
                return Err(raise::<ControlError, _>(refused));
            }
        }
        Ok(())
    }

    /// Puts the vertices of all bodies somewhere else, in the order of `positions()`, with these velocities (zero if
    /// absent). Contacts and warm starts are forgotten; the time stays.
    #[pyo3(signature = (positions, velocities=None))]
    fn set_state(&self, positions: &Bound<PyAny>, velocities: Option<&Bound<PyAny>>) -> PyResult<()> {
        let mut held = self.hold()?;
        let count = held.get()?.simulated.world().state().positions.len();
        let positions = points(positions, "positions", Some(count))?;
        let velocities = match velocities {
            Some(given) => points(given, "velocities", Some(count))?,
            None => vec![DVec3::ZERO; count],
        };
        let world = held.steer()?;
        let State { time, steps, .. } = *world.state();
        world.set_state(State { positions, velocities, time, steps }).map_err(raise::<ControlError, _>)
    }

    /// Holds a vertex of a body by a spring to a place, from the next step on. `stiffness` is in N/m.
    #[pyo3(signature = (body, vertex, target, stiffness))]
    fn hold_vertex(&self, body: &str, vertex: u32, target: &Bound<PyAny>, stiffness: f64) -> PyResult<Hold> {
        let target = vector(target, "target")?;
        let mut held = self.hold()?;
        let world = held.steer()?;
        let body = names::body(world.model(), Some(body))?;
        let point = vertex_of(world, body, vertex)?;
        world.hold(point, target, stiffness).map(Hold).map_err(raise::<ControlError, _>)
    }

    /// Pulls a held vertex to another place.
    fn move_hold(&self, hold: &Hold, target: &Bound<PyAny>) -> PyResult<()> {
        let target = vector(target, "target")?;
        self.hold()?.steer()?.move_hold(hold.0, target).map_err(raise::<ControlError, _>)
    }

    /// Lets a held vertex go; false if it is not held any more.
    fn release(&self, hold: &Hold) -> PyResult<bool> {
        Ok(self.hold()?.steer()?.release(hold.0))
    }
}

/// The change of friction of a body or an obstacle.
pub fn friction_edit(model: &Model, name: &str) -> PyResult<impl Fn(f64) -> Edit + use<>> {
    let side = names::side(model, name)?;
    Ok(move |friction| match side {
        Side::Body(body) => Edit::BodyFriction(body, friction),
        Side::Obstacle(obstacle) => Edit::ObstacleFriction(obstacle, friction),
    })
}

/// A vertex of a body as a point of it.
fn vertex_of(world: &pliant::World, body: BodyId, vertex: u32) -> PyResult<MaterialPoint> {
    let count = world.positions(body).len();
    if vertex as usize >= count {
        let cause = format!("there is no vertex {vertex}, the body has {count}");
        return Err(value_error("vertex", cause, "count vertices from 0"));
    }
    Ok(MaterialPoint::vertex(body, vertex))
}
