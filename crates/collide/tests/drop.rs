//! Contacts in motion: cloth that falls on blades, corners and spheres is held by them with a crude solver, and nothing
//! has passed through anything at any time.

use crate::support;

use pliant_collide::{Contact, Detector, Pose, Serial, Shape};
use pliant_mesh::{DMat3, DVec3, TriMesh, sphere_surface};
use support::{Setup, blade};

const DT: f64 = 0.01;
/// Enough for the corrections of springs and contacts to agree.
const SWEEPS: usize = 100;

/// Points and springs with position corrections, one after the other. Mass 1 each.
struct Bodies {
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    springs: Vec<(usize, usize, f64)>,
}

impl Bodies {
    fn new(setup: &Setup) -> Self {
        let mut springs = Vec::new();
        for t in setup.surfaces.iter().flat_map(|s| &s.triangles) {
            for k in 0..3 {
                let (a, b) = (t[k] as usize, t[(k + 1) % 3] as usize);
                springs.push((a.min(b), a.max(b), setup.x[a].distance(setup.x[b])));
            }
        }
        springs.sort_unstable_by_key(|s| (s.0, s.1));
        springs.dedup_by_key(|s| (s.0, s.1));
        Self { x: setup.x.clone(), v: vec![DVec3::ZERO; setup.x.len()], springs }
    }

    fn predicted(&self) -> Vec<DVec3> {
        let fall = -9.81 * DT * DT * DVec3::Z;
        self.x.iter().zip(&self.v).map(|(&x, &v)| x + DT * v + fall).collect()
    }

    fn step(&mut self, detector: &mut Detector, poses: [&[Pose]; 2]) -> usize {
        let mut x = self.predicted();
        let mut contacts = Vec::new();
        detector.detect(&Serial, &self.x, &x, poses[0], poses[1], &mut contacts);
        support::check(&contacts, x.len());
        for _ in 0..SWEEPS {
            for &(a, b, rest) in &self.springs {
                let d = x[a] - x[b];
                let now = d.length();
                let share = 0.5 * (now - rest) / now.max(1e-12);
                x[a] -= share * d;
                x[b] += share * d;
            }
            contacts.iter().for_each(|c| push_apart(c, &mut x));
        }
        for (v, (&new, &old)) in self.v.iter_mut().zip(x.iter().zip(&self.x)) {
            // Damped: this is no test of dynamics.
            *v = 0.9 * (new - old) / DT;
        }
        self.x = x;
        contacts.len()
    }
}

fn push_apart(c: &Contact, x: &mut [DVec3]) {
    let gap = c.gap(x);
    if gap < 0.0 {
        let n = c.count as usize;
        let sum: f64 = c.weights[..n].iter().map(|w| w * w).sum();
        for (&v, &w) in c.vertices[..n].iter().zip(&c.weights) {
            x[v as usize] -= (gap * w / sum) * c.normal;
        }
    }
}

/// Lets the bodies fall; obstacles stay where they are. The margin must cover what the solver changes in the prediction.
fn drop(setup: &Setup, steps: usize, margin: f64) -> Bodies {
    let mut detector = setup.detector(margin);
    let mut bodies = Bodies::new(setup);
    let poses = vec![Pose::IDENTITY; setup.obstacles.len()];
    let mut most = 0;
    for step in 0..steps {
        most = most.max(bodies.step(&mut detector, [&poses, &poses]));
        let found = detector.intersections(&Serial, &bodies.x, &poses, 1e-4);
        assert!(found.is_empty(), "step {step}: {:?} {:?}", found.triangles.first(), found.inside.first());
    }
    assert!(most > 10, "nothing was touched");
    bodies
}

#[test]
fn on_a_blade() {
    let mut setup = Setup::default();
    setup.cloth(0.4, 10, DVec3::new(-0.17, -0.2, 0.03), 0.004);
    setup.surfaces[0].self_contact = true;
    setup.obstacle(Shape::Mesh(blade(5, 0.3, 0.5)));
    let bodies = drop(&setup, 60, 2e-3);
    let highest = bodies.x.iter().map(|p| p.z).fold(f64::MIN, f64::max);
    assert!(highest > -0.01 && highest < 0.05, "it hangs on the blade: {highest}");
}

#[test]
fn on_the_corner_of_a_box() {
    let mut setup = Setup::default();
    setup.cloth(0.4, 10, DVec3::new(-0.11, -0.12, 0.72), 0.004);
    setup.surfaces[0].self_contact = true;
    setup.obstacle(Shape::Box { half: DVec3::splat(0.1) });
    setup.obstacle(Shape::Plane);
    // The box stands on its edge in the air.
    let mut detector = setup.detector(2e-3);
    let mut bodies = Bodies::new(&setup);
    let rotation = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let tilted = Pose { rotation, translation: 0.5 * DVec3::Z };
    let poses = [tilted, Pose::IDENTITY];
    for step in 0..60 {
        bodies.step(&mut detector, [&poses, &poses]);
        let found = detector.intersections(&Serial, &bodies.x, &poses, 1e-4);
        assert!(found.is_empty(), "step {step}: {:?} {:?}", found.triangles.first(), found.inside.first());
    }
    let highest = bodies.x.iter().map(|p| p.z).fold(f64::MIN, f64::max);
    assert!(highest > 0.6, "it hangs on the edge: {highest}");
}

#[test]
fn two_sheets_on_a_sphere() {
    let mut setup = Setup::default();
    setup.cloth(0.4, 10, DVec3::new(-0.2, -0.2, 0.22), 0.004);
    setup.cloth(0.3, 9, DVec3::new(-0.14, -0.16, 0.25), 0.004);
    setup.surfaces.iter_mut().for_each(|s| s.self_contact = true);
    setup.obstacle(Shape::Mesh(sphere_surface(0.2, 3).unwrap()));
    let bodies = drop(&setup, 60, 2e-3);
    assert!(bodies.x.iter().all(|p| p.length() > 0.2));
}

/// An upright sheet without bending stiffness collapses on the floor and folds onto itself.
#[test]
fn upright_on_a_plane() {
    let mut setup = Setup::default();
    setup.cloth(0.4, 8, DVec3::new(-0.2, -0.2, 0.0), 0.004);
    setup.surfaces[0].self_contact = true;
    for p in &mut setup.x {
        *p = DVec3::new(p.x, 0.02 * (20.0 * p.x).sin(), p.y + 0.21);
    }
    setup.obstacle(Shape::Plane);
    let bodies = drop(&setup, 60, 0.02);
    let highest = bodies.x.iter().map(|p| p.z).fold(f64::MIN, f64::max);
    assert!(highest < 0.35, "it has come down: {highest}");
}

/// A blade that is swung through the room in large steps takes the cloth along.
#[test]
fn on_a_blade_that_moves() {
    let mut setup = Setup::default();
    setup.cloth(0.4, 10, DVec3::new(-0.17, -0.2, 0.01), 0.004);
    let edge: TriMesh = blade(5, 0.3, 0.5);
    setup.obstacle(Shape::Mesh(edge));
    let mut detector = setup.detector(2e-3);
    let mut bodies = Bodies::new(&setup);
    let at = |z: f64| [Pose { translation: DVec3::new(0.0, 0.0, z), ..Pose::IDENTITY }];
    for step in 0..40 {
        let z = |i: i32| 0.02 * f64::from(i);
        bodies.step(&mut detector, [&at(z(step)), &at(z(step + 1))]);
        let found = detector.intersections(&Serial, &bodies.x, &at(z(step + 1)), 1e-4);
        assert!(found.is_empty(), "step {step}: {:?}", found.triangles.first());
    }
}
