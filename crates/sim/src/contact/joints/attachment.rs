//! Attachments: pairs of points of bodies that are tied to each other.

use super::point::{WeightedPoint, check_compliance, check_point};
use crate::fem::System;
use crate::model::{Attachment, EntryError, EntryKind, Interval, Model, ModelError};
use pliant_mesh::DVec3;

/// Two points that are tied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TiedPair {
    /// The first point minus the second.
    pub(crate) difference: WeightedPoint,
    /// Compliance of the tie, m/N.
    pub(crate) compliance: f64,
    /// Whether it holds in this step.
    pub(crate) active: bool,
}

/// The pairs of all attachments, and the forces on them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attachments {
    pub(crate) pairs: Vec<TiedPair>,
    /// Force on the first point of each pair, N.
    pub(crate) forces: Vec<DVec3>,
    /// First pair of each attachment, and the number of all pairs.
    first_pair: Vec<usize>,
    /// When each attachment holds.
    during: Vec<Interval>,
}

impl Attachments {
    pub(super) fn new(model: &Model, system: &System) -> Result<Attachments, ModelError> {
        let mut all = Attachments::default();
        for attachment in &model.attachments {
            all.first_pair.push(all.pairs.len());
            all.during.push(attachment.during);
            all.attach(attachment, model, system)
                .map_err(|e| e.of(EntryKind::Attachment, &attachment.name))?;
        }
        all.first_pair.push(all.pairs.len());
        all.forces = vec![DVec3::ZERO; all.pairs.len()];
        Ok(all)
    }

    fn attach(&mut self, a: &Attachment, model: &Model, system: &System) -> Result<(), EntryError> {
        check_compliance(a.compliance)?;
        a.during.validate()?;
        if a.pairs.is_empty() {
            return Err(EntryError::NoPairs);
        }
        for pair in &a.pairs {
            let mut difference = WeightedPoint::default();
            for (end, sign) in pair.iter().zip([1.0, -1.0]) {
                check_point(end, model)?;
                difference.add(end, system.bodies[end.body.index()].vertices.start, sign);
            }
            if difference.vanishes() {
                return Err(EntryError::TiesItself);
            }
            self.pairs.push(TiedPair { difference, compliance: a.compliance, active: true });
        }
        Ok(())
    }

    /// Ties and unties what is due in a step of this span.
    pub(crate) fn engage(&mut self, span: [f64; 2]) {
        for (k, during) in self.during.iter().enumerate().filter(|(_, d)| !d.is_always()) {
            let active = during.covers(span);
            for i in self.first_pair[k]..self.first_pair[k + 1] {
                self.pairs[i].active = active;
                if !active {
                    self.forces[i] = DVec3::ZERO;
                }
            }
        }
    }

    /// Total force of an attachment on its first body, N.
    pub(super) fn force(&self, attachment: usize) -> DVec3 {
        let pairs = self.first_pair[attachment]..self.first_pair[attachment + 1];
        self.forces[pairs].iter().sum()
    }

    /// The differences of the points of all pairs, and the forces on them.
    pub(super) fn loaded(&self) -> impl Iterator<Item = (&WeightedPoint, DVec3)> {
        self.pairs.iter().map(|p| &p.difference).zip(self.forces.iter().copied())
    }
}
