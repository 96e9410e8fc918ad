//! What is said of vectors, triangles and tets so often that it has a name.

use crate::DVec3;

/// `a / |a|`, or `None` where the length is zero or not finite.
#[inline]
pub fn unit(a: DVec3) -> Option<DVec3> {
    // Dividing by the largest component first keeps tiny and huge vectors out of under- and overflow.
    let largest = a.abs().max_element();
    if !a.is_finite() || largest == 0.0 {
        return None;
    }
    let a = a / largest;
    Some(a * (1.0 / a.length()))
}

/// Signed volume of a tet: `det(b-a, c-a, d-a) / 6`.
#[inline]
pub fn tet_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

/// Twice the area of a triangle times its unit normal.
#[inline]
pub fn area_vector([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_survives_extreme_lengths() {
        assert_eq!(unit(DVec3::new(0.0, 3e-300, 0.0)), Some(DVec3::Y));
        assert_eq!(unit(DVec3::new(0.0, 0.0, -4e300)), Some(DVec3::NEG_Z));
        assert_eq!(unit(DVec3::ZERO), None);
        assert_eq!(unit(DVec3::new(f64::NAN, 1.0, 0.0)), None);
        assert_eq!(unit(DVec3::new(f64::INFINITY, 1.0, 0.0)), None);
    }
}
