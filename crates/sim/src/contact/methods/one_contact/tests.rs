//! The laws of one point hold for any compliance, and a block `w I` gives what the number w gives.

use super::super::frame::frame;
use super::*;
use pliant_mesh::DMat3;

/// Numbers between -1 and 1, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn unit(&mut self) -> DVec3 {
        loop {
            let p = self.point();
            if (0.1..1.0).contains(&p.length()) {
                return p / p.length();
            }
        }
    }

    /// Symmetric positive definite of about this size, with a condition number of at most `condition`.
    fn positive(&mut self, size: f64, condition: f64) -> DMat3 {
        let q = frame(self.unit());
        let d = self.point().map(|x| size * condition.powf(-0.5 * (1.0 + x)));
        q * DMat3::from_diagonal(d) * q.transpose()
    }
}

/// From where sliding is measured.
const START: DVec3 = DVec3::new(0.02, 0.0, 0.0125);

fn contact<C>(free: DVec3, friction: f64, compliance: C) -> OneContact<C> {
    OneContact {
        free,
        normal: DVec3::new(0.0, 0.6, 0.8),
        offset: 0.01,
        start: START,
        compliance,
        friction: FrictionLaw::isotropic(friction),
        law: PointLaw::Contact,
    }
}

/// Largest violation of Signorini's and Coulomb's laws by a force, as a part of what is to be mended, and whether the
/// contact is open, sticks or slides.
fn violation<C: Compliance>(c: &OneContact<C>, f: DVec3) -> (f64, usize) {
    let n = c.normal;
    let x = c.free + c.compliance.apply(f);
    let across = |v: DVec3| v - n.dot(v) * n;
    let (before, gap) = (n.dot(c.free) - c.offset, n.dot(x) - c.offset);
    let length = before.abs().max(across(c.free - c.start).length());
    let (normal, friction) = (n.dot(f), across(f));
    let slip = across(x - c.start);
    if f == DVec3::ZERO {
        return ((-gap).max(0.0) / length, 0);
    }
    let pull = (-normal).max(0.0) / f.length();
    let size = c.friction.size_sq(friction).sqrt();
    let beyond = (size - c.friction.bound(normal)).max(0.0) / f.length();
    let signorini = (gap.abs() / length).max(pull).max(beyond);
    if size < c.friction.bound(normal) * (1.0 - 1e-9) {
        (signorini.max(slip.length() / length), 1)
    } else {
        // Sliding against the friction: `slip . friction = -|slip| |friction|`, and nothing across it.
        let t = friction / friction.length().max(f64::MIN_POSITIVE);
        let along = slip.dot(t);
        let off = (slip - along * t).length();
        let off = if c.friction.is_frictionless() { 0.0 } else { off.max(along) };
        (signorini.max(off / length), 2)
    }
}

#[test]
fn the_force_satisfies_signorini_and_coulomb() {
    let mut numbers = Numbers(1);
    let mut seen = [0; 3];
    for _ in 0..2000 {
        let p = 0.004 * numbers.point();
        let mu = 0.8 * (1.0 + numbers.next());
        let c = contact(START + p, mu, 2e-4);
        let (error, state) = violation(&c, c.force());
        assert!(error < 1e-12, "{error} of {c:?}");
        seen[state] += 1;
    }
    assert!(seen.iter().all(|&n| n > 50), "open, stick, slip: {seen:?}");
}

#[test]
fn friction_of_an_ellipse_opposes_the_sliding() {
    let mut numbers = Numbers(8);
    let mut seen = [0; 3];
    for _ in 0..2000 {
        let w = numbers.positive(2e-4, 5.0);
        let n = numbers.unit();
        let t = n.any_orthonormal_vector();
        let coefficients = [0.5 * (1.0 + numbers.next()), 1.0 + numbers.next()];
        let friction = FrictionLaw::elliptic([t, n.cross(t)], coefficients);
        let base = OneContact {
            normal: n,
            offset: 0.0,
            start: DVec3::ZERO,
            friction,
            ..contact(0.004 * numbers.point(), 0.0, w)
        };
        let (error, state) = violation(&base, base.force());
        assert!(error < 1e-10, "{error} of {base:?}");
        seen[state] += 1;
        let number = base.with(base.free, 2e-4);
        let (error, _) = violation(&number, number.force());
        assert!(error < 1e-10, "{error} of {number:?}");
    }
    assert!(seen.iter().all(|&n| n > 50), "open, stick, slide: {seen:?}");
}

#[test]
fn the_force_of_a_block_satisfies_signorini_and_coulomb() {
    let mut numbers = Numbers(2);
    for (condition, most_friction) in [(1.0, 1.0), (5.0, 1.0), (5.0, 10.0), (1e3, 2.0), (1e6, 2.0)] {
        let mut seen = [0; 3];
        for _ in 0..4000 {
            let size = 10f64.powf(3.0 * numbers.next() - 5.0);
            let w = numbers.positive(size, condition);
            let mu = 0.5 * most_friction * (1.0 + numbers.next());
            let p = 0.004 * numbers.point();
            let c =
                OneContact { normal: numbers.unit(), offset: 0.0, start: DVec3::ZERO, ..contact(p, mu, w) };
            let f = c.force();
            let (error, state) = violation(&c, f);
            // The sticking force of a block is known up to its condition.
            assert!(error < 1e-10 + 1e-15 * condition, "{error} with condition {condition}: {c:?}");
            seen[state] += 1;
        }
        assert!(seen.iter().all(|&n| n > 100), "open, stick, slip: {seen:?}");
    }
}

