//! One frictional contact, or one point that is held, solved exactly.

use pliant_linalg::small::dot;
use pliant_mesh::Point;

/// A contact point whose relative position answers a force `f` by `free + compliance f`: the response of a contact to its
/// own force is the same in all directions, because A acts on x, y and z alike.
#[derive(Clone, Copy, Debug)]
pub struct OneContact {
    /// Position without any force of its own, m.
    pub free: Point,
    /// Unit normal.
    pub normal: Point,
    /// The gap is `normal . position - offset`.
    pub offset: f64,
    /// Position from which sliding is measured, m.
    pub start: Point,
    /// Displacement per force, m/N.
    pub compliance: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// What acts at the point.
    pub law: PointLaw,
}

/// What acts at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointLaw {
    /// Contact with friction.
    Contact,
    /// It is held at `start` by a spring of this compliance in m/N; 0 is rigid.
    Held(f64),
    /// It is held at the line through `start` along `normal`, and slides along it.
    Guided {
        /// Compliance across the line in m/N; 0 is rigid.
        soft: f64,
        /// Largest force along the line in N, with which it sticks to `start`.
        grip: f64,
    },
}

impl OneContact {
    /// The force that satisfies Signorini's and Coulomb's laws [Zeng25, eq. (45)]: no gap and no pull, no sliding below
    /// the cone of friction, sliding against the force on it. Normal and tangent do not mix, so the normal force
    /// closes the gap and the friction that would stop the sliding is shortened to the cone.
    #[inline(always)]
    pub fn force(&self) -> Point {
        if let PointLaw::Held(soft) = self.law {
            return std::array::from_fn(|k| (self.start[k] - self.free[k]) / (self.compliance + soft));
        }
        if let PointLaw::Guided { soft, grip } = self.law {
            return self.guided_force(soft, grip);
        }
        let n = &self.normal;
        let gap = dot(n, &self.free) - self.offset;
        if gap >= 0.0 {
            return [0.0; 3];
        }
        let normal = -gap / self.compliance;
        let moved: Point = std::array::from_fn(|k| self.free[k] - self.start[k]);
        let along = dot(n, &moved);
        let stick: Point = std::array::from_fn(|k| (along * n[k] - moved[k]) / self.compliance);
        let scale = shortening(&stick, self.friction * normal);
        std::array::from_fn(|k| normal * n[k] + scale * stick[k])
    }

    /// Across the line it goes back to it; along it friction is cut off at the grip.
    fn guided_force(&self, soft: f64, grip: f64) -> Point {
        let back: Point = std::array::from_fn(|k| self.start[k] - self.free[k]);
        let along = dot(&self.normal, &back);
        let friction = (along / self.compliance).clamp(-grip, grip);
        let across = 1.0 / (self.compliance + soft);
        std::array::from_fn(|k| (back[k] - along * self.normal[k]) * across + friction * self.normal[k])
    }
}

/// Factor that brings a tangential force to at most `bound`.
#[inline(always)]
fn shortening(tangent: &Point, bound: f64) -> f64 {
    let size = dot(tangent, tangent);
    if size > bound * bound { bound / size.sqrt() } else { 1.0 }
}

