//! Non-smooth Newton: one linear system for all contacts in each local-global iteration [Zeng25, sec. 5].
//!
//! With the indicators split off, `J = Omega H`, the system (22) is `(Omega W Omega + E) y = h - J A^-1 g` with the
//! operator W of the whole step (26).
//! Deviation: it is linearised where the bodies would be without a change of force instead of at the last iterate, so
//! that a contact which closes during the step is seen at once.

use super::Problem;
use super::coulomb::{OneContact, PointLaw};
use super::delassus::{Change, Delassus, PointRows};
use super::ncp::Ncp;
use super::unbuilt::products_by_solve;
use pliant_linalg::Team;
use pliant_linalg::dense::DenseCholesky;
use pliant_linalg::krylov::{Params, Scratch, conjugate_residuals};
use pliant_linalg::panels::{PanelFactor, PanelScratch};
use pliant_linalg::small::{cross, dot};
use pliant_mesh::Point;

/// Settings of the non-smooth Newton method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NonSmoothNewton {
    /// The function whose roots are sought.
    pub ncp: Ncp,
    /// What scales gaps and forces to each other.
    pub preconditioner: Preconditioner,
    /// How the linear system is solved.
    pub linear: LinearSolve,
    /// How its products are formed.
    pub operator: Operator,
}

impl Default for NonSmoothNewton {
    fn default() -> Self {
        NonSmoothNewton {
            ncp: Ncp::FischerBurmeister,
            preconditioner: Preconditioner::SystemInverse,
            linear: LinearSolve::ConjugateResiduals(10),
            operator: Operator::Automatic,
        }
    }
}

/// The complementarity preconditioner r of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preconditioner {
    /// `h^2 [H A^-1 H^T]_jj` [eq. (28)].
    SystemInverse,
    /// `h^2 [H M^-1 H^T]_jj` \[Macklin19\], for comparison.
    MassInverse,
}

/// How the linear system of the contacts is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearSolve {
    /// This many conjugate residual iterations.
    ConjugateResiduals(usize),
    /// A Cholesky factor of the three rows of all contacts.
    Direct,
}

/// How products with the Delassus operator are formed by the iterative linear solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// By what costs less.
    Automatic,
    /// With its entries, which are computed once.
    Built,
    /// By a global solve each.
    Unbuilt,
}

/// The operator, as the method uses it.
#[derive(Debug)]
pub enum Products<'a> {
    /// Its entries.
    Built(&'a Delassus),
    /// A solve for each product, and the points.
    Unbuilt(&'a Team, &'a PanelFactor, &'a mut PanelScratch, &'a [PointRows]),
}

impl Products<'_> {
    /// What forces on the points do to them, over h^2.
    fn of(&mut self, forces: &[Point], change: &mut Change, moved: &mut [[f32; 3]]) {
        match self {
            Products::Built(w) => {
                change.clear(w);
                forces.iter().enumerate().for_each(|(i, f)| change.add(w, i, f));
                w.products_into(change, moved);
            }
            Products::Unbuilt(team, factor, scratch, points) => {
                products_by_solve(team, (*factor, &mut **scratch), points, forces, moved);
            }
        }
    }
}

/// Memory of the method. The multipliers live for one step: the forces are the multipliers times the indicators.
#[derive(Debug, Default)]
pub struct Newton {
    multipliers: Vec<Point>,
    frames: Vec<[Point; 3]>,
    omega: Vec<f64>,
    compliance: Vec<f64>,
    rhs: Vec<f64>,
    y: Vec<f64>,
    scratch: Scratch,
    change: Change,
    /// Forces on the points, and what they do.
    applied: Vec<Point>,
    moved: Vec<[f32; 3]>,
    cholesky: DenseCholesky,
}

impl Newton {
    /// Forgets the multipliers: a new step begins.
    pub fn begin(&mut self) {
        self.multipliers.clear();
    }

