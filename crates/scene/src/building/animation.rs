//! Motions from files: the ways of single vertices for pins, poses for what is rigid.

use super::mesh_file::find_file;
use super::placement::placement;
use crate::error::Fault;
use crate::file::spec::{AnimationSpec, TransformSpec};
use pliant::{Paths, Pose};
use pliant_mesh::{Aabb, DMat3, DVec3, TriangleTree};
use pliant_mesh_io::{Animation, read_animation};
use std::path::Path;

/// Difference, over the size, up to which two points are the same, and a motion is rigid.
const SAME: f64 = 1e-6;
const RIGID: f64 = 1e-3;

/// Reads the file of a motion. Its points are placed by its own transform, or else by that of what follows it.
pub(super) fn read(spec: &AnimationSpec, own: &TransformSpec, directory: &Path) -> Result<Animation, Fault> {
    let path = find_file(&spec.file, directory);
    let mut animation = read_animation(&path, spec.fps, spec.array.as_deref())?;
    let place = placement(spec.transform.as_ref().unwrap_or(own));
    for points in &mut animation.frames {
        place.apply_all(points)?;
    }
    animation.times.iter_mut().for_each(|t| *t += spec.start);
    Ok(animation)
}

/// The ways of some vertices of a mesh: those of the points with their numbers if the first frame is the mesh itself;
/// otherwise each keeps to the nearest place on the surface of the first frame, or to its nearest point if there are no
/// triangles.
pub(super) fn paths(animation: &Animation, mesh: &[DVec3], vertices: &[u32]) -> Result<Paths, Fault> {
    let [first, ..] = &animation.frames[..] else {
        return Err(Fault::new("the animation has no frames", "export a frame at least"));
    };
    let size = Aabb::around(first).diagonal();
    let rest = |v: &u32| mesh[*v as usize];
    let is_same = |v: &u32| first[*v as usize].distance(rest(v)) <= SAME * size;
    let follow: Vec<Follow> = if first.len() == mesh.len() && vertices.iter().all(is_same) {
        vertices.iter().map(|&v| Follow::Point(v as usize)).collect()
    } else if animation.triangles.is_empty() {
        let near = |p: DVec3| {
            (0..first.len()).min_by(|&a, &b| first[a].distance(p).total_cmp(&first[b].distance(p)))
        };
        vertices.iter().map(|v| Follow::Point(near(rest(v)).unwrap_or(0))).collect()
    } else {
        let tree = TriangleTree::from_parts(first, &animation.triangles)?;
        let bind = |v: &u32| {
            let near = tree.closest(rest(v))?;
            let corners = animation.triangles[near.triangle as usize];
            let offset = frame(corners.map(|c| first[c as usize])).transpose() * (rest(v) - near.point);
            Some(Follow::Surface { corners, weights: near.barycentric, offset })
        };
        let bound: Option<Vec<Follow>> = vertices.iter().map(bind).collect();
        bound.ok_or_else(|| Fault::new("the animation has no surface", "export it with its triangles"))?
    };
    let at = |points: &Vec<DVec3>| -> Vec<DVec3> {
        follow.iter().zip(vertices).map(|(follow, v)| follow.place(points) - rest(v)).collect()
    };
    Ok(Paths { times: animation.times.clone(), displacements: animation.frames.iter().map(at).collect() })
}

/// What a vertex keeps to.
enum Follow {
    /// A point.
    Point(usize),
    /// A place on a triangle, and how far it is from there, in the axes of the triangle.
    Surface { corners: [u32; 3], weights: [f64; 3], offset: DVec3 },
}

impl Follow {
    fn place(&self, points: &[DVec3]) -> DVec3 {
        match self {
            Follow::Point(index) => points[*index],
            Follow::Surface { corners, weights, offset } => {
                let corners = corners.map(|c| points[c as usize]);
                let on: DVec3 = corners.iter().zip(weights).map(|(c, w)| *w * *c).sum();
                on + frame(corners) * *offset
            }
        }
    }
}

/// Axes of a triangle: along its first edge, across it, and its normal.
fn frame([a, b, c]: [DVec3; 3]) -> DMat3 {
    let along = (b - a).normalize_or_zero();
    let normal = (b - a).cross(c - a).normalize_or_zero();
    DMat3::from_cols(along, normal.cross(along), normal)
}

