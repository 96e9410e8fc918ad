//! Exact signed distances of simple shapes \[Quilez08\], with a unit normal at every point.

use crate::vector::{scale, unit};
use pliant_mesh::Point;

pub(super) fn sphere(p: Point, radius: f64) -> (f64, Point) {
    let length = p[0].hypot(p[1]).hypot(p[2]);
    // At the centre every direction is as good; the sides of a capsule have theirs across the axis.
    (length - radius, unit(p).unwrap_or([1.0, 0.0, 0.0]))
}

pub(super) fn cuboid(p: Point, half: [f64; 3]) -> (f64, Point) {
    let beyond: Point = std::array::from_fn(|k| p[k].abs() - half[k]);
    let sign = |k: usize| if p[k] < 0.0 { -1.0 } else { 1.0 };
    let outside: Point = beyond.map(|b| b.max(0.0));
    let distance = outside[0].hypot(outside[1]).hypot(outside[2]);
    if distance > 0.0
        && let Some(direction) = unit(scale(outside, 1.0 / distance))
    {
        return (distance, std::array::from_fn(|k| sign(k) * direction[k]));
    }
    let nearest = (1..3).fold(0, |best, k| if beyond[k] > beyond[best] { k } else { best });
    let mut normal = [0.0; 3];
    normal[nearest] = sign(nearest);
    (beyond[nearest], normal)
}

pub(super) fn cylinder(p: Point, radius: f64, half_length: f64) -> (f64, Point) {
    let (rho, across) = around_axis(p);
    let (side, end) = (rho - radius, p[2].abs() - half_length);
    let up = if p[2] < 0.0 { -1.0 } else { 1.0 };
    let (distance, radial, axial) = if side > 0.0 && end > 0.0 {
        let distance = side.hypot(end);
        (distance, side / distance, end / distance)
    } else if side > end {
        (side, 1.0, 0.0)
    } else {
        (end, 0.0, 1.0)
    };
    (distance, [radial * across[0], radial * across[1], up * axial])
}

pub(super) fn torus(p: Point, major: f64, minor: f64) -> (f64, Point) {
    let (rho, across) = around_axis(p);
    let section = [rho - major, p[2], 0.0];
    let distance = section[0].hypot(section[1]);
    // In the middle of the tube every direction of the section is as good.
    let [radial, axial, _] = unit(section).unwrap_or([0.0, 1.0, 0.0]);
    (distance - minor, [radial * across[0], radial * across[1], axial])
}

/// Distance from the z axis and the unit direction away from it; on the axis, that of x.
fn around_axis(p: Point) -> (f64, [f64; 2]) {
    let direction = unit([p[0], p[1], 0.0]).unwrap_or([1.0, 0.0, 0.0]);
    (p[0].hypot(p[1]), [direction[0], direction[1]])
}
