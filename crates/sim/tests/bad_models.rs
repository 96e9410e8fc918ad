//! Every model that cannot be simulated is refused with an error that names the cause and the place.

use crate::common::{hard, local_global, material, newton};
use pliant::solver::GlobalSolve;
use pliant::{
    Bending, BendingKind, Body, BodyId, DVec3, EntryKind, Law, Load, LoadKind, LocalGlobalConfig, Material,
    Model, ModelError, Motion, NewtonConfig, PinKind, SolverConfig, World,
};
use pliant_mesh::{Group, Mesh};
use std::sync::Arc;

/// A good model: a pinned block `cube` and a cloth `flag`, with loads.
fn good() -> Model {
    let mesh = pliant_mesh::block([1.0; 3], [2; 3]).expect("valid sizes");
    let floor = mesh.groups["z_min"].vertices.clone();
    let cube = Body::new("cube", Mesh::Tet(mesh), material(Law::NeoHookean, 1e5, 0.3));
    let mesh = pliant_mesh::cloth([1.0; 2], 2).expect("valid sizes");
    let flag = Body::new("flag", Mesh::Tri(mesh), material(Law::Arap, 1e5, 0.3));
    let load = |name: &str, kind| Load {
        name: name.into(),
        body: BodyId(0),
        kind,
        ramp: 0.0,
        during: pliant::Interval::ALWAYS,
    };
    Model {
        bodies: vec![cube, flag],
        pins: vec![hard("floor", &floor, Motion::Fixed), hard("corner", &[26], Motion::Fixed)],
        loads: vec![
            load("push", LoadKind::Force { vertices: vec![25], total: DVec3::X.into() }),
            load("air", LoadKind::Pressure { value: 10.0.into() }),
        ],
        ..Model::default()
    }
}

/// The error of the good model after `change`.
fn error(change: impl FnOnce(&mut Model)) -> ModelError {
    let mut model = good();
    change(&mut model);
    World::new(model, SolverConfig::default()).expect_err("a bad model")
}

/// Checks that the message is one line with all the `words`.
fn says(error: &ModelError, words: &[&str]) {
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

fn cube_mesh(model: &mut Model) -> &mut pliant_mesh::TetMesh {
    match Arc::make_mut(&mut model.bodies[0].mesh) {
        Mesh::Tet(mesh) => mesh,
        Mesh::Tri(_) => unreachable!("the cube is solid"),
    }
}

#[test]
fn the_good_model_is_good() {
    for config in [SolverConfig::default(), newton()] {
        let mut world = World::new(good(), config).expect("a good model");
        world.step().expect("a good step");
    }
}

#[test]
fn time_step() {
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let e = error(|m| m.dt = dt);
        assert!(matches!(e, ModelError::TimeStep(_)), "{e:?}");
        says(&e, &["time step", "positive", &dt.to_string()]);
    }
}

#[test]
fn empty_model() {
    let e = error(|m| m.bodies.clear());
    assert!(matches!(e, ModelError::Empty), "{e:?}");
    says(&e, &["no body"]);
}

#[test]
fn material_parameters() {
    let with = |law, youngs, poisson| error(|m| m.bodies[0].materials[0] = Material { law, youngs, poisson });
    for youngs in [-1e5, 0.0, f64::NAN, f64::INFINITY] {
        let e = with(Law::Arap, youngs, 0.3);
        assert!(matches!(e, ModelError::Material { .. }), "{e:?}");
        says(&e, &["`cube`", "Young's modulus", &youngs.to_string()]);
    }
    for poisson in [0.5, 0.7, -1.0, f64::NAN] {
        let e = with(Law::StVenantKirchhoff, 1e5, poisson);
        says(&e, &["`cube`", "Poisson's ratio", &poisson.to_string()]);
    }
    says(&with(Law::NeoHookean, 1e5, -0.2), &["`cube`", "-0.2", "neo_hookean"]);
    // The second material of the second body.
    let bad = Material { law: Law::Arap, youngs: -3.0, poisson: 0.3 };
    says(&error(|m| m.bodies[1].materials.push(bad)), &["`flag`", "-3"]);
}

