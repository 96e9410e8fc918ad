//! `[[obstacle]]`: sizes, places, friction.

use super::{action, matchstick, not_negative, positive, shape};
use crate::file::document::Problems;
use crate::file::spec::{MeshSpec, ObstacleShape, ObstacleSpec};

/// Checks an obstacle as far as it can be without its mesh.
pub(super) fn obstacle(path: &str, o: &ObstacleSpec, problems: &mut Problems) {
    if let Some(friction) = o.friction {
        not_negative(&format!("{path}.friction"), friction, problems);
    }
    matchstick(path, o.matchstick.as_ref(), problems);
    shape::transform(&format!("{path}.transform"), &o.transform, problems);
    action::motion(path, &o.motion, problems);
    let at = |key: &str| format!("{path}.shape.{key}");
    match &o.shape {
        ObstacleShape::Plane => {}
        ObstacleShape::Sphere { radius } => {
            positive(&at("radius"), *radius, problems);
        }
        ObstacleShape::Box { size } => {
            for (k, length) in size.iter().enumerate() {
                positive(&at(&format!("size.{k}")), *length, problems);
            }
        }
        ObstacleShape::Capsule { radius, length } => {
            positive(&at("radius"), *radius, problems);
            not_negative(&at("length"), *length, problems);
        }
        ObstacleShape::Cylinder { radius, length } => {
            positive(&at("radius"), *radius, problems);
            positive(&at("length"), *length, problems);
        }
        ObstacleShape::Torus { major, minor } => {
            let good = positive(&at("major"), *major, problems) & positive(&at("minor"), *minor, problems);
            if good && minor >= major {
                let cause =
                    format!("{path}.shape: a torus with minor = {minor} and major = {major} has no hole");
                problems.add(&at("minor"), cause, "make minor smaller than major, or use a sphere");
            }
        }
        ObstacleShape::Mesh { mesh: MeshSpec::Generator(generator) } => {
            shape::generator(&at("mesh"), generator, problems);
        }
        ObstacleShape::Mesh { mesh: MeshSpec::File(_) } => {}
        ObstacleShape::Triangles { points, triangles } => {
            triangles_exist(path, points.len(), triangles, problems)
        }
    }
}

fn triangles_exist(path: &str, points: usize, triangles: &[[u32; 3]], problems: &mut Problems) {
    let path = format!("{path}.shape.triangles");
    if triangles.is_empty() {
        problems.add(&path, format!("{path} is empty"), "write at least one triangle such as [0, 1, 2]");
    }
    for (i, t) in triangles.iter().enumerate() {
        if let Some(bad) = t.iter().find(|&&v| v as usize >= points) {
            let cause = format!("{path}.{i} names the point {bad}, but there are only {points}");
            problems.add(&format!("{path}.{i}"), cause, "points are counted from 0");
        }
    }
}
