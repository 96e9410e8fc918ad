//! The operator of a matrix that acts on x, y and z alike, and of a change by few fields for each part of the bodies:
//! `W'_ij = w_ij 1 + sum_b U_ib^T S_b U_jb`, and what vertices of cloth move across it, `sum_v c_iv c_jv s_v s_v^T`.

use super::low_rank::{Amplitudes, LowRank};
use super::response::Response;
use super::spikes::{Lifts, Spikes};
use super::{Compliance, Delassus, Entries, FactorEntries, PointRows, ScalarEntries, SolvedProducts};
use pliant_linalg::Team;
use pliant_linalg::panels::PanelFactor;
use pliant_mesh::{DMat3, DVec3};

/// The operator between the points of a problem, as numbers and what fields add to them.
#[derive(Clone, Debug)]
pub(crate) struct UpdatedEntries {
    scalar: ScalarEntries,
    update: LowRank,
    spikes: Spikes,
    /// Counts the updates.
    updates: u64,
    /// Work memory of products.
    theta: Amplitudes,
    lifts: Lifts,
}

/// Displacements over h^2 of all points.
#[derive(Clone, Debug, Default)]
pub(crate) struct UpdatedResponse {
    scalar: Response,
    theta: Amplitudes,
    lifts: Lifts,
}

impl UpdatedEntries {
    /// Takes over `rank` fields for each part, at the `points` of the operator. `part_of` a row of the factor is none where
    /// there are no fields, `columns` writes their values at a row, and `s` has the symmetric matrices S of all parts,
    /// `rank * rank` numbers each.
    pub(crate) fn set_update(
        &mut self,
        points: &[PointRows],
        rank: usize,
        part_of: impl Fn(u32) -> Option<u32>,
        columns: impl Fn(u32, &mut [DVec3]),
        s: &[f64],
    ) {
        self.drop_update();
        self.update.set(points, rank, part_of, columns, s);
        self.updates += u64::from(!self.update.is_empty());
    }

    /// Takes over that a vertex with the row moves by `s s^T` more than the numbers say, after
    /// [`set_update`](Self::set_update).
    pub(crate) fn set_spikes(&mut self, points: &[PointRows], spike: impl Fn(u32) -> Option<DVec3>) {
        self.spikes.set(points, spike);
        self.updates += u64::from(!self.spikes.is_empty());
    }

    /// Without fields, again and again, the operator stays the same.
    fn drop_update(&mut self) {
        self.updates += u64::from(!self.update.is_empty() || !self.spikes.is_empty());
        self.update.clear();
        self.spikes.clear();
    }

    /// What moves a point besides the numbers.
    #[inline(always)]
    fn beside(&self, fields: DVec3, response: &UpdatedResponse, point: usize) -> DVec3 {
        match self.spikes.is_empty() {
            true => fields,
            false => fields + self.spikes.displacement(&response.lifts, point),
        }
    }

    /// The response of a point to its own force, where the number `w` is known otherwise.
    pub(crate) fn own_from(&self, w: f64, point: usize) -> DMat3 {
        DMat3::alike(w) + self.update.between(point, point) + self.spikes.between(point, point)
    }
}

impl FactorEntries for UpdatedEntries {
    fn new(n: usize) -> UpdatedEntries {
        UpdatedEntries {
            scalar: ScalarEntries::new(n),
            update: LowRank::default(),
            spikes: Spikes::new(n),
            updates: 0,
            theta: Amplitudes::new(),
            lifts: Lifts::new(),
        }
    }

    /// Prepares the numbers between `points`, without any fields.
    fn build(&mut self, team: &Team, factor: &PanelFactor, points: &[PointRows]) {
        self.scalar.build(team, factor, points);
        self.drop_update();
    }

    fn skip_build(&mut self) {
        self.drop_update();
    }

    fn by_solves<'a>(&'a mut self, solved: SolvedProducts<'a>) -> impl Delassus<Block = DMat3> {
        UpdatedProducts { solved, update: &self.update, spikes: &self.spikes, theta: &mut self.theta }
    }

    fn kept_rows(&self) -> Vec<u32> {
        self.scalar.kept_rows()
    }

    fn restore_rows(&mut self, team: &Team, factor: &PanelFactor, rows: &[u32]) -> bool {
        self.drop_update();
        self.scalar.restore_rows(team, factor, rows)
    }

    fn bytes(&self) -> usize {
        self.scalar.bytes() + self.update.bytes() + self.spikes.bytes()
    }
}

impl Delassus for UpdatedEntries {
    type Block = DMat3;

