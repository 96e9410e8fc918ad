//! Control of a batch: a value for each world, or one for all. Nothing is factorised anew for it.

use super::{Batch, Worlds};
use crate::arrays::{numbers, of_quaternion};
use crate::errors::{ControlError, raise, value_error};
use crate::names;
use crate::world::friction_edit;
use pliant::{CableDrive, DVec3, Edit, Pose, Schedule, State};
use pyo3::prelude::*;

/// The worlds that are meant: those of `indices`, or all.
fn rows(worlds: &Worlds, indices: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
    let rows = indices.unwrap_or_else(|| (0..worlds.len()).collect());
    rows.iter().try_for_each(|i| worlds.check(*i).map(|_| ()))?;
    Ok(rows)
}

/// `count` rows of `N` numbers each: from an array of shape (count, N), or of shape (N,) for all alike.
fn table<const N: usize>(given: &Bound<PyAny>, what: &str, count: usize) -> PyResult<Vec<[f64; N]>> {
    let array = match given.is_instance_of::<numpy::PyUntypedArray>() {
        true => given.clone(),
        false => given.py().import("numpy")?.call_method1("asarray", (given, "float64"))?,
    };
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    if dimensions == 1 && (N > 1 || count == 1 || array.len()? == 1) {
        let row = numbers(&array, what, &[Some(N)])?;
        let row = <[f64; N]>::try_from(row)
            .map_err(|_| value_error(what, "a wrong length", "see the documentation"))?;
        return Ok(vec![row; count]);
    }
    let shape: &[Option<usize>] =
        if N == 1 && dimensions == 1 { &[Some(count)] } else { &[Some(count), Some(N)] };
    Ok(numbers(&array, what, shape)?.as_chunks::<N>().0.to_vec())
}

/// One number for each world, or one for all.
fn column(given: &Bound<PyAny>, what: &str, count: usize) -> PyResult<Vec<f64>> {
    if let Ok(one) = given.extract::<f64>() {
        return Ok(vec![crate::arrays::number(one, what)?; count]);
    }
    Ok(table::<1>(given, what, count)?.into_iter().map(|[x]| x).collect())
}

fn vectors(given: &Bound<PyAny>, what: &str, count: usize) -> PyResult<Vec<DVec3>> {
    Ok(table::<3>(given, what, count)?.into_iter().map(DVec3::from_array).collect())
}

#[pymethods]
impl Batch {
    /// Moves an obstacle in the next step to places, shape (worlds, 3) or (3,), where it stays; `rotation` are quaternions (w, x,
    /// y, z), shape (worlds, 4) or (4,), the present ones if absent. With `indices`, only these worlds, one row for each.
    #[pyo3(signature = (name, position, rotation=None, indices=None))]
    fn move_obstacle(
        &self,
        name: &str,
        position: &Bound<PyAny>,
        rotation: Option<&Bound<PyAny>>,
        indices: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let places = vectors(position, "position", rows.len())?;
        let turned: Vec<Option<_>> = match rotation {
            Some(given) => table::<4>(given, "rotation", rows.len())?
                .into_iter()
                .map(|q| Some(of_quaternion(q)))
                .collect(),
            None => vec![None; rows.len()],
        };
        let obstacle = names::obstacle(worlds.model(), Some(name))?;
        let poses: Vec<_> = places.into_iter().zip(turned).collect();
        worlds.each(&rows, &poses, |world, (translation, rotation)| {
            let now = world.model().obstacles[obstacle.index()].pose(world.state().time);
            let to = Pose { translation: *translation, rotation: rotation.unwrap_or(now.rotation) };
            world.move_obstacle(obstacle, to).map_err(raise::<ControlError, _>)
        })
    }

    /// Moves the vertices of a pin in the next step by so much, in m, shape (worlds, 3) or (3,), where they stay.
    #[pyo3(signature = (name, by, indices=None))]
    fn set_pins(&self, name: &str, by: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let pin = names::pin(worlds.model(), Some(name))?;
        let ways = vectors(by, "by", rows.len())?;
        worlds.each(&rows, &ways, |world, by| world.move_pin(pin, *by).map_err(raise::<ControlError, _>))
    }

