//! The functions of one contact: the barrier of its gap, its augmentation, and friction of its sliding.

/// Value and first two derivatives of a function of one variable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Jet {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) bend: f64,
}

impl Jet {
    pub(super) fn times(self, factor: f64) -> Jet {
        Jet { value: factor * self.value, slope: factor * self.slope, bend: factor * self.bend }
    }

    pub(super) fn plus(self, other: Jet) -> Jet {
        Jet { value: self.value + other.value, slope: self.slope + other.slope, bend: self.bend + other.bend }
    }
}

/// The barrier `b(d, D) = -(d - D)^2 ln(d / D)` of a gap d below the reach D, m^2 \[Guo24, eq. (6)\]; infinite where there is no gap.
pub(super) fn barrier(gap: f64, reach: f64) -> Jet {
    if gap >= reach {
        return Jet::default();
    }
    if gap <= 0.0 {
        return Jet { value: f64::INFINITY, slope: f64::NEG_INFINITY, bend: f64::INFINITY };
    }
    let (less, log) = (gap - reach, (gap / reach).ln());
    let part = less / gap;
    Jet {
        value: -less * less * log,
        slope: -2.0 * less * log - less * part,
        bend: -2.0 * log - 4.0 * part + part * part,
    }
}

/// The augmentation of a contact with multiplier mu (N) and stiffness sigma (N/m): inside of the reach the barrier once more,
/// outside a spring that ends where it would pull \[Guo24\]. For its deduction see the theory.
pub(super) fn augmentation(gap: f64, reach: f64, mu: f64, sigma: f64) -> Jet {
    let beyond = gap - reach;
    if beyond < 0.0 {
        let force = Jet { value: -mu * beyond, slope: -mu, bend: 0.0 };
        barrier(gap, reach).times(sigma).plus(force)
    } else if beyond < mu / sigma {
        Jet { value: beyond * (0.5 * sigma * beyond - mu), slope: sigma * beyond - mu, bend: sigma }
    } else {
        Jet { value: -0.5 * mu * mu / sigma, ..Jet::default() }
    }
}

/// Friction of a way of length y in a step, m, that sticks below the length eps: the potential of a force that rises to 1 \[Li20\].
/// Returns it, and its slope divided by y with what the Hessian has more along the way.
pub(super) fn friction(way: f64, eps: f64) -> (f64, f64, f64) {
    if way >= eps {
        return (way, 1.0 / way, -1.0 / way);
    }
    let part = way / eps;
    // f' / y, and f'' - f' / y.
    let over_way = (2.0 - part) / eps;
    (way * part * (1.0 - part / 3.0) + eps / 3.0, over_way, -part / eps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(f: impl Fn(f64) -> Jet, at: f64) {
        let h = 1e-6 * at;
        let (up, down, here) = (f(at + h), f(at - h), f(at));
        let slope = (up.value - down.value) / (2.0 * h);
        let bend = (up.slope - down.slope) / (2.0 * h);
        assert!((slope - here.slope).abs() <= 1e-5 * (here.slope.abs() + here.value.abs() / at), "at {at}");
        assert!((bend - here.bend).abs() <= 1e-5 * (here.bend.abs() + here.slope.abs() / at), "at {at}");
    }

    #[test]
    fn derivatives_agree_with_differences() {
        for gap in [1e-6, 1e-5, 3e-4, 5e-4, 9e-4, 1.5e-3, 5e-3] {
            agrees(|d| barrier(d, 1e-3), gap);
            agrees(|d| augmentation(d, 1e-3, 7.0, 2e3), gap);
        }
    }

    #[test]
    fn known_values_of_the_barrier() {
        // At half, a tenth and a hundredth of the reach.
        for (part, slope, bend) in [(0.5, 1.19, 6.4), (0.1, 12.2, 122.0), (0.01, 107.0, 1.0e4)] {
            let b = barrier(part, 1.0);
            assert!((-b.slope / slope - 1.0).abs() < 0.01 && (b.bend / bend - 1.0).abs() < 0.03, "{b:?}");
        }
        assert_eq!(barrier(1.0, 1.0), Jet::default());
        assert_eq!(barrier(0.0, 1.0).value, f64::INFINITY);
    }

    #[test]
    fn the_augmentation_is_smooth_and_never_pulls() {
        let (mu, sigma) = (3.0, 500.0);
        for at in [1e-3, 1e-3 + mu / sigma] {
            let [left, right] = [at - 1e-12, at + 1e-12].map(|d| augmentation(d, 1e-3, mu, sigma));
            assert!((left.value - right.value).abs() < 1e-9 && (left.slope - right.slope).abs() < 1e-6);
        }
        assert!((1..100).all(|k| augmentation(1e-4 * f64::from(k), 1e-3, mu, sigma).slope <= 0.0));
    }

    #[test]
    fn friction_rises_to_one_and_is_smooth() {
        let eps = 1e-5;
        for way in [1e-7, 5e-6, 9.9e-6, 1.1e-5, 1e-3] {
            let h = 1e-4 * way;
            let slope = (friction(way + h, eps).0 - friction(way - h, eps).0) / (2.0 * h);
            let (_, over_way, _) = friction(way, eps);
            assert!((slope - over_way * way).abs() < 1e-6, "at {way}");
            let steepest = |y: f64| friction(y, eps).1 * y;
            let bend = (steepest(way + h) - steepest(way - h)) / (2.0 * h);
            let (_, over, more) = friction(way, eps);
            assert!((bend - (over + more)).abs() < 1e-3 * over, "at {way}: {bend}");
        }
        assert!((friction(2.0 * eps, eps).1 * 2.0 * eps - 1.0).abs() < 1e-12);
    }
}
