//! How far two features can move towards each other: conservative advancement that keeps a part of their gap \[Li21\].

use super::closest::{Closest, PairKind};
use pliant_mesh::DVec3;

/// Part of the gap at the start that is always kept, and part of what is left that one advance may use.
const KEPT: f64 = 0.1;
const CAREFUL: f64 = 0.9;

/// Advances after which what was reached is enough.
const MOST_ADVANCES: usize = 64;

/// Rounding of a distance relative to the largest coordinate, with reserve.
pub(super) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Part of a motion on straight lines from `start` to `end` that is certainly free: up to it the features are farther apart than
/// `thickness`, by at least a tenth of what they were at the start. At most `limit`; 0 if they are too close to begin with, or a place
/// is not finite. A gap of `enough` need not be kept where a tenth is more.
///
/// Along the motion no distance shrinks faster than the fastest points of the two features approach each other, so a step of
/// (gap / that speed) is safe; steps are added up until the gap is used up. What may be rounding counts as touching.
pub fn free_part(
    kind: PairKind,
    [start, end]: [[DVec3; 4]; 2],
    thickness: f64,
    enough: f64,
    limit: f64,
) -> f64 {
    // Near the origin coordinates have their digits.
    let origin = start[0];
    let mut x = start.map(|p| p - origin);
    let mut motion: [DVec3; 4] = std::array::from_fn(|i| end[i] - start[i]);
    let largest = start.iter().chain(&end).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    let rounding = ROUNDING * largest;
    if kind == PairKind::VertexPlane {
        return before_plane([start, end], thickness + rounding, enough, limit);
    }
    let mean = 0.25 * (motion[0] + motion[1] + motion[2] + motion[3]);
    motion.iter_mut().for_each(|m| *m -= mean);
    let fastest =
        |range: std::ops::Range<usize>| motion[range].iter().fold(0.0, |m: f64, v| m.max(v.length()));
    let speed = match kind {
        PairKind::EdgeEdge => fastest(0..2) + fastest(2..4),
        _ => fastest(0..1) + fastest(1..4),
    };
    let gap = |x: [DVec3; 4]| Closest::of(kind, x).distance - thickness - rounding;
    let finite = motion.iter().all(|m| m.is_finite()) && speed.is_finite();
    // Most are so far apart that their boxes tell.
    if finite && (1.0 - KEPT) * (box_distance(kind, [x, x]) - thickness - rounding) > speed * limit {
        return limit;
    }
    let first = gap(x);
    if !(first > 0.0 && finite) {
        return 0.0;
    }
    let kept = (KEPT * first).min(enough);
    let (mut reached, mut now) = (0.0, first);
    for _ in 0..MOST_ADVANCES {
        if now > speed * (limit - reached) + kept {
            return limit;
        }
        let step = CAREFUL * (now - kept).max(0.0) / speed;
        reached += step;
        for (x, m) in x.iter_mut().zip(&motion) {
            *x += step * *m;
        }
        now = gap(x);
        // The bound keeps more than `kept` but for rounding.
        if now <= 2.0 * kept {
            break;
        }
    }
    reached.min(limit)
}

/// A lower bound of the distance of two features anywhere on straight ways: that of the boxes around the ways of both.
pub(super) fn box_distance(kind: PairKind, [start, end]: [[DVec3; 4]; 2]) -> f64 {
    let first = if kind == PairKind::EdgeEdge { 2 } else { 1 };
    let around = |range: std::ops::Range<usize>| {
        let places = range.flat_map(|k| [start[k], end[k]]);
        places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)))
    };
    let ((lo, hi), (other_lo, other_hi)) = (around(0..first), around(first..4));
    (other_lo - hi).max(lo - other_hi).max(DVec3::ZERO).length()
}

/// The same before a plane, as seen from it: the gap is linear in time.
fn before_plane([start, end]: [[DVec3; 4]; 2], thickness: f64, enough: f64, limit: f64) -> f64 {
    let gap = |x| Closest::of(PairKind::VertexPlane, x).distance - thickness;
    let (first, last) = (gap(start), gap(end));
    if !(first > 0.0 && last.is_finite()) {
        0.0
    } else {
        let kept = (KEPT * first).min(enough);
        if last >= kept { limit } else { ((first - kept) / (first - last)).min(limit) }
    }
}
