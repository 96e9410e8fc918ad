//! The exact checks: intersections are found whatever the contacts say, and overlaps have their depths.

use crate::support::{Setup, noise_vectors, shifted};
use pliant_collide::{BodyId, ObstacleId, Pose, Serial, Shape, Side};
use pliant_mesh::{DVec3, TriangleTree, sphere_surface};

fn poses(setup: &Setup) -> Vec<Pose> {
    vec![Pose::IDENTITY; setup.obstacles.len()]
}

#[test]
fn crumpled_cloth_has_the_intersections_of_a_double_loop() {
    let mut setup = Setup::default();
    setup.cloth(1.0, 12, DVec3::ZERO, 0.001);
    let mut random = noise_vectors(5);
    for size in [0.0, 0.06, 0.1] {
        let x: Vec<DVec3> = setup.x.iter().map(|&p| p + size * random()).collect();
        let found = setup.detector(1e-3).intersections(&Serial, &x, &[], 0.0);
        let expected =
            TriangleTree::from_parts(&x, &setup.surfaces[0].triangles).unwrap().self_intersections();
        assert_eq!(found.triangles.iter().map(|i| i.triangles).collect::<Vec<_>>(), expected);
        assert_eq!(found.is_empty(), size == 0.0);
        assert!(found.triangles.iter().all(|i| i.sides == [Side::Body(BodyId(0)); 2]));
    }
}

#[test]
fn bodies_and_obstacles_that_cross_touch_or_contain_each_other() {
    let mut setup = Setup::default();
    setup.block([1.0; 3], [3, 3, 3], DVec3::ZERO);
    let small = setup.block([0.2; 3], [1, 1, 1], DVec3::new(0.4, 0.4, 1.001));
    setup.obstacle(Shape::Mesh(sphere_surface(0.1, 2).unwrap()));
    setup.obstacle(Shape::Box { half: DVec3::splat(0.1) });
    let away = |p: DVec3| Pose { translation: p, ..Pose::IDENTITY };
    let far = [away(DVec3::splat(5.0)), away(DVec3::splat(-5.0))];
    let detector = setup.detector(1e-3);
    let test = |x: &[DVec3], poses: &[Pose]| detector.intersections(&Serial, x, poses, 1e-6);
    assert!(test(&setup.x, &far).is_empty());
    // Lowered into the top.
    let sunk = shifted(&setup.x, small.clone(), DVec3::new(0.0, 0.0, -0.1));
    let found = test(&sunk, &far);
    assert!(
        !found.triangles.is_empty()
            && found.triangles.iter().all(|i| i.sides == [Side::Body(BodyId(0)), Side::Body(BodyId(1))])
    );
    // Wholly inside: no triangles cross, and still it is found.
    let buried = shifted(&setup.x, small.clone(), DVec3::new(0.0, 0.0, -0.5));
    let found = test(&buried, &far);
    assert!(found.triangles.is_empty() && found.inside.len() == 1);
    assert_eq!(found.inside[0].sides, [Side::Body(BodyId(1)), Side::Body(BodyId(0))]);
    assert!(found.inside[0].depth > 0.3 - 1e-9, "{:?}", found.inside);
    // Obstacles: through the side, and swallowed.
    let found = test(&setup.x, &[away(DVec3::new(0.0, 0.5, 0.5)), far[1]]);
    assert!(
        found.triangles.iter().all(|i| i.sides == [Side::Body(BodyId(0)), Side::Obstacle(ObstacleId(0))])
            && !found.is_empty()
    );
    let found = test(&setup.x, &[away(DVec3::splat(0.5)), away(DVec3::new(0.31, 0.52, 0.51))]);
    assert_eq!(found.inside.len(), 2, "{found:?}");
    // What cannot be tested is said.
    let mut broken = setup.x.clone();
    broken[0] = DVec3::NAN;
    let found = test(&broken, &far);
    assert!(found.unchecked > 0 && !found.is_empty());
}

