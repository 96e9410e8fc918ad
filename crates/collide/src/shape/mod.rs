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
                let from_axis = center.x.hypot(center.y) - radius;
                (from_axis > 0.0).then(|| 1.0 / from_axis)
            }
            _ => Some(0.0),
        }
    }
}

#[cfg(test)]
mod tests;
