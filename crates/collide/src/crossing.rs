//! How deep two triangles are in each other.

use pliant_mesh::DVec3;

/// The shortest move that takes two triangles apart, in m; zero if they are apart or only touch. It is the least overlap on
/// the axes that can separate them: their normals, and what is at right angles to an edge of each.
pub(crate) fn crossing_depth(t: [DVec3; 3], s: [DVec3; 3]) -> f64 {
    let edges = |[a, b, c]: [DVec3; 3]| [b - a, c - b, a - c];
    let (along_t, along_s) = (edges(t), edges(s));
    let normals = [along_t[0].cross(along_t[1]), along_s[0].cross(along_s[1])];
    let between = along_t.into_iter().flat_map(|e| along_s.map(|f| e.cross(f)));
    let mut least = f64::INFINITY;
    for axis in normals.into_iter().chain(between) {
        // Edges that are parallel have no axis of their own.
        if let Some(axis) = axis.try_normalize() {
            least = least.min(overlap(axis, t, s));
        }
    }
    if least.is_finite() { least.max(0.0) } else { 0.0 }
}

/// Whether a move along one of their normals that is shorter than `depth` takes two triangles apart: then they are less deep. This
/// costs far less than to know whether they intersect.
pub(crate) fn is_less_deep(t: [DVec3; 3], s: [DVec3; 3], depth: f64) -> bool {
    [t, s].iter().any(|&[a, b, c]| {
        let normal = (b - a).cross(c - a).try_normalize();
        normal.is_some_and(|normal| overlap(normal, t, s) < depth)
    })
}

/// By how much two triangles overlap along an axis of length 1.
fn overlap(axis: DVec3, t: [DVec3; 3], s: [DVec3; 3]) -> f64 {
    // Relative to a corner, so that little is lost where the coordinates are large.
    let range = |of: [DVec3; 3]| {
        let [a, b, c] = of.map(|p| axis.dot(p - t[0]));
        (a.min(b).min(c), a.max(b).max(c))
    };
    let ((low_t, high_t), (low_s, high_s)) = (range(t), range(s));
    (high_t - low_s).min(high_s - low_t)
}
