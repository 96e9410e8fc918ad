//! What single vertices move more easily than the rest of the operator says, each along a direction of its own: cloth across
//! its plane.
//!
//! With the weight `c_iv` of vertex v in point i, the operator gains `sum_v c_iv c_jv s_v s_v^T`: only points that share a
//! vertex act on each other.

use super::PointRows;
use pliant_mesh::{DMat3, DVec3};

/// The vectors `c_iv s_v` of all points.
#[derive(Clone, Debug)]
pub(super) struct Spikes {
    /// Rows and vectors of all points, and where those of each point start; empty if there are none.
    terms: Vec<(u32, DVec3)>,
    first: Vec<u32>,
    /// Number of rows.
    n: usize,
}

/// How far each vertex was lifted by the changes of force so far, in units of its s.
pub(super) type Lifts = Vec<f64>;

impl Spikes {
    /// None, for a matrix of `n` rows.
    pub(super) fn new(n: usize) -> Spikes {
        Spikes { terms: Vec::new(), first: Vec::new(), n }
    }

    /// Takes over s of the rows of `points`, if there are any.
    pub(super) fn set(&mut self, points: &[PointRows], spike: impl Fn(u32) -> Option<DVec3>) {
        self.clear();
        for point in points {
            self.first.push(self.terms.len() as u32);
            for (row, weight) in point.terms() {
                match spike(row) {
                    Some(s) if s != DVec3::ZERO => self.terms.push((row, weight * s)),
                    _ => {}
                }
            }
        }
        self.first.push(self.terms.len() as u32);
        if self.terms.is_empty() {
            self.clear();
        }
    }

    /// None.
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.first.clear();
    }

    /// Whether there are none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    #[inline(always)]
    fn terms(&self, point: usize) -> &[(u32, DVec3)] {
        match self.is_empty() {
            true => &[],
            false => &self.terms[self.first[point] as usize..self.first[point + 1] as usize],
        }
    }

    /// `sum_v c_iv c_jv s_v s_v^T`
    pub(super) fn between(&self, i: usize, j: usize) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for (row, a) in self.terms(i) {
            for (_, b) in self.terms(j).iter().filter(|(other, _)| other == row) {
                sum += DMat3::from_cols(b.x * a, b.y * a, b.z * a);
            }
        }
        sum
    }

    /// Nothing is lifted.
    pub(super) fn clear_lifts(&self, lifts: &mut Lifts) {
        lifts.clear();
        lifts.resize(if self.is_empty() { 0 } else { self.n }, 0.0);
    }

    /// Adds what a change of the force on a point does.
    #[inline(always)]
    pub(super) fn add_change(&self, lifts: &mut Lifts, point: usize, by: DVec3) {
        for (row, s) in self.terms(point) {
            lifts[*row as usize] += s.dot(by);
        }
    }

    /// What all changes so far do to a point.
    #[inline(always)]
    pub(super) fn displacement(&self, lifts: &Lifts, point: usize) -> DVec3 {
        self.terms(point).iter().map(|(row, s)| lifts[*row as usize] * s).sum()
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.terms.capacity() * size_of::<(u32, DVec3)>()
    }
}
