//! Contact within the iteration: forces enter the residual, and are corrected after each global step.
//!
//! The global step gives the positions that the forces of the last iteration would lead to. The contact problem
//! `(C A^-1 C^T)` then changes the forces so that nothing overlaps or slides as it should not, and a second solve
//! moves the bodies accordingly [Zeng25, algorithm 4]. Both solves are for increments that tend to zero. Attachments
//! and cables are rows of the same problem.

mod cables;
mod methods;

use super::{PIECE, Vec4};
use crate::contact::active_set::ActiveSet;
use crate::contact::coulomb::{OneContact, PointLaw};
use crate::contact::delassus::{Delassus, PointRows};
use crate::contact::gauss_seidel::GaussSeidel;
use crate::contact::newton::Newton;
use crate::contact::unbuilt::Unbuilt;
use crate::contact::{CableStation, Contacts, Joints, Problem};
use crate::solver::{ContactConfig, ContactMethod, LinearSolve, Operator};
use pliant_linalg::Team;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::small::dot;
use pliant_mesh::Point;
use std::sync::Arc;

/// Pairs within this part of the margin touch: the contact problem may close them.
const TOUCHING: f64 = 0.1;

/// Part of the margin to which the contact problem is solved at least, however far the bodies still are from settled:
/// errors of contact must not feed on those of the iteration.
const COARSEST: f64 = 0.01;

/// Where a point of the problem comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// A contact, by its index.
    Contact(u32),
    /// A pair of an attachment.
    Pair(u32),
    /// A point that is held from outside.
    Hold(u32),
    /// A point on a needle: the needle, and which of its points.
    Guided(u32, u32),
    /// A point that a cable passes: the cable, and which of its points.
    Station(u32, u32),
}

/// The contact problem of the solver. Indices are in solver order.
#[derive(Debug)]
pub struct ContactStep {
    config: ContactConfig,
    h2: f64,
    /// Size of the bodies, m.
    size: f64,
    delassus: Delassus,
    /// Takes the place of the operator where its entries do not pay.
    unbuilt: Unbuilt,
    is_unbuilt: bool,
    /// The factor that the operator is built with: always there if there may be contact.
    panels: Option<Arc<PanelFactor>>,
    /// Whether each contact takes part in the problem: pairs that are merely near do not.
    touching: Vec<bool>,
    /// The points of the problem that some free vertex takes part in: touching contacts, attached pairs, points on
    /// needles, points of cables.
    origins: Vec<Origin>,
    points: Vec<PointRows>,
    /// How many of them are contacts, attached pairs, holds or on needles: they come first.
    held: usize,
    /// Whether a sheet is near itself or another body.
    has_folds: bool,
    /// Whether the operator is that of the points.
    is_built: bool,
    problem: Problem,
    gauss_seidel: GaussSeidel,
    active_set: ActiveSet,
    newton: Newton,
    /// Masses of the free vertices, and `h^2 [C M^-1 C^T]_ii` of each contact.
    masses: Vec<f64>,
    by_mass: Vec<f64>,
    /// How many points lie at the vertex of each point that has most of them, and at each free vertex.
    sharing: Vec<f64>,
    points_at: Vec<u32>,
    /// Displacement below which the contact problem is solved in any case, m.
    coarsest: f64,
    /// Forces on the points that led to the positions of the problem.
    before: Vec<Point>,
    /// Positions in vertex order, for new directions.
    x: Vec<Point>,
}

impl ContactStep {
    /// For a solver with time step `h` and bodies of this `size`, with the factor of A as `panels` if there may be contact.
    pub fn new(
        config: ContactConfig,
        panels: Option<Arc<PanelFactor>>,
        masses: Vec<f64>,
        n: usize,
        h: f64,
        size: f64,
    ) -> ContactStep {
        ContactStep {
            config,
            h2: h * h,
            size,
            delassus: Delassus::new(masses.len()),
            unbuilt: Unbuilt::new(masses.len()),
            is_unbuilt: false,
            panels,
            touching: Vec::new(),
            origins: Vec::new(),
            points: Vec::new(),
            has_folds: false,
            held: 0,
            is_built: false,
            problem: Problem { h2: h * h, ..Problem::default() },
            gauss_seidel: GaussSeidel::default(),
            active_set: ActiveSet::default(),
            newton: Newton::default(),
            masses,
            by_mass: Vec::new(),
            sharing: Vec::new(),
            points_at: Vec::new(),
            coarsest: 0.0,
            before: Vec::new(),
            x: vec![[0.0; 3]; n],
        }
    }

