//! Random small scenes that treat bodies badly: pressed, twisted and dragged by pins, thrown at a floor and at each other with
//! up to 100 m/s; and starts with flattened, mirrored and random shapes.
#![allow(dead_code)] // the test and the example each use a part of this

use crate::random_scenes::Random;
use pliant::{
    Body, BodyId, Law, LocalGlobalConfig, Material, Model, Motion, Obstacle, Pin, PinKind, Shape,
    SolverConfig, World,
};
use pliant_mesh::{DVec3, Mesh, TetMesh};
use std::f64::consts::PI;

const STEPS: [f64; 4] = [1e-3, 1.0 / 240.0, 0.01, 1.0 / 60.0];

/// Laws that unfold inverted elements.
const RECOVERING: [Law; 5] =
    [Law::Arap, Law::Corotational, Law::NeoHookean, Law::StableNeoHookean, Law::FixedCorotated];

/// The edges of a tetrahedron.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// What happened in a run.
#[derive(Clone, Debug)]
pub struct Ordeal {
    /// What was drawn.
    pub what: String,
    /// Smallest J of all steps.
    pub min_j: f64,
    /// Steps in which the solver found nowhere to go.
    pub stopped: usize,
    /// Whether a step failed.
    pub error: Option<String>,
}

impl Ordeal {
    /// No element was ever inverted, and no step failed.
    pub fn survived(&self) -> bool {
        self.error.is_none() && self.min_j > 0.0
    }
}

/// Runs the scene of this seed, of a Neo-Hookean body from its shape at rest.
pub fn torture(seed: u64) -> Ordeal {
    let mut random = Random::new(seed);
    let dt = random.pick(&STEPS);
    let youngs = 10f64.powf(random.between(3.5, 7.0));
    let poisson = random.pick(&[0.0, 0.3, 0.45, 0.49]);
    let steps = random.count(20, 40);
    let cells = [random.count(2, 4), random.count(2, 4), random.count(3, 6)];
    let size = [random.between(0.05, 0.1), random.between(0.05, 0.1), random.between(0.1, 0.2)];
    let mesh = pliant_mesh::block(size, cells).expect("valid sizes");
    let [bottom, top] = ["z_min", "z_max"].map(|g| mesh.groups[g].vertices.clone());
    let duration = steps as f64 * dt;
    let mut model = Model { dt, ..Model::default() };
    let kind = random.pick(&["press", "twist", "drag", "floor", "pair"]);
    let speed = 10f64.powf(random.between(0.0, 2.0));
    let direction = random.direction();
    let to = |by: DVec3| Motion::Velocity { velocity: by / duration, start: 0.0, stop: duration };
    let mut body = Body::new("body", Mesh::Tet(mesh.clone()), law(Law::NeoHookean, youngs, poisson));
    let mut pins = |top_motion: Motion| {
        model.pins.push(pin("bottom", &bottom, Motion::Fixed));
        model.pins.push(pin("top", &top, top_motion));
    };
    match kind {
        "press" => pins(to(-random.between(0.3, 0.85) * size[2] * DVec3::Z)),
        "twist" => {
            let point = DVec3::new(0.5 * size[0], 0.5 * size[1], 0.0);
            // Up to 60 degrees for each layer of cells: linear elements cannot be twisted much further.
            let rate = random.between(0.1, 1.0) * cells[2] as f64 / 3.0 * PI / duration;
            pins(Motion::Rotation { point, axis: DVec3::Z, rate, start: 0.0, stop: duration });
        }
        "drag" => model.pins.push(pin("top", &top, to(random.between(0.1, 2.0) * direction))),
        _ => {}
    }
    if kind == "floor" || kind == "pair" {
        body.start = Some(mesh.vertices.iter().map(|&p| p + 0.02 * DVec3::Z).collect());
        body.velocity = DVec3::new(0.3 * speed * direction.x, 0.3 * speed * direction.y, -speed);
        body.angular_velocity = random.between(0.0, 10.0) * direction;
        body.friction = random.between(0.0, 1.0);
        model.obstacles.push(floor());
    }
    let other = body.clone();
    model.bodies.push(body);
    if kind == "pair" {
        model.bodies.push(above(other, size[2] + 0.04));
    }
    let what = format!("{seed} {kind} E {youngs:.1e} nu {poisson} dt {dt:.4} {speed:.0} m/s {cells:?}");
    run(what, model, steps)
}

