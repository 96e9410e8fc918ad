//! The walk through the trees against a loop over all pairs of features.

use super::*;
use crate::BodyId;
use crate::near::{EdgeTest, VertexTest};
use proptest::prelude::*;

/// Corners of a triangle and how they move.
type Moving = ([DVec3; 3], [DVec3; 3]);

/// Scattered small triangles that move.
fn soup() -> impl Strategy<Value = (Vec<Moving>, f64)> {
    let within = |r: f64| prop::array::uniform3(-r..r).prop_map(DVec3::from_array);
    let near = prop::array::uniform3(within(0.15));
    let triangle = (near, within(0.5), within(0.2), within(0.03)).prop_map(|(t, p, s, w)| {
        let start = t.map(|c| c + p);
        let [a, b, c] = start.map(|x| x + s);
        (start, [a + w, b, c])
    });
    (prop::collection::vec(triangle, 12..80), 0.0..0.05_f64)
}

/// Adds a tetrahedron behind a triangle.
fn add_tet((start, end): Moving, x: &mut [Vec<DVec3>; 2], triangles: &mut Vec<[u32; 3]>) {
    let [a, b, c] = [0, 1, 2].map(|k| x[0].len() as u32 + k);
    let d = c + 1;
    triangles.extend([[a, b, c], [a, d, b], [b, d, c], [c, d, a]]);
    for (x, corners) in x.iter_mut().zip([start, end]) {
        let normal =
            (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize().unwrap_or(DVec3::ZERO);
        x.extend(corners);
        x.push(corners[0] - 0.1 * normal);
    }
}

fn by_all_pairs(d: &Detector, view: StepView) -> Vec<Found> {
    let (parts, topology) = (&d.skin.parts, &d.skin.topology);
    let edges_of = |part: usize| {
        (0..topology.edges.len() as u32)
            .filter(move |&e| parts[part].vertices.contains(&(topology.edges[e as usize][0] as usize)))
    };
    let mut found = Vec::new();
    for a in 0..parts.len() {
        for b in 0..parts.len() {
            if parts[a].is_rigid() && parts[b].is_rigid() {
                continue;
            }
            for v in parts[a].vertices.clone() {
                for t in parts[b].triangles.clone() {
                    VertexTest::new(view, a as u32, b as u32, f64::INFINITY)
                        .test(v as u32, t as u32, &mut found);
                }
            }
            for e in edges_of(a) {
                for f in edges_of(b).filter(|&f| a < b || (a == b && e < f)) {
                    EdgeTest::new(view, a as u32, b as u32).test([e, f], &mut found);
                }
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_trees_lose_no_contact((soup, margin) in soup()) {
        let (tets, sheets) = soup.split_at(soup.len() / 3);
        let mut x = [Vec::new(), Vec::new()];
        let (mut solid, mut cloth) = (Vec::new(), Vec::new());
        for &moving in tets {
            add_tet(moving, &mut x, &mut solid);
        }
        for &(start, end) in sheets {
            cloth.push([0, 1, 2].map(|k| x[0].len() as u32 + k));
            x[0].extend(start);
            x[1].extend(end);
        }
        let mesh = pliant_mesh::TriMesh {
            vertices: x[0].iter().map(|p| DVec3::new(p.y, p.z, p.x)).collect(),
            triangles: cloth.clone(),
            ..Default::default()
        };
        let surface = |body: BodyId, triangles, solid| Surface {
            body, triangles, solid, radius: 0.01 * f64::from(body.0), self_contact: true,
        };
        let surfaces = [surface(BodyId(0), solid, true), surface(BodyId(1), cloth, false)];
        let obstacles = [Obstacle { shape: Shape::Mesh(mesh), radius: 0.002 }];
        let [x0, x1] = x;
        let options = Options { margin, between_bodies: true };
        let mut detector = Detector::new(&surfaces, &obstacles, &x0, options).unwrap();
        let poses = |z: f64| [Pose { translation: z * DVec3::Z, ..Pose::IDENTITY }];
        let mut contacts = Vec::new();
        detector.detect(&crate::Serial, &x0, &x1, &poses(0.0), &poses(0.1), &mut contacts);
        let mut chooser = Chooser::default();
        // As before the step.
        let view = StepView { remembered: &[], ..detector.view() };
        chooser.found = by_all_pairs(&detector, view);
        let mut expected = Vec::new();
        chooser.choose(view, &mut expected);
        let missing: Vec<_> = expected.iter().filter(|e| contacts.iter().all(|c| c.key != e.key)).collect();
        prop_assert!(missing.is_empty(), "{:?}", missing);
        prop_assert_eq!(contacts.len(), expected.len());
        for (c, e) in contacts.iter().zip(&expected) {
            prop_assert_eq!(c.key, e.key);
        }
    }
}
