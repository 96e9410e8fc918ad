//! Continuous collision: when do two things touch first, if their vertices move on straight lines? A vertex and a triangle, two
//! edges, or any of these and an exact shape.
//!
//! A point of either depends on the time t and on two parameters u, v, and is linear in each. So over a box of these
//! three it stays in the hull of its values at the eight corners: a box whose hull is surely apart has no contact. Boxes that may
//! have one are halved, and the earliest ones looked at, until their hulls are smaller than a tolerance [Snyder 1992; Wang, Ferguson,
//! Schneider, Jiang, Attene, Panozzo 2021, "A large-scale benchmark and an inclusion-based algorithm for continuous collision
//! detection"]. Bounds are widened by what may be rounding, so no contact is ever missed; one that is reported may be a miss by the
//! tolerance. What touches nothing is mostly seen at once, by the eight corners of the whole step.

mod exact_shape;

pub use exact_shape::with_shape;

use pliant_mesh::DVec3;

/// Boxes that are looked at before all that are left count as contacts.
const MOST_BOXES: usize = 10_000;

/// Rounding of F relative to its largest value at a corner. A corner is a sum of at most three differences, turned: 16 epsilon. Each
/// halving adds one epsilon at most, and a box is halved less than 160 times.
const ROUNDING: f64 = 256.0 * f64::EPSILON;

/// Earliest time in `0..=1` at which a vertex may touch a triangle: places of the vertex and of the three corners at the start
/// and at the end. None if they certainly do not touch, or if a place is not finite. Before the time that is returned nothing
/// touches; there, they are closer than `tolerance` (m) along each of three axes, or nearly so.
pub fn vertex_triangle(start: [DVec3; 4], end: [DVec3; 4], tolerance: f64) -> Option<f64> {
    // F = (p - a) - u (b - a) - v (c - a)
    let across = |[_, a, b, c]: [DVec3; 4]| [b - a, c - a];
    let corner = |[p, a, b, c]: [DVec3; 4], u: bool, v: bool| match (u, v) {
        (false, false) => p - a,
        (true, false) => p - b,
        (false, true) => p - c,
        (true, true) => (p - b) - (c - a),
    };
    let of_triangle = |k: usize| k & 6 != 6;
    first_zero([start, end], tolerance, Domain::Triangle, (across, corner, of_triangle))
}

/// The same for two edges, the ends of the first and then of the second.
pub fn edge_edge(start: [DVec3; 4], end: [DVec3; 4], tolerance: f64) -> Option<f64> {
    // F = (a - c) + u (b - a) - v (d - c)
    let across = |[a, b, c, d]: [DVec3; 4]| [b - a, d - c];
    let corner =
        |[a, b, c, d]: [DVec3; 4], u: bool, v: bool| (if u { b } else { a }) - (if v { d } else { c });
    first_zero([start, end], tolerance, Domain::Square, (across, corner, |_| true))
}

/// Where u and v are.
#[derive(Clone, Copy, PartialEq)]
enum Domain {
    Square,
    /// `u + v <= 1`
    Triangle,
}

