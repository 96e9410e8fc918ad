//! The operator of a matrix that acts on x, y and z alike: one number for a pair of points, whatever their directions.
//!
//! Entries of `A^-1` between touched vertices are kept for as long as the vertices are touched: a matrix for each
//! connected part of the bodies, since nothing couples two of them. These entries are the operator, and points inside
//! triangles and edges take several rows of it. Where such points are few, the entries between them are combined once:
//! each is used many times. Where they are many that would grow like the square of their number, while the vertices are
//! as many as they are.

use super::{Delassus, FactorEntries, PointRows, SolvedProducts, TERMS};
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::simd::{self, BATCH, Kernel, Simd};
use pliant_linalg::{Compliance as KnownEntries, Team};
use pliant_mesh::DVec3;

/// Entries between points are combined if points have more terms than this on average, and are at most so many.
const COMBINE_FROM: f64 = 1.5;
const COMBINE_UP_TO: usize = 256;

/// The operator of one step. It acts on places: those of the vertices, or those of the points where entries are combined.
#[derive(Clone, Debug)]
pub(crate) struct ScalarEntries {
    compliance: KnownEntries,
    touched: Vec<u32>,
    /// Places and weights of all points, and where those of each point start.
    terms: Vec<(u32, f32)>,
    first_term: Vec<u32>,
    /// Entries between points, if they are combined: `stride` to a row.
    points: Vec<f32>,
    stride: usize,
    combined: bool,
    /// Places and weights of the points in the entries between vertices, while these are combined.
    vertex_terms: Vec<([u32; TERMS], [f32; TERMS], usize)>,
    /// Counts the operators that differ.
    version: u64,
    last_terms: Vec<(u32, f32)>,
    /// Work memory of products: changes of force, and what they do to the places where these are fewer than the terms.
    change: Change,
    moved: Vec<[f32; 3]>,
}

impl FactorEntries for ScalarEntries {
    fn new(n: usize) -> ScalarEntries {
        ScalarEntries {
            compliance: KnownEntries::new(n),
            touched: Vec::new(),
            terms: Vec::new(),
            first_term: Vec::new(),
            points: Vec::new(),
            stride: 0,
            combined: false,
            vertex_terms: Vec::new(),
            version: 0,
            last_terms: Vec::new(),
            change: Change::default(),
            moved: Vec::new(),
        }
    }

    fn build(&mut self, team: &Team, factor: &PanelFactor, points: &[PointRows]) {
        self.touched.clear();
        self.touched.extend(points.iter().flat_map(PointRows::rows));
        self.combined = points.len() <= COMBINE_UP_TO && has_many_terms(self.touched.len(), points.len());
        self.touched.sort_unstable();
        self.touched.dedup();
        let moved = self.compliance.require(team, factor, &self.touched);
        std::mem::swap(&mut self.last_terms, &mut self.terms);
        self.terms.clear();
        self.first_term.clear();
        let place_of = |row: u32| self.compliance.place(factor, row) as u32;
        for (place, p) in points.iter().enumerate() {
            self.first_term.push(self.terms.len() as u32);
            if self.combined {
                self.terms.push((place as u32, 1.0));
            } else {
                self.terms.extend(p.terms().map(|(row, w)| (place_of(row), w as f32)));
            }
        }
        self.first_term.push(self.terms.len() as u32);
        if self.combined {
            self.vertex_terms.clear();
            self.vertex_terms.extend(points.iter().map(|p| {
                // Unused terms have weight zero and any place.
                let used = |k: usize| k < p.count;
                let places = std::array::from_fn(|k| if used(k) { place_of(p.rows[k]) } else { 0 });
                (places, std::array::from_fn(|k| if used(k) { p.weights[k] as f32 } else { 0.0 }), p.count)
            }));
            self.combine(team);
        }
        if moved || self.combined || self.terms != self.last_terms {
            self.version += 1;
        }
    }

