//! The air of a scene.

use super::schedule::course;
use crate::file::document::Document;
use pliant::{Air, Gusts};
use pliant_mesh::DVec3;

/// The air of a scene, if it has any.
pub(super) fn air(d: &Document) -> Option<Air> {
    let spec = d.air.as_ref()?;
    let gusts =
        spec.gusts.map(|g| Gusts { speed: g.speed, period: g.period, seed: g.seed.unwrap_or(d.scene.seed) });
    Some(Air {
        density: spec.density,
        wind: spec.wind.as_ref().map_or_else(|| DVec3::ZERO.into(), course),
        gusts,
        drag: spec.drag,
        lift: spec.lift.unwrap_or(spec.drag),
    })
}
