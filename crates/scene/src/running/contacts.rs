//! Contacts over a run, for its report.

use crate::measuring::Samples;
use pliant::snapshot::{Reader, Writer};
use pliant::{PairContact, Side, SnapshotError, Sticking, World};
use serde_json::{Value, json};

/// Numbers of contacts in the steps so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactHistory {
    max_points: usize,
    rows: Samples,
    max_sliding: usize,
    /// Contacts that stick and that slide in the last step.
    sticking: usize,
    sliding: usize,
    /// Vertices that were held back, summed over all steps.
    held_back: usize,
}

impl ContactHistory {
    /// Takes in the contacts of the last step.
    pub(crate) fn record(&mut self, world: &World) {
        let contacts = world.contacts();
        self.max_points = self.max_points.max(contacts.len());
        // One row for the normal, and two for the directions in which friction acts.
        let rows: usize =
            contacts.friction().iter().map(|law| if law.is_frictionless() { 1 } else { 3 }).sum();
        self.rows.push(rows as f64);
        (self.sticking, self.sliding) = (0, 0);
        for i in 0..contacts.len() {
            match contacts.sticking(i) {
                Sticking::Open => {}
                Sticking::Sticks => self.sticking += 1,
                Sticking::Slides => self.sliding += 1,
            }
        }
        self.max_sliding = self.max_sliding.max(self.sliding);
        self.held_back += contacts.held_back().vertices;
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        let counts = [self.max_points, self.max_sliding, self.sticking, self.sliding, self.held_back];
        counts.iter().for_each(|n| out.u64(*n as u64));
        self.rows.save(out);
    }

    pub(crate) fn load(from: &mut Reader) -> Result<ContactHistory, SnapshotError> {
        Ok(ContactHistory {
            max_points: from.usize()?,
            max_sliding: from.usize()?,
            sticking: from.usize()?,
            sliding: from.usize()?,
            held_back: from.usize()?,
            rows: Samples::load(from)?,
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "max_points": self.max_points,
            "max_rows": self.rows.max() as usize,
            "mean_rows": self.rows.mean(),
            "sticking": self.sticking,
            "sliding": self.sliding,
            "max_sliding": self.max_sliding,
            "held_back": self.held_back,
        })
    }
}

/// What touches what in the last step, by name, in the order of the names.
pub(crate) fn named_pairs(world: &World) -> Vec<([&str; 2], PairContact)> {
    let model = world.model();
    let name = |side: Side| match side {
        Side::Body(b) => model.bodies[b.index()].name.as_str(),
        Side::Obstacle(o) => model.obstacles[o.index()].name.as_str(),
    };
    let mut pairs: Vec<_> = world.contact_pairs().into_iter().map(|p| (p.sides.map(name), p)).collect();
    pairs.sort_by_key(|(names, _)| *names);
    pairs
}