    fn skip_build(&mut self) {}

    fn by_solves<'a>(&'a mut self, solved: SolvedProducts<'a>) -> impl Delassus<Block = f64> {
        solved
    }

    fn kept_rows(&self) -> Vec<u32> {
        self.compliance.rows().collect()
    }

    fn restore_rows(&mut self, team: &Team, factor: &PanelFactor, rows: &[u32]) -> bool {
        // Whatever was built before belongs to other entries.
        self.version += 1;
        self.terms.clear();
        self.compliance.restore(team, factor, rows)
    }

    fn bytes(&self) -> usize {
        self.compliance.bytes() + self.points.capacity() * size_of::<f32>()
    }
}

impl ScalarEntries {
    /// Entries between points from those between vertices.
    fn combine(&mut self, team: &Team) {
        let count = self.vertex_terms.len();
        self.stride = count.next_multiple_of(BATCH);
        self.points.clear();
        self.points.resize(count * self.stride, 0.0);
        let (terms, compliance) = (&self.vertex_terms, &self.compliance);
        team.for_each_piece(&mut self.points, self.stride, |first, out| {
            let (places, weights, count) = &terms[first / out.len()];
            for (out, (others, by, other_count)) in out.iter_mut().zip(terms) {
                let mut sum = 0.0;
                for b in 0..*other_count {
                    let other = others[b] as usize;
                    let entry = |a: usize| compliance.entry(places[a] as usize, other);
                    let moved: f32 = (0..*count).map(|a| weights[a] * entry(a)).sum();
                    sum += by[b] * moved;
                }
                *out = sum;
            }
        });
    }

    /// Length of the vectors the operator acts on, a whole number of batches.
    pub(super) fn len(&self) -> usize {
        if self.combined { self.stride } else { self.compliance.len() }
    }

    /// Places and weights of a point.
    #[inline(always)]
    pub(super) fn terms(&self, point: usize) -> &[(u32, f32)] {
        &self.terms[self.first_term[point] as usize..self.first_term[point + 1] as usize]
    }

    /// The places that move with one, as a first one and entries from there on: all other entries are zero.
    #[inline(always)]
    pub(super) fn row(&self, place: u32) -> (usize, &[f32]) {
        if self.combined {
            (0, &self.points[place as usize * self.stride..][..self.stride])
        } else {
            (self.compliance.places_beside(place as usize).start, self.compliance.row(place as usize))
        }
    }

    /// Whether points are sums of so many places that a change of one is better added at once than looked up by others.
    pub(super) fn has_many_terms(&self) -> bool {
        !self.combined && has_many_terms(self.terms.len(), self.first_term.len() - 1)
    }

    /// Displacement of point `a` by a force on point `b`.
    #[inline]
    pub(super) fn between(&self, a: usize, b: usize) -> f64 {
        let mut sum = 0.0;
        for &(place, by) in self.terms(a) {
            let (first, row) = self.row(place);
            for &(other, weight) in self.terms(b) {
                // A place before the first one wraps around to beyond the last.
                let entry = row.get((other as usize).wrapping_sub(first)).copied().unwrap_or(0.0);
                sum += by * weight * entry;
            }
        }
        f64::from(sum)
    }

    /// A number that changes whenever the operator between the points does.
    pub(super) fn version(&self) -> u64 {
        self.version
    }
}

impl Delassus for ScalarEntries {
    type Block = f64;

    #[inline]
    fn own(&self, point: usize) -> f64 {
        self.between(point, point)
    }

