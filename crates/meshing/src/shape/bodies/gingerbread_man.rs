//! A flat cookie in the shape of a man.

use crate::ShapeTree;
use pliant_mesh::{DVec3, dvec3};
use std::f64::consts::PI;

const THICKNESS: f64 = 0.16;

/// Stands upright on z = 0 in the plane x-z and looks along -y.
pub(super) fn gingerbread_man() -> ShapeTree {
    let dough = ShapeTree::Extrusion { outline: outline(), thickness: THICKNESS, rounding: 0.06 };
    let front = 0.5 * THICKNESS;
    // In the plane of the outline; z is towards the viewer.
    let drop = |x: f64, y: f64, radius: f64| ShapeTree::sphere(dvec3(x, y, front - 0.3 * radius), radius);
    let face = [drop(-0.07, 0.86, 0.035), drop(0.07, 0.86, 0.035)];
    let buttons = [drop(0.0, 0.56, 0.04), drop(0.0, 0.43, 0.04)];
    let both =
        |x: f64, y: f64, radius: f64| ShapeTree::sphere(dvec3(x, y, 0.0), radius).and_mirrored(DVec3::X);
    dough
        .blended_with(face.into_iter().chain(buttons), 0.02)
        .marked("head", ShapeTree::sphere(dvec3(0.0, 0.82, 0.0), 0.21))
        .marked("hands", both(0.42, 0.54, 0.14))
        .marked("feet", both(0.21, 0.06, 0.14))
        .rotated(DVec3::X, 90.0)
}

/// The right half from the crotch to the top of the head, mirrored, and its corners cut.
fn outline() -> Vec<[f64; 2]> {
    let mut half = vec![
        [0.0, 0.24],
        [0.05, 0.22],
        [0.09, 0.06],
        [0.14, -0.01],
        [0.24, 0.0],
        [0.3, 0.07],
        [0.28, 0.2],
        [0.22, 0.34],
        [0.21, 0.45],
        [0.3, 0.43],
        [0.42, 0.44],
        [0.49, 0.53],
        [0.45, 0.63],
        [0.32, 0.65],
        [0.18, 0.66],
        [0.1, 0.665],
    ];
    let head = (1..9).map(|i| {
        let angle = -0.38 * PI + 0.88 * PI * f64::from(i) / 9.0;
        [0.185 * angle.cos(), 0.815 + 0.185 * angle.sin()]
    });
    half.extend(head);
    half.push([0.0, 1.0]);
    let left = half.iter().rev().filter(|c| c[0] > 0.0).map(|c| [-c[0], c[1]]);
    let whole: Vec<[f64; 2]> = half.iter().copied().chain(left).collect();
    cut_corners(&cut_corners(&whole))
}

/// One round of Chaikin's corner cutting: the polygon comes close to a smooth curve.
fn cut_corners(corners: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let between = |a: [f64; 2], b: [f64; 2], t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
    let next = |i: usize| corners[(i + 1) % corners.len()];
    corners
        .iter()
        .enumerate()
        .flat_map(|(i, &c)| [between(c, next(i), 0.25), between(c, next(i), 0.75)])
        .collect()
}
