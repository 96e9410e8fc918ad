//! The metric of the Newton iteration: `B = P (A^-1 + s s^T) P^T + Z E^-1 Z^T` (see [`parts`](super::parts) for the rigid
//! motions and [`normals`](super::normals) for s), and the same with what conjugate gradients have learnt of the true
//! Hessian.
//!
//! CG finds H-conjugate directions p with `y = H p`. The BFGS updates of B by all of them at once are
//!
//! ```text
//! B' = (1 - P D^-1 Y^T) B (1 - Y D^-1 P^T) + P D^-1 P^T,   D = diag(p . y)
//!    = B - P D^-1 (B Y)^T - (B Y) D^-1 P^T + P D^-1 (D + Y^T B Y) D^-1 P^T
//! ```
//!
//! positive definite whatever the rounding. `B y = (z_old - z_new) / alpha` comes out of CG without a solve, and
//! `Y^T B Y` is tridiagonal, since residuals are B-orthogonal. Every part has its own step lengths: bodies do not wait for
//! each other.

use super::global::Global;
use super::normals::Normals;
use super::parts::{Parts, Sums, add3, get3};
use super::{PIECE, Vec4};
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};

/// Most pairs that CG may give.
pub(super) const PAIRS: usize = 5;

/// Columns of the update of `A^-1`: three rotations, what A and s make of them; where there is s, three translations and
/// what s makes of them; and the pairs.
const TURNS: usize = 6;
const SHIFTS: usize = 6;

/// The metric at the present iterate.
#[derive(Clone, Debug)]
pub(super) struct Metric {
    global: Global,
    pub(super) parts: Parts,
    normals: Normals,
    /// Whether s is part of the metric.
    across: bool,
    turns: Vec<Turn>,
    /// `A^-1 N y`, where contacts ask for it.
    lagging: Vec<Vec4>,
    /// `Z^T N A^-1 N Z` of each part.
    coupling: Vec<DMat3>,
    /// The same with s s^T, for rotations, translations and between them.
    across_coupling: Vec<AcrossCoupling>,
    pairs: Vec<Pair>,
    used: usize,
    coefficients: Vec<[[f64; 2]; PAIRS]>,
    unused: Vec<f64>,
}

/// A direction p of CG, and B H p.
#[derive(Clone, Debug, Default)]
struct Pair {
    p: Vec<Vec4>,
    by: Vec<Vec4>,
    /// What they are to each part.
    numbers: Vec<Numbers>,
}

/// `R^T N s s^T N R` of a part, R its rotations and its translations.
#[derive(Clone, Copy, Debug, Default)]
struct AcrossCoupling {
    turn: DMat3,
    shift: DMat3,
    turn_by_shift: DMat3,
}

/// What acts on a part as a whole, and how it moves as a whole.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    force: DVec3,
    torque: DVec3,
    omega: DVec3,
    shift: DVec3,
}

/// A pair in a part; all zero where the part has no such pair.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    /// Step of CG along p.
    alpha: f64,
    /// 1 / p.y
    inverse: f64,
    /// y.B y
    own: f64,
    /// y.B y' with the next pair.
    next: f64,
}

impl Metric {
    /// For a complete solver and its parts.
    pub(super) fn new(global: Global, parts: Parts, normals: Normals, free: usize) -> Metric {
        let count = parts.len();
        let pair = || Pair {
            p: vec![Vec4::default(); free],
            by: vec![Vec4::default(); free],
            numbers: vec![Numbers::default(); count],
        };
        Metric {
            global,
            turns: vec![Turn::default(); count],
            lagging: vec![Vec4::default(); free],
            coupling: vec![DMat3::ZERO; count],
            across_coupling: vec![AcrossCoupling::default(); count],
            pairs: (0..PAIRS).map(|_| pair()).collect(),
            used: 0,
            coefficients: vec![[[0.0; 2]; PAIRS]; count],
            unused: vec![0.0; count],
            parts,
            normals,
            across: false,
        }
    }

