//! A change of the operator by few vector fields for each part of the bodies.
//!
//! A better metric than `A^-1` adds to it, for each part b, the fields `J_b` (k columns on its vertices) with a symmetric
//! matrix between them: `A^-1 + sum_b J_b S_b J_b^T`. With `U_ib` the values of the fields at point i (k x 3), the
//! operator gains `sum_b U_ib^T S_b U_jb`. What forces do through the fields is k numbers for each part,
//! `theta_b = sum_j S_b U_jb f_j`: point i moves by `sum_b U_ib^T theta_b`.

use super::{Compliance, PointRows};
use pliant_mesh::{DMat3, DVec3};

/// No place among the touched parts.
const UNTOUCHED: u32 = u32::MAX;

/// The change of an operator. A point has one side for each part that it touches: two if it is between two bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct LowRank {
    /// Number of fields of a part.
    rank: usize,
    /// Where the sides of each point start.
    first_side: Vec<u32>,
    /// Part of each side, as a place among the touched ones.
    part: Vec<u32>,
    /// `U` of each side: x of all fields, then y, then z.
    fields: Vec<f64>,
    /// `S U` of each side, in the same order.
    answers: Vec<f64>,
    /// S of each touched part.
    matrices: Vec<f64>,
    /// Number of touched parts, and the place of each part among them.
    touched: usize,
    place_of: Vec<u32>,
    /// Values of the fields at one vertex.
    values: Vec<DVec3>,
}

/// What forces did through the fields: the numbers theta of each touched part.
pub(super) type Amplitudes = Vec<f64>;

impl LowRank {
    /// Takes over the fields at `points`: `part_of` a row, and their values `columns` at a row. `s` has the matrices
    /// between them, `rank * rank` numbers for each part.
    pub(super) fn set(
        &mut self,
        points: &[PointRows],
        rank: usize,
        part_of: impl Fn(u32) -> Option<u32>,
        columns: impl Fn(u32, &mut [DVec3]),
        s: &[f64],
    ) {
        self.clear();
        if rank == 0 {
            return;
        }
        self.rank = rank;
        self.place_of.resize(s.len() / (rank * rank), UNTOUCHED);
        self.values.resize(rank, DVec3::ZERO);
        for point in points {
            let first = self.part.len();
            self.first_side.push(first as u32);
            for (row, weight) in point.terms() {
                if let Some(part) = part_of(row) {
                    columns(row, &mut self.values);
                    let side = self.side_of(first, part);
                    self.add_values(side, weight);
                }
            }
            for side in first..self.part.len() {
                self.answer(side, s);
            }
        }
        self.first_side.push(self.part.len() as u32);
        self.matrices.resize(rank * rank * self.touched, 0.0);
        for (s, &place) in s.chunks_exact(rank * rank).zip(&self.place_of) {
            if place != UNTOUCHED {
                self.matrices[rank * rank * place as usize..][..rank * rank].copy_from_slice(s);
            }
        }
        // Parts are counted by their places from here on.
        for part in &mut self.part {
            *part = self.place_of[*part as usize];
        }
    }

    /// No fields.
    pub(super) fn clear(&mut self) {
        self.rank = 0;
        self.first_side.clear();
        self.part.clear();
        self.fields.clear();
        self.answers.clear();
        self.matrices.clear();
        self.place_of.clear();
        self.touched = 0;
    }

    /// Whether there are no fields.
    pub(super) fn is_empty(&self) -> bool {
        self.rank == 0
    }

    /// The side that a point, whose sides start at `first`, has at a part.
    fn side_of(&mut self, first: usize, part: u32) -> usize {
        if let Some(known) = self.part[first..].iter().position(|p| *p == part) {
            return first + known;
        }
        let place = &mut self.place_of[part as usize];
        if *place == UNTOUCHED {
            *place = self.touched as u32;
            self.touched += 1;
        }
        self.part.push(part);
        self.fields.resize(3 * self.rank * self.part.len(), 0.0);
        self.part.len() - 1
    }

    /// Adds the values at a vertex to a side.
    fn add_values(&mut self, side: usize, weight: f64) {
        let fields = &mut self.fields[3 * self.rank * side..];
        for (component, along) in fields.chunks_exact_mut(self.rank).take(3).enumerate() {
            along.iter_mut().zip(&self.values).for_each(|(sum, value)| *sum += weight * value[component]);
        }
    }

