//! Small meshes that are hard to keep, and files of every format made from them.
#![allow(dead_code)]

pub mod hostile;

use pliant_mesh::{DVec3, Group, Groups, Mesh, TetMesh, TriMesh};
use pliant_mesh_io::{Format, formats, write_mesh};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that goes when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pliant-mesh-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The bytes of a mesh in a format that takes one file; `None` if the format cannot hold it.
pub fn written(format: &Format, mesh: &Mesh) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let path = folder.0.join(format!("mesh.{}", format.endings()[0]));
    write_mesh(&path, mesh, Some(format)).ok()?;
    fs::read(path).ok()
}

/// Formats that must keep positions, cells and groups to the bit.
pub fn exact_formats() -> Vec<&'static Format> {
    const NAMES: [&str; 10] = [
        "gmsh41",
        "gmsh41-ascii",
        "gmsh22",
        "gmsh22-ascii",
        "vtk",
        "vtk-ascii",
        "vtu",
        "vtu-base64",
        "vtu-ascii",
        "vtu-compressed",
    ];
    let found: Vec<_> = formats().filter(|format| NAMES.contains(&format.name)).collect();
    assert_eq!(found.len(), NAMES.len());
    found
}

fn group(vertices: &[u32], elements: &[u32]) -> Group {
    Group { vertices: vertices.to_vec(), elements: elements.to_vec() }
}

/// Numbers without a short binary or decimal form, names that need care, overlapping groups, a vertex that is in
/// no element, elements in no order.
pub fn tricky_tets() -> Mesh {
    let vertices = vec![
        DVec3::new(-0.0, 0.1, 1e-300),
        DVec3::new(1.0 / 3.0, -1.797e308, 5e-324),
        DVec3::new(std::f64::consts::PI, 1e16, 123_456_789.123_456_78),
        DVec3::new(2.5e-7, -1e15, 0.3),
        DVec3::new(1.0, 2.0, 3.0),
        DVec3::new(7.0, 8.0, 9.0),
        DVec3::new(f64::MAX, f64::MIN_POSITIVE, f64::EPSILON),
    ];
    let tets = vec![[0, 1, 2, 3], [3, 2, 1, 4], [4, 0, 6, 2], [1, 0, 4, 3]];
    let groups = Groups::from([
        ("all".to_string(), group(&[0, 1, 2, 3, 4, 6], &[0, 1, 2, 3])),
        ("bottom side".to_string(), group(&[0, 1, 2, 3], &[0])),
        ("\"quoted\" % %41 <&>'".to_string(), group(&[0, 1, 2, 3, 4], &[1, 3])),
        ("Flügel\u{1F600}".to_string(), group(&[5, 6], &[])),
        ("points too".to_string(), group(&[0, 1, 2, 3, 4, 5, 6], &[0, 1])),
        ("empty".to_string(), group(&[], &[])),
        ("line\nend".to_string(), group(&[5], &[])),
        ("volume_1".to_string(), group(&[0, 2, 4, 6], &[2])),
    ]);
    Mesh::Tet(TetMesh { vertices, tets, groups })
}

/// The same care for triangles.
pub fn tricky_triangles() -> Mesh {
    let Mesh::Tet(TetMesh { vertices, .. }) = tricky_tets() else { unreachable!() };
    let triangles = vec![[0, 1, 2], [2, 1, 3], [4, 6, 0]];
    let groups = Groups::from([
        ("left".to_string(), group(&[0, 1, 2, 3], &[0, 1])),
        ("right".to_string(), group(&[0, 1, 2, 3, 4, 5, 6], &[1, 2])),
        ("pins".to_string(), group(&[0, 5], &[])),
    ]);
    Mesh::Tri(TriMesh { vertices, triangles, groups })
}

/// A plain small mesh, for formats that want no tricks.
pub fn plain_tets() -> Mesh {
    Mesh::Tet(pliant_mesh::block([1.0, 0.5, 0.25], [2, 1, 1]).unwrap())
}

pub fn plain_triangles() -> Mesh {
    Mesh::Tri(pliant_mesh::cloth([1.0, 0.5], 2).unwrap())
}

/// Positions as bits, so that the signs of zeros count.
pub fn bits(mesh: &Mesh) -> Vec<u64> {
    mesh.vertices().iter().flat_map(|p| p.to_array()).map(f64::to_bits).collect()
}