    /// Changes the total of a force of the scene in N, shape (worlds, 3) or (3,).
    #[pyo3(signature = (name, total, indices=None))]
    fn set_force(&self, name: &str, total: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let load = names::load(worlds.model(), Some(name))?;
        let totals = vectors(total, "total", rows.len())?;
        worlds.each(&rows, &totals, |world, f| world.set_force(load, *f).map_err(raise::<ControlError, _>))
    }

    /// Drives a cable to lengths in m, or by pulls in N, shape (worlds,) or one number.
    #[pyo3(signature = (name, *, length=None, pull=None, indices=None))]
    fn set_cable(
        &self,
        name: &str,
        length: Option<&Bound<PyAny>>,
        pull: Option<&Bound<PyAny>>,
        indices: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let cable = names::cable(worlds.model(), Some(name))?;
        let (values, drive): (_, fn(Schedule) -> CableDrive) = match (length, pull) {
            (Some(given), None) => (column(given, "length", rows.len())?, CableDrive::Length),
            (None, Some(given)) => (column(given, "pull", rows.len())?, CableDrive::Pull),
            _ => {
                return Err(value_error(
                    "set_cable",
                    "a cable has a length or a pull",
                    "give exactly one of them",
                ));
            }
        };
        worlds.each(&rows, &values, |world, v| {
            world.set_cable(cable, drive(Schedule::from(*v))).map_err(raise::<ControlError, _>)
        })
    }

    /// Changes gravity in m/s^2, shape (worlds, 3) or (3,).
    #[pyo3(signature = (gravity, indices=None))]
    fn set_gravity(&self, gravity: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let values = vectors(gravity, "gravity", rows.len())?;
        worlds
            .each(&rows, &values, |world, g| world.edit(&Edit::Gravity(*g)).map_err(raise::<ControlError, _>))
    }

    /// Changes the friction of a body or an obstacle, shape (worlds,) or one number.
    #[pyo3(signature = (name, friction, indices=None))]
    fn set_friction(&self, name: &str, friction: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let values = column(friction, "friction", rows.len())?;
        worlds.each(&rows, &values, |world, mu| {
            let edit = friction_edit(world, name, *mu)?;
            world.edit(&edit).map_err(raise::<ControlError, _>)
        })
    }

    /// Changes the wind in m/s, shape (worlds, 3) or (3,). The scene must have air.
    #[pyo3(signature = (velocity, indices=None))]
    fn set_wind(&self, velocity: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let values = vectors(velocity, "velocity", rows.len())?;
        worlds.each(&rows, &values, |world, v| world.set_wind(*v).map_err(raise::<ControlError, _>))
    }

    /// Puts the vertices of all bodies somewhere else, shape (worlds, n, 3), with these velocities (zero if absent).
    #[pyo3(signature = (positions, velocities=None, indices=None))]
    fn set_state(
        &self,
        positions: &Bound<PyAny>,
        velocities: Option<&Bound<PyAny>>,
        indices: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = rows(worlds, indices)?;
        let count = worlds.first.state().positions.len();
        let read = |given: &Bound<PyAny>, what: &str| -> PyResult<Vec<Vec<DVec3>>> {
            let flat = numbers(given, what, &[Some(rows.len()), Some(count), Some(3)])?;
            let points = |row: &[f64]| row.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)).collect();
            Ok(flat.chunks(3 * count).map(points).collect())
        };
        let places = read(positions, "positions")?;
        let speeds = match velocities {
            Some(given) => read(given, "velocities")?,
            None => vec![vec![DVec3::ZERO; count]; rows.len()],
        };
        let states: Vec<_> = places.into_iter().zip(speeds).collect();
        worlds.each(&rows, &states, |world, (positions, velocities)| {
            let State { time, steps, .. } = *world.state();
            let state = State { positions: positions.clone(), velocities: velocities.clone(), time, steps };
            world.set_state(state).map_err(raise::<ControlError, _>)
        })
    }
}