/// The force of the cone of friction that is nearest to what was found a step ago: its normal part is not a pull, its
/// tangential part is shortened to the cone.
pub fn into_cone(force: Point, normal: &Point, friction: f64) -> Point {
    let along = dot(normal, &force);
    let pressing = along.max(0.0);
    let tangent: Point = std::array::from_fn(|k| force[k] - along * normal[k]);
    let scale = shortening(&tangent, friction * pressing);
    std::array::from_fn(|k| pressing * normal[k] + scale * tangent[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(free: Point, friction: f64) -> OneContact {
        OneContact {
            free,
            normal: [0.0, 0.6, 0.8],
            offset: 0.01,
            start: [0.02, 0.0, 0.0125],
            compliance: 2e-4,
            friction,
            law: PointLaw::Contact,
        }
    }

    #[test]
    fn the_force_satisfies_signorini_and_coulomb() {
        let mut seen = [0; 3];
        for i in 0..2000 {
            let r = |k: usize| ((i * 7919 + k * 104_729 + 13) % 2003) as f64 / 1001.5 - 1.0;
            let near = |at: f64, k| at + 0.004 * r(k);
            let c = contact([near(0.02, 1), near(0.0, 2), near(0.0125, 3)], 0.8 * (1.0 + r(4)));
            let f = c.force();
            let x: Point = std::array::from_fn(|k| c.free[k] + c.compliance * f[k]);
            let gap = dot(&c.normal, &x) - c.offset;
            let normal = dot(&c.normal, &f);
            assert!(gap > -1e-15 && normal >= 0.0 && (gap * normal).abs() < 1e-12);
            let part = |v: Point| -> Point {
                let along = dot(&c.normal, &v);
                std::array::from_fn(|k| v[k] - along * c.normal[k])
            };
            let (slip, friction) = (part(std::array::from_fn(|k| x[k] - c.start[k])), part(f));
            let (slip_size, friction_size) = (dot(&slip, &slip).sqrt(), dot(&friction, &friction).sqrt());
            let bound = c.friction * normal;
            assert!(friction_size <= bound * (1.0 + 1e-12) + 1e-12);
            if normal == 0.0 {
                seen[0] += 1;
            } else if friction_size < bound * (1.0 - 1e-9) {
                assert!(slip_size < 1e-15);
                seen[1] += 1;
            } else {
                // Sliding against the force.
                assert!((dot(&slip, &friction) + slip_size * friction_size).abs() < 1e-12);
                seen[2] += 1;
            }
        }
        assert!(seen.iter().all(|&n| n > 50), "open, stick, slip: {seen:?}");
    }

    #[test]
    fn a_guided_point_stays_on_its_line_and_slides_beyond_the_grip() {
        let base = contact([0.021, 0.002, 0.013], 0.0);
        let place = |soft: f64, grip: f64| {
            let c = OneContact { law: PointLaw::Guided { soft, grip }, ..base };
            let f = c.force();
            let x: Point = std::array::from_fn(|k| c.free[k] + c.compliance * f[k]);
            let off: Point = std::array::from_fn(|k| x[k] - c.start[k]);
            let along = dot(&c.normal, &off);
            let across: Point = std::array::from_fn(|k| off[k] - along * c.normal[k]);
            (dot(&c.normal, &f), along, dot(&across, &across).sqrt())
        };
        let free = 0.6 * 0.002 + 0.8 * 0.0005;
        let (force, along, across) = place(0.0, 0.0);
        assert!(force.abs() < 1e-12 && (along - free).abs() < 1e-15 && across < 1e-15);
        let (force, along, across) = place(0.0, 3.0);
        assert!((force + 3.0).abs() < 1e-12 && (along - free + 3.0 * base.compliance).abs() < 1e-15);
        assert!(across < 1e-15);
        let (_, along, _) = place(0.0, 1e3);
        assert!(along.abs() < 1e-15);
        // As soft as the body: it goes half of the way back.
        let (.., stiff_way) = place(1e12, 0.0);
        let (.., across) = place(base.compliance, 0.0);
        assert!((across / stiff_way - 0.5).abs() < 1e-9);
    }

    #[test]
    fn old_forces_are_brought_into_the_cone() {
        let n = [0.0, 0.0, 1.0];
        let shortened = into_cone([3.0, 4.0, 10.0], &n, 0.2);
        assert!(shortened.iter().zip([1.2, 1.6, 10.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{shortened:?}");
        assert_eq!(into_cone([3.0, 4.0, 10.0], &n, 0.9), [3.0, 4.0, 10.0]);
        assert_eq!(into_cone([3.0, 4.0, -1.0], &n, 0.9), [0.0, 0.0, 0.0]);
    }
}
