//! Obstacles: their shapes, made or read, where they are and how they move.

use super::mesh::mesh_of;
use super::mesh_file::MeshFiles;
use crate::error::Fault;

use super::motion::motion;
use super::placement::{matchstick, placement};
use crate::file::document::{Document, Problems};
use crate::file::spec::{ObstacleShape, ObstacleSpec, TransformSpec};
use pliant::{Obstacle, Pose, Shape};
use pliant_mesh::{DMat3, DVec3, Mesh, MeshError, Transform, TriMesh};

/// The obstacles of a scene. Those that cannot be used are reported and left out.
pub(crate) fn obstacles(d: &Document, files: MeshFiles, problems: &mut Problems) -> Vec<Obstacle> {
    let mut list = Vec::new();
    for (i, (spec, name)) in d.obstacles.iter().zip(d.obstacle_names()).enumerate() {
        match obstacle(spec, name, files) {
            Ok(obstacle) => list.push(obstacle),
            Err((key, fault)) => problems.add_fault(&format!("obstacle.{i}.{key}"), "", fault),
        }
    }
    list
}

/// An obstacle; what is wrong comes with the key that it is about.
fn obstacle(spec: &ObstacleSpec, name: String, files: MeshFiles) -> Result<Obstacle, (&'static str, Fault)> {
    let shaped = || -> Result<(Shape, Pose), Fault> {
        let shape = shape_of(&spec.shape, spec.transform.scale, files)?;
        shape.validate()?;
        Ok((shape, pose(&spec.transform)?))
    };
    let (shape, placement) = shaped().map_err(|fault| ("shape", fault))?;
    let motion = motion(&spec.motion, || placement.translation, (&spec.transform, files.directory()));
    Ok(Obstacle {
        name,
        shape,
        motion: motion.map_err(|fault| ("motion", fault))?,
        placement,
        friction: spec.friction,
        matchstick: spec.matchstick.as_ref().map(matchstick),
    })
}

/// The shape with all its lengths multiplied by `scale`.
fn shape_of(spec: &ObstacleShape, scale: f64, files: MeshFiles) -> Result<Shape, Fault> {
    Ok(match spec {
        ObstacleShape::Plane => Shape::Plane,
        ObstacleShape::Sphere { radius } => Shape::Sphere { radius: scale * radius },
        ObstacleShape::Box { size } => Shape::Box { half: 0.5 * scale * DVec3::from(*size) },
        ObstacleShape::Capsule { radius, length } => {
            Shape::Capsule { radius: scale * radius, half_length: 0.5 * scale * length }
        }
        ObstacleShape::Cylinder { radius, length } => {
            Shape::Cylinder { radius: scale * radius, half_length: 0.5 * scale * length }
        }
        ObstacleShape::Torus { major, minor } => Shape::Torus { major: scale * major, minor: scale * minor },
        ObstacleShape::Mesh { mesh } => {
            let sized = TransformSpec { scale, ..TransformSpec::default() };
            Shape::Mesh(match mesh_of(mesh, &sized, files)? {
                Mesh::Tet(solid) => solid.surface(),
                Mesh::Tri(surface) => surface,
            })
        }
        ObstacleShape::Triangles { points, triangles } => Shape::Mesh(TriMesh {
            vertices: points.iter().map(|p| scale * DVec3::from(*p)).collect(),
            triangles: triangles.clone(),
            ..TriMesh::default()
        }),
    })
}

/// Rotation and translation of a transform.
fn pose(t: &TransformSpec) -> Result<Pose, MeshError> {
    let Transform { rotate, translate, .. } = placement(t);
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    Transform { rotate, ..Transform::default() }.apply_all(&mut axes)?;
    let [x, y, z] = axes;
    Ok(Pose { rotation: DMat3::from_cols(x, y, z), translation: translate })
}
