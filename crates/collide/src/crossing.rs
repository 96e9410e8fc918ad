//! How deep two triangles are in each other.

use pliant_mesh::DVec3;

/// Cosine up to which a move leads along a face, and not into it.
const ALONG: f64 = 0.01;

/// The shortest move that takes two triangles apart, in m; zero if they are apart or only touch. It is the least overlap on
/// the axes that can separate them: their normals, and what is at right angles to an edge of each. Triangles of solids, whose normals
/// look outward, do not come apart by moving farther in.
pub(crate) fn crossing_depth(t: [DVec3; 3], s: [DVec3; 3], solid: [bool; 2]) -> f64 {
    let edges = |[a, b, c]: [DVec3; 3]| [b - a, c - b, a - c];
    let (along_t, along_s) = (edges(t), edges(s));
    let normals = [along_t[0].cross(along_t[1]), along_s[0].cross(along_s[1])].map(|n| n.try_normalize());
    let outward = [0, 1].map(|k| normals[k].filter(|_| solid[k]).unwrap_or(DVec3::ZERO));
    let between = along_t.into_iter().flat_map(|e| along_s.map(|f| e.cross(f).try_normalize()));
    let (mut least, mut least_out) = (f64::INFINITY, f64::INFINITY);
    // Edges that are parallel have no axis of their own.
    for axis in normals.into_iter().chain(between).flatten() {
        let moves = moves(axis, t, s);
        for (way, length) in [axis, -axis].into_iter().zip(moves) {
            least = least.min(length);
            // The first triangle moves: into the second if against its normal, which is the same as out of itself along its own.
            if way.dot(outward[1]) >= -ALONG && way.dot(outward[0]) <= ALONG {
                least_out = least_out.min(length);
            }
        }
        if least <= 0.0 {
            return 0.0;
        }
    }
    match (least_out.is_finite(), least.is_finite()) {
        (true, _) => least_out,
        // Side by side in one plane: none of the axes leads out.
        (false, true) => least,
        (false, false) => 0.0,
    }
}

/// Whether a move along one of their normals that is shorter than `depth` takes two triangles apart: then they are less deep. This
/// costs far less than to know whether they intersect.
pub(crate) fn is_less_deep(t: [DVec3; 3], s: [DVec3; 3], depth: f64) -> bool {
    [t, s].iter().any(|&[a, b, c]| {
        let normal = (b - a).cross(c - a).try_normalize();
        normal.is_some_and(|normal| moves(normal, t, s).into_iter().any(|length| length < depth))
    })
}

/// How far the first of two triangles must move along an axis of length 1, and against it, to be apart.
fn moves(axis: DVec3, t: [DVec3; 3], s: [DVec3; 3]) -> [f64; 2] {
    // Relative to a corner, so that little is lost where the coordinates are large.
    let range = |of: [DVec3; 3]| {
        let [a, b, c] = of.map(|p| axis.dot(p - t[0]));
        (a.min(b).min(c), a.max(b).max(c))
    };
    let ((low_t, high_t), (low_s, high_s)) = (range(t), range(s));
    [high_s - low_t, high_t - low_s]
}