    /// Takes over the contacts of a step. Those that carry a force from the last one touch.
    pub fn begin(&mut self, contacts: &Contacts, index_of: &[u32]) {
        // The multipliers of this method live for a whole step, so its set of contacts must not change.
        let all = matches!(self.config.method, ContactMethod::NonSmoothNewton(_));
        self.touching.clear();
        self.touching.extend(contacts.forces().iter().map(|f| all || *f != [0.0; 3]));
        self.has_folds = contacts.has_folds();
        self.newton.begin();
        self.list_points(contacts, index_of);
    }

    /// Lists the points of the problem.
    fn list_points(&mut self, contacts: &Contacts, index_of: &[u32]) {
        self.origins.clear();
        self.points.clear();
        self.is_built = false;
        for (k, c) in contacts.contacts().iter().enumerate() {
            if self.touching[k] {
                self.add_point(
                    Origin::Contact(k as u32),
                    &c.vertices[..c.count as usize],
                    &c.weights,
                    index_of,
                );
            }
        }
        for (k, (p, _)) in contacts.joints().pairs.iter().enumerate() {
            self.add_point(Origin::Pair(k as u32), &p.vertices[..p.count], &p.weights, index_of);
        }
        for (k, hold) in contacts.joints().holds().iter().enumerate() {
            let p = &hold.at;
            self.add_point(Origin::Hold(k as u32), &p.vertices[..p.count], &p.weights, index_of);
        }
        for (k, needle) in contacts.joints().needles.iter().enumerate() {
            for (i, p) in needle.points.iter().enumerate().filter(|(i, _)| needle.stuck[*i].is_some()) {
                let origin = Origin::Guided(k as u32, i as u32);
                self.add_point(origin, &p.vertices[..p.count], &p.weights, index_of);
            }
        }
        self.held = self.points.len();
        for (k, cable) in contacts.joints().cables.iter().enumerate() {
            for (i, station) in cable.points.iter().enumerate() {
                if let CableStation::Body(p) = station {
                    let origin = Origin::Station(k as u32, i as u32);
                    self.add_point(origin, &p.vertices[..p.count], &p.weights, index_of);
                }
            }
        }
    }

    /// Directions for the positions `q`.
    pub fn refresh(&mut self, team: &Team, contacts: &mut Contacts, index_of: &[u32], q: &[Vec4]) {
        team.for_each_piece(&mut self.x, PIECE, |first, x| {
            for (x, &i) in x.iter_mut().zip(&index_of[first..]) {
                *x = q[i as usize].point();
            }
        });
        contacts.refresh(&self.x);
    }

    /// Adds what has come to touch at the positions of the last [`refresh`](Self::refresh), and builds the operator.
    ///
    /// # Panics
    /// If something touches and there is no factor.
    pub fn grow(&mut self, team: &Team, contacts: &Contacts, index_of: &[u32], q_t: &[Vec4]) {
        let touches_from = TOUCHING * contacts.margin();
        let mut grown = false;
        for (touching, c) in self.touching.iter_mut().zip(contacts.contacts()) {
            if !*touching && c.gap(&self.x) < touches_from {
                *touching = true;
                grown = true;
            }
        }
        if grown {
            self.list_points(contacts, index_of);
        }
        if self.is_built || self.points.is_empty() {
            return;
        }
        self.by_mass.clear();
        self.by_mass.extend(self.points.iter().map(|p| {
            let terms = p.rows.iter().zip(&p.weights).take(p.count);
            self.h2 * terms.map(|(&row, w)| w * w / self.masses[row as usize]).sum::<f64>()
        }));
        self.count_points();
        self.coarsest = COARSEST * contacts.margin();
        let panels = self.panels.clone().expect("a solver that may meet contact has a factor");
        self.is_unbuilt = self.does_without_entries(&panels);
        if self.is_unbuilt {
            self.unbuilt.prepare(team, &panels, &self.points);
        } else {
            self.delassus.build(team, &panels, &self.points);
        }
        self.describe(contacts, index_of, q_t);
        self.is_built = true;
    }

