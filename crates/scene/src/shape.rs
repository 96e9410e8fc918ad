//! Meshes of bodies: generated or read, placed, checked; and selections on them.

use crate::error::nearest;
use crate::solid::{filled, placement};
use crate::spec::{GENERATORS, GeneratorSpec, MeshSpec, RegionSpec, Select, TransformSpec};
use pliant_mesh::{self as mesh, Mesh, Point, Selector};
use pliant_mesh_io::{ReadError, read_mesh};
use std::path::Path;

/// Most elements of a body.
pub(crate) const MAX_ELEMENTS: u128 = 20_000_000;
/// Largest mesh file that is read.
const MAX_MESH_BYTES: u64 = 4 << 30;

/// Cause and remedy of a problem with a mesh or a selection.
pub(crate) type Trouble = (String, String);

/// Makes or reads the mesh of a body, in its place and checked.
pub(crate) fn mesh_of(spec: &MeshSpec, transform: &TransformSpec, directory: &Path) -> Result<Mesh, Trouble> {
    let mut mesh = match spec {
        MeshSpec::File(file) => read_file(file, directory)?,
        MeshSpec::Generator(g) => generate(g, directory)?,
    };
    // Inverted elements are found before the transform could hide them.
    mesh.validate().map_err(|e| split(&e.to_string()))?;
    mesh.transform(&placement(transform)).map_err(|e| split(&e.to_string()))?;
    if mesh.vertices().iter().flatten().any(|x| !x.is_finite()) {
        return Err((
            "the transform moves vertices to infinity".into(),
            "use a smaller scale or translation".into(),
        ));
    }
    Ok(mesh)
}

/// Reads a mesh file, beside the scene file or else from where the user is: a name may come from the command line.
pub(crate) fn read_file(file: &str, directory: &Path) -> Result<Mesh, Trouble> {
    let beside = directory.join(file);
    read(if beside.exists() { &beside } else { Path::new(file) }, file)
}

/// Cause and remedy of a message of the mesh crate, which separates them by a semicolon.
pub(crate) fn split(message: &str) -> Trouble {
    match message.split_once("; ") {
        Some((cause, remedy)) => (cause.to_string(), remedy.to_string()),
        None => (message.to_string(), String::new()),
    }
}

fn read(path: &Path, shown: &str) -> Result<Mesh, Trouble> {
    let remedy = "it is looked for beside the scene file, then in the current directory".to_string();
    let info = std::fs::metadata(path).map_err(|e| {
        let remedy = match GENERATORS.contains(&shown) {
            true => format!("for the generator write mesh = {{ kind = \"{shown}\", ... }}"),
            false => format!("check the name; {remedy}"),
        };
        (format!("mesh file `{shown}` cannot be read ({e})"), remedy)
    })?;
    if !info.is_file() {
        return Err((format!("mesh `{shown}` is not a file"), remedy));
    }
    if info.len() > MAX_MESH_BYTES {
        return Err((format!("mesh file `{shown}` has {} bytes", info.len()), "use a smaller mesh".into()));
    }
    let mesh = read_mesh(path).map_err(|e: ReadError| split(&e.to_string()))?;
    limit(mesh.element_count() as u128)?;
    Ok(mesh)
}

fn limit(elements: u128) -> Result<(), Trouble> {
    if elements > MAX_ELEMENTS {
        let cause = format!("the mesh would have {elements} elements, more than {MAX_ELEMENTS}");
        return Err((cause, "use fewer cells".into()));
    }
    Ok(())
}

/// Number of elements that a generator will make, without making them.
fn element_count(g: &GeneratorSpec) -> u128 {
    let product = |factors: &[usize]| factors.iter().fold(1u128, |n, &f| n.saturating_mul(f as u128));
    match *g {
        GeneratorSpec::Block { cells: [a, b, c], .. } | GeneratorSpec::Beam { cells: [a, b, c], .. } => {
            product(&[6, a, b, c])
        }
        GeneratorSpec::Ball { cells, .. } => product(&[6, cells, cells, cells]),
        GeneratorSpec::Cylinder { across, along, .. } => product(&[6, across, across, along]),
        GeneratorSpec::Torus { around, across, .. } => product(&[6, around, across, across]),
        GeneratorSpec::Cloth { cells, .. } => product(&[4, cells.0[0], cells.0[1]]),
        GeneratorSpec::SphereSurface { subdivisions, .. } => {
            20u128.saturating_mul(4u128.saturating_pow(subdivisions))
        }
        // Looked at when the body is known.
        GeneratorSpec::Body { .. } | GeneratorSpec::Shape { .. } | GeneratorSpec::Tetrahedralize { .. } => 0,
    }
}

