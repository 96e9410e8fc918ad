//! Non-smooth Newton: one linear system for all contacts in each local-global iteration [Zeng25, sec. 5].
//!
//! With the indicators split off, `J = Omega H`, the system (22) is `(Omega W Omega + E) y = h - J A^-1 g` with the
//! operator W of the whole step (26).
//! Deviation: it is linearised where the bodies would be without a change of force instead of at the last iterate, so
//! that a contact which closes during the step is seen at once.

use super::frame::frame;
use super::one_contact::PointLaw;
use super::problem::Problem;
use crate::contact::operator::{Compliance, Delassus, Entries};
use crate::contact::{NonSmoothNewton, Preconditioner};
use bytemuck::{cast_slice, cast_slice_mut};
use pliant_linalg::dense::DenseCholesky;
use pliant_linalg::krylov::{Params, Scratch, conjugate_residuals};
use pliant_mesh::{DMat3, DVec3};

/// Memory of the method. The multipliers live for one step: the forces are the multipliers times the indicators. Vectors
/// have their components along the normal and the two tangents of a contact, one row of the system for each.
#[derive(Clone, Debug, Default)]
pub(super) struct NonSmoothNewtonMethod {
    multipliers: Vec<DVec3>,
    frames: Vec<DMat3>,
    omega: Vec<DVec3>,
    compliance: Vec<DVec3>,
    rhs: Vec<DVec3>,
    y: Vec<DVec3>,
    scratch: Scratch,
    /// Forces on the points, and what they do, along x, y and z.
    applied: Vec<DVec3>,
    moved: Vec<DVec3>,
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
        self.frames.extend(problem.contacts.iter().map(|c| frame(c.normal)));
        if self.multipliers.len() != problem.contacts.len() {
            self.multipliers.clear();
            let forces = problem.forces.iter().zip(&self.frames);
            self.multipliers.extend(forces.map(|(f, frame)| frame.transpose() * f));
        }
        self.linearise(problem, settings);
        self.right_hand_side(w, problem);
        self.y.clear();
        self.y.resize(self.rhs.len(), DVec3::ZERO);
    }

    /// Adds the solution to the multipliers; the forces are what the indicators let through.
    fn apply<C>(&mut self, problem: &mut Problem<C>) {
        for (i, (multiplier, force)) in self.multipliers.iter_mut().zip(&mut problem.forces).enumerate() {
            *multiplier += self.y[i] / problem.h2;
            *force = add_along(DVec3::ZERO, &self.frames[i], self.omega[i] * *multiplier);
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
                    [c.compliance.along(c.normal), c.compliance.across(c.normal)]
                }
                Preconditioner::MassInverse => [problem.by_mass[i]; 2],
            };
            // From where it is to stay, along the normal and the tangents.
            let moved = self.frames[i].transpose() * (c.free - c.start);
            if let PointLaw::Held(soft) = c.law {
                self.omega.push(DVec3::ONE);
                self.compliance.push(DVec3::splat(soft / problem.h2));
                self.rhs.push(-(moved + soft * self.multipliers[i]));
                continue;
            }
            let [normal, f1, f2] = self.multipliers[i].to_array();
            let gap = c.normal.dot(c.free) - c.offset;
            let row = settings.ncp.unilateral(gap, normal, r_normal);
            let speed = moved.y.hypot(moved.z) / h;
            // A smooth contact, or one that does not press, has no friction: its rows take the old force away.
            let rubs = normal > 0.0 && !c.friction.is_frictionless();
            let e = if rubs {
                let tangent = self.frames[i] * DVec3::new(0.0, f1, f2);
                let bound = c.friction.coefficient_along(tangent.normalize_or_zero()) * normal;
                settings.ncp.friction(speed, f1.hypot(f2), bound, r_tangent / h)
            } else {
                1.0
            };
            let omega = f64::from(u8::from(rubs));
            let friction = |slip: f64, force: f64| -(omega * slip + h * e * force);
            self.omega.push(DVec3::new(row.omega, omega, omega));
            self.compliance.push(DVec3::new(row.compliance / problem.h2, e / h, e / h));
            self.rhs.push(DVec3::new(-row.phi, friction(moved.y, f1), friction(moved.z, f2)));
        }
    }

    /// Takes away what the indicators changed about the forces since the positions were found.
    fn right_hand_side<W: Delassus>(&mut self, w: &mut W, problem: &Problem<W::Block>) {
        self.applied.clear();
        for (i, force) in problem.forces.iter().take(problem.contacts.len()).enumerate() {
            self.applied.push(add_along(-force, &self.frames[i], self.omega[i] * self.multipliers[i]));
        }
        self.moved.resize(problem.contacts.len(), DVec3::ZERO);
        w.products_into(self.applied.iter().copied().enumerate(), &mut self.moved);
        for (i, moved) in self.moved.iter().enumerate() {
            self.rhs[i] -= self.omega[i] * problem.h2 * (self.frames[i].transpose() * moved);
        }
    }

    fn solve_iteratively<W: Delassus>(&mut self, w: &mut W, iterations: usize) {
        let NonSmoothNewtonMethod { frames, omega, compliance, rhs, y, scratch, applied, moved, .. } = self;
        let mut apply = |x: &[f64], out: &mut [f64]| {
            let (x, out): (&[DVec3], &mut [DVec3]) = (cast_slice(x), cast_slice_mut(out));
            for (i, (frame, applied)) in frames.iter().zip(&mut *applied).enumerate() {
                *applied = add_along(DVec3::ZERO, frame, omega[i] * x[i]);
            }
            w.products_into(applied.iter().copied().enumerate(), moved);
            for (i, moved) in moved.iter().enumerate() {
                out[i] = omega[i] * (frames[i].transpose() * moved) + compliance[i] * x[i];
            }
        };
        let (rhs, y) = (cast_slice(rhs), cast_slice_mut(y));
        conjugate_residuals(&mut apply, rhs, y, Params { iterations, tolerance: 0.0 }, scratch);
    }

    fn solve_directly<W: Entries>(&mut self, w: &W) {
        let NonSmoothNewtonMethod { frames, omega, compliance, rhs, y, cholesky, .. } = self;
        let done = cholesky.factor(3 * rhs.len(), |column, rows| {
            let (j, b) = (column / 3, column % 3);
            for (k, a) in rows.iter_mut().enumerate() {
                let r = column + k;
                let (i, row) = (r / 3, r % 3);
                let entry = w.entry(j, i).scaled(omega[i][row]);
                *a = entry.between(frames[j].col(b), frames[i].col(row)) * omega[j][b];
            }
            // Rounded zeros of the operator must not make it indefinite.
            rows[0] += compliance[j][b] + 1e-7 * w.own(j).along(frames[j].col(b));
        });
        if done {
            y.copy_from_slice(rhs);
            cholesky.solve(cast_slice_mut(y));
        }
    }
}

/// `start` and a vector with these components in a frame, added one after the other.
fn add_along(start: DVec3, frame: &DMat3, components: DVec3) -> DVec3 {
    (0..3).fold(start, |sum, row| sum + components[row] * frame.col(row))
}
