//! Bodies modelled as trees of simple shapes: a signed distance that the mesher can fill with tetrahedra.
//!
//! A [`ShapeTree`] is plain data. [`ShapeTree::compile`] checks it and makes a [`ShapeSolid`], which answers how far a point
//! is from the surface.

pub mod bodies;
mod bounds;
mod compile;
mod error;
mod field;
mod leaf;
mod placement;
mod project;
mod sample;
mod solid;
mod tighten;
mod tree;

#[cfg(test)]
mod tests;

pub use error::ShapeError;
pub use tree::ShapeSolid;

use pliant_mesh::{DVec3, Transform};

/// A body, or a part of one. Lengths are metres.
///
/// ```
/// use pliant_mesh::DVec3;
/// use pliant_meshing::{ShapeTree, Solid};
///
/// let (left, right) = (DVec3::new(-0.5, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0));
/// let ends = [ShapeTree::sphere(left, 0.25), ShapeTree::sphere(right, 0.25)];
/// let dumbbell = ShapeTree::capsule(left, right, 0.1).blended_with(ends, 0.1);
/// let solid = dumbbell.compile()?;
/// assert!((solid.signed_distance(DVec3::ZERO) + 0.1).abs() < 1e-12);
/// # Ok::<(), pliant_meshing::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeTree {
    /// A ball.
    Sphere {
        /// Middle.
        center: DVec3,
        /// Radius, positive.
        radius: f64,
    },
    /// The convex hull of two balls: a capsule if they are equal, else a cone with round ends.
    Capsule {
        /// Centres of the balls.
        ends: [DVec3; 2],
        /// Radii of the balls; positive.
        radii: [f64; 2],
    },
    /// A box along the axes.
    Cuboid {
        /// Middle.
        center: DVec3,
        /// Full lengths along x, y, z; positive.
        size: DVec3,
        /// Radius of the edges, at most half of the smallest length.
        rounding: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Middles of the two flat ends.
        ends: [DVec3; 2],
        /// Radius, positive.
        radius: f64,
        /// Radius of the two edges, at most the radius and half of the height.
        rounding: f64,
    },
    /// A ring.
    Torus {
        /// Middle.
        center: DVec3,
        /// Direction of the axis, any length but zero.
        axis: DVec3,
        /// From the middle to the middle of the tube, positive.
        major: f64,
        /// Radius of the tube, positive.
        minor: f64,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Middle.
        center: DVec3,
        /// Half lengths along x, y, z; positive.
        radii: DVec3,
    },
    /// A polygon in the plane z = 0, made thick to both sides of it. Where its edges cross the inside is what an odd
    /// number of edges separates from the outside.
    Extrusion {
        /// Corners x, y in either sense of rotation; the last is joined to the first.
        outline: Vec<[f64; 2]>,
        /// Full length along z, positive.
        thickness: f64,
        /// Radius of the edges between the side and the two faces, at most half of the thickness. The corners of the
        /// outline stay as they are.
        rounding: f64,
    },
    /// Everything on the side of a plane that the normal points to: cuts other shapes.
    HalfSpace {
        /// A point of the plane.
        point: DVec3,
        /// Normal of the plane, any length but zero.
        normal: DVec3,
    },
    /// What is in any of the parts.
    Union {
        /// At least one. Parts that touch must overlap: a shared face would remain as a crack.
        parts: Vec<ShapeTree>,
        /// Radius of the fillet between the parts, 0 for none.
        blend: f64,
    },
    /// What is in all of the parts.
    Intersection {
        /// At least one.
        parts: Vec<ShapeTree>,
        /// Radius that rounds the edges where the parts cut each other, 0 for none.
        blend: f64,
    },
    /// What is in the first part and in none of the others.
    Difference {
        /// At least one.
        parts: Vec<ShapeTree>,
        /// Radius that rounds the edges of the cuts, 0 for none.
        blend: f64,
    },
    /// A shape that is scaled, then rotated, then moved.
    Placed {
        /// What is moved.
        shape: Box<ShapeTree>,
        /// How.
        transform: Transform,
    },
    /// The mirror image of a shape in a plane through the origin.
    Mirrored {
        /// What is mirrored.
        shape: Box<ShapeTree>,
        /// Normal of the plane, any length but zero.
        normal: DVec3,
    },
    /// A body of which the vertices in a region become a group of the mesh. The region adds nothing to the body.
    Marked {
        /// The body.
        shape: Box<ShapeTree>,
        /// Name of the group.
        name: String,
        /// Where the vertices are.
        region: Box<ShapeTree>,
    },
    /// A part that becomes a group of the mesh: the vertices in it or on it. Parts of one name make one group.
    Named {
        /// Name of the group.
        name: String,
        /// The part.
        shape: Box<ShapeTree>,
    },
}