fn generate(g: &GeneratorSpec, directory: &Path) -> Result<Mesh, Trouble> {
    limit(element_count(g))?;
    let made = match g {
        GeneratorSpec::Block { size, cells, corners } => {
            let mut block = mesh::block(*size, *cells).map(Mesh::Tet);
            if let (Ok(block), Some(corners)) = (&mut block, corners) {
                taper(block.vertices_mut(), *size, corners)?;
            }
            block
        }
        GeneratorSpec::Beam { length, width, height, cells } => {
            mesh::beam(*length, *width, *height, *cells).map(Mesh::Tet)
        }
        GeneratorSpec::Ball { radius, cells } => mesh::ball(*radius, *cells).map(Mesh::Tet),
        GeneratorSpec::Cylinder { radius, height, across, along } => {
            mesh::cylinder(*radius, *height, *across, *along).map(Mesh::Tet)
        }
        GeneratorSpec::Torus { major, minor, around, across } => {
            mesh::torus(*major, *minor, *around, *across).map(Mesh::Tet)
        }
        GeneratorSpec::Cloth { size, cells } => mesh::cloth_cells(*size, cells.0).map(Mesh::Tri),
        GeneratorSpec::SphereSurface { radius, subdivisions } => {
            mesh::sphere_surface(*radius, *subdivisions).map(Mesh::Tri)
        }
        GeneratorSpec::Body { .. } | GeneratorSpec::Shape { .. } | GeneratorSpec::Tetrahedralize { .. } => {
            let mesh = filled(g, directory)?;
            limit(mesh.element_count() as u128)?;
            return Ok(mesh);
        }
    };
    made.map_err(|e| split(&e.to_string()))
}

/// Moves the vertices of a block so that its corners in x-y go to the given ones, bilinearly in between.
fn taper(vertices: &mut [Point], size: Point, corners: &[[f64; 2]; 4]) -> Result<(), Trouble> {
    if corners.iter().flatten().any(|c| !c.is_finite()) {
        return Err(("the corners must be finite".into(), "write four pairs of numbers in m".into()));
    }
    for p in vertices {
        let (s, t) = (p[0] / size[0], p[1] / size[1]);
        let weights = [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t];
        for k in 0..2 {
            p[k] = weights.iter().zip(corners).map(|(w, c)| w * c[k]).sum();
        }
    }
    Ok(())
}

/// Vertices that a selection means, never none.
pub(crate) fn select(spec: &Select, mesh: &Mesh) -> Result<Vec<u32>, Trouble> {
    let selector = match spec {
        Select::All(true) => Selector::All,
        Select::Surface(true) => {
            let mut on_surface: Vec<u32> = mesh.surface_triangles().into_iter().flatten().collect();
            on_surface.sort_unstable();
            on_surface.dedup();
            Selector::Indices(on_surface)
        }
        Select::All(false) | Select::Surface(false) => {
            return Err(("the selection says false, so it selects nothing".into(), "write true".into()));
        }
        Select::Group(name) => Selector::Group(name.clone()),
        Select::Index(list) if list.is_empty() => {
            return Err((
                "the list of indices is empty, so it selects nothing".into(),
                "name at least one vertex".into(),
            ));
        }
        Select::Index(list) => Selector::Indices(list.clone()),
        Select::Box { min, max } => Selector::Box { min: *min, max: *max },
        Select::Sphere { center, radius } => Selector::Sphere { center: *center, radius: *radius },
        Select::Plane { point, normal, tolerance } => {
            Selector::Plane { point: *point, normal: *normal, tolerance: *tolerance }
        }
        Select::HalfSpace { point, normal } => Selector::HalfSpace { point: *point, normal: *normal },
    };
    selector.select(mesh).map_err(|e| split(&e.to_string()))
}

/// Elements that a region covers, ascending, never none.
pub(crate) fn region_elements(region: &RegionSpec, mesh: &Mesh) -> Result<Vec<u32>, Trouble> {
    if let Some(name) = &region.group {
        let groups = mesh.groups();
        let Some(group) = groups.get(name) else {
            let remedy = match nearest(name, groups.keys().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its groups are {}", groups.keys().cloned().collect::<Vec<_>>().join(", ")),
            };
            return Err((format!("the mesh has no group `{name}`"), remedy));
        };
        if !group.elements.is_empty() {
            return Ok(group.elements.clone());
        }
        return covered(&group.vertices, mesh);
    }
    match &region.select {
        Some(selection) => covered(&select(selection, mesh)?, mesh),
        None => Err(("the region selects nothing".into(), "write `select` or `group`".into())),
    }
}

/// Elements all of whose vertices are in the list.
fn covered(vertices: &[u32], mesh: &Mesh) -> Result<Vec<u32>, Trouble> {
    let mut inside = vec![false; mesh.vertices().len()];
    for &v in vertices {
        inside[v as usize] = true;
    }
    let is_in = |element: &[u32]| element.iter().all(|&v| inside[v as usize]);
    let chosen: Vec<u32> = match mesh {
        Mesh::Tet(m) => (0u32..).zip(&m.tets).filter(|(_, t)| is_in(*t)).map(|(i, _)| i).collect(),
        Mesh::Tri(m) => (0u32..).zip(&m.triangles).filter(|(_, t)| is_in(*t)).map(|(i, _)| i).collect(),
    };
    if chosen.is_empty() {
        let cause = "no element has all its vertices in the region".to_string();
        return Err((cause, "enlarge the selection".into()));
    }
    Ok(chosen)
}
