//! Contacts in motion: cloth that falls on blades, corners and spheres is held by them with a crude solver, and nothing
//! has passed through anything at any time.

mod support;

use pliant_collide::{Contact, Detector, Pose, Serial, Shape};
use pliant_mesh::{Point, TriMesh, sphere_surface};
use support::{Scene, blade};

const DT: f64 = 0.01;
/// Enough for the corrections of springs and contacts to agree.
const SWEEPS: usize = 100;

/// Points and springs with position corrections, one after the other. Mass 1 each.
struct Bodies {
    x: Vec<Point>,
    v: Vec<Point>,
    springs: Vec<(usize, usize, f64)>,
}

impl Bodies {
    fn new(scene: &Scene) -> Self {
        let mut springs = Vec::new();
        for t in scene.surfaces.iter().flat_map(|s| &s.triangles) {
            for k in 0..3 {
                let (a, b) = (t[k] as usize, t[(k + 1) % 3] as usize);
                springs.push((a.min(b), a.max(b), length(sub(scene.x[a], scene.x[b]))));
            }
        }
        springs.sort_unstable_by_key(|s| (s.0, s.1));
        springs.dedup_by_key(|s| (s.0, s.1));
        Self { x: scene.x.clone(), v: vec![[0.0; 3]; scene.x.len()], springs }
    }

    fn predicted(&self) -> Vec<Point> {
        let fall = -9.81 * DT * DT;
        self.x
            .iter()
            .zip(&self.v)
            .map(|(x, v)| [x[0] + DT * v[0], x[1] + DT * v[1], x[2] + DT * v[2] + fall])
            .collect()
    }

    fn step(&mut self, detector: &mut Detector, poses: [&[Pose]; 2]) -> usize {
        let mut x = self.predicted();
        let mut contacts = Vec::new();
        detector.detect(&Serial, &self.x, &x, poses[0], poses[1], &mut contacts);
        support::check(&contacts, x.len());
        for _ in 0..SWEEPS {
            for &(a, b, rest) in &self.springs {
                let d = sub(x[a], x[b]);
                let now = length(d);
                let share = 0.5 * (now - rest) / now.max(1e-12);
                for k in 0..3 {
                    x[a][k] -= share * d[k];
                    x[b][k] += share * d[k];
                }
            }
            contacts.iter().for_each(|c| push_apart(c, &mut x));
        }
        for (v, (new, old)) in self.v.iter_mut().zip(x.iter().zip(&self.x)) {
            // Damped: this is no test of dynamics.
            *v = std::array::from_fn(|k| 0.9 * (new[k] - old[k]) / DT);
        }
        self.x = x;
        contacts.len()
    }
}

fn push_apart(c: &Contact, x: &mut [Point]) {
    let gap = c.gap(x);
    if gap < 0.0 {
        let n = c.count as usize;
        let sum: f64 = c.weights[..n].iter().map(|w| w * w).sum();
        for (&v, &w) in c.vertices[..n].iter().zip(&c.weights) {
            for k in 0..3 {
                x[v as usize][k] -= gap * w / sum * c.normal[k];
            }
        }
    }
}

fn sub(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

fn length(a: Point) -> f64 {
    a.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// Lets the scene fall; obstacles stay where they are. The margin must cover what the solver changes in the prediction.
fn drop(scene: &Scene, steps: usize, margin: f64) -> Bodies {
    let mut detector = scene.detector(margin);
    let mut bodies = Bodies::new(scene);
    let poses = vec![Pose::IDENTITY; scene.obstacles.len()];
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
    let mut scene = Scene::default();
    scene.cloth(0.4, 10, [-0.17, -0.2, 0.03], 0.004);
    scene.surfaces[0].self_contact = true;
    scene.obstacle(Shape::Mesh(blade(5, 0.3, 0.5)));
    let bodies = drop(&scene, 60, 2e-3);
    let highest = bodies.x.iter().map(|p| p[2]).fold(f64::MIN, f64::max);
    assert!(highest > -0.01 && highest < 0.05, "it hangs on the blade: {highest}");
}

#[test]
fn on_the_corner_of_a_box() {
    let mut scene = Scene::default();
    scene.cloth(0.4, 10, [-0.11, -0.12, 0.72], 0.004);
    scene.surfaces[0].self_contact = true;
    scene.obstacle(Shape::Box { half: [0.1; 3] });
    scene.obstacle(Shape::Plane);
    // The box stands on its edge in the air.
    let mut detector = scene.detector(2e-3);
    let mut bodies = Bodies::new(&scene);
    let (s, c) = std::f64::consts::FRAC_PI_4.sin_cos();
    let tilted =
        Pose { rotation: [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]], translation: [0.0, 0.0, 0.5] };
    let poses = [tilted, Pose::IDENTITY];
    for step in 0..60 {
        bodies.step(&mut detector, [&poses, &poses]);
        let found = detector.intersections(&Serial, &bodies.x, &poses, 1e-4);
        assert!(found.is_empty(), "step {step}: {:?} {:?}", found.triangles.first(), found.inside.first());
    }
    let highest = bodies.x.iter().map(|p| p[2]).fold(f64::MIN, f64::max);
    assert!(highest > 0.6, "it hangs on the edge: {highest}");
}

#[test]
fn two_sheets_on_a_sphere() {
    let mut scene = Scene::default();
    scene.cloth(0.4, 10, [-0.2, -0.2, 0.22], 0.004);
    scene.cloth(0.3, 9, [-0.14, -0.16, 0.25], 0.004);
    scene.surfaces.iter_mut().for_each(|s| s.self_contact = true);
    scene.obstacle(Shape::Mesh(sphere_surface(0.2, 3).unwrap()));
    let bodies = drop(&scene, 60, 2e-3);
    assert!(bodies.x.iter().all(|p| length(*p) > 0.2));
}

/// An upright sheet without bending stiffness collapses on the floor and folds onto itself.
#[test]
fn upright_on_a_plane() {
    let mut scene = Scene::default();
    scene.cloth(0.4, 8, [-0.2, -0.2, 0.0], 0.004);
    scene.surfaces[0].self_contact = true;
    for p in &mut scene.x {
        *p = [p[0], 0.02 * (20.0 * p[0]).sin(), p[1] + 0.21];
    }
    scene.obstacle(Shape::Plane);
    let bodies = drop(&scene, 60, 0.02);
    let highest = bodies.x.iter().map(|p| p[2]).fold(f64::MIN, f64::max);
    assert!(highest < 0.35, "it has come down: {highest}");
}

/// A blade that is swung through the room in large steps takes the cloth along.
#[test]
fn on_a_blade_that_moves() {
    let mut scene = Scene::default();
    scene.cloth(0.4, 10, [-0.17, -0.2, 0.01], 0.004);
    let edge: TriMesh = blade(5, 0.3, 0.5);
    scene.obstacle(Shape::Mesh(edge));
    let mut detector = scene.detector(2e-3);
    let mut bodies = Bodies::new(&scene);
    let at = |z: f64| [Pose { translation: [0.0, 0.0, z], ..Pose::IDENTITY }];
    for step in 0..40 {
        let z = |i: i32| 0.02 * f64::from(i);
        bodies.step(&mut detector, [&at(z(step)), &at(z(step + 1))]);
        let found = detector.intersections(&Serial, &bodies.x, &at(z(step + 1)), 1e-4);
        assert!(found.is_empty(), "step {step}: {:?}", found.triangles.first());
    }
}
