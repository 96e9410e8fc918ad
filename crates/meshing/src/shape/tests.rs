//! Distances against brute force, and what holds for every shape: sign, growth, bounds, projection.

use super::sample::Sample;
use super::{ShapeError, ShapeSolid, ShapeTree, bodies};
use crate::Solid;
use pliant_mesh::{DVec3, Rotation, Transform, dvec3};

/// Random numbers that are the same on every machine.
struct Random(u64);

impl Random {
    /// In 0..1.
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In the unit cube.
    fn vector(&mut self) -> DVec3 {
        dvec3(self.number(), self.number(), self.number())
    }

    /// In a box that is larger than the body by half on every side.
    fn point(&mut self, solid: &ShapeSolid) -> DVec3 {
        let ((low, _), size) = (solid.bounds(), solid.size());
        low + (2.0 * self.vector() - 0.5) * size
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let d = 2.0 * self.vector() - 1.0;
            if d.length() > 0.1 && d.length() < 1.0 {
                return d * (1.0 / d.length());
            }
        }
    }
}

type Inside = Box<dyn Fn(DVec3) -> bool>;

fn outline() -> Vec<[f64; 2]> {
    vec![[-0.5, -0.4], [0.5, -0.4], [0.5, 0.1], [0.1, 0.0], [0.2, 0.6], [-0.5, 0.5]]
}

/// Simple shapes with an independent test of what is inside of them.
fn simple() -> Vec<(&'static str, ShapeTree, Inside)> {
    let (a, b) = (dvec3(-0.3, 0.1, 0.0), dvec3(0.4, -0.2, 0.3));
    let on_axis = move |t: f64| a + t * (b - a);
    let hull = move |p: DVec3| {
        // A union of balls along the segment.
        (0..=2000).map(|i| f64::from(i) / 2000.0).any(|t| p.distance(on_axis(t)) < 0.35 - 0.2 * t)
    };
    let cylinder = move |p: DVec3| {
        let t = (p - a).dot(b - a) / a.distance_squared(b);
        (0.0..=1.0).contains(&t) && p.distance(on_axis(t)) < 0.3
    };
    let rounded = |p: DVec3| {
        let core = dvec3(0.3, 0.2, 0.1);
        p.distance(p.clamp(-core, core)) < 0.1
    };
    let ring = |p: DVec3| {
        let r = p.x.hypot(p.z);
        (r - 0.5).hypot(p.y) < 0.2
    };
    let ellipsoid = |p: DVec3| (p / dvec3(0.6, 0.25, 0.4)).length_squared() < 1.0;
    let plate = |p: DVec3| {
        // Winding number from the angles under which the edges are seen.
        let o = outline();
        let turn = |i: usize| {
            let [u, v] = [o[i], o[(i + 1) % o.len()]].map(|c| [c[0] - p[0], c[1] - p[1]]);
            (u[0] * v[1] - u[1] * v[0]).atan2(u[0] * v[0] + u[1] * v[1])
        };
        p[2].abs() < 0.1 && (0..o.len()).map(turn).sum::<f64>().abs() > 3.0
    };
    vec![
        ("sphere", ShapeTree::sphere(b, 0.4), Box::new(move |p| p.distance(b) < 0.4)),
        ("round cone", ShapeTree::round_cone(a, 0.35, b, 0.15), Box::new(hull)),
        (
            "rounded box",
            ShapeTree::Cuboid { center: DVec3::ZERO, size: dvec3(0.8, 0.6, 0.4), rounding: 0.1 },
            Box::new(rounded),
        ),
        ("cylinder", ShapeTree::cylinder(a, b, 0.3), Box::new(cylinder)),
        (
            "torus",
            ShapeTree::Torus { center: DVec3::ZERO, axis: dvec3(0.0, 3.0, 0.0), major: 0.5, minor: 0.2 },
            Box::new(ring),
        ),
        ("ellipsoid", ShapeTree::ellipsoid(DVec3::ZERO, dvec3(0.6, 0.25, 0.4)), Box::new(ellipsoid)),
        (
            "plate",
            ShapeTree::Extrusion { outline: outline(), thickness: 0.2, rounding: 0.0 },
            Box::new(plate),
        ),
    ]
}

