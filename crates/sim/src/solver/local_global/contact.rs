//! Contact within the iteration: forces enter the residual, and are corrected after each global step.
//!
//! The global step gives the positions that the forces of the last iteration would lead to. The contact problem
//! `(C A^-1 C^T)` then changes the forces so that nothing overlaps or slides as it should not, and a second solve
//! moves the bodies accordingly [Zeng25, algorithm 4]. Both solves are for increments that tend to zero. The points of
//! the problem are those of [`Rows`]; here are the factor of A and the order of the vertices.

use super::{PIECE, Vec4};
use crate::contact::methods::{ByProducts, Methods, PointSolve, Problem};
use crate::contact::operator::{
    Compliance, Delassus, FactorEntries, MatrixFree, PointRows, ScalarEntries, UpdatedEntries,
};
use crate::contact::places::Places;
use crate::contact::rows::Rows;
use crate::contact::{ContactConfig, Contacts, OperatorChoice};
use pliant_linalg::Team;
use pliant_linalg::panels::PanelFactor;
use pliant_mesh::DVec3;
use std::sync::Arc;

/// Points of sheets in contact from which on they are crowded.
const CROWDED: usize = 256;

/// The contact problem of the solver, with an operator of A alone or with a change of it. A row of the operator is a free
/// vertex in solver order.
#[derive(Clone, Debug)]
pub(crate) struct ContactStep<W: FactorEntries = ScalarEntries> {
    rows: Rows,
    problem: Problem<W::Block>,
    methods: Methods<W>,
    entries: W,
    /// Takes the place of the entries where they do not pay.
    matrix_free: MatrixFree,
    /// The method, if it runs without entries.
    by_products: Option<ByProducts>,
    /// The factor that the operator is built with: always there if there may be contact.
    panels: Option<Arc<PanelFactor>>,
    /// Number of free vertices.
    free: usize,
    /// Whether most contacts of this step are of sheets near themselves or other bodies.
    mostly_folds: bool,
    /// Whether the places at which normals are taken follow the bodies without swinging.
    normals_swing: bool,
    /// Positions in vertex order, and where directions are taken.
    x: Vec<DVec3>,
    places: Places,
    /// h^2 in s^2.
    h2: f64,
    /// Tensions of the cables before the last [`solve`](Self::solve), N.
    old_tensions: Vec<f64>,
}

impl<W: FactorEntries<Block: PointSolve>> ContactStep<W> {
    /// For a solver with time step `h` and bodies of this `size`, with the factor of A as `panels` if there may be contact.
    pub fn new(
        config: ContactConfig,
        panels: Option<Arc<PanelFactor>>,
        masses: Vec<f64>,
        n: usize,
        h: f64,
        size: f64,
    ) -> Self {
        let free = masses.len();
        ContactStep {
            rows: Rows::new(masses, h),
            problem: Problem::new(h),
            methods: Methods::new(config, size),
            entries: W::new(free),
            matrix_free: MatrixFree::new(free),
            by_products: None,
            panels,
            free,
            mostly_folds: false,
            normals_swing: false,
            x: vec![DVec3::ZERO; n],
            places: Places::default(),
            h2: h * h,
            old_tensions: Vec::new(),
        }
    }

    /// Takes over the contacts of a step.
    pub fn begin(&mut self, contacts: &Contacts, index_of: &[u32]) {
        self.methods.begin();
        self.places.begin();
        self.mostly_folds = contacts.are_mostly_folds();
        self.normals_swing = !self.mostly_folds && contacts.are_on_round_obstacles();
        // The last step may have ended in a metric of another length.
        self.problem.h2 = self.h2;
        self.rows.set_h2(self.h2);
        self.rows.begin(contacts, self.methods.keeps_all_contacts(), row_of(index_of, self.free));
    }

    /// Whether there is nothing to do in this step.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether sheets touch themselves or other bodies in so many points that their forces are found one after the other.
    pub fn is_crowded(&self) -> bool {
        self.by_products.is_none() && self.mostly_folds && self.rows.points().len() > CROWDED
    }

