//! The modelled bodies as meshes: fair angles, the right volume, one piece, groups.

use pliant_mesh::dvec3;
use pliant_meshing::{MeshSize, MesherOptions, Solid, bodies, tetrahedralize};

/// Volume of a body from points of a lattice that is no symmetry of any body.
fn volume(solid: &dyn Solid) -> f64 {
    const N: usize = 60;
    let (low, high) = solid.bounds();
    let step = (high - low) / N as f64;
    // A lattice of good points in the sense of Korobov: far less noise than random ones.
    let count = N * N * N;
    let inside = (0..count)
        .filter(|&i| {
            let t = i as f64;
            let unit =
                dvec3((t + 0.5) / count as f64, (t * 0.754_877_666).fract(), (t * 0.569_840_291).fract());
            solid.signed_distance(low + unit * (high - low)) < 0.0
        })
        .count();
    inside as f64 * step.element_product()
}

#[test]
fn every_body_becomes_a_fair_mesh() {
    for body in bodies::bodies() {
        let solid = (body.shape)().compile().unwrap();
        let meshed = tetrahedralize(&solid, &MesherOptions::new(MeshSize::Edge(0.06))).unwrap();
        let (mesh, name) = (&meshed.mesh, body.name);
        mesh.validate().unwrap();
        let quality = mesh.quality().unwrap();
        assert!(quality.min_dihedral_degrees >= 8.0, "{name}: {quality:?}");
        assert!(quality.max_dihedral_degrees <= 168.0, "{name}: {quality:?}");
        let ratio = mesh.volume() / volume(&solid);
        assert!((ratio - 1.0).abs() < 0.015, "{name}: volume {ratio}");
        assert_eq!(pieces(mesh.vertices.len(), &mesh.tets), 1, "{name} falls apart");
        for (group, members) in &mesh.groups {
            assert!(members.vertices.len() > 10, "{name}: group {group} is nearly empty");
        }
    }
}

/// Number of parts that share no vertex.
fn pieces(vertices: usize, tets: &[[u32; 4]]) -> usize {
    let mut parent: Vec<usize> = (0..vertices).collect();
    fn root(parent: &mut [usize], mut v: usize) -> usize {
        while parent[v] != v {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        v
    }
    let mut count = vertices;
    for tet in tets {
        for &v in &tet[1..] {
            let (a, b) = (root(&mut parent, tet[0] as usize), root(&mut parent, v as usize));
            count -= usize::from(a != b);
            parent[a] = b;
        }
    }
    count
}

#[test]
fn bodies_are_about_a_metre_large_and_stand_on_the_ground() {
    for body in bodies::bodies() {
        let solid = (body.shape)().compile().unwrap();
        let largest = solid.size().max_element();
        assert!((0.9..1.25).contains(&largest), "{}: {largest}", body.name);
        let (low, _) = solid.bounds();
        assert!(body.name == "donut" || low[2].abs() < 0.03, "{}: {low:?}", body.name);
        assert!(bodies::body(body.name).is_some());
    }
    assert!(bodies::body("unicorn").is_none());
}
