//! The Delassus operator without its entries: `C A^-1 C^T f` by a solve with the factor of A.
//!
//! A product costs a global solve, whatever the number of contacts, and needs no memory. Where the touched vertices are many
//! and the factor is thin, as for cloth, this is less than a product with the entries and saves to compute them.

use super::delassus::PointRows;
use pliant_linalg::panels::{PanelFactor, PanelScratch};
use pliant_linalg::{Compliance, Team};
use pliant_mesh::Point;

/// Points whose own responses are found together: few enough for their entries to stay in the cache.
const TOGETHER: usize = 16;

/// Memory of the operator.
#[derive(Debug)]
pub struct Unbuilt {
    compliance: Compliance,
    rows: Vec<u32>,
    /// Response of each point to its own force, over h^2.
    own: Vec<f64>,
    /// Memory of the solves, once there are any.
    scratch: Option<PanelScratch>,
}

impl Unbuilt {
    /// For a factor of `n` rows.
    pub fn new(n: usize) -> Unbuilt {
        Unbuilt { compliance: Compliance::new(n), rows: Vec::new(), own: Vec::new(), scratch: None }
    }

    /// Whether products by solves cost less than products with the entries between so many vertices.
    pub fn pays(factor: &PanelFactor, touched: usize) -> bool {
        touched * touched > factor.bytes() / size_of::<f32>()
    }

    /// Finds the responses of points to their own forces.
    pub fn prepare(&mut self, team: &Team, factor: &PanelFactor, points: &[PointRows]) {
        self.own.clear();
        for some in points.chunks(TOGETHER) {
            self.rows.clear();
            self.rows.extend(some.iter().flat_map(|p| &p.rows[..p.count]));
            self.rows.sort_unstable();
            self.rows.dedup();
            self.compliance.require(team, factor, &self.rows);
            let slot = |row: u32| self.compliance.slot(row);
            self.own.extend(some.iter().map(|p| {
                let mut sum = 0.0;
                for (a, wa) in p.rows.iter().zip(&p.weights).take(p.count) {
                    for (b, wb) in p.rows.iter().zip(&p.weights).take(p.count) {
                        sum += wa * wb * f64::from(self.compliance.entry(slot(*a), slot(*b)));
                    }
                }
                sum
            }));
        }
    }

    /// Response of a point to its own force, over h^2.
    pub fn own(&self, point: usize) -> f64 {
        self.own[point]
    }

    /// Memory of the solves with `factor`.
    pub fn scratch(&mut self, factor: &PanelFactor) -> &mut PanelScratch {
        self.scratch.get_or_insert_with(|| factor.scratch(1))
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.compliance.bytes()
    }
}

/// What forces on points do to them, over h^2.
pub fn products_by_solve(
    team: &Team,
    (factor, scratch): (&PanelFactor, &mut PanelScratch),
    points: &[PointRows],
    forces: &[Point],
    moved: &mut [[f32; 3]],
) {
    let vector = scratch.vector_mut(0);
    vector.fill([0.0; 4]);
    for (p, f) in points.iter().zip(forces) {
        for (&row, &w) in p.rows.iter().zip(&p.weights).take(p.count) {
            for k in 0..3 {
                vector[row as usize][k] += (w * f[k]) as f32;
            }
        }
    }
    factor.solve(team, scratch);
    let vector = scratch.vector(0);
    for (p, moved) in points.iter().zip(moved) {
        *moved = [0.0; 3];
        for (&row, &w) in p.rows.iter().zip(&p.weights).take(p.count) {
            let x = &vector[row as usize];
            *moved = std::array::from_fn(|k| moved[k] + w as f32 * x[k]);
        }
    }
}
