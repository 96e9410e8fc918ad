//! What the mesher asks of a body.

use pliant_mesh::DVec3;

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Where it is.
    pub point: DVec3,
    /// Unit normal, pointing out of the body.
    pub normal: DVec3,
}

/// A body that can be filled with tetrahedra: a union of shapes, or the inside of a triangle surface.
pub trait Solid: Sync {
    /// Two corners of a box around the body.
    fn bounds(&self) -> (DVec3, DVec3);

    /// Distance to the surface, negative inside. The sign is right everywhere; the value is exact near the
    /// surface to second order and never larger than the true distance elsewhere.
    fn signed_distance(&self, point: DVec3) -> f64;

    /// Distance to the surface without the sign, where that is cheaper.
    fn distance(&self, point: DVec3) -> f64 {
        self.signed_distance(point).abs()
    }

    /// Whether the surface is not farther than `limit`, where that is cheaper than the distance.
    fn is_near(&self, point: DVec3, limit: f64) -> bool {
        self.distance(point) <= limit
    }

    /// The point of the surface nearest to `point`.
    fn project(&self, point: DVec3) -> SurfacePoint;

    /// Where the segment from `inside` to `outside` leaves the body, as a fraction of its length. The two ends
    /// have a negative and a positive [`signed_distance`](Self::signed_distance).
    fn crossing(&self, inside: DVec3, outside: DVec3) -> f64 {
        let at = |t: f64| inside + t * (outside - inside);
        // Bisection: 2^-40 of an edge is below any tolerance of the mesher, and the sign alone is trusted.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.signed_distance(at(middle)) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The volume, if it is known exactly; else the mesher integrates it.
    fn volume(&self) -> Option<f64> {
        None
    }

    /// Names of the groups that the mesh shall carry.
    fn groups(&self) -> Vec<String> {
        Vec::new()
    }

    /// Indices into [`groups`](Self::groups) of those that a vertex belongs to. `on_surface` says whether the
    /// vertex is on the boundary of the mesh.
    fn groups_at(&self, _point: DVec3, _on_surface: bool) -> Vec<usize> {
        Vec::new()
    }
}