/// Combinations of all kinds, sharp and smooth.
fn combined() -> Vec<(&'static str, ShapeTree)> {
    let ball = |x: f64, r: f64| ShapeTree::sphere(dvec3(x, 0.0, 0.0), r);
    let cube = || ShapeTree::cuboid(DVec3::ZERO, DVec3::ONE);
    let wedge = ShapeTree::cuboid(DVec3::ZERO, dvec3(2.0, 2.0, 0.5))
        .cut(DVec3::ZERO, dvec3(0.3, 1.0, 0.0))
        .cut(DVec3::ZERO, dvec3(0.3, -1.0, 0.0));
    let cuts = [ShapeTree::sphere(DVec3::splat(0.5), 0.4), ShapeTree::cylinder(DVec3::NEG_Z, DVec3::Z, 0.2)];
    let parts = vec![cube(), cuts[0].clone(), cuts[1].clone()];
    let creature =
        ShapeTree::limb(&[(DVec3::ZERO, 0.3), (dvec3(0.6, 0.0, 0.2), 0.2), (dvec3(1.0, 0.3, 0.2), 0.1)])
            .named("tail")
            .blended_with(
                [ShapeTree::sphere(dvec3(-0.3, 0.0, 0.0), 0.4).named("head"), ball(-0.7, 0.2).named("head")],
                0.2,
            )
            .and_mirrored(DVec3::Y);
    vec![
        ("union", ball(-0.3, 0.5).union_with([ball(0.4, 0.3), ShapeTree::torus(0.7, 0.1)])),
        ("blend", ball(-0.3, 0.4).blended_with([ball(0.4, 0.3), ball(0.0, 0.2), ball(0.1, 0.2)], 0.3)),
        ("wedge", wedge),
        ("cut cube", cube().without(cuts)),
        ("smoothly cut cube", ShapeTree::Difference { parts: parts.clone(), blend: 0.1 }),
        ("lens", ShapeTree::Intersection { parts: vec![ball(-0.3, 0.5), ball(0.3, 0.5)], blend: 0.1 }),
        ("pillow", ShapeTree::Extrusion { outline: outline(), thickness: 0.3, rounding: 0.1 }),
        ("creature", creature),
        (
            "placed",
            ShapeTree::Difference { parts, blend: 0.05 }.placed(Transform {
                scale: 0.3,
                rotate: Rotation { axis: dvec3(1.0, 2.0, 0.5), angle: 0.7 },
                translate: dvec3(3.0, -1.0, 0.2),
            }),
        ),
    ]
}

fn everything() -> Vec<(String, ShapeSolid)> {
    let simple = simple().into_iter().map(|(name, shape, _)| (name, shape));
    let modelled = bodies::bodies().iter().map(|b| (b.name, (b.shape)()));
    simple
        .chain(combined())
        .chain(modelled)
        .map(|(name, shape)| (name.to_string(), shape.compile().unwrap()))
        .collect()
}

/// Points of the surface, from the test of what is inside alone.
fn surface_points(inside: &Inside, solid: &ShapeSolid, count: usize) -> Vec<DVec3> {
    let mut random = Random(1);
    let mut points = Vec::new();
    while points.len() < count {
        let mut ends = [random.point(solid), random.point(solid)];
        if inside(ends[0]) == inside(ends[1]) {
            continue;
        }
        for _ in 0..45 {
            let middle = 0.5 * (ends[0] + ends[1]);
            let same = usize::from(inside(middle) != inside(ends[0]));
            ends[same] = middle;
        }
        points.push(ends[0]);
    }
    points
}

#[test]
fn simple_shapes_are_exact_against_brute_force() {
    let mut random = Random(2);
    for (name, shape, inside) in simple() {
        let solid = shape.compile().unwrap();
        // The test of the round cone takes thousands of balls.
        let surface = surface_points(&inside, &solid, if name == "round cone" { 3000 } else { 20_000 });
        let spacing = if name == "round cone" { 0.08 } else { 0.05 };
        for _ in 0..200 {
            let p = random.point(&solid);
            let value = solid.signed_distance(p);
            let brute = surface.iter().map(|&s| s.distance(p)).fold(f64::INFINITY, f64::min);
            assert!(value.abs() <= brute + 1e-6, "{name} at {p:?}: {value} beyond {brute}");
            // A surface point within the spacing of the nearest one is farther by at most this.
            let slack = (brute * brute + spacing * spacing).sqrt() - brute + 0.3 * spacing;
            assert!(brute <= value.abs() + slack, "{name} at {p:?}: {value} below {brute}");
            if value.abs() > 1e-6 {
                assert_eq!(value < 0.0, inside(p), "{name} at {p:?}");
            }
        }
    }
}

