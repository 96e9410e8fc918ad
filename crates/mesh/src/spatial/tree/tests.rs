//! The tree against loops over all triangles.

use super::super::Crossing;
use super::*;
use crate::{cloth, sphere_surface, torus};

/// Points in the cube of half width `size`, without a pattern.
fn probes(n: usize, size: f64) -> impl Iterator<Item = DVec3> {
    (0..n).map(move |i| {
        let step = DVec3::new(0.7548776662, 0.5698402910, 0.3247179572);
        size * (2.0 * ((i as f64 + 0.5) * step).fract() - 1.0)
    })
}

fn torus_surface() -> TriMesh {
    let solid = torus(1.0, 0.4, 12, 3).unwrap();
    TriMesh { triangles: solid.boundary(), vertices: solid.vertices, ..Default::default() }
}

fn brute_closest(surface: &TriMesh, p: DVec3) -> f64 {
    (0..surface.triangles.len())
        .map(|t| {
            let corners = surface.corners(t);
            p.distance_squared(point_on_triangle(corners, closest_on_triangle(p, corners).0))
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn closest_is_that_of_a_loop_over_all() {
    for surface in [sphere_surface(1.0, 3).unwrap(), torus_surface(), cloth([2.0, 2.0], 9).unwrap()] {
        let tree = TriangleTree::new(&surface).unwrap();
        for p in probes(1000, 2.0) {
            let closest = tree.closest(p).unwrap();
            let expected = brute_closest(&surface, p);
            assert_eq!(closest.distance_sq, expected);
            let corners = surface.corners(closest.triangle as usize);
            assert_eq!(point_on_triangle(corners, closest.barycentric), closest.point);
            let distance = expected.sqrt();
            assert_eq!(tree.closest_within(p, 1.001 * distance), Some(closest));
            assert_eq!(tree.closest_within(p, 0.999 * distance), None);
        }
    }
}

#[test]
fn a_bound_of_zero_finds_points_on_the_surface() {
    let tree = TriangleTree::new(&sphere_surface(1.0, 2).unwrap()).unwrap();
    let vertex = sphere_surface(1.0, 2).unwrap().vertices[5];
    assert!(tree.closest_within(vertex, 0.0).is_some());
    assert!(tree.closest_within(1.1 * vertex, 0.0).is_none());
}

#[test]
fn overlapping_is_that_of_a_loop_over_all() {
    let surface = torus_surface();
    let tree = TriangleTree::new(&surface).unwrap();
    for p in probes(200, 1.5) {
        let query = Aabb { min: p, max: p.map(|c| c + 0.3) };
        let mut found = Vec::new();
        tree.overlapping(&query, |t| found.push(t));
        found.sort_unstable();
        let expected: Vec<u32> = (0..surface.triangles.len())
            .filter(|&t| Aabb::around(&surface.corners(t)).overlaps(&query))
            .map(|t| t as u32)
            .collect();
        assert_eq!(found, expected);
    }
}

fn crossings(tree: &TriangleTree, from: DVec3, to: DVec3) -> Vec<Crossing> {
    let mut found = Vec::new();
    tree.crossings(from, to, |c| found.push(c));
    found.sort_by(|a, b| a.t.total_cmp(&b.t));
    found
}

#[test]
fn segments_enter_and_leave_a_torus_in_turn() {
    let tree = TriangleTree::new(&torus_surface()).unwrap();
    let mut hits = 0;
    for (p, q) in probes(600, 1.5).zip(probes(1200, 1.5).skip(600)) {
        // Beyond the torus at both ends.
        let along = q - p;
        let (from, to) = (p - 20.0 * along, q + 20.0 * along);
        let found = crossings(&tree, from, to);
        assert_eq!(found.len() % 2, 0);
        for (i, crossing) in found.iter().enumerate() {
            assert_eq!(crossing.leaving, i % 2 == 1);
        }
        hits += found.len();
    }
    assert!(hits > 300);
}

#[test]
fn a_segment_through_an_edge_or_corner_meets_all_triangles_around_it() {
    let surface = cloth([2.0, 2.0], 4).unwrap();
    let tree = TriangleTree::new(&surface).unwrap();
    let normal = unit_normal(&surface);
    for (v, &p) in surface.vertices.iter().enumerate() {
        let around = surface.triangles.iter().filter(|t| t.contains(&(v as u32))).count();
        let found = crossings(&tree, p - normal, p + normal);
        assert_eq!(found.len(), around, "vertex {v}");
        assert!(found.iter().all(|c| (c.t - 0.5).abs() < 1e-12 && c.leaving));
    }
}

fn unit_normal(surface: &TriMesh) -> DVec3 {
    crate::vector::unit(crate::vector::area_vector(surface.corners(0))).unwrap()
}

#[test]
fn proper_surfaces_do_not_intersect_themselves() {
    for surface in [sphere_surface(1.0, 3).unwrap(), torus_surface(), cloth([2.0, 2.0], 9).unwrap()] {
        assert_eq!(TriangleTree::new(&surface).unwrap().self_intersections(), Vec::<[u32; 2]>::new());
    }
}

#[test]
fn self_intersections_are_those_of_a_loop_over_all() {
    let mut surface = sphere_surface(1.0, 2).unwrap();
    let n = surface.vertices.len() as u32;
    surface.vertices.extend(surface.vertices.clone().iter().map(|p| *p + DVec3::new(0.9, 0.2, -0.1)));
    surface.triangles.extend(surface.triangles.clone().iter().map(|t| t.map(|i| i + n)));
    let pairs = TriangleTree::new(&surface).unwrap().self_intersections();
    let mut expected = Vec::new();
    for a in 0..surface.triangles.len() {
        for b in a + 1..surface.triangles.len() {
            if triangles_intersect(surface.corners(a), surface.corners(b)) {
                expected.push([a as u32, b as u32]);
            }
        }
    }
    assert!(expected.len() > 20);
    assert_eq!(pairs, expected);
}

#[test]
fn the_tree_of_nothing_finds_nothing() {
    let tree = TriangleTree::new(&TriMesh::default()).unwrap();
    assert!(tree.is_empty() && tree.closest(DVec3::ZERO).is_none() && tree.self_intersections().is_empty());
    tree.crossings(DVec3::ZERO, DVec3::ONE, |_| panic!("nothing to cross"));
    let bad = TriMesh { vertices: vec![DVec3::ZERO], triangles: vec![[0, 0, 1]], ..Default::default() };
    assert!(matches!(TriangleTree::new(&bad), Err(MeshError::IndexOutOfRange { .. })));
}
