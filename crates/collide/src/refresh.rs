//! New directions for contacts whose pairs are known, at other positions.

use crate::near::{EDGE, FACE, feature_of};
use crate::skin::Skin;
use crate::{BodyId, Contact, Pose, Side};
use pliant_mesh::DVec3;

/// Sine of the angle below which the common perpendicular of two edges is not trusted.
const PARALLEL: f64 = 0.01;

/// Fraction of the distance that is kept below which the direction from an edge or vertex to a point is not trusted.
const TRUSTED: f64 = 0.3;

/// Sine and cosine of the angle (15 degrees) by which a direction may turn within a step.
const TURN: (f64, f64) = (0.258_819_045_102_520_76, 0.965_925_826_289_068_3);

/// The skin at given positions.
pub(crate) struct Placed<'a> {
    pub skin: &'a Skin,
    /// Positions of all bodies.
    pub x: &'a [DVec3],
    pub poses: &'a [Pose],
}

impl Placed<'_> {
    pub fn position(&self, vertex: u32, side: Side) -> DVec3 {
        let name = self.skin.global[vertex as usize] as usize;
        match side {
            Side::Obstacle(index) => self.poses[index.index()].place(self.skin.rest[vertex as usize]),
            Side::Body(_) => self.x[name],
        }
    }

    fn normal(&self, triangle: u32, side: Side) -> DVec3 {
        let [a, b, c] = self.skin.topology.triangles[triangle as usize].map(|v| self.position(v, side));
        (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::ZERO)
    }

    /// The new direction of a contact between a vertex and a feature of a triangle.
    pub fn of_vertex(&self, contact: &Contact) -> Option<DVec3> {
        let [_, _, part, word] = contact.key.0;
        let side = self.skin.parts.get(part as usize)?.side;
        let (kind, index) = feature_of(word);
        let topology = &self.skin.topology;
        let triangles: &[u32] = match kind {
            FACE if (index as usize) < topology.triangles.len() => &[index],
            EDGE if (index as usize) < topology.edges.len() => topology.beside(index),
            FACE | EDGE => return None,
            _ if (index as usize) < self.skin.global.len() => topology.around(index),
            _ => return None,
        };
        // Surfaces that keep a distance have the direction from it. Without one it is that of the faces if they agree.
        let apart = contact.point(self.x) - contact.anchor;
        if kind != FACE && contact.thickness > 0.0 && apart.length() > TRUSTED * contact.thickness {
            return apart.try_normalize();
        }
        let sum: DVec3 = triangles.iter().map(|&t| self.normal(t, side)).sum();
        let flat = sum.length() > 0.999 * triangles.len() as f64;
        if flat { sum.try_normalize() } else { None }
    }

    /// The new direction of a contact between two edges: their common perpendicular.
    pub fn of_edges(&self, contact: &Contact) -> Option<DVec3> {
        let [_, first, part, second] = contact.key.0;
        let side = self.skin.parts.get(part as usize)?.side;
        let edges = &self.skin.topology.edges;
        let along = |edge: u32, side: Side| {
            let [a, b] = edges.get(edge as usize)?.map(|v| self.position(v, side));
            (b - a).try_normalize()
        };
        let across = along(first, Side::Body(BodyId(0)))?.cross(along(second, side)?);
        if across.length() < PARALLEL { None } else { across.try_normalize() }
    }
}

/// Takes a new direction where it is on the same side as before, up to [`TURN`] from where it was found. Between the
/// iterations of a solver surfaces are in each other and turned in any way; directions that follow them without a limit end
/// up on the wrong side.
pub(crate) fn redirect(contact: &mut Contact, direction: Option<DVec3>) {
    let Some(n) = direction else { return };
    let found = contact.found_normal;
    let along = n.dot(found);
    let (n, along) = if along < 0.0 { (-n, -along) } else { (n, along) };
    // Beyond 60 degrees it is not the same contact any more.
    if along < 0.5 {
        return;
    }
    let beside = n - along * found;
    contact.normal = match beside.try_normalize() {
        Some(beside) if along < TURN.1 => TURN.1 * found + TURN.0 * beside,
        _ => n,
    };
}
