//! One rotation for each connected part since its factor was made.
//!
//! A body that has turned by R since then has the matrix `R A R^T` where nothing else has changed, so `R P R^T` takes the place
//! of P: turning costs no iterations, and the entries of P between touched vertices stay valid in the old axes.

use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::fem::parts::connected_parts;
use pliant_linalg::small::polar3;
use pliant_mesh::{DMat3, DVec3};

/// The rotations of the parts.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    /// The part of each vertex.
    part_of: Vec<u32>,
    /// The part of each row of the matrix.
    part_of_row: Vec<u32>,
    /// Mass, and centre of mass then and now, of each part.
    sums: Vec<(f64, DVec3, DVec3)>,
    /// `sum m (x - c) (X - C)^T` of each part.
    moments: Vec<DMat3>,
    rotations: Vec<DMat3>,
    /// Whether no part has turned.
    is_still: bool,
}

impl Warp {
    pub(super) fn new(system: &System, numbering: &Numbering) -> Warp {
        let part_of = connected_parts(system);
        let parts = part_of.iter().max().map_or(0, |last| *last as usize + 1);
        Warp {
            part_of_row: numbering.free_vertices().iter().map(|&v| part_of[v as usize]).collect(),
            part_of,
            sums: vec![(0.0, DVec3::ZERO, DVec3::ZERO); parts],
            moments: vec![DMat3::ZERO; parts],
            rotations: vec![DMat3::IDENTITY; parts],
            is_still: true,
        }
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.rotations.len()
    }

    /// The part of a row.
    pub(super) fn part_of_row(&self, row: u32) -> usize {
        self.part_of_row[row as usize] as usize
    }

    /// Nothing has turned.
    pub(super) fn clear(&mut self) {
        self.rotations.fill(DMat3::IDENTITY);
        self.is_still = true;
    }

    /// The best fitting rotations from the places `then` to those `now`; returns whether they are others than before.
    pub(super) fn fit(&mut self, masses: &[f64], then: &[DVec3], now: &[DVec3]) -> bool {
        let Warp { part_of, sums, moments, rotations, .. } = self;
        sums.fill((0.0, DVec3::ZERO, DVec3::ZERO));
        moments.fill(DMat3::ZERO);
        let all = || part_of.iter().map(|p| *p as usize).zip(masses).zip(then.iter().zip(now));
        for ((part, m), (then, now)) in all() {
            let (mass, old, new) = &mut sums[part];
            *mass += m;
            *old += *m * *then;
            *new += *m * *now;
        }
        for ((part, m), (then, now)) in all() {
            let (mass, old, new) = sums[part];
            let (old, new) = (then - old / mass, now - new / mass);
            moments[part] += DMat3::from_cols(*m * new * old.x, *m * new * old.y, *m * new * old.z);
        }
        let mut changed = false;
        self.is_still = true;
        for (rotation, moment) in rotations.iter_mut().zip(&*moments) {
            let found = best_fit(moment);
            changed |= found != *rotation;
            self.is_still &= found == DMat3::IDENTITY;
            *rotation = found;
        }
        changed
    }

    /// The rotation of a row, if anything has turned.
    pub(super) fn of_row(&self, row: usize) -> Option<&DMat3> {
        (!self.is_still).then(|| &self.rotations[self.part_of_row[row] as usize])
    }
}

/// The rotation nearest to a matrix of moments; none for a part without extent.
fn best_fit(moment: &DMat3) -> DMat3 {
    let rows = moment.transpose().to_cols_array_2d();
    let size: f64 = rows.as_flattened().iter().map(|x| x.abs()).sum();
    if !(size > 0.0 && size.is_finite()) {
        return DMat3::IDENTITY;
    }
    let (rotation, _) = polar3(&rows.map(|row| row.map(|x| x / size)));
    let found = DMat3::from_cols_array_2d(&rotation).transpose();
    // Rounding is no rotation.
    let off: f64 = (found - DMat3::IDENTITY).to_cols_array().iter().map(|x| x * x).sum();
    if found.is_finite() && off > 1e-24 { found } else { DMat3::IDENTITY }
}