    /// Goes to positions `q` and forgets all pairs. `across` says whether cloth moves across its plane as easily as it
    /// does, in motions by about so many m, or as A says.
    pub(super) fn begin(&mut self, team: &Team, q: &[Vec4], across: Option<f64>) {
        self.parts.refresh(team, q);
        self.used = 0;
        self.across = across.is_some() && !self.normals.is_empty();
        if let Some(reach) = across {
            self.normals.refresh(team, q, reach);
        }
    }

    /// Lets cloth move across its plane as A says; returns whether it did not.
    pub(super) fn forget_normals(&mut self) -> bool {
        std::mem::take(&mut self.across)
    }

    /// Which rows are of cloth, and the parts.
    pub(super) fn cloth_and_parts(&mut self) -> (impl Fn(usize) -> bool + Sync + '_, &mut Parts) {
        let Metric { normals, parts, .. } = self;
        (|row| normals.is_cloth(row), parts)
    }

    /// s of a row, if it is part of the metric.
    pub(super) fn spike(&self, row: usize) -> Option<DVec3> {
        self.across.then(|| self.normals.spike(row))
    }

    /// Forgets all pairs; returns whether there were any.
    pub(super) fn forget_pairs(&mut self) -> bool {
        std::mem::take(&mut self.used) > 0
    }

    /// `z = B r` at positions `q`, and `r.z` of each part into `rho`.
    pub(super) fn apply(&mut self, team: &Team, q: &[Vec4], r: &[Vec4], z: &mut [Vec4], rho: &mut [f64]) {
        if !self.parts.can_move() {
            return self.apply_held(team, r, z, rho);
        }
        let Metric { global, parts, normals, across, turns, .. } = self;
        parts.sum_arms(team, q, |_, y, row, sum| {
            let r = r[row].point();
            add3(sum, 0, r);
            add3(sum, 3, y.cross(r));
        });
        for ((turn, frame), sum) in turns.iter_mut().zip(parts.frames()).zip(parts.sums()) {
            let (force, torque) = (get3(sum, 0), get3(sum, 3));
            *turn = Turn { force, torque, omega: frame.inverse * torque, shift: DVec3::ZERO };
        }
        let arm = |part: usize, row: usize| q[row].point() - parts.frames()[part].center;
        // P^T r = r - N Z E^-1 Z^T r.
        let without_torque = |row: usize| {
            let part = parts.of(row);
            let mut rhs = r[row];
            rhs += -parts.inertia(row) * turns[part].omega.cross(arm(part, row));
            rhs
        };
        global.solve(team, without_torque, z);
        if *across {
            team.for_each_piece(z, PIECE, |first, z| {
                for (k, z) in z.iter_mut().enumerate() {
                    let row = first + k;
                    let (spike, frame) = (normals.spike(row), &parts.frames()[parts.of(row)]);
                    let along = spike.dot(without_torque(row).point());
                    let carried =
                        parts.inertia(row) * frame.inverse_mass() * spike.dot(turns[parts.of(row)].force);
                    *z += (along - carried) * spike;
                }
            });
        }
        parts.sum_arms(team, q, |n, y, row, sum| {
            let x = z[row].point();
            add3(sum, 0, n * x);
            add3(sum, 3, n * y.cross(x));
            sum[6] += r[row].point().dot(x);
        });
        for ((turn, frame), (sum, rho)) in
            turns.iter_mut().zip(parts.frames()).zip(parts.sums().iter().zip(rho))
        {
            turn.omega -= frame.inverse * get3(sum, 3);
            // Translations are exact in A; this takes out the rounding of the solve.
            if frame.mass > 0.0 {
                turn.shift = (turn.force - get3(sum, 0)) / frame.mass;
            }
            *rho = sum[6] + turn.omega.dot(turn.torque) + turn.shift.dot(turn.force);
        }
        let (parts, turns) = (&*parts, &*turns);
        team.for_each_piece(z, PIECE, |first, z| {
            for (k, z) in z.iter_mut().enumerate() {
                let row = first + k;
                let part = parts.of(row);
                let y = q[row].point() - parts.frames()[part].center;
                *z += turns[part].omega.cross(y) + turns[part].shift;
            }
        });
    }

