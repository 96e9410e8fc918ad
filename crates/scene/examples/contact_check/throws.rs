//! Random throws: a small body, an obstacle in its way, and how both move.

use crate::distance::Checked;
use crate::random::Random;
use pliant::{Bending, BendingKind, Body, DMat3, DVec3, Law, Material, Model, Motion, Obstacle, Pose, Shape};
use pliant_mesh::{Aabb, Mesh, Transform, TriMesh, ball, block, cloth, cloth_cells, sphere_surface};
use pliant_meshing::{MeshSize, MesherOptions, bodies, tetrahedralize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// All kinds of obstacles.
pub const OBSTACLES: [&str; 17] = [
    "plane",
    "plate",
    "block",
    "sphere",
    "capsule",
    "rod",
    "disc",
    "pole",
    "drum",
    "torus",
    "ring",
    "mesh_ball",
    "mesh_plate",
    "mesh_block",
    "spike",
    "sheet",
    "bowl",
];
const BODIES: [&str; 4] = ["ball", "cube", "cloth", "model"];
const MODELS: [&str; 4] = ["donut", "gingerbread_man", "liver", "wooper"];
const STEPS: [f64; 5] = [1e-3, 1.0 / 240.0, 0.01, 1.0 / 60.0, 1.0 / 30.0];
/// An obstacle turns by no more in a step, rad: the points of a body move straight in it.
const MOST_TURN: f64 = 0.05;

/// A throw and what was drawn for it.
pub struct Throw {
    pub what: String,
    pub obstacle: &'static str,
    pub body: &'static str,
    pub law: Law,
    pub youngs: f64,
    pub speed: f64,
    pub steps: usize,
    pub model: Model,
    /// Velocity and turning of the obstacle about the origin.
    pub velocity: DVec3,
    pub turning: DVec3,
}

impl Throw {
    /// The throw of this seed.
    pub fn new(seed: u64) -> Throw {
        let mut random = Random::new(seed);
        let obstacle = random.pick(&OBSTACLES);
        let body_kind = random.pick(&BODIES);
        let motion = random.pick(&["still", "moving", "turning"]);
        let speed = random.scale(1.0, 300.0);
        let youngs = random.scale(1e4, 1e8);
        let poisson = random.pick(&[0.0, 0.3, 0.45]);
        let law = if random.count(0, 1) == 0 { Law::NeoHookean } else { random.pick(&Law::ALL) };
        let (dt, steps) = (random.pick(&STEPS), random.count(30, 60));
        let friction = random.between(-0.5, 1.0).max(0.0);

        let (shape, half_thickness) = shape(obstacle, &mut random);
        let placement = Pose { rotation: random.rotation(), translation: DVec3::ZERO };
        let velocity =
            if motion == "moving" { random.scale(0.3, 30.0) * random.direction() } else { DVec3::ZERO };
        let rate = if motion == "turning" { random.between(-MOST_TURN, MOST_TURN) / dt } else { 0.0 };
        let turning = rate * random.direction();
        let material = Material::new(law, youngs, poisson).expect("valid parameters");
        let mut body = self::body(body_kind, material, &mut random);
        body.friction = friction;

        let (aim, direction) = way(obstacle, &shape, &mut random);
        let (aim, direction) = (placement.place(aim), placement.turn(direction));
        let start = start(&shape, &placement, (aim, direction), &body);
        let flight = random.between(0.3, 3.0) * speed * dt;
        let rotation = random.rotation();
        place(&mut body, rotation, start - flight * direction);
        body.velocity = velocity + speed * direction;
        if random.count(0, 2) == 0 {
            body.angular_velocity = random.between(0.0, MOST_TURN) / dt * random.direction();
        }
        let what = format!(
            "{seed}: {body_kind} ({} vertices, size {:.3}) at {obstacle} (half {half_thickness:.4}) {motion}, \
             {speed:.1} m/s, {} E {youngs:.1e} nu {poisson}, dt {dt:.4}, friction {friction:.2}",
            body.mesh.vertices().len(),
            Aabb::around(body.mesh.vertices()).diagonal(),
            law.name(),
        );
        let stop = f64::INFINITY;
        let motion = match motion {
            "moving" => Motion::Velocity { velocity, start: 0.0, stop },
            "turning" => {
                let (point, axis, rate) = (DVec3::ZERO, turning, turning.length());
                Motion::Rotation { point, axis, rate, start: 0.0, stop }
            }
            _ => Motion::Fixed,
        };
        // Gravity and turning together have no energy that is kept.
        let gravity = if turning == DVec3::ZERO { Model::default().gravity } else { DVec3::ZERO };
        let name = obstacle.to_string();
        let obstacles = vec![Obstacle { name, shape, placement, motion, friction: None, matchstick: None }];
        let model = Model { dt, gravity, bodies: vec![body], obstacles, ..Model::default() };
        Throw { what, obstacle, body: body_kind, law, youngs, speed, steps, model, velocity, turning }
    }
}

/// A shape of a kind and half of its least thickness.
fn shape(kind: &str, random: &mut Random) -> (Shape, f64) {
    let thin = random.scale(1e-3, 1e-2);
    match kind {
        "plate" => (Shape::Box { half: DVec3::new(1.0, 1.0, thin) }, thin),
        "block" => {
            let half = DVec3::from(std::array::from_fn(|_| random.between(0.05, 0.5)));
            (Shape::Box { half }, half.min_element())
        }
        "sphere" => round(random.between(0.05, 0.5), |radius| Shape::Sphere { radius }),
        "capsule" => {
            let half_length = random.between(0.1, 0.6);
            round(random.between(0.05, 0.3), |radius| Shape::Capsule { radius, half_length })
        }
        "rod" => round(random.scale(0.005, 0.03), |radius| Shape::Capsule { radius, half_length: 1.0 }),
        "disc" => (Shape::Cylinder { radius: 1.0, half_length: thin }, thin),
        "pole" => round(random.scale(0.005, 0.05), |radius| Shape::Cylinder { radius, half_length: 1.0 }),
        "drum" => {
            let half_length = random.between(0.1, 0.4);
            let (shape, radius) =
                round(random.between(0.1, 0.4), |radius| Shape::Cylinder { radius, half_length });
            (shape, radius.min(half_length))
        }
        "torus" => {
            let major = random.between(0.2, 0.5);
            round(random.between(0.05, 0.15), |minor| Shape::Torus { major, minor })
        }
        "ring" => {
            let major = random.between(0.2, 0.5);
            round(random.scale(0.005, 0.03), |minor| Shape::Torus { major, minor })
        }
        "mesh_ball" => {
            let radius = random.between(0.05, 0.5);
            (Shape::Mesh(sphere_surface(radius, 2).expect("a valid radius")), 0.9 * radius)
        }
        "mesh_plate" => closed_block([2.0, 2.0, 2.0 * thin], [random.count(1, 6), random.count(1, 6), 1]),
        "mesh_block" => closed_block([random.between(0.1, 0.6), random.between(0.1, 0.6), 0.4], [2, 3, 2]),
        "spike" => spike(random.between(0.02, 0.05), random.between(0.2, 0.5)),
        "sheet" => {
            let cells = [random.count(1, 12), random.count(1, 12)];
            let mut mesh = cloth_cells([2.0, 2.0], cells).expect("a valid size");
            mesh.vertices.iter_mut().for_each(|v| *v -= DVec3::new(1.0, 1.0, 0.0));
            (Shape::Mesh(mesh), 0.0)
        }
        "bowl" => {
            let mut mesh = sphere_surface(random.between(0.3, 0.6), 3).expect("a valid radius");
            let vertices = mesh.vertices.clone();
            mesh.triangles.retain(|t| t.iter().all(|&v| vertices[v as usize].z < 1e-9));
            (Shape::Mesh(without_unused(mesh)), 0.0)
        }
        _ => (Shape::Plane, f64::INFINITY),
    }
}

fn round(radius: f64, shape: impl Fn(f64) -> Shape) -> (Shape, f64) {
    (shape(radius), radius)
}

fn closed_block(size: [f64; 3], cells: [usize; 3]) -> (Shape, f64) {
    let mut mesh = block(size, cells).expect("a valid size").surface();
    mesh.vertices.iter_mut().for_each(|v| *v -= 0.5 * DVec3::from(size));
    let least = size.into_iter().fold(f64::INFINITY, f64::min);
    (Shape::Mesh(mesh), 0.5 * least)
}

fn spike(radius: f64, height: f64) -> (Shape, f64) {
    let corner = |k: f64| DVec3::new(radius * (k * 2.094).cos(), radius * (k * 2.094).sin(), -0.5 * height);
    let vertices = vec![DVec3::new(0.0, 0.0, 0.5 * height), corner(0.0), corner(1.0), corner(2.0)];
    let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
    (Shape::Mesh(TriMesh { vertices, triangles, groups: BTreeMap::new() }), 0.2 * radius)
}

fn without_unused(mesh: TriMesh) -> TriMesh {
    let mut vertices = Vec::new();
    let mut names = BTreeMap::new();
    let mut name = |v: u32| {
        *names.entry(v).or_insert_with(|| {
            vertices.push(mesh.vertices[v as usize]);
            vertices.len() as u32 - 1
        })
    };
    let triangles = mesh.triangles.iter().map(|t| t.map(&mut name)).collect();
    TriMesh { vertices, triangles, groups: BTreeMap::new() }
}

/// A small body of a kind.
fn body(kind: &'static str, material: Material, random: &mut Random) -> Body {
    let size = random.between(0.08, 0.3);
    let mesh = match kind {
        "ball" => Mesh::Tet(ball(0.5 * size, random.count(3, 6)).expect("a valid radius")),
        "cube" => {
            let cells = std::array::from_fn(|_| random.count(2, 5));
            Mesh::Tet(block([0.6 * size; 3], cells).expect("a valid size"))
        }
        "cloth" => Mesh::Tri(cloth([2.0 * size; 2], random.count(6, 14)).expect("a valid size")),
        _ => modelled(random.pick(&MODELS), size),
    };
    let mut body = Body::new("body", mesh, material);
    if kind == "cloth" {
        body.density = 300.0;
        body.thickness = random.pick(&[1e-3, 2e-3]);
        body.bending = Some(Bending { kind: BendingKind::Isometric, stiffness: random.scale(1e-6, 1e-4) });
    }
    body
}

/// A modelled body of a few hundred vertices; each is meshed once.
fn modelled(name: &'static str, size: f64) -> Mesh {
    static MESHES: Mutex<BTreeMap<&str, Mesh>> = Mutex::new(BTreeMap::new());
    let mut meshes = MESHES.lock().unwrap_or_else(PoisonError::into_inner);
    let mesh = meshes.entry(name).or_insert_with(|| {
        let solid = bodies::body(name).expect("a known body").compile().expect("a valid shape");
        let options = MesherOptions { keep_features: false, ..MesherOptions::new(MeshSize::Vertices(250)) };
        Mesh::Tet(tetrahedralize(&solid, &options).expect("a body that can be meshed").mesh)
    });
    let mut mesh = mesh.clone();
    mesh.transform(&Transform::scaling(size)).expect("a valid scale");
    mesh
}

/// Where the body is aimed at and the direction it comes in, in the obstacle's coordinates.
fn way(kind: &str, shape: &Shape, random: &mut Random) -> (DVec3, DVec3) {
    let mut near = |reach: f64| random.between(-reach, reach);
    let aim = match (kind, shape) {
        ("plane", _) => DVec3::ZERO,
        ("plate" | "disc" | "mesh_plate" | "sheet", _) => DVec3::new(near(0.3), near(0.3), 0.0),
        ("rod" | "pole", _) => DVec3::new(0.0, 0.0, near(0.5)),
        (_, Shape::Torus { major, .. }) => *major * DVec3::new(near(1.0), 0.3, 0.0).normalize(),
        ("bowl", _) => DVec3::new(near(0.1), near(0.1), -0.3),
        _ => DVec3::new(near(0.04), near(0.04), near(0.04)),
    };
    let mut direction = random.direction();
    match kind {
        "plane" | "bowl" => direction.z = -direction.z.abs() - 0.3,
        // Not along a thin thing.
        "plate" | "disc" | "mesh_plate" | "sheet" => direction.z += 0.3 * direction.z.signum(),
        "rod" | "pole" => direction.z *= 0.3,
        _ => {}
    }
    (aim, direction.normalize())
}

/// Where the middle of the body is free of the obstacle, against the direction from the aim.
fn start(shape: &Shape, pose: &Pose, (aim, direction): (DVec3, DVec3), body: &Body) -> DVec3 {
    let radius = 0.5 * Aabb::around(body.mesh.vertices()).diagonal() + 0.005;
    let Some(obstacle) = Checked::new(shape) else { return aim };
    let distance = |p: DVec3| match &obstacle {
        Checked::Solid(field) => field.at(p).distance,
        Checked::Sheet { tree, .. } => tree.closest(p).map_or(f64::INFINITY, |c| c.distance_sq.sqrt()),
    };
    let ways = (0..2000).map(|k| aim - 0.01 * f64::from(k) * direction);
    let is_free = |p: &DVec3| distance(pose.local(*p)) > radius;
    ways.into_iter().find(is_free).unwrap_or(aim)
}

/// Turns the body and puts its middle at a place.
fn place(body: &mut Body, rotation: DMat3, middle: DVec3) {
    let mut mesh = Mesh::clone(&body.mesh);
    let center = Aabb::around(mesh.vertices()).center();
    mesh.vertices_mut().iter_mut().for_each(|v| *v = middle + rotation * (*v - center));
    body.mesh = Arc::new(mesh);
}
