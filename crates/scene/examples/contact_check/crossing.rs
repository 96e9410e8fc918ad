//! How far two triangles pass through each other.

use pliant::DVec3;

/// The shortest move that takes two triangles apart, in m; zero or less if they are apart or only touch. It is the least
/// overlap on an axis that can separate them: a normal, or at right angles to an edge of each.
pub fn depth(a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
    let edges = |t: [DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (of_a, of_b) = (edges(a), edges(b));
    let normals = [of_a[0].cross(of_a[1]), of_b[0].cross(of_b[1])];
    let crosses = of_a.into_iter().flat_map(|e| of_b.map(|f| e.cross(f)));
    let mut least = f64::INFINITY;
    for axis in normals.into_iter().chain(crosses) {
        // Parallel edges say nothing that the normals do not.
        let Some(axis) = axis.try_normalize() else { continue };
        least = least.min(overlap(axis, a, b));
        if least <= 0.0 {
            return least;
        }
    }
    if least.is_finite() { least } else { 0.0 }
}

fn overlap(axis: DVec3, a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
    let range = |t: [DVec3; 3]| {
        let along = t.map(|p| axis.dot(p));
        (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]))
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    (high_a - low_b).min(high_b - low_a)
}
