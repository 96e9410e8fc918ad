//! Arithmetic on [`Point`]s.

use pliant_mesh::Point;

pub(crate) const ZERO: Point = [0.0; 3];

#[inline]
pub(crate) fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub(crate) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(crate) fn scale(a: Point, s: f64) -> Point {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a + s b`.
#[inline]
pub(crate) fn add_scaled(a: Point, s: f64, b: Point) -> Point {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// `a + t (b - a)`.
#[inline]
pub(crate) fn mix(a: Point, b: Point, t: f64) -> Point {
    add_scaled(a, t, sub(b, a))
}

#[inline]
pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
pub(crate) fn norm(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// `a / |a|`, or `None` where the length is not a normal number: zero, NaN, or so small or large that its square is
/// lost.
#[inline]
pub(crate) fn unit(a: Point) -> Option<Point> {
    let square = dot(a, a);
    (square > 1e-280 && square.is_finite()).then(|| scale(a, 1.0 / square.sqrt()))
}

#[inline]
pub(crate) fn is_finite(a: Point) -> bool {
    a[0].is_finite() && a[1].is_finite() && a[2].is_finite()
}