    /// `S U` of the next side.
    fn answer(&mut self, side: usize, s: &[f64]) {
        let (rank, part) = (self.rank, self.part[side] as usize);
        let s = &s[part * rank * rank..][..rank * rank];
        for along in self.fields[3 * rank * side..][..3 * rank].chunks_exact(rank) {
            self.answers.extend(s.chunks_exact(rank).map(|row| dot(row, along)));
        }
    }

    fn sides(&self, point: usize) -> std::ops::Range<usize> {
        if self.is_empty() {
            return 0..0;
        }
        self.first_side[point] as usize..self.first_side[point + 1] as usize
    }

    /// Values of the fields at a side along x, y and z.
    #[inline(always)]
    fn along<'a>(&self, values: &'a [f64], side: usize) -> [&'a [f64]; 3] {
        let values = &values[3 * self.rank * side..][..3 * self.rank];
        let (x, rest) = values.split_at(self.rank);
        let (y, z) = rest.split_at(self.rank);
        [x, y, z]
    }

    /// `sum_b U_ib^T S_b U_jb`: what is added to the block between two points.
    pub(super) fn between(&self, i: usize, j: usize) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for one in self.sides(i) {
            for other in self.sides(j).filter(|other| self.part[*other] == self.part[one]) {
                let (u, su) = (self.along(&self.fields, one), self.along(&self.answers, other));
                sum += DMat3::from_components(|row, column| dot(u[row], su[column]));
            }
        }
        sum
    }

    /// Number of fields of all touched parts.
    pub(crate) fn columns(&self) -> usize {
        self.rank * self.touched
    }

    /// The fields that are not zero at a point, and their values there.
    pub(crate) fn values(&self, point: usize) -> impl Iterator<Item = (usize, DVec3)> {
        self.sides(point).flat_map(move |side| {
            let [x, y, z] = self.along(&self.fields, side);
            let first = self.rank * self.part[side] as usize;
            (0..self.rank).map(move |k| (first + k, DVec3::new(x[k], y[k], z[k])))
        })
    }

    /// The value of a field at a point.
    pub(crate) fn value(&self, point: usize, field: usize) -> DVec3 {
        let mut sides = self.sides(point);
        let side = sides.find(|side| self.part[*side] as usize == field / self.rank);
        side.map_or(DVec3::ZERO, |side| {
            DVec3::from_array(self.along(&self.fields, side).map(|values| values[field % self.rank]))
        })
    }

    /// `S v` for a vector of one number for each field.
    pub(crate) fn apply_matrices(&self, vector: &[f64], out: &mut [f64]) {
        let parts = vector.chunks_exact(self.rank.max(1)).zip(out.chunks_exact_mut(self.rank.max(1)));
        for (place, (vector, out)) in parts.enumerate() {
            let s = &self.matrices[self.rank * self.rank * place..];
            out.iter_mut().zip(s.chunks_exact(self.rank)).for_each(|(out, row)| *out = dot(row, vector));
        }
    }

    /// Nothing has moved.
    pub(super) fn clear_amplitudes(&self, theta: &mut Amplitudes) {
        theta.clear();
        theta.resize(self.rank * self.touched, 0.0);
    }

    /// Adds what a change of the force on a point does: `theta_b += S_b U_jb df`.
    #[inline]
    pub(super) fn add_change(&self, theta: &mut Amplitudes, point: usize, by: DVec3) {
        for side in self.sides(point) {
            let [x, y, z] = self.along(&self.answers, side);
            let theta = &mut theta[self.rank * self.part[side] as usize..][..self.rank];
            for (i, theta) in theta.iter_mut().enumerate() {
                *theta += x[i] * by.x + y[i] * by.y + z[i] * by.z;
            }
        }
    }

    /// What all changes so far do to a point: `sum_b U_ib^T theta_b`.
    #[inline]
    pub(super) fn displacement(&self, theta: &Amplitudes, point: usize) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for side in self.sides(point) {
            let theta = &theta[self.rank * self.part[side] as usize..][..self.rank];
            sum += DVec3::from_array(self.along(&self.fields, side).map(|u| dot(u, theta)));
        }
        sum
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        (self.fields.capacity() + self.answers.capacity() + self.matrices.capacity()) * size_of::<f64>()
    }
}

/// The scalar product of two short vectors.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Two sums fill a vector register of any machine.
    let mut sums = [0.0; 2];
    let (a2, b2) = (a.chunks_exact(2), b.chunks_exact(2));
    let rest: f64 = a2.remainder().iter().zip(b2.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a2.zip(b2) {
        sums[0] += a[0] * b[0];
        sums[1] += a[1] * b[1];
    }
    sums[0] + sums[1] + rest
}
