//! Triangles that have passed through each other within a step, and may be apart at its end.

use crate::continuous::{edge_edge, vertex_triangle};
use crate::skin::Topology;
use pliant_mesh::{DVec3, Feature, closest_on_triangle};

/// Part of the largest way to which the time of a passage is found.
const TOLERANCE: f64 = 1e-4;

/// Four points: a vertex and a triangle, or the ends of two edges.
type Four = [DVec3; 4];

/// Whether a vertex of one of two triangles passes through the other in the step, or two edges through each other, and goes on by more
/// than `allowed`.
pub(super) fn have_passed(topology: &Topology, x: [&[DVec3]; 2], [t, s]: [u32; 2], allowed: f64) -> bool {
    let corners = |x: &[DVec3], t: u32| topology.triangles[t as usize].map(|v| x[v as usize]);
    let [start, end] = x.map(|x| [corners(x, t), corners(x, s)]);
    let way = |k: usize| (0..3).map(|i| start[k][i].distance(end[k][i])).fold(0.0, f64::max);
    let tolerance = TOLERANCE * (way(0) + way(1));
    let allowed = allowed.max(tolerance);
    let vertices = |k: usize| {
        (0..3).any(|i| {
            let of = |x: &[[DVec3; 3]; 2]| [x[k][i], x[1 - k][0], x[1 - k][1], x[1 - k][2]];
            let step = [of(&start), of(&end)];
            changes_side(step, allowed, over_triangle)
                && vertex_triangle(step[0], step[1], tolerance)
                    .is_some_and(|time| goes_on(step, time, allowed, over_triangle))
        })
    };
    let edges = || {
        (0..9).any(|k| {
            let (i, j) = (k / 3, k % 3);
            let of = |x: &[[DVec3; 3]; 2]| [x[0][i], x[0][(i + 1) % 3], x[1][j], x[1][(j + 1) % 3]];
            let step = [of(&start), of(&end)];
            changes_side(step, allowed, over_edge)
                && edge_edge(step[0], step[1], tolerance)
                    .is_some_and(|time| goes_on(step, time, allowed, over_edge))
        })
    };
    vertices(0) || vertices(1) || edges()
}

/// Whether the height changes its sign in a step, and is larger than `allowed` at the end.
fn changes_side(step: [Four; 2], allowed: f64, height: impl Fn(Four) -> (f64, bool)) -> bool {
    let [(before, _), (after, _)] = step.map(height);
    before * after < 0.0 && after.abs() > allowed
}

/// Whether something that touches at a time is beyond soon after, still opposite to what it touched: what slides along a surface
/// leaves it instead.
fn goes_on([start, end]: [Four; 2], time: f64, allowed: f64, height: impl Fn(Four) -> (f64, bool)) -> bool {
    let ([(before, _), (after, _)], length) = ([start, end].map(&height), 2.0 * allowed);
    let later = (time + length / (after - before).abs()).min(1.0);
    let (beyond, opposite) = height(std::array::from_fn(|k| start[k].lerp(end[k], later)));
    opposite && beyond * after > 0.0
}

/// Height of a vertex over a triangle's plane, and whether it is over the triangle.
fn over_triangle([p, a, b, c]: Four) -> (f64, bool) {
    let Some(normal) = (b - a).cross(c - a).try_normalize() else { return (0.0, false) };
    let height = normal.dot(p - a);
    let (_, feature) = closest_on_triangle(p - height * normal, [a, b, c]);
    (height, feature == Feature::Face)
}

/// Height of a line over another one, and whether the edges on them are opposite to each other.
fn over_edge([a, b, c, d]: Four) -> (f64, bool) {
    let (u, v) = (b - a, d - c);
    let across = u.cross(v);
    let Some(normal) = across.try_normalize() else { return (0.0, false) };
    let (to, square) = (c - a, across.length_squared());
    let fractions = [to.cross(v).dot(across) / square, to.cross(u).dot(across) / square];
    (-normal.dot(to), fractions.iter().all(|s| (0.0..=1.0).contains(s)))
}
