//! What passes through after all is found, stopped and, if nothing else helps, put back.

use crate::support;

use pliant_collide::{Bodies, BodyId, Contact, Detector, HeldBack, Pose, Serial, Shape};
use pliant_mesh::{DVec3, TriMesh};
use std::ops::Range;
use support::{Setup, Threads, blade, noise_vectors, run, shifted};

const RADIUS: f64 = 1e-3;

fn hold_back(
    detector: &mut Detector,
    setup: &Setup,
    x0: &[DVec3],
    x1: &mut [DVec3],
    poses: [&[Pose]; 2],
    free: bool,
) -> HeldBack {
    let vertices_of = |body: BodyId| {
        let surface = setup.surfaces.iter().find(|s| s.body == body).expect("a body of the setup");
        let vertices = || surface.triangles.iter().flatten().map(|&v| v as usize);
        vertices().min().unwrap_or(0)..vertices().max().map_or(0, |v| v + 1)
    };
    detector.hold_back(&Serial, x0, x1, poses, &Bodies { is_free: &|_| free, vertices_of: &vertices_of })
}

/// A cloth with a blade below it whose only tip points up, at `(x, y)` and `below` under the cloth.
fn cloth_over_a_tip(at: [f64; 2], below: f64) -> Setup {
    let mut setup = Setup::default();
    setup.cloth(0.1, 10, DVec3::ZERO, RADIUS);
    let [x, y] = at;
    setup.obstacle(Shape::Mesh(TriMesh {
        vertices: vec![DVec3::new(x, y - 0.3, -0.3), DVec3::new(x, y + 0.3, -0.3), DVec3::new(x, y, -below)],
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    }));
    setup
}

fn intersect(detector: &Detector, x: &[DVec3], poses: &[Pose]) -> bool {
    !detector.intersections(&Serial, x, poses, 0.0).triangles.is_empty()
}

#[test]
fn a_vertex_beside_a_tip_is_left_to_its_triangles() {
    // The tip is 0.2 mm beside a vertex; the cloth around hangs lower, so that its triangles are nearer to the tip.
    let setup = cloth_over_a_tip([0.0502, 0.05], 0.0);
    let x: Vec<DVec3> =
        setup.x.iter().map(|p| p.with_z(RADIUS - 0.5 * (p.x - 0.05).hypot(p.y - 0.05))).collect();
    let vertex = setup.x.iter().position(|p| (p.x - 0.05).hypot(p.y - 0.05) < 1e-9).unwrap() as u32;
    let contacts = setup.contacts(1e-3, &x, &x);
    assert!(contacts.iter().all(|c| c.count > 1 || c.vertices[0] != vertex), "{contacts:?}");
    let held = contacts.iter().filter(|c| c.vertices[..c.count as usize].contains(&vertex));
    assert!(held.count() > 0);
}

#[test]
fn a_long_edge_touches_all_edges_of_a_sheet_that_it_runs_along() {
    let mut setup = Setup::default();
    setup.cloth(0.2, 20, DVec3::new(-0.1, -0.1, 0.0), RADIUS);
    setup.obstacle(Shape::Mesh(blade(1, 0.2, 0.1)));
    // The cloth rises along the edge by 1:20, so only one of its edges is the nearest.
    let x: Vec<DVec3> =
        setup.x.iter().map(|p| DVec3::new(p.x + 0.003, p.y, 1e-3 + 0.05 * (p.y + 0.1))).collect();
    let contacts = setup.contacts(2e-3, &x, &x);
    let at: Vec<f64> = contacts.iter().filter(|c| c.count == 2).map(|c| c.point(&x).y).collect();
    // The edge is reached from y = -0.1 to where the cloth is 3 mm above it.
    for k in 0..3 {
        let y = -0.1 + 0.01 * f64::from(k);
        assert!(at.iter().any(|&p| p >= y && p < y + 0.0101), "{y}: {at:?}");
    }
}

#[test]
fn what_passes_beside_a_border_is_not_pushed_on_from_the_far_side() {
    let mut setup = Setup::default();
    setup.cloth(0.1, 5, DVec3::ZERO, RADIUS);
    // Its left corners come down just beyond the right border of the first one, and all of it tilts.
    let upper = setup.cloth(0.1, 5, DVec3::new(0.101, 0.003, 0.005), RADIUS);
    let mut x1 = setup.x.clone();
    for p in &mut x1[upper] {
        p.z -= 0.0065 - 0.02 * (p.x - 0.101);
    }
    let contacts = setup.contacts(1e-3, &setup.x, &x1);
    for c in contacts.iter().filter(|c| c.normal.z.abs() > 0.5) {
        let apart = c.gap(&setup.x) + c.thickness;
        assert!(apart > 0.0, "on the other side at the start: {c:?}");
    }
}