#[test]
fn simple_shapes_reach_their_surface_in_one_step() {
    let mut random = Random(3);
    for (name, shape, _) in simple() {
        let solid = shape.compile().unwrap();
        for _ in 0..2000 {
            let p = random.point(&solid);
            let Sample { distance, gradient } = solid.field(p);
            assert!((gradient.length() - 1.0).abs() < 1e-9, "{name} at {p:?}: {gradient:?}");
            let foot = p - distance * gradient;
            let left = solid.signed_distance(foot);
            assert!(left.abs() < 1e-9, "{name} at {p:?}: {left}");
        }
    }
}

#[test]
fn no_field_grows_faster_than_the_distance() {
    let mut random = Random(4);
    for (name, solid) in everything() {
        let size = solid.size().length();
        for i in 0..4000 {
            let p = random.point(&solid);
            // Near and far pairs.
            let reach = size * 10f64.powi(-(i % 5));
            let q = p + random.direction() * (reach * random.number());
            let (at_p, at_q) = (solid.signed_distance(p), solid.signed_distance(q));
            let gap = (at_p - at_q).abs();
            assert!(gap <= p.distance(q) + 1e-12 * size, "{name}: {gap} over {}", p.distance(q));
        }
    }
}

#[test]
fn gradients_agree_with_differences() {
    let mut random = Random(5);
    for (name, solid) in everything() {
        let step = 1e-6 * solid.size().length();
        let mut smooth = 0;
        for _ in 0..500 {
            let p = random.point(&solid);
            let Sample { gradient, distance } = solid.field(p);
            assert!((distance - solid.signed_distance(p)).abs() < 1e-12);
            let at = |q: DVec3| solid.signed_distance(q);
            let slopes = DVec3::AXES.map(|axis| (at(p + step * axis) - at(p - step * axis)) / (2.0 * step));
            // Not on a kink, where the difference is between two gradients.
            smooth += usize::from(gradient.distance(DVec3::from_array(slopes)) < 1e-4);
        }
        assert!(smooth >= 490, "{name}: {smooth} of 500");
    }
}

#[test]
fn skipping_by_boxes_changes_nothing() {
    let mut random = Random(6);
    for (name, solid) in everything() {
        let mut plain = solid.clone();
        for node in &mut plain.nodes {
            node.bounds = super::bounds::EVERYTHING;
        }
        for _ in 0..1000 {
            let p = random.point(&solid);
            assert_eq!(solid.signed_distance(p), plain.signed_distance(p), "{name} at {p:?}");
        }
    }
}

#[test]
fn bounds_hold_the_body_and_are_tight() {
    let mut random = Random(7);
    for (name, solid) in everything() {
        let (low, high) = solid.bounds();
        let size = solid.size().length();
        for _ in 0..20_000 {
            let p = random.point(&solid);
            let outside = (0..3).any(|k| p[k] < low[k] || p[k] > high[k]);
            assert!(!(outside && solid.signed_distance(p) < 0.0), "{name} at {p:?}");
        }
        // On each face of a box that is one per cent smaller there is a point of the body.
        for k in 0..3 {
            for (at, sign) in [(low[k] + 0.01 * size, -1.0), (high[k] - 0.01 * size, 1.0)] {
                let found = (0..200_000).any(|_| {
                    let mut p = random.point(&solid);
                    p[k] = at;
                    // The ball around the point may reach beyond the face as well.
                    solid.signed_distance(p) < 0.0
                });
                assert!(found, "{name}: nothing at {sign} {k}");
            }
        }
    }
}

#[test]
fn projections_land_on_the_surface() {
    let mut random = Random(8);
    for (name, solid) in everything() {
        let size = solid.size().length();
        for _ in 0..1000 {
            let p = random.point(&solid);
            let on = solid.project(p);
            let left = solid.signed_distance(on.point);
            assert!(left.abs() < 1e-9 * size, "{name} at {p:?}: {left}");
            assert!((on.normal.length() - 1.0).abs() < 1e-9, "{name} at {p:?}");
            assert!(p.distance(on.point) >= solid.signed_distance(p).abs() - 1e-9 * size, "{name}");
            // The normal points out.
            let step = 1e-5 * size;
            let sides = [step, -step].map(|s| solid.signed_distance(on.point + s * on.normal));
            assert!(sides[0] > sides[1], "{name} at {p:?}: {sides:?}");
        }
    }
}

