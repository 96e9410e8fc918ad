//! The projection of the virtual places onto what the laws of contact allow, by projected Gauss-Seidel [Zhu24, sec. 5.1].
//!
//! It minimises `|y - y0|^2 / 2` in the weights W_c under the laws of contact. A force gamma on a point `C y` moves it by
//! `C W_c^-1 C^T gamma`: the operator is as sparse as the contacts are. Each point is solved exactly with all others as they
//! are; the response to its own force is a number, so that separating, sticking and sliding have a closed form.

use super::colours::Colours;
use super::{AdmmConfig, in_vertex_order};
use crate::contact::Contacts;
use crate::contact::methods::{OneContact, PointLaw, PointSolve, Problem};
use crate::contact::operator::PointRows;
use crate::contact::rows::Rows;
use crate::solver::StepInput;
use crate::solver::local_global::Vec4;
use pliant_linalg::Team;
use pliant_mesh::DVec3;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Points of a colour that a thread solves at a time; fewer than twice as many are not worth waking another one.
const PIECE: usize = 128;

/// Memory of the projection.
#[derive(Debug)]
pub(super) struct ContactProjection {
    rows: Rows,
    problem: Problem<f64>,
    /// `h^2 W_c` of each free row, kg.
    weights: Vec<f64>,
    /// Response of each point to its own force over h^2, 1/kg.
    own: Vec<f64>,
    /// Whether a point lies at each free row.
    touched: Vec<bool>,
    colours: Colours,
    /// The points in the order of the colours.
    slots: Vec<Slot>,
    /// Virtual places of the free rows. Only points of one colour are moved side by side, and they share no row.
    virtual_places: Vec<Shared>,
    /// Positions in vertex order.
    x: Vec<DVec3>,
    h2: f64,
}

/// A point with all that its solution needs.
#[derive(Clone, Debug)]
struct Slot {
    rows: PointRows,
    one: OneContact<f64>,
    /// The point is here plus the weighted sum of the virtual places.
    base: DVec3,
    /// Least gap that is left.
    least_gap: f64,
    force: DVec3,
}

impl Clone for ContactProjection {
    fn clone(&self) -> Self {
        ContactProjection {
            rows: self.rows.clone(),
            problem: self.problem.clone(),
            weights: self.weights.clone(),
            own: self.own.clone(),
            touched: self.touched.clone(),
            colours: self.colours.clone(),
            slots: self.slots.clone(),
            virtual_places: self.virtual_places.iter().map(|y| Shared::new(y.get())).collect(),
            x: self.x.clone(),
            h2: self.h2,
        }
    }
}

impl ContactProjection {
    /// For a solver of `n` vertices with time step `h` whose free rows have these masses and weights.
    pub(super) fn new(masses: Vec<f64>, weights: Vec<f64>, n: usize, h: f64) -> ContactProjection {
        let free = masses.len();
        ContactProjection {
            rows: Rows::new(masses, h),
            problem: Problem::new(h),
            weights,
            own: Vec::new(),
            touched: vec![false; free],
            colours: Colours::default(),
            slots: Vec::new(),
            virtual_places: (0..free).map(|_| Shared::default()).collect(),
            x: vec![DVec3::ZERO; n],
            h2: h * h,
        }
    }

    /// `h^2 W_c` of all free rows, kg.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Takes over the contacts of a step.
    pub(super) fn begin(&mut self, contacts: &Contacts, index_of: &[u32]) {
        self.touched.fill(false);
        self.slots.clear();
        let free = self.weights.len();
        self.rows.begin(contacts, false, |v| row_of(index_of, free, v));
    }

    /// Detects contacts again for the iterate `q`.
    pub(super) fn detect_again(
        &mut self,
        team: &Team,
        contacts: &mut Contacts,
        index_of: &[u32],
        x_t0: &[DVec3],
        q: &[Vec4],
    ) {
        in_vertex_order(team, index_of, q, &mut self.x);
        if contacts.detect_again(team, [x_t0, &self.x]) {
            self.begin(contacts, index_of);
        }
    }

    /// Whether there is nothing to do in this step.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Finds the forces of contacts and joints for the iterate `q` that the last iteration has moved here from `before`.
    pub(super) fn project(
        &mut self,
        config: &AdmmConfig,
        input: &StepInput,
        contacts: &mut Contacts,
        index_of: &[u32],
        [before, q]: [&[Vec4]; 2],
    ) {
        if self.is_empty() {
            return;
        }
        let team = input.team;
        in_vertex_order(team, index_of, q, &mut self.x);
        contacts.refresh(&self.x);
        let free = self.weights.len();
        if self.rows.grow(contacts, &self.x, |v| row_of(index_of, free, v)) {
            self.describe(contacts, input.x_t0);
        }
        let ContactProjection { rows, problem, weights, x, .. } = self;
        rows.update_with(problem, contacts, x, |a, b| {
            response(weights, &rows.points()[a], &rows.points()[b])
        });
        self.load(config, [before, q]);
        for sweep in 0..config.sweeps {
            self.sweep(team, config, sweep % 2 == 1);
            self.pull_cables(q);
        }
        let ContactProjection { colours, slots, problem, rows, .. } = self;
        for (&k, slot) in colours.order().iter().zip(slots.iter()) {
            problem.forces[k as usize] = slot.force;
        }
        rows.hand_over(problem, contacts);
    }