    /// Adds `h^2 C^T f` of the present forces to the residual.
    pub fn add_forces(&self, contacts: &Contacts, residual: &mut [Vec4]) {
        self.rows.loads(contacts).for_each(|(point, f)| add_force(point, self.h2, f, residual));
    }

    /// Directions for the positions `q`.
    pub fn refresh(&mut self, team: &Team, contacts: &mut Contacts, index_of: &[u32], q: &[Vec4]) {
        team.for_each_piece(&mut self.x, PIECE, |first, x| {
            for (x, &i) in x.iter_mut().zip(&index_of[first..]) {
                *x = q[i as usize].point();
            }
        });
        match self.normals_swing {
            true => contacts.refresh(self.places.follow(team, &self.x)),
            false => contacts.refresh(&self.x),
        }
    }

    /// The iteration that the last [`refresh`](Self::refresh) was for is accepted.
    pub fn accept(&mut self) {
        self.places.accept();
    }

    /// Adds what has come to touch at the positions of the last [`refresh`](Self::refresh), and builds the operator.
    ///
    /// # Panics
    /// If something touches and there is no factor.
    pub fn grow(&mut self, team: &Team, contacts: &Contacts, index_of: &[u32], x_t0: &[DVec3]) {
        let changed = self.rows.grow(contacts, &self.x, row_of(index_of, self.free));
        if !changed || self.rows.points().is_empty() {
            return;
        }
        let panels = &*self.panels.clone().expect(PANELS);
        self.by_products = self.methods.by_products().filter(|m| self.is_matrix_free(m, panels));
        let ContactStep { rows, problem, entries, matrix_free, by_products, .. } = self;
        if by_products.is_some() {
            matrix_free.prepare(team, panels, rows.points());
            entries.skip_build();
            rows.describe(problem, contacts, |i| W::Block::alike(matrix_free.own(i)), x_t0);
        } else {
            entries.build(team, panels, rows.points());
            rows.describe(problem, contacts, |i| entries.own(i), x_t0);
        }
        rows.list_islands(problem, panels.parts(), |row| panels.part_of(row));
    }

    /// Whether a method that needs nothing but products forms them by solves.
    fn is_matrix_free(&self, method: &ByProducts, panels: &PanelFactor) -> bool {
        let touched = self.rows.points().iter().map(|p| p.rows().len()).sum();
        !self.rows.has_cables_or_needles()
            && match method.operator() {
                OperatorChoice::Automatic => MatrixFree::pays(panels, touched),
                OperatorChoice::Entries => false,
                OperatorChoice::MatrixFree => true,
            }
    }

    /// Finds the forces for the positions of the last [`refresh`](Self::refresh), which the old forces have led to, after
    /// [`grow`](Self::grow). The global step that led to them had this `correction`.
    pub fn solve(&mut self, team: &Team, contacts: &mut Contacts, correction: f64) {
        self.old_tensions.clear();
        self.old_tensions.extend(contacts.joints().cables.iter().map(|c| c.tension));
        let ContactStep { rows, problem, methods, entries, matrix_free, by_products, panels, x, .. } = self;
        rows.update(problem, contacts, x, entries);
        if !rows.points().is_empty() {
            match by_products {
                Some(method) => {
                    let panels = panels.as_deref().expect(PANELS);
                    let solved = matrix_free.operator(team, panels, rows.points());
                    let mut operator = entries.by_solves(solved);
                    methods.solve_by_products(&mut operator, problem, method);
                }
                None => {
                    methods.solve(team, entries, problem, correction);
                }
            }
        }
        rows.hand_over(problem, contacts);
    }

    /// Gives the contacts the part `kept` of what the last [`solve`](Self::solve) has changed of their forces. Both ends are
    /// inside the cones of friction, and so is what is between them.
    pub fn shorten_changes(&mut self, contacts: &mut Contacts, kept: f64) {
        if self.is_empty() {
            return;
        }
        let ContactStep { rows, problem, old_tensions, .. } = self;
        for (force, old) in problem.forces.iter_mut().zip(&problem.at_start) {
            *force = old + kept * (*force - old);
        }
        for (row, old) in problem.cables.iter_mut().zip(old_tensions) {
            row.tension = *old + kept * (row.tension - *old);
        }
        rows.hand_over(problem, contacts);
    }