    /// One Newton step. `by_mass` has `h^2 [C M^-1 C^T]_ii` of each contact.
    pub fn solve(
        &mut self,
        mut w: Products,
        problem: &mut Problem,
        settings: &NonSmoothNewton,
        by_mass: &[f64],
    ) {
        self.frames.clear();
        self.frames.extend(problem.contacts.iter().map(|c| frame(&c.normal)));
        if self.multipliers.len() != problem.contacts.len() {
            self.multipliers.clear();
            let forces = problem.forces.iter().zip(&self.frames);
            self.multipliers.extend(forces.map(|(f, frame)| frame.map(|d| dot(&d, f))));
        }
        self.linearise(problem, settings, by_mass);
        self.right_hand_side(&mut w, problem);
        self.y.clear();
        self.y.resize(self.rhs.len(), 0.0);
        match (settings.linear, &mut w) {
            (LinearSolve::Direct, Products::Built(w)) => self.solve_directly(w),
            (LinearSolve::ConjugateResiduals(iterations), w) => self.solve_iteratively(w, iterations),
            // The caller builds the operator for a direct solution.
            (LinearSolve::Direct, Products::Unbuilt(..)) => {}
        }
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
    fn linearise(&mut self, problem: &Problem, settings: &NonSmoothNewton, by_mass: &[f64]) {
        let h = problem.h2.sqrt();
        self.omega.clear();
        self.compliance.clear();
        self.rhs.clear();
        for (i, c) in problem.contacts.iter().enumerate() {
            let r = match settings.preconditioner {
                Preconditioner::SystemInverse => c.compliance,
                Preconditioner::MassInverse => by_mass[i],
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
            let row = settings.ncp.unilateral(gap, normal, r);
            self.omega.push(row.omega);
            self.compliance.push(row.compliance / problem.h2);
            self.rhs.push(-row.phi);
            let slip = slip(c, &self.frames[i]);
            let speed = slip[0].hypot(slip[1]) / h;
            // A smooth contact, or one that does not press, has no friction: its rows take the old force away.
            let rubs = normal > 0.0 && c.friction > 0.0;
            let e = if rubs {
                settings.ncp.friction(speed, f1.hypot(f2), c.friction * normal, r / h)
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
    fn right_hand_side(&mut self, w: &mut Products, problem: &Problem) {
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
        w.of(&self.applied, &mut self.change, &mut self.moved);
        for (i, moved) in self.moved.iter().enumerate() {
            let moved = moved.map(f64::from);
            for row in 0..3 {
                self.rhs[3 * i + row] -=
                    self.omega[3 * i + row] * problem.h2 * dot(&self.frames[i][row], &moved);
            }
        }
    }

    fn solve_iteratively(&mut self, w: &mut Products, iterations: usize) {
        let Newton { frames, omega, compliance, rhs, y, scratch, change, applied, moved, .. } = self;
        let mut apply = |x: &[f64], out: &mut [f64]| {
            for (i, (frame, applied)) in frames.iter().zip(&mut *applied).enumerate() {
                *applied = [0.0; 3];
                for row in 0..3 {
                    let f = omega[3 * i + row] * x[3 * i + row];
                    *applied = std::array::from_fn(|k| applied[k] + f * frame[row][k]);
                }
            }
            w.of(applied, change, moved);
            for (i, moved) in moved.iter().enumerate() {
                let moved = moved.map(f64::from);
                for row in 0..3 {
                    let r = 3 * i + row;
                    out[r] = omega[r] * dot(&frames[i][row], &moved) + compliance[r] * x[r];
                }
            }
        };
        conjugate_residuals(&mut apply, rhs, y, Params { iterations, tolerance: 0.0 }, scratch);
    }

    fn solve_directly(&mut self, w: &Delassus) {
        let Newton { frames, omega, compliance, rhs, y, cholesky, .. } = self;
        let n = rhs.len();
        let done = cholesky.factor(n, |column, rows| {
            let (j, b) = (column / 3, column % 3);
            for (k, a) in rows.iter_mut().enumerate() {
                let r = column + k;
                let (i, row) = (r / 3, r % 3);
                *a = omega[r] * w.entry(j, i) * dot(&frames[i][row], &frames[j][b]) * omega[column];
            }
            // Rounded zeros of the operator must not make it indefinite.
            rows[0] += compliance[column] + 1e-7 * w.entry(j, j);
        });
        if done {
            y.copy_from_slice(rhs);
            cholesky.solve(y);
        }
    }
}

/// Sliding since the start of the step along the two tangents, m.
fn slip(c: &OneContact, frame: &[Point; 3]) -> [f64; 2] {
    let moved: Point = std::array::from_fn(|k| c.free[k] - c.start[k]);
    [dot(&frame[1], &moved), dot(&frame[2], &moved)]
}

/// A right-handed frame with the normal as its first direction.
fn frame(n: &Point) -> [Point; 3] {
    // The axis that is farthest from the normal gives the best conditioned tangent.
    let size = n.map(f64::abs);
    let axis = if size[0] <= size[1] && size[0] <= size[2] {
        [1.0, 0.0, 0.0]
    } else if size[1] <= size[2] {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let t = cross(n, &axis);
    let length = dot(&t, &t).sqrt();
    let t = t.map(|x| x / length);
    [*n, t, cross(n, &t)]
}
