//! Things of a model by their names.

use crate::errors::{UnknownName, raise};
use pliant::{BodyId, CableId, LoadId, Model, ObstacleId, PinId, Side, World};
use pliant_scene::suggest;
use pyo3::prelude::*;
use std::ops::Range;

/// The index of the entry of this name; without a name, that of the only one.
fn find(names: &[&str], wanted: Option<&str>, one: &str, many: &str) -> PyResult<usize> {
    match wanted {
        None if names.len() == 1 => Ok(0),
        None => {
            let message = format!("there are {} {many}: name one of {names:?}", names.len());
            Err(raise::<UnknownName, _>(message))
        }
        Some(wanted) => names.iter().position(|n| *n == wanted).ok_or_else(|| {
            let remedy = suggest(wanted, names, many);
            raise::<UnknownName, _>(format!("there is no {one} `{wanted}`: {remedy}"))
        }),
    }
}

macro_rules! finders {
    ($($name:ident: $list:ident, $one:literal, $many:literal;)*) => {
        $(
            /// The index of the entry of this name; without a name, that of the only one.
            pub fn $name(model: &Model, wanted: Option<&str>) -> PyResult<usize> {
                let names: Vec<&str> = model.$list.iter().map(|e| e.name.as_str()).collect();
                find(&names, wanted, $one, $many)
            }
        )*
    };
}

finders! {
    body_index: bodies, "body", "bodies";
    obstacle_index: obstacles, "obstacle", "obstacles";
    pin_index: pins, "pin", "pins";
    cable_index: cables, "cable", "cables";
    load_index: loads, "force", "forces";
}

/// The pin of this name; without a name, the only one.
pub fn pin(model: &Model, wanted: Option<&str>) -> PyResult<PinId> {
    pin_index(model, wanted).map(PinId::new)
}

/// The cable of this name; without a name, the only one.
pub fn cable(model: &Model, wanted: Option<&str>) -> PyResult<CableId> {
    cable_index(model, wanted).map(CableId::new)
}

/// The force or pressure of this name; without a name, the only one.
pub fn load(model: &Model, wanted: Option<&str>) -> PyResult<LoadId> {
    load_index(model, wanted).map(LoadId::new)
}

/// The body of this name; without a name, the only one.
pub fn body(model: &Model, wanted: Option<&str>) -> PyResult<BodyId> {
    body_index(model, wanted).map(BodyId::new)
}

/// Where the vertices of a body are among all; those of all bodies without a name.
pub fn vertices(world: &World, wanted: Option<&str>) -> PyResult<Range<usize>> {
    match wanted {
        None => Ok(0..world.state().positions.len()),
        name => Ok(world.system().bodies[body_index(world.model(), name)?].vertices.clone()),
    }
}

/// The obstacle of this name; without a name, the only one.
pub fn obstacle(model: &Model, wanted: Option<&str>) -> PyResult<ObstacleId> {
    obstacle_index(model, wanted).map(ObstacleId::new)
}

/// The body or the obstacle of this name.
pub fn side(model: &Model, wanted: &str) -> PyResult<Side> {
    if let Some(index) = model.obstacles.iter().position(|o| o.name == wanted) {
        return Ok(Side::Obstacle(ObstacleId::new(index)));
    }
    let mut names: Vec<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    names.extend(model.obstacles.iter().map(|o| o.name.as_str()));
    find(&names, Some(wanted), "body or obstacle", "bodies and obstacles").map(|i| Side::Body(BodyId::new(i)))
}

/// The name of a side alone.
pub fn of_side(model: &Model, side: Side) -> String {
    match side {
        Side::Body(b) => model.bodies[b.index()].name.clone(),
        Side::Obstacle(o) => model.obstacles[o.index()].name.clone(),
    }
}