    /// `h^2 C^T df` of the last change of the forces, `t h^2` in a metric of the part t.
    pub fn changes_into(&self, residual: &mut [Vec4]) {
        residual.fill(Vec4::default());
        let changes = self.rows.changes(&self.problem);
        changes.for_each(|(point, df)| add_force(point, self.problem.h2, df, residual));
    }

    /// Gives the operator a factor to be built with.
    pub fn use_panels(&mut self, panels: Arc<PanelFactor>) {
        self.panels = Some(panels);
    }

    /// Whether it has one.
    pub fn has_panels(&self) -> bool {
        self.panels.is_some()
    }

    /// The order in which the operator lists vertices: all that it keeps from step to step besides what it can compute.
    pub fn kept_rows(&self) -> Vec<u32> {
        self.entries.kept_rows()
    }

    /// Takes over an order of [`kept_rows`](Self::kept_rows); returns whether it is one.
    pub fn restore_rows(&mut self, team: &Team, rows: &[u32]) -> bool {
        match &self.panels {
            Some(panels) => self.entries.restore_rows(team, panels, rows),
            // They were of holds that are gone, for a linear solver without panels.
            None => true,
        }
    }

    /// Bytes of the operator, without the factor.
    pub fn bytes(&self) -> usize {
        self.entries.bytes() + self.matrix_free.bytes()
    }

    /// Bytes of the factor.
    pub fn panel_bytes(&self) -> usize {
        self.panels.as_ref().map_or(0, |p| p.bytes())
    }
}

impl ContactStep<UpdatedEntries> {
    /// Adds fields to the operator, after [`grow`](Self::grow) and before [`solve`](Self::solve): see
    /// [`UpdatedEntries::set_update`]. They stay until the points change. Forces move the points by the part `t` of what
    /// the operator says.
    pub fn set_update(
        &mut self,
        t: f64,
        rank: usize,
        part_of: impl Fn(u32) -> Option<u32>,
        columns: impl Fn(u32, &mut [DVec3]),
        spike: impl Fn(u32) -> Option<DVec3>,
        s: &[f64],
    ) {
        let ContactStep { rows, problem, entries, matrix_free, by_products, .. } = self;
        problem.h2 = t * self.h2;
        rows.set_h2(problem.h2);
        if rows.points().is_empty() {
            return;
        }
        entries.set_update(rows.points(), rank, part_of, columns, s);
        entries.set_spikes(rows.points(), spike);
        if by_products.is_some() {
            rows.describe_responses(problem, |i| entries.own_from(matrix_free.own(i), i));
        } else {
            rows.describe_responses(problem, |i| entries.own(i));
        }
    }
}

/// The contacts of the step, and who finds their forces.
pub(super) struct Touch<'a, W: FactorEntries> {
    pub(super) contact: &'a mut ContactStep<W>,
    pub(super) contacts: &'a mut Contacts,
    pub(super) index_of: &'a [u32],
}

impl<W: FactorEntries<Block: PointSolve>> Touch<'_, W> {
    /// How far cloth is taken to move across its plane, where it may move as easily as it does: freely, and in a crowd of
    /// contacts by no more than the last step and the margin. Few contacts want it to move as A says, for the metric is
    /// then right for small motions alone.
    pub(super) fn reach_across(&self, last: f64) -> Option<f64> {
        match self.contact.is_empty() {
            true => Some(0.0),
            false => self.contact.is_crowded().then_some(last.min(self.contacts.margin())),
        }
    }
}

/// What holds wherever there is a point of the problem.
const PANELS: &str = "a solver for contact or holds has panels of its factor";

/// The row of the operator that a vertex has; none where it is pinned.
fn row_of(index_of: &[u32], free: usize) -> impl Fn(u32) -> Option<u32> {
    move |v| Some(index_of[v as usize]).filter(|row| (*row as usize) < free)
}

fn add_force(point: &PointRows, h2: f64, force: DVec3, residual: &mut [Vec4]) {
    for (row, w) in point.terms() {
        residual[row as usize] += h2 * w * force;
    }
}

#[cfg(test)]
mod tests;
