//! Similarities: scaled, turned or mirrored, and moved. Where a shape of the tree ends up in the world.

use super::ShapeError;
use pliant_mesh::vector::unit;
use pliant_mesh::{DMat3, DVec3, MeshError, Transform};

/// `x -> factor * (axes x) + origin`, turned and perhaps mirrored by an orthogonal matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// Its columns are the images of the three axes.
    pub axes: DMat3,
    pub factor: f64,
    pub origin: DVec3,
}

impl Placement {
    pub const IDENTITY: Placement = Placement { axes: DMat3::IDENTITY, factor: 1.0, origin: DVec3::ZERO };

    /// The placement of a part of something that is placed itself: `self` after `inner`.
    pub fn after(&self, inner: &Placement) -> Placement {
        Placement {
            axes: self.axes * inner.axes,
            factor: self.factor * inner.factor,
            origin: self.point(inner.origin),
        }
    }

    pub fn of(transform: &Transform) -> Result<Placement, ShapeError> {
        let unscaled = Transform { scale: 1.0, translate: DVec3::ZERO, ..*transform };
        let mut axes = DVec3::AXES;
        // The whole transform is applied for its checks, the turn alone for the axes.
        transform.apply_all(&mut axes.clone()).map_err(bad)?;
        unscaled.apply_all(&mut axes).map_err(bad)?;
        let [x, y, z] = axes;
        Ok(Placement {
            axes: DMat3::from_cols(x, y, z),
            factor: transform.scale,
            origin: transform.translate,
        })
    }

    /// The reflection in the plane through the origin with this normal.
    pub fn mirror(normal: DVec3) -> Result<Placement, ShapeError> {
        let n = direction("mirror normal", normal)?;
        let [x, y, z] = DVec3::AXES.map(|e| e - n * (2.0 * n.dot(e)));
        Ok(Placement { axes: DMat3::from_cols(x, y, z), ..Placement::IDENTITY })
    }

    pub fn point(&self, p: DVec3) -> DVec3 {
        self.factor * (self.axes * p) + self.origin
    }
}

/// A unit vector along `v`.
pub(super) fn direction(name: &'static str, v: DVec3) -> Result<DVec3, ShapeError> {
    unit(v).ok_or_else(|| ShapeError::BadParameter {
        name,
        value: format!("{:?}", v.to_array()),
        want: "finite and not zero",
    })
}

/// Three orthonormal columns of which the last is `axis`, a unit vector.
pub(super) fn frame_about(axis: DVec3) -> DMat3 {
    // The coordinate axis that is least along `axis` gives a well-conditioned cross product.
    let helper = DVec3::AXES[axis.abs().min_position()];
    let across = unit(helper.cross(axis)).unwrap_or(DVec3::X);
    DMat3::from_cols(across, axis.cross(across), axis)
}

fn bad(error: MeshError) -> ShapeError {
    match error {
        MeshError::BadParameter { name, value, want } => ShapeError::BadParameter { name, value, want },
        other => {
            ShapeError::BadParameter { name: "transform", value: other.to_string(), want: "a similarity" }
        }
    }
}
