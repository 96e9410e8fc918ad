//! Vertices whose own triangles surely do not intersect each other: nearly all of a smooth surface.

use crate::skin::{NONE, Topology};
use pliant_mesh::DVec3;

/// Whether each vertex has triangles all around it, and no border.
pub(super) fn closed_vertices(topology: &Topology) -> Vec<bool> {
    let mut closed: Vec<bool> = topology.around_all().map(|around| !around.is_empty()).collect();
    for (ends, beside) in topology.edges.iter().zip(&topology.edge_triangles) {
        if beside.contains(&NONE) {
            ends.iter().for_each(|&v| closed[v as usize] = false);
        }
    }
    closed
}

/// Whether the triangles around a closed vertex look into one half space and go around the vertex once. Seen from there
/// each is beside the next.
pub(super) fn is_even(topology: &Topology, x: &[DVec3], vertex: u32) -> bool {
    let center = x[vertex as usize];
    let arms = |t: u32| {
        let corners = topology.triangles[t as usize];
        let k = corners.iter().position(|&v| v == vertex).unwrap_or(0);
        [1, 2].map(|step| x[corners[(k + step) % 3] as usize] - center)
    };
    let around = topology.around(vertex);
    let across = |t: u32| {
        let [p, q] = arms(t);
        p.cross(q)
    };
    let up: DVec3 = around.iter().map(|&t| across(t)).sum();
    let up_sq = up.length_squared();
    let Some(&first) = around.first() else { return false };
    // How often the fan passes one direction, as seen from above: it is between the arms of the first triangle.
    let [p, q] = arms(first);
    let between = p + q;
    let ray = between - (between.dot(up) / up_sq) * up;
    let left = up.cross(ray);
    let mut passed = 0;
    for &t in around {
        let [p, q] = arms(t);
        let normal = p.cross(q);
        let along = normal.dot(up);
        // False for NaN.
        let looks_up = along > 0.0 && along * along > 1e-6 * normal.length_squared() * up_sq;
        if !looks_up {
            return false;
        }
        passed += usize::from(p.dot(left) <= 0.0 && q.dot(left) > 0.0 && is_ahead(p, q, ray, left));
    }
    passed == 1
}

/// Whether the way from `p` to `q`, which crosses the line along `ray`, does so ahead.
fn is_ahead(p: DVec3, q: DVec3, ray: DVec3, left: DVec3) -> bool {
    let (a, b) = (-p.dot(left), q.dot(left));
    b * p.dot(ray) + a * q.dot(ray) > 0.0
}
