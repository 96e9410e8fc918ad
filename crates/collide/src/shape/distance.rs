//! Exact signed distances of simple shapes \[Quilez08\], with a unit normal at every point. Places so far away that their squares
//! are no numbers are at no finite distance.

use pliant_mesh::DVec3;

pub(super) fn sphere(p: DVec3, radius: f64) -> (f64, DVec3) {
    let length = p.length();
    // At the centre every direction is as good; the sides of a capsule have theirs across the axis.
    (length - radius, p.try_normalize().unwrap_or(DVec3::X))
}

pub(super) fn cuboid(p: DVec3, half: DVec3) -> (f64, DVec3) {
    let beyond = p.abs() - half;
    let sign = DVec3::select(p.cmplt(DVec3::ZERO), DVec3::NEG_ONE, DVec3::ONE);
    let outside = beyond.max(DVec3::ZERO);
    let distance = outside.length();
    if distance > 0.0
        && let Some(direction) = ((1.0 / distance) * outside).try_normalize()
    {
        return (distance, sign * direction);
    }
    let nearest = beyond.max_position();
    let mut normal = DVec3::ZERO;
    normal[nearest] = sign[nearest];
    (beyond[nearest], normal)
}

pub(super) fn cylinder(p: DVec3, radius: f64, half_length: f64) -> (f64, DVec3) {
    let (rho, across) = around_axis(p);
    let (side, end) = (rho - radius, p.z.abs() - half_length);
    let up = if p.z < 0.0 { -1.0 } else { 1.0 };
    let (distance, radial, axial) = if side > 0.0 && end > 0.0 {
        let distance = (side * side + end * end).sqrt();
        (distance, side / distance, end / distance)
    } else if side > end {
        (side, 1.0, 0.0)
    } else {
        (end, 0.0, 1.0)
    };
    (distance, (radial * across).with_z(up * axial))
}

pub(super) fn torus(p: DVec3, major: f64, minor: f64) -> (f64, DVec3) {
    let (rho, across) = around_axis(p);
    let section = DVec3::new(rho - major, p.z, 0.0);
    let distance = section.length();
    // In the middle of the tube every direction of the section is as good.
    let direction = section.try_normalize().unwrap_or(DVec3::Y);
    (distance - minor, (direction.x * across).with_z(direction.y))
}

/// Distance from the z axis and the unit direction away from it; on the axis, that of x.
fn around_axis(p: DVec3) -> (f64, DVec3) {
    let across = p.with_z(0.0);
    (across.length(), across.try_normalize().unwrap_or(DVec3::X))
}
