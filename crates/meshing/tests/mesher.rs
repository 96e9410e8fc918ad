//! The mesher on modelled bodies: angles, volume, distance, topology, thin parts, groups, threads, bad requests.

use pliant_mesh::{DVec3, TetMesh, dvec3};
use pliant_meshing::{
    MeshSize, Meshed, MesherError, MesherOptions, ShapeTree, Solid, SurfacePoint, tetrahedralize,
};
use std::collections::BTreeMap;
use std::f64::consts::PI;

fn mesh_with(shape: &ShapeTree, options: &MesherOptions) -> Meshed {
    tetrahedralize(&shape.compile().unwrap(), options).unwrap()
}

fn mesh(shape: &ShapeTree, size: MeshSize) -> Meshed {
    mesh_with(shape, &MesherOptions::new(size))
}

/// What every mesh must be: valid, with fair angles, a closed boundary, close to the body.
fn check(what: &str, meshed: &Meshed) {
    meshed.mesh.validate().unwrap_or_else(|e| panic!("{what}: {e}"));
    let quality = meshed.mesh.quality().unwrap();
    assert!(quality.min_dihedral_degrees >= 8.0, "{what}: {quality:?}");
    assert!(quality.max_dihedral_degrees <= 168.0, "{what}: {quality:?}");
    assert!(meshed.deviation < 0.5 * meshed.edge, "{what}: {} of {}", meshed.deviation, meshed.edge);
    let ratio = meshed.mesh.volume() / meshed.body_volume;
    assert!((ratio - 1.0).abs() < 0.01, "{what}: volume {ratio}");
    let (_, open) = boundary_edges(&meshed.mesh);
    assert_eq!(open, 0, "{what}: the boundary has open edges");
}

/// Number of boundary edges, and of those that do not have an even number of faces.
fn boundary_edges(mesh: &TetMesh) -> (usize, usize) {
    let mut uses: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for [a, b, c] in mesh.boundary() {
        for (i, j) in [(a, b), (b, c), (c, a)] {
            *uses.entry((i.min(j), i.max(j))).or_default() += 1;
        }
    }
    (uses.len(), uses.values().filter(|&&n| n % 2 == 1).count())
}

/// Vertices minus edges plus faces of the boundary: 2 for a ball, 0 for a ring.
fn euler(mesh: &TetMesh) -> i64 {
    let faces = mesh.boundary().len() as i64;
    mesh.boundary_vertices().len() as i64 - boundary_edges(mesh).0 as i64 + faces
}

#[test]
fn smooth_bodies_keep_the_proven_angles() {
    let capsule = PI * 0.04 * 0.5_f64.sqrt() + 4.0 / 3.0 * PI * 0.008;
    for (what, shape, volume, euler_number) in [
        ("ball", ShapeTree::sphere(dvec3(0.1, 0.2, 0.3), 0.5), 4.0 / 3.0 * PI * 0.125, 2),
        ("ring", ShapeTree::torus(0.5, 0.2), 2.0 * PI * PI * 0.5 * 0.04, 0),
        ("capsule", ShapeTree::capsule(DVec3::ZERO, dvec3(0.3, 0.4, 0.5), 0.2), capsule, 2),
    ] {
        let meshed = mesh(&shape, MeshSize::Edge(0.06));
        check(what, &meshed);
        let quality = meshed.mesh.quality().unwrap();
        assert!(quality.min_dihedral_degrees > 10.7 && quality.max_dihedral_degrees < 164.8, "{quality:?}");
        assert!((meshed.mesh.volume() / volume - 1.0).abs() < 0.005, "{what}: {}", meshed.mesh.volume());
        assert!((meshed.body_volume / volume - 1.0).abs() < 0.002, "{what}: {}", meshed.body_volume);
        assert_eq!(euler(&meshed.mesh), euler_number, "{what}");
        assert_eq!(meshed.halvings, 0, "{what}");
        assert_eq!(meshed.mesh.groups["surface"].vertices, meshed.mesh.boundary_vertices(), "{what}");
    }
}

#[test]
fn sharp_edges_and_corners_are_kept() {
    let cube = ShapeTree::cuboid(DVec3::ZERO, dvec3(1.0, 0.8, 0.6));
    // Turned, so that no face lies in a plane of the lattice.
    for (what, shape) in [("aligned", cube.clone()), ("turned", cube.rotated(dvec3(1.0, 2.0, 3.0), 25.0))] {
        let meshed = mesh(&shape, MeshSize::Edge(0.08));
        check(what, &meshed);
        assert!((meshed.mesh.volume() / 0.48 - 1.0).abs() < 0.005, "{what}: {}", meshed.mesh.volume());
        assert_eq!(euler(&meshed.mesh), 2, "{what}");
    }
}

#[test]
fn parts_thinner_than_the_edge_are_caught() {
    // A plate of a sixth of the edge, and a needle of a third of it on a ball.
    let plate = ShapeTree::cuboid(DVec3::ZERO, dvec3(1.0, 1.0, 0.02));
    let needle = ShapeTree::sphere(DVec3::ZERO, 0.3).union_with([ShapeTree::capsule(
        DVec3::ZERO,
        dvec3(0.8, 0.1, 0.05),
        0.02,
    )]);
    for (what, shape) in [("plate", plate), ("needle", needle)] {
        let options = MesherOptions::new(MeshSize::Edge(0.12));
        check(what, &mesh_with(&shape, &options));
        // Without care they are lost: that is what the option is for.
        let careless = MesherOptions { keep_features: false, ..options };
        let lost = match tetrahedralize(&shape.compile().unwrap(), &careless) {
            Ok(m) => m.deviation > 0.5 * m.edge || m.mesh.volume() < 0.8 * m.body_volume,
            Err(error) => matches!(error, MesherError::NothingInside { .. }),
        };
        assert!(lost, "{what}");
    }
}

