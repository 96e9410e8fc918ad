//! Bodies that are filled with tets: modelled ones, shapes of a scene file, the inside of a surface.

use super::mesh_file::MeshFiles;
use super::placement::placement;
use crate::error::Fault;
use crate::file::spec::{GeneratorSpec, MeshSpec, ShapeSpec};
use pliant_mesh::{DVec3, Group, Mesh, TriMesh};
use pliant_meshing::{
    MeshSize, MesherOptions, ShapeSolid, ShapeTree, Solid, bodies, tetrahedralize, tetrahedralize_surface,
};

/// Most tets that a scene fills a body with each time it is read: about a minute of work. A finer mesh is made once, as a file.
const MOST_TETS: usize = 500_000;

/// Fills the body of a generator with tets.
pub(super) fn filled(g: &GeneratorSpec, files: MeshFiles) -> Result<Mesh, Fault> {
    let size = match g.fineness() {
        Some((Some(n), ..)) => MeshSize::Vertices(n),
        Some((_, Some(n), _)) => MeshSize::Tets(n),
        Some((.., Some(edge))) => MeshSize::Edge(edge),
        _ => return Err(Fault::new("the fineness is missing", "write vertices, tets or edge")),
    };
    match g {
        GeneratorSpec::Body { name, size: extent, .. } => fill(&modelled(name, *extent)?, size),
        GeneratorSpec::Shape { shape, .. } => fill(&compiled(&tree(shape))?, size),
        GeneratorSpec::Garment { shape, open, .. } => {
            fill(&compiled(&tree(shape))?, size).and_then(|solid| garment(solid, open))
        }
        GeneratorSpec::Tetrahedralize { file, .. } => fill_surface(file, files, size),
        _ => Err(Fault::new("the generator makes cells, not a body to fill", "")),
    }
}

/// The surface of a body as a cloth, without the triangles that lie in one of the groups `open`.
fn garment(solid: Mesh, open: &[String]) -> Result<Mesh, Fault> {
    let Mesh::Tet(solid) = solid else { return Ok(solid) };
    let TriMesh { vertices, mut triangles, mut groups } = solid.surface();
    for name in open {
        let Some(group) = groups.get(name) else {
            let remedy = "name a group of its `shape` that reaches the surface";
            return Err(Fault::new(format!("there is no group `{name}` to leave open"), remedy));
        };
        triangles.retain(|t| !t.iter().all(|v| group.vertices.binary_search(v).is_ok()));
    }
    if triangles.is_empty() {
        return Err(Fault::new("nothing is left between its openings", "make the groups in `open` smaller"));
    }
    // Groups keep their vertices: those of an opening are its rim.
    groups.values_mut().for_each(|group| *group = Group { elements: Vec::new(), ..group.clone() });
    let mut cloth = Mesh::Tri(TriMesh { vertices, triangles, groups });
    cloth.tidy();
    Ok(cloth)
}

/// A modelled body whose largest extent is `extent`.
fn modelled(name: &str, extent: f64) -> Result<ShapeSolid, Fault> {
    let Some(shape) = bodies::body(name) else {
        return Err(Fault::new(format!("there is no modelled body `{name}`"), ""));
    };
    let largest = compiled(&shape)?.size().max_element();
    compiled(&shape.scaled(extent / largest))
}

/// The way of the cable through a modelled body, in the coordinates of its mesh.
pub(super) fn tendon(mesh: &MeshSpec) -> Result<Vec<DVec3>, Fault> {
    let MeshSpec::Generator(GeneratorSpec::Body { name, size, .. }) = mesh else {
        let remedy = "write the points, or use mesh = { kind = \"body\", name = \"gripper_finger\", ... }";
        return Err(Fault::new("only modelled bodies have a tendon", remedy));
    };
    let (Some(shape), "gripper_finger") = (bodies::body(name), name.as_str()) else {
        return Err(Fault::new(format!("the body `{name}` has no tendon"), "the gripper_finger has one"));
    };
    let scale = size / compiled(&shape)?.size().max_element();
    Ok(bodies::gripper_finger_cable().into_iter().map(|x| scale * x).collect())
}

fn compiled(shape: &ShapeTree) -> Result<ShapeSolid, Fault> {
    shape.compile().map_err(Fault::from)
}

fn fill_surface(file: &str, files: MeshFiles, size: MeshSize) -> Result<Mesh, Fault> {
    let Mesh::Tri(surface) = files.read(file)? else {
        let remedy = format!("write mesh = \"{file}\" to use them");
        return Err(Fault::new(format!("`{file}` has tets already"), remedy));
    };
    let (low, high) = surface.bounds();
    let volume = (high - low).element_product();
    allow(size, || (volume, surface.area()))?;
    tetrahedralize_surface(&surface, &options(size)).map(|meshed| Mesh::Tet(meshed.mesh)).map_err(Fault::from)
}

fn fill(solid: &ShapeSolid, size: MeshSize) -> Result<Mesh, Fault> {
    allow(size, || volume_and_area(solid))?;
    tetrahedralize(solid, &options(size)).map(|meshed| Mesh::Tet(meshed.mesh)).map_err(Fault::from)
}