    /// [`apply`](Self::apply) where pins hold all parts.
    fn apply_held(&mut self, team: &Team, r: &[Vec4], z: &mut [Vec4], rho: &mut [f64]) {
        let Metric { global, parts, normals, across, .. } = self;
        global.solve(team, |row| r[row], z);
        if *across {
            team.for_each_piece(z, PIECE, |first, z| {
                for (k, z) in z.iter_mut().enumerate() {
                    let spike = normals.spike(first + k);
                    *z += spike.dot(r[first + k].point()) * spike;
                }
            });
        }
        parts.sum(team, |_, row, sum| sum[0] += dot(&r[row], &z[row]));
        parts.sums().iter().zip(rho).for_each(|(sum, rho)| *rho = sum[0]);
    }

    /// Remembers a direction before CG goes along it.
    pub(super) fn remember_direction(&mut self, team: &Team, p: &[Vec4]) {
        copy(team, &mut self.pairs[self.used].p, p);
    }

    /// Remembers what the step `alpha` of each part along the last direction did to `z = B r`. `rho` is `r.z` of each part
    /// before and after.
    pub(super) fn remember_response(
        &mut self,
        team: &Team,
        [old, new]: [&[Vec4]; 2],
        alpha: &[f64],
        [rho, rho_new]: [&[f64]; 2],
    ) {
        let Metric { parts, pairs, used, .. } = self;
        let (before, rest) = pairs.split_at_mut(*used);
        let pair = &mut rest[0];
        for (part, &alpha) in alpha.iter().enumerate() {
            pair.numbers[part] = Numbers::default();
            if alpha == 0.0 {
                continue;
            }
            // With r' = r - alpha y and residuals that are B-orthogonal: y.B y = (r.z + r'.z') / alpha^2, and
            // y.B y' = - r'.z' / (alpha alpha').
            pair.numbers[part] = Numbers {
                alpha,
                inverse: alpha / rho[part],
                own: (rho[part] + rho_new[part]) / (alpha * alpha),
                next: 0.0,
            };
            if let Some(Numbers { alpha: last, next, .. }) = before.last_mut().map(|b| &mut b.numbers[part])
                && *last > 0.0
            {
                *next = -rho[part] / (*last * alpha);
            }
        }
        team.for_each_piece(&mut pair.by, PIECE, |first, by| {
            for (k, by) in by.iter_mut().enumerate() {
                let row = first + k;
                let a = alpha[parts.of(row)];
                let scale = if a > 0.0 { 1.0 / a } else { 0.0 };
                by.0 = std::array::from_fn(|c| scale * (old[row].0[c] - new[row].0[c]));
            }
        });
        *used += 1;
    }

    /// `z = B' c` with all pairs.
    pub(super) fn apply_updated(&mut self, team: &Team, q: &[Vec4], c: &[Vec4], z: &mut [Vec4]) {
        let mut rho = std::mem::take(&mut self.unused);
        self.apply(team, q, c, z, &mut rho);
        self.unused = rho;
        if self.used == 0 {
            return;
        }
        let Metric { parts, pairs, used, coefficients, .. } = self;
        let pairs = &pairs[..*used];
        parts.sum(team, |_, row, sum| {
            let c = c[row];
            if c == Vec4::default() {
                return;
            }
            for (k, pair) in pairs.iter().enumerate() {
                sum[2 * k] += dot(&pair.p[row], &c);
                sum[2 * k + 1] += dot(&pair.by[row], &c);
            }
        });
        for (part, (of_part, sum)) in coefficients.iter_mut().zip(parts.sums()).enumerate() {
            let a = |k: usize| sum[2 * k] * pairs[k].numbers[part].inverse;
            for k in 0..pairs.len() {
                let Numbers { inverse, own, next, .. } = pairs[k].numbers[part];
                let mut gram = own * a(k);
                if k + 1 < pairs.len() {
                    gram += next * a(k + 1);
                }
                if k > 0 {
                    gram += pairs[k - 1].numbers[part].next * a(k - 1);
                }
                of_part[k] = [a(k) + inverse * (gram - sum[2 * k + 1]), -a(k)];
            }
        }
        team.for_each_piece(z, PIECE, |first, z| {
            for (k, z) in z.iter_mut().enumerate() {
                let row = first + k;
                for (pair, [by_p, by_y]) in pairs.iter().zip(&coefficients[parts.of(row)]) {
                    for c in 0..4 {
                        z.0[c] += by_p * pair.p[row].0[c] + by_y * pair.by[row].0[c];
                    }
                }
            }
        });
    }

