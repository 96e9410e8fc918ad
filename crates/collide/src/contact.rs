//! A contact: two surface points that are close, the direction between them, and a name that persists over steps.

use crate::{BodyId, ObstacleId};
use pliant_mesh::DVec3;

/// What one side of a contact belongs to.
///
/// ```
/// use pliant_collide::{BodyId, ObstacleId, Side};
///
/// let [cube, floor] = [Side::Body(BodyId::new(0)), Side::Obstacle(ObstacleId::new(0))];
/// assert!(cube < floor);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// A deformable body.
    Body(BodyId),
    /// An obstacle.
    Obstacle(ObstacleId),
}

/// Names the two features of a contact: the same pair has the same key in every step. Keys order contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey(pub [u32; 4]);

/// Two surface points that are close.
///
/// The gap is `normal . (sum weights[k] x[vertices[k]] - anchor) - thickness`: positive while they are apart, zero in
/// contact. With an obstacle the sum is a point of the body and `anchor` the point of the obstacle at the end of the
/// step; between bodies the weights of the second are negative and `anchor` is zero.
///
/// ```
/// use pliant_collide::{BodyId, Contact, ContactKey, ObstacleId, Side};
/// use pliant_mesh::DVec3;
///
/// // Vertex 7 over a floor at z = 0.
/// let contact = Contact {
///     key: ContactKey::default(),
///     sides: [Side::Body(BodyId::new(0)), Side::Obstacle(ObstacleId::new(0))],
///     vertices: [7, 0, 0, 0],
///     weights: [1.0, 0.0, 0.0, 0.0],
///     count: 1,
///     normal: DVec3::Z,
///     found_normal: DVec3::Z,
///     anchor: DVec3::ZERO,
///     anchor_motion: DVec3::ZERO,
///     thickness: 0.001,
///     time: 1.0,
/// };
/// let positions = vec![DVec3::new(0.0, 0.0, 0.003); 8];
/// assert!((contact.gap(&positions) - 0.002).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Name that persists over steps.
    pub key: ContactKey,
    /// The body whose weights are positive, and what it touches.
    pub sides: [Side; 2],
    /// Vertices of all bodies that it depends on; the first `count` are used.
    pub vertices: [u32; 4],
    /// Their weights; unused ones are zero.
    pub weights: [f64; 4],
    /// Number of vertices used.
    pub count: u32,
    /// Unit vector from the second side to the first.
    pub normal: DVec3,
    /// The normal as it was when the contact was found, for [`Detector::refresh`](crate::Detector::refresh).
    pub found_normal: DVec3,
    /// Point of the obstacle at the end of the step; zero between bodies.
    pub anchor: DVec3,
    /// How far that material point of the obstacle moves in the step; zero between bodies.
    pub anchor_motion: DVec3,
    /// Distance that is kept between the two surfaces in m.
    pub thickness: f64,
    /// Part of the step after which something fast is met, so that most of its way lies beyond the contact; else 1.
    pub time: f64,
}

impl Contact {
    /// The body point (with an obstacle) or the difference of the two points (between bodies).
    pub fn point(&self, x: &[DVec3]) -> DVec3 {
        let points = self.vertices.iter().zip(&self.weights).take(self.count as usize);
        points.map(|(&v, &w)| w * x[v as usize]).sum()
    }

    /// The gap at positions `x` in m.
    pub fn gap(&self, x: &[DVec3]) -> f64 {
        self.normal.dot(self.point(x) - self.anchor) - self.thickness
    }
}
