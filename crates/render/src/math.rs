//! The few functions the pictures need beside those of vectors, from IEEE operations only.
//!
//! The sines and powers of the platform's maths library differ in the last bit between machines;
//! the ones here do not, which keeps pictures byte for byte equal.

use glam::Vec3;

/// `b0 a0 + b1 a1 + b2 a2`.
pub(crate) fn blend3(a: [Vec3; 3], b: Vec3) -> Vec3 {
    b.x * a[0] + b.y * a[1] + b.z * a[2]
}

/// Unit vector, or `None` where the length is zero or not finite.
pub(crate) fn unit(a: Vec3) -> Option<Vec3> {
    // Scaled by the largest entry first: squares of tiny or huge entries leave the range of f32.
    let largest = a.abs().max_element();
    if !(largest > 0.0 && a.is_finite()) {
        return None;
    }
    let b = a / largest;
    Some(b * (1.0 / b.length()))
}

/// Two unit vectors that complete the unit vector `w` to a right-handed frame `(u, v, w)`.
pub(crate) fn frame(w: Vec3) -> (Vec3, Vec3) {
    let helper = if w.x.abs() < 0.6 { Vec3::X } else { Vec3::Y };
    let u = unit(helper.cross(w)).unwrap_or(Vec3::X);
    (u, w.cross(u))
}

/// 0 below `low`, 1 above `high`, smooth between.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// `x^n` by repeated squaring (`f32::powi` may round differently from machine to machine).
pub(crate) fn power(mut x: f32, mut n: u32) -> f32 {
    let mut result = 1.0;
    while n > 0 {
        if n & 1 == 1 {
            result *= x;
        }
        x *= x;
        n >>= 1;
    }
    result
}

/// Sine and cosine of an angle in degrees, by Taylor series on the half turn around zero.
pub(crate) fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turns = (degrees / 360.0).round();
    let x = (degrees - 360.0 * turns) * (std::f64::consts::PI / 180.0);
    let (mut sin, mut cos) = (0.0, 0.0);
    let mut term = 1.0;
    for n in 0..14 {
        let (even, odd) = (2 * n, 2 * n + 1);
        cos += term;
        let odd_term = term * x / f64::from(odd);
        sin += odd_term;
        term = -odd_term * x / f64::from(even + 2);
    }
    (sin, cos)
}

/// Fifth root of a number in `0..=1`, by Newton's method from above.
pub(crate) fn fifth_root(a: f64) -> f64 {
    if a <= 0.0 {
        return 0.0;
    }
    let mut y: f64 = 1.0;
    for _ in 0..60 {
        let y2 = y * y;
        let next = y - (y - a / (y2 * y2)) / 5.0;
        if (next - y).abs() <= 1e-16 {
            break;
        }
        y = next;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_match_the_library() {
        for i in -72..=72 {
            let degrees = f64::from(i) * 7.5;
            let (s, c) = sin_cos_degrees(degrees);
            let (es, ec) = degrees.to_radians().sin_cos();
            assert!((s - es).abs() < 1e-9 && (c - ec).abs() < 1e-9, "{degrees}");
        }
        for i in 0..=100 {
            let a = f64::from(i) / 100.0;
            assert!((fifth_root(a) - a.powf(0.2)).abs() < 1e-12);
        }
        assert_eq!(power(1.5, 5), 1.5 * 1.5 * 1.5 * 1.5 * 1.5);
    }

    #[test]
    fn unit_rejects_what_has_no_direction() {
        assert_eq!(unit(Vec3::ZERO), None);
        assert_eq!(unit(Vec3::new(f32::NAN, 1.0, 0.0)), None);
        assert_eq!(unit(Vec3::new(f32::INFINITY, 1.0, 0.0)), None);
        assert!((unit(Vec3::new(1e-30, 0.0, 1e-30)).unwrap().length() - 1.0).abs() < 1e-6);
    }
}
