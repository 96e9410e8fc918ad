//! Attachments: pairs of points of bodies that are tied to each other.

use super::point::{WeightedPoint, check_compliance, check_point, refusal};
use crate::fem::System;
use crate::model::{Attachment, Model, ModelError};
use pliant_mesh::Point;

/// Two points that are tied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TiedPair {
    /// The first point minus the second.
    pub(crate) difference: WeightedPoint,
    /// Compliance of the tie, m/N.
    pub(crate) compliance: f64,
}

/// The pairs of all attachments, and the forces on them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attachments {
    pub(crate) pairs: Vec<TiedPair>,
    /// Force on the first point of each pair, N.
    pub(crate) forces: Vec<Point>,
    /// First pair of each attachment, and the number of all pairs.
    first_pair: Vec<usize>,
}

impl Attachments {
    pub(super) fn new(model: &Model, system: &System) -> Result<Attachments, ModelError> {
        let mut all = Attachments::default();
        for attachment in &model.attachments {
            all.first_pair.push(all.pairs.len());
            all.attach(attachment, model, system)?;
        }
        all.first_pair.push(all.pairs.len());
        all.forces = vec![[0.0; 3]; all.pairs.len()];
        Ok(all)
    }

    fn attach(&mut self, a: &Attachment, model: &Model, system: &System) -> Result<(), ModelError> {
        let refuse = |message: String| refusal("attachment", &a.name, message);
        check_compliance(a.compliance).map_err(refuse)?;
        if a.pairs.is_empty() {
            return Err(refuse("it ties no points: widen its selections".into()));
        }
        for pair in &a.pairs {
            let mut difference = WeightedPoint::default();
            for (end, sign) in pair.iter().zip([1.0, -1.0]) {
                check_point(end, model).map_err(refuse)?;
                difference.add(end, system.bodies[end.body].vertices.start, sign);
            }
            if difference.vanishes() {
                return Err(refuse("it ties a point to itself: choose two different points".into()));
            }
            self.pairs.push(TiedPair { difference, compliance: a.compliance });
        }
        Ok(())
    }

    /// Total force of an attachment on its first body, N.
    pub(super) fn force(&self, attachment: usize) -> Point {
        let pairs = self.first_pair[attachment]..self.first_pair[attachment + 1];
        self.forces[pairs].iter().fold([0.0; 3], |s, f| std::array::from_fn(|k| s[k] + f[k]))
    }

    /// The differences of the points of all pairs, and the forces on them.
    pub(super) fn loaded(&self) -> impl Iterator<Item = (&WeightedPoint, &Point)> {
        self.pairs.iter().map(|p| &p.difference).zip(&self.forces)
    }
}
