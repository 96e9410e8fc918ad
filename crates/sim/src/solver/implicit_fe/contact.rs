//! Contact after the free motion: the forces that keep bodies apart, and the motion that they cause.
//!
//! The free motion leads the points of the contact problem to where the present forces take them. The problem
//! `W = H P H^T` between the touched vertices changes the forces, and `P H^T df` corrects the motion. Repeating this with new
//! directions is the recursive correction of [ZengRec], for the total force: nothing of W is built again.

use super::config::{Directions, ImplicitFeConfig, OperatorUse, Schur, Update};
use super::cost;
use super::factor::Factor;
use super::warp::Warp;
use crate::contact::Contacts;
use crate::contact::methods::{Methods, Problem};
use crate::contact::operator::{BlockEntries, BlockFree, Delassus, PointRows};
use crate::contact::rows::Rows;
use crate::fem::System;
use crate::fem::numbering::Numbering;
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};

/// The contact problem of a step. A row of the operator is a free vertex in elimination order; h^2 is in the matrix, whose
/// inverse is in m/N.
#[derive(Clone, Debug)]
pub(super) struct ContactStep {
    rows: Rows,
    problem: Problem<DMat3>,
    methods: Methods<BlockEntries>,
    entries: BlockEntries,
    unbuilt: BlockFree,
    schur: Schur,
    operator: OperatorUse,
    update: Update,
    directions: Directions,
    /// Whether the operator has no entries.
    is_unbuilt: bool,
    /// Whether the operator must be put together again.
    is_stale: bool,
    /// How far touched vertices have been moved ahead of the bodies.
    moved: Vec<DVec3>,
    ahead: Vec<(u32, DVec3)>,
    /// Memory for what the operator costs.
    touched: Vec<u32>,
    /// Rows of the touched vertices that were computed in this step, and that were known.
    pub(super) fresh: usize,
    pub(super) known: usize,
    /// Products by solves in this step.
    pub(super) products: usize,
}

impl ContactStep {
    pub(super) fn new(
        config: &ImplicitFeConfig,
        system: &System,
        numbering: &Numbering,
        h: f64,
    ) -> ContactStep {
        let free = numbering.free_vertices().iter();
        let masses = free.map(|&v| system.masses[v as usize] / (h * h)).collect();
        ContactStep {
            rows: Rows::new(masses, 1.0),
            problem: Problem::new(1.0),
            methods: Methods::new(config.contact, system.size()),
            entries: BlockEntries::new(numbering.free()),
            unbuilt: BlockFree::new(numbering.free()),
            schur: config.schur,
            operator: config.operator,
            update: config.update,
            directions: config.directions,
            is_unbuilt: false,
            is_stale: true,
            moved: Vec::new(),
            ahead: Vec::new(),
            touched: Vec::new(),
            fresh: 0,
            known: 0,
            products: 0,
        }
    }

    /// The factor is another one.
    pub(super) fn forget_entries(&mut self) {
        self.entries.clear();
        self.unbuilt.clear();
        self.is_stale = true;
    }

    /// The bodies have turned since the operator was put together.
    pub(super) fn forget_points(&mut self) {
        self.entries.clear_points();
        self.is_stale = true;
    }

    /// Takes over the contacts of a step.
    pub(super) fn begin(&mut self, contacts: &Contacts, numbering: &Numbering) {
        self.methods.begin();
        if self.schur != Schur::Reuse {
            self.entries.clear();
        }
        (self.fresh, self.known, self.products) = (0, 0, 0);
        self.rows.begin(contacts, self.methods.keeps_all_contacts(), |v| numbering.row(v));
    }

    /// Whether there is nothing to do in this step.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds `H^T f` of the present forces, by row.
    pub(super) fn add_forces(&self, contacts: &Contacts, to: &mut [DVec3]) {
        self.rows.loads(contacts).for_each(|(point, f)| add_force(point, f, to));
    }

