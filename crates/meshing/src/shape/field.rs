//! Distances with or without their gradients, and how two of them are blended.

use super::leaf::Leaf;
use super::sample::Sample;
use pliant_mesh::DVec3;

/// What an evaluation of a tree carries: the distance alone, or with its gradient.
pub(super) trait Field: Copy {
    /// Farther than anything.
    const FAR: Self;
    /// The field of a leaf where it is below `cutoff`, elsewhere anything that is not below `cutoff`.
    fn of(leaf: &Leaf, p: DVec3, cutoff: f64) -> Self;
    fn distance(self) -> f64;
    /// The field of the complement.
    fn flipped(self) -> Self;
    /// A value with the gradient `(1 - w) a + w b`.
    fn mixed(a: Self, b: Self, w: f64, distance: f64) -> Self;
}

impl Field for f64 {
    const FAR: f64 = f64::INFINITY;

    fn of(leaf: &Leaf, p: DVec3, cutoff: f64) -> f64 {
        // Inlined, so that the compiler drops what only the gradient needs.
        leaf.sample(p, cutoff).distance
    }

    fn distance(self) -> f64 {
        self
    }

    fn flipped(self) -> f64 {
        -self
    }

    fn mixed(_: f64, _: f64, _: f64, distance: f64) -> f64 {
        distance
    }
}

impl Field for Sample {
    const FAR: Sample = Sample { distance: f64::INFINITY, gradient: DVec3::ZERO };

    fn of(leaf: &Leaf, p: DVec3, cutoff: f64) -> Sample {
        leaf.sample(p, cutoff)
    }

    fn distance(self) -> f64 {
        self.distance
    }

    fn flipped(self) -> Sample {
        Sample { distance: -self.distance, gradient: -self.gradient }
    }

    fn mixed(a: Sample, b: Sample, w: f64, distance: f64) -> Sample {
        Sample { distance, gradient: (1.0 - w) * a.gradient + w * b.gradient }
    }
}

/// The smaller of two distances, rounded off where they differ by less than `k`: the quadratic polynomial of
/// \[Quilez13\]. Its gradient is a convex combination of the two, so it grows no faster than they do, and a lower
/// bound of the distance stays one. It is at most `k/4` below the smaller one.
pub(super) fn smooth_min<F: Field>(a: F, b: F, k: f64) -> F {
    let (near, far) = if b.distance() < a.distance() { (b, a) } else { (a, b) };
    let gap = far.distance() - near.distance();
    // Written so that two infinite distances, whose gap is no number, are not blended.
    if gap < k {
        let h = 1.0 - gap / k;
        F::mixed(near, far, 0.5 * h, near.distance() - 0.25 * k * h * h)
    } else {
        near
    }
}

/// The larger of two distances, rounded off in the same way.
pub(super) fn smooth_max<F: Field>(a: F, b: F, k: f64) -> F {
    smooth_min(a.flipped(), b.flipped(), k).flipped()
}

/// Most that [`smooth_min`] over `count` distances can be below the smallest one, in units of `k`.
pub(super) fn largest_dip(count: usize) -> f64 {
    // The worst case is that all are equal; the sum tends to 1.
    (1..count.min(1000)).fold(0.0, |dip: f64, _| dip + 0.25 * (1.0 - dip) * (1.0 - dip))
}