/// When the difference F of two features is first zero. `across` are two directions of the features at one moment, `corner` the value
/// there at the limits of u and v, `counts` says which of the eight corners belong to the features.
fn first_zero(
    [start, end]: [[DVec3; 4]; 2],
    tolerance: f64,
    domain: Domain,
    (across, corner, counts): (
        impl Fn([DVec3; 4]) -> [DVec3; 2],
        impl Fn([DVec3; 4], bool, bool) -> DVec3,
        impl Fn(usize) -> bool,
    ),
) -> Option<f64> {
    let values: [DVec3; 8] =
        std::array::from_fn(|k| corner(if k & 1 == 0 { start } else { end }, k & 2 != 0, k & 4 != 0));
    let largest = values.iter().fold(0.0, |m: f64, x| m.max(x.abs().element_sum()));
    if !values.iter().all(|x| x.is_finite()) {
        return None;
    }
    let rounding = ROUNDING * largest + f64::MIN_POSITIVE;
    // Contact is where F is zero along any axes: with one of them across both features, most boxes are seen to be apart along it. They
    // need not be exactly perpendicular for that.
    let normals = [start, end].map(|x| {
        let [u, v] = across(x);
        u.cross(v).try_normalize()
    });
    let apart = |axis: DVec3| {
        let own = values.iter().enumerate().filter(|(k, _)| counts(*k));
        let (low, high) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, x)| {
            let height = axis.dot(*x);
            (low.min(height), high.max(height))
        });
        low > rounding || high < -rounding
    };
    let nearest = 0.25 * (values[0] + values[2] + values[4] + if counts(6) { values[6] } else { values[0] });
    let hints = [normals[0], normals[1], nearest.try_normalize()];
    if hints.into_iter().flatten().chain([DVec3::X, DVec3::Y, DVec3::Z]).any(apart) {
        return None;
    }
    let way = values[1] - values[0];
    let normal = normals[0]
        .zip(normals[1])
        .and_then(|(a, b)| (a + if a.dot(b) < 0.0 { -b } else { b }).try_normalize());
    let normal = normal.or(normals[0]).or(normals[1]).unwrap_or(DVec3::Z);
    let along = (way - way.dot(normal) * normal).try_normalize().unwrap_or(normal.any_orthonormal_vector());
    let axes = [normal, along, normal.cross(along)];
    let whole = Cell::whole(values.map(|x| DVec3::from(axes.map(|axis| axis.dot(x)))));
    let least = tolerance.max(4.0 * rounding);
    Search::new(domain, |cell: &Cell| {
        let (low, high) = cell.bounds();
        if (low - rounding).max_element() > 0.0 || (high + rounding).min_element() < 0.0 {
            Answer::Apart
        } else if (high - low).max_element() <= least {
            Answer::Touches
        } else {
            Answer::Unknown
        }
    })
    .earliest(&whole)
}

/// A box of t, u and v and the values at its corners: bit d of their index says whether parameter d is at its upper limit.
#[derive(Clone, Copy, Debug)]
struct Cell {
    low: [f64; 3],
    size: [f64; 3],
    corners: [DVec3; 8],
}

impl Cell {
    fn whole(corners: [DVec3; 8]) -> Cell {
        Cell { low: [0.0; 3], size: [1.0; 3], corners }
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let first = self.corners[0];
        self.corners[1..].iter().fold((first, first), |(low, high), &c| (low.min(c), high.max(c)))
    }

    /// How much the values change along a parameter at most.
    fn change(&self, d: usize) -> f64 {
        let lower = (0..8).filter(|k| k >> d & 1 == 0);
        lower.map(|k| (self.corners[k | 1 << d] - self.corners[k]).abs().max_element()).fold(0.0, f64::max)
    }

    /// The two halves across the parameter along which the values change most. Values are linear along it: those in the middle are means.
    fn halves(&self) -> [Cell; 2] {
        let [t, u, v] = [self.change(0), self.change(1), self.change(2)];
        let d = if t >= u && t >= v { 0 } else { 1 + usize::from(v > u) };
        let mut halves = [*self; 2];
        halves.iter_mut().for_each(|half| half.size[d] *= 0.5);
        halves[1].low[d] += halves[1].size[d];
        for k in (0..8).filter(|k| k >> d & 1 == 0) {
            let middle = 0.5 * (self.corners[k] + self.corners[k | 1 << d]);
            (halves[0].corners[k | 1 << d], halves[1].corners[k]) = (middle, middle);
        }
        halves
    }
}

/// What is known of a box.
enum Answer {
    Apart,
    Touches,
    Unknown,
}

/// Looks for the earliest box that touches, into the depth and the earlier half first.
struct Search<F> {
    domain: Domain,
    look: F,
    looked_at: usize,
    best: Option<f64>,
}

impl<F: Fn(&Cell) -> Answer> Search<F> {
    fn new(domain: Domain, look: F) -> Search<F> {
        Search { domain, look, looked_at: 0, best: None }
    }

    fn earliest(mut self, whole: &Cell) -> Option<f64> {
        self.search(whole);
        self.best
    }

    fn search(&mut self, cell: &Cell) {
        let outside = self.domain == Domain::Triangle && cell.low[1] + cell.low[2] > 1.0;
        if outside || self.best.is_some_and(|best| cell.low[0] >= best) {
            return;
        }
        self.looked_at += 1;
        match (self.look)(cell) {
            Answer::Apart => {}
            Answer::Unknown if self.looked_at < MOST_BOXES => {
                cell.halves().iter().for_each(|half| self.search(half));
            }
            Answer::Touches | Answer::Unknown => self.best = Some(cell.low[0]),
        }
    }
}