/// The rigid motion from the first frame to each.
pub(super) fn poses(animation: &Animation) -> Result<Vec<(f64, Pose)>, Fault> {
    let [first, ..] = &animation.frames[..] else {
        return Err(Fault::new("the animation has no frames", "export a frame at least"));
    };
    let size = Aabb::around(first).diagonal();
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len() as f64;
    let center = mean(first);
    let (mut rotation, mut worst, mut poses) = (DMat3::IDENTITY, 0.0f64, Vec::new());
    for (&time, points) in animation.times.iter().zip(&animation.frames) {
        let moved = mean(points);
        rotation =
            best_rotation(first.iter().map(|p| *p - center), points.iter().map(|p| *p - moved), rotation);
        let translation = moved - rotation * center;
        let pose = Pose { rotation, translation };
        worst = first.iter().zip(points).map(|(p, q)| pose.place(*p).distance(*q)).fold(worst, f64::max);
        poses.push((time, pose));
    }
    if worst > RIGID * size {
        return Err(Fault::new(
            format!("the animation is not rigid, its points leave the best rigid motion by {worst:.2e} m"),
            "make it a [[body]] all of whose vertices a [[pin]] holds with this motion",
        ));
    }
    Ok(poses)
}

/// The rotation that brings `from` closest to `to`, starting from one that is near \[Mueller16\]: it turns until the torque
/// between the turned points and their targets is gone.
fn best_rotation(
    from: impl Iterator<Item = DVec3>,
    to: impl Iterator<Item = DVec3>,
    mut rotation: DMat3,
) -> DMat3 {
    // sum q p^T, as columns.
    let mut a = [DVec3::ZERO; 3];
    for (p, q) in from.zip(to) {
        (0..3).for_each(|k| a[k] += q * p[k]);
    }
    const MOST: usize = 100;
    for _ in 0..MOST {
        let r = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        let torque: DVec3 = r.iter().zip(&a).map(|(r, a)| r.cross(*a)).sum();
        let stiffness: f64 = r.iter().zip(&a).map(|(r, a)| r.dot(*a)).sum();
        let turn = torque / (stiffness.abs() + f64::MIN_POSITIVE);
        let angle = turn.length();
        // Also where there is nothing to turn, and the angle is no number.
        if angle.is_nan() || angle <= 1e-14 {
            break;
        }
        let axis = turn / angle;
        let (sin, cos) = angle.sin_cos();
        let turned = |c: DVec3| cos * c + sin * axis.cross(c) + (1.0 - cos) * axis.dot(c) * axis;
        rotation = DMat3::from_cols(turned(r[0]), turned(r[1]), turned(r[2]));
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud() -> Vec<DVec3> {
        (0..20)
            .map(|k| {
                let x = f64::from(k);
                DVec3::new((1.7 * x).sin(), (2.3 * x).cos(), (0.9 * x).sin())
            })
            .collect()
    }

    fn turned(angle: f64, shift: DVec3) -> Vec<DVec3> {
        let (sin, cos) = f64::sin_cos(angle);
        cloud()
            .iter()
            .map(|p| DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z) + shift)
            .collect()
    }

    #[test]
    fn a_rigid_motion_is_found_and_another_is_refused() {
        let frames: Vec<_> = (0..8).map(|k| turned(0.5 * f64::from(k), DVec3::X * f64::from(k))).collect();
        let animation = Animation { times: (0..8).map(f64::from).collect(), frames, triangles: Vec::new() };
        for (k, (time, pose)) in poses(&animation).unwrap().iter().enumerate() {
            assert_eq!(*time, k as f64);
            let away = |(p, q): (DVec3, &DVec3)| pose.place(p).distance(*q);
            let error = cloud().into_iter().zip(&animation.frames[k]).map(away).fold(0.0, f64::max);
            assert!(error < 1e-12, "{error}");
        }
        let mut bent = animation;
        bent.frames[3][5] += DVec3::Y;
        assert!(poses(&bent).unwrap_err().remedy.contains("[[body]]"));
    }

    #[test]
    fn vertices_off_the_surface_turn_with_it() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        // A quarter turn about x: y goes to z, and z to -y.
        let standing = [DVec3::ZERO, DVec3::X, DVec3::Z];
        let animation = Animation {
            times: vec![0.0, 1.0],
            frames: vec![corners.to_vec(), standing.to_vec()],
            triangles: vec![[0, 1, 2]],
        };
        let mesh = [DVec3::new(0.25, 0.25, 0.1)];
        let paths = paths(&animation, &mesh, &[0]).unwrap();
        assert!(paths.displacements[0][0].length() < 1e-15);
        let end = mesh[0] + paths.displacement(0, 5.0);
        assert!(end.distance(DVec3::new(0.25, -0.1, 0.25)) < 1e-15, "{end}");
    }
}
