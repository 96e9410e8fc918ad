//! Moves boundary vertices onto sharp edges and corners that the lattice has cut off.

use super::complex::Complex;
use super::surface::Surface;
use pliant_mesh::{DMat3, DVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Normals that differ by more than this belong to a sharp feature: cosine of 35 degrees.
const SHARP: f64 = 0.82;

/// The tangent plane of the surface at the point nearest to the middle of a boundary face.
#[derive(Clone, Copy)]
struct Plane {
    point: DVec3,
    normal: DVec3,
}

/// Moves vertices onto features where all tets at them stay better than `bound`.
pub(super) fn restore_features(complex: &mut Complex, surface: &Surface<'_>, bound: f64) {
    let faces = complex.boundary_faces();
    let planes: Vec<Plane> = faces
        .par_iter()
        .map(|face| {
            let [a, b, c] = face.map(|v| complex.positions[v as usize]);
            let near = surface.solid.project((a + b + c) * (1.0 / 3.0));
            Plane { point: near.point, normal: near.normal }
        })
        .collect();
    let mut at_vertex: FxHashMap<u32, Vec<Plane>> = FxHashMap::default();
    for (face, &plane) in faces.iter().zip(&planes) {
        for &v in face {
            at_vertex.entry(v).or_default().push(plane);
        }
    }
    let mut moves: Vec<(f64, u32, DVec3)> = at_vertex
        .par_iter()
        .filter(|(_, planes)| is_sharp(planes))
        .filter_map(|(&v, planes)| {
            let here = complex.positions[v as usize];
            let target = surface.solid.project(meeting_point(planes, here)?).point;
            Some((here.distance(target), v, target))
        })
        .collect();
    moves.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (_, v, target) in moves {
        try_feature(complex, surface, v, target, bound);
    }
}

fn is_sharp(planes: &[Plane]) -> bool {
    planes.iter().enumerate().any(|(i, p)| planes[..i].iter().any(|q| p.normal.dot(q.normal) < SHARP))
}

/// The point nearest to `here` among those closest to all planes, by least squares with a weak pull to `here`.
fn meeting_point(planes: &[Plane], here: DVec3) -> Option<DVec3> {
    const PULL: f64 = 1e-2;
    let mut matrix = DMat3::from_diagonal(DVec3::splat(PULL));
    let mut right = DVec3::ZERO;
    for plane in planes {
        let n = plane.normal;
        let offset = n.dot(plane.point - here);
        matrix += DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        right += offset * n;
    }
    let DMat3 { x_axis: a, y_axis: b, z_axis: c } = matrix;
    let determinant = a.dot(b.cross(c));
    // Cramer's rule on a symmetric positive definite matrix.
    let minors = DVec3::new(right.dot(b.cross(c)), right.dot(c.cross(a)), right.dot(a.cross(b)));
    (determinant > 0.0).then(|| here + minors * (1.0 / determinant))
}

fn try_feature(complex: &mut Complex, surface: &Surface<'_>, v: u32, target: DVec3, bound: f64) {
    let faces = complex.surface_at(v);
    let errors = |complex: &Complex| -> f64 {
        let corners = |face: &[u32; 3]| face.map(|w| complex.positions[w as usize]);
        faces.iter().map(|face| surface.error(corners(face))).sum()
    };
    let before = errors(complex);
    let old = std::mem::replace(&mut complex.positions[v as usize], target);
    if complex.worst_at(v) < bound || errors(complex) > 0.9 * before {
        complex.positions[v as usize] = old;
    }
}
