//! Control of a batch: a value for each world, or one for all. Nothing is factorised anew for it.

use super::{Batch, Worlds};
use crate::arrays::{numbers, of_quaternion};
use crate::errors::{ControlError, raise, value_error};
use crate::names;
use crate::world::friction_edit;
use pliant::{CableDrive, DMat3, DVec3, Edit, Pose, Schedule, State, World};
use pyo3::prelude::*;
use std::fmt::Display;

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

/// Each of the values beside the thing that it is for.
fn with<Id: Copy, T>(id: Id, values: Vec<T>) -> Vec<(Id, T)> {
    values.into_iter().map(|value| (id, value)).collect()
}

fn vectors(given: &Bound<PyAny>, what: &str, count: usize) -> PyResult<Vec<DVec3>> {
    Ok(table::<3>(given, what, count)?.into_iter().map(DVec3::from_array).collect())
}

impl Batch {
    /// Reads a value for each of the worlds that are meant, all without `indices`, and changes each world by its value. `read` is given
    /// the number of the values; if one cannot be read, nothing is changed.
    fn change<T, E: Display>(
        &self,
        indices: Option<Vec<usize>>,
        read: impl FnOnce(&Worlds, usize) -> PyResult<Vec<T>>,
        change: impl Fn(&mut World, T) -> Result<(), E>,
    ) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = worlds.rows(indices)?;
        let values = read(worlds, rows.len())?;
        rows.into_iter().zip(values).try_for_each(|(row, value)| {
            change(&mut worlds.slot(row).world, value).map_err(raise::<ControlError, _>)
        })
    }
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
        let read = |worlds: &Worlds, count| {
            let obstacle = names::obstacle(worlds.model(), Some(name))?;
            let turned: Vec<Option<DMat3>> = match rotation {
                Some(given) => {
                    let quaternions = table::<4>(given, "rotation", count)?;
                    quaternions.into_iter().map(|q| Some(of_quaternion(q))).collect()
                }
                None => vec![None; count],
            };
            let places = vectors(position, "position", count)?.into_iter().zip(turned);
            Ok(places.map(|(place, turned)| (obstacle, place, turned)).collect())
        };
        self.change(indices, read, |world, (obstacle, translation, turned)| {
            let now = world.model().obstacles[obstacle.index()].pose(world.state().time);
            world.move_obstacle(obstacle, Pose { translation, rotation: turned.unwrap_or(now.rotation) })
        })
    }

    /// Moves the vertices of a pin in the next step by so much, in m, shape (worlds, 3) or (3,), where they stay.
    #[pyo3(signature = (name, by, indices=None))]
    fn set_pins(&self, name: &str, by: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let read = |worlds: &Worlds, count| {
            let pin = names::pin(worlds.model(), Some(name))?;
            Ok(with(pin, vectors(by, "by", count)?))
        };
        self.change(indices, read, |world, (pin, by)| world.move_pin(pin, by))
    }

    /// Changes the total of a force of the scene in N, shape (worlds, 3) or (3,).
    #[pyo3(signature = (name, total, indices=None))]
    fn set_force(&self, name: &str, total: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let read = |worlds: &Worlds, count| {
            let load = names::load(worlds.model(), Some(name))?;
            Ok(with(load, vectors(total, "total", count)?))
        };
        self.change(indices, read, |world, (load, total)| world.set_force(load, total))
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
        let (given, what, drive): (_, _, fn(Schedule) -> CableDrive) = match (length, pull) {
            (Some(given), None) => (given, "length", CableDrive::Length),
            (None, Some(given)) => (given, "pull", CableDrive::Pull),
            _ => {
                let cause = "a cable has a length or a pull";
                return Err(value_error("set_cable", cause, "give exactly one of them"));
            }
        };
        let read = |worlds: &Worlds, count| {
            let cable = names::cable(worlds.model(), Some(name))?;
            Ok(with(cable, column(given, what, count)?))
        };
        self.change(indices, read, |world, (cable, value)| {
            world.set_cable(cable, drive(Schedule::from(value)))
        })
    }

    /// Changes gravity in m/s^2, shape (worlds, 3) or (3,).
    #[pyo3(signature = (gravity, indices=None))]
    fn set_gravity(&self, gravity: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let read = |_: &Worlds, count| vectors(gravity, "gravity", count);
        self.change(indices, read, |world, gravity| world.edit(&Edit::Gravity(gravity)))
    }

    /// Changes the friction of a body or an obstacle, shape (worlds,) or one number.
    #[pyo3(signature = (name, friction, indices=None))]
    fn set_friction(&self, name: &str, friction: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let read = |worlds: &Worlds, count| {
            let edit = friction_edit(worlds.model(), name)?;
            Ok(column(friction, "friction", count)?.into_iter().map(edit).collect())
        };
        self.change(indices, read, |world, edit| world.edit(&edit))
    }

    /// Changes the wind in m/s, shape (worlds, 3) or (3,). The scene must have air.
    #[pyo3(signature = (velocity, indices=None))]
    fn set_wind(&self, velocity: &Bound<PyAny>, indices: Option<Vec<usize>>) -> PyResult<()> {
        let read = |_: &Worlds, count| vectors(velocity, "velocity", count);
        self.change(indices, read, |world, velocity| world.set_wind(velocity))
    }

    /// Puts the vertices of all bodies somewhere else, shape (worlds, n, 3), with these velocities (zero if absent).
    #[pyo3(signature = (positions, velocities=None, indices=None))]
    fn set_state(
        &self,
        positions: &Bound<PyAny>,
        velocities: Option<&Bound<PyAny>>,
        indices: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let read = |worlds: &Worlds, count| {
            let vertices = worlds.first.state().positions.len();
            let read = |given: &Bound<PyAny>, what: &str| -> PyResult<Vec<Vec<DVec3>>> {
                let flat = numbers(given, what, &[Some(count), Some(vertices), Some(3)])?;
                let points =
                    |row: &[f64]| row.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)).collect();
                Ok(flat.chunks(3 * vertices).map(points).collect())
            };
            let places = read(positions, "positions")?;
            let speeds = match velocities {
                Some(given) => read(given, "velocities")?,
                None => vec![vec![DVec3::ZERO; vertices]; count],
            };
            Ok(places.into_iter().zip(speeds).collect())
        };
        self.change(indices, read, |world, (positions, velocities)| {
            let State { time, steps, .. } = *world.state();
            world.set_state(State { positions, velocities, time, steps })
        })
    }
}
