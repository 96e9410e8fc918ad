//! Loads: forces on vertices, pressure on surfaces.

use super::find::{body_of, selection};
use super::schedule::{course, interval, schedule};
use crate::file::document::{Document, Problems};
use crate::file::spec::ForceKind;
use pliant::{Body, Load, LoadKind};
use pliant_mesh::DVec3;

/// The loads of a scene. Those that cannot be made are reported and left out.
pub(super) fn loads(d: &Document, names: &[String], bodies: &[Body], problems: &mut Problems) -> Vec<Load> {
    let load_names = d.force_names();
    let mut loads = Vec::new();
    for (i, (spec, name)) in d.forces.iter().zip(load_names).enumerate() {
        let path = format!("force.{i}");
        let Some(body) = body_of(&path, spec.body.as_ref(), names, problems) else { continue };
        let kind = match spec.kind {
            ForceKind::Pressure => LoadKind::Pressure {
                value: spec.value.as_ref().map_or_else(|| 0.0.into(), |value| schedule(value, |p| p)),
            },
            ForceKind::Force => {
                let mesh = &bodies[body.index()].mesh;
                let Some(vertices) = selection(&path, spec.select.as_ref(), mesh, problems) else { continue };
                let total = spec.total.as_ref().map_or_else(|| DVec3::ZERO.into(), course);
                LoadKind::Force { vertices, total }
            }
        };
        let during = interval(spec.start, spec.stop);
        loads.push(Load { name, body, kind, ramp: spec.ramp, during });
    }
    loads
}
