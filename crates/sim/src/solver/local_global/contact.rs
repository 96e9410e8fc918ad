//! Contact within the iteration: forces enter the residual, and are corrected after each global step.
//!
//! The global step gives the positions that the forces of the last iteration would lead to. The contact problem
//! `(C A^-1 C^T)` then changes the forces so that nothing overlaps or slides as it should not, and a second solve
//! moves the bodies accordingly [Zeng25, algorithm 4]. Both solves are for increments that tend to zero.

use super::Vec4;
use super::global::Global;
use crate::contact::Contacts;
use crate::contact::Problem;
use crate::contact::active_set::ActiveSet;
use crate::contact::coulomb::OneContact;
use crate::contact::delassus::{Delassus, PointRows};
use crate::contact::gauss_seidel::GaussSeidel;
use crate::contact::newton::Newton;
use crate::solver::{ContactConfig, ContactMethod};
use pliant_collide::{Contact, Side};
use pliant_linalg::Team;
use pliant_linalg::panels::PanelSolver;
use pliant_linalg::small::dot;
use pliant_mesh::Point;

/// A change of force that moves its contact by less than this fraction of the size of the bodies is none.
const TOLERANCE: f64 = 1e-10;

/// Sweeps that guess what contacts do, before they are solved directly.
const GUESS_SWEEPS: usize = 4;

/// Linear systems of the direct solution in one iteration.
const ROUNDS: usize = 6;

/// The contact problem of the solver. Indices are in solver order.
#[derive(Debug)]
pub struct ContactStep {
    config: ContactConfig,
    h2: f64,
    /// Displacement that does not matter, m.
    tolerance: f64,
    delassus: Delassus,
    /// Where the linear solver has no panels, these serve the operator.
    panels: Option<Box<PanelSolver>>,
    /// Contacts that some free vertex takes part in, and their points.
    kept: Vec<u32>,
    points: Vec<PointRows>,
    problem: Problem,
    gauss_seidel: GaussSeidel,
    active_set: ActiveSet,
    newton: Newton,
    /// Masses of the free vertices, and `h^2 [C M^-1 C^T]_ii` of each contact.
    masses: Vec<f64>,
    by_mass: Vec<f64>,
    /// Forces of the kept contacts before the last solve.
    before: Vec<Point>,
    /// Positions in vertex order, up to date where contacts look.
    x: Vec<Point>,
}

impl ContactStep {
    /// For a solver with time step `h` and bodies of this `size`; `panels` if the linear solver has none.
    pub fn new(
        config: ContactConfig,
        panels: Option<PanelSolver>,
        masses: Vec<f64>,
        n: usize,
        h: f64,
        size: f64,
    ) -> ContactStep {
        ContactStep {
            config,
            h2: h * h,
            tolerance: TOLERANCE * size,
            delassus: Delassus::new(masses.len()),
            panels: panels.map(Box::new),
            kept: Vec::new(),
            points: Vec::new(),
            problem: Problem { h2: h * h, ..Problem::default() },
            gauss_seidel: GaussSeidel::default(),
            active_set: ActiveSet::default(),
            newton: Newton::default(),
            masses,
            by_mass: Vec::new(),
            before: Vec::new(),
            x: vec![[0.0; 3]; n],
        }
    }

    /// Builds the operator of a step.
    pub fn begin(
        &mut self,
        team: &Team,
        global: &Global,
        contacts: &Contacts,
        index_of: &[u32],
        q_t: &[Vec4],
    ) {
        self.kept.clear();
        self.points.clear();
        self.problem.contacts.clear();
        self.newton.begin();
        let free = self.masses.len();
        for (k, c) in contacts.contacts().iter().enumerate() {
            let mut point = PointRows::default();
            for (&v, &w) in c.vertices.iter().zip(&c.weights).take(c.count as usize) {
                let row = index_of[v as usize];
                if (row as usize) < free && w != 0.0 {
                    point.rows[point.count] = row;
                    point.weights[point.count] = w;
                    point.count += 1;
                }
            }
            if point.count > 0 {
                self.kept.push(k as u32);
                self.points.push(point);
            }
        }
        self.by_mass.clear();
        self.by_mass.extend(self.points.iter().map(|p| {
            let terms = p.rows.iter().zip(&p.weights).take(p.count);
            self.h2 * terms.map(|(&row, w)| w * w / self.masses[row as usize]).sum::<f64>()
        }));
        let Some(panels) = global.panels().or(self.panels.as_deref()) else { return };
        self.delassus.build(team, panels, &self.points);
        for (i, &k) in self.kept.iter().enumerate() {
            let c = &contacts.contacts()[k as usize];
            let place = self.delassus.index(i);
            let at_start = point_of(c, index_of, q_t);
            self.problem.contacts.push(OneContact {
                free: [0.0; 3],
                normal: c.normal,
                offset: 0.0,
                start: std::array::from_fn(|k| at_start[k] + c.anchor_motion[k]),
                compliance: self.h2 * f64::from(self.delassus.row(place)[place]),
                friction: contacts.friction()[k as usize],
            });
        }
    }

