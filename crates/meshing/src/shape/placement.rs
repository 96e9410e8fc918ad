//! Similarities: scaled, turned or mirrored, and moved. Where a shape of the tree ends up in the world.

use super::ShapeError;
use pliant_mesh::vector::{add, cross, dot, scale, sub, unit};
use pliant_mesh::{MeshError, Point, Transform};

/// `x -> factor * (x . rows) + origin` with orthonormal rows, mirrored or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// Images of the three axes: orthonormal.
    pub axes: [Point; 3],
    pub factor: f64,
    pub origin: Point,
}

impl Placement {
    pub const IDENTITY: Placement = Placement {
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        factor: 1.0,
        origin: [0.0; 3],
    };

    /// The placement of a part of something that is placed itself: `self` after `inner`.
    pub fn after(&self, inner: &Placement) -> Placement {
        Placement {
            axes: inner.axes.map(|axis| self.direction(axis)),
            factor: self.factor * inner.factor,
            origin: self.point(inner.origin),
        }
    }

    pub fn of(transform: &Transform) -> Result<Placement, ShapeError> {
        let unscaled = Transform { scale: 1.0, translate: [0.0; 3], ..*transform };
        let mut axes = Placement::IDENTITY.axes;
        // The whole transform is applied for its checks, the turn alone for the axes.
        transform.apply_all(&mut axes.clone()).map_err(bad)?;
        unscaled.apply_all(&mut axes).map_err(bad)?;
        Ok(Placement { axes, factor: transform.scale, origin: transform.translate })
    }

    /// The reflection in the plane through the origin with this normal.
    pub fn mirror(normal: Point) -> Result<Placement, ShapeError> {
        let n = direction("mirror normal", normal)?;
        let axes = Placement::IDENTITY.axes.map(|e| sub(e, scale(n, 2.0 * dot(n, e))));
        Ok(Placement { axes, ..Placement::IDENTITY })
    }

    pub fn point(&self, p: Point) -> Point {
        add(scale(self.direction(p), self.factor), self.origin)
    }

    pub fn direction(&self, d: Point) -> Point {
        add(add(scale(self.axes[0], d[0]), scale(self.axes[1], d[1])), scale(self.axes[2], d[2]))
    }
}

/// A unit vector along `v`.
pub(super) fn direction(name: &'static str, v: Point) -> Result<Point, ShapeError> {
    unit(v).ok_or_else(|| ShapeError::BadParameter {
        name,
        value: format!("{v:?}"),
        want: "finite and not zero",
    })
}

/// Three orthonormal vectors of which the last is `axis`, a unit vector.
pub(super) fn frame_about(axis: Point) -> [Point; 3] {
    // The coordinate axis that is least along `axis` gives a well-conditioned cross product.
    let least = (0..3).fold(0, |least, k| if axis[k].abs() < axis[least].abs() { k } else { least });
    let mut helper = [0.0; 3];
    helper[least] = 1.0;
    let across = unit(cross(helper, axis)).unwrap_or([1.0, 0.0, 0.0]);
    [across, cross(axis, across), axis]
}

fn bad(error: MeshError) -> ShapeError {
    match error {
        MeshError::BadParameter { name, value, want } => ShapeError::BadParameter { name, value, want },
        other => {
            ShapeError::BadParameter { name: "transform", value: other.to_string(), want: "a similarity" }
        }
    }
}