    fn count_points(&mut self) {
        self.points_at.clear();
        self.points_at.resize(self.masses.len(), 0);
        for row in self.points.iter().flat_map(|p| &p.rows[..p.count]) {
            self.points_at[*row as usize] += 1;
        }
        let most = |p: &PointRows| p.rows[..p.count].iter().map(|&r| self.points_at[r as usize]).max();
        self.sharing.clear();
        self.sharing.extend(self.points.iter().map(|p| f64::from(most(p).unwrap_or(1))));
    }

    /// Whether products are formed by solves. Only a method that needs nothing but products can do so.
    fn does_without_entries(&self, panels: &PanelFactor) -> bool {
        let ContactMethod::NonSmoothNewton(settings) = self.config.method else { return false };
        let is_possible =
            matches!(settings.linear, LinearSolve::ConjugateResiduals(_)) && self.held == self.points.len();
        let touched = self.points.iter().map(|p| p.count).sum();
        is_possible
            && match settings.operator {
                Operator::Automatic => Unbuilt::pays(panels, touched),
                Operator::Built => false,
                Operator::Unbuilt => true,
            }
    }

    /// Adds a point if a free vertex takes part in it.
    fn add_point(&mut self, origin: Origin, vertices: &[u32], weights: &[f64], index_of: &[u32]) {
        let mut point = PointRows::default();
        for (&v, &w) in vertices.iter().zip(weights) {
            let row = index_of[v as usize];
            if (row as usize) < self.masses.len() && w != 0.0 {
                point.rows[point.count] = row;
                point.weights[point.count] = w;
                point.count += 1;
            }
        }
        if point.count > 0 {
            self.origins.push(origin);
            self.points.push(point);
        }
    }

    /// What is constant during the step about contacts, attached pairs, holds and points on needles.
    fn describe(&mut self, contacts: &Contacts, index_of: &[u32], q_t: &[Vec4]) {
        self.problem.contacts.clear();
        let at_start = |v: u32| q_t[index_of[v as usize] as usize].point();
        for (i, origin) in self.origins[..self.held].iter().enumerate() {
            let mut one = OneContact {
                free: [0.0; 3],
                normal: [0.0, 0.0, 1.0],
                offset: 0.0,
                start: [0.0; 3],
                compliance: self.h2
                    * if self.is_unbuilt { self.unbuilt.own(i) } else { self.delassus.entry(i, i) },
                friction: 0.0,
                law: PointLaw::Contact,
            };
            match *origin {
                Origin::Contact(k) => {
                    let c = &contacts.contacts()[k as usize];
                    for (&v, &w) in c.vertices.iter().zip(&c.weights).take(c.count as usize) {
                        let x = at_start(v);
                        one.start = std::array::from_fn(|k| one.start[k] + w * x[k]);
                    }
                    one.start = std::array::from_fn(|k| one.start[k] + c.anchor_motion[k]);
                    one.friction = contacts.friction()[k as usize];
                }
                Origin::Pair(k) => one.law = PointLaw::Held(contacts.joints().pairs[k as usize].1),
                Origin::Hold(k) => {
                    let hold = &contacts.joints().holds()[k as usize];
                    one.start = hold.target;
                    one.law = PointLaw::Held(1.0 / hold.stiffness);
                }
                Origin::Guided(n, i) => {
                    let needle = &contacts.joints().needles[n as usize];
                    one.normal = needle.line.axis;
                    one.start = needle.stuck[i as usize].unwrap_or_default();
                    one.law = PointLaw::Guided { soft: needle.compliance, grip: needle.grip };
                }
                Origin::Station(..) => {}
            }
            self.problem.contacts.push(one);
        }
    }

    /// Gives the operator a factor to be built with.
    pub fn use_panels(&mut self, panels: Arc<PanelFactor>) {
        self.panels = Some(panels);
    }

    /// Whether it has one.
    pub fn has_panels(&self) -> bool {
        self.panels.is_some()
    }

    /// Whether there is nothing to do in this step.
    pub fn is_empty(&self) -> bool {
        self.touching.is_empty() && self.points.is_empty()
    }

