//! Surfaces with fewer triangles keep their shape, borders, groups and topology.

use super::*;
use crate::hausdorff;
use crate::inspect::{InspectOptions, MeshReport, inspect};
use pliant_mesh::{DVec3, Group, Mesh, block, cloth, dvec3, sphere_surface, torus};

fn to(triangles: usize) -> SimplifyOptions {
    SimplifyOptions { triangles: Some(triangles), ..Default::default() }
}

fn look(mesh: &TriMesh) -> MeshReport {
    inspect(&Mesh::from(mesh.clone()), &InspectOptions::default()).unwrap()
}

fn boundary(solid: pliant_mesh::TetMesh) -> TriMesh {
    let mut mesh =
        TriMesh { triangles: solid.boundary(), vertices: solid.vertices, groups: Default::default() };
    pliant_mesh::topology::drop_unused(&mut mesh.vertices, &mut mesh.triangles, &mut mesh.groups);
    mesh
}

#[test]
fn a_sphere_stays_a_sphere() {
    let sphere = sphere_surface(1.0, 5).unwrap();
    let (coarse, report) = simplify(&sphere, &to(500)).unwrap();
    assert_eq!((report.triangles_before, report.triangles_after), (20_480, 500));
    assert_eq!((coarse.triangles.len(), report.self_intersections_after), (500, 0));
    let r = look(&coarse);
    assert!(r.defects.is_empty() && r.genus == Some(0));
    // Triangles of this size cut off a depth of about 2 % of the radius from an inscribed sphere.
    assert!(report.deviation.distance() < 0.02, "{:?}", report.deviation);
    let ratio = r.volume.unwrap() / look(&sphere).volume.unwrap();
    assert!((ratio - 1.0).abs() < 0.015, "{ratio}");
    assert!(r.radius_ratio.min > 0.3 && r.radius_ratio.mean > 0.8);
    let independent = hausdorff(&sphere, &coarse, 0.05).unwrap();
    assert!((independent.distance() - report.deviation.distance()).abs() < 5e-3);
}

#[test]
fn the_result_is_the_same_every_time() {
    let mesh = boundary(torus(1.0, 0.4, 20, 5).unwrap());
    assert_eq!(simplify(&mesh, &to(300)).unwrap(), simplify(&mesh, &to(300)).unwrap());
    assert_eq!(look(&simplify(&mesh, &to(300)).unwrap().0).genus, Some(1));
}

#[test]
fn a_box_needs_few_triangles_and_keeps_its_corners() {
    let fine = boundary(block([1.0, 2.0, 3.0], [4, 5, 6]).unwrap());
    // Nothing is asked for: only what costs nothing goes.
    let (coarse, report) = simplify(&fine, &SimplifyOptions::default()).unwrap();
    assert!(coarse.triangles.len() <= 20, "{}", coarse.triangles.len());
    let (min, max) = fine.bounds();
    let is_corner = |p: &&DVec3| (0..3).all(|k| (p[k] - min[k]).min(max[k] - p[k]).abs() < 1e-8);
    assert_eq!(coarse.vertices.iter().filter(is_corner).count(), 8);
    assert!(report.deviation.distance() < 1e-6, "{:?}", report.deviation);
    assert!((look(&coarse).volume.unwrap() - 6.0).abs() < 1e-6);
}

#[test]
fn a_cloth_keeps_its_outline() {
    let sheet = cloth([2.0, 1.0], 12).unwrap();
    let (coarse, report) =
        simplify(&TriMesh { groups: Default::default(), ..sheet.clone() }, &to(20)).unwrap();
    assert!(coarse.triangles.len() <= 20);
    assert!(report.deviation.distance() < 1e-12 && (coarse.area() - 2.0).abs() < 1e-12);
    assert_eq!(look(&coarse).open_loops, 1);
    assert!((look(&coarse).longest_open_loops[0].length - 6.0).abs() < 1e-12);
}

#[test]
fn an_error_bound_is_met_by_samples_of_another_kind() {
    let mut bumpy = sphere_surface(1.0, 4).unwrap();
    for p in &mut bumpy.vertices {
        let r = 1.0 + 0.05 * (7.0 * p[0]).sin() * (6.0 * p[1]).cos();
        *p = p.map(|c| c * r);
    }
    for bound in [4e-3, 1e-2] {
        let options = SimplifyOptions { max_error: Some(bound), ..Default::default() };
        let (coarse, report) = simplify(&bumpy, &options).unwrap();
        assert!(coarse.triangles.len() < 4000, "{}", coarse.triangles.len());
        assert!(report.deviation.distance() <= bound);
        assert!(hausdorff(&bumpy, &coarse, 0.02).unwrap().distance() < 1.2 * bound);
    }
}

