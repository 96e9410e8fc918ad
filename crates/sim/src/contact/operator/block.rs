//! The operator of a matrix that mixes x, y and z: a 3x3 block for a pair of points.
//!
//! A has three rows for each vertex, so the compliance between two vertices is a block, and between two points
//! `W_pq = sum_ab w_a w_b [A^-1]_ab` is one, too. The blocks between all points are one dense symmetric matrix: columns
//! are rows, and a change of force adds three of them.

use super::{Compliance, Delassus, Entries, PointRows, long_dot};
use bytemuck::cast_slice;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::{Compliance as KnownEntries, Team};
use pliant_mesh::{DMat3, DVec3};

/// Numbers of a response that a thread takes at a time.
const PIECE: usize = 512;

/// Columns that are mirrored together.
const TILE: usize = 32;

/// Threads share the work from this many products on.
const WORTH_SHARING: usize = 32 << 10;

/// The operator between the points of a problem.
#[derive(Clone, Debug)]
pub(crate) struct BlockEntries {
    /// Entries between the rows of touched vertices.
    known: KnownEntries,
    /// Vertices of the points, their rows of the factor, and the places of these by vertex.
    touched: Vec<u32>,
    rows: Vec<u32>,
    places: Vec<[u32; 3]>,
    /// The place of a vertex among the touched ones.
    slots: Vec<u32>,
    /// Compliance between touched vertices, and between points and touched vertices: three rows each.
    vertices: Vec<f64>,
    halves: Vec<f64>,
    points: Vec<PointRows>,
    /// Three rows and columns for each point.
    matrix: Vec<f64>,
    /// Counts the operators that differ.
    version: u64,
    /// Work memory of products.
    change: Vec<DVec3>,
}

/// Displacements over h^2 of all points.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockResponse {
    places: Vec<f64>,
    pushes: Vec<(u32, DVec3)>,
}

impl BlockEntries {
    /// For a factor of three rows for each of `n` vertices.
    pub(crate) fn new(n: usize) -> BlockEntries {
        BlockEntries {
            known: KnownEntries::new(3 * n),
            touched: Vec::new(),
            rows: Vec::new(),
            places: vec![[0; 3]; n],
            slots: vec![0; n],
            vertices: Vec::new(),
            halves: Vec::new(),
            points: Vec::new(),
            matrix: Vec::new(),
            version: 0,
            change: Vec::new(),
        }
    }