    /// Computes what the contact operator needs of rigid motions.
    pub(super) fn prepare_update(&mut self, team: &Team, q: &[Vec4]) {
        self.prepare_turns(team, q);
        if self.across {
            self.prepare_across(team, q);
        }
    }

    /// `R^T N s s^T N R`.
    fn prepare_across(&mut self, team: &Team, q: &[Vec4]) {
        let Metric { parts, normals, across_coupling, .. } = self;
        let add_product = |sum: &mut Sums, first: usize, a: DVec3, b: DVec3| {
            add3(sum, first, a.x * b);
            add3(sum, first + 3, a.y * b);
            add3(sum, first + 6, a.z * b);
        };
        let product = |sum: &Sums| DMat3::from_cols(get3(sum, 0), get3(sum, 3), get3(sum, 6)).transpose();
        for k in 0..3 {
            parts.sum_arms(team, q, |n, y, row, sum| {
                let s = normals.spike(row);
                let (shift, turn) = (n * s, n * y.cross(s));
                let (a, b) = [(turn, turn), (shift, shift), (turn, shift)][k];
                add_product(sum, 0, a, b);
            });
            for (coupling, sum) in across_coupling.iter_mut().zip(parts.sums()) {
                *[&mut coupling.turn, &mut coupling.shift, &mut coupling.turn_by_shift][k] = product(sum);
            }
        }
    }

    /// `A^-1 N y` and `Z^T N A^-1 N Z`.
    fn prepare_turns(&mut self, team: &Team, q: &[Vec4]) {
        let Metric { global, parts, lagging, coupling, .. } = self;
        if !parts.can_turn() {
            return;
        }
        let weighted_arm = |row: usize| {
            let y = q[row].point() - parts.frames()[parts.of(row)].center;
            Vec4::new(parts.inertia(row) * y)
        };
        global.solve(team, weighted_arm, lagging);
        parts.sum_arms(team, q, |n, y, row, sum| {
            let other = lagging[row].point();
            add3(sum, 0, n * y.x * other);
            add3(sum, 3, n * y.y * other);
            add3(sum, 6, n * y.z * other);
        });
        for (g, sum) in coupling.iter_mut().zip(parts.sums()) {
            let t = DMat3::from_cols(get3(sum, 0), get3(sum, 3), get3(sum, 6));
            let t = (t + t.transpose()) * 0.5;
            *g = DMat3::IDENTITY * (t.x_axis.x + t.y_axis.y + t.z_axis.z) - t;
        }
    }

    /// Number of columns of the update: `B' = A^-1 + U S U^T` for each part.
    pub(super) fn rank(&self) -> usize {
        self.rigid() + 2 * self.used
    }

    /// Number of columns that are there without any pairs.
    fn rigid(&self) -> usize {
        if self.across { TURNS + SHIFTS } else { TURNS }
    }

    /// The columns of U at a row, after [`prepare_update`](Self::prepare_update).
    pub(super) fn columns(&self, q: &[Vec4], row: usize, out: &mut [DVec3]) {
        let y = q[row].point() - self.parts.frames()[self.parts.of(row)].center;
        let turned = |y: DVec3| [DVec3::X.cross(y), DVec3::Y.cross(y), DVec3::Z.cross(y)];
        out[..3].copy_from_slice(&turned(y));
        out[3..6].copy_from_slice(&turned(self.lagging[row].point()));
        if self.across {
            let (n, s) = (self.parts.inertia(row), self.normals.spike(row));
            for (k, turned) in turned(y).into_iter().enumerate() {
                out[3 + k] += n * s.dot(turned) * s;
                out[TURNS + k] = DVec3::AXES[k];
                out[TURNS + 3 + k] = n * s[k] * s;
            }
        }
        let first = self.rigid();
        for (k, pair) in self.pairs[..self.used].iter().enumerate() {
            out[first + k] = pair.p[row].point();
            out[first + self.used + k] = pair.by[row].point();
        }
    }