#[test]
fn projections_are_nearest_near_a_blend() {
    let ball = |x: f64| ShapeTree::sphere(dvec3(x, 0.0, 0.0), 0.5);
    let solid = ball(-0.6).blended_with([ball(0.6)], 0.5).compile().unwrap();
    let mut random = Random(9);
    for _ in 0..200 {
        // Off the waist, where the gradients of the two balls differ most.
        let p =
            dvec3(0.2 * (random.number() - 0.5), 0.1 + 0.4 * random.number(), 0.3 * (random.number() - 0.5));
        let on = solid.project(p);
        let away = p - on.point;
        let sine = away.cross(on.normal).length();
        assert!(sine < 0.01 * away.length() + 1e-9, "{p:?}: {sine} of {}", away.length());
    }
}

#[test]
fn projections_hit_sharp_edges() {
    let cube = ShapeTree::cuboid(DVec3::ZERO, DVec3::ONE).compile().unwrap();
    let on = cube.project(dvec3(0.7, 0.8, 0.1));
    assert!(on.point.distance(dvec3(0.5, 0.5, 0.1)) < 1e-12, "{on:?}");
    let (_, wedge) = combined().swap_remove(2);
    let wedge = wedge.compile().unwrap();
    // The edge of the wedge is the z axis; the opening is narrower than a right angle.
    let on = wedge.project(dvec3(-0.5, 0.01, 0.0));
    assert!(wedge.signed_distance(on.point).abs() < 1e-12, "{on:?}");
    assert!(on.point.length() < 0.06, "{on:?}");
}

#[test]
fn transforms_move_the_field() {
    let mut random = Random(10);
    let (_, shape) = combined().swap_remove(4);
    let transform = Transform {
        scale: 1.7,
        rotate: Rotation { axis: dvec3(0.2, -1.0, 0.4), angle: 2.0 },
        translate: dvec3(1.0, 2.0, 3.0),
    };
    let still = shape.compile().unwrap();
    let moved = shape.clone().mirrored(dvec3(1.0, 1.0, 0.0)).placed(transform).compile().unwrap();
    for _ in 0..500 {
        let p = random.point(&still);
        // The mirror x + y = 0 swaps the two with a minus.
        let mut image = [dvec3(-p.y, -p.x, p.z)];
        transform.apply_all(&mut image).unwrap();
        let want = 1.7 * still.signed_distance(p);
        assert!((moved.signed_distance(image[0]) - want).abs() < 1e-12);
    }
}

#[test]
fn a_blend_is_exact_away_from_the_joint_and_fills_it() {
    let ball = |x: f64| ShapeTree::sphere(dvec3(x, 0.0, 0.0), 0.5);
    let sharp = ball(-0.4).union_with([ball(0.4)]).compile().unwrap();
    let smooth = ball(-0.4).blended_with([ball(0.4)], 0.2).compile().unwrap();
    assert_eq!(sharp.signed_distance(dvec3(-0.9, 0.3, 0.0)), smooth.signed_distance(dvec3(-0.9, 0.3, 0.0)));
    let joint = dvec3(0.0, 0.3, 0.0);
    // On the symmetry plane the two distances are equal: the dip is a quarter of the radius.
    assert!((sharp.signed_distance(joint) - smooth.signed_distance(joint) - 0.05).abs() < 1e-12);
}

#[test]
fn named_parts_are_groups() {
    let (_, creature) = combined().swap_remove(7);
    let solid = creature.compile().unwrap();
    assert_eq!(solid.groups(), ["tail", "head"]);
    assert_eq!(solid.groups_at(dvec3(0.6, 0.0, 0.2), false), [0]);
    assert_eq!(solid.groups_at(dvec3(-0.7, 0.0, 0.0), false), [1]);
    assert_eq!(solid.groups_at(dvec3(-0.05, 0.0, 0.0), false), [0, 1]);
    assert_eq!(solid.groups_at(dvec3(5.0, 0.0, 0.0), true), [] as [usize; 0]);
    // A point of the skin that the blend has lifted off both parts belongs to what is below it.
    let skin = solid.project(dvec3(0.05, 0.0, 0.6)).point;
    assert!(solid.groups_at(skin, false).is_empty() && !solid.groups_at(skin, true).is_empty());
}