    /// Forgets the entries: the factor is another one.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.clear_points();
    }

    /// Forgets what was put together for the points: their vertices have turned.
    pub(crate) fn clear_points(&mut self) {
        self.points.clear();
        self.version += 1;
    }

    /// Prepares the operator between `points`, whose rows are vertices: vertex v has the rows 3 v to 3 v + 2 of the factor. A
    /// vertex may have turned since the factor was made. Returns how many vertices are new among those that are touched,
    /// and how many are known from before.
    pub(crate) fn build<'a>(
        &mut self,
        team: &Team,
        factor: &PanelFactor,
        points: &[PointRows],
        turn: impl Fn(u32) -> Option<&'a DMat3> + Sync,
    ) -> (usize, usize) {
        self.list_touched(points);
        let counts = self.require(team, factor);
        let known = std::mem::take(&mut self.known);
        let places = std::mem::take(&mut self.places);
        self.build_from(team, points, |a, b| {
            let [x, y, z] = places[a as usize].map(|p| known.row(p as usize));
            let first = known.places_beside(places[a as usize][0] as usize);
            let others = places[b as usize];
            if !first.contains(&(others[0] as usize)) {
                return DMat3::ZERO;
            }
            let block = DMat3::from_components(|row, column| {
                f64::from([x, y, z][row][others[column] as usize - first.start])
            });
            turned(block, turn(a))
        });
        self.known = known;
        self.places = places;
        counts
    }

    /// The same operator by a solve for each touched vertex [Zeng22, algorithm 1], as `build` without paths and without
    /// memory.
    pub(crate) fn build_by_solves<'a>(
        &mut self,
        team: &Team,
        factor: &PanelFactor,
        points: &[PointRows],
        turn: impl Fn(u32) -> Option<&'a DMat3> + Sync,
    ) -> (usize, usize) {
        self.list_touched(points);
        let touched = std::mem::take(&mut self.touched);
        let count = touched.len();
        let mut blocks = vec![DMat3::ZERO; count * count];
        let mut scratch = factor.scratch(1);
        for (i, &v) in touched.iter().enumerate() {
            let vector = scratch.vector_mut(0);
            vector.fill([0.0; 4]);
            // The three columns of a vertex are three right-hand sides of one solve.
            for k in 0..3 {
                vector[3 * v as usize + k][k] = 1.0;
            }
            factor.solve(team, &mut scratch);
            for (j, &w) in touched.iter().enumerate() {
                let at =
                    |row: usize, column: usize| f64::from(scratch.vector(0)[3 * w as usize + row][column]);
                blocks[j * count + i] = DMat3::from_components(at);
            }
        }
        let index = |row: u32| touched.binary_search(&row).expect("a touched vertex");
        self.build_from(team, points, |a, b| turned(blocks[index(a) * count + index(b)], turn(a)));
        (count, 0)
    }

    /// The responses of the points to their own forces alone, as if no contact moved another one.
    pub(crate) fn build_diagonal<'a>(
        &mut self,
        team: &Team,
        factor: &PanelFactor,
        points: &[PointRows],
        turn: impl Fn(u32) -> Option<&'a DMat3> + Sync,
    ) -> (usize, usize) {
        let counts = self.build(team, factor, points, turn);
        let width = self.width();
        for (own, rows) in self.matrix.chunks_exact_mut((3 * width).max(1)).enumerate() {
            for row in rows.chunks_exact_mut(width) {
                row[..3 * own].fill(0.0);
                row[3 * own + 3..].fill(0.0);
            }
        }
        counts
    }

    /// The vertices of the points, ascending.
    fn list_touched(&mut self, points: &[PointRows]) {
        self.touched.clear();
        self.touched.extend(points.iter().flat_map(PointRows::rows));
        self.touched.sort_unstable();
        self.touched.dedup();
    }

    /// Makes sure that the entries between touched vertices are known, and finds their places.
    fn require(&mut self, team: &Team, factor: &PanelFactor) -> (usize, usize) {
        let BlockEntries { known, touched, rows, places, .. } = self;
        rows.clear();
        rows.extend(touched.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]));
        let old = touched.iter().filter(|&&v| known.knows(3 * v)).count();
        known.require(team, factor, rows);
        for &v in &*touched {
            places[v as usize] = [0, 1, 2].map(|k| known.place(factor, 3 * v + k) as u32);
        }
        (touched.len() - old, old)
    }

    /// Prepares the operator between `points` from the compliance between vertices, whatever it comes from.
    ///
    /// Points have several vertices each and share them, so the sums are taken on one side after the other:
    /// `W = C (V C^T)`.
    pub(crate) fn build_from(
        &mut self,
        team: &Team,
        points: &[PointRows],
        between: impl Fn(u32, u32) -> DMat3 + Sync,
    ) {
        if self.points == points {
            return;
        }
        self.version += 1;
        self.points.clear();
        self.points.extend_from_slice(points);
        self.list_touched(points);
        self.fill_vertices(team, between);
        self.fill_halves(team, points);
        self.fill_matrix(team, points);
    }

    /// The compliance between touched vertices: three rows of three numbers for each of them.
    fn fill_vertices(&mut self, team: &Team, between: impl Fn(u32, u32) -> DMat3 + Sync) {
        let BlockEntries { touched, slots, vertices, .. } = self;
        let width = 3 * touched.len();
        for (slot, &v) in (0..).zip(&*touched) {
            slots[v as usize] = slot;
        }
        vertices.resize(width * width, 0.0);
        team.for_each_piece(vertices, (3 * width).max(1), |first, rows| {
            let own = touched[first / (3 * width)];
            let (x, yz) = rows.split_at_mut(width);
            let (y, z) = yz.split_at_mut(width);
            let places = x.chunks_exact_mut(3).zip(y.chunks_exact_mut(3)).zip(z.chunks_exact_mut(3));
            for (((x, y), z), &v) in places.zip(&*touched) {
                let block = between(own, v);
                block.row(0).write_to_slice(x);
                block.row(1).write_to_slice(y);
                block.row(2).write_to_slice(z);
            }
        });
    }

    /// How forces on the touched vertices move the points: sums of rows.
    fn fill_halves(&mut self, team: &Team, points: &[PointRows]) {
        let BlockEntries { touched, slots, vertices, halves, .. } = self;
        let length = 9 * touched.len();
        halves.resize(points.len() * length, 0.0);
        team.for_each_piece(halves, length.max(1), |first, rows| {
            rows.fill(0.0);
            for (v, by) in points[first / length].terms() {
                let of_vertex = &vertices[slots[v as usize] as usize * length..][..length];
                rows.iter_mut().zip(of_vertex).for_each(|(sum, x)| *sum += by * x);
            }
        });
    }

    /// The operator: the upper triangle, and the same numbers in the lower one.
    fn fill_matrix(&mut self, team: &Team, points: &[PointRows]) {
        let BlockEntries { touched, slots, halves, matrix, .. } = self;
        let (width, length) = (3 * points.len(), 3 * touched.len());
        matrix.resize(width * width, 0.0);
        let halves = &*halves;
        team.for_each_piece(matrix, (3 * width).max(1), |first, rows| {
            let own = first / (3 * width);
            for (k, row) in rows.chunks_exact_mut(width).enumerate() {
                let half = &halves[(3 * own + k) * length..][..length];
                for (point, out) in points.iter().zip(row.chunks_exact_mut(3)).skip(own) {
                    let mut sum = DVec3::ZERO;
                    for (v, by) in point.terms() {
                        sum += by * DVec3::from_slice(&half[3 * slots[v as usize] as usize..]);
                    }
                    sum.write_to_slice(out);
                }
            }
        });
        // Some columns at a time, so that what is written stays in the cache.
        for first in (0..width).step_by(TILE) {
            for row in first..width {
                for column in first..row.min(first + TILE) {
                    matrix[row * width + column] = matrix[column * width + row];
                }
            }
        }
    }

    /// The touched vertices, ascending.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// How far forces on the touched vertices, given for all vertices, move these, after [`build`](Self::build).
    pub(crate) fn move_touched<'a>(
        &self,
        team: &Team,
        forces: &[DVec3],
        turn: impl Fn(u32) -> Option<&'a DMat3> + Sync,
        moved: &mut Vec<DVec3>,
    ) {
        let BlockEntries { known, places, touched, .. } = self;
        moved.clear();
        moved.resize(touched.len(), DVec3::ZERO);
        team.for_each_piece(moved, 8, |first, moved| {
            for (moved, &v) in moved.iter_mut().zip(&touched[first..]) {
                let own = places[v as usize];
                let beside = known.places_beside(own[0] as usize);
                let rows = own.map(|place| known.row(place as usize));
                let mut sum = DVec3::ZERO;
                for &u in touched {
                    let [x, y, z] = places[u as usize].map(|place| place as usize);
                    if forces[u as usize] == DVec3::ZERO || !beside.contains(&x) {
                        continue;
                    }
                    let force = turn(u).map_or(forces[u as usize], |r| r.transpose() * forces[u as usize]);
                    let at = |row: &[f32]| {
                        let entry = |place: usize| f64::from(row[place - beside.start]);
                        entry(x) * force.x + entry(y) * force.y + entry(z) * force.z
                    };
                    sum += DVec3::new(at(rows[0]), at(rows[1]), at(rows[2]));
                }
                *moved = turn(v).map_or(sum, |r| *r * sum);
            }
        });
    }

    /// Bytes of the operator and of what is kept for it.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.vertices.capacity() + self.halves.capacity() + self.matrix.capacity();
        self.known.bytes() + numbers * size_of::<f64>()
    }

    fn width(&self) -> usize {
        3 * self.points.len()
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.matrix[row * self.width()..][..self.width()]
    }
}

