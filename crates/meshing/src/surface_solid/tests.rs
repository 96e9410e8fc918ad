//! The inside of spheres, whole and broken, against the formula of a sphere.

use super::*;
use pliant_mesh::{DVec3, Group, block, dvec3, sphere_surface};

fn sphere() -> TriMesh {
    sphere_surface(1.0, 4).unwrap()
}

fn directions(n: usize) -> impl Iterator<Item = DVec3> {
    (0..n).map(move |i| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / n as f64;
        let (r, angle) = ((1.0 - z * z).sqrt(), 2.399963 * i as f64);
        dvec3(r * angle.cos(), r * angle.sin(), z)
    })
}

#[test]
fn a_sphere_has_the_distance_and_normals_of_a_sphere() {
    let solid = SurfaceSolid::new(sphere()).unwrap();
    assert!(solid.is_closed() && !solid.was_turned());
    for d in directions(500) {
        for r in [0.1, 0.7, 0.99, 1.01, 1.5, 4.0] {
            let p = r * d;
            assert!((solid.signed_distance(p) - (r - 1.0)).abs() < 3e-3);
            let near = solid.project(p);
            assert!((near.point.length() - 1.0).abs() < 3e-3);
            assert!(near.normal.dot(d) > 0.99);
        }
        let t = solid.crossing(0.3 * d, 1.7 * d);
        assert!((t - 0.5).abs() < 2e-3);
    }
}

#[test]
fn a_surface_inside_out_is_turned() {
    let mut surface = sphere();
    for t in &mut surface.triangles {
        t.swap(0, 1);
    }
    let solid = SurfaceSolid::new(surface).unwrap();
    assert!(solid.was_turned() && solid.is_closed());
    assert!(solid.contains(DVec3::ZERO) && !solid.contains(dvec3(0.0, 0.0, 1.1)));
    assert!(solid.project(dvec3(0.0, 0.0, 3.0)).normal[2] > 0.9);
}

/// The centre of its box is no guide for a funnel: most of it lies on one side.
#[test]
fn a_funnel_inside_out_is_turned_too() {
    let n = 24;
    let ring = |r: f64, z: f64| {
        (0..n).map(move |i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
            dvec3(r * angle.cos(), r * angle.sin(), z)
        })
    };
    let rings = [(0.1, 0.0), (0.1, 0.5), (0.12, 1.0), (0.4, 1.4)];
    let vertices: Vec<DVec3> = rings.iter().flat_map(|&(r, z)| ring(r, z)).collect();
    let mut triangles = Vec::new();
    for k in 0..rings.len() as u32 - 1 {
        for i in 0..n {
            let [a, b] = [i, (i + 1) % n].map(|i| k * n + i);
            triangles.extend([[a, b, a + n], [b, b + n, a + n]]);
        }
    }
    let outward = TriMesh { vertices, triangles, ..Default::default() };
    let mut inward = outward.clone();
    for t in &mut inward.triangles {
        t.swap(0, 1);
    }
    let (outward, inward) = (SurfaceSolid::new(outward).unwrap(), SurfaceSolid::new(inward).unwrap());
    assert!(!outward.was_turned() && inward.was_turned());
    assert!(outward.contains(dvec3(0.0, 0.0, 0.5)) && inward.contains(dvec3(0.0, 0.0, 0.5)));
}

#[test]
fn a_hole_gets_a_cap() {
    let mut surface = sphere();
    let vertices = surface.vertices.clone();
    surface.triangles.retain(|t| vertices[t[0] as usize][2] < 0.95);
    let solid = SurfaceSolid::new(surface).unwrap();
    assert!(!solid.is_closed() && solid.contains(DVec3::ZERO) && !solid.contains(dvec3(0.0, 0.0, 1.2)));
    let t = solid.crossing(DVec3::ZERO, dvec3(0.0, 0.0, 2.0));
    // The rim of the hole is at a height of about 0.95.
    assert!((0.8..1.0).contains(&(2.0 * t)), "{t}");
    assert!(
        solid.contains(dvec3(0.0, 0.0, 2.0 * t - 1e-9)) != solid.contains(dvec3(0.0, 0.0, 2.0 * t + 1e-9))
    );
}

#[test]
fn overlapping_spheres_are_left_at_the_outer_surface() {
    let mut surface = sphere();
    let n = surface.vertices.len() as u32;
    let other = sphere();
    surface.vertices.extend(other.vertices.iter().map(|p| *p + DVec3::X));
    surface.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + n)));
    let solid = SurfaceSolid::new(surface).unwrap();
    assert!(solid.contains(dvec3(0.5, 0.0, 0.0)));
    // From the overlap outwards: the first crossing goes from winding 2 to 1 and does not leave the body.
    let t = solid.crossing(dvec3(0.5, 0.0, 0.0), dvec3(3.5, 0.01, 0.02));
    assert!((0.5 + 3.0 * t - 2.0).abs() < 1e-2, "{t}");
}

#[test]
fn a_crossing_through_a_corner_or_an_edge_is_found() {
    let solid = SurfaceSolid::new(sphere()).unwrap();
    let surface = sphere();
    for p in &surface.vertices {
        let t = solid.crossing(DVec3::ZERO, 2.0 * p);
        assert!((t - 0.5).abs() < 1e-12);
    }
    for t in &surface.triangles {
        let middle = 0.5 * (surface.vertices[t[0] as usize] + surface.vertices[t[1] as usize]);
        assert!((solid.crossing(DVec3::ZERO, 2.0 * middle) - 0.5).abs() < 1e-9);
    }
}