#[test]
fn numbers_of_a_body() {
    let value = |change: fn(&mut Body), words: &[&str]| {
        let e = error(|m| change(&mut m.bodies[1]));
        assert!(matches!(e, ModelError::Value { .. }), "{e:?}");
        says(&e, &["`flag`"]);
        says(&e, words);
    };
    value(|b| b.density = 0.0, &["density = 0", "positive"]);
    value(|b| b.density = f64::NAN, &["density = NaN"]);
    value(|b| b.thickness = 0.0, &["thickness = 0", "positive"]);
    value(|b| b.thickness = -1e-3, &["thickness = -0.001"]);
    let bending = |stiffness| Some(Bending { kind: BendingKind::Isometric, stiffness });
    let e = error(|m| m.bodies[1].bending = bending(-1.0));
    says(&e, &["`flag`", "bending stiffness = -1"]);
    value(|b| b.damping.mass = -0.1, &["mass damping = -0.1"]);
    value(|b| b.damping.stiffness = f64::INFINITY, &["stiffness damping = inf"]);
    value(|b| b.velocity.y = f64::NAN, &["velocity = NaN"]);
    value(|b| b.angular_velocity.z = f64::INFINITY, &["velocity = inf"]);
    says(&error(|m| m.gravity.z = f64::NAN), &["gravity = NaN"]);
}

#[test]
fn thickness_of_a_solid_does_not_matter() {
    let mut model = good();
    model.bodies[0].thickness = 0.0;
    World::new(model, SolverConfig::default()).expect("a solid has no thickness");
}

#[test]
fn meshes() {
    let mesh = |change: fn(&mut Model), words: &[&str]| {
        let e = error(change);
        assert!(matches!(e, ModelError::Mesh { .. }), "{e:?}");
        says(&e, &["`cube`"]);
        says(&e, words);
    };
    mesh(|m| cube_mesh(m).tets[5].swap(0, 1), &["1 of 48 tets", "inverted", "tet 5"]);
    mesh(|m| cube_mesh(m).tets.clear(), &["no tets"]);
    mesh(|m| cube_mesh(m).tets[3][2] = 99, &["tet 3", "vertex 99"]);
    mesh(|m| cube_mesh(m).vertices[4].x = f64::NAN, &["vertex 4", "NaN"]);
    mesh(|m| cube_mesh(m).vertices.push(DVec3::splat(5.0)), &["vertex 27", "no element"]);
    let bad = Group { vertices: vec![77], elements: vec![] };
    let e = error(|m| drop(cube_mesh(m).groups.insert("tip".into(), bad)));
    says(&e, &["`cube`", "`tip`", "77"]);
    // Three triangles at one edge cannot bend.
    let e = error(|m| {
        let Mesh::Tri(flag) = Arc::make_mut(&mut m.bodies[1].mesh) else {
            unreachable!("the flag is a cloth")
        };
        flag.vertices.push(DVec3::new(0.3, 0.3, 1.0));
        let [a, b, _] = flag.triangles[1];
        flag.triangles.push([a, b, 13]);
        let [a, b, _] = flag.triangles[0];
        flag.triangles.push([a, b, 13]);
        let centre = flag.triangles[0][2];
        flag.triangles.push([b, centre, 13]);
        m.bodies[1].bending = Some(Bending { kind: BendingKind::Isometric, stiffness: 1.0 });
    });
    says(&e, &["`flag`", "edge", "3 triangles"]);
}

#[test]
fn materials_and_start_of_a_body() {
    let mesh = |change: fn(&mut Body), words: &[&str]| {
        let e = error(|m| change(&mut m.bodies[0]));
        assert!(matches!(e, ModelError::Mesh { .. }), "{e:?}");
        says(&e, &["`cube`"]);
        says(&e, words);
    };
    mesh(|b| b.materials.clear(), &["no material"]);
    mesh(|b| b.material_of = vec![0; 47], &["47 material indices", "48 elements"]);
    mesh(|b| b.material_of = vec![1; 48], &["material 1 does not exist"]);
    mesh(|b| b.start = Some(vec![DVec3::ZERO; 26]), &["start positions", "one for each vertex"]);
    mesh(|b| b.start = Some(vec![DVec3::NAN; 27]), &["start positions", "finite"]);
}

