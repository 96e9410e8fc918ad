//! Pins: which vertices they hold, and how they move.

use super::animation;
use super::find::{body_of, mean, selection};
use super::motion::motion_with;
use super::schedule::interval;
use crate::file::document::{Document, Problems};
use pliant::{Body, Motion, Pin, PinKind};
use std::path::Path;
use std::sync::Arc;

/// The pins of a scene. Those that cannot be made are reported and left out.
pub(super) fn pins(
    d: &Document,
    names: &[String],
    bodies: &[Body],
    directory: &Path,
    problems: &mut Problems,
) -> Vec<Pin> {
    let pin_names = d.pin_names();
    let mut pins = Vec::new();
    for (i, (spec, name)) in d.pins.iter().zip(pin_names).enumerate() {
        let path = format!("pin.{i}");
        let Some(body) = body_of(&path, spec.body.as_ref(), names, problems) else { continue };
        let mesh = &bodies[body.index()].mesh;
        let Some(vertices) = selection(&path, Some(&spec.select), mesh, problems) else { continue };
        let center = || mean(&vertices, mesh.vertices());
        let own = &d.bodies[body.index()].transform;
        let motion = motion_with(&spec.motion, center, (own, directory), |file| {
            Ok(Motion::Points(Arc::new(animation::paths(file, mesh.vertices(), &vertices)?)))
        });
        let motion = match motion {
            Ok(motion) => motion,
            Err(fault) => {
                problems.add_fault(&format!("{path}.motion"), "", fault);
                continue;
            }
        };
        let compliant = spec.compliance.filter(|c| *c > 0.0).map(|c| 1.0 / c);
        let kind = spec.stiffness.or(compliant).map_or(PinKind::Hard, PinKind::Soft);
        let during = interval(spec.start, spec.stop);
        pins.push(Pin { name, body, vertices, motion, kind, during });
    }
    pins
}
