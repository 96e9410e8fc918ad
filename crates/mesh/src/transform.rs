//! Placing a mesh: scale, then rotate, then translate.

use crate::vector::unit;
use crate::{DVec3, Mesh, MeshError};

/// A rotation about an axis through the origin, right-handed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Direction of the axis; any length but zero.
    pub axis: DVec3,
    /// Angle in radians.
    pub angle: f64,
}

impl Default for Rotation {
    /// No turn about z.
    fn default() -> Self {
        Self { axis: DVec3::Z, angle: 0.0 }
    }
}

/// `x -> rotate(scale * x) + translate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Uniform factor, positive. Default 1.
    pub scale: f64,
    /// Applied after the scale. Default none.
    pub rotate: Rotation,
    /// Applied last, in metres. Default zero.
    pub translate: DVec3,
}

impl Default for Transform {
    /// The identity.
    fn default() -> Self {
        Self { scale: 1.0, rotate: Rotation::default(), translate: DVec3::ZERO }
    }
}

impl Transform {
    /// The identity followed by a shift.
    pub fn translation(translate: DVec3) -> Self {
        Self { translate, ..Self::default() }
    }

    /// A rotation about an axis through the origin, `angle` in radians.
    pub fn rotation(axis: DVec3, angle: f64) -> Self {
        Self { rotate: Rotation { axis, angle }, ..Self::default() }
    }

    /// A uniform scale about the origin.
    pub fn scaling(scale: f64) -> Self {
        Self { scale, ..Self::default() }
    }

    /// Moves all points, or none if a parameter is out of range: a scale that is not positive would turn
    /// the elements inside out, an axis of length zero has no direction.
    pub fn apply_all(&self, points: &mut [DVec3]) -> Result<(), MeshError> {
        let axis = self.checked_axis()?;
        let (sin, cos) = self.rotate.angle.sin_cos();
        for p in points {
            let x = *p * self.scale;
            // Rodrigues' formula; skipped for no turn, so that a pure shift stays exact.
            let turned = if self.rotate.angle == 0.0 {
                x
            } else {
                let along = axis * (axis.dot(x) * (1.0 - cos));
                cos * x + sin * axis.cross(x) + along
            };
            *p = turned + self.translate;
        }
        Ok(())
    }

    fn checked_axis(&self) -> Result<DVec3, MeshError> {
        let bad = |name, value, want| Err(MeshError::BadParameter { name, value, want });
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            return bad("transform scale", format!("{:?}", self.scale), "positive and finite");
        }
        if !self.rotate.angle.is_finite() {
            return bad("rotation angle", format!("{:?}", self.rotate.angle), "finite, in radians");
        }
        if !self.translate.is_finite() {
            return bad("translation", format!("{:?}", self.translate.to_array()), "finite");
        }
        match unit(self.rotate.axis) {
            Some(axis) => Ok(axis),
            None => bad("rotation axis", format!("{:?}", self.rotate.axis.to_array()), "finite and not zero"),
        }
    }
}

impl Mesh {
    /// Moves all vertices. On an error the mesh is unchanged.
    pub fn transform(&mut self, transform: &Transform) -> Result<(), MeshError> {
        transform.apply_all(self.vertices_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    fn moved(t: &Transform, p: DVec3) -> DVec3 {
        let mut points = [p];
        t.apply_all(&mut points).unwrap();
        points[0]
    }

    #[test]
    fn order_is_scale_rotate_translate() {
        let t = Transform {
            scale: 2.0,
            rotate: Rotation { axis: DVec3::new(0.0, 0.0, 5.0), angle: FRAC_PI_2 },
            translate: DVec3::Z,
        };
        assert!(moved(&t, DVec3::X).distance(DVec3::new(0.0, 2.0, 1.0)) < 1e-15);
        assert_eq!(moved(&Transform::default(), DVec3::new(0.1, 0.2, 0.3)), DVec3::new(0.1, 0.2, 0.3));
        assert_eq!(moved(&Transform::scaling(3.0), DVec3::X), DVec3::new(3.0, 0.0, 0.0));
        assert_eq!(moved(&Transform::translation(DVec3::ONE), DVec3::ZERO), DVec3::ONE);
        let third = Transform::rotation(DVec3::ONE, std::f64::consts::TAU / 3.0);
        assert!(moved(&third, DVec3::X).distance(DVec3::Y) < 1e-15);
    }

    #[test]
    fn a_mesh_keeps_its_volume_when_moved_and_stays_put_on_an_error() {
        let mut mesh = Mesh::from(crate::block([1.0, 2.0, 3.0], [1, 2, 2]).unwrap());
        let t = Transform {
            translate: DVec3::new(5.0, -1.0, 2.0),
            ..Transform::rotation(DVec3::new(1.0, -2.0, 0.3), 1.1)
        };
        mesh.transform(&t).unwrap();
        let Mesh::Tet(tets) = &mesh else { unreachable!() };
        assert!((tets.volume() - 6.0).abs() < 1e-12);
        let before = mesh.clone();
        for bad in [
            Transform::scaling(-1.0),
            Transform::scaling(f64::NAN),
            Transform::rotation(DVec3::ZERO, 1.0),
            Transform::rotation(DVec3::ONE, f64::INFINITY),
            Transform::translation(DVec3::new(f64::NAN, 0.0, 0.0)),
        ] {
            assert!(matches!(mesh.transform(&bad), Err(MeshError::BadParameter { .. })));
            assert_eq!(mesh, before);
        }
    }
}
