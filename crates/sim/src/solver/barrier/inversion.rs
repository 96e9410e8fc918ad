//! How far a step can go before an element inverts.

use crate::fem::System;
use crate::fem::measure::is_upright;
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Part of its volume that an element keeps in one step.
const KEPT: f64 = 0.1;
/// Part of a step to which the end of what is free is found.
const FINENESS: f64 = 1e-4;
/// Elements that a thread works on at a time.
const PIECE: usize = 256;

/// Largest part of the step from `x` to `x + step` up to which no tetrahedron loses more than nine tenths of its volume; 0 if one has none.
///
/// The volume along the step is a cubic. It is above the least of its four Bézier points, so a part in which they all are above the bound
/// is free; other parts are halved, the earlier half first.
pub(super) fn free_part(team: &Team, system: &System, x: &[DVec3], step: &[DVec3]) -> f64 {
    let mut least = vec![1.0; system.tets.len().div_ceil(PIECE)];
    team.for_each_mut(&mut least, |piece, least| {
        for t in system.tets.iter().skip(piece * PIECE).take(PIECE) {
            let [a, b, c, d] = t.vertices.map(|v| v as usize);
            let edges = |x: &[DVec3]| [x[b] - x[a], x[c] - x[a], x[d] - x[a]];
            *least = free_of(volume_points(edges(x), edges(step)), *least);
        }
    });
    least.into_iter().fold(1.0, f64::min)
}

/// Whether all tetrahedra have a positive volume.
pub(super) fn all_upright(system: &System, x: &[DVec3]) -> bool {
    first_inverted(system, x).is_none()
}

/// The first tetrahedron whose volume is not surely positive.
pub(super) fn first_inverted(system: &System, x: &[DVec3]) -> Option<usize> {
    system.tets.iter().position(|t| !is_upright(t.vertices.map(|v| x[v as usize])))
}

/// Bézier points of `det(E + t F)` over t in 0..=1.
fn volume_points(e: [DVec3; 3], f: [DVec3; 3]) -> [f64; 4] {
    let det = |a: DVec3, b: DVec3, c: DVec3| a.cross(b).dot(c);
    let c0 = det(e[0], e[1], e[2]);
    let c1 = det(f[0], e[1], e[2]) + det(e[0], f[1], e[2]) + det(e[0], e[1], f[2]);
    let c2 = det(e[0], f[1], f[2]) + det(f[0], e[1], f[2]) + det(f[0], f[1], e[2]);
    let c3 = det(f[0], f[1], f[2]);
    [c0, c0 + c1 / 3.0, c0 + (2.0 * c1 + c2) / 3.0, c0 + c1 + c2 + c3]
}

/// Up to where a cubic is above a part of its start, at most `limit`.
fn free_of(points: [f64; 4], limit: f64) -> f64 {
    let bound = KEPT * points[0];
    let above = |p: &[f64; 4]| p.iter().all(|v| *v > bound);
    if above(&points) {
        return limit;
    }
    let positive = points[0] > 0.0;
    if !positive {
        return 0.0;
    }
    let mut stack = vec![(0.0, 1.0, points)];
    while let Some((from, to, p)) = stack.pop() {
        if from >= limit {
            return limit;
        }
        if above(&p) {
            continue;
        }
        if to - from < FINENESS {
            // Short parts near the start are halved further: some of the step is always left.
            if from > 0.0 || to < 1e-12 {
                return from;
            }
        }
        let middle = |a: f64, b: f64| 0.5 * (a + b);
        let [a, b, c] = [middle(p[0], p[1]), middle(p[1], p[2]), middle(p[2], p[3])];
        let (d, e) = (middle(a, b), middle(b, c));
        let f = middle(d, e);
        let half = middle(from, to);
        stack.push((half, to, [f, e, c, p[3]]));
        stack.push((from, half, [p[0], a, d, f]));
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_part_ends_before_the_volume_is_gone() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut ended = 0;
        for _ in 0..2000 {
            let mut e: [DVec3; 3] = std::array::from_fn(|_| DVec3::new(random(), random(), random()));
            if e[0].cross(e[1]).dot(e[2]) < 0.0 {
                e.swap(0, 1);
            }
            let f: [DVec3; 3] = std::array::from_fn(|_| 2.0 * DVec3::new(random(), random(), random()));
            let free = free_of(volume_points(e, f), 1.0);
            let volume = |t: f64| (e[0] + t * f[0]).cross(e[1] + t * f[1]).dot(e[2] + t * f[2]);
            ended += usize::from(free < 1.0);
            assert!(free > 0.0);
            for k in 0..=50 {
                assert!(volume(free * f64::from(k) / 50.0) > 0.05 * volume(0.0), "{free}");
            }
            // It does not end much too early.
            if free < 1.0 {
                let near = (0..=20).map(|k| free + 3e-4 * f64::from(k) / 20.0);
                assert!(near.map(volume).fold(f64::INFINITY, f64::min) < 0.1 * volume(0.0) + 0.01);
            }
        }
        assert!(ended > 300, "{ended}");
    }
}
