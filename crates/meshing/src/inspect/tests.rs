//! Each defect is made on purpose, and nothing else is reported.

use super::*;
use pliant_mesh::{DVec3, Group, ball, block, cloth, dvec3, sphere_surface, torus};

fn report(mesh: impl Into<Mesh>) -> MeshReport {
    inspect(&mesh.into(), &InspectOptions::default()).unwrap()
}

/// The names and counts of the defects found.
fn found(mesh: impl Into<Mesh>) -> Vec<(&'static str, usize)> {
    report(mesh).defects.all().iter().filter(|(_, d)| d.count > 0).map(|(name, d)| (*name, d.count)).collect()
}

fn boundary(mesh: &TetMesh) -> TriMesh {
    let mut groups = Groups::new();
    let mut surface =
        TriMesh { vertices: mesh.vertices.clone(), triangles: mesh.boundary(), ..Default::default() };
    pliant_mesh::topology::drop_unused(&mut surface.vertices, &mut surface.triangles, &mut groups);
    surface
}

#[test]
fn a_sphere_has_its_volume_area_and_no_defect() {
    let r = report(sphere_surface(2.0, 5).unwrap());
    let pi = std::f64::consts::PI;
    assert!((r.volume.unwrap() / (32.0 * pi / 3.0) - 1.0).abs() < 2e-3);
    assert!((r.area / (16.0 * pi) - 1.0).abs() < 2e-3);
    assert_eq!((r.euler, r.genus, r.components, r.closed, r.open_loops), (2, Some(0), 1, true, 0));
    assert!(r.defects.is_empty() && r.rms_quality.is_none());
    assert_eq!(r.radius_ratio.histogram.counts.iter().sum::<usize>(), r.elements);
    assert_eq!(r.angle_degrees.histogram.counts.iter().sum::<usize>(), 3 * r.elements);
    assert!((r.angle_degrees.mean - 60.0).abs() < 1e-9);
    assert!((r.bounds[1][2] - 2.0).abs() < 1e-2 && r.diagonal > 6.0);
}

#[test]
fn tets_agree_with_the_quality_summary() {
    let mesh = ball(1.0, 6).unwrap();
    let (r, q) = (report(mesh.clone()), mesh.quality().unwrap());
    assert_eq!(r.kind, ElementKind::Tet);
    assert_eq!(r.radius_ratio.min, q.min_radius_ratio);
    assert!((r.radius_ratio.mean - q.mean_radius_ratio).abs() < 1e-12);
    assert_eq!((r.angle_degrees.min, r.angle_degrees.max), (q.min_dihedral_degrees, q.max_dihedral_degrees));
    assert_eq!(r.edge_length.min, q.shortest_edge);
    assert_eq!(r.volume, Some(mesh.volume()));
    assert_eq!(r.surface_triangles, mesh.boundary().len());
    assert!(r.defects.is_empty());
    let worst = r.rms_quality.unwrap();
    assert!(worst.min > 0.0 && worst.max <= 1.0 + 1e-12);
}

#[test]
fn a_regular_tet_has_quality_one() {
    let vertices = vec![DVec3::ONE, dvec3(-1.0, 1.0, -1.0), dvec3(1.0, -1.0, -1.0), dvec3(-1.0, -1.0, 1.0)];
    let mesh = TetMesh { vertices, tets: vec![[0, 1, 2, 3]], groups: Groups::new() };
    assert!((report(mesh).rms_quality.unwrap().mean - 1.0).abs() < 1e-12);
}

#[test]
fn a_torus_has_one_handle_and_two_spheres_two_parts() {
    assert_eq!(report(torus(1.0, 0.4, 10, 2).unwrap()).genus, Some(1));
    let mut two = sphere_surface(1.0, 1).unwrap();
    let n = two.vertices.len() as u32;
    two.vertices.extend(two.vertices.clone().iter().map(|p| *p + 5.0 * DVec3::X));
    two.triangles.extend(two.triangles.clone()[..].iter().map(|t| t.map(|i| i + n)));
    let r = report(two);
    assert_eq!((r.components, r.genus, r.euler, r.largest_components), (2, Some(0), 4, vec![80, 80]));
}

#[test]
fn an_open_sheet_has_a_loop_of_its_length() {
    let r = report(cloth([2.0, 3.0], 6).unwrap());
    assert_eq!((r.open_loops, r.closed, r.volume, r.genus), (1, false, None, None));
    let rim = &r.longest_open_loops[0];
    assert_eq!((rim.edges, rim.closed, r.defects.open_edges.count), (24, true, 24));
    assert!((rim.length - 10.0).abs() < 1e-12 && (r.area - 6.0).abs() < 1e-12);
    assert_eq!(r.defects.open_edges.first.len(), 10);
}

#[test]
fn each_defect_of_a_surface_is_found() {
    let good = sphere_surface(1.0, 2).unwrap();
    let with = |change: &dyn Fn(&mut TriMesh)| {
        let mut mesh = good.clone();
        change(&mut mesh);
        found(mesh)
    };
    assert_eq!(with(&|m| m.triangles.truncate(319)), [("open edges", 3)]);
    assert_eq!(with(&|m| m.triangles[7].swap(0, 1)), [("misoriented edges", 3)]);
    assert_eq!(
        with(&|m| m.triangles.push(m.triangles[3])),
        [("non-manifold edges", 3), ("duplicate elements", 1)]
    );
    assert_eq!(with(&|m| m.triangles.push([1, 1, 2])), [("degenerate elements", 1)]);
    assert_eq!(with(&|m| m.vertices.push(DVec3::splat(9.0))), [("unused vertices", 1)]);
    assert_eq!(
        with(&|m| m.vertices.push(m.vertices[5])),
        [("duplicate vertices", 1), ("unused vertices", 1)]
    );
    let book = TriMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, dvec3(0.0, -1.0, 1.0), dvec3(0.0, -1.0, -1.0)],
        triangles: vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]],
        ..Default::default()
    };
    assert_eq!(found(book), [("open edges", 6), ("non-manifold edges", 1)]);
    let pinched = TriMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y],
        triangles: vec![[0, 1, 2], [0, 3, 4]],
        ..Default::default()
    };
    assert_eq!(found(pinched), [("open edges", 6), ("non-manifold vertices", 1)]);
}