    /// What is constant about the points for as long as they stay the same.
    fn describe(&mut self, contacts: &Contacts, x_t0: &[DVec3]) {
        let ContactProjection { rows, problem, weights, own, touched, colours, .. } = self;
        own.clear();
        own.extend(rows.points().iter().map(|p| response(weights, p, p)));
        rows.describe(problem, contacts, |i| own[i], x_t0);
        touched.fill(false);
        rows.points().iter().flat_map(PointRows::rows).for_each(|&row| touched[row as usize] = true);
        colours.assign(&rows.points()[..problem.contacts.len()], weights.len());
    }

    /// Fills the slots, and starts at `y = x + dx` with the forces that there are.
    fn load(&mut self, config: &AdmmConfig, [before, q]: [&[Vec4]; 2]) {
        let ContactProjection { rows, problem, weights, colours, slots, virtual_places, touched, h2, .. } =
            self;
        for (row, y) in virtual_places.iter().enumerate().filter(|(row, _)| touched[*row]) {
            let x = q[row].point();
            y.set(x + (x - before[row].point()));
        }
        slots.clear();
        slots.extend(colours.order().iter().map(|&k| {
            let (point, one) = (&rows.points()[k as usize], problem.contacts[k as usize]);
            let moving: DVec3 = point.terms().map(|(row, w)| w * q[row as usize].point()).sum();
            let gap_at_start = one.normal.dot(one.start) - one.offset;
            Slot {
                rows: *point,
                base: one.free - moving,
                least_gap: (1.0 - config.recovery) * gap_at_start.min(0.0),
                force: problem.forces[k as usize],
                one,
            }
        }));
        // Cables pull along new directions.
        for (point, (now, then)) in rows
            .points()
            .iter()
            .zip(problem.forces.iter().zip(&problem.at_start))
            .skip(problem.contacts.len())
        {
            push(point, *h2 * (now - then), weights, virtual_places);
        }
    }

    /// Solves each point once, colour by colour.
    fn sweep(&mut self, team: &Team, config: &AdmmConfig, backwards: bool) {
        let ContactProjection { weights, colours, slots, virtual_places, h2, .. } = self;
        let mut solve = |range: Range<usize>, side_by_side: bool| {
            let slots = &mut slots[range];
            let each = |slots: &mut [Slot]| {
                slots.iter_mut().for_each(|s| s.solve(config, *h2, weights, virtual_places));
            };
            match side_by_side && slots.len() >= 2 * PIECE {
                true => team.for_each_piece(slots, PIECE, |_, slots| each(slots)),
                false => each(slots),
            }
        };
        let ends = colours.ends();
        let coloured = ends.last().copied().unwrap_or(0);
        for k in 0..ends.len() {
            let k = if backwards { ends.len() - 1 - k } else { k };
            let start = if k == 0 { 0 } else { ends[k - 1] };
            solve(start..ends[k], true);
        }
        solve(coloured..colours.order().len(), false);
    }

    /// Solves each cable with all other forces as they are.
    fn pull_cables(&mut self, q: &[Vec4]) {
        let ContactProjection { rows, problem, weights, virtual_places, h2, .. } = self;
        let points = rows.points();
        for row in problem.cables.iter_mut().filter(|row| !row.pulled) {
            let terms = &problem.terms[row.terms.clone()];
            let mut slack = row.slack;
            for (point, gradient) in terms {
                for (i, w) in points[*point as usize].terms() {
                    let moved = virtual_places[i as usize].get() - q[i as usize].point();
                    slack += w * gradient.dot(moved);
                }
            }
            let stiffness = 1.0 / (row.response + row.compliance);
            let tension = (row.tension - (slack + row.compliance * row.tension) * stiffness).max(0.0);
            let step = tension - row.tension;
            for (point, gradient) in terms {
                problem.forces[*point as usize] += step * gradient;
                push(&points[*point as usize], *h2 * step * gradient, weights, virtual_places);
            }
            row.tension = tension;
        }
    }

    /// Adds `h^2 C^T gamma` to the residual.
    pub(super) fn add_forces(&self, contacts: &Contacts, residual: &mut [Vec4]) {
        for (point, force) in self.rows.loads(contacts) {
            for (row, w) in point.terms() {
                residual[row as usize] += self.h2 * w * force;
            }
        }
    }