    /// The entries of S of a part between translations, what s makes of them, and rotations.
    fn write_shifts(&self, part: usize, s: &mut [f64]) {
        let (rank, frame) = (self.rank(), &self.parts.frames()[part]);
        let AcrossCoupling { shift, turn_by_shift, .. } = self.across_coupling[part];
        let light = frame.inverse_mass();
        let mixed = frame.inverse * turn_by_shift * light;
        for i in 0..3 {
            for j in 0..3 {
                s[(TURNS + i) * rank + TURNS + j] = light * light * shift.col(j)[i];
                s[i * rank + TURNS + j] = mixed.col(j)[i];
                s[(TURNS + j) * rank + i] = mixed.col(j)[i];
            }
            s[(TURNS + i) * rank + TURNS + 3 + i] = -light;
            s[(TURNS + 3 + i) * rank + TURNS + i] = -light;
        }
    }

    /// S of all parts, row by row.
    pub(super) fn cores_into(&self, s: &mut Vec<f64>) {
        let rank = self.rank();
        s.clear();
        s.resize(rank * rank * self.parts.len(), 0.0);
        for (part, s) in s.chunks_exact_mut(rank * rank).enumerate() {
            let inverse = self.parts.frames()[part].inverse;
            let mut coupling = self.coupling[part];
            if self.across {
                coupling += self.across_coupling[part].turn;
                self.write_shifts(part, s);
            }
            let own = inverse + inverse * coupling * inverse;
            for i in 0..3 {
                for j in 0..3 {
                    s[i * rank + j] = own.col(j)[i];
                    s[i * rank + 3 + j] = -inverse.col(j)[i];
                    s[(3 + i) * rank + j] = -inverse.col(j)[i];
                }
            }
            let (p, by) = (self.rigid(), self.rigid() + self.used);
            for (k, pair) in self.pairs[..self.used].iter().enumerate() {
                let Numbers { inverse: d, own, next, .. } = pair.numbers[part];
                s[(p + k) * rank + p + k] = d + d * own * d;
                s[(p + k) * rank + by + k] = -d;
                s[(by + k) * rank + p + k] = -d;
                if k + 1 < self.used {
                    let coupled = d * next * self.pairs[k + 1].numbers[part].inverse;
                    s[(p + k) * rank + p + k + 1] = coupled;
                    s[(p + k + 1) * rank + p + k] = coupled;
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn dot(a: &Vec4, b: &Vec4) -> f64 {
    a.0[0] * b.0[0] + a.0[1] * b.0[1] + a.0[2] * b.0[2]
}

/// The longest vector; not a number if one is not.
pub(super) fn longest(team: &Team, v: &[Vec4], pieces: &mut [f64]) -> f64 {
    team.for_each_mut(pieces, |k, longest| {
        let piece = &v[k * PIECE..((k + 1) * PIECE).min(v.len())];
        *longest = piece.iter().map(Vec4::norm_sq).fold(0.0, |a: f64, b| if a >= b { a } else { b });
    });
    pieces.iter().fold(0.0, |a: f64, b| if a >= *b { a } else { *b }).sqrt()
}

/// `to += scale from`, with a scale for each row.
pub(super) fn add_scaled(team: &Team, to: &mut [Vec4], from: &[Vec4], scale: impl Fn(usize) -> f64 + Sync) {
    team.for_each_piece(to, PIECE, |first, to| {
        for (k, to) in to.iter_mut().enumerate() {
            let scale = scale(first + k);
            (0..4).for_each(|c| to.0[c] += scale * from[first + k].0[c]);
        }
    });
}

/// `v *= by`.
pub(super) fn scale(team: &Team, v: &mut [Vec4], by: f64) {
    team.for_each_piece(v, PIECE, |_, v| v.iter_mut().for_each(|v| v.0 = v.0.map(|x| by * x)));
}

/// Copies a long vector.
pub(super) fn copy(team: &Team, to: &mut [Vec4], from: &[Vec4]) {
    team.for_each_piece(to, PIECE, |first, to| to.copy_from_slice(&from[first..first + to.len()]));
}

#[cfg(test)]
mod tests;