/// Two cloths in each other's way: the upper one passes through the lower with its border in one step.
fn falling_pair() -> (Setup, Range<usize>, Vec<DVec3>) {
    let mut setup = Setup::default();
    setup.cloth(0.1, 5, DVec3::ZERO, RADIUS);
    let upper = setup.cloth(0.1, 5, DVec3::new(0.033, 0.027, 0.004), RADIUS);
    let mut x1 = setup.x.clone();
    for p in &mut x1[upper.clone()] {
        p.z -= 0.1 * p.x;
    }
    (setup, upper, x1)
}

fn piercings(d: &mut Detector, x: [&[DVec3]; 2], poses: [&[Pose]; 2]) -> (usize, Vec<Contact>) {
    let mut out = Vec::new();
    let count = d.piercings(&Serial, x, poses, &mut out);
    support::check(&out, x[1].len());
    (count, out)
}

#[test]
fn what_passed_through_is_found_with_the_contacts_that_prevent_it() {
    let (setup, _, x1) = falling_pair();
    let mut detector = setup.detector(1e-3);
    assert!(intersect(&detector, &x1, &[]) && !intersect(&detector, &setup.x, &[]));
    let (count, stops) = piercings(&mut detector, [&setup.x, &x1], [&[], &[]]);
    assert_eq!(count, detector.intersections(&Serial, &x1, &[], 0.0).triangles.len());
    assert!(!stops.is_empty());
    for c in &stops {
        assert!(c.gap(&setup.x) + c.thickness > 0.0 && c.gap(&x1) < 0.0, "{c:?}");
        assert!(c.thickness > 0.0 && c.thickness <= 2.0 * RADIUS);
    }
    let mut on_threads = Vec::new();
    assert_eq!(detector.piercings(&Threads(4), [&setup.x, &x1], [&[], &[]], &mut on_threads), count);
    assert_eq!(on_threads, stops);
    assert_eq!(piercings(&mut detector, [&setup.x, &setup.x], [&[], &[]]), (0, vec![]));
}

#[test]
fn a_crumpled_cloth_is_found_to_be_in_itself_wherever_it_is() {
    let mut setup = Setup::default();
    setup.cloth(0.1, 8, DVec3::ZERO, RADIUS);
    setup.surfaces[0].self_contact = true;
    for seed in 0..20 {
        let (mut random, size) = (noise_vectors(seed), 0.004 + 0.002 * seed as f64);
        let x: Vec<DVec3> = setup.x.iter().map(|&p| p + size * random()).collect();
        let detector = &mut setup.detector(1e-3);
        let all = detector.intersections(&Serial, &x, &[], 0.0).triangles.len();
        assert_eq!(piercings(detector, [&setup.x, &x], [&[], &[]]).0, all, "{seed}");
    }
}

#[test]
fn pairs_that_had_to_be_stopped_stay_contacts_while_they_are_near() {
    let (setup, upper, x1) = falling_pair();
    let mut detector = setup.detector(4e-3);
    let usual = run(&mut setup.detector(4e-3), &Serial, [&setup.x, &setup.x], [&[], &[]]);
    let (_, stops) = piercings(&mut detector, [&setup.x, &x1], [&[], &[]]);
    let after = run(&mut detector, &Serial, [&setup.x, &setup.x], [&[], &[]]);
    let has = |list: &[Contact], c: &Contact| list.iter().any(|other| other.key == c.key);
    let left_out: Vec<&Contact> = stops.iter().filter(|c| !has(&usual, c)).collect();
    assert!(!left_out.is_empty(), "the test needs a pair that the rules leave out");
    assert!(left_out.iter().any(|c| has(&after, c)));
    assert!(usual.iter().all(|c| has(&after, c)));
    // Far apart they are forgotten.
    let far = shifted(&setup.x, upper, DVec3::new(0.0, 0.0, 0.1));
    assert!(run(&mut detector, &Serial, [&far, &far], [&[], &[]]).is_empty());
    let again = run(&mut detector, &Serial, [&setup.x, &setup.x], [&[], &[]]);
    assert_eq!(again.len(), usual.len());
}

#[test]
fn vertices_are_put_back_until_nothing_intersects() {
    let (setup, _, mut x1) = falling_pair();
    let wanted = x1.clone();
    let mut detector = setup.detector(1e-3);
    let HeldBack { vertices, left } = hold_back(&mut detector, &setup, &setup.x, &mut x1, [&[], &[]], true);
    assert!(!intersect(&detector, &x1, &[]) && left == 0);
    let moved = x1.iter().zip(&wanted).filter(|(a, b)| a != b).count();
    // Those that did not move in the step have nowhere to go back to.
    assert!(moved > 0 && moved <= vertices && vertices < x1.len(), "{moved} {vertices}");
    // Pinned vertices stay, and what they force is told.
    let mut pinned = wanted.clone();
    let held = hold_back(&mut detector, &setup, &setup.x, &mut pinned, [&[], &[]], false);
    assert!(pinned == wanted && held.vertices == 0 && held.left > 0);
}

