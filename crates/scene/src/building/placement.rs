//! Transforms of a scene file as those of the mesh crate.

use crate::file::spec::{MatchstickSpec, RotateSpec, TransformSpec};
use pliant::Matchstick;
use pliant_mesh::{DVec3, MeshError, Rotation, Transform};

/// A transform of a scene file, with the angle in radians.
pub(super) fn placement(t: &TransformSpec) -> Transform {
    Transform { scale: t.scale, rotate: joined(&t.rotate.0), translate: t.translate.into() }
}

/// A structure in the coordinates that it is given in.
pub(super) fn matchstick(spec: &MatchstickSpec) -> Matchstick {
    Matchstick { direction: spec.direction.into(), along: spec.along, across: spec.across }
}

/// The same, turned with its body.
pub(super) fn turned_matchstick(spec: &MatchstickSpec, t: &TransformSpec) -> Result<Matchstick, MeshError> {
    let mut direction = [spec.direction.into()];
    Transform { rotate: placement(t).rotate, ..Transform::default() }.apply_all(&mut direction)?;
    Ok(Matchstick { direction: direction[0], ..matchstick(spec) })
}

/// Several rotations, one after the other, as one.
fn joined(rotations: &[RotateSpec]) -> Rotation {
    let plain = |r: &RotateSpec| Rotation { axis: r.axis.into(), angle: r.degrees.to_radians() };
    match rotations {
        [] => Rotation::default(),
        [only] => plain(only),
        several => {
            let turned = several.iter().map(|r| quaternion(&plain(r))).fold([1.0, 0.0, 0.0, 0.0], after);
            let [w, x, y, z] = turned;
            let axis = DVec3::new(x, y, z);
            let sine = axis.length();
            if sine == 0.0 {
                return Rotation::default();
            }
            Rotation { axis, angle: 2.0 * sine.atan2(w) }
        }
    }
}

/// A rotation as a unit quaternion (w, x, y, z).
fn quaternion(r: &Rotation) -> [f64; 4] {
    let (sin, cos) = (0.5 * r.angle).sin_cos();
    let DVec3 { x, y, z } = r.axis * sin / r.axis.length();
    [cos, x, y, z]
}

/// The rotation `first`, followed by `second`.
fn after(first: [f64; 4], second: [f64; 4]) -> [f64; 4] {
    let ([a, b, c, d], [e, f, g, h]) = (second, first);
    [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_follow_one_another() {
        let turn = |axis, degrees| RotateSpec { axis, degrees };
        let both = joined(&[turn([0.0, 0.0, 2.0], 90.0), turn([0.0, 1.0, 0.0], 90.0)]);
        let mut points = [DVec3::X, DVec3::Y, DVec3::Z];
        Transform { rotate: both, ..Transform::default() }.apply_all(&mut points).unwrap();
        // x goes to y and stays; y goes to -x, then to z; z goes to x.
        for (p, want) in points.iter().zip([DVec3::Y, DVec3::Z, DVec3::X]) {
            assert!(p.abs_diff_eq(want, 1e-15), "{points:?}");
        }
    }
}