/// The same body, higher and faster.
fn above(mut body: Body, by: f64) -> Body {
    body.name = "other".into();
    body.start = body.start.map(|points| points.iter().map(|&p| p + by * DVec3::Z).collect());
    body.velocity *= 1.5;
    body
}

fn run(what: String, model: Model, steps: usize) -> Ordeal {
    let bodies = model.bodies.len();
    let mut world = World::new(model, default_solver()).expect("a valid model");
    let mut ordeal = Ordeal { what, min_j: f64::INFINITY, stopped: 0, error: None };
    for _ in 0..steps {
        match world.step() {
            Ok(outcome) => {
                ordeal.stopped += usize::from(outcome.iterations == 0 && outcome.residual_last > 1e-3);
            }
            Err(error) => {
                ordeal.error = Some(error.to_string());
                break;
            }
        }
        for b in 0..bodies {
            ordeal.min_j = ordeal.min_j.min(world.shape(BodyId(b as u32)).min_j);
        }
    }
    ordeal
}

/// A free body of some law but St. Venant-Kirchhoff that starts flattened, mirrored or at random places. Returns what was drawn
/// and how far the shape is from that at rest after two seconds: the largest change of an edge in parts of the size, infinite if
/// an element is inverted. From random places it may find another balance, of which only inverted elements count.
pub fn recover(seed: u64) -> (String, f64) {
    let mut random = Random::new(seed);
    let material_law = random.pick(&RECOVERING);
    let start = random.pick(&["flattened", "mirrored", "random"]);
    let youngs = 10f64.powf(random.between(4.0, 7.0));
    // The energy of the stable law at nu = 0 is as low for a point as at rest.
    let least = if material_law == Law::StableNeoHookean { 0.2 } else { 0.0 };
    let poisson = random.pick(&[least, 0.3, 0.45]);
    let cells = [random.count(2, 3), random.count(2, 3), random.count(2, 4)];
    let mesh = pliant_mesh::block([0.1, 0.1, 0.15], cells).expect("valid sizes");
    let mut body = Body::new("body", Mesh::Tet(mesh.clone()), law(material_law, youngs, poisson));
    body.damping.mass = 5.0;
    let places = mesh.vertices.iter().map(|&p| match start {
        "flattened" => DVec3::new(p.x, p.y, 0.0),
        "mirrored" => DVec3::new(p.x, p.y, -p.z),
        _ => DVec3::from(std::array::from_fn(|_| random.between(0.0, 0.15))),
    });
    body.start = Some(places.collect());
    let model = Model { gravity: DVec3::ZERO, bodies: vec![body], dt: 0.01, ..Model::default() };
    let what = format!("{seed} {start} {} E {youngs:.1e} nu {poisson} {cells:?}", material_law.name());
    let mut world = World::new(model, default_solver()).expect("a valid model");
    let done = (0..200).try_for_each(|_| world.step().map(drop));
    if done.is_err() || world.shape(BodyId(0)).min_j <= 0.0 {
        return (what, f64::INFINITY);
    }
    (what, if start == "random" { 0.0 } else { strain(&world, &mesh) })
}

/// Largest change of the length of an edge, in parts of the size of the body.
fn strain(world: &World, mesh: &TetMesh) -> f64 {
    let (x, rest) = (&world.state().positions, &mesh.vertices);
    let edges = mesh.tets.iter().flat_map(|t| EDGES.map(|e| e.map(|i| t[i] as usize)));
    let change = |[a, b]: [usize; 2]| (x[a].distance(x[b]) - rest[a].distance(rest[b])).abs();
    edges.map(change).fold(0.0, f64::max) / world.system().size()
}

fn default_solver() -> SolverConfig {
    SolverConfig::LocalGlobal(LocalGlobalConfig::default())
}

fn law(law: Law, youngs: f64, poisson: f64) -> Material {
    Material::new(law, youngs, poisson).expect("valid parameters")
}

fn pin(name: &str, vertices: &[u32], motion: Motion) -> Pin {
    Pin {
        name: name.into(),
        body: BodyId(0),
        vertices: vertices.to_vec(),
        motion,
        kind: PinKind::Hard,
        during: pliant::Interval::ALWAYS,
    }
}

fn floor() -> Obstacle {
    Obstacle::new("floor", Shape::Plane)
}