#[test]
fn borders_between_element_groups_stay() {
    let mut sphere = sphere_surface(1.0, 4).unwrap();
    let upper = |t: &[u32; 3]| t.iter().map(|&i| sphere.vertices[i as usize][2]).sum::<f64>() > 0.3;
    let (up, down): (Vec<u32>, Vec<u32>) =
        (0..sphere.triangles.len() as u32).partition(|&t| upper(&sphere.triangles[t as usize]));
    let part_area = |mesh: &TriMesh, list: &[u32]| -> f64 {
        list.iter().map(|&t| area_vector(mesh.corners(t as usize)).length() / 2.0).sum()
    };
    let before = part_area(&sphere, &up);
    sphere.groups.clear();
    sphere.groups.insert("up".into(), Group { vertices: vec![], elements: up });
    sphere.groups.insert("down".into(), Group { vertices: vec![], elements: down });
    let (coarse, _) = simplify(&sphere, &to(400)).unwrap();
    let (up, down) = (&coarse.groups["up"].elements, &coarse.groups["down"].elements);
    assert_eq!(up.len() + down.len(), coarse.triangles.len());
    assert!((part_area(&coarse, up) / before - 1.0).abs() < 0.02);
    coarse.validate().unwrap();
}

#[test]
fn vertex_groups_thin_out_where_they_are() {
    let sheet = cloth([1.0, 1.0], 16).unwrap();
    let (coarse, _) = simplify(&sheet, &to(120)).unwrap();
    coarse.validate().unwrap();
    assert_eq!(coarse.groups.len(), sheet.groups.len());
    for (name, group) in &sheet.groups {
        let bounds = |mesh: &TriMesh, list: &[u32]| {
            Aabb::around(&list.iter().map(|&i| mesh.vertices[i as usize]).collect::<Vec<_>>())
        };
        let (old, new) = (bounds(&sheet, &group.vertices), bounds(&coarse, &coarse.groups[name].vertices));
        // The members still span the same box: none wandered off and none was added elsewhere.
        assert!((old.diagonal() - new.diagonal()).abs() < 1e-9, "{name}: {old:?} {new:?}");
    }
}

#[test]
fn intersections_are_avoided_when_asked() {
    // A thin shell: two spheres 0.01 apart come to intersect when triangles get coarser than the gap allows.
    let mut shell = sphere_surface(1.0, 4).unwrap();
    let n = shell.vertices.len() as u32;
    let inner = sphere_surface(0.985, 4).unwrap();
    shell.vertices.extend(inner.vertices);
    shell.triangles.extend(inner.triangles.iter().map(|t| [t[0] + n, t[2] + n, t[1] + n]));
    shell.groups.clear();
    let (_, plain) = simplify(&shell, &to(600)).unwrap();
    let options = SimplifyOptions { avoid_intersections: true, ..to(600) };
    let (_, careful) = simplify(&shell, &options).unwrap();
    assert!(plain.self_intersections_after > 0 && plain.self_intersections_before == 0);
    assert!(careful.self_intersections_after < plain.self_intersections_after);
}

#[test]
fn non_manifold_edges_and_odd_pieces_survive() {
    let book = TriMesh {
        vertices: vec![
            DVec3::ZERO,
            DVec3::X,
            dvec3(0.5, 1.0, 0.0),
            dvec3(0.5, -1.0, 0.0),
            dvec3(0.5, 0.0, 1.0),
        ],
        triangles: vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]],
        ..Default::default()
    };
    assert_eq!(simplify(&book, &to(1)).unwrap().0, book);
    let tet = TriMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        ..Default::default()
    };
    assert_eq!(simplify(&tet, &to(1)).unwrap().0.triangles.len(), 4);
}

#[test]
fn bad_surfaces_are_errors() {
    assert!(matches!(simplify(&TriMesh::default(), &to(1)), Err(MeshError::NoElements { .. })));
    let mut mesh = sphere_surface(1.0, 1).unwrap();
    mesh.triangles[2] = [1, 1, 2];
    assert!(matches!(simplify(&mesh, &to(1)), Err(MeshError::RepeatedIndex { element: 2, .. })));
    mesh.triangles[2] = [1, 999, 2];
    assert!(matches!(simplify(&mesh, &to(1)), Err(MeshError::IndexOutOfRange { .. })));
}