#[test]
fn pins() {
    let pin = |change: fn(&mut pliant::Pin), words: &[&str]| {
        let e = error(|m| change(&mut m.pins[1]));
        assert!(matches!(e, ModelError::Entry { kind: EntryKind::Pin, .. }), "{e:?}");
        says(&e, &["pin `corner`"]);
        says(&e, words);
    };
    pin(|p| p.vertices = vec![3, 27], &["vertex 27", "`cube`", "27"]);
    pin(|p| p.vertices.clear(), &["no vertex"]);
    pin(|p| p.vertices = vec![26, 8], &["vertex 8", "already", "`floor`"]);
    pin(|p| p.vertices = vec![26, 26], &["vertex 26", "already", "`corner`"]);
    pin(|p| p.body = BodyId(2), &["body 2 does not exist", "2"]);
    pin(|p| p.kind = PinKind::Soft(-5.0), &["stiffness = -5", "positive"]);
    pin(|p| p.kind = PinKind::Soft(f64::NAN), &["stiffness = NaN"]);
}

#[test]
fn loads() {
    let load = |index: usize, change: fn(&mut Load), words: &[&str]| {
        let e = error(|m| change(&mut m.loads[index]));
        assert!(matches!(e, ModelError::Entry { kind: EntryKind::Load, .. }), "{e:?}");
        says(&e, words);
    };
    let force = |vertices: Vec<u32>, total: DVec3| LoadKind::Force { vertices, total: total.into() };
    let e = error(|m| m.loads[0].kind = force(vec![30], DVec3::ONE));
    says(&e, &["load `push`", "vertex 30", "`cube`"]);
    let e = error(|m| m.loads[0].kind = force(vec![], DVec3::ONE));
    says(&e, &["load `push`", "no vertex"]);
    let e = error(|m| m.loads[0].kind = force(vec![1], DVec3::NAN));
    says(&e, &["load `push`", "force", "finite"]);
    load(0, |l| l.ramp = -1.0, &["load `push`", "ramp = -1"]);
    load(0, |l| l.body = BodyId(9), &["load `push`", "body 9"]);
    load(
        1,
        |l| l.kind = LoadKind::Pressure { value: f64::INFINITY.into() },
        &["load `air`", "pressure = inf"],
    );
    load(1, |l| l.body = BodyId(5), &["load `air`", "body 5"]);
}

type Change = fn(&mut LocalGlobalConfig);

#[test]
fn solver_settings() {
    let refused = |config: SolverConfig| World::new(good(), config).expect_err("bad settings");
    for (iterations, tolerance) in [(0, 1e-10), (10, f64::NAN), (10, 0.0)] {
        let e = refused(SolverConfig::Newton(NewtonConfig { iterations, tolerance }));
        assert!(matches!(e, ModelError::Solver { solver: "newton", .. }), "{e:?}");
        says(&e, &["`newton`"]);
    }
    let changes: [(Change, &str); 7] = [
        (|c| c.iterations = 0.into(), "iterations"),
        (|c| c.tolerance = -1.0, "tolerance = -1"),
        (|c| c.tolerance = f64::NAN, "tolerance = NaN"),
        (|c| c.weight_scale = 0.0, "weight_scale = 0"),
        (|c| c.weight_scale = f64::NAN, "weight_scale = NaN"),
        (|c| c.global = GlobalSolve::Chebyshev(1.0), "spectral_radius = 1"),
        (|c| c.global = GlobalSolve::Chebyshev(f64::NAN), "spectral_radius = NaN"),
    ];
    for (change, word) in changes {
        let e = refused(local_global(change));
        assert!(matches!(e, ModelError::Solver { solver: "local_global", .. }), "{e:?}");
        says(&e, &["`local_global`", word]);
    }
}
