//! How far all points have moved by the changes of force so far: `W df`, kept up to date change by change.

use super::scalar::ScalarEntries;
use super::{Entries, WAITING};
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
    /// Changes of force by place, while many are put together.
    sums: Vec<[f32; 3]>,
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

    fn waiting(&self) -> usize {
        if self.has_many_terms() { 1 } else { WAITING }
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
        if self.pushes.len() > w.len() {
            self.put_together(w);
        }
        let pushes = &self.pushes;
        let work: usize = pushes.iter().map(|(place, _)| w.row(*place).1.len()).sum();
        let piece = if work < WORTH_SHARING { self.places.len().max(1) } else { PIECE };
        team.for_each_piece(&mut self.places, piece, |first, places| {
            simd::dispatch(Push { w, pushes, first: first / 3, places });
        });
    }

    /// Makes one push of all at the same place.
    fn put_together(&mut self, w: &ScalarEntries) {
        self.sums.clear();
        self.sums.resize(w.len(), [0.0; 3]);
        for (place, by) in self.pushes.drain(..) {
            let sum = &mut self.sums[place as usize];
            *sum = std::array::from_fn(|k| sum[k] + by[k]);
        }
        let pushed = self.sums.iter().enumerate().filter(|(_, by)| **by != [0.0; 3]);
        self.pushes.extend(pushed.map(|(place, by)| (place as u32, *by)));
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
        let Push { w, pushes, first, places } = self;
        let mut rest = pushes;
        while let Some((place, _)) = rest.first() {
            // Those that act on the same places follow each other.
            let (start, row) = w.row(*place);
            let (from, to) = (start.max(first), (start + row.len()).min(first + places.len() / 3));
            let mut alike = 1;
            while alike < ROWS && alike < rest.len() && w.row(rest[alike].0).0 == start {
                alike += 1;
            }
            let some = &rest[..alike];
            rest = &rest[alike..];
            if from >= to {
                continue;
            }
            let moved = &mut places[3 * (from - first)..3 * (to - first)];
            match *some {
                [a, b, c, d] => add_rows(s, w, [a, b, c, d], from - start, moved),
                [a, b, c] => add_rows(s, w, [a, b, c], from - start, moved),
                [a, b] => add_rows(s, w, [a, b], from - start, moved),
                _ => some.iter().for_each(|one| add_rows(s, w, [*one], from - start, moved)),
            }
        }
    }
}

/// Adds rows of entries to places, the first of which has the entries `first`.
#[inline(always)]
fn add_rows<S: Simd, const R: usize>(
    s: S,
    w: &ScalarEntries,
    pushes: [(u32, [f32; 3]); R],
    first: usize,
    places: &mut [f32],
) {
    let count = places.len() / 3;
    let rows = pushes.map(|(place, _)| &w.row(place).1[first..first + count]);
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
