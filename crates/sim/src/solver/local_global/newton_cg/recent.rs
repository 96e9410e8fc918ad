//! What the last steps had to add to their predictions: where motion is smooth the next step needs nearly the same, and CG has
//! little left to find.
//!
//! With `W = [w_1 ...]` the last corrections, `c` solves `W^T H W c = W^T r` in each part, which is the best step within W. It takes
//! a Hessian product for each w and no solve.

use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::StepInput;
use crate::solver::local_global::forces::Forces;
use crate::solver::local_global::metric::{copy, dot};
use crate::solver::local_global::parts::{Parts, RigidMotion};
use crate::solver::local_global::{PIECE, Vec4};
use pliant_linalg::Team;

/// How many corrections are kept.
pub(super) const KEPT: usize = 2;

/// A direction whose curvature is below this part of its own, once the others are taken out, is one of them but for rounding.
const INDEPENDENT: f64 = 1e-4;

/// The last corrections, the newest first.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    /// Where the present step began.
    start: Vec<Vec4>,
    /// With zeros at pinned vertices.
    corrections: [Vec<Vec4>; KEPT],
    products: [Vec<Vec4>; KEPT],
    known: usize,
    /// For each part the coefficients c, and the square of W c in the norm of H.
    coefficients: Vec<[f64; KEPT]>,
    squares: Vec<f64>,
}

impl Recent {
    /// For `n` vertices of which `free` can move, in so many parts.
    pub(super) fn new(n: usize, free: usize, parts: usize) -> Recent {
        let zeros = |n: usize| std::array::from_fn(|_| vec![Vec4::default(); n]);
        Recent {
            start: vec![Vec4::default(); free],
            corrections: zeros(n),
            products: zeros(free),
            known: 0,
            coefficients: vec![[0.0; KEPT]; parts],
            squares: vec![0.0; parts],
        }
    }

    /// A step begins at `q`, to which each part was turned by its motion: what is kept turns with it.
    pub(super) fn begin(&mut self, team: &Team, parts: &Parts, motions: &[RigidMotion], q: &[Vec4]) {
        copy(team, &mut self.start, q);
        if !parts.can_move() {
            return;
        }
        for w in &mut self.corrections[..self.known] {
            team.for_each_piece(&mut w[..self.start.len()], PIECE, |first, w| {
                for (k, w) in w.iter_mut().enumerate() {
                    *w = Vec4::new(motions[parts.of(first + k)].rotated(w.point()));
                }
            });
        }
    }

    /// Remembers that the step has ended at `q`.
    pub(super) fn remember(&mut self, team: &Team, q: &[Vec4]) {
        self.corrections.rotate_right(1);
        self.known = (self.known + 1).min(KEPT);
        let start = &self.start;
        team.for_each_piece(&mut self.corrections[0][..start.len()], PIECE, |first, w| {
            for (k, w) in w.iter_mut().enumerate() {
                *w = q[first + k] - start[first + k];
            }
        });
    }

    /// Forgets all of them; returns whether there were any.
    pub(super) fn forget(&mut self) -> bool {
        std::mem::take(&mut self.known) > 0
    }

    /// Writes them for the next step.
    pub(super) fn save(&self, out: &mut Writer) {
        out.u32(self.known as u32);
        for w in &self.corrections[..self.known] {
            w[..self.start.len()].iter().for_each(|w| out.point(w.point()));
        }
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(super) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        let known = from.u32()? as usize;
        if known > KEPT {
            return Err(SnapshotError::Impossible { what: "number of corrections" });
        }
        let free = self.start.len();
        for w in self.corrections[..known].iter_mut().flat_map(|w| &mut w[..free]) {
            *w = Vec4::new(from.point()?);
        }
        self.known = known;
        Ok(())
    }

    /// `step = W c` and `r -= H W c` for the residual `r` at `q`. Returns the square of the step of each part in the norm of H.
    pub(super) fn go(
        &mut self,
        input: &StepInput,
        forces: &mut Forces,
        parts: &mut Parts,
        q: &[Vec4],
        [r, step]: [&mut [Vec4]; 2],
    ) -> &[f64] {
        let team = input.team;
        let Recent { corrections, products, known, coefficients, squares, .. } = self;
        for (w, product) in corrections[..*known].iter().zip(&mut products[..*known]) {
            forces.product_into(input, q, w, product);
        }
        let (w, hw) = (&corrections[..*known], &products[..*known]);
        match (w, hw) {
            ([w], [hw]) => sum_products(team, parts, [w], [hw], r),
            ([w, w2], [hw, hw2]) => sum_products(team, parts, [w, w2], [hw, hw2], r),
            _ => {}
        }
        for ((c, square), sums) in coefficients.iter_mut().zip(&mut *squares).zip(parts.sums()) {
            (*c, *square) = best_within(sums, *known);
        }
        add_combination(team, step, w, |row| coefficients[parts.of(row)]);
        add_combination(team, r, hw, |row| coefficients[parts.of(row)].map(|c| -c));
        squares
    }
}

