//! Vertices whose own triangles surely do not intersect each other: nearly all of a smooth surface.

use crate::skin::{NONE, Topology};
use crate::vector::{add, add_scaled, cross, dot, sub};
use pliant_mesh::Point;

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
pub(super) fn is_even(topology: &Topology, x: &[Point], vertex: u32) -> bool {
    let center = x[vertex as usize];
    let arms = |t: u32| {
        let corners = topology.triangles[t as usize];
        let k = corners.iter().position(|&v| v == vertex).unwrap_or(0);
        [1, 2].map(|step| sub(x[corners[(k + step) % 3] as usize], center))
    };
    let around = topology.around(vertex);
    let up = around.iter().fold([0.0; 3], |sum, &t| {
        let [p, q] = arms(t);
        add(sum, cross(p, q))
    });
    let up_sq = dot(up, up);
    let Some(&first) = around.first() else { return false };
    // How often the fan passes one direction, as seen from above: it is between the arms of the first triangle.
    let [p, q] = arms(first);
    let between = add(p, q);
    let ray = add_scaled(between, -dot(between, up) / up_sq, up);
    let left = cross(up, ray);
    let mut passed = 0;
    for &t in around {
        let [p, q] = arms(t);
        let normal = cross(p, q);
        let along = dot(normal, up);
        // False for NaN.
        let looks_up = along > 0.0 && along * along > 1e-6 * dot(normal, normal) * up_sq;
        if !looks_up {
            return false;
        }
        passed += usize::from(dot(p, left) <= 0.0 && dot(q, left) > 0.0 && is_ahead(p, q, ray, left));
    }
    passed == 1
}

/// Whether the way from `p` to `q`, which crosses the line along `ray`, does so ahead.
fn is_ahead(p: Point, q: Point, ray: Point, left: Point) -> bool {
    let (a, b) = (-dot(p, left), dot(q, left));
    b * dot(p, ray) + a * dot(q, ray) > 0.0
}
