//! The operator without its entries: `C A^-1 C^T f` by a solve with the factor of A.
//!
//! A product costs a global solve, whatever the number of contacts, and needs no memory. Where the touched vertices are many
//! and the factor is thin, as for cloth, this is less than a product with the entries and saves to compute them.

use super::{Delassus, PointRows};
use pliant_linalg::panels::{PanelFactor, PanelScratch};
use pliant_linalg::{Compliance as KnownEntries, Team};
use pliant_mesh::DVec3;

/// Points whose own responses are found together: few enough for their entries to stay in the cache.
const TOGETHER: usize = 16;

/// What is known of the operator: how each point answers its own force.
#[derive(Clone, Debug)]
pub(crate) struct MatrixFree {
    compliance: KnownEntries,
    rows: Vec<u32>,
    /// Response of each point to its own force, over h^2.
    own: Vec<f64>,
    /// Memory of the solves, once there are any.
    scratch: Option<PanelScratch>,
}

impl MatrixFree {
    /// For a factor of `n` rows.
    pub(crate) fn new(n: usize) -> MatrixFree {
        MatrixFree { compliance: KnownEntries::new(n), rows: Vec::new(), own: Vec::new(), scratch: None }
    }

    /// Whether products by solves cost less than products with the entries between so many vertices.
    pub(crate) fn pays(factor: &PanelFactor, touched: usize) -> bool {
        touched * touched > factor.entries_per_solve()
    }

    /// Finds the responses of points to their own forces.
    pub(crate) fn prepare(&mut self, team: &Team, factor: &PanelFactor, points: &[PointRows]) {
        self.own.clear();
        for some in points.chunks(TOGETHER) {
            self.rows.clear();
            self.rows.extend(some.iter().flat_map(PointRows::rows));
            self.rows.sort_unstable();
            self.rows.dedup();
            self.compliance.require(team, factor, &self.rows);
            let place = |row: u32| self.compliance.place(factor, row);
            self.own.extend(some.iter().map(|p| {
                let mut sum = 0.0;
                for (a, wa) in p.terms() {
                    for (b, wb) in p.terms() {
                        sum += wa * wb * f64::from(self.compliance.entry(place(a), place(b)));
                    }
                }
                sum
            }));
        }
    }

    /// The operator between the points that were prepared.
    pub(crate) fn operator<'a>(
        &'a mut self,
        team: &'a Team,
        factor: &'a PanelFactor,
        points: &'a [PointRows],
    ) -> SolvedProducts<'a> {
        let scratch = self.scratch.get_or_insert_with(|| factor.scratch(1));
        SolvedProducts { own: &self.own, team, factor, scratch, points }
    }

    /// Response of a point to its own force, over h^2.
    pub(crate) fn own(&self, point: usize) -> f64 {
        self.own[point]
    }

    /// Bytes that are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.compliance.bytes()
    }
}

/// The operator, as products by a solver.
pub(crate) struct SolvedProducts<'a> {
    own: &'a [f64],
    team: &'a Team,
    factor: &'a PanelFactor,
    scratch: &'a mut PanelScratch,
    points: &'a [PointRows],
}

impl Delassus for SolvedProducts<'_> {
    type Block = f64;

    fn own(&self, point: usize) -> f64 {
        self.own[point]
    }

    fn products_into(&mut self, changes: impl Iterator<Item = (usize, DVec3)>, moved: &mut [DVec3]) {
        let vector = self.scratch.vector_mut(0);
        vector.fill([0.0; 4]);
        for (point, f) in changes {
            for (row, w) in self.points[point].terms() {
                let share = w * f;
                for k in 0..3 {
                    vector[row as usize][k] += share[k] as f32;
                }
            }
        }
        self.factor.solve(self.team, self.scratch);
        let vector = self.scratch.vector(0);
        for (p, moved) in self.points.iter().zip(moved) {
            let mut sum = [0.0; 3];
            for (row, w) in p.terms() {
                let x = &vector[row as usize];
                sum = std::array::from_fn(|k| sum[k] + w as f32 * x[k]);
            }
            *moved = DVec3::from_array(sum.map(f64::from));
        }
    }
}