/// Sums the rows of the lower half of `W^T H W`, each with its entry of `W^T r` behind it.
fn sum_products<const N: usize>(
    team: &Team,
    parts: &mut Parts,
    w: [&Vec<Vec4>; N],
    hw: [&Vec<Vec4>; N],
    r: &[Vec4],
) {
    parts.sum(team, |_, row, sum| {
        for i in 0..N {
            let first = i * (i + 3) / 2;
            for j in 0..=i {
                sum[first + j] += dot(&w[i][row], &hw[j][row]);
            }
            sum[first + i + 1] += dot(&w[i][row], &r[row]);
        }
    });
}

/// Adds vectors, each with its coefficient at each row.
fn add_combination(
    team: &Team,
    to: &mut [Vec4],
    vectors: &[Vec<Vec4>],
    coefficients: impl Fn(usize) -> [f64; KEPT] + Sync,
) {
    team.for_each_piece(to, PIECE, |first, to| {
        for (k, to) in to.iter_mut().enumerate() {
            for (v, c) in vectors.iter().zip(coefficients(first + k)) {
                (0..4).for_each(|i| to.0[i] += c * v[first + k].0[i]);
            }
        }
    });
}

/// `c` with `G c = b` and `c . b`, from the rows of the lower half of G, each with its entry of b behind it. Directions that the ones
/// before them hold already are left out.
fn best_within(sums: &[f64], known: usize) -> ([f64; KEPT], f64) {
    let mut gram = [[0.0; KEPT]; KEPT];
    let mut rhs = [0.0; KEPT];
    let mut next = sums.iter();
    for i in 0..known {
        for j in 0..=i {
            gram[i][j] = next.next().copied().unwrap_or(0.0);
            gram[j][i] = gram[i][j];
        }
        rhs[i] = next.next().copied().unwrap_or(0.0);
    }
    // Elimination without a change of order: the newest correction comes first.
    let own: [f64; KEPT] = std::array::from_fn(|i| gram[i][i]);
    let mut pivots = [0.0; KEPT];
    let mut square = 0.0;
    for k in 0..known {
        // Not a number, zero and negative ones are no curvature either.
        let is_independent = gram[k][k] > INDEPENDENT * own[k] && own[k] > 0.0;
        if !is_independent {
            continue;
        }
        pivots[k] = gram[k][k];
        square += rhs[k] * rhs[k] / gram[k][k];
        for i in k + 1..known {
            let factor = gram[i][k] / gram[k][k];
            (k..known).for_each(|j| gram[i][j] -= factor * gram[k][j]);
            rhs[i] -= factor * rhs[k];
        }
    }
    let mut c = [0.0; KEPT];
    for k in (0..known).rev().filter(|&k| pivots[k] > 0.0) {
        let rest: f64 = (k + 1..known).map(|j| gram[k][j] * c[j]).sum();
        c[k] = (rhs[k] - rest) / pivots[k];
    }
    (c, square)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of the lower half of a Gram matrix, each with its entry of the right-hand side.
    fn rows(gram: [[f64; 2]; 2], rhs: [f64; 2]) -> [f64; 5] {
        [gram[0][0], rhs[0], gram[1][0], gram[1][1], rhs[1]]
    }

    #[test]
    fn the_best_step_solves_the_small_system() {
        let (c, square) = best_within(&rows([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0]), 2);
        assert!((c[0] - 1.0 / 11.0).abs() < 1e-15 && (c[1] - 7.0 / 11.0).abs() < 1e-15, "{c:?}");
        assert!((square - (c[0] + 2.0 * c[1])).abs() < 1e-15, "{square}");
    }

    #[test]
    fn the_same_direction_twice_counts_once() {
        let (c, square) = best_within(&rows([[4.0, 4.0], [4.0, 4.0]], [2.0, 2.0]), 2);
        assert_eq!((c, square), ([0.5, 0.0], 1.0));
    }

    #[test]
    fn directions_without_curvature_are_left_out() {
        assert_eq!(best_within(&rows([[0.0, 0.0], [0.0, 2.0]], [1.0, 4.0]), 2), ([0.0, 2.0], 8.0));
        assert_eq!(best_within(&rows([[-1.0, 0.0], [0.0, f64::NAN]], [1.0, 4.0]), 2), ([0.0; 2], 0.0));
    }
}
