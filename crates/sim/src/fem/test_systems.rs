//! Small systems for tests: a block of tets, and one with everything that stores energy.

use super::System;
use crate::material::{Law, Material};
use crate::model::{Bending, BendingKind, Body, Damping, Load, LoadKind, Model, Pin, PinKind};
use crate::motion::Motion;
use pliant_collide::BodyId;
use pliant_mesh::Mesh;

/// A block of `cells` cubes of edge 0.1 m with a corner at the origin, E = 1e5 Pa, water density, nothing pinned.
pub(crate) fn block(law: Law, poisson: f64, cells: [usize; 3]) -> System {
    build(Model { bodies: vec![block_body(law, poisson, cells)], ..Model::default() })
}

/// A block with damping, a soft pin and an inner pressure, and a curved cloth of the same law with bending, damping
/// and a pressure on its open surface of `cloth_pressure` Pa.
pub(crate) fn everything(law: Law, poisson: f64, cloth_pressure: f64) -> System {
    let mut solid = block_body(law, poisson, [2, 1, 1]);
    solid.damping = Damping { mass: 0.4, stiffness: 0.01, ..Damping::default() };
    let mut mesh = pliant_mesh::cloth([0.2, 0.1], 2).expect("valid sizes");
    for p in &mut mesh.vertices {
        p.z = 0.3 + 2.0 * p.x * p.x;
    }
    let mut cloth = Body::new("cloth", Mesh::Tri(mesh), Material { law, youngs: 1e6, poisson });
    cloth.bending = Some(Bending { kind: BendingKind::Isometric, stiffness: 1e-2 });
    cloth.damping = Damping { mass: 0.2, stiffness: 0.02, ..Damping::default() };
    let pin = Pin {
        name: "pin".into(),
        body: BodyId(0),
        vertices: vec![1],
        motion: Motion::Fixed,
        kind: PinKind::Soft(200.0),
        during: crate::model::Interval::ALWAYS,
    };
    let pressure = |body: BodyId, value: f64| Load {
        name: format!("pressure {body}"),
        body,
        kind: LoadKind::Pressure { value: value.into() },
        ramp: 0.0,
        during: crate::model::Interval::ALWAYS,
    };
    let loads = vec![pressure(BodyId(0), 3e3), pressure(BodyId(1), cloth_pressure)];
    build(Model { bodies: vec![solid, cloth], pins: vec![pin], loads, ..Model::default() })
}

fn block_body(law: Law, poisson: f64, cells: [usize; 3]) -> Body {
    let mesh = pliant_mesh::block(cells.map(|c| 0.1 * c as f64), cells).expect("valid sizes");
    Body::new("block", Mesh::Tet(mesh), Material { law, youngs: 1e5, poisson })
}

fn build(model: Model) -> System {
    System::build(&model).expect("a valid model")
}