#[test]
fn numbers_of_elements_are_met() {
    let arm = ShapeTree::capsule(DVec3::ZERO, dvec3(0.5, 0.0, 0.0), 0.1);
    let shape = ShapeTree::sphere(DVec3::ZERO, 0.2).blended_with([arm], 0.05);
    for n in [2_000, 20_000] {
        let by_tets = mesh(&shape, MeshSize::Tets(n));
        check("tets", &by_tets);
        assert!((by_tets.mesh.tets.len() as f64 / n as f64).ln().abs() < 0.15, "{}", by_tets.mesh.tets.len());
        let by_vertices = mesh(&shape, MeshSize::Vertices(n));
        check("vertices", &by_vertices);
        let count = by_vertices.mesh.vertices.len();
        assert!((count as f64 / n as f64).ln().abs() < 0.15, "{count}");
    }
}

#[test]
fn the_interior_is_coarser_if_it_may_be() {
    let ball = ShapeTree::sphere(DVec3::ZERO, 0.5);
    let options = MesherOptions::new(MeshSize::Edge(0.04));
    let uniform = mesh_with(&ball, &MesherOptions { coarsest: 1.0, ..options });
    let graded = mesh_with(&ball, &options);
    check("uniform", &uniform);
    check("graded", &graded);
    assert!(graded.mesh.tets.len() * 4 < uniform.mesh.tets.len() * 3);
    let quality = graded.mesh.quality().unwrap();
    assert!(quality.min_dihedral_degrees > 10.7 && quality.max_dihedral_degrees < 164.8, "{quality:?}");
}

#[test]
fn groups_of_the_body_are_carried() {
    let tail = ShapeTree::capsule(dvec3(0.2, 0.0, 0.0), dvec3(0.6, 0.0, 0.0), 0.1).named("tail");
    let meshed = mesh(&ShapeTree::sphere(DVec3::ZERO, 0.25).union_with([tail]), MeshSize::Edge(0.05));
    let group = &meshed.mesh.groups["tail"];
    assert!(!group.vertices.is_empty() && !group.elements.is_empty());
    let far = |v: &u32| meshed.mesh.vertices[*v as usize][0] < 0.05;
    assert!(!group.vertices.iter().any(far));
    for &t in &group.elements {
        assert!(meshed.mesh.tets[t as usize].iter().all(|v| group.vertices.contains(v)));
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let shape = ShapeTree::torus(0.3, 0.1)
        .union_with([ShapeTree::cuboid(dvec3(0.3, 0.0, 0.0), dvec3(0.3, 0.1, 0.4))]);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| mesh(&shape, MeshSize::Tets(6_000)))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

/// A body that says it has no extent.
struct Nothing;

impl Solid for Nothing {
    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, dvec3(1.0, 0.0, 1.0))
    }

    fn signed_distance(&self, _point: DVec3) -> f64 {
        1.0
    }

    fn project(&self, point: DVec3) -> SurfacePoint {
        SurfacePoint { point, normal: DVec3::Z }
    }
}

#[test]
fn a_body_that_is_far_too_thin_is_refused_at_once() {
    for (size, wanted) in [([1e-4, 1.0, 1.0], 1500), ([1e-3, 1.0, 100.0], 20)] {
        let plate = ShapeTree::cuboid(DVec3::ZERO, DVec3::from_array(size)).compile().unwrap();
        for wanted in [MeshSize::Vertices(wanted), MeshSize::Tets(5 * wanted)] {
            let error = tetrahedralize(&plate, &MesherOptions::new(wanted)).unwrap_err();
            let MesherError::TooThin { thickness, .. } = error else { panic!("{wanted:?}: {error}") };
            assert!((0.3..3.0).contains(&(thickness / size[0])), "{thickness} m");
        }
    }
}

#[test]
fn bad_requests_are_refused() {
    let ball = ShapeTree::sphere(DVec3::ZERO, 0.5).compile().unwrap();
    let refused = |size| tetrahedralize(&ball, &MesherOptions::new(size)).unwrap_err();
    assert!(matches!(refused(MeshSize::Edge(0.0)), MesherError::BadEdge(_)));
    assert!(matches!(refused(MeshSize::Edge(f64::NAN)), MesherError::BadEdge(_)));
    assert!(matches!(refused(MeshSize::Edge(1e-7)), MesherError::TooLarge { .. }));
    assert!(matches!(refused(MeshSize::Tets(3)), MesherError::TooFew(3)));
    assert!(matches!(refused(MeshSize::Vertices(usize::MAX)), MesherError::TooLarge { .. }));
    let options = MesherOptions { coarsest: 0.5, ..MesherOptions::new(MeshSize::Tets(100)) };
    assert!(matches!(tetrahedralize(&ball, &options), Err(MesherError::BadCoarsest(_))));
    let options = MesherOptions::new(MeshSize::Tets(100));
    assert!(matches!(tetrahedralize(&Nothing, &options), Err(MesherError::NoExtent { .. })));
    for error in [refused(MeshSize::Edge(-1.0)), refused(MeshSize::Tets(3)), refused(MeshSize::Edge(1e-7))] {
        assert_eq!(error.to_string().lines().count(), 1);
    }
}
