//! Shapes of obstacles.

mod check;
mod deepest;
mod depth;
mod distance;

pub use check::ShapeError;
pub(crate) use check::six_volumes;
pub use deepest::Deepest;
pub(crate) use depth::deepest_in;

use pliant_mesh::{DVec3, TriMesh};

/// The shape of an obstacle in its own coordinates, centred at the origin. Lengths are metres.
///
/// ```
/// use pliant_collide::Shape;
/// use pliant_mesh::DVec3;
///
/// let table = Shape::cylinder(0.5, 0.04); // radius and whole length, as in scene files
/// assert!(table.signed_distance(DVec3::new(0.0, 0.0, 0.05)).is_some_and(|(distance, _)| (distance - 0.03).abs() < 1e-12));
/// assert_eq!(Shape::cuboid([1.0, 2.0, 3.0]), Shape::Box { half: DVec3::new(0.5, 1.0, 1.5) });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// Everything with z <= 0.
    Plane,
    /// A ball.
    Sphere {
        /// Radius, positive.
        radius: f64,
    },
    /// A box along the axes.
    Box {
        /// Half of its lengths along x, y and z, positive.
        half: DVec3,
    },
    /// A cylinder along z with round ends.
    Capsule {
        /// Radius of the cylinder and of the ends, positive.
        radius: f64,
        /// From the origin to the centre of an end; zero makes a ball.
        half_length: f64,
    },
    /// A cylinder along z with flat ends.
    Cylinder {
        /// Radius, positive.
        radius: f64,
        /// From the origin to an end, positive.
        half_length: f64,
    },
    /// A ring around z.
    Torus {
        /// From the origin to the middle of the tube.
        major: f64,
        /// Radius of the tube, positive and less than `major`.
        minor: f64,
    },
    /// A triangle mesh. Closed, with triangles that agree in orientation, it is a solid; otherwise it is a sheet that
    /// is touched from both sides, for example a blade.
    Mesh(TriMesh),
}

impl Shape {
    /// A ball.
    pub fn sphere(radius: f64) -> Shape {
        Shape::Sphere { radius }
    }

    /// A box with these whole lengths.
    pub fn cuboid(size: impl Into<DVec3>) -> Shape {
        Shape::Box { half: 0.5 * size.into() }
    }

    /// A capsule with this distance between the centres of its round ends.
    pub fn capsule(radius: f64, length: f64) -> Shape {
        Shape::Capsule { radius, half_length: 0.5 * length }
    }

    /// A cylinder with this length from end to end.
    pub fn cylinder(radius: f64, length: f64) -> Shape {
        Shape::Cylinder { radius, half_length: 0.5 * length }
    }

    /// A ring with these radii: to the middle of its tube, and of the tube.
    pub fn torus(major: f64, minor: f64) -> Shape {
        Shape::Torus { major, minor }
    }

    /// Whether the shape has an inside.
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Mesh(mesh) => check::is_closed(&mesh.triangles),
            _ => true,
        }
    }

    /// Exact signed distance of a point (negative inside) and the unit normal of the nearest surface point.
    ///
    /// Where several surface points are equally near, as at the centre of a ball, the normal is that of one of them,
    /// always the same. `None` for a mesh, which is searched through a tree instead.
    pub fn signed_distance(&self, point: DVec3) -> Option<(f64, DVec3)> {
        Some(match *self {
            Self::Plane => (point.z, DVec3::Z),
            Self::Sphere { radius } => distance::sphere(point, radius),
            Self::Box { half } => distance::cuboid(point, half),
            Self::Capsule { radius, half_length } => {
                let along = point.z.clamp(-half_length, half_length);
                distance::sphere(point.with_z(point.z - along), radius)
            }
            Self::Cylinder { radius, half_length } => distance::cylinder(point, radius, half_length),
            Self::Torus { major, minor } => distance::torus(point, major, minor),
            Self::Mesh(_) => return None,
        })
    }

    /// How strongly the distance bends downward at most within a ball, in 1/m; `None` if there is no bound. That of a convex
    /// shape is convex. That of a ring bends around the axis.
    pub(crate) fn bend(&self, center: DVec3, radius: f64) -> Option<f64> {
        match self {
            Self::Torus { .. } => {
                let from_axis = center.truncate().length() - radius;
                (from_axis > 0.0).then(|| 1.0 / from_axis)
            }
            _ => Some(0.0),
        }
    }
}

#[cfg(test)]
mod tests;
