//! Contacts and joints as the points of one problem, for a solver with any layout of its vectors.
//!
//! A solver gives the row of its matrix that a vertex has, or none where it is pinned, and positions by vertex. In each
//! iteration it adds `h^2 C^T f` of [`loads`](Rows::loads) to its residual, lets [`grow`](Rows::grow) see what has come
//! to touch, builds the operator between [`points`](Rows::points) if they changed, lets
//! [`describe`](Rows::describe) and [`update`](Rows::update) write the problem, solves it, and gives the forces back by
//! [`hand_over`](Rows::hand_over).

mod cables;
mod describe;
mod islands;

use super::joints::CableStation;
use super::methods::Problem;
use super::operator::{Compliance, PointRows};
use super::{Contacts, Joints};
use pliant_mesh::DVec3;

/// Pairs within this part of the margin touch: the contact problem may close them.
const TOUCHING: f64 = 0.1;

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

/// The points of the problem of a step.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    h2: f64,
    /// Masses of the rows of the solver's matrix, kg.
    masses: Vec<f64>,
    /// Whether each contact takes part in the problem: pairs that are merely near do not.
    touching: Vec<bool>,
    /// The points of the problem that some free vertex takes part in: touching contacts, attached pairs, holds, points
    /// on needles, points of cables.
    origins: Vec<Origin>,
    points: Vec<PointRows>,
    /// How many of them are not points of cables: they come first.
    held: usize,
    /// Whether the points are others than those that were described last.
    changed: bool,
    /// How many points lie at each row.
    points_at: Vec<u32>,
    /// While islands are found: which part stands for each part, and the island of each point.
    leader: Vec<u32>,
    island_of: Vec<u32>,
}

impl Rows {
    /// For a solver with time step `h` whose matrix has rows of these masses.
    pub(crate) fn new(masses: Vec<f64>, h: f64) -> Rows {
        Rows {
            h2: h * h,
            masses,
            touching: Vec::new(),
            origins: Vec::new(),
            points: Vec::new(),
            held: 0,
            changed: false,
            points_at: Vec::new(),
            leader: Vec::new(),
            island_of: Vec::new(),
        }
    }

    /// Takes over the contacts of a step. Those that carry a force from the last one touch, or `all` of them.
    pub(crate) fn begin(&mut self, contacts: &Contacts, all: bool, row_of: impl Fn(u32) -> Option<u32>) {
        self.touching.clear();
        self.touching.extend(contacts.forces().iter().map(|f| all || *f != DVec3::ZERO));
        self.list_points(contacts, row_of);
    }

    /// Adds what has come to touch at positions `x`. Returns whether the operator must be built and the problem described
    /// anew.
    pub(crate) fn grow(
        &mut self,
        contacts: &Contacts,
        x: &[DVec3],
        row_of: impl Fn(u32) -> Option<u32>,
    ) -> bool {
        debug_assert_eq!(self.touching.len(), contacts.len(), "`begin` has seen these contacts");
        let touches_from = TOUCHING * contacts.margin();
        let mut grown = false;
        for (touching, c) in self.touching.iter_mut().zip(contacts.contacts()) {
            if !*touching && c.gap(x) < touches_from {
                *touching = true;
                grown = true;
            }
        }
        if grown {
            self.list_points(contacts, row_of);
        }
        self.changed
    }

    fn list_points(&mut self, contacts: &Contacts, row_of: impl Fn(u32) -> Option<u32>) {
        self.origins.clear();
        self.points.clear();
        self.changed = true;
        for (k, c) in contacts.contacts().iter().enumerate() {
            if self.touching[k] {
                let vertices = &c.vertices[..c.count as usize];
                self.add_point(Origin::Contact(k as u32), vertices, &c.weights, &row_of);
            }
        }
        let joints = contacts.joints();
        for (k, pair) in joints.attachments.pairs.iter().enumerate().filter(|(_, p)| p.active) {
            let p = &pair.difference;
            self.add_point(Origin::Pair(k as u32), p.vertices(), p.weights(), &row_of);
        }
        for (k, hold) in joints.holds().iter().enumerate() {
            self.add_point(Origin::Hold(k as u32), hold.at.vertices(), hold.at.weights(), &row_of);
        }
        for (k, needle) in joints.needles.iter().enumerate() {
            for (i, p) in needle.points.iter().enumerate().filter(|(i, _)| needle.stuck[*i].is_some()) {
                let origin = Origin::Guided(k as u32, i as u32);
                self.add_point(origin, p.vertices(), p.weights(), &row_of);
            }
        }
        self.held = self.points.len();
        for (k, cable) in joints.cables.iter().enumerate() {
            for (i, station) in cable.points.iter().enumerate() {
                if let CableStation::Body(p) = station {
                    let origin = Origin::Station(k as u32, i as u32);
                    self.add_point(origin, p.vertices(), p.weights(), &row_of);
                }
            }
        }
    }

