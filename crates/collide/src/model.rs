//! What can collide: surfaces of bodies and obstacles, and how they are checked.

use crate::ids::{BodyId, ObstacleId};
use crate::shape::{Shape, ShapeError};
use pliant_mesh::DVec3;
use thiserror::Error;

/// The surface of a deformable body.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The body.
    pub body: BodyId,
    /// Corners of each triangle among the vertices of all bodies. Those of a solid face outward.
    pub triangles: Vec<[u32; 3]>,
    /// Whether it is the closed boundary of a volume, so that its inside is known. Otherwise it is cloth, which is
    /// touched from both sides.
    pub solid: bool,
    /// Half of the contact thickness in m: what it contributes to the distance that is kept.
    pub radius: f64,
    /// Whether the surface can touch itself.
    pub self_contact: bool,
}

/// Something rigid that bodies touch. Where it is, is said by a [`Pose`](crate::Pose) in every step.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its shape in its own coordinates.
    pub shape: Shape,
    /// What it contributes to the distance that is kept, in m.
    pub radius: f64,
}

/// What a [`Detector`](crate::Detector) looks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Gap in m up to which pairs are reported.
    pub margin: f64,
    /// Whether different bodies can touch each other.
    pub between_bodies: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { margin: 1e-3, between_bodies: true }
    }
}

/// Why collision detection cannot be set up.
///
/// ```
/// use pliant_collide::{CollideError, Detector, Obstacle, Options, Shape};
///
/// let flat = Obstacle { shape: Shape::Sphere { radius: 0.0 }, radius: 0.0 };
/// let refused = Detector::new(&[], &[flat], &[], Options::default()).unwrap_err();
/// assert!(matches!(refused, CollideError::Shape { .. }), "{refused}");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CollideError {
    /// An obstacle's shape is unusable.
    #[error("obstacle {obstacle}: {source}")]
    Shape {
        /// The obstacle.
        obstacle: ObstacleId,
        /// What is wrong.
        source: ShapeError,
    },
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} of surface {surface} uses vertex {vertex}, but the bodies have only {count}"
    )]
    Vertex {
        /// Index of the surface.
        surface: usize,
        /// Index of the triangle in it.
        triangle: usize,
        /// The vertex.
        vertex: u32,
        /// Number of vertices of all bodies.
        count: usize,
    },
    /// A radius or margin is negative or not a number.
    #[error("{name} is {value}; it must be a non-negative number")]
    Length {
        /// What it is and of which surface or obstacle.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A rest position is NaN or infinite.
    #[error("vertex {vertex} is not at a finite position in the rest shape")]
    Position {
        /// Index among the vertices of all bodies.
        vertex: usize,
    },
    /// More triangles than indices can name.
    #[error(
        "{count} triangles are too many for collision detection (at most {}); use coarser surfaces",
        MAX_TRIANGLES
    )]
    TooLarge {
        /// Number of triangles of all surfaces and obstacles.
        count: usize,
    },
}

/// Edges and vertices, at most three per triangle, are named by 30 bits.
const MAX_TRIANGLES: usize = (1 << 30) / 3 - 1;

pub(crate) fn check(
    surfaces: &[Surface],
    obstacles: &[Obstacle],
    rest: &[DVec3],
    options: &Options,
) -> Result<(), CollideError> {
    check_length(options.margin, || "the contact margin".into())?;
    for (surface, s) in surfaces.iter().enumerate() {
        check_length(s.radius, || format!("the contact radius of surface {surface}"))?;
        for (triangle, t) in s.triangles.iter().enumerate() {
            if let Some(&vertex) = t.iter().find(|&&v| v as usize >= rest.len()) {
                return Err(CollideError::Vertex { surface, triangle, vertex, count: rest.len() });
            }
        }
    }
    for (index, o) in obstacles.iter().enumerate() {
        let obstacle = ObstacleId::new(index);
        check_length(o.radius, || format!("the contact radius of obstacle {obstacle}"))?;
        o.shape.validate().map_err(|source| CollideError::Shape { obstacle, source })?;
    }
    if let Some(vertex) = rest.iter().position(|p| !p.is_finite()) {
        return Err(CollideError::Position { vertex });
    }
    let of_obstacle = |o: &Obstacle| match &o.shape {
        Shape::Mesh(mesh) => mesh.triangles.len(),
        _ => 12,
    };
    let count = surfaces.iter().map(|s| s.triangles.len()).sum::<usize>()
        + obstacles.iter().map(of_obstacle).sum::<usize>();
    if count > MAX_TRIANGLES { Err(CollideError::TooLarge { count }) } else { Ok(()) }
}

fn check_length(value: f64, name: impl Fn() -> String) -> Result<(), CollideError> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(CollideError::Length { name: name(), value }) }
}
