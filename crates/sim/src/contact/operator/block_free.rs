//! The operator of a matrix that mixes x, y and z without its entries: `C R P R^T C^T f` by a solve with the factor P.
//!
//! See [`matrix_free`](super::matrix_free): here a vertex has three rows, and may have turned since the factor was made.

use super::{Compliance, Delassus, PointRows, turned};
use pliant_linalg::panels::{PanelFactor, PanelScratch};
use pliant_linalg::{Compliance as KnownEntries, Team};
use pliant_mesh::{DMat3, DVec3};

/// Points whose own responses are found together: neighbours share vertices, but entries between others are not needed.
const TOGETHER: usize = 4;

/// What is known of the operator: how each point answers its own force.
#[derive(Clone, Debug)]
pub(crate) struct BlockFree {
    known: KnownEntries,
    rows: Vec<u32>,
    own: Vec<DMat3>,
    /// Memory of the solves, once there are any.
    scratch: Option<PanelScratch>,
}

impl BlockFree {
    /// For a factor of three rows for each of `n` vertices.
    pub(crate) fn new(n: usize) -> BlockFree {
        BlockFree { known: KnownEntries::new(3 * n), rows: Vec::new(), own: Vec::new(), scratch: None }
    }

    /// The factor is another one.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.scratch = None;
    }

    /// Finds the responses of points to their own forces.
    pub(crate) fn prepare<'a>(
        &mut self,
        team: &Team,
        factor: &PanelFactor,
        points: &[PointRows],
        turn: impl Fn(u32) -> Option<&'a DMat3>,
    ) {
        self.own.clear();
        for some in points.chunks(TOGETHER) {
            self.rows.clear();
            self.rows
                .extend(some.iter().flat_map(PointRows::rows).flat_map(|v| [3 * v, 3 * v + 1, 3 * v + 2]));
            self.rows.sort_unstable();
            self.rows.dedup();
            self.known.require(team, factor, &self.rows);
            let known = &self.known;
            let between = |a: u32, b: u32| {
                let [a, b] = [a, b].map(|v| [0, 1, 2].map(|k| known.place(factor, 3 * v + k)));
                DMat3::from_components(|row, column| f64::from(known.entry(a[row], b[column])))
            };
            self.own.extend(some.iter().map(|p| {
                let mut sum = DMat3::ZERO;
                for (a, wa) in p.terms() {
                    for (b, wb) in p.terms() {
                        sum += wa * wb * turned(between(a, b), turn(a));
                    }
                }
                // The same bits in both triangles.
                0.5 * (sum + sum.transpose())
            }));
        }
    }

    /// The operator between the points that were prepared.
    pub(crate) fn operator<'a, T: Fn(u32) -> Option<&'a DMat3>>(
        &'a mut self,
        team: &'a Team,
        factor: &'a PanelFactor,
        points: &'a [PointRows],
        turn: T,
    ) -> SolvedBlocks<'a, T> {
        let scratch = self.scratch.get_or_insert_with(|| factor.scratch(1));
        SolvedBlocks { own: &self.own, team, factor, scratch, points, turn }
    }

    /// Response of a point to its own force.
    pub(crate) fn own(&self, point: usize) -> DMat3 {
        self.own[point]
    }

    /// Bytes that are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.known.bytes()
    }
}

/// The operator, as products by a solver.
pub(crate) struct SolvedBlocks<'a, T> {
    own: &'a [DMat3],
    team: &'a Team,
    factor: &'a PanelFactor,
    scratch: &'a mut PanelScratch,
    points: &'a [PointRows],
    turn: T,
}

impl<'a, T: Fn(u32) -> Option<&'a DMat3>> Delassus for SolvedBlocks<'a, T> {
    type Block = DMat3;

    fn own(&self, point: usize) -> DMat3 {
        self.own[point]
    }

    fn products_into(&mut self, changes: impl Iterator<Item = (usize, DVec3)>, moved: &mut [DVec3]) {
        let vector = self.scratch.vector_mut(0);
        vector.fill([0.0; 4]);
        for (point, f) in changes {
            for (v, w) in self.points[point].terms() {
                let share = (self.turn)(v).map_or(w * f, |r| r.transpose() * (w * f));
                for k in 0..3 {
                    vector[3 * v as usize + k][0] += share[k] as f32;
                }
            }
        }
        self.factor.solve(self.team, self.scratch);
        let vector = self.scratch.vector(0);
        for (p, moved) in self.points.iter().zip(moved) {
            *moved = DVec3::ZERO;
            for (v, w) in p.terms() {
                let at = |k: usize| f64::from(vector[3 * v as usize + k][0]);
                let x = DVec3::new(at(0), at(1), at(2));
                *moved += w * (self.turn)(v).map_or(x, |r| *r * x);
            }
        }
    }
}
