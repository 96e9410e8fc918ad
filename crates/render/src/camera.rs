//! The camera: a pinhole given by eye, target and opening angle.

use crate::math::{
    Vec3, add, add_scaled, cross, dot, frame, is_finite, length, scale, sin_cos_degrees, sub, unit,
};

/// Opening angle of a fitted camera: long enough a lens that bodies keep their proportions.
const FIT_FOV_DEGREES: f32 = 28.0;
/// Part of the picture that a fitted box leaves free at its tightest side.
const FIT_MARGIN: f32 = 0.10;

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where the eye is.
    pub eye: [f32; 3],
    /// The point in the middle of the picture.
    pub target: [f32; 3],
    /// Which way is up; also the normal of the floor and the pole of the sky.
    pub up: [f32; 3],
    /// Vertical opening angle, in degrees; clamped to 1..=150.
    pub fov_y_degrees: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self::fit([-0.5; 3], [0.5; 3], [1.0, -2.0, 1.0], 16.0 / 9.0)
    }
}

impl Camera {
    /// The camera that frames a box, with Z up, as close as a margin of a tenth allows.
    ///
    /// `direction` points from the box to the eye; `aspect` is width over height. A box that is
    /// not finite is replaced by the unit box, a useless direction by a view from front right.
    #[must_use]
    pub fn fit(bounds_min: [f32; 3], bounds_max: [f32; 3], direction: [f32; 3], aspect: f32) -> Self {
        let (low, high) = usable_box(bounds_min, bounds_max);
        let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { low[axis] } else { high[axis] });
        Self::frame(scale(add(low, high), 0.5), (0..8).map(corner), direction, aspect)
    }

    /// The same for points, as close as they allow: a body rarely reaches the corners of its box. Points that
    /// are not finite are left out.
    #[must_use]
    pub fn fit_points(points: &[[f32; 3]], direction: [f32; 3], aspect: f32) -> Self {
        let finite = || points.iter().copied().filter(|p| is_finite(*p));
        let grow = |b: (Vec3, Vec3), p: Vec3| {
            ([0, 1, 2].map(|k| b.0[k].min(p[k])), [0, 1, 2].map(|k| b.1[k].max(p[k])))
        };
        let (low, high) = finite().fold(([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]), grow);
        if !is_finite(low) || low == high {
            return Self::fit(low, high, direction, aspect);
        }
        Self::frame(scale(add(low, high), 0.5), finite(), direction, aspect)
    }

    /// The camera that frames points about a centre.
    fn frame(center: Vec3, points: impl Iterator<Item = Vec3>, direction: Vec3, aspect: f32) -> Self {
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        let up = [0.0, 0.0, 1.0];
        let back = unit(direction).or_else(|| unit([1.0, -2.0, 1.0])).unwrap_or(up);
        let basis = Basis::looking(scale(back, -1.0), up);
        let tan_y = tan_half(FIT_FOV_DEGREES) * (1.0 - FIT_MARGIN);
        let tan_x = tan_y * aspect;
        // A point at (x, y) and depth w beyond the centre is inside when |x - ex| <= tan (w + d),
        // with the eye at (ex, ey, -d): two bounds per axis, met by the smallest d when balanced.
        let mut reach = [f32::NEG_INFINITY; 4];
        for point in points {
            let p = sub(point, center);
            let (x, y, w) = (dot(p, basis.right), dot(p, basis.up), dot(p, basis.forward));
            let bounds = [x - tan_x * w, -x - tan_x * w, y - tan_y * w, -y - tan_y * w];
            for (r, b) in reach.iter_mut().zip(bounds) {
                *r = r.max(b);
            }
        }
        let shift_x = 0.5 * (reach[0] - reach[1]);
        let shift_y = 0.5 * (reach[2] - reach[3]);
        let distance = (0.5 * (reach[0] + reach[1]) / tan_x).max(0.5 * (reach[2] + reach[3]) / tan_y);
        let target = add_scaled(add_scaled(center, basis.right, shift_x), basis.up, shift_y);
        let eye = add_scaled(target, basis.forward, -distance);
        Self { eye, target, up, fov_y_degrees: FIT_FOV_DEGREES }
    }

    /// The same view through another lens: what is at the target keeps its size in the picture.
    #[must_use]
    pub fn through_lens(self, fov_y_degrees: f32) -> Self {
        let distance = length(sub(self.eye, self.target));
        let lens = Self { fov_y_degrees, ..self };
        lens.from_distance(distance * tan_half(self.fov_y_degrees) / tan_half(fov_y_degrees))
    }

    /// The same view from another distance to the target.
    #[must_use]
    pub fn from_distance(self, distance: f32) -> Self {
        let back = unit(sub(self.eye, self.target)).unwrap_or(self.up);
        Self { eye: add_scaled(self.target, back, distance), ..self }
    }

    /// The same view of another point.
    #[must_use]
    pub fn of_target(self, target: [f32; 3]) -> Self {
        Self { eye: add(self.eye, sub(target, self.target)), target, ..self }
    }

    /// The unit vector that the floor and the sky take as up.
    pub(crate) fn world_up(&self) -> Vec3 {
        unit(self.up).unwrap_or([0.0, 0.0, 1.0])
    }
}