#[test]
fn at_a_moving_obstacle_vertices_go_along() {
    let setup = cloth_over_a_tip([0.052, 0.049], 2e-3);
    let mut detector = setup.detector(1e-3);
    let raised = Pose { translation: DVec3::new(0.0, 0.0, 0.01), ..Pose::IDENTITY };
    let poses = [&[Pose::IDENTITY][..], &[raised][..]];
    let mut x1 = setup.x.clone();
    assert!(intersect(&detector, &x1, poses[1]));
    let held = hold_back(&mut detector, &setup, &setup.x, &mut x1, poses, true);
    assert!(held.left == 0 && held.vertices > 0 && !intersect(&detector, &x1, poses[1]));
}

#[test]
fn tangles_from_the_start_and_surfaces_without_thickness_are_left_alone() {
    let (mut setup, upper, x1) = falling_pair();
    let mut detector = setup.detector(1e-3);
    let further = shifted(&x1, upper, DVec3::new(0.001, 0.0, -0.001));
    assert_eq!(piercings(&mut detector, [&x1, &further], [&[], &[]]), (0, vec![]));
    let mut kept = further.clone();
    assert_eq!(hold_back(&mut detector, &setup, &x1, &mut kept, [&[], &[]], true).vertices, 0);
    assert_eq!(kept, further);
    setup.surfaces.iter_mut().for_each(|s| s.radius = 0.0);
    assert_eq!(piercings(&mut setup.detector(1e-3), [&setup.x, &x1], [&[], &[]]), (0, vec![]));
}

#[test]
fn directions_turn_little_within_a_step() {
    let mut setup = Setup::default();
    setup.cloth(0.1, 4, DVec3::ZERO, RADIUS);
    let upper = setup.cloth(0.1, 4, DVec3::new(0.03, 0.02, 2e-3), RADIUS);
    let mut detector = setup.detector(1e-3);
    let mut contacts = run(&mut detector, &Serial, [&setup.x, &setup.x], [&[], &[]]);
    // The upper cloth turns over, a little in each iteration.
    for k in 1..=60 {
        let (sin, cos) = (f64::from(k) * 3.0).to_radians().sin_cos();
        let mut x = setup.x.clone();
        for p in &mut x[upper.clone()] {
            let (dx, dz) = (p.x - 0.08, p.z - 2e-3);
            (p.x, p.z) = (0.08 + cos * dx - sin * dz, 2e-3 + sin * dx + cos * dz);
        }
        detector.refresh(&x, &[], &[], &mut contacts);
        for c in &contacts {
            let (along, length) = (c.normal.dot(c.found_normal), c.normal.length_squared());
            assert!(along > 15.01_f64.to_radians().cos() && (length - 1.0).abs() < 1e-9, "{c:?}");
        }
    }
}

/// A small block that was before another one and is beyond it at the end of the step: no triangles intersect at either time.
#[test]
fn what_is_beyond_another_body_at_the_end_has_passed_through_it() {
    let mut setup = Setup::default();
    setup.block([0.5, 0.5, 0.02], [4, 4, 1], DVec3::new(-0.25, -0.25, -0.01));
    let small = setup.block([0.1; 3], [2, 2, 2], DVec3::new(-0.04, -0.03, 0.1));
    let x0 = setup.x.clone();
    let moved = |way: DVec3| -> Vec<DVec3> {
        x0.iter().enumerate().map(|(v, &x)| if small.contains(&v) { x + way } else { x }).collect()
    };
    let mut detector = setup.detector(1e-3);
    let mut missed = Vec::new();
    let mut pierced = |x1: &[DVec3]| detector.piercings(&Serial, [&x0, x1], [&[], &[]], &mut missed);
    assert!(pierced(&moved(-0.5 * DVec3::Z)) > 0, "through");
    assert_eq!(pierced(&moved(0.5 * DVec3::X)), 0, "beside");
    assert_eq!(pierced(&moved(-0.09 * DVec3::Z)), 0, "before");
    let mut x1 = moved(-0.5 * DVec3::Z);
    let held = hold_back(&mut detector, &setup, &x0, &mut x1, [&[], &[]], true);
    assert!(held.vertices > 0 && held.left == 0, "{held:?}");
    assert!(small.clone().all(|v| x1[v].z > 0.0), "still before it");
}

/// A large triangle with a thin rod through its middle: no vertex and no edge is near.
#[test]
fn the_middle_of_a_triangle_is_kept_out_of_a_rod() {
    let mut setup = Setup::default();
    setup.cloth(1.0, 1, DVec3::new(-0.5, -0.5, 0.05), 0.0);
    setup.obstacle(Shape::Capsule { radius: 0.01, half_length: 0.02 });
    let x0 = setup.x.clone();
    let x1: Vec<DVec3> = x0.iter().map(|&x| x - 0.03 * DVec3::Z).collect();
    let poses = [Pose::IDENTITY];
    let mut missed = Vec::new();
    let found = setup.detector(1e-3).piercings(&Serial, [&x0, &x1], [&poses, &poses], &mut missed);
    assert!(found > 0 && missed.iter().any(|c| c.normal.z > 0.9), "{missed:?}");
}
