//! Points of bodies as weighted sums of vertices, and checks of what is given.

use crate::model::{EntryError, MaterialPoint, Model, PointError};
use pliant_mesh::DVec3;

/// A point as a weighted sum of vertices of all bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WeightedPoint {
    /// Vertices; the first `count` are used.
    vertices: [u32; 8],
    /// Their weights.
    weights: [f64; 8],
    /// How many.
    count: usize,
}

impl WeightedPoint {
    /// A point of a body whose vertices start at `first`.
    pub(crate) fn of(point: &MaterialPoint, first: usize) -> WeightedPoint {
        let mut weighted = WeightedPoint::default();
        weighted.add(point, first, 1.0);
        weighted
    }

    /// Adds a point, or takes one away: at most two.
    pub(super) fn add(&mut self, point: &MaterialPoint, first: usize, sign: f64) {
        for (&v, &w) in point.vertices.iter().zip(&point.weights).filter(|(_, w)| **w != 0.0) {
            self.vertices[self.count] = first as u32 + v;
            self.weights[self.count] = sign * w;
            self.count += 1;
        }
    }

    /// Its vertices.
    pub(crate) fn vertices(&self) -> &[u32] {
        &self.vertices[..self.count]
    }

    /// The weights of its vertices.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights[..self.count]
    }

    /// Sum of the weights of the wanted vertices.
    pub(super) fn share(&self, wanted: &dyn Fn(u32) -> bool) -> f64 {
        let used = self.vertices().iter().zip(self.weights());
        used.filter(|(v, _)| wanted(**v)).map(|(_, w)| w).sum()
    }

    /// Whether all weights cancel: the difference of a point and itself.
    pub(super) fn vanishes(&self) -> bool {
        self.vertices().iter().all(|v| self.share(&|other| other == *v).abs() < 1e-9)
    }

    /// Its position at positions `x` of the vertices.
    pub(crate) fn at(&self, x: impl Fn(u32) -> DVec3) -> DVec3 {
        self.vertices().iter().zip(self.weights()).map(|(&v, &w)| w * x(v)).sum()
    }
}

/// Whether a compliance can be used.
pub(super) fn check_compliance(compliance: f64) -> Result<(), EntryError> {
    if compliance >= 0.0 && compliance.is_finite() {
        Ok(())
    } else {
        Err(EntryError::Value { what: "compliance", value: compliance, unit: " m/N", must: "0 or more" })
    }
}

/// Whether a point is one of a body of the model.
pub(crate) fn check_point(point: &MaterialPoint, model: &Model) -> Result<(), PointError> {
    let Some(body) = model.bodies.get(point.body.index()) else {
        return Err(PointError::NoSuchBody { body: point.body, count: model.bodies.len() });
    };
    let n = body.mesh.vertices().len();
    let bad = point.vertices.iter().zip(&point.weights).find(|(v, w)| **w != 0.0 && **v as usize >= n);
    if let Some((&vertex, _)) = bad {
        return Err(PointError::NoSuchVertex { vertex, body: body.name.clone(), count: n });
    }
    let sum: f64 = point.weights.iter().sum();
    if (sum - 1.0).abs() < 1e-9 { Ok(()) } else { Err(PointError::Weights(sum)) }
}
