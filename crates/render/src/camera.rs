//! The camera: a pinhole given by eye, target and opening angle.

use crate::math::{frame, sin_cos_degrees, unit};
use glam::{BVec3, Vec3};

/// Opening angle of a fitted camera: long enough a lens that bodies keep their proportions.
const FIT_FOV_DEGREES: f32 = 28.0;
/// Part of the picture that a fitted box leaves free at its tightest side.
const FIT_MARGIN: f32 = 0.10;
/// From the scene to the eye, when nobody says otherwise: from front right and above.
const FIT_DIRECTION: Vec3 = Vec3::new(1.0, -2.0, 1.0);

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where the eye is.
    pub eye: Vec3,
    /// The point in the middle of the picture.
    pub target: Vec3,
    /// Which way is up; also the normal of the floor and the pole of the sky.
    pub up: Vec3,
    /// Vertical opening angle, in degrees; clamped to 1..=150.
    pub fov_y_degrees: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self::fit(Vec3::splat(-0.5), Vec3::splat(0.5), FIT_DIRECTION, 16.0 / 9.0)
    }
}

impl Camera {
    /// The camera that frames a box, with Z up, as close as a margin of a tenth allows.
    ///
    /// `direction` points from the box to the eye; `aspect` is width over height. A box that is
    /// not finite is replaced by the unit box, a useless direction by a view from front right.
    #[must_use]
    pub fn fit(bounds_min: Vec3, bounds_max: Vec3, direction: Vec3, aspect: f32) -> Self {
        let (low, high) = usable_box(bounds_min, bounds_max);
        Self::frame(0.5 * (low + high), corners(low, high), direction, aspect)
    }

    /// The same for points, as close as they allow: a body rarely reaches the corners of its box. Points that
    /// are not finite are left out.
    #[must_use]
    pub fn fit_points(points: &[Vec3], direction: Vec3, aspect: f32) -> Self {
        let finite = || points.iter().copied().filter(|p| p.is_finite());
        let empty = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = finite().fold(empty, |(low, high), p| (low.min(p), high.max(p)));
        if !low.is_finite() || low == high {
            return Self::fit(low, high, direction, aspect);
        }
        Self::frame(0.5 * (low + high), finite(), direction, aspect)
    }

    /// The same for points that are seen once only, about a point among them. There must be one that is finite.
    #[must_use]
    pub fn fit_all(center: Vec3, points: impl Iterator<Item = Vec3>, direction: Vec3, aspect: f32) -> Self {
        Self::frame(center, points.filter(|p| p.is_finite()), direction, aspect)
    }

    /// The camera that frames points about a centre.
    fn frame(center: Vec3, points: impl Iterator<Item = Vec3>, direction: Vec3, aspect: f32) -> Self {
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        let up = Vec3::Z;
        let back = unit(direction).or_else(|| unit(FIT_DIRECTION)).unwrap_or(up);
        let basis = Basis::looking(-back, up);
        let tan_y = tan_half(FIT_FOV_DEGREES) * (1.0 - FIT_MARGIN);
        let tan_x = tan_y * aspect;
        // A point at (x, y) and depth w beyond the centre is inside when |x - ex| <= tan (w + d),
        // with the eye at (ex, ey, -d): two bounds per axis, met by the smallest d when balanced.
        let mut reach = [f32::NEG_INFINITY; 4];
        for point in points {
            let p = point - center;
            let (x, y, w) = (p.dot(basis.right), p.dot(basis.up), p.dot(basis.forward));
            let bounds = [x - tan_x * w, -x - tan_x * w, y - tan_y * w, -y - tan_y * w];
            for (r, b) in reach.iter_mut().zip(bounds) {
                *r = r.max(b);
            }
        }
        let shift_x = 0.5 * (reach[0] - reach[1]);
        let shift_y = 0.5 * (reach[2] - reach[3]);
        let distance = (0.5 * (reach[0] + reach[1]) / tan_x).max(0.5 * (reach[2] + reach[3]) / tan_y);
        let target = center + shift_x * basis.right + shift_y * basis.up;
        let eye = target - distance * basis.forward;
        Self { eye, target, up, fov_y_degrees: FIT_FOV_DEGREES }
    }

    /// The same view through another lens: what is at the target keeps its size in the picture.
    #[must_use]
    pub fn through_lens(self, fov_y_degrees: f32) -> Self {
        let distance = self.eye.distance(self.target);
        let lens = Self { fov_y_degrees, ..self };
        lens.from_distance(distance * tan_half(self.fov_y_degrees) / tan_half(fov_y_degrees))
    }

    /// The same view from another distance to the target.
    #[must_use]
    pub fn from_distance(self, distance: f32) -> Self {
        let back = unit(self.eye - self.target).unwrap_or(self.up);
        Self { eye: self.target + distance * back, ..self }
    }

    /// The same view of another point.
    #[must_use]
    pub fn of_target(self, target: Vec3) -> Self {
        Self { eye: self.eye + (target - self.target), target, ..self }
    }

    /// The unit vector that the floor and the sky take as up.
    pub(crate) fn world_up(&self) -> Vec3 {
        unit(self.up).unwrap_or(Vec3::Z)
    }
}

fn usable_box(low: Vec3, high: Vec3) -> (Vec3, Vec3) {
    if !low.is_finite() || !high.is_finite() {
        return (Vec3::splat(-0.5), Vec3::splat(0.5));
    }
    if low == high {
        return (low - 0.5, high + 0.5);
    }
    (low.min(high), low.max(high))
}

