//! How far all points have moved by the changes of force so far: `W df`, kept up to date change by change.

use super::Entries;
use super::scalar::ScalarEntries;
use pliant_linalg::Team;
use pliant_linalg::simd::{self, BATCH, Kernel, Simd};
use pliant_mesh::DVec3;

/// Floats of a batch: x of all its places, then y, then z.
const GROUP: usize = 3 * BATCH;

/// Batches that a thread takes at a time.
const PIECE: usize = 16 * GROUP;

/// Threads share the work from this many products on.
const WORTH_SHARING: usize = 32 << 10;

/// Rows that are added together, so that a place is loaded and stored once for several of them.
const ROWS: usize = 4;

/// Displacements over h^2 in the places of an operator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    places: Vec<f32>,
    /// Rows of the operator that are to be added, and the changes of force there.
    pushes: Vec<(u32, [f32; 3])>,
}

impl Entries for ScalarEntries {
    type Response = Response;

    #[inline]
    fn entry(&self, a: usize, b: usize) -> f64 {
        self.between(a, b)
    }

    fn version(&self) -> u64 {
        ScalarEntries::version(self)
    }

    fn clear_response(&self, response: &mut Response) {
        response.clear(self);
    }

    fn push(&self, team: &Team, response: &mut Response, changes: impl Iterator<Item = (usize, DVec3)>) {
        response.push(team, self, changes);
    }

    #[inline(always)]
    fn displacement(&self, response: &Response, point: usize) -> DVec3 {
        response.at(self, point)
    }
}

impl Response {
    /// Nothing has moved.
    fn clear(&mut self, w: &ScalarEntries) {
        self.places.clear();
        self.places.resize(3 * w.len(), 0.0);
    }

    /// Displacement of a point.
    #[inline(always)]
    fn at(&self, w: &ScalarEntries, point: usize) -> DVec3 {
        let mut sum = [0.0; 3];
        for &(place, weight) in w.terms(point) {
            let place = place as usize;
            let x = place / BATCH * GROUP + place % BATCH;
            sum = std::array::from_fn(|k| sum[k] + weight * self.places[x + k * BATCH]);
        }
        DVec3::from_array(sum.map(f64::from))
    }

    /// Adds the effect of changes of the forces on some points.
    fn push(&mut self, team: &Team, w: &ScalarEntries, changes: impl Iterator<Item = (usize, DVec3)>) {
        self.pushes.clear();
        for (point, by) in changes {
            let terms = w.terms(point).iter();
            self.pushes
                .extend(terms.map(|&(place, weight)| (place, by.to_array().map(|f| weight * f as f32))));
        }
        let pushes = &self.pushes;
        let alone = pushes.len() * w.len() < WORTH_SHARING;
        let piece = if alone { self.places.len().max(1) } else { PIECE };
        team.for_each_piece(&mut self.places, piece, |first, places| {
            simd::dispatch(Push { w, pushes, first: first / 3, places });
        });
    }
}

struct Push<'a> {
    w: &'a ScalarEntries,
    pushes: &'a [(u32, [f32; 3])],
    /// First place.
    first: usize,
    places: &'a mut [f32],
}

impl Kernel for Push<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut chunks = self.pushes.chunks_exact(ROWS);
        for some in &mut chunks {
            let some: [(u32, [f32; 3]); ROWS] = std::array::from_fn(|r| some[r]);
            add_rows(s, self.w, some, self.first, self.places);
        }
        for one in chunks.remainder() {
            add_rows(s, self.w, [*one], self.first, self.places);
        }
    }
}

#[inline(always)]
fn add_rows<S: Simd, const R: usize>(
    s: S,
    w: &ScalarEntries,
    pushes: [(u32, [f32; 3]); R],
    first: usize,
    places: &mut [f32],
) {
    let count = places.len() / 3;
    let rows = pushes.map(|(place, _)| &w.row(place)[first..first + count]);
    // Plain loops: closures would not be compiled for the vectors of this machine.
    let mut by = [[s.splat(0.0); 3]; R];
    for r in 0..R {
        for k in 0..3 {
            by[r][k] = s.splat(pushes[r].1[k]);
        }
    }
    let mut entries = [s.splat(0.0); R];
    for (batch, group) in places.chunks_exact_mut(GROUP).enumerate() {
        for at in (0..BATCH).step_by(S::LANES) {
            for r in 0..R {
                entries[r] = s.load(&rows[r][batch * BATCH + at..]);
            }
            for k in 0..3 {
                let place = &mut group[k * BATCH + at..];
                let mut sum = s.load(place);
                for r in 0..R {
                    sum = s.fma(entries[r], by[r][k], sum);
                }
                s.store(sum, place);
            }
        }
    }
}