/// The sliding equation by brute force: directions t of the friction with `t x u_t = 0` and `t . u_t < 0`.
#[test]
fn the_force_of_a_block_is_a_root_of_the_equation_of_the_angle() {
    let mut numbers = Numbers(3);
    let mut slid = 0;
    for _ in 0..300 {
        let w = numbers.positive(1e-3, 5.0);
        let c = OneContact {
            normal: numbers.unit(),
            offset: 0.0,
            start: DVec3::ZERO,
            ..contact(0.004 * numbers.point(), 0.3, w)
        };
        let f = c.force();
        if violation(&c, f).1 != 2 {
            continue;
        }
        slid += 1;
        let DMat3 { x_axis: n, y_axis: t, z_axis: b } = frame(c.normal);
        let at = |angle: f64| -> (f64, f64, DVec3) {
            let e = n + 0.3 * (t * angle.cos() + b * angle.sin());
            let force = -n.dot(c.free) / n.dot(w * e) * e;
            let u = c.free + w * force;
            let (x, y) = (t.dot(u), b.dot(u));
            (angle.cos() * y - angle.sin() * x, angle.cos() * x + angle.sin() * y, force)
        };
        let count = 3600;
        let mut roots = Vec::new();
        for i in 0..count {
            let [mut low, mut high] =
                [i, i + 1].map(|i| f64::from(i) / f64::from(count) * std::f64::consts::TAU);
            if at(low).0 * at(high).0 > 0.0 {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if at(low).0 * at(middle).0 <= 0.0 { high = middle } else { low = middle }
            }
            if at(low).1 < 0.0 {
                roots.push(at(low).2);
            }
        }
        // With this little friction and coupling there is one: mu |W_nt| / W_nn < 2 sqrt(k) / (1 + k), k the condition.
        assert_eq!(roots.len(), 1, "{c:?}");
        assert!(roots[0].distance(f) < 1e-10 * f.length());
    }
    assert!(slid > 50, "{slid}");
}

#[test]
fn shortening_friction_is_wrong_for_a_block() {
    let w = DMat3::from_cols_array_2d(&[[3e-4, 0.0, 0.0], [0.0, 1e-4, 5e-5], [0.0, 5e-5, 2e-4]]);
    let free = DVec3::new(0.021, -0.001, 0.0115);
    let c = contact(free, 0.3, w);
    let mean = contact(free, 0.3, 2e-4);
    assert!(violation(&c, mean.force()).0 > 1e-2);
    assert!(violation(&c, c.force()).0 < 1e-12);
}

#[test]
fn an_isotropic_block_gives_what_the_number_gives() {
    let mut numbers = Numbers(4);
    let w = 2e-4;
    let block = w * DMat3::IDENTITY;
    for _ in 0..2000 {
        let p = 0.004 * numbers.point();
        let free = START + p;
        let mu = 0.8 * (1.0 + numbers.next());
        for law in [
            PointLaw::Contact,
            PointLaw::Held(0.5 * w),
            PointLaw::Guided { soft: 0.3 * w, grip: 3.0 * (1.0 + numbers.next()) },
        ] {
            let one = OneContact { law, ..contact(free, mu, w) }.force();
            let three = OneContact { law, ..contact(free, mu, block) }.force();
            let error = (one - three).abs().max_element();
            assert!(error < 1e-11 * one.length().max(1e-3), "{law:?}: {one} {three}");
        }
    }
}

#[test]
fn a_guided_point_stays_on_its_line_and_slides_beyond_the_grip() {
    let base = contact(DVec3::new(0.021, 0.002, 0.013), 0.0, 2e-4);
    let place = |soft: f64, grip: f64| {
        let c = OneContact { law: PointLaw::Guided { soft, grip }, ..base };
        let f = c.force();
        let (along, across) = off_line(&c, f);
        (c.normal.dot(f), along, across.length())
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

/// How far a point is from `start` along its line, and how it is off the line.
fn off_line<C: Compliance>(c: &OneContact<C>, f: DVec3) -> (f64, DVec3) {
    let off = c.free + c.compliance.apply(f) - c.start;
    let along = c.normal.dot(off);
    (along, off - along * c.normal)
}

#[test]
fn held_and_guided_points_with_a_block_obey_their_laws() {
    let mut numbers = Numbers(5);
    let mut slid = 0;
    for _ in 0..2000 {
        let w = numbers.positive(1e-4, 100.0);
        let soft = 1e-4 * (1.0 + numbers.next());
        let grip = 20.0 * (1.0 + numbers.next());
        let p = 0.004 * numbers.point();
        let base = OneContact { normal: numbers.unit(), ..contact(START + p, 0.0, w) };
        let held = OneContact { law: PointLaw::Held(soft), ..base };
        let f = held.force();
        let off = held.free + w * f - held.start + soft * f;
        assert!(off.abs().max_element() < 1e-14);
        let guided = OneContact { law: PointLaw::Guided { soft, grip }, ..base };
        let f = guided.force();
        let (along, across) = off_line(&guided, f);
        let axial = guided.normal.dot(f);
        // Across the line the spring gives way under the force across it.
        let give = soft * (f - axial * guided.normal);
        assert!((across + give).abs().max_element() < 1e-14);
        if axial.abs() < grip * (1.0 - 1e-9) {
            assert!(along.abs() < 1e-14);
        } else {
            assert!(axial.abs() < grip * (1.0 + 1e-9) && along * axial <= 1e-14);
            slid += 1;
        }
    }
    assert!((100..1900).contains(&slid), "{slid}");
}