    fn products_into(&mut self, changes: impl Iterator<Item = (usize, DVec3)>, moved: &mut [DVec3]) {
        let mut change = std::mem::take(&mut self.change);
        change.clear(self);
        changes.for_each(|(point, by)| change.add(self, point, by));
        if self.terms.len() > self.len() {
            let mut places = std::mem::take(&mut self.moved);
            places.resize(self.len(), [0.0; 3]);
            simd::dispatch(PlaceProducts { w: self, change: &change, moved: &mut places });
            for (i, moved) in moved.iter_mut().enumerate() {
                let mut sum = [0.0; 3];
                for &(place, weight) in self.terms(i) {
                    sum = std::array::from_fn(|k| sum[k] + weight * places[place as usize][k]);
                }
                *moved = DVec3::from_array(sum.map(f64::from));
            }
            self.moved = places;
        } else {
            simd::dispatch(Products { w: self, change: &change, moved });
        }
        self.change = change;
    }
}

/// Whether so many points have many terms each.
fn has_many_terms(terms: usize, points: usize) -> bool {
    terms as f64 > COMBINE_FROM * points as f64
}

/// Changes of force by component, in the places of an operator.
#[derive(Clone, Debug, Default)]
struct Change([Vec<f32>; 3]);

impl Change {
    /// No change.
    fn clear(&mut self, w: &ScalarEntries) {
        for c in &mut self.0 {
            c.clear();
            c.resize(w.len(), 0.0);
        }
    }

    /// Adds a change of the force on a point.
    #[inline(always)]
    fn add(&mut self, w: &ScalarEntries, point: usize, by: DVec3) {
        for &(place, weight) in w.terms(point) {
            for (c, x) in self.0.iter_mut().zip(by.to_array()) {
                c[place as usize] += weight * x as f32;
            }
        }
    }
}

struct Products<'a> {
    w: &'a ScalarEntries,
    change: &'a Change,
    moved: &'a mut [DVec3],
}

impl Kernel for Products<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (i, moved) in self.moved.iter_mut().enumerate() {
            *moved = DVec3::from_array(point_product(s, self.w, i, self.change).map(f64::from));
        }
    }
}

/// What a change of forces does to all places.
struct PlaceProducts<'a> {
    w: &'a ScalarEntries,
    change: &'a Change,
    moved: &'a mut [[f32; 3]],
}

impl Kernel for PlaceProducts<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (place, moved) in self.moved.iter_mut().enumerate() {
            *moved = row_product(s, self.w.row(place as u32), self.change);
        }
    }
}

/// What a change of forces does to a point.
#[inline(always)]
fn point_product<S: Simd>(s: S, w: &ScalarEntries, point: usize, change: &Change) -> [f32; 3] {
    let terms = w.terms(point);
    if let [(place, 1.0)] = terms {
        return row_product(s, w.row(*place), change);
    }
    let mut sum = [0.0; 3];
    for &(place, weight) in terms {
        let part = row_product(s, w.row(place), change);
        sum = std::array::from_fn(|k| sum[k] + weight * part[k]);
    }
    sum
}

/// Products of a row of the operator with the three components.
#[inline(always)]
fn row_product<S: Simd>(s: S, (first, row): (usize, &[f32]), change: &Change) -> [f32; 3] {
    let [x, y, z] = change.0.each_ref().map(|c| &c[first..first + row.len()]);
    // Two sums for each component hide the latency of the FMA.
    let mut sums = [[s.splat(0.0); 3]; 2];
    let mut at = 0;
    while at + 2 * S::LANES <= row.len() {
        for half in 0..2 {
            let from = at + half * S::LANES;
            let a = s.load(&row[from..]);
            for (sum, part) in sums[half].iter_mut().zip([x, y, z]) {
                *sum = s.fma(a, s.load(&part[from..]), *sum);
            }
        }
        at += 2 * S::LANES;
    }
    if at < row.len() {
        let a = s.load(&row[at..]);
        for (sum, part) in sums[0].iter_mut().zip([x, y, z]) {
            *sum = s.fma(a, s.load(&part[at..]), *sum);
        }
    }
    let [a, b] = sums;
    [s.sum(s.add(a[0], b[0])), s.sum(s.add(a[1], b[1])), s.sum(s.add(a[2], b[2]))]
}