/// The eight corners of a box.
fn corners(low: Vec3, high: Vec3) -> impl Iterator<Item = Vec3> {
    (0..8).map(move |k| Vec3::select(BVec3::new(k & 1 != 0, k & 2 != 0, k & 4 != 0), high, low))
}

/// Tangent of half an opening angle, the angle clamped to what a pinhole can show.
pub(crate) fn tan_half(fov_degrees: f32) -> f32 {
    let fov = if fov_degrees.is_finite() { fov_degrees.clamp(1.0, 150.0) } else { FIT_FOV_DEGREES };
    let (sin, cos) = sin_cos_degrees(0.5 * f64::from(fov));
    (sin / cos) as f32
}

/// The camera's axes in the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Basis {
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
}

impl Basis {
    /// Axes for a unit view direction; a view along `up` takes any horizon.
    pub(crate) fn looking(forward: Vec3, up: Vec3) -> Self {
        let right = unit(forward.cross(up))
            .filter(|_| forward.dot(up).abs() < 0.9999)
            .unwrap_or_else(|| frame(forward).0);
        Self { right, up: right.cross(forward), forward }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_lens_keeps_the_size_of_the_target() {
        let camera = Camera::default().of_target(Vec3::new(1.0, 2.0, 3.0)).from_distance(4.0);
        let height = |c: &Camera| c.eye.distance(c.target) * tan_half(c.fov_y_degrees);
        assert!((camera.eye.distance(camera.target) - 4.0).abs() < 1e-5);
        let wide = camera.through_lens(70.0);
        assert!((height(&wide) - height(&camera)).abs() < 1e-5 && wide.fov_y_degrees == 70.0);
        assert_eq!(wide.target, camera.target);
    }

    #[test]
    fn fit_puts_every_corner_inside_and_one_near_the_margin() {
        let (low, high) = (Vec3::new(-2.0, 0.0, 0.0), Vec3::new(2.0, 0.5, 0.5));
        for direction in [FIT_DIRECTION, Vec3::Z, Vec3::new(-1.0, 0.1, -0.2)] {
            let camera = Camera::fit(low, high, direction, 1.5);
            let basis = Basis::looking(unit(camera.target - camera.eye).unwrap(), camera.up);
            let tan_y = tan_half(camera.fov_y_degrees);
            let mut widest: f32 = 0.0;
            for corner in corners(low, high) {
                let p = corner - camera.eye;
                let z = p.dot(basis.forward);
                let (x, y) = (p.dot(basis.right) / z, p.dot(basis.up) / z);
                widest = widest.max((x / (1.5 * tan_y)).abs()).max((y / tan_y).abs());
            }
            assert!((widest - 0.9).abs() < 1e-3, "{widest}");
        }
    }

    #[test]
    fn points_are_framed_closer_than_their_box() {
        let (low, high) = (Vec3::NEG_ONE, Vec3::ONE);
        let cross = [Vec3::NEG_X, Vec3::X, Vec3::NEG_Y, Vec3::Y, Vec3::NEG_Z, Vec3::Z];
        let direction = FIT_DIRECTION;
        let distance = |c: Camera| c.eye.distance(c.target);
        let (near, far) =
            (Camera::fit_points(&cross, direction, 1.0), Camera::fit(low, high, direction, 1.0));
        assert!(distance(near) < 0.8 * distance(far));
        let corners: Vec<Vec3> = corners(low, high).collect();
        assert_eq!(Camera::fit_points(&corners, direction, 1.0), far);
        for points in [&[] as &[Vec3], &[Vec3::NAN], &[Vec3::splat(2.0)]] {
            let camera = Camera::fit_points(points, direction, 1.0);
            assert!(camera.eye.is_finite() && camera.eye != camera.target);
        }
    }

    #[test]
    fn what_moves_along_a_path_is_in_the_middle() {
        // A ball that flies up and away: two corners of the box around its path are far from it.
        let path = || (0..50).map(|i| Vec3::new(0.1 * i as f32, 0.0, 0.002 * (i * i) as f32));
        let direction = Vec3::new(0.3, -1.0, 0.6);
        // How far the path is from the middle of the picture, in parts of its width there.
        let off = |camera: Camera| {
            let basis = Basis::looking((camera.target - camera.eye).normalize(), camera.up);
            let seen = path().map(|p| {
                let way = p - camera.eye;
                way.dot(basis.right) / way.dot(basis.forward)
            });
            let (left, right) = seen.fold((f32::MAX, f32::MIN), |(l, r), x| (l.min(x), r.max(x)));
            (left + right).abs() / (right - left)
        };
        // What is not the tighter of height and width is balanced for a nearer eye: not quite in the middle.
        let all = off(Camera::fit_all(Vec3::new(2.5, 0.0, 2.5), path(), direction, 1.5));
        let boxed = off(Camera::fit(Vec3::ZERO, Vec3::new(4.9, 0.0, 4.9), direction, 1.5));
        assert!(all < 0.1, "{all}, by the box {boxed}");
        let wide = off(Camera::fit_all(Vec3::new(2.5, 0.0, 2.5), path(), direction, 0.5));
        assert!(wide < 1e-3, "{wide}");
    }

    #[test]
    fn fit_survives_useless_input() {
        let camera = Camera::fit(Vec3::NAN, Vec3::ONE, Vec3::ZERO, f32::NAN);
        assert!(camera.eye.is_finite() && camera.target.is_finite());
        let camera = Camera::fit(Vec3::splat(3.0), Vec3::splat(3.0), Vec3::Z, 1.0);
        assert!(camera.eye.is_finite() && camera.eye != camera.target);
    }
}
