//! Linear systems of a step: `A d = b` by conjugate gradients that are preconditioned with the factor of an older A
//! [Zeng22, sec. 3.4].

use super::factor::Factor;
use super::warp::Warp;
use pliant_linalg::Team;
use pliant_linalg::block::BlockSymmetric;
use pliant_linalg::krylov::{GradientScratch, Info, Params, conjugate_gradients};
use pliant_linalg::panels::PanelScratch;
use pliant_mesh::DVec3;

/// Rows per parallel piece of a vector loop.
const PIECE: usize = 512;

/// The memory of the solves.
#[derive(Clone, Debug, Default)]
pub(super) struct LinearSolves {
    panels: Option<PanelScratch>,
    gradients: GradientScratch<DVec3>,
}

impl LinearSolves {
    /// The factor is another one.
    pub(super) fn use_factor(&mut self, factor: &Factor) {
        self.panels = Some(factor.panels.scratch(1));
    }

    /// `z = R P R^T r`
    pub(super) fn apply_factor(
        &mut self,
        team: &Team,
        factor: &Factor,
        warp: &Warp,
        r: &[DVec3],
        z: &mut [DVec3],
    ) {
        let scratch = self.panels.get_or_insert_with(|| factor.panels.scratch(1));
        precondition(team, factor, warp, scratch, r, z);
    }

    /// Solves `A x = b`, starting from `R P R^T b`: from there on the residual has no part that would shift a free body, since
    /// `A 1 = A_old 1`, and no iteration brings one in. Linear momentum is exact for any tolerance.
    #[expect(clippy::too_many_arguments, reason = "matrix, factor, vectors and when to stop")]
    pub(super) fn solve(
        &mut self,
        team: &Team,
        matrix: &BlockSymmetric,
        factor: &Factor,
        warp: &Warp,
        b: &[DVec3],
        x: &mut [DVec3],
        params: Params,
    ) -> Info {
        let LinearSolves { panels, gradients } = self;
        let scratch = panels.get_or_insert_with(|| factor.panels.scratch(1));
        precondition(team, factor, warp, scratch, b, x);
        let mut a = |team: &Team, x: &[DVec3], y: &mut [DVec3]| matrix.multiply_into(team, x, y);
        let mut p =
            |team: &Team, r: &[DVec3], z: &mut [DVec3]| precondition(team, factor, warp, scratch, r, z);
        conjugate_gradients(team, &mut a, Some(&mut p), (b, x), params, gradients)
    }
}

fn precondition(
    team: &Team,
    factor: &Factor,
    warp: &Warp,
    scratch: &mut PanelScratch,
    r: &[DVec3],
    z: &mut [DVec3],
) {
    team.for_each_piece(scratch.vector_mut(0), 3 * PIECE, |first, vector| {
        for (row, three) in (first / 3..).zip(vector.chunks_exact_mut(3)) {
            let r = warp.of_row(row).map_or(r[row], |turn| turn.transpose() * r[row]);
            for (to, from) in three.iter_mut().zip(r.to_array()) {
                *to = [from as f32, 0.0, 0.0, 0.0];
            }
        }
    });
    factor.panels.solve(team, scratch);
    let vector = scratch.vector(0);
    team.for_each_piece(z, PIECE, |first, z| {
        for (row, z) in (first..).zip(z) {
            let at = |k: usize| f64::from(vector[3 * row + k][0]);
            let solved = DVec3::new(at(0), at(1), at(2));
            *z = warp.of_row(row).map_or(solved, |turn| *turn * solved);
        }
    });
}