/// A block between vertices of a part that has turned by R since: `R W R^T`.
pub(super) fn turned(block: DMat3, turn: Option<&DMat3>) -> DMat3 {
    turn.map_or(block, |r| *r * block * r.transpose())
}

impl Delassus for BlockEntries {
    type Block = DMat3;

    fn own(&self, point: usize) -> DMat3 {
        self.entry(point, point)
    }

    fn products_into(&mut self, changes: impl Iterator<Item = (usize, DVec3)>, moved: &mut [DVec3]) {
        let mut change = std::mem::take(&mut self.change);
        change.clear();
        change.resize(self.points.len(), DVec3::ZERO);
        for (point, by) in changes {
            change[point] += by;
        }
        for (i, moved) in moved.iter_mut().enumerate() {
            let along = |k: usize| long_dot(self.row(3 * i + k), cast_slice(&change));
            *moved = DVec3::new(along(0), along(1), along(2));
        }
        self.change = change;
    }
}

impl Entries for BlockEntries {
    type Response = BlockResponse;

    fn entry(&self, a: usize, b: usize) -> DMat3 {
        DMat3::from_components(|row, column| self.row(3 * a + row)[3 * b + column])
    }

    fn version(&self) -> u64 {
        self.version
    }

    fn clear_response(&self, response: &mut BlockResponse) {
        response.places.clear();
        response.places.resize(self.width(), 0.0);
    }

    fn push(&self, team: &Team, response: &mut BlockResponse, changes: impl Iterator<Item = (usize, DVec3)>) {
        let BlockResponse { places, pushes } = response;
        pushes.clear();
        pushes.extend(changes.map(|(point, by)| (point as u32, by)));
        let alone = 3 * pushes.len() * places.len() < WORTH_SHARING;
        let piece = if alone { places.len().max(1) } else { PIECE };
        team.for_each_piece(places, piece, |first, places| {
            let columns = first..first + places.len();
            for (point, by) in &*pushes {
                let point = 3 * *point as usize;
                let [x, y, z] = [0, 1, 2].map(|k| &self.row(point + k)[columns.clone()]);
                for (i, place) in places.iter_mut().enumerate() {
                    *place += x[i] * by.x + y[i] * by.y + z[i] * by.z;
                }
            }
        });
    }

    fn displacement(&self, response: &BlockResponse, point: usize) -> DVec3 {
        DVec3::from_slice(&response.places[3 * point..])
    }
}
