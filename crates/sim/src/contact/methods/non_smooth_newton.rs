//! Non-smooth Newton: one linear system for all contacts in each local-global iteration [Zeng25, sec. 5].
//!
//! With the indicators split off, `J = Omega H`, the system (22) is `(Omega W Omega + E) y = h - J A^-1 g` with the
//! operator W of the whole step (26).
//! Deviation: it is linearised where the bodies would be without a change of force instead of at the last iterate, so
//! that a contact which closes during the step is seen at once.

use super::frame::frame;
use super::one_contact::{OneContact, PointLaw};
use super::problem::Problem;
use crate::contact::operator::{Compliance, Delassus, Entries};
use crate::contact::{NonSmoothNewton, Preconditioner};
use pliant_linalg::dense::DenseCholesky;
use pliant_linalg::krylov::{Params, Scratch, conjugate_residuals};
use pliant_linalg::small::dot;
use pliant_mesh::Point;

/// Memory of the method. The multipliers live for one step: the forces are the multipliers times the indicators.
#[derive(Clone, Debug, Default)]
pub(super) struct NonSmoothNewtonMethod {
    multipliers: Vec<Point>,
    frames: Vec<[Point; 3]>,
    omega: Vec<f64>,
    compliance: Vec<f64>,
    rhs: Vec<f64>,
    y: Vec<f64>,
    scratch: Scratch,
    /// Forces on the points, and what they do.
    applied: Vec<Point>,
    moved: Vec<Point>,
    cholesky: DenseCholesky,
}

impl NonSmoothNewtonMethod {
    /// Forgets the multipliers: a new step begins.
    pub(super) fn begin(&mut self) {
        self.multipliers.clear();
    }

    /// One Newton step whose linear system is solved by this many conjugate residual iterations.
    pub(super) fn step<W: Delassus>(
        &mut self,
        w: &mut W,
        problem: &mut Problem<W::Block>,
        settings: &NonSmoothNewton,
        iterations: usize,
    ) {
        self.prepare(w, problem, settings);
        self.solve_iteratively(w, iterations);
        self.apply(problem);
    }

    /// One Newton step whose linear system is factored.
    pub(super) fn step_directly<W: Entries>(
        &mut self,
        w: &mut W,
        problem: &mut Problem<W::Block>,
        settings: &NonSmoothNewton,
    ) {
        self.prepare(w, problem, settings);
        self.solve_directly(w);
        self.apply(problem);
    }

    /// The linear system at the positions of the problem.
    fn prepare<W: Delassus>(&mut self, w: &mut W, problem: &Problem<W::Block>, settings: &NonSmoothNewton) {
        self.frames.clear();
        self.frames.extend(problem.contacts.iter().map(|c| frame(&c.normal)));
        if self.multipliers.len() != problem.contacts.len() {
            self.multipliers.clear();
            let forces = problem.forces.iter().zip(&self.frames);
            self.multipliers.extend(forces.map(|(f, frame)| frame.map(|d| dot(&d, f))));
        }
        self.linearise(problem, settings);
        self.right_hand_side(w, problem);
        self.y.clear();
        self.y.resize(self.rhs.len(), 0.0);
    }

    /// Adds the solution to the multipliers; the forces are what the indicators let through.
    fn apply<C>(&mut self, problem: &mut Problem<C>) {
        for (i, (multiplier, force)) in self.multipliers.iter_mut().zip(&mut problem.forces).enumerate() {
            *force = [0.0; 3];
            for row in 0..3 {
                multiplier[row] += self.y[3 * i + row] / problem.h2;
                let applied = self.omega[3 * i + row] * multiplier[row];
                for k in 0..3 {
                    force[k] += applied * self.frames[i][row][k];
                }
            }
        }
    }