impl ShapeTree {
    /// A ball.
    pub fn sphere(center: DVec3, radius: f64) -> ShapeTree {
        ShapeTree::Sphere { center, radius }
    }

    /// All points within `radius` of a segment.
    pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> ShapeTree {
        ShapeTree::Capsule { ends: [a, b], radii: [radius; 2] }
    }

    /// The convex hull of two balls.
    pub fn round_cone(a: DVec3, radius_a: f64, b: DVec3, radius_b: f64) -> ShapeTree {
        ShapeTree::Capsule { ends: [a, b], radii: [radius_a, radius_b] }
    }

    /// Round cones from each ball to the next: a limb, a neck, a tail.
    pub fn limb(balls: &[(DVec3, f64)]) -> ShapeTree {
        let parts: Vec<ShapeTree> =
            balls.windows(2).map(|w| ShapeTree::round_cone(w[0].0, w[0].1, w[1].0, w[1].1)).collect();
        ShapeTree::Union { parts, blend: 0.0 }
    }

    /// A box with sharp edges about `center`, with full lengths `size`.
    pub fn cuboid(center: DVec3, size: DVec3) -> ShapeTree {
        ShapeTree::Cuboid { center, size, rounding: 0.0 }
    }

    /// A cylinder with sharp edges between the middles of its ends.
    pub fn cylinder(a: DVec3, b: DVec3, radius: f64) -> ShapeTree {
        ShapeTree::Cylinder { ends: [a, b], radius, rounding: 0.0 }
    }

    /// A ring about the z axis.
    pub fn torus(major: f64, minor: f64) -> ShapeTree {
        ShapeTree::Torus { center: DVec3::ZERO, axis: DVec3::Z, major, minor }
    }

    /// An ellipsoid along the axes.
    pub fn ellipsoid(center: DVec3, radii: DVec3) -> ShapeTree {
        ShapeTree::Ellipsoid { center, radii }
    }

    /// All that is in this shape or in one of `others`.
    pub fn union_with(self, others: impl IntoIterator<Item = ShapeTree>) -> ShapeTree {
        self.blended_with(others, 0.0)
    }

    /// This shape and `others` joined with fillets of radius `blend`.
    pub fn blended_with(self, others: impl IntoIterator<Item = ShapeTree>, blend: f64) -> ShapeTree {
        ShapeTree::Union { parts: std::iter::once(self).chain(others).collect(), blend }
    }

    /// What of this shape is not in one of `cuts`.
    pub fn without(self, cuts: impl IntoIterator<Item = ShapeTree>) -> ShapeTree {
        ShapeTree::Difference { parts: std::iter::once(self).chain(cuts).collect(), blend: 0.0 }
    }

    /// What of this shape is on the side of a plane that `normal` points to.
    pub fn cut(self, point: DVec3, normal: DVec3) -> ShapeTree {
        ShapeTree::Intersection { parts: vec![self, ShapeTree::HalfSpace { point, normal }], blend: 0.0 }
    }

    /// Scaled, then rotated, then moved.
    pub fn placed(self, transform: Transform) -> ShapeTree {
        ShapeTree::Placed { shape: Box::new(self), transform }
    }

    /// Moved by a vector.
    pub fn translated(self, by: DVec3) -> ShapeTree {
        self.placed(Transform::translation(by))
    }

    /// Turned about an axis through the origin, right-handed.
    pub fn rotated(self, axis: DVec3, degrees: f64) -> ShapeTree {
        self.placed(Transform::rotation(axis, degrees.to_radians()))
    }

    /// Scaled about the origin by a positive factor.
    pub fn scaled(self, factor: f64) -> ShapeTree {
        self.placed(Transform::scaling(factor))
    }

    /// The mirror image in the plane through the origin with this normal.
    pub fn mirrored(self, normal: DVec3) -> ShapeTree {
        ShapeTree::Mirrored { shape: Box::new(self), normal }
    }

    /// This shape and its mirror image in the plane through the origin with this normal.
    pub fn and_mirrored(self, normal: DVec3) -> ShapeTree {
        let image = self.clone().mirrored(normal);
        self.union_with([image])
    }

    /// Makes a group of what of this shape is in `region`.
    pub fn marked(self, name: impl Into<String>, region: ShapeTree) -> ShapeTree {
        ShapeTree::Marked { shape: Box::new(self), name: name.into(), region: Box::new(region) }
    }

    /// Makes a group of this part.
    pub fn named(self, name: impl Into<String>) -> ShapeTree {
        ShapeTree::Named { name: name.into(), shape: Box::new(self) }
    }

    /// Checks all numbers and prepares the shape for questions.
    ///
    /// # Errors
    ///
    /// A length or direction out of range, no part in a combination, a body without bounds or without inside, or a
    /// tree that is too large.
    pub fn compile(&self) -> Result<ShapeSolid, ShapeError> {
        compile::compile(self)
    }
}
