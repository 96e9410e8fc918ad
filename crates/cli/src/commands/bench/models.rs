//! The bars and cloths of Zeng25's tables, for the measurements that need no scene file.

use crate::failure::Failure;
use pliant::{Bending, Body, BodyId, DVec3, Law, Material, Model, Motion, Pin, PinKind};
use pliant_mesh::{Mesh, block, cloth};

/// Name and cells across of the twisting bars.
pub const BARS: [(&str, usize); 3] = [("5k", 13), ("11k", 17), ("21k", 21)];

/// Name and cells along a side of the cloths.
pub const CLOTHS: [(&str, usize); 4] = [("5.1k", 50), ("10.2k", 71), ("15.3k", 87), ("20.2k", 100)];

/// The twisting bar with so many cells across, E = 1e9, nu = 0.45.
pub fn bar(cells: usize, law: Law) -> Result<Model, Failure> {
    let mesh =
        block([0.1, 0.1, 0.2], [cells, cells, 2 * cells]).map_err(|e| Failure::other(e.to_string()))?;
    let pin = |name: &str, group: &str, rate: f64| Pin {
        name: name.to_string(),
        body: BodyId(0),
        vertices: mesh.groups.get(group).map(|g| g.vertices.clone()).unwrap_or_default(),
        motion: Motion::Rotation {
            point: DVec3::new(0.05, 0.05, 0.0),
            axis: DVec3::Z,
            rate,
            start: 0.0,
            stop: f64::INFINITY,
        },
        kind: PinKind::Hard,
        during: pliant::Interval::ALWAYS,
    };
    let quarter_turn = std::f64::consts::FRAC_PI_2;
    let pins = vec![pin("bottom", "z_min", -quarter_turn), pin("top", "z_max", quarter_turn)];
    let body = Body::new("bar", Mesh::Tet(mesh), Material { law, youngs: 1e9, poisson: 0.45 });
    Ok(Model { gravity: DVec3::ZERO, bodies: vec![body], pins, ..Model::default() })
}

/// The bar without pins, as in the memory tables.
pub fn free_bar(cells: usize) -> Result<Model, Failure> {
    Ok(Model { pins: Vec::new(), ..bar(cells, Law::Arap)? })
}

/// A square cloth with so many cells along a side.
pub fn free_cloth(cells: usize, bending: Option<Bending>) -> Result<Model, Failure> {
    let mesh = cloth([1.0, 1.0], cells).map_err(|e| Failure::other(e.to_string()))?;
    let material = Material { law: Law::Arap, youngs: 1e5, poisson: 0.45 };
    let body = Body { bending, ..Body::new("cloth", Mesh::Tri(mesh), material) };
    Ok(Model { bodies: vec![body], ..Model::default() })
}
