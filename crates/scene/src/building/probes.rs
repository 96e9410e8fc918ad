//! Probes: the body, vertices, obstacle, pin, cable, attachment or needle that each is about.

use super::find::{body_of, selection};
use crate::file::document::{Document, Problems};
use crate::file::spec::{BodyRef, ProbeSpec, ProbeWhat, resolve_named};
use crate::measuring::{Probe, Subject};
use pliant::{Body, BodyId, ObstacleId};

/// The probes of a scene. Those that cannot be made are reported and left out.
pub(super) fn probes(d: &Document, names: &[String], bodies: &[Body], problems: &mut Problems) -> Vec<Probe> {
    let each = d.probes.iter().enumerate();
    each.filter_map(|(i, spec)| {
        let of = Finder { path: format!("probe.{i}"), document: d, problems }.subject(spec, names, bodies)?;
        Some(Probe::new(spec, of))
    })
    .collect()
}

/// What is needed to find the subject of the probe at `path`.
struct Finder<'a> {
    path: String,
    document: &'a Document,
    problems: &'a mut Problems,
}

impl Finder<'_> {
    fn subject(&mut self, spec: &ProbeSpec, names: &[String], bodies: &[Body]) -> Option<Subject> {
        let obstacles = self.document.obstacle_names();
        let mut optional = |key: &str, reference: &Option<BodyRef>| match reference {
            None => Some(None),
            Some(_) => {
                let found = self.entry(key, reference, &obstacles, ["obstacle", "obstacles"]);
                found.map(|index| Some(ObstacleId::new(index)))
            }
        };
        let obstacle = optional("obstacle", &spec.obstacle)?;
        let frame = optional("frame", &spec.frame)?;
        let other = match &spec.other {
            None => None,
            Some(_) => Some(BodyId::new(self.entry("other", &spec.other, names, ["body", "bodies"])?)),
        };
        if let Some(joint) = self.joint(spec) {
            return Some(Subject { joint: joint?, frame, ..Subject::default() });
        }
        let counts = matches!(
            spec.what,
            ProbeWhat::Contacts
                | ProbeWhat::Sliding
                | ProbeWhat::Penetration
                | ProbeWhat::NormalForce
                | ProbeWhat::FrictionForce
                | ProbeWhat::ContactArea
                | ProbeWhat::ContactPressure
        );
        if spec.body.is_none() && (obstacle.is_some() || counts) {
            return Some(Subject { obstacle, frame, ..Subject::default() });
        }
        let body = body_of(&self.path, spec.body.as_ref(), names, self.problems)?;
        let mesh = &bodies[body.index()].mesh;
        let vertices = selection(&self.path, spec.select.as_ref(), mesh, self.problems)?;
        let is_selection = spec.select.is_some();
        Some(Subject { body: Some(body), other, vertices, is_selection, obstacle, frame, joint: 0 })
    }

    /// The pin, cable, attachment or needle of a probe that is about one; the inner `None` was reported.
    fn joint(&mut self, spec: &ProbeSpec) -> Option<Option<usize>> {
        let d = self.document;
        let found = match spec.what {
            ProbeWhat::Reaction => {
                let names = d.pin_names();
                self.entry("pin", &spec.pin, &names, ["pin", "pins"])
            }
            ProbeWhat::CableTension | ProbeWhat::CableLength => {
                let names = d.cable_names();
                self.entry("cable", &spec.cable, &names, ["cable", "cables"])
            }
            ProbeWhat::AttachmentForce => {
                let names = d.attachment_names();
                self.entry("attachment", &spec.attachment, &names, ["attachment", "attachments"])
            }
            ProbeWhat::NeedleForce | ProbeWhat::NeedlePoints | ProbeWhat::NeedleGap => {
                let names = d.needle_names();
                self.entry("needle", &spec.needle, &names, ["needle", "needles"])
            }
            _ => return None,
        };
        Some(found)
    }

    /// The entry of a list that a reference means; what is wrong with it is reported at its key.
    fn entry(
        &mut self,
        key: &str,
        reference: &Option<BodyRef>,
        names: &[String],
        [one, many]: [&str; 2],
    ) -> Option<usize> {
        resolve_named(reference.as_ref(), names, one, many)
            .map_err(|fault| self.problems.add_fault(&self.path, key, fault))
            .ok()
    }
}