#[test]
fn groups_of_triangles_and_of_vertices_are_found_on_the_surface() {
    let mut surface = sphere();
    surface.groups.clear();
    let top = |p: &DVec3| p[2] > 0.2;
    let elements = (0..surface.triangles.len() as u32)
        .filter(|&t| surface.triangles[t as usize].iter().all(|&i| top(&surface.vertices[i as usize])))
        .collect();
    let vertices =
        (0..surface.vertices.len() as u32).filter(|&i| !top(&surface.vertices[i as usize])).collect();
    surface.groups.insert("top".into(), Group { elements, vertices: Vec::new() });
    surface.groups.insert("low".into(), Group { vertices, elements: Vec::new() });
    let solid = SurfaceSolid::new(surface).unwrap();
    assert_eq!(solid.groups(), ["low", "top"]);
    assert_eq!(solid.groups_at(DVec3::Z, true), [1]);
    assert_eq!(solid.groups_at(dvec3(0.0, 0.1, -1.0), true), [0]);
    assert!(solid.groups_at(DVec3::Z, false).is_empty());
}

#[test]
fn normals_on_edges_and_corners_of_a_box_lie_between_its_sides() {
    let cells = block([1.0, 1.0, 1.0], [2, 2, 2]).unwrap();
    let surface = TriMesh { triangles: cells.boundary(), vertices: cells.vertices, ..Default::default() };
    let (min, max) = surface.bounds();
    let solid = SurfaceSolid::new(surface).unwrap();
    let normal = solid.project(max + 0.2).normal;
    assert!(normal.abs_diff_eq(DVec3::splat(1.0 / 3.0_f64.sqrt()), 1e-9), "{normal:?}");
    let edge = dvec3(max.x + 0.1, max.y + 0.1, 0.5 * (min.z + max.z) + 0.11);
    let normal = solid.project(edge).normal;
    assert!((normal.x - 0.5_f64.sqrt()).abs() < 1e-9 && normal.z.abs() < 1e-9, "{normal:?}");
}

#[test]
fn bad_surfaces_are_errors() {
    assert!(matches!(SurfaceSolid::new(TriMesh::default()), Err(MeshError::NoElements { .. })));
    let mut surface = sphere();
    surface.vertices[7][1] = f64::NAN;
    assert!(matches!(SurfaceSolid::new(surface), Err(MeshError::NonFiniteVertex { vertex: 7, .. })));
}

/// The sign by normals and the sign by winding numbers agree, on flat sides, sharp edges and a cavity.
#[test]
fn signs_by_normal_and_by_winding_number_agree() {
    let cells = block([1.0, 1.0, 1.0], [2, 2, 2]).unwrap();
    let mut surface = TriMesh { triangles: cells.boundary(), vertices: cells.vertices, ..Default::default() };
    let (min, max) = surface.bounds();
    let center = 0.5 * (min + max);
    let (n, outer_triangles) = (surface.vertices.len() as u32, surface.triangles.len());
    let inner = sphere_surface(0.3, 3).unwrap();
    surface.vertices.extend(inner.vertices.iter().map(|&p| p + center));
    surface.triangles.extend(inner.triangles.iter().map(|t| [t[0] + n, t[2] + n, t[1] + n]));
    let solid = SurfaceSolid::new(surface.clone()).unwrap();
    assert!(solid.sign_by_normal && !solid.contains(center));
    for d in directions(300) {
        for r in [0.1, 0.28, 0.31, 0.45, 0.55, 0.8] {
            let p = center + r * d;
            assert_eq!(solid.signed_distance(p) < 0.0, solid.contains(p));
        }
    }
    // The inner sphere turned: it winds twice, and normals would lie.
    for t in &mut surface.triangles[outer_triangles..] {
        t.swap(1, 2);
    }
    let solid = SurfaceSolid::new(surface).unwrap();
    assert!(solid.is_closed() && !solid.sign_by_normal && solid.contains(center));
}

#[test]
fn a_vertex_of_two_fans_has_no_normal_to_trust() {
    let mut surface = TriMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        ..Default::default()
    };
    assert!(SurfaceSolid::new(surface.clone()).unwrap().sign_by_normal);
    surface.vertices.extend([DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z]);
    surface.triangles.extend([[0, 4, 5], [0, 6, 4], [0, 5, 6], [4, 6, 5]]);
    let solid = SurfaceSolid::new(surface).unwrap();
    assert!(solid.is_closed() && !solid.sign_by_normal);
    assert!(
        solid.signed_distance(DVec3::splat(0.1)) < 0.0 && solid.signed_distance(DVec3::splat(-0.1)) < 0.0
    );
}

#[test]
fn enclosure_tells_bodies_from_sheets() {
    let enclosure = |surface: TriMesh| SurfaceSolid::new(surface).unwrap().enclosure();
    let cut = |height: f64| {
        let whole = sphere();
        let mut part = whole.clone();
        part.triangles.retain(|t| whole.vertices[t[0] as usize][2] < height);
        enclosure(part)
    };
    assert!((enclosure(sphere()) - 1.0).abs() < 5e-3);
    assert!(cut(0.95) > 0.95);
    assert!((cut(0.0) - 0.8).abs() < 0.05);
    assert!((enclosure(pliant_mesh::cloth([1.0, 1.0], 6).unwrap()) - 0.5).abs() < 1e-2);
}