fn options(size: MeshSize) -> MesherOptions {
    // The estimate before was rough: what it lets pass may be a little more.
    MesherOptions { most_tets: 2 * MOST_TETS, ..MesherOptions::new(size) }
}

/// Refuses what cannot become small enough. The estimate is rough: what may fit is tried.
fn allow(size: MeshSize, volume_and_area: impl Fn() -> (f64, f64)) -> Result<(), Fault> {
    let expected = match size {
        MeshSize::Vertices(n) => 4.0 * n as f64,
        MeshSize::Tets(n) => n as f64,
        MeshSize::Edge(edge) => {
            // Twelve tets in a cell as wide as an edge, in four layers below the surface; few inside.
            let (volume, area) = volume_and_area();
            let fine = volume.min(4.0 * edge * area);
            6.0 * (fine + volume / 64.0) / edge.powi(3)
        }
    };
    if expected <= MOST_TETS as f64 {
        return Ok(());
    }
    let cause = format!(
        "the mesh would have about {expected:.1e} tets; a scene fills a body with {MOST_TETS} at most, which takes about a minute"
    );
    let remedy = "ask for fewer or for longer edges, or make the mesh once with `pliant mesh tetrahedralize` and name its file";
    Err(Fault::new(cause, remedy))
}

/// About the volume and the surface of a body, from samples.
fn volume_and_area(solid: &ShapeSolid) -> (f64, f64) {
    const SAMPLES: usize = 20;
    let (low, high) = solid.bounds();
    let step = (high - low) / SAMPLES as f64;
    let width = step.max_element();
    let (mut inside, mut shell) = (0.0, 0.0);
    for i in 0..SAMPLES * SAMPLES * SAMPLES {
        let index = [i % SAMPLES, i / SAMPLES % SAMPLES, i / SAMPLES / SAMPLES];
        let middle = DVec3::from(index.map(|n| n as f64 + 0.5));
        let distance = solid.signed_distance(low + middle * step);
        inside += f64::from(distance < 0.0);
        shell += f64::from(distance.abs() < 0.5 * width);
    }
    let cell = step.element_product();
    (inside * cell, shell * cell / width)
}

/// The tree of shapes that a scene file describes.
fn tree(s: &ShapeSpec) -> ShapeTree {
    let mut shape = plain(s);
    if let Some(axis) = s.symmetric {
        shape = shape.and_mirrored(axis.0.into());
    }
    if let Some(axis) = s.mirror {
        shape = shape.mirrored(axis.0.into());
    }
    for group in &s.groups {
        shape = shape.marked(group.name.clone().unwrap_or_default(), tree(group));
    }
    if let Some(t) = &s.transform {
        shape = shape.placed(placement(t));
    }
    match &s.name {
        Some(name) => shape.named(name.clone()),
        None => shape,
    }
}

/// A shape as its one kind says. The checks have seen that it has exactly one.
fn plain(s: &ShapeSpec) -> ShapeTree {
    let parts = |list: &[ShapeSpec]| list.iter().map(tree).collect();
    let blend = s.blend.unwrap_or(0.0);
    if let Some(x) = &s.sphere {
        ShapeTree::sphere(x.center.into(), x.radius)
    } else if let Some(x) = &s.capsule {
        ShapeTree::Capsule { ends: x.ends.map(DVec3::from), radii: [x.radius; 2] }
    } else if let Some(x) = &s.round_cone {
        ShapeTree::Capsule { ends: x.ends.map(DVec3::from), radii: x.radii }
    } else if let Some(balls) = &s.limb {
        let balls: Vec<_> = balls.iter().map(|&[x, y, z, radius]| (DVec3::new(x, y, z), radius)).collect();
        ShapeTree::limb(&balls)
    } else if let Some(x) = &s.cuboid {
        ShapeTree::Cuboid { center: x.center.into(), size: x.size.into(), rounding: x.rounding }
    } else if let Some(x) = &s.cylinder {
        ShapeTree::Cylinder { ends: x.ends.map(DVec3::from), radius: x.radius, rounding: x.rounding }
    } else if let Some(x) = &s.torus {
        ShapeTree::Torus { center: x.center.into(), axis: x.axis.0.into(), major: x.major, minor: x.minor }
    } else if let Some(x) = &s.ellipsoid {
        ShapeTree::ellipsoid(x.center.into(), x.radii.into())
    } else if let Some(x) = &s.extrusion {
        ShapeTree::Extrusion { outline: x.outline.clone(), thickness: x.thickness, rounding: x.rounding }
    } else if let Some(x) = &s.half_space {
        ShapeTree::HalfSpace { point: x.point.into(), normal: x.normal.into() }
    } else if let Some(list) = &s.intersection {
        ShapeTree::Intersection { parts: parts(list), blend }
    } else if let Some(list) = &s.difference {
        ShapeTree::Difference { parts: parts(list), blend }
    } else if let Some(shape) = s.body.as_deref().and_then(bodies::body) {
        shape
    } else {
        ShapeTree::Union { parts: parts(s.union.as_deref().unwrap_or_default()), blend }
    }
}