    /// Whether there is nothing to do in this step.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Adds `h^2 C^T f` of the present forces to the residual.
    pub fn add_forces(&self, contacts: &Contacts, residual: &mut [Vec4]) {
        for (&k, point) in self.kept.iter().zip(&self.points) {
            add_force(point, self.h2, &contacts.forces()[k as usize], residual);
        }
    }

    /// Finds the forces for positions `q`, which the old forces have led to.
    pub fn solve(&mut self, contacts: &mut Contacts, index_of: &[u32], q: &[Vec4]) {
        for c in contacts.contacts() {
            for &v in &c.vertices[..c.count as usize] {
                self.x[v as usize] = q[index_of[v as usize] as usize].point();
            }
        }
        contacts.refresh(&self.x);
        self.problem.forces.clear();
        for (&k, one) in self.kept.iter().zip(&mut self.problem.contacts) {
            let c = &contacts.contacts()[k as usize];
            one.free = c.point(&self.x);
            one.normal = c.normal;
            one.offset = dot(&c.normal, &c.anchor) + c.thickness;
            self.problem.forces.push(contacts.forces()[k as usize]);
        }
        self.before.clone_from(&self.problem.forces);
        self.solve_problem();
        for (&k, f) in self.kept.iter().zip(&self.problem.forces) {
            contacts.forces_mut()[k as usize] = *f;
        }
    }

    fn solve_problem(&mut self) {
        let direct = match self.config.method {
            ContactMethod::Automatic => self.kept.len() <= self.config.direct_up_to,
            ContactMethod::Direct => true,
            ContactMethod::GaussSeidel => false,
            ContactMethod::NonSmoothNewton(settings) => {
                self.newton.solve(&self.delassus, &mut self.problem, &settings, &self.by_mass);
                return;
            }
        };
        let sweeps = if direct { GUESS_SWEEPS } else { self.config.sweeps };
        let swept = self.gauss_seidel.solve(&self.delassus, &mut self.problem, sweeps, self.tolerance);
        if direct && swept.change > self.tolerance {
            let solved = self.active_set.solve(&self.delassus, &mut self.problem, &self.before, ROUNDS);
            if !solved {
                // From the best forces on: sweeps always end inside the cones of friction.
                self.gauss_seidel.go_on(
                    &self.delassus,
                    &mut self.problem,
                    &self.before,
                    self.config.sweeps,
                    self.tolerance,
                );
            }
        }
    }

    /// `h^2 C^T df` of the last change of the forces.
    pub fn changes_into(&self, residual: &mut [Vec4]) {
        residual.fill(Vec4::default());
        for ((point, new), old) in self.points.iter().zip(&self.problem.forces).zip(&self.before) {
            let change = std::array::from_fn(|k| new[k] - old[k]);
            add_force(point, self.h2, &change, residual);
        }
    }

    /// Bytes of the operator.
    pub fn bytes(&self) -> usize {
        self.delassus.bytes() + self.panels.as_ref().map_or(0, |p| p.bytes())
    }
}

/// Total force of the contacts on a body, N.
pub fn force_on_body(contacts: &Contacts, body: usize) -> Point {
    if contacts.is_empty() { [0.0; 3] } else { contacts.force_on(Side::Body(body as u32)) }
}

fn add_force(point: &PointRows, h2: f64, force: &Point, residual: &mut [Vec4]) {
    for (&row, &w) in point.rows.iter().zip(&point.weights).take(point.count) {
        for c in 0..3 {
            residual[row as usize].0[c] += h2 * w * force[c];
        }
    }
}

/// The point of a contact at positions `q` in solver order.
fn point_of(c: &Contact, index_of: &[u32], q: &[Vec4]) -> Point {
    let mut sum = [0.0; 3];
    for (&v, &w) in c.vertices.iter().zip(&c.weights).take(c.count as usize) {
        let x = &q[index_of[v as usize] as usize].0;
        for k in 0..3 {
            sum[k] += w * x[k];
        }
    }
    sum
}