    /// Directions and the operator for the positions of all vertices at the start of the step and now.
    pub(super) fn prepare(
        &mut self,
        team: &Team,
        factor: &Factor,
        warp: &Warp,
        contacts: &mut Contacts,
        numbering: &Numbering,
        [x_t0, x]: [&[DVec3]; 2],
    ) {
        if self.directions != Directions::Step {
            contacts.refresh(x);
        }
        let grown = self.rows.grow(contacts, x, |v| numbering.row(v));
        if (!grown && !self.is_stale) || self.rows.points().is_empty() {
            return;
        }
        self.is_stale = false;
        let turn = |row: u32| warp.of_row(row as usize);
        self.is_unbuilt = self.does_without_entries(factor);
        let ContactStep { rows, problem, entries, unbuilt, .. } = self;
        let points = rows.points();
        if self.is_unbuilt {
            unbuilt.prepare(team, &factor.panels, points, turn);
            rows.describe(problem, contacts, |i| unbuilt.own(i), x_t0);
            return;
        }
        let (fresh, known) = match self.schur {
            Schur::Reuse | Schur::Isodof => entries.build(team, &factor.panels, points, turn),
            Schur::Dense => entries.build_by_solves(team, &factor.panels, points, turn),
            Schur::Diagonal => entries.build_diagonal(team, &factor.panels, points, turn),
        };
        self.fresh += fresh;
        self.known += known;
        rows.describe(problem, contacts, |i| entries.own(i), x_t0);
        rows.list_islands(problem, warp.parts(), |row| warp.part_of_row(row));
    }

    /// Whether the contacts are solved by products that are solves.
    fn does_without_entries(&mut self, factor: &Factor) -> bool {
        let by_paths = matches!(self.schur, Schur::Reuse | Schur::Isodof);
        if self.rows.has_cables_or_needles() || self.directions == Directions::Sweep || !by_paths {
            return false;
        }
        match self.operator {
            OperatorUse::Built => false,
            OperatorUse::Unbuilt => true,
            OperatorUse::Automatic => cost::solves_pay(&self.rows, &factor.panels, &mut self.touched),
        }
    }

    /// Whether touched vertices go ahead of the others between contact problems. The entries for it must be known.
    pub(super) fn moves_touched_alone(&self) -> bool {
        let are_known = matches!(self.schur, Schur::Reuse | Schur::Isodof) && !self.is_unbuilt;
        self.update == Update::Fast && are_known
    }

    /// Finds the forces at the positions `x` of all vertices, which the old forces have led to, and writes `H^T df` of their
    /// change to `change`. The step last moved the bodies by `correction` (m). Returns how far the last sweep moved a
    /// point, m.
    pub(super) fn solve(
        &mut self,
        team: &Team,
        (factor, warp): (&Factor, &Warp),
        contacts: &mut Contacts,
        x: &[DVec3],
        correction: f64,
        change: &mut [DVec3],
    ) -> f64 {
        let ContactStep { rows, problem, methods, entries, unbuilt, .. } = self;
        let left = if self.is_unbuilt {
            rows.update_with(problem, contacts, x, |_, _| DMat3::ZERO);
            let turn = |row: u32| warp.of_row(row as usize);
            let mut products = unbuilt.operator(team, &factor.panels, rows.points(), turn);
            let (left, count) = methods.solve_unbuilt(&mut products, problem, correction);
            self.products += count;
            left
        } else {
            rows.update(problem, contacts, x, entries);
            match self.directions {
                _ if rows.points().is_empty() => 0.0,
                Directions::Sweep => methods.sweep_once(team, entries, problem),
                _ => methods.solve(team, entries, problem, correction),
            }
        };
        rows.hand_over(problem, contacts);
        change.fill(DVec3::ZERO);
        rows.changes(problem).for_each(|(point, df)| add_force(point, df, change));
        left
    }

    /// Moves the touched vertices by the `forces` on them, and notes where they were.
    pub(super) fn move_touched(
        &mut self,
        team: &Team,
        warp: &Warp,
        numbering: &Numbering,
        forces: &[DVec3],
        x: &mut [DVec3],
    ) {
        let turn = |row: u32| warp.of_row(row as usize);
        self.entries.move_touched(team, forces, turn, &mut self.moved);
        for (&row, by) in self.entries.touched().iter().zip(&self.moved) {
            x[numbering.vertex_of()[row as usize] as usize] += *by;
            self.ahead.push((row, *by));
        }
    }

    /// Takes back what [`move_touched`](Self::move_touched) has done.
    pub(super) fn move_back(&mut self, numbering: &Numbering, x: &mut [DVec3]) {
        for (row, by) in self.ahead.drain(..) {
            x[numbering.vertex_of()[row as usize] as usize] -= by;
        }
    }

    /// Bytes of the operator.
    pub(super) fn bytes(&self) -> usize {
        self.entries.bytes() + self.unbuilt.bytes()
    }
}

fn add_force(point: &PointRows, force: DVec3, to: &mut [DVec3]) {
    for (row, w) in point.terms() {
        to[row as usize] += w * force;
    }
}
