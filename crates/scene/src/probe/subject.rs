//! What a probe is about: its body, its vertices, its obstacle, its pin, its cable, its attachment, its needle.

use super::Probe;
use crate::build::{body_index, selection};
use crate::check;
use crate::document::{Document, Problems};
use crate::spec::{BodyRef, ProbeSpec, ProbeWhat, resolve_named};
use pliant::Body;

/// What a probe is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// Index of the body.
    pub body: Option<usize>,
    /// Selected vertices of the body.
    pub vertices: Vec<u32>,
    /// Whether they were selected by hand.
    pub is_selection: bool,
    /// Index of the obstacle.
    pub obstacle: Option<usize>,
    /// Obstacle in whose coordinates places and directions are.
    pub frame: Option<usize>,
    /// Index of the pin, cable, attachment or needle.
    pub joint: usize,
}

/// The probes of a scene. Those that cannot be made are reported and left out.
pub(crate) fn probes(d: &Document, names: &[String], bodies: &[Body], problems: &mut Problems) -> Vec<Probe> {
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
        let obstacles = check::obstacle_names(self.document);
        let mut optional = |key: &str, reference: &Option<BodyRef>| match reference {
            None => Some(None),
            Some(_) => self.entry(key, reference, &obstacles, ["obstacle", "obstacles"]).map(Some),
        };
        let obstacle = optional("obstacle", &spec.obstacle)?;
        let frame = optional("frame", &spec.frame)?;
        if let Some(joint) = self.joint(spec) {
            return Some(Subject { joint: joint?, frame, ..Subject::default() });
        }
        let counts = matches!(spec.what, ProbeWhat::Contacts | ProbeWhat::Sliding | ProbeWhat::Penetration);
        if spec.body.is_none() && (obstacle.is_some() || counts) {
            return Some(Subject { obstacle, frame, ..Subject::default() });
        }
        let body = body_index(&self.path, spec.body.as_ref(), names, self.problems)?;
        let vertices = selection(&self.path, spec.select.as_ref(), &bodies[body].mesh, self.problems)?;
        let is_selection = spec.select.is_some();
        Some(Subject { body: Some(body), vertices, is_selection, obstacle, frame, joint: 0 })
    }

    /// The pin, cable, attachment or needle of a probe that is about one; the inner `None` was reported.
    fn joint(&mut self, spec: &ProbeSpec) -> Option<Option<usize>> {
        let d = self.document;
        let found = match spec.what {
            ProbeWhat::Reaction => {
                let names = check::names(d.pins.iter().map(|p| p.name.as_deref()), "pin");
                self.entry("pin", &spec.pin, &names, ["pin", "pins"])
            }
            ProbeWhat::CableTension | ProbeWhat::CableLength => {
                let names = check::names(d.cables.iter().map(|c| c.name.as_deref()), "cable");
                self.entry("cable", &spec.cable, &names, ["cable", "cables"])
            }
            ProbeWhat::AttachmentForce => {
                let names = check::names(d.attachments.iter().map(|a| a.name.as_deref()), "attachment");
                self.entry("attachment", &spec.attachment, &names, ["attachment", "attachments"])
            }
            ProbeWhat::NeedleForce | ProbeWhat::NeedlePoints | ProbeWhat::NeedleGap => {
                let names = check::names(d.needles.iter().map(|n| n.name.as_deref()), "needle");
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
        let path = format!("{}.{key}", self.path);
        resolve_named(reference.as_ref(), names, one, many)
            .map_err(|(cause, remedy)| self.problems.add(&path, format!("{}: {cause}", self.path), remedy))
            .ok()
    }
}