#[test]
fn overlaps_name_the_sides_the_depth_and_the_place() {
    let mut setup = Setup::default();
    setup.block([1.0; 3], [4, 4, 4], DVec3::ZERO);
    setup.block([0.4; 3], [2, 2, 2], DVec3::new(0.3, 0.3, 0.95));
    setup.cloth(0.5, 4, DVec3::new(2.0, 0.0, 0.003), 0.002);
    setup.cloth(0.5, 4, DVec3::new(2.01, 0.02, 0.0), 0.002);
    setup.obstacle(Shape::Plane);
    let detector = setup.detector(1e-3);
    let at = [Pose { translation: DVec3::new(0.0, 0.0, 0.002), ..Pose::IDENTITY }];
    let overlaps = detector.overlaps(&Serial, &setup.x, &at, 1e-9);
    let of = |a: Side, b: Side| overlaps.iter().find(|o| o.sides == [a, b]).copied();
    let blocks = of(Side::Body(BodyId(0)), Side::Body(BodyId(1))).unwrap();
    assert!((blocks.depth - 0.05).abs() < 1e-9 && blocks.vertices >= 9, "{blocks:?}");
    let cloths = of(Side::Body(BodyId(2)), Side::Body(BodyId(3))).unwrap();
    assert!((cloths.depth - 0.001).abs() < 1e-9 && cloths.crossings == 0, "{cloths:?}");
    let block = of(Side::Body(BodyId(0)), Side::Obstacle(ObstacleId(0))).unwrap();
    assert!((block.depth - 0.002).abs() < 1e-9 && block.vertices == 25);
    let lower = of(Side::Body(BodyId(3)), Side::Obstacle(ObstacleId(0))).unwrap();
    assert!((lower.depth - 0.004).abs() < 1e-9 && lower.vertices == 41);
    let upper = of(Side::Body(BodyId(2)), Side::Obstacle(ObstacleId(0))).unwrap();
    assert!((upper.depth - 0.001).abs() < 1e-9);
    assert_eq!(overlaps.len(), 5, "{overlaps:?}");
    // Touching is no overlap.
    let mut setup = Setup::default();
    setup.block([1.0; 3], [4, 4, 4], DVec3::ZERO);
    setup.block([0.4; 3], [2, 2, 2], DVec3::new(0.3, 0.3, 1.0));
    assert!(setup.detector(1e-3).overlaps(&Serial, &setup.x, &poses(&setup), 1e-9).is_empty());
}

#[test]
fn crossed_planks_overlap_without_a_vertex_inside() {
    let mut setup = Setup::default();
    setup.block([4.0, 1.0, 0.2], [1, 1, 1], DVec3::new(-2.0, -0.5, -0.2));
    setup.block([1.0, 4.0, 0.2], [1, 1, 1], DVec3::new(-0.5, -2.0, -0.03));
    let overlaps = setup.detector(1e-3).overlaps(&Serial, &setup.x, &[], 1e-9);
    assert_eq!(overlaps.len(), 1);
    assert!(overlaps[0].vertices == 0 && overlaps[0].crossings > 0);
    assert!((overlaps[0].depth - 0.03).abs() < 1e-9, "{overlaps:?}");
}

#[test]
fn a_triangle_over_an_exact_shape_is_in_it_without_a_vertex_inside() {
    let mut setup = Setup::default();
    // Cells of 0.5 m, far apart compared with the shapes.
    setup.cloth(1.0, 2, DVec3::ZERO, 0.0);
    let at = |x: f64, y: f64, z: f64| Pose { translation: DVec3::new(x, y, z), ..Pose::IDENTITY };
    let shapes = [
        Shape::Sphere { radius: 0.05 },
        Shape::Capsule { radius: 0.05, half_length: 0.1 },
        Shape::Cylinder { radius: 0.05, half_length: 0.1 },
        Shape::Box { half: DVec3::splat(0.05) },
        Shape::Torus { major: 0.06, minor: 0.02 },
    ];
    let below = [0.05, 0.15, 0.1, 0.05, 0.02];
    for (shape, below) in shapes.into_iter().zip(below) {
        let mut setup = setup.clone();
        setup.obstacle(shape.clone());
        let detector = setup.detector(1e-3);
        for depth in [-1e-3, 0.0, 1e-4, 5e-3] {
            let pose = at(0.6, 0.13, depth - below);
            let found = detector.intersections(&Serial, &setup.x, &[pose], 1e-7);
            let pairs = found.by_pair();
            if depth <= 0.0 {
                assert!(found.is_empty(), "{shape:?} {depth} {found:?}");
                continue;
            }
            assert_eq!(pairs.len(), 1, "{shape:?} {depth} {found:?}");
            assert_eq!(pairs[0].sides, [Side::Body(BodyId(0)), Side::Obstacle(ObstacleId(0))]);
            assert!((pairs[0].depth - depth).abs() < 2e-3 * depth, "{shape:?} {depth} {pairs:?}");
            assert_eq!(pairs[0].count, found.inside.len());
        }
    }
}

#[test]
fn what_touches_counts_only_without_a_tolerance() {
    let mut setup = Setup::default();
    setup.block([1.0; 3], [2, 2, 2], DVec3::ZERO);
    setup.block([0.5; 3], [2, 2, 2], DVec3::new(0.2, 0.2, 1.0));
    let detector = setup.detector(1e-3);
    assert!(!detector.intersections(&Serial, &setup.x, &[], 0.0).is_empty());
    assert!(detector.intersections(&Serial, &setup.x, &[], 1e-9).is_empty());
    let upper = setup.x.len() / 2..setup.x.len();
    let sunk = shifted(&setup.x, upper, DVec3::new(0.0, 0.0, -1e-3));
    let found = detector.intersections(&Serial, &sunk, &[], 1e-9);
    assert!((found.depth() - 1e-3).abs() < 1e-9, "{}", found.depth());
    assert_eq!(found.by_pair().len(), 1);
}
