//! The exact checks: intersections are found whatever the contacts say, and overlaps have their depths.

mod support;

use pliant_collide::{Pose, Serial, Shape, Side};
use pliant_mesh::{Point, TriangleTree, sphere_surface};
use support::{Scene, noise, shifted};

fn poses(scene: &Scene) -> Vec<Pose> {
    vec![Pose::IDENTITY; scene.obstacles.len()]
}

#[test]
fn crumpled_cloth_has_the_intersections_of_a_double_loop() {
    let mut scene = Scene::default();
    scene.cloth(1.0, 12, [0.0; 3], 0.001);
    let mut random = noise(5);
    for size in [0.0, 0.06, 0.1] {
        let x: Vec<Point> = scene.x.iter().map(|p| p.map(|c| c + size * random())).collect();
        let found = scene.detector(1e-3).intersections(&Serial, &x, &[], 0.0);
        let expected =
            TriangleTree::from_parts(&x, &scene.surfaces[0].triangles).unwrap().self_intersections();
        assert_eq!(found.triangles.iter().map(|i| i.triangles).collect::<Vec<_>>(), expected);
        assert_eq!(found.is_empty(), size == 0.0);
        assert!(found.triangles.iter().all(|i| i.sides == [Side::Body(0); 2]));
    }
}

#[test]
fn bodies_and_obstacles_that_cross_touch_or_contain_each_other() {
    let mut scene = Scene::default();
    scene.block([1.0; 3], [3, 3, 3], [0.0; 3]);
    let small = scene.block([0.2; 3], [1, 1, 1], [0.4, 0.4, 1.001]);
    scene.obstacle(Shape::Mesh(sphere_surface(0.1, 2).unwrap()));
    scene.obstacle(Shape::Box { half: [0.1; 3] });
    let away = |p: Point| Pose { translation: p, ..Pose::IDENTITY };
    let far = [away([5.0; 3]), away([-5.0; 3])];
    let detector = scene.detector(1e-3);
    let test = |x: &[Point], poses: &[Pose]| detector.intersections(&Serial, x, poses, 1e-6);
    assert!(test(&scene.x, &far).is_empty());
    // Lowered into the top.
    let sunk = shifted(&scene.x, small.clone(), [0.0, 0.0, -0.1]);
    let found = test(&sunk, &far);
    assert!(
        !found.triangles.is_empty()
            && found.triangles.iter().all(|i| i.sides == [Side::Body(0), Side::Body(1)])
    );
    // Wholly inside: no triangles cross, and still it is found.
    let buried = shifted(&scene.x, small.clone(), [0.0, 0.0, -0.5]);
    let found = test(&buried, &far);
    assert!(found.triangles.is_empty() && found.inside.len() == 1);
    assert_eq!(found.inside[0].sides, [Side::Body(1), Side::Body(0)]);
    assert!(found.inside[0].depth > 0.3 - 1e-9, "{:?}", found.inside);
    // Obstacles: through the side, and swallowed.
    let found = test(&scene.x, &[away([0.0, 0.5, 0.5]), far[1]]);
    assert!(
        found.triangles.iter().all(|i| i.sides == [Side::Body(0), Side::Obstacle(0)]) && !found.is_empty()
    );
    let found = test(&scene.x, &[away([0.5; 3]), away([0.31, 0.52, 0.51])]);
    assert_eq!(found.inside.len(), 2, "{found:?}");
    // What cannot be tested is said.
    let mut broken = scene.x.clone();
    broken[0] = [f64::NAN; 3];
    let found = test(&broken, &far);
    assert!(found.unchecked > 0 && !found.is_empty());
}

#[test]
fn overlaps_name_the_sides_the_depth_and_the_place() {
    let mut scene = Scene::default();
    scene.block([1.0; 3], [4, 4, 4], [0.0; 3]);
    scene.block([0.4; 3], [2, 2, 2], [0.3, 0.3, 0.95]);
    scene.cloth(0.5, 4, [2.0, 0.0, 0.003], 0.002);
    scene.cloth(0.5, 4, [2.01, 0.02, 0.0], 0.002);
    scene.obstacle(Shape::Plane);
    let detector = scene.detector(1e-3);
    let at = [Pose { translation: [0.0, 0.0, 0.002], ..Pose::IDENTITY }];
    let overlaps = detector.overlaps(&Serial, &scene.x, &at, 1e-9);
    let of = |a: Side, b: Side| overlaps.iter().find(|o| o.sides == [a, b]).copied();
    let blocks = of(Side::Body(0), Side::Body(1)).unwrap();
    assert!((blocks.depth - 0.05).abs() < 1e-9 && blocks.vertices >= 9, "{blocks:?}");
    let cloths = of(Side::Body(2), Side::Body(3)).unwrap();
    assert!((cloths.depth - 0.001).abs() < 1e-9 && cloths.crossings == 0, "{cloths:?}");
    let block = of(Side::Body(0), Side::Obstacle(0)).unwrap();
    assert!((block.depth - 0.002).abs() < 1e-9 && block.vertices == 25);
    let lower = of(Side::Body(3), Side::Obstacle(0)).unwrap();
    assert!((lower.depth - 0.004).abs() < 1e-9 && lower.vertices == 41);
    let upper = of(Side::Body(2), Side::Obstacle(0)).unwrap();
    assert!((upper.depth - 0.001).abs() < 1e-9);
    assert_eq!(overlaps.len(), 5, "{overlaps:?}");
    // Touching is no overlap.
    let mut scene = Scene::default();
    scene.block([1.0; 3], [4, 4, 4], [0.0; 3]);
    scene.block([0.4; 3], [2, 2, 2], [0.3, 0.3, 1.0]);
    assert!(scene.detector(1e-3).overlaps(&Serial, &scene.x, &poses(&scene), 1e-9).is_empty());
}

#[test]
fn crossed_planks_overlap_without_a_vertex_inside() {
    let mut scene = Scene::default();
    scene.block([4.0, 1.0, 0.2], [1, 1, 1], [-2.0, -0.5, -0.2]);
    scene.block([1.0, 4.0, 0.2], [1, 1, 1], [-0.5, -2.0, -0.03]);
    let overlaps = scene.detector(1e-3).overlaps(&Serial, &scene.x, &[], 1e-9);
    assert_eq!(overlaps.len(), 1);
    assert!(overlaps[0].vertices == 0 && overlaps[0].crossings > 0);
    assert!((overlaps[0].depth - 0.03).abs() < 1e-9, "{overlaps:?}");
}