    /// Indicators, compliances and values of all rows at the positions of the problem; the values go to `rhs`.
    fn linearise<C: Compliance>(&mut self, problem: &Problem<C>, settings: &NonSmoothNewton) {
        let h = problem.h2.sqrt();
        self.omega.clear();
        self.compliance.clear();
        self.rhs.clear();
        for (i, c) in problem.contacts.iter().enumerate() {
            let [r_normal, r_tangent] = match settings.preconditioner {
                Preconditioner::SystemInverse => {
                    [c.compliance.along(&c.normal), c.compliance.across(&c.normal)]
                }
                Preconditioner::MassInverse => [problem.by_mass[i]; 2],
            };
            if let PointLaw::Held(soft) = c.law {
                for (row, d) in self.frames[i].iter().enumerate() {
                    let apart: Point = std::array::from_fn(|k| c.free[k] - c.start[k]);
                    self.omega.push(1.0);
                    self.compliance.push(soft / problem.h2);
                    self.rhs.push(-(dot(d, &apart) + soft * self.multipliers[i][row]));
                }
                continue;
            }
            let [normal, f1, f2] = self.multipliers[i];
            let gap = dot(&c.normal, &c.free) - c.offset;
            let row = settings.ncp.unilateral(gap, normal, r_normal);
            self.omega.push(row.omega);
            self.compliance.push(row.compliance / problem.h2);
            self.rhs.push(-row.phi);
            let slip = slip(c, &self.frames[i]);
            let speed = slip[0].hypot(slip[1]) / h;
            // A smooth contact, or one that does not press, has no friction: its rows take the old force away.
            let rubs = normal > 0.0 && !c.friction.is_frictionless();
            let e = if rubs {
                settings.ncp.friction(speed, f1.hypot(f2), c.friction.bound(normal), r_tangent / h)
            } else {
                1.0
            };
            for (s, f) in slip.into_iter().zip([f1, f2]) {
                let omega = f64::from(u8::from(rubs));
                self.omega.push(omega);
                self.compliance.push(e / h);
                self.rhs.push(-(omega * s + h * e * f));
            }
        }
    }

    /// Takes away what the indicators changed about the forces since the positions were found.
    fn right_hand_side<W: Delassus>(&mut self, w: &mut W, problem: &Problem<W::Block>) {
        self.applied.clear();
        for (i, force) in problem.forces.iter().take(problem.contacts.len()).enumerate() {
            let mut applied = force.map(|f| -f);
            for row in 0..3 {
                let f = self.omega[3 * i + row] * self.multipliers[i][row];
                for k in 0..3 {
                    applied[k] += f * self.frames[i][row][k];
                }
            }
            self.applied.push(applied);
        }
        self.moved.resize(problem.contacts.len(), [0.0; 3]);
        w.products_into(self.applied.iter().copied().enumerate(), &mut self.moved);
        for (i, moved) in self.moved.iter().enumerate() {
            for row in 0..3 {
                self.rhs[3 * i + row] -=
                    self.omega[3 * i + row] * problem.h2 * dot(&self.frames[i][row], moved);
            }
        }
    }

    fn solve_iteratively<W: Delassus>(&mut self, w: &mut W, iterations: usize) {
        let NonSmoothNewtonMethod { frames, omega, compliance, rhs, y, scratch, applied, moved, .. } = self;
        let mut apply = |x: &[f64], out: &mut [f64]| {
            for (i, (frame, applied)) in frames.iter().zip(&mut *applied).enumerate() {
                *applied = [0.0; 3];
                for row in 0..3 {
                    let f = omega[3 * i + row] * x[3 * i + row];
                    *applied = std::array::from_fn(|k| applied[k] + f * frame[row][k]);
                }
            }
            w.products_into(applied.iter().copied().enumerate(), moved);
            for (i, moved) in moved.iter().enumerate() {
                for row in 0..3 {
                    let r = 3 * i + row;
                    out[r] = omega[r] * dot(&frames[i][row], moved) + compliance[r] * x[r];
                }
            }
        };
        conjugate_residuals(&mut apply, rhs, y, Params { iterations, tolerance: 0.0 }, scratch);
    }

    fn solve_directly<W: Entries>(&mut self, w: &W) {
        let NonSmoothNewtonMethod { frames, omega, compliance, rhs, y, cholesky, .. } = self;
        let n = rhs.len();
        let done = cholesky.factor(n, |column, rows| {
            let (j, b) = (column / 3, column % 3);
            for (k, a) in rows.iter_mut().enumerate() {
                let r = column + k;
                let (i, row) = (r / 3, r % 3);
                let entry = w.entry(j, i).scaled(omega[r]);
                *a = entry.between(&frames[j][b], &frames[i][row]) * omega[column];
            }
            // Rounded zeros of the operator must not make it indefinite.
            rows[0] += compliance[column] + 1e-7 * w.own(j).along(&frames[j][b]);
        });
        if done {
            y.copy_from_slice(rhs);
            cholesky.solve(y);
        }
    }
}

/// Sliding since the start of the step along the two tangents, m.
fn slip<C>(c: &OneContact<C>, frame: &[Point; 3]) -> [f64; 2] {
    let moved: Point = std::array::from_fn(|k| c.free[k] - c.start[k]);
    [dot(&frame[1], &moved), dot(&frame[2], &moved)]
}
