//! Shorthands that several test files share: settings, pins, models, measures.
#![allow(dead_code)] // each test file is a crate of its own and uses a part of this

use pliant::solver::{ImplicitFeConfig, IterationKind};
use pliant::{
    AdmmConfig, BarrierConfig, Body, BodyId, Law, LocalGlobalConfig, Material, Model, Motion, NewtonConfig,
    Obstacle, Pin, PinKind, Pose, Shape, SolverConfig, World,
};
use pliant_mesh::{DVec3, Mesh, TetMesh, TriMesh};

/// Local-global with changed settings.
pub fn local_global(change: impl FnOnce(&mut LocalGlobalConfig)) -> SolverConfig {
    let mut config = LocalGlobalConfig::default();
    change(&mut config);
    SolverConfig::LocalGlobal(config)
}

/// Local-global with the Newton iteration and changed settings.
pub fn newton_cg(change: impl FnOnce(&mut LocalGlobalConfig)) -> SolverConfig {
    local_global(|c| {
        c.iteration = IterationKind::NewtonCg;
        change(c);
    })
}

/// ADMM with changed settings.
pub fn admm(change: impl FnOnce(&mut AdmmConfig)) -> SolverConfig {
    let mut config = AdmmConfig::default();
    change(&mut config);
    SolverConfig::Admm(config)
}

/// Implicit finite elements with changed settings.
pub fn implicit_fe(change: impl FnOnce(&mut ImplicitFeConfig)) -> SolverConfig {
    let mut config = ImplicitFeConfig::default();
    change(&mut config);
    SolverConfig::ImplicitFe(config)
}

/// The barrier with changed settings.
pub fn barrier(change: impl FnOnce(&mut BarrierConfig)) -> SolverConfig {
    let mut config = BarrierConfig::default();
    change(&mut config);
    SolverConfig::Barrier(config)
}

/// Newton's method to convergence.
pub fn newton() -> SolverConfig {
    SolverConfig::Newton(NewtonConfig::default())
}

/// A material whose parameters are known to be valid.
pub fn material(law: Law, youngs: f64, poisson: f64) -> Material {
    Material::new(law, youngs, poisson).expect("valid parameters")
}

/// A solid at rest.
pub fn solid(mesh: TetMesh, material: Material) -> Body {
    Body::new("solid", Mesh::Tet(mesh), material)
}

/// A cloth at rest, 1 mm thick.
pub fn sheet(mesh: TriMesh, material: Material) -> Body {
    Body::new("sheet", Mesh::Tri(mesh), material)
}

/// A pin of the first body that holds its vertices exactly.
pub fn hard(name: &str, vertices: &[u32], motion: Motion) -> Pin {
    Pin {
        name: name.into(),
        body: BodyId(0),
        vertices: vertices.to_vec(),
        motion,
        kind: PinKind::Hard,
        during: pliant::Interval::ALWAYS,
    }
}

/// The ground: the plane z = 0.
pub fn floor() -> Obstacle {
    Obstacle {
        name: "floor".into(),
        shape: Shape::Plane,
        placement: Pose::IDENTITY,
        motion: Motion::Fixed,
        friction: None,
        matchstick: None,
    }
}

/// A bar 0.1 x 0.1 x 0.2 m whose ends turn against each other, a quarter turn per second each.
pub fn twisting_bar(material: Material, cells: [usize; 3]) -> Model {
    let mesh = pliant_mesh::block([0.1, 0.1, 0.2], cells).expect("valid sizes");
    let ends = [mesh.groups["z_min"].vertices.clone(), mesh.groups["z_max"].vertices.clone()];
    let turn = |rate| Motion::Rotation {
        point: DVec3::new(0.05, 0.05, 0.0),
        axis: DVec3::Z,
        rate,
        start: 0.0,
        stop: f64::INFINITY,
    };
    let rate = std::f64::consts::FRAC_PI_2;
    Model {
        gravity: DVec3::ZERO,
        bodies: vec![solid(mesh, material)],
        pins: vec![hard("bottom", &ends[0], turn(-rate)), hard("top", &ends[1], turn(rate))],
        ..Model::default()
    }
}

/// A world that must be buildable.
pub fn world(model: &Model, config: &SolverConfig) -> World {
    World::new(model.clone(), config.clone()).expect("a valid model")
}

/// Takes steps that must succeed.
pub fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step().expect("a good step");
    }
}

/// Largest distance of two vertices with the same index.
pub fn largest_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, &b)| a.distance(b)).fold(0.0, |m, d| if d <= m { m } else { d })
}

/// Runs `job` on a pool of `threads` threads.
pub fn on_threads<T: Send>(threads: usize, job: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(job)
}