    /// Adds `h^2 C^T f` of the present forces to the residual.
    pub fn add_forces(&self, contacts: &Contacts, residual: &mut [Vec4]) {
        for (origin, point) in self.origins.iter().zip(&self.points) {
            add_force(point, self.h2, &force_of(*origin, contacts), residual);
        }
    }

    /// Finds the forces for positions `q`, which the old forces have led to, after [`refresh`](Self::refresh) and
    /// [`grow`](Self::grow). The global step that led to `q` had this `correction`.
    pub fn solve(
        &mut self,
        team: &Team,
        contacts: &mut Contacts,
        (index_of, q): (&[u32], &[Vec4]),
        correction: f64,
    ) {
        self.before.clear();
        self.before.extend(self.origins.iter().map(|o| force_of(*o, contacts)));
        self.problem.forces.clone_from(&self.before);
        let position = |v: u32| q[index_of[v as usize] as usize].point();
        for (origin, one) in self.origins.iter().zip(&mut self.problem.contacts) {
            match *origin {
                Origin::Contact(k) => {
                    let c = &contacts.contacts()[k as usize];
                    one.free = c.point(&self.x);
                    one.normal = c.normal;
                    one.offset = dot(&c.normal, &c.anchor) + c.thickness;
                }
                Origin::Pair(k) => one.free = contacts.joints().pairs[k as usize].0.at(position),
                Origin::Hold(k) => one.free = contacts.joints().holds()[k as usize].at.at(position),
                Origin::Guided(n, i) => {
                    one.free = contacts.joints().needles[n as usize].points[i as usize].at(position);
                }
                Origin::Station(..) => {}
            }
        }
        self.lay_cables(contacts, position);
        if !self.points.is_empty() {
            self.solve_problem(team, correction);
        }
        self.hand_over(contacts);
    }

    /// Gives the forces back to where they came from.
    fn hand_over(&self, contacts: &mut Contacts) {
        for (origin, f) in self.origins.iter().zip(&self.problem.forces) {
            match *origin {
                Origin::Contact(k) => contacts.forces_mut()[k as usize] = *f,
                Origin::Pair(k) => contacts.joints_mut().pair_forces[k as usize] = *f,
                Origin::Hold(k) => contacts.joints_mut().holds[k as usize].force = *f,
                Origin::Guided(n, i) => contacts.joints_mut().needles[n as usize].forces[i as usize] = *f,
                Origin::Station(c, i) => contacts.joints_mut().cables[c as usize].forces[i as usize] = *f,
            }
        }
        for (cable, row) in contacts.joints_mut().cables.iter_mut().zip(&self.problem.cables) {
            cable.tension = row.tension;
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

    /// The order in which the operator lists vertices: all that it keeps from step to step besides what it can compute.
    pub fn slots(&self) -> &[u32] {
        self.delassus.slots()
    }

    /// Takes over an order of [`slots`](Self::slots); returns whether it is one.
    pub fn restore_slots(&mut self, team: &Team, slots: &[u32]) -> bool {
        match &self.panels {
            Some(panels) => self.delassus.restore_slots(team, panels, slots),
            // They were of holds that are gone, for a linear solver without panels.
            None => true,
        }
    }

    /// Bytes of the operator, without the factor.
    pub fn bytes(&self) -> usize {
        self.delassus.bytes() + self.unbuilt.bytes()
    }

    /// Bytes of the factor.
    pub fn panel_bytes(&self) -> usize {
        self.panels.as_ref().map_or(0, |p| p.bytes())
    }
}

fn force_of(origin: Origin, contacts: &Contacts) -> Point {
    let joints: &Joints = contacts.joints();
    match origin {
        Origin::Contact(k) => contacts.forces()[k as usize],
        Origin::Pair(k) => joints.pair_forces[k as usize],
        Origin::Hold(k) => joints.holds()[k as usize].force,
        Origin::Guided(n, i) => joints.needles[n as usize].forces[i as usize],
        Origin::Station(c, i) => joints.cables[c as usize].forces[i as usize],
    }
}

fn add_force(point: &PointRows, h2: f64, force: &Point, residual: &mut [Vec4]) {
    for (&row, &w) in point.rows.iter().zip(&point.weights).take(point.count) {
        for c in 0..3 {
            residual[row as usize].0[c] += h2 * w * force[c];
        }
    }
}