#[test]
fn a_ball_inside_of_the_other_is_the_larger_ball() {
    let solid = ShapeTree::round_cone(dvec3(0.1, 0.0, 0.0), 0.1, DVec3::ZERO, 0.5).compile().unwrap();
    assert_eq!(solid.signed_distance(DVec3::X), 0.5);
    let point = ShapeTree::capsule(DVec3::ZERO, DVec3::ZERO, 0.5).compile().unwrap();
    assert_eq!(point.signed_distance(DVec3::X), 0.5);
}

#[test]
fn points_without_a_nearest_direction_have_a_value() {
    for (name, shape, _) in simple() {
        let solid = shape.compile().unwrap();
        let (low, high) = solid.bounds();
        for p in [DVec3::ZERO, 0.5 * (low + high), dvec3(1e6, 0.0, 0.0), dvec3(0.0, 0.0, 0.1)] {
            let Sample { distance, gradient } = solid.field(p);
            assert!(distance.is_finite() && (gradient.length() - 1.0).abs() < 1e-9, "{name} at {p:?}");
        }
    }
}

#[test]
fn bad_shapes_are_refused() {
    let bad = |shape: ShapeTree| shape.compile().unwrap_err();
    let ball = || ShapeTree::sphere(DVec3::ZERO, 1.0);
    for shape in [
        ShapeTree::sphere(DVec3::ZERO, 0.0),
        ShapeTree::sphere(dvec3(f64::NAN, 0.0, 0.0), 1.0),
        ShapeTree::capsule(DVec3::ZERO, DVec3::ONE, -1.0),
        ShapeTree::cuboid(DVec3::ZERO, dvec3(1.0, 0.0, 1.0)),
        ShapeTree::Cuboid { center: DVec3::ZERO, size: DVec3::ONE, rounding: 0.6 },
        ShapeTree::cylinder(DVec3::ZERO, DVec3::ZERO, 1.0),
        ShapeTree::Torus { center: DVec3::ZERO, axis: DVec3::ZERO, major: 1.0, minor: 0.1 },
        ShapeTree::torus(1.0, f64::INFINITY),
        ShapeTree::ellipsoid(DVec3::ZERO, dvec3(1.0, -1.0, 1.0)),
        ShapeTree::Extrusion { outline: vec![[0.0; 2], [1.0; 2]], thickness: 1.0, rounding: 0.0 },
        ShapeTree::Extrusion { outline: vec![[f64::NAN; 2]; 3], thickness: 1.0, rounding: 0.0 },
        ShapeTree::Extrusion { outline: outline(), thickness: 0.1, rounding: 0.06 },
        ball().cut(DVec3::ZERO, DVec3::ZERO),
        ball().blended_with([ball()], -1.0),
        ball().scaled(0.0),
        ball().rotated(DVec3::ZERO, 10.0),
        ball().mirrored(DVec3::ZERO),
    ] {
        assert!(matches!(bad(shape.clone()), ShapeError::BadParameter { .. }), "{shape:?}");
    }
    assert_eq!(bad(ShapeTree::Union { parts: vec![], blend: 0.0 }), ShapeError::NoParts("the union"));
    let half_space = ShapeTree::HalfSpace { point: DVec3::ZERO, normal: dvec3(1.0, 0.2, 0.0) };
    assert_eq!(bad(half_space), ShapeError::Unbounded);
    let far = ShapeTree::sphere(dvec3(5.0, 0.0, 0.0), 1.0);
    let apart = ShapeTree::Intersection { parts: vec![ball(), far], blend: 0.0 };
    assert_eq!(bad(apart), ShapeError::Empty);
    // Boxes overlap, the balls do not.
    let beside = ShapeTree::sphere(dvec3(1.5, 1.5, 0.0), 1.0);
    let near = ShapeTree::Intersection { parts: vec![ball(), beside], blend: 0.0 };
    assert_eq!(bad(near), ShapeError::Empty);
    assert_eq!(bad(ball().without([ShapeTree::sphere(DVec3::ZERO, 1.1)])), ShapeError::Empty);
    let deep = (0..200).fold(ball(), |shape, _| shape.scaled(1.0));
    assert!(matches!(bad(deep), ShapeError::TooDeep { .. }));
    let wide = ShapeTree::Union { parts: vec![ball(); 200_000], blend: 0.0 };
    assert!(matches!(bad(wide), ShapeError::TooLarge { .. }));
}
