//! Functions whose roots are the laws of contact and friction [Zeng25, appendix B], and their derivatives.

use crate::contact::Ncp;

/// A unilateral row: `phi` and its derivatives by the gap (in units of the gap) and by the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unilateral {
    /// Indicator: `d phi / d gap`.
    pub(super) omega: f64,
    /// Compliance `d phi / d force` in m/N.
    pub(super) compliance: f64,
    /// Value in m.
    pub(super) phi: f64,
}

impl Ncp {
    /// The row of a gap (m) and its force (N), scaled to each other by `r` (m/N) [eq. (46)-(48), (52)-(54)].
    pub(super) fn unilateral(self, gap: f64, force: f64, r: f64) -> Unilateral {
        match self {
            Ncp::MinimumMap if gap <= r * force => Unilateral { omega: 1.0, compliance: 0.0, phi: gap },
            Ncp::MinimumMap => Unilateral { omega: 0.0, compliance: r, phi: r * force },
            Ncp::FischerBurmeister => {
                let root = gap.hypot(r * force);
                if root == 0.0 {
                    // At the origin any element of the subdifferential will do: the one between both branches.
                    let part = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
                    return Unilateral { omega: part, compliance: part * r, phi: 0.0 };
                }
                Unilateral {
                    omega: 1.0 - gap / root,
                    compliance: (1.0 - r * force / root) * r,
                    phi: gap + r * force - root,
                }
            }
        }
    }

    /// Compliance in m/(s N) of the friction of a pressed contact that slides with `speed` (m/s) under a friction force of
    /// size `friction`, bounded by `bound` (N); `r` in m/(s N) [eq. (51) without its trailing r, eq. (57)]. Zero sticks.
    pub(super) fn friction(self, speed: f64, friction: f64, bound: f64, r: f64) -> f64 {
        let room = r * (bound - friction);
        match self {
            Ncp::MinimumMap if speed <= room => 0.0,
            Ncp::MinimumMap => (speed - room) / bound.max(f64::MIN_POSITIVE),
            Ncp::FischerBurmeister => {
                let root = speed.hypot(room);
                let below = speed + r * bound - root;
                // Both vanish where nothing slides and friction is used up: between sticking and sliding.
                if below > 0.0 { (root - room) / below * r } else { 0.0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Ncp; 2] = [Ncp::FischerBurmeister, Ncp::MinimumMap];

    #[test]
    fn the_roots_are_the_solutions() {
        for ncp in BOTH {
            for (gap, force) in [(0.0, 3.0), (2e-3, 0.0)] {
                assert!(ncp.unilateral(gap, force, 1e-4).phi.abs() < 1e-18);
            }
            for (gap, force) in [(-1e-3, 0.0), (1e-3, 2.0), (0.0, -1.0), (-1e-3, 3.0)] {
                assert!(ncp.unilateral(gap, force, 1e-4).phi.abs() > 1e-5, "{ncp:?} {gap} {force}");
            }
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (r, d) = (2e-4, 1e-7);
        for ncp in BOTH {
            for (gap, force) in [(1e-3, 2.0), (-1e-3, 0.0), (-5e-4, 8.0), (3e-3, 0.5)] {
                let at = |g: f64, f: f64| ncp.unilateral(g, f, r).phi;
                let row = ncp.unilateral(gap, force, r);
                let by_gap = (at(gap + d, force) - at(gap - d, force)) / (2.0 * d);
                let by_force = (at(gap, force + d) - at(gap, force - d)) / (2.0 * d);
                assert!((row.omega - by_gap).abs() < 1e-6, "{ncp:?} {gap} {force}");
                assert!((row.compliance - by_force).abs() < 1e-6 * r, "{ncp:?} {gap} {force}");
            }
        }
    }

    #[test]
    fn friction_is_soft_exactly_where_it_slides() {
        let r = 1e-3;
        for ncp in BOTH {
            // Sticking: no speed, friction inside of the cone.
            assert!(ncp.friction(0.0, 1.0, 4.0, r).abs() < 1e-15);
            // Sliding: on the cone with `speed + e friction = 0`, the compliance that keeps friction there.
            let e = ncp.friction(0.2, 4.0, 4.0, r);
            assert!((e * 4.0 - 0.2).abs() < 1e-12, "{ncp:?}: {e}");
            // A force beyond the cone is softened also without speed.
            assert!(ncp.friction(0.0, 5.0, 4.0, r) > 0.0);
        }
    }
}