fn usable_box(low: Vec3, high: Vec3) -> (Vec3, Vec3) {
    if !is_finite(low) || !is_finite(high) {
        return ([-0.5; 3], [0.5; 3]);
    }
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    for i in 0..3 {
        (a[i], b[i]) = (low[i].min(high[i]), low[i].max(high[i]));
    }
    let size = (0..3).map(|i| b[i] - a[i]).fold(0.0, f32::max);
    if size <= 0.0 {
        return (a.map(|x| x - 0.5), b.map(|x| x + 0.5));
    }
    (a, b)
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
        let right = unit(cross(forward, up))
            .filter(|_| dot(forward, up).abs() < 0.9999)
            .unwrap_or_else(|| frame(forward).0);
        Self { right, up: cross(right, forward), forward }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_lens_keeps_the_size_of_the_target() {
        let camera = Camera::default().of_target([1.0, 2.0, 3.0]).from_distance(4.0);
        let height = |c: &Camera| length(sub(c.eye, c.target)) * tan_half(c.fov_y_degrees);
        assert!((length(sub(camera.eye, camera.target)) - 4.0).abs() < 1e-5);
        let wide = camera.through_lens(70.0);
        assert!((height(&wide) - height(&camera)).abs() < 1e-5 && wide.fov_y_degrees == 70.0);
        assert_eq!(wide.target, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn fit_puts_every_corner_inside_and_one_near_the_margin() {
        let (low, high) = ([-2.0, 0.0, 0.0], [2.0, 0.5, 0.5]);
        for direction in [[1.0, -2.0, 1.0], [0.0, 0.0, 1.0], [-1.0, 0.1, -0.2]] {
            let camera = Camera::fit(low, high, direction, 1.5);
            let basis = Basis::looking(unit(sub(camera.target, camera.eye)).unwrap(), camera.up);
            let tan_y = tan_half(camera.fov_y_degrees);
            let mut widest: f32 = 0.0;
            for corner in 0..8 {
                let pick = |a: usize| if corner >> a & 1 == 0 { low[a] } else { high[a] };
                let p = sub([pick(0), pick(1), pick(2)], camera.eye);
                let z = dot(p, basis.forward);
                let (x, y) = (dot(p, basis.right) / z, dot(p, basis.up) / z);
                widest = widest.max((x / (1.5 * tan_y)).abs()).max((y / tan_y).abs());
            }
            assert!((widest - 0.9).abs() < 1e-3, "{widest}");
        }
    }

    #[test]
    fn points_are_framed_closer_than_their_box() {
        let (low, high) = ([-1.0; 3], [1.0; 3]);
        let cross: Vec<Vec3> = (0..6)
            .map(|k| [0, 1, 2].map(|a| if a == k / 2 { if k % 2 == 0 { -1.0 } else { 1.0 } } else { 0.0 }))
            .collect();
        let direction = [1.0, -2.0, 1.0];
        let distance = |c: Camera| length(sub(c.eye, c.target));
        let (near, far) =
            (Camera::fit_points(&cross, direction, 1.0), Camera::fit(low, high, direction, 1.0));
        assert!(distance(near) < 0.8 * distance(far));
        let corners: Vec<Vec3> =
            (0..8).map(|k| [0, 1, 2].map(|a| if k >> a & 1 == 0 { low[a] } else { high[a] })).collect();
        assert_eq!(Camera::fit_points(&corners, direction, 1.0), far);
        for points in [&[] as &[Vec3], &[[f32::NAN; 3]], &[[2.0; 3]]] {
            let camera = Camera::fit_points(points, direction, 1.0);
            assert!(is_finite(camera.eye) && camera.eye != camera.target);
        }
    }

    #[test]
    fn fit_survives_useless_input() {
        let camera = Camera::fit([f32::NAN; 3], [1.0; 3], [0.0; 3], f32::NAN);
        assert!(is_finite(camera.eye) && is_finite(camera.target));
        let camera = Camera::fit([3.0; 3], [3.0; 3], [0.0, 0.0, 1.0], 1.0);
        assert!(is_finite(camera.eye) && camera.eye != camera.target);
    }
}