    fn own(&self, point: usize) -> DMat3 {
        self.entry(point, point)
    }

    fn products_into(&mut self, changes: impl Iterator<Item = (usize, DVec3)>, moved: &mut [DVec3]) {
        let UpdatedEntries { scalar, update, spikes, theta, lifts, .. } = self;
        spikes.clear_lifts(lifts);
        let changes = changes.inspect(|(point, by)| spikes.add_change(lifts, *point, *by));
        add_products(scalar, update, theta, changes, moved);
        if !spikes.is_empty() {
            moved.iter_mut().enumerate().for_each(|(i, m)| *m += spikes.displacement(lifts, i));
        }
    }
}

impl Entries for UpdatedEntries {
    type Response = UpdatedResponse;

    fn entry(&self, a: usize, b: usize) -> DMat3 {
        DMat3::alike(self.scalar.entry(a, b)) + self.update.between(a, b) + self.spikes.between(a, b)
    }

    fn version(&self) -> u64 {
        // Neither ever becomes less.
        self.scalar.version() + self.updates
    }

    fn split(&self) -> Option<(&ScalarEntries, &LowRank)> {
        self.spikes.is_empty().then_some((&self.scalar, &self.update))
    }

    fn clear_response(&self, response: &mut UpdatedResponse) {
        self.scalar.clear_response(&mut response.scalar);
        self.update.clear_amplitudes(&mut response.theta);
        self.spikes.clear_lifts(&mut response.lifts);
    }

    fn push(
        &self,
        team: &Team,
        response: &mut UpdatedResponse,
        changes: impl Iterator<Item = (usize, DVec3)>,
    ) {
        let UpdatedResponse { scalar, theta, lifts } = response;
        // One after the other, whatever the number of threads.
        let changes = changes.inspect(|(point, by)| {
            self.update.add_change(theta, *point, *by);
            self.spikes.add_change(lifts, *point, *by);
        });
        self.scalar.push(team, scalar, changes);
    }

    #[inline]
    fn displacement(&self, response: &UpdatedResponse, point: usize) -> DVec3 {
        let fields = self.update.displacement(&response.theta, point);
        self.scalar.displacement(&response.scalar, point) + self.beside(fields, response, point)
    }

    fn waiting(&self) -> usize {
        self.scalar.waiting()
    }

    // The numbers of the fields are always up to date: a block between two points would cost three times as much.
    #[inline]
    fn note(&self, response: &mut UpdatedResponse, point: usize, by: DVec3) {
        self.update.add_change(&mut response.theta, point, by);
        self.spikes.add_change(&mut response.lifts, point, by);
    }

    #[inline]
    fn displacement_with(&self, response: &UpdatedResponse, noted: &[(u32, DVec3)], point: usize) -> DVec3 {
        let numbers = self.scalar.displacement_with(&response.scalar, noted, point);
        let fields = self.update.displacement(&response.theta, point);
        numbers + self.beside(fields, response, point)
    }

    fn mixes_directions(&self) -> bool {
        !self.spikes.is_empty()
    }

    fn push_noted(&self, team: &Team, response: &mut UpdatedResponse, noted: &[(u32, DVec3)]) {
        self.scalar.push_noted(team, &mut response.scalar, noted);
    }
}

/// The operator without entries: a solve, and what the fields add to it.
struct UpdatedProducts<'a> {
    solved: SolvedProducts<'a>,
    update: &'a LowRank,
    spikes: &'a Spikes,
    theta: &'a mut Amplitudes,
}

impl Delassus for UpdatedProducts<'_> {
    type Block = DMat3;

    fn own(&self, point: usize) -> DMat3 {
        debug_assert!(self.spikes.is_empty(), "products by solves know of no spikes");
        DMat3::alike(self.solved.own(point)) + self.update.between(point, point)
    }

    fn products_into(&mut self, changes: impl Iterator<Item = (usize, DVec3)>, moved: &mut [DVec3]) {
        add_products(&mut self.solved, self.update, self.theta, changes, moved);
    }
}

/// Products with an operator of numbers, and what the fields add to them.
fn add_products(
    scalar: &mut impl Delassus<Block = f64>,
    update: &LowRank,
    theta: &mut Amplitudes,
    changes: impl Iterator<Item = (usize, DVec3)>,
    moved: &mut [DVec3],
) {
    update.clear_amplitudes(theta);
    let changes = changes.inspect(|(point, by)| update.add_change(theta, *point, *by));
    scalar.products_into(changes, moved);
    for (point, moved) in moved.iter_mut().enumerate() {
        *moved += update.displacement(theta, point);
    }
}
