//! A contact: two surface points that are close, the direction between them, and a name that persists over steps.

use pliant_mesh::Point;

/// What one side of a contact belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// A deformable body, by its index.
    Body(u32),
    /// An obstacle, by its index.
    Obstacle(u32),
}

/// Names the two features of a contact: the same pair has the same key in every step. Keys order contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey(pub [u32; 4]);

/// Two surface points that are close.
///
/// The gap is `normal . (sum weights[k] x[vertices[k]] - anchor) - thickness`: positive while they are apart, zero in
/// contact. With an obstacle the sum is a point of the body and `anchor` the point of the obstacle at the end of the
/// step; between bodies the weights of the second are negative and `anchor` is zero.
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
    pub normal: Point,
    /// The normal as it was when the contact was found, for [`Detector::refresh`](crate::Detector::refresh).
    pub found_normal: Point,
    /// Point of the obstacle at the end of the step; zero between bodies.
    pub anchor: Point,
    /// How far that material point of the obstacle moves in the step; zero between bodies.
    pub anchor_motion: Point,
    /// Distance that is kept between the two surfaces in m.
    pub thickness: f64,
}

impl Contact {
    /// The body point (with an obstacle) or the difference of the two points (between bodies).
    pub fn point(&self, x: &[Point]) -> Point {
        let mut sum = [0.0; 3];
        for (&v, &w) in self.vertices.iter().zip(&self.weights).take(self.count as usize) {
            for k in 0..3 {
                sum[k] += w * x[v as usize][k];
            }
        }
        sum
    }

    /// The gap at positions `x` in m.
    pub fn gap(&self, x: &[Point]) -> f64 {
        let p = self.point(x);
        (0..3).map(|k| self.normal[k] * (p[k] - self.anchor[k])).sum::<f64>() - self.thickness
    }
}
