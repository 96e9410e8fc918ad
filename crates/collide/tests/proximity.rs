//! Distances and their derivatives, pairs within a distance against all pairs, and parts of motions that are free.

use crate::support::{Setup, Threads, noise, noise_vectors};
use pliant_collide::continuous;
use pliant_collide::proximity::{Closest, Mollifier, Pair, PairKind, Proximity, free_part};
use pliant_collide::{Options, Pose, Serial, Shape, Side};
use pliant_mesh::DVec3;
use std::collections::BTreeMap;

const KINDS: [PairKind; 3] = [PairKind::VertexTriangle, PairKind::EdgeEdge, PairKind::VertexPlane];

fn shifted(x: [DVec3; 4], point: usize, axis: usize, by: f64) -> [DVec3; 4] {
    let mut x = x;
    x[point][axis] += by;
    x
}

/// The least distance over a fine grid of both features.
fn sampled(kind: PairKind, [a, b, c, d]: [DVec3; 4]) -> f64 {
    const N: u32 = 60;
    let grid = (0..=N).flat_map(|i| (0..=N).map(move |j| (f64::from(i) / 60.0, f64::from(j) / 60.0)));
    grid.filter(|(u, v)| kind == PairKind::EdgeEdge || u + v <= 1.0)
        .map(|(u, v)| match kind {
            PairKind::EdgeEdge => a.lerp(b, u).distance(c.lerp(d, v)),
            _ => a.distance(b + u * (c - b) + v * (d - b)),
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn distances_are_the_least_ones() {
    let mut random = noise_vectors(1);
    for _ in 0..300 {
        let x: [DVec3; 4] = std::array::from_fn(|_| random());
        for kind in [PairKind::VertexTriangle, PairKind::EdgeEdge] {
            let (found, least) = (Closest::of(kind, x).distance, sampled(kind, x));
            assert!(found <= least + 1e-12 && least < found + 0.05, "{kind:?} {found} {least}");
        }
    }
}

#[test]
fn gradients_and_hessians_agree_with_differences_in_all_regions() {
    let mut random = noise_vectors(2);
    let mut regions = BTreeMap::new();
    for round in 0..400 {
        let mut x: [DVec3; 4] = std::array::from_fn(|_| random());
        if round % 2 == 0 {
            // Most random triangles are met at corners.
            x[0] = (x[1] + x[2] + x[3]) / 3.0 + 0.2 * x[0];
        }
        for kind in [PairKind::VertexTriangle, PairKind::EdgeEdge] {
            let closest = Closest::of(kind, x);
            if closest.distance < 0.05 {
                continue;
            }
            let h = 1e-5;
            let regular = |x: [DVec3; 4]| {
                let near = Closest::of(kind, x).weights.map(|w| w == 0.0);
                near == closest.weights.map(|w| w == 0.0)
            };
            let everywhere =
                (0..12).all(|k| [h, -h].into_iter().all(|s| regular(shifted(x, k / 3, k % 3, s))));
            if !everywhere || closest.weights.iter().any(|w| *w != 0.0 && w.abs() < 0.02) {
                continue;
            }
            *regions.entry((kind, closest.weights.iter().filter(|w| **w != 0.0).count())).or_insert(0) += 1;
            let curvature = closest.curvature(x);
            let hessian = curvature.expanded(&curvature.hessian);
            let size: f64 = hessian
                .as_flattened()
                .iter()
                .flat_map(|b| b.to_cols_array())
                .fold(1.0, |m, a| m.max(a.abs()));
            for k in 0..12 {
                let (i, axis) = (k / 3, k % 3);
                let [up, down] = [h, -h].map(|s| Closest::of(kind, shifted(x, i, axis, s)));
                let slope = (up.distance - down.distance) / (2.0 * h);
                assert!((slope - closest.gradient()[i][axis]).abs() < 1e-9 * size * size, "{kind:?}");
                let (gu, gd) = (up.gradient(), down.gradient());
                for j in 0..4 {
                    let want = (gu[j] - gd[j]) / (2.0 * h);
                    let got = hessian[j][i].col(axis);
                    assert!(want.distance(got) < 1e-6 * size * size, "{kind:?} {want} {got}");
                }
            }
        }
    }
    // A vertex over a face, an edge and a corner; two edges inside, with one end, with two.
    for kind in [PairKind::VertexTriangle, PairKind::EdgeEdge] {
        for count in 2..=4 {
            assert!(regions.get(&(kind, count)).is_some_and(|n| *n > 3), "{regions:?}");
        }
    }
}

#[test]
fn the_mollifier_and_its_derivatives_agree_with_differences() {
    let mut random = noise_vectors(3);
    for _ in 0..50 {
        let mut x: [DVec3; 4] = std::array::from_fn(|_| random());
        x[3] = x[2] + (x[1] - x[0]) + 0.05 * random();
        let bound = 0.1;
        let Some(m) = Mollifier::of(x, bound) else { continue };
        let h = 1e-6;
        for k in 0..12 {
            let (i, axis) = (k / 3, k % 3);
            let ends = [h, -h].map(|s| shifted(x, i, axis, s));
            let Some([up, down]) = ends
                .map(|x| Mollifier::of(x, bound))
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .map(|v| [v[0], v[1]])
            else {
                continue;
            };
            assert!(((up.value - down.value) / (2.0 * h) - m.gradient[i][axis]).abs() < 1e-5);
            for j in 0..4 {
                let want = (up.gradient[j] - down.gradient[j]) / (2.0 * h);
                assert!(want.distance(m.hessian[j][i].col(axis)) < 1e-3 * (1.0 + want.length()));
            }
        }
    }
    let apart = [DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::Z + DVec3::Y];
    assert!(Mollifier::of(apart, 1e-3).is_none());
    let parallel = [DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::Z + DVec3::X];
    assert!(Mollifier::of(parallel, 1e-3).is_some_and(|m| m.value == 0.0));
}

fn scene() -> (Setup, Vec<Pose>) {
    let mut setup = Setup::default();
    setup.block([0.3; 3], [3; 3], DVec3::ZERO);
    setup.block([0.3; 3], [2; 3], DVec3::new(0.1, 0.05, 0.33));
    setup.cloth(0.6, 6, DVec3::new(-0.1, -0.1, 0.68), 0.01);
    setup.surfaces.iter_mut().for_each(|s| s.self_contact = true);
    for shape in [
        Shape::Plane,
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.05, half_length: 0.2 },
        Shape::Box { half: DVec3::splat(0.1) },
        Shape::Cylinder { radius: 0.1, half_length: 0.1 },
        Shape::Torus { major: 0.2, minor: 0.05 },
    ] {
        setup.obstacle(shape);
    }
    let at = |x: f64, y: f64, z: f64| Pose::turned(DVec3::new(x, y, z), 0.7).then_moved(DVec3::new(x, y, z));
    let poses = vec![
        Pose::moved(-0.01 * DVec3::Z),
        at(0.46, 0.15, 0.1),
        at(-0.07, 0.15, 0.15),
        at(0.15, -0.17, 0.1),
        at(0.2, 0.15, 0.86),
        at(0.2, 0.6, 0.3),
    ];
    (setup, poses)
}

fn proximity(setup: &Setup, margin: f64) -> Proximity {
    let options = Options { margin, ..Options::default() };
    Proximity::new(&setup.surfaces, &setup.obstacles, &setup.x, options).expect("a good scene")
}

fn gap(pair: &Pair, points: &[DVec3]) -> f64 {
    Closest::of(pair.kind, pair.places(points)).distance - pair.thickness
}

#[test]
fn pairs_are_all_that_brute_force_finds() {
    let (setup, poses) = scene();
    for margin in [1e-3, 0.1] {
        let mut search = proximity(&setup, margin);
        let mut everything = proximity(&setup, 10.0);
        let mut points = setup.x.clone();
        points.resize(search.point_count(), DVec3::ZERO);
        search.place_obstacles(&poses, &mut points);
        let near = |proximity: &mut Proximity| {
            let mut pairs = Vec::new();
            proximity.pairs(&Serial, [&points, &points], &mut pairs);
            let mut near: Vec<_> = pairs
                .iter()
                .filter(|p| gap(p, &points) < margin)
                .map(|p| (p.kind, p.points, p.sides))
                .collect();
            near.sort_unstable();
            near
        };
        let (found, all) = (near(&mut search), near(&mut everything));
        assert_eq!(found, all, "margin {margin}");
        assert!(found.windows(2).all(|w| w[0] != w[1]), "each once");
        if margin > 0.05 {
            for kind in KINDS {
                assert!(found.iter().any(|p| p.0 == kind), "{kind:?}");
            }
            for o in 0..6 {
                let is = |side: &Side| matches!(side, Side::Obstacle(id) if id.index() == o);
                assert!(found.iter().any(|p| p.2.iter().any(is)), "obstacle {o}");
            }
        }
    }
}

#[test]
fn pairs_of_a_motion_are_in_the_same_order_for_any_threads() {
    let (setup, poses) = scene();
    let mut search = proximity(&setup, 0.01);
    let mut points = setup.x.clone();
    points.resize(search.point_count(), DVec3::ZERO);
    search.place_obstacles(&poses, &mut points);
    let mut random = noise_vectors(5);
    let moved: Vec<DVec3> = points.iter().map(|&x| x + 0.05 * random()).collect();
    let run = |tasks: &dyn pliant_collide::Tasks, search: &mut Proximity| {
        let mut pairs = Vec::new();
        search.pairs(tasks, [&points, &moved], &mut pairs);
        let free = Proximity::free_part(tasks, &pairs, [&points, &moved]);
        (pairs, free)
    };
    let one = run(&Serial, &mut search);
    assert!(one == run(&Threads(3), &mut search));
    let (pairs, (part, stop)) = one;
    let start = pairs.iter().map(|p| gap(p, &points)).fold(f64::INFINITY, f64::min);
    if start > 0.0 {
        assert!(part > 0.0 && (part < 1.0) == stop.is_some());
        for k in 0..=20 {
            let t = part * f64::from(k) / 20.0;
            let at: Vec<DVec3> = points.iter().zip(&moved).map(|(a, b)| a.lerp(*b, t)).collect();
            assert!(pairs.iter().all(|p| gap(p, &at) > 0.0), "at {t} of {part}");
        }
    }
}

#[test]
fn a_free_part_ends_before_the_first_contact_and_keeps_a_gap() {
    let mut random = noise_vectors(7);
    let mut size = noise(8);
    let (mut met, mut reported) = (0, 0);
    for _ in 0..4_000 {
        let scale = 10f64.powf(1.5 * size());
        let mut start: [DVec3; 4] = std::array::from_fn(|_| random());
        let end: [DVec3; 4] = std::array::from_fn(|i| start[i] + scale * random());
        if size() > 0.6 {
            // Nearly parallel ones.
            start[3] = start[2] + (start[1] - start[0]) + 1e-9 * random();
        }
        for kind in [PairKind::VertexTriangle, PairKind::EdgeEdge] {
            let first = Closest::of(kind, start).distance;
            let part = free_part(kind, [start, end], 0.0, f64::INFINITY, 1.0);
            let at = |t: f64| -> [DVec3; 4] { std::array::from_fn(|i| start[i].lerp(end[i], t)) };
            let meets = |end: [DVec3; 4]| match kind {
                PairKind::EdgeEdge => continuous::edge_edge(start, end, 1e-9),
                _ => continuous::vertex_triangle(start, end, 1e-9),
            };
            met += usize::from(meets(end).is_some());
            if part > 0.0 {
                // That search may report what only comes near, but rarely.
                reported += usize::from(meets(at(part)).is_some());
                for k in 1..=32 {
                    let left = Closest::of(kind, at(part * f64::from(k) / 32.0)).distance;
                    assert!(left >= 0.05 * first, "{kind:?} {part}: {left} of {first}");
                }
            }
            // Thick features end earlier.
            assert!(free_part(kind, [start, end], 0.5 * first, f64::INFINITY, 1.0) <= part);
            assert_eq!(free_part(kind, [start, end], first, f64::INFINITY, 1.0), 0.0);
        }
    }
    assert!(met > 400 && reported < 10, "{met} meet, {reported} of them before");
}

#[test]
fn before_a_plane_the_motion_is_exact_and_bad_numbers_are_not_free() {
    let plane = |z: f64| [DVec3::new(0.3, 0.1, z), DVec3::ZERO, DVec3::Z, DVec3::Z];
    let kind = PairKind::VertexPlane;
    assert_eq!(free_part(kind, [plane(1.0), plane(0.5)], 0.0, f64::INFINITY, 1.0), 1.0);
    let part = free_part(kind, [plane(1.0), plane(-1.0)], 0.0, f64::INFINITY, 1.0);
    assert!((part - 0.45).abs() < 1e-9, "{part}");
    // Half of the reach is enough to keep, however far away it was.
    let part = free_part(kind, [plane(1.0), plane(-1.0)], 0.0, 1e-3, 1.0);
    assert!((part - 0.4995).abs() < 1e-9, "{part}");
    assert_eq!(free_part(kind, [plane(1.0), plane(f64::NAN)], 0.0, f64::INFINITY, 1.0), 0.0);
    let x = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let bad = [DVec3::NAN, DVec3::X, DVec3::Y, DVec3::Z];
    assert_eq!(free_part(PairKind::VertexTriangle, [x, bad], 0.0, f64::INFINITY, 1.0), 0.0);
}