    /// Adds what ties the touched vertices to where they were before the global step: `h^2 W_c (before - q)`.
    pub(super) fn add_pull_back(&self, team: &Team, [before, q]: [&[Vec4]; 2], residual: &mut [Vec4]) {
        if self.is_empty() {
            return;
        }
        team.for_each_piece(residual, super::PIECE, |first, residual| {
            for (k, r) in residual.iter_mut().enumerate().filter(|(k, _)| self.touched[first + k]) {
                let row = first + k;
                *r += self.weights[row] * (before[row] - q[row]).point();
            }
        });
    }

    /// `h^2 W_c` of a row that is touched, else zero.
    pub(super) fn weight_of_touched(&self, row: usize) -> f64 {
        if self.touched[row] { self.weights[row] } else { 0.0 }
    }

    /// Moves touched vertices to their virtual places.
    pub(super) fn virtual_places_into(&self, q: &mut [Vec4]) {
        if self.is_empty() {
            return;
        }
        for (row, y) in self.virtual_places.iter().enumerate().filter(|(row, _)| self.touched[*row]) {
            q[row] = Vec4::new(y.get());
        }
    }

    /// Longest distance of a touched vertex from its virtual place, m: the primal residual of contact.
    pub(super) fn distance(&self, q: &[Vec4]) -> f64 {
        let mut longest = 0.0f64;
        for (row, y) in self.virtual_places.iter().enumerate().filter(|(row, _)| self.touched[*row]) {
            longest = longest.max((y.get() - q[row].point()).length_squared());
        }
        longest.sqrt()
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.colours.bytes()
            + self.slots.capacity() * size_of::<Slot>()
            + self.virtual_places.len() * size_of::<Shared>()
    }
}

impl Slot {
    /// The law of the point with all other forces as they are; moves the virtual places by the change of its force.
    #[inline]
    fn solve(&mut self, config: &AdmmConfig, h2: f64, weights: &[f64], y: &[Shared]) {
        let moving: DVec3 = self.rows.terms().map(|(row, w)| w * y[row as usize].get()).sum();
        let at = self.base + moving;
        let own = self.one.compliance;
        let free = OneContact { free: at - own * self.force, ..self.one };
        let new = match self.one.law {
            PointLaw::Contact => contact_force(&free, self.least_gap, config.contact_compliance),
            PointLaw::Held(soft) => f64::held_force(&free, soft),
            PointLaw::Guided { soft, grip } => f64::guided_force(&free, soft, grip),
        };
        let step = new - self.force;
        if step != DVec3::ZERO {
            self.force = new;
            push(&self.rows, h2 * step, weights, y);
        }
    }
}

/// Separating, sticking or sliding [Zhu24, sec. 5.1]. The gap closes to `least_gap` or gives way by `soft` to the normal force:
/// contact stabilisation [Zhu24, eq. (16)], in the normal direction only, so that what sticks does not creep.
#[inline(always)]
fn contact_force(contact: &OneContact<f64>, least_gap: f64, soft: f64) -> DVec3 {
    let (n, own) = (contact.normal, contact.compliance);
    let gap = n.dot(contact.free) - contact.offset - least_gap;
    if gap >= 0.0 {
        return DVec3::ZERO;
    }
    let normal = -gap / (own + soft);
    let moved = contact.free - contact.start;
    let stick = (n.dot(moved) * n - moved) / own;
    normal * n + contact.friction.shortening(stick, normal) * stick
}

/// Response of one point to a force on another over h^2: `C W_c^-1 C^T` over h^2, 1/kg.
fn response(weights: &[f64], a: &PointRows, b: &PointRows) -> f64 {
    let mut sum = 0.0;
    for (i, u) in a.terms() {
        for (j, v) in b.terms() {
            if i == j {
                sum += u * v / weights[i as usize];
            }
        }
    }
    sum
}

/// Moves the virtual places of a point by a force of this size times h^2.
#[inline(always)]
fn push(point: &PointRows, force: DVec3, weights: &[f64], y: &[Shared]) {
    for (row, w) in point.terms() {
        let y = &y[row as usize];
        y.set(y.get() + w / weights[row as usize] * force);
    }
}

fn row_of(index_of: &[u32], free: usize, v: u32) -> Option<u32> {
    Some(index_of[v as usize]).filter(|row| (*row as usize) < free)
}

/// A point that several threads can reach, though no two at the same time: plain loads and stores.
#[derive(Debug, Default)]
struct Shared([AtomicU64; 3]);

impl Shared {
    fn new(p: DVec3) -> Shared {
        Shared(p.to_array().map(|x| AtomicU64::new(x.to_bits())))
    }

    #[inline(always)]
    fn get(&self) -> DVec3 {
        let [x, y, z] = [0, 1, 2].map(|c| f64::from_bits(self.0[c].load(Ordering::Relaxed)));
        DVec3::new(x, y, z)
    }

    #[inline(always)]
    fn set(&self, p: DVec3) {
        for (to, x) in self.0.iter().zip(p.to_array()) {
            to.store(x.to_bits(), Ordering::Relaxed);
        }
    }
}
