//! Arithmetic on [`Point`]s.

use crate::Point;

/// `a + b`.
#[inline]
pub fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline]
pub fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `s a`.
#[inline]
pub fn scale(a: Point, s: f64) -> Point {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a . b`.
#[inline]
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
#[inline]
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `|a|`.
#[inline]
pub fn norm(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// `|a - b|`.
#[inline]
pub fn distance(a: Point, b: Point) -> f64 {
    norm(sub(a, b))
}

/// `a / |a|`, or `None` where the length is zero or not finite.
#[inline]
pub fn unit(a: Point) -> Option<Point> {
    // Dividing by the largest component first keeps tiny and huge vectors out of under- and overflow.
    let largest = a.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if !is_finite(a) || largest == 0.0 {
        return None;
    }
    let a = a.map(|c| c / largest);
    Some(scale(a, 1.0 / norm(a)))
}

/// Whether all coordinates are finite.
#[inline]
pub fn is_finite(a: Point) -> bool {
    a.iter().all(|c| c.is_finite())
}

/// Signed volume of a tet: `det(b-a, c-a, d-a) / 6`.
#[inline]
pub fn tet_volume([a, b, c, d]: [Point; 4]) -> f64 {
    dot(cross(sub(b, a), sub(c, a)), sub(d, a)) / 6.0
}

/// Twice the area of a triangle times its unit normal.
#[inline]
pub fn area_vector([a, b, c]: [Point; 3]) -> Point {
    cross(sub(b, a), sub(c, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_survives_extreme_lengths() {
        assert_eq!(unit([0.0, 3e-300, 0.0]), Some([0.0, 1.0, 0.0]));
        assert_eq!(unit([0.0, 0.0, -4e300]), Some([0.0, 0.0, -1.0]));
        assert_eq!(unit([0.0; 3]), None);
        assert_eq!(unit([f64::NAN, 1.0, 0.0]), None);
        assert_eq!(unit([f64::INFINITY, 1.0, 0.0]), None);
    }
}
