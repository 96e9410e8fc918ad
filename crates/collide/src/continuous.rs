//! Continuous collision: when do a vertex and a triangle, or two edges, touch first, if their vertices move on straight lines?
//!
//! The difference F(t, u, v) of a point of either is linear in the time t and in each of the parameters u, v. So over a box of these
//! three it stays in the bounds of its values at the eight corners: a box whose bounds do not hold zero has no contact. Boxes that may
//! have one are halved, the earliest first, until their bounds are smaller than a tolerance [Snyder 1992; Wang, Ferguson, Schneider,
//! Jiang, Attene, Panozzo 2021, "A large-scale benchmark and an inclusion-based algorithm for continuous collision detection"].
//! Bounds are widened by what may be rounding, so no contact is ever missed; one that is reported may be a miss by the tolerance.

use pliant_mesh::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Rounding of F relative to the largest coordinate: 27 epsilon at most by the sum of the errors of its operations.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Boxes that are looked at before the earliest one left counts as a contact.
const MOST_BOXES: usize = 10_000;

/// Earliest time in `0..=1` at which a vertex may touch a triangle: places of the vertex and of the three corners at the start
/// and at the end. None if they certainly do not touch. Before the time that is returned nothing touches; there, they are
/// closer than `tolerance` (m) along each axis, or nearly so.
pub fn vertex_triangle(start: [DVec3; 4], end: [DVec3; 4], tolerance: f64) -> Option<f64> {
    first_contact(start, end, tolerance, true, |[p, a, b, c], [u, v]| (p - a) - (u * (b - a) + v * (c - a)))
}

/// The same for two edges, the ends of the first and then of the second.
pub fn edge_edge(start: [DVec3; 4], end: [DVec3; 4], tolerance: f64) -> Option<f64> {
    first_contact(start, end, tolerance, false, |[a, b, c, d], [u, v]| (a - c) + (u * (b - a) - v * (d - c)))
}

/// A box of t, u and v, each from `low` to `low + 2^-level`.
#[derive(Clone, Copy, Debug)]
struct Cell {
    low: [f64; 3],
    size: [f64; 3],
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Earlier is greater, then smaller is: the heap gives the earliest first, and goes into depth there.
impl Ord for Cell {
    fn cmp(&self, other: &Cell) -> Ordering {
        let [a, b] = [self, other].map(|c| (c.low[0], c.size[0] + c.size[1] + c.size[2], c.low[1], c.low[2]));
        let keys = [(a.0, b.0), (a.1, b.1), (a.2, b.2), (a.3, b.3)];
        keys.iter().map(|(a, b)| b.total_cmp(a)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }
}

fn first_contact(
    start: [DVec3; 4],
    end: [DVec3; 4],
    tolerance: f64,
    in_triangle: bool,
    difference: impl Fn([DVec3; 4], [f64; 2]) -> DVec3,
) -> Option<f64> {
    let largest = start.iter().chain(&end).fold(0.0, |m: f64, x| m.max(x.abs().max_element()));
    let rounding = ROUNDING * largest;
    let way: [DVec3; 4] = std::array::from_fn(|i| end[i] - start[i]);
    let at = |t: f64| -> [DVec3; 4] {
        match t {
            1.0 => end,
            _ => std::array::from_fn(|i| start[i] + t * way[i]),
        }
    };
    let mut cells = BinaryHeap::from([Cell { low: [0.0; 3], size: [1.0; 3] }]);
    let mut looked_at = 0;
    while let Some(cell) = cells.pop() {
        let Cell { low, size } = cell;
        if in_triangle && low[1] + low[2] > 1.0 {
            continue;
        }
        // Values at the corners, and how much they change along each of t, u and v.
        let mut corners = [DVec3::ZERO; 8];
        for (k, corner) in corners.iter_mut().enumerate() {
            let place: [f64; 3] = std::array::from_fn(|d| low[d] + f64::from((k >> d & 1) as u8) * size[d]);
            *corner = difference(at(place[0]), [place[1], place[2]]);
        }
        let (least, most) = corners.iter().fold((corners[0], corners[0]), |(a, b), &c| (a.min(c), b.max(c)));
        if (least - rounding).max_element() > 0.0 || (most + rounding).min_element() < 0.0 {
            continue;
        }
        looked_at += 1;
        let is_small = (most - least).max_element() <= tolerance.max(2.0 * rounding);
        if is_small || looked_at >= MOST_BOXES {
            return Some(low[0]);
        }
        let change = |d: usize| -> f64 {
            let pairs = (0..8).filter(|k| k >> d & 1 == 0);
            pairs.map(|k| (corners[k | 1 << d] - corners[k]).abs().max_element()).fold(0.0, f64::max)
        };
        let [t, u, v] = [change(0), change(1), change(2)];
        let d = if t >= u && t >= v { 0 } else { 1 + usize::from(v > u) };
        let mut halves = [cell; 2];
        halves.iter_mut().for_each(|half| half.size[d] *= 0.5);
        halves[1].low[d] += halves[1].size[d];
        cells.extend(halves);
    }
    None
}
