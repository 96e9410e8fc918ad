//! What is written is read back: positions to the bit, cells, groups; a cut file is never taken for a whole one.

mod common;

use common::{Folder, bits, exact_formats, plain_tets, tricky_tets, tricky_triangles, written};
use pliant_mesh::Mesh;
use pliant_mesh_io::{Source, WriteError, formats, read_contents, read_mesh, write_mesh};
use std::fs;

#[test]
fn everything_is_kept() {
    for format in exact_formats() {
        for mesh in [tricky_tets(), tricky_triangles(), plain_tets()] {
            let bytes = written(format, &mesh).unwrap();
            // The content decides the format, whatever the name.
            let contents = Source::from_bytes(bytes, Some("mesh.txt")).read().unwrap();
            assert_eq!(contents.mesh, mesh, "{}", format.name);
            assert_eq!(bits(&contents.mesh), bits(&mesh), "{}", format.name);
            assert_eq!(contents.notes, Vec::<String>::new(), "{}", format.name);
        }
    }
}

#[test]
fn large_meshes_are_kept() {
    // Larger than the blocks in which files are written and compressed.
    let mut mesh = pliant_mesh::block([1.0, 2.0, 3.0], [24, 25, 26]).unwrap();
    for (k, group) in mesh.groups.values_mut().enumerate() {
        group.elements = (0..mesh.tets.len() as u32).filter(|t| t % 7 == k as u32).collect();
        let corners = group.elements.iter().flat_map(|&t| mesh.tets[t as usize]);
        group.vertices.extend(corners);
        group.vertices.sort_unstable();
        group.vertices.dedup();
    }
    let mesh = Mesh::Tet(mesh);
    for format in exact_formats() {
        let bytes = written(format, &mesh).unwrap();
        assert!(Source::from_bytes(bytes, None).read().unwrap().mesh == mesh, "{}", format.name);
    }
}

#[test]
fn a_cut_file_is_refused() {
    for format in exact_formats() {
        for mesh in [tricky_tets(), plain_tets()] {
            let bytes = written(format, &mesh).unwrap();
            let name = format!("mesh.{}", format.endings()[0]);
            for cut in 0..bytes.len() {
                // Without its last line end a file may still be whole.
                if let Ok(contents) = Source::from_bytes(bytes[..cut].to_vec(), Some(&name)).read() {
                    assert_eq!(contents.mesh, mesh, "{} cut at {cut}", format.name);
                    assert!(bytes[cut..].trim_ascii().is_empty(), "{} cut at {cut}", format.name);
                }
            }
        }
    }
}

#[test]
fn packed_files() {
    let folder = Folder::new();
    let mesh = plain_tets();
    for format in exact_formats() {
        let path = folder.0.join(format!("mesh.{}.gz", format.endings()[0]));
        write_mesh(&path, &mesh, Some(format)).unwrap();
        assert!(fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]));
        assert_eq!(read_mesh(&path).unwrap(), mesh, "{}", format.name);
    }
    // A packed file under any name, and a plain one under the name of a packed one.
    let path = folder.0.join("mesh.msh.gz");
    write_mesh(&path, &mesh, None).unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::write(folder.0.join("a.bin"), &bytes).unwrap();
    assert_eq!(read_mesh(&folder.0.join("a.bin")).unwrap(), mesh);
    fs::write(&path, Source::from_bytes(bytes.clone(), None).bytes()).unwrap();
    assert_eq!(read_mesh(&path).unwrap(), mesh);
    let error = Source::from_bytes(bytes[..bytes.len() / 2].to_vec(), None).read().unwrap_err();
    assert!(error.to_string().contains("cannot be unpacked"), "{error}");
}

#[test]
fn the_ending_tells_the_format() {
    let folder = Folder::new();
    for (name, expected) in [
        ("a.msh", "Gmsh MSH 4.1 binary"),
        ("a.vtu", "VTK XML UnstructuredGrid, appended"),
        ("a.vtk", "VTK legacy binary"),
        ("a.vtk.gz", "VTK legacy binary"),
    ] {
        let path = folder.0.join(name);
        assert!(write_mesh(&path, &plain_tets(), None).unwrap().is_empty());
        assert_eq!(read_contents(&path).unwrap().format, expected);
    }
    let error = write_mesh(&folder.0.join("a.xyz"), &plain_tets(), None).unwrap_err();
    assert!(matches!(error, WriteError::UnknownFormat { .. }));
    assert_eq!(formats().find(|f| f.name == "gmsh22").unwrap().endings()[0], "msh");
}

#[test]
fn broken_meshes_are_not_written() {
    let folder = Folder::new();
    let Mesh::Tet(good) = plain_tets() else { unreachable!() };
    let mut index = good.clone();
    index.tets[1][2] = 99;
    let mut member = good.clone();
    member.groups.get_mut("x_min").unwrap().elements.push(99);
    let mut position = good.clone();
    position.vertices[0][1] = f64::NAN;
    for (mesh, expected) in [
        (index, "tet 1 uses vertex 99"),
        (member, "group `x_min` names element 99"),
        (position, "vertex 0 is at [0.0, NaN, 0.0]"),
    ] {
        for format in exact_formats() {
            let path = folder.0.join("mesh");
            let error = write_mesh(&path, &Mesh::Tet(mesh.clone()), Some(format)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
        }
    }
}
