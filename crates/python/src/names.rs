//! Things of a model by their names.

use crate::errors::{UnknownName, raise};
use pliant::{BodyId, Model, ObstacleId, Side};
use pliant_scene::suggest;
use pyo3::prelude::*;

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
    pin: pins, "pin", "pins";
    cable: cables, "cable", "cables";
    load: loads, "force", "forces";
}

/// The body of this name; without a name, the only one.
pub fn body(model: &Model, wanted: Option<&str>) -> PyResult<BodyId> {
    body_index(model, wanted).map(BodyId::new)
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