    /// Adds a point if a free vertex takes part in it.
    fn add_point(
        &mut self,
        origin: Origin,
        vertices: &[u32],
        weights: &[f64],
        row_of: &impl Fn(u32) -> Option<u32>,
    ) {
        let mut point = PointRows::default();
        for (&v, &w) in vertices.iter().zip(weights) {
            if let Some(row) = row_of(v)
                && w != 0.0
            {
                point.push(row, w);
            }
        }
        if !point.is_empty() {
            self.origins.push(origin);
            self.points.push(point);
        }
    }

    /// Changes h^2: what a force moves its point by, over its response.
    pub(crate) fn set_h2(&mut self, h2: f64) {
        self.h2 = h2;
    }

    /// The points of the problem.
    pub(crate) fn points(&self) -> &[PointRows] {
        &self.points
    }

    /// Whether there is nothing to do in this step: nothing is near, and nothing is tied.
    pub(crate) fn is_empty(&self) -> bool {
        self.touching.is_empty() && self.points.is_empty()
    }

    /// Whether a point is on a cable or on a needle.
    pub(crate) fn has_cables_or_needles(&self) -> bool {
        self.origins.iter().any(|o| matches!(o, Origin::Station(..) | Origin::Guided(..)))
    }

    /// The points and the present forces on them, N.
    pub(crate) fn loads(&self, contacts: &Contacts) -> impl Iterator<Item = (&PointRows, DVec3)> {
        self.points.iter().zip(self.origins.iter().map(|origin| force_of(*origin, contacts)))
    }

    /// The points and the changes of the forces on them that the solution of the problem has made, N.
    pub(crate) fn changes<C>(&self, problem: &Problem<C>) -> impl Iterator<Item = (&PointRows, DVec3)> {
        let forces = problem.forces.iter().zip(&problem.at_start);
        self.points.iter().zip(forces.map(|(new, old)| new - old))
    }

    /// Gives the forces back to where they came from.
    pub(crate) fn hand_over<C: Compliance>(&self, problem: &Problem<C>, contacts: &mut Contacts) {
        debug_assert_eq!(self.origins.len(), problem.forces.len(), "every point has its force");
        for (origin, f) in self.origins.iter().zip(&problem.forces) {
            match *origin {
                Origin::Contact(k) => contacts.forces_mut()[k as usize] = *f,
                Origin::Pair(k) => contacts.joints_mut().attachments.forces[k as usize] = *f,
                Origin::Hold(k) => contacts.joints_mut().holds[k as usize].force = *f,
                Origin::Guided(n, i) => contacts.joints_mut().needles[n as usize].forces[i as usize] = *f,
                Origin::Station(c, i) => contacts.joints_mut().cables[c as usize].forces[i as usize] = *f,
            }
        }
        for (cable, row) in contacts.joints_mut().cables.iter_mut().zip(&problem.cables) {
            cable.tension = row.tension;
        }
    }
}

fn force_of(origin: Origin, contacts: &Contacts) -> DVec3 {
    let joints: &Joints = contacts.joints();
    match origin {
        Origin::Contact(k) => contacts.forces()[k as usize],
        Origin::Pair(k) => joints.attachments.forces[k as usize],
        Origin::Hold(k) => joints.holds()[k as usize].force,
        Origin::Guided(n, i) => joints.needles[n as usize].forces[i as usize],
        Origin::Station(c, i) => joints.cables[c as usize].forces[i as usize],
    }
}