#[test]
fn intersecting_triangles_are_found_where_they_are() {
    let mut mesh = sphere_surface(1.0, 3).unwrap();
    let tip = (0..mesh.vertices.len())
        .max_by(|&a, &b| mesh.vertices[a][2].total_cmp(&mesh.vertices[b][2]))
        .unwrap();
    mesh.vertices[tip] = dvec3(0.0, 0.0, -1.5);
    let r = report(mesh.clone());
    let hits = &r.defects.self_intersections;
    assert!(hits.count > 0 && hits.first[0].indices.len() == 2);
    assert!(hits.first.iter().all(|place| place.at[2] < -0.8), "{hits:?}");
    let quick = InspectOptions { self_intersections: false, ..Default::default() };
    assert_eq!(inspect(&mesh.into(), &quick).unwrap().defects.self_intersections.count, 0);
}

#[test]
fn each_defect_of_tets_is_found() {
    let good = block([1.0, 1.0, 1.0], [2, 2, 2]).unwrap();
    let with = |change: &dyn Fn(&mut TetMesh)| {
        let mut mesh = good.clone();
        change(&mut mesh);
        report(mesh).defects
    };
    assert!(with(&|_| {}).is_empty());
    assert_eq!(with(&|m| m.tets[3].swap(0, 1)).inverted_elements.first[0].indices, [3]);
    assert_eq!(with(&|m| m.tets[3][1] = m.tets[3][0]).degenerate_elements.count, 1);
    let doubled = with(&|m| m.tets.push(m.tets[5]));
    assert_eq!(doubled.duplicate_elements.first[0].indices, [48, 5]);
    assert!(doubled.crowded_faces.count > 0);
    // Two tets that touch at an edge, and two at a corner.
    let touching = TetMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_Y, DVec3::NEG_Z],
        tets: vec![[0, 1, 2, 3], [0, 1, 4, 5]],
        ..Default::default()
    };
    assert_eq!(found(touching), [("non-manifold edges", 1)]);
}

#[test]
fn near_vertices_count_with_a_distance() {
    let mut mesh = cloth([1.0, 1.0], 2).unwrap();
    mesh.vertices.push(dvec3(mesh.vertices[0][0] + 1e-6, mesh.vertices[0][1], mesh.vertices[0][2]));
    let mesh = Mesh::from(mesh);
    let count = |duplicate_distance: f64| {
        let options = InspectOptions { duplicate_distance, ..Default::default() };
        inspect(&mesh, &options).unwrap().defects.duplicate_vertices.count
    };
    assert_eq!((count(0.0), count(1e-7), count(2e-6)), (0, 0, 1));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let options = InspectOptions::default();
    let mut mesh = cloth([1.0, 1.0], 2).unwrap();
    mesh.groups.insert("g".into(), Group { vertices: vec![999], elements: vec![] });
    assert!(matches!(inspect(&mesh.clone().into(), &options), Err(MeshError::GroupOutOfRange { .. })));
    mesh.triangles[0][0] = 999;
    assert!(matches!(inspect(&mesh.clone().into(), &options), Err(MeshError::IndexOutOfRange { .. })));
    mesh.triangles.clear();
    assert!(matches!(inspect(&mesh.into(), &options), Err(MeshError::NoElements { .. })));
}

#[test]
fn the_report_is_json() {
    let surface = boundary(&block([1.0, 1.0, 1.0], [1, 1, 1]).unwrap());
    let json = serde_json::to_value(report(surface)).unwrap();
    assert_eq!(json["kind"], "triangle");
    assert_eq!(json["genus"], 0);
    assert_eq!(json["defects"]["open_edges"]["count"], 0);
    assert_eq!(json["angle_degrees"]["histogram"]["counts"].as_array().unwrap().len(), 18);
}

#[test]
fn qualities_of_elements_agree_with_the_report() {
    let mut block = pliant_mesh::block([1.0, 2.0, 3.0], [2, 2, 2]).unwrap();
    block.vertices[13][0] += 0.1;
    let mesh = Mesh::Tet(block);
    let quality = element_quality(&mesh).unwrap();
    let spread = inspect(&mesh, &InspectOptions::default()).unwrap().rms_quality.unwrap();
    assert_eq!((quality.len(), quality[spread.min_element]), (48, spread.min));
    let Mesh::Tet(mut turned) = mesh else { panic!("expected tets") };
    turned.tets[3].swap(0, 1);
    let again = element_quality(&Mesh::Tet(turned)).unwrap();
    assert_eq!(again[3], -quality[3]);
    let cloth = Mesh::Tri(pliant_mesh::cloth([1.0, 1.0], 2).unwrap());
    assert!(
        element_quality(&cloth).unwrap().iter().all(|q| (q - 2.0 * (2.0_f64.sqrt() - 1.0)).abs() < 1e-12)
    );
}
