//! Meshes of bodies: generated or read, placed, checked.

use super::mesh_file::{MeshFiles, limit};
use super::placement::placement;
use super::solid::filled;
use crate::error::Fault;
use crate::file::spec::{GeneratorSpec, MeshSpec, TransformSpec};
use pliant_mesh::{self as mesh, DVec3, Mesh};

/// Makes or reads the mesh of a body, in its place and checked.
pub(super) fn mesh_of(spec: &MeshSpec, transform: &TransformSpec, files: MeshFiles) -> Result<Mesh, Fault> {
    placed(made(spec, files)?, transform)
}

/// Makes or reads a mesh.
pub(super) fn made(spec: &MeshSpec, files: MeshFiles) -> Result<Mesh, Fault> {
    let mesh = match spec {
        MeshSpec::File(file) => files.read(file)?,
        MeshSpec::Generator(g) => generate(g, files)?,
    };
    // Inverted elements are found before a transform could hide them.
    mesh.validate()?;
    Ok(mesh)
}

/// Puts a mesh in its place.
pub(super) fn placed(mut mesh: Mesh, transform: &TransformSpec) -> Result<Mesh, Fault> {
    mesh.transform(&placement(transform))?;
    if mesh.vertices().iter().any(|p| !p.is_finite()) {
        return Err(Fault::new(
            "the transform moves vertices to infinity",
            "use a smaller scale or translation",
        ));
    }
    Ok(mesh)
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
        GeneratorSpec::Body { .. }
        | GeneratorSpec::Shape { .. }
        | GeneratorSpec::Garment { .. }
        | GeneratorSpec::Tetrahedralize { .. } => 0,
    }
}

fn generate(g: &GeneratorSpec, files: MeshFiles) -> Result<Mesh, Fault> {
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
        GeneratorSpec::Cylinder { radius, length, height, across, along } => {
            let size = length.or(*height).unwrap_or_default();
            mesh::cylinder(*radius, size, *across, *along).map(|mut cylinder| {
                if length.is_some() {
                    cylinder.vertices.iter_mut().for_each(|x| x.z -= 0.5 * size);
                }
                Mesh::Tet(cylinder)
            })
        }
        GeneratorSpec::Torus { major, minor, around, across } => {
            mesh::torus(*major, *minor, *around, *across).map(Mesh::Tet)
        }
        GeneratorSpec::Cloth { size, cells } => mesh::cloth_cells(*size, cells.0).map(Mesh::Tri),
        GeneratorSpec::SphereSurface { radius, subdivisions } => {
            mesh::sphere_surface(*radius, *subdivisions).map(Mesh::Tri)
        }
        GeneratorSpec::Body { .. }
        | GeneratorSpec::Shape { .. }
        | GeneratorSpec::Garment { .. }
        | GeneratorSpec::Tetrahedralize { .. } => {
            let mesh = filled(g, files)?;
            limit(mesh.element_count() as u128)?;
            return Ok(mesh);
        }
    };
    made.map_err(Fault::from)
}

/// Moves the vertices of a block so that its corners in x-y go to the given ones, bilinearly in between.
fn taper(vertices: &mut [DVec3], size: [f64; 3], corners: &[[f64; 2]; 4]) -> Result<(), Fault> {
    if corners.iter().flatten().any(|c| !c.is_finite()) {
        return Err(Fault::new("the corners must be finite", "write four pairs of numbers in m"));
    }
    for p in vertices {
        let (s, t) = (p.x / size[0], p.y / size[1]);
        let weights = [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t];
        for k in 0..2 {
            p[k] = weights.iter().zip(corners).map(|(w, c)| w * c[k]).sum();
        }
    }
    Ok(())
}
