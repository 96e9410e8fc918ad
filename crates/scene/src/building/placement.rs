//! Transforms of a scene file as those of the mesh crate.

use crate::file::spec::{RotateSpec, TransformSpec};
use pliant_mesh::{Rotation, Transform};

/// A transform of a scene file, with the angle in radians.
pub(super) fn placement(t: &TransformSpec) -> Transform {
    Transform { scale: t.scale, rotate: joined(&t.rotate.0), translate: t.translate }
}

/// Several rotations, one after the other, as one.
fn joined(rotations: &[RotateSpec]) -> Rotation {
    let plain = |r: &RotateSpec| Rotation { axis: r.axis, angle: r.degrees.to_radians() };
    match rotations {
        [] => Rotation::default(),
        [only] => plain(only),
        several => {
            let turned = several.iter().map(|r| quaternion(&plain(r))).fold([1.0, 0.0, 0.0, 0.0], after);
            let [w, x, y, z] = turned;
            let sine = (x * x + y * y + z * z).sqrt();
            if sine == 0.0 {
                return Rotation::default();
            }
            Rotation { axis: [x, y, z], angle: 2.0 * sine.atan2(w) }
        }
    }
}

/// A rotation as a unit quaternion (w, x, y, z).
fn quaternion(r: &Rotation) -> [f64; 4] {
    let length = r.axis.iter().map(|a| a * a).sum::<f64>().sqrt();
    let (sin, cos) = (0.5 * r.angle).sin_cos();
    let [x, y, z] = r.axis.map(|a| a * sin / length);
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
        let mut points = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Transform { rotate: both, ..Transform::default() }.apply_all(&mut points).unwrap();
        // x goes to y and stays; y goes to -x, then to z; z goes to x.
        let want = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        for (p, w) in points.iter().flatten().zip(want.iter().flatten()) {
            assert!((p - w).abs() < 1e-15, "{points:?}");
        }
    }
}
