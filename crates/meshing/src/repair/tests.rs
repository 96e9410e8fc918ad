//! Good meshes, broken on purpose and mended again.

use super::*;
use crate::inspect::{InspectOptions, MeshReport, inspect};
use pliant_mesh::{DVec3, Group, Groups, ball, block, cloth, dvec3, sphere_surface};

fn mend(mesh: &TriMesh) -> (TriMesh, Vec<Change>) {
    mend_with(mesh, &RepairOptions::default())
}

fn mend_with(mesh: &TriMesh, options: &RepairOptions) -> (TriMesh, Vec<Change>) {
    let mut mended = Mesh::from(mesh.clone());
    let changes = repair(&mut mended, options).unwrap();
    let Mesh::Tri(mended) = mended else { panic!("a surface stays one") };
    mended.validate().unwrap();
    // Mending what is mended changes nothing, except that copies of vertices are welded and cut again.
    let again = repair(&mut Mesh::from(mended.clone()), options).unwrap();
    let lasting =
        |c: &Change| !matches!(c.kind, ChangeKind::Welded | ChangeKind::CutApart | ChangeKind::UnusedDropped);
    assert!(!again.iter().any(lasting), "{again:?}");
    (mended, changes)
}

fn kinds(changes: &[Change]) -> Vec<(ChangeKind, usize)> {
    changes.iter().map(|c| (c.kind, c.count)).collect()
}

fn report(mesh: &TriMesh) -> MeshReport {
    inspect(&Mesh::from(mesh.clone()), &InspectOptions::default()).unwrap()
}

/// The sphere as a soup: each triangle with its own vertices.
fn soup(mesh: &TriMesh) -> TriMesh {
    let vertices = mesh.triangles.iter().flatten().map(|&i| mesh.vertices[i as usize]).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh { vertices, triangles, groups: Groups::new() }
}

/// A cube of twelve triangles.
fn cube() -> TriMesh {
    let solid = block([1.0; 3], [1, 1, 1]).unwrap();
    TriMesh { triangles: solid.boundary(), vertices: solid.vertices, groups: Groups::new() }
}

fn append(mesh: &mut TriMesh, other: &TriMesh, shift: DVec3, turned: bool) {
    let n = mesh.vertices.len() as u32;
    mesh.vertices.extend(other.vertices.iter().map(|&p| p + shift));
    mesh.triangles.extend(other.triangles.iter().map(|t| {
        let [a, b, c] = t.map(|i| i + n);
        if turned { [a, c, b] } else { [a, b, c] }
    }));
}

#[test]
fn a_good_mesh_is_left_alone() {
    for mesh in [sphere_surface(1.0, 3).unwrap(), cloth([1.0, 1.0], 5).unwrap(), cube()] {
        assert_eq!(mend(&mesh), (mesh, vec![]));
    }
    let solid = ball(1.0, 4).unwrap();
    let mut mended = Mesh::from(solid.clone());
    assert!(repair(&mut mended, &RepairOptions::default()).unwrap().is_empty());
    assert_eq!(mended, Mesh::from(solid));
}

#[test]
fn a_soup_is_welded() {
    let sphere = sphere_surface(1.0, 3).unwrap();
    let mut broken = soup(&sphere);
    for (i, p) in broken.vertices.iter_mut().enumerate() {
        p[i % 3] += 1e-11 * (i as f64).sin();
    }
    let (mended, changes) = mend(&broken);
    assert_eq!(mended.vertices.len(), sphere.vertices.len());
    assert!(report(&mended).defects.is_empty());
    let welded = broken.vertices.len() - sphere.vertices.len();
    assert_eq!(kinds(&changes), [(ChangeKind::Welded, welded), (ChangeKind::UnusedDropped, welded)]);
    let options = RepairOptions { weld_distance: Some(0.0), ..Default::default() };
    assert!(mend_with(&broken, &options).0.vertices.len() > sphere.vertices.len());
}

#[test]
fn turned_triangles_are_turned_back_and_the_whole_outward() {
    let sphere = sphere_surface(1.0, 3).unwrap();
    let mut broken = sphere.clone();
    for t in (0..broken.triangles.len()).filter(|t| t % 7 < 2) {
        broken.triangles[t].swap(1, 2);
    }
    let (mended, changes) = mend(&broken);
    assert_eq!(kinds(&changes)[0].0, ChangeKind::Turned);
    assert!(report(&mended).defects.is_empty() && report(&mended).volume.unwrap() > 4.0);
    // With most of them turned the majority is inside out.
    let mut broken = sphere;
    for t in (0..broken.triangles.len()).filter(|t| t % 7 < 5) {
        broken.triangles[t].swap(1, 2);
    }
    let (mended, changes) = mend(&broken);
    assert!(changes.iter().any(|c| c.kind == ChangeKind::PartsTurned));
    assert!(report(&mended).volume.unwrap() > 4.0);
}

#[test]
fn a_cavity_stays_one_and_is_turned_with_its_body() {
    let (outer, inner) = (sphere_surface(1.0, 3).unwrap(), sphere_surface(0.5, 2).unwrap());
    let mut hollow = outer.clone();
    append(&mut hollow, &inner, DVec3::ZERO, true);
    assert_eq!(mend(&hollow), (hollow.clone(), vec![]));
    let mut inside_out = hollow.clone();
    for t in &mut inside_out.triangles {
        t.swap(1, 2);
    }
    let (mended, changes) = mend(&inside_out);
    assert_eq!((mended, kinds(&changes)), (hollow, vec![(ChangeKind::PartsTurned, 2)]));
    // Beside each other each counts for itself.
    let mut beside = outer.clone();
    append(&mut beside, &inner, dvec3(2.0, 0.0, 0.0), true);
    assert_eq!(kinds(&mend(&beside).1), [(ChangeKind::PartsTurned, 1)]);
}

#[test]
fn small_holes_are_filled_and_rims_are_not() {
    let sphere = sphere_surface(1.0, 3).unwrap();
    let mut broken = sphere.clone();
    let top = |t: &[u32; 3]| t.iter().any(|&i| sphere.vertices[i as usize][2] > 0.96);
    broken.triangles.retain(|t| !top(t));
    let before = report(&broken);
    let (mended, changes) = mend(&broken);
    assert!(kinds(&changes).contains(&(ChangeKind::HolesFilled, 1)));
    let after = report(&mended);
    assert!(after.closed && after.defects.is_empty() && before.open_loops == 1);
    assert!((after.volume.unwrap() / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.02);
    let options = RepairOptions { hole_edges: 5, ..Default::default() };
    assert!(!report(&mend_with(&broken, &options).0).closed);
    // Half a sphere is a bowl, not a sphere with a hole.
    let mut bowl = sphere.clone();
    bowl.triangles.retain(|t| t.iter().all(|&i| sphere.vertices[i as usize][2] < 0.1));
    assert!(!mend(&bowl).1.iter().any(|c| c.kind == ChangeKind::HolesFilled));
    assert!(mend(&cloth([1.0, 1.0], 2).unwrap()).1.is_empty());
}

#[test]
fn a_patch_joins_the_groups_around_it() {
    let mut mesh = sphere_surface(1.0, 3).unwrap();
    mesh.triangles.remove(100);
    let all: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    mesh.groups.insert("all".into(), Group { vertices: vec![], elements: all.clone() });
    mesh.groups.insert("some".into(), Group { vertices: vec![3], elements: vec![0, 1] });
    let (mended, _) = mend(&mesh);
    assert_eq!(mended.groups["all"].elements.len(), all.len() + 1);
    assert_eq!(mended.groups["some"], mesh.groups["some"]);
}

#[test]
fn collapsed_and_duplicate_triangles_are_dropped_and_groups_follow() {
    let sphere = sphere_surface(1.0, 2).unwrap();
    let mut broken = sphere.clone();
    broken.triangles.insert(0, [4, 4, 9]);
    broken.triangles.insert(5, broken.triangles[9]);
    broken.vertices.push(DVec3::splat(7.0));
    let corner = broken.triangles[20][0];
    broken.groups.insert("g".into(), Group { vertices: vec![corner], elements: vec![0, 5, 20] });
    let (mended, changes) = mend(&broken);
    assert_eq!(
        kinds(&changes),
        [
            (ChangeKind::CollapsedDropped, 1),
            (ChangeKind::DuplicatesDropped, 1),
            (ChangeKind::UnusedDropped, 1)
        ]
    );
    let group = &mended.groups["g"];
    // Of the two equal triangles the first stays, in the group; the tenth went.
    assert_eq!(group.elements, [4, 18]);
    assert_eq!(mended.triangles[18], broken.triangles[20]);
    assert!(report(&mended).defects.is_empty());
}

#[test]
fn an_inner_wall_goes_and_the_two_sides_of_a_sheet_become_one() {
    // Two cubes that share a face which both have.
    let mut walled = cube();
    append(&mut walled, &cube(), DVec3::X, false);
    let (mended, changes) = mend(&walled);
    assert!(kinds(&changes).contains(&(ChangeKind::DuplicatesDropped, 4)), "{changes:?}");
    let r = report(&mended);
    assert!(r.defects.is_empty() && (r.volume.unwrap() - 2.0).abs() < 1e-12);
    let sheet = cloth([1.0, 1.0], 3).unwrap();
    let mut doubled = sheet.clone();
    doubled.triangles.extend(sheet.triangles.iter().map(|&[a, b, c]| [a, c, b]));
    let (mended, changes) = mend(&doubled);
    assert_eq!(mended.triangles, sheet.triangles);
    assert_eq!(kinds(&changes), [(ChangeKind::DuplicatesDropped, sheet.triangles.len())]);
}

#[test]
fn bodies_that_touch_in_an_edge_or_a_corner_are_cut_apart() {
    for shift in [dvec3(1.0, 1.0, 0.0), DVec3::ONE] {
        let mut touching = cube();
        append(&mut touching, &cube(), shift, false);
        let (mended, changes) = mend(&touching);
        assert!(changes.iter().any(|c| c.kind == ChangeKind::CutApart));
        let r = report(&mended);
        assert_eq!((r.components, r.genus, r.defects.non_manifold_edges.count), (2, Some(0), 0));
        assert!((r.volume.unwrap() - 2.0).abs() < 1e-12);
    }
}

/// Two cavities that share an edge: the body around it hangs together at both ends of the edge, so that copies
/// of vertices do not help.
#[test]
fn an_edge_that_cannot_be_cut_is_split() {
    let mut mesh = cube();
    let cavities = TriMesh {
        vertices: vec![
            dvec3(0.5, 0.5, 0.3),
            dvec3(0.5, 0.5, 0.7),
            dvec3(0.6, 0.55, 0.5),
            dvec3(0.6, 0.45, 0.5),
            dvec3(0.4, 0.55, 0.5),
            dvec3(0.4, 0.45, 0.5),
        ],
        triangles: pliant_mesh::TetMesh {
            vertices: vec![],
            tets: vec![[0, 1, 3, 2], [0, 1, 4, 5]],
            groups: Groups::new(),
        }
        .boundary(),
        groups: Groups::new(),
    };
    append(&mut mesh, &cavities, DVec3::ZERO, true);
    let before = report(&mesh);
    assert_eq!(before.defects.non_manifold_edges.count, 1);
    let (mended, changes) = mend(&mesh);
    assert_eq!(kinds(&changes), [(ChangeKind::EdgesSplit, 1)]);
    let after = report(&mended);
    assert!(after.closed && after.genus.is_some() && after.defects.non_manifold_vertices.count == 0);
    assert!((after.volume.unwrap() - before.volume.unwrap()).abs() < 1e-15);
}

#[test]
fn a_third_page_is_cut_off_and_the_copies_join_the_groups() {
    let book = TriMesh {
        vertices: vec![
            DVec3::ZERO,
            DVec3::X,
            dvec3(0.5, 1.0, 0.0),
            dvec3(0.5, -1.0, 0.0),
            dvec3(0.5, 0.0, 1.0),
        ],
        triangles: vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]],
        groups: [("spine".to_string(), Group { vertices: vec![0, 1], elements: vec![] })].into(),
    };
    let (mended, changes) = mend(&book);
    assert_eq!(kinds(&changes), [(ChangeKind::CutApart, 2)]);
    // The flat pair stays together.
    assert_eq!(mended.triangles[..2], book.triangles[..2]);
    assert_eq!(mended.triangles[2], [5, 6, 4]);
    assert_eq!(mended.groups["spine"].vertices, [0, 1, 5, 6]);
    mended.hinges().unwrap();
    let keep = RepairOptions { cut_non_manifold: false, ..Default::default() };
    assert!(mend_with(&book, &keep).1.is_empty());
}

#[test]
fn needles_collapse_and_caps_flip_without_a_gap() {
    // Cut a triangle of the sphere at a point of one edge: two caps or a needle arise.
    let sphere = sphere_surface(1.0, 2).unwrap();
    let [a, b, c] = sphere.triangles[0];
    let at = |i: u32| sphere.vertices[i as usize];
    let middle = 0.5 * (at(a) + at(b));
    let near_a = at(a) + 1e-7 * (at(b) - at(a));
    for (point, kind) in [(middle, ChangeKind::EdgesFlipped), (near_a, ChangeKind::EdgesCollapsed)] {
        let mut broken = sphere.clone();
        let m = broken.vertices.len() as u32;
        broken.vertices.push(point);
        // The neighbour across a-b keeps its long edge: a flat triangle a, b, m closes the gap.
        broken.triangles[0] = [a, m, c];
        broken.triangles.extend([[m, b, c], [a, b, m]]);
        assert!(report(&broken).closed);
        let (mended, changes) = mend(&broken);
        assert_eq!(changes[0].kind, kind, "{changes:?}");
        let r = report(&mended);
        assert!(r.closed && r.genus == Some(0) && r.defects.is_empty(), "{:?}", r.defects);
        assert!((r.volume.unwrap() - report(&sphere).volume.unwrap()).abs() < 1e-6);
    }
}

#[test]
fn a_flat_triangle_at_a_rim_is_dropped() {
    let mut sheet = cloth([1.0, 1.0], 2).unwrap();
    let edge = sheet
        .triangles
        .iter()
        .flat_map(|t| (0..3).map(|k| [t[k], t[(k + 1) % 3]]))
        .find(|&[a, b]| !sheet.triangles.iter().any(|t| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == [b, a])))
        .unwrap();
    let m = sheet.vertices.len() as u32;
    let [p, q] = edge.map(|i| sheet.vertices[i as usize]);
    sheet.vertices.push(0.5 * (p + q));
    // Beyond the rim, with its long side on the mesh: that side cannot flip usefully, so the cap is turned
    // over to the neighbour.
    sheet.triangles.push([edge[1], edge[0], m]);
    let (mended, _) = mend(&sheet);
    assert!(report(&mended).defects.degenerate_elements.count == 0);
}

#[test]
fn tets_are_welded_oriented_and_freed_of_rubbish() {
    let good = block([1.0; 3], [2, 2, 2]).unwrap();
    let mut broken = good.clone();
    for t in (0..48).step_by(3) {
        broken.tets[t].swap(0, 1);
    }
    let corner = broken.tets[7][2];
    let copy = broken.vertices.len() as u32;
    broken.vertices.push(broken.vertices[corner as usize]);
    broken.tets[7][2] = copy;
    broken.tets.push(broken.tets[4]);
    broken.tets.push([0, 0, 1, 2]);
    broken.groups.insert("late".into(), Group { vertices: vec![copy], elements: vec![4, 48, 49] });
    let mut mended = Mesh::from(broken);
    let changes = repair(&mut mended, &RepairOptions::default()).unwrap();
    assert_eq!(
        kinds(&changes),
        [
            (ChangeKind::Welded, 1),
            (ChangeKind::CollapsedDropped, 1),
            (ChangeKind::DuplicatesDropped, 1),
            (ChangeKind::Turned, 16),
            (ChangeKind::UnusedDropped, 1)
        ]
    );
    mended.validate().unwrap();
    assert_eq!(mended.groups()["late"], Group { vertices: vec![corner], elements: vec![4] });
    let Mesh::Tet(mended) = mended else { panic!("a volume stays one") };
    assert!((mended.volume() - 1.0).abs() < 1e-12);
}

#[test]
fn a_flat_tet_is_dropped() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(1.0 / 3.0)];
    let tets = vec![[0, 1, 2, 3], [1, 2, 3, 4]];
    let mut mesh = Mesh::from(TetMesh { vertices, tets, groups: Groups::new() });
    let changes = repair(&mut mesh, &RepairOptions::default()).unwrap();
    assert_eq!(kinds(&changes), [(ChangeKind::FlatDropped, 1), (ChangeKind::UnusedDropped, 1)]);
    mesh.validate().unwrap();
}

#[test]
fn changes_read_well_and_are_json() {
    let mut mesh = sphere_surface(1.0, 1).unwrap();
    mesh.vertices.extend([dvec3(9.0, 8.0, 7.5), DVec3::splat(1.5)]);
    let changes = mend(&mesh).1;
    assert_eq!(
        changes[0].to_string(),
        "dropped 2 unused vertices, the first at (9.000000, 8.000000, 7.500000)"
    );
    let json = serde_json::to_value(&changes).unwrap();
    assert_eq!(json[0]["kind"], "unused_dropped");
    assert_eq!(json[0]["first"][1]["at"][0], 1.5);
}

#[test]
fn nothing_left_or_unreadable_is_an_error() {
    let mut mesh = Mesh::from(TriMesh {
        vertices: vec![DVec3::ZERO; 3],
        triangles: vec![[0, 1, 2]],
        ..Default::default()
    });
    let options = RepairOptions::default();
    assert!(matches!(repair(&mut mesh, &options), Err(MeshError::NoElements { .. })));
    let mut mesh = Mesh::from(TriMesh {
        vertices: vec![DVec3::ZERO; 3],
        triangles: vec![[0, 1, 3]],
        ..Default::default()
    });
    assert!(matches!(repair(&mut mesh, &options), Err(MeshError::IndexOutOfRange { .. })));
}

mod random {
    use super::*;
    use proptest::prelude::*;

    /// Triangles between few points of a small grid: every defect is frequent.
    fn rubbish() -> impl Strategy<Value = TriMesh> {
        let point = prop::array::uniform3((0..4_i32).prop_map(f64::from)).prop_map(DVec3::from_array);
        (prop::collection::vec(point, 3..14)).prop_flat_map(|vertices| {
            let n = vertices.len() as u32;
            prop::collection::vec(prop::array::uniform3(0..n), 1..40).prop_map(move |triangles| TriMesh {
                vertices: vertices.clone(),
                triangles,
                groups: Groups::new(),
            })
        })
    }

    proptest! {
        #[test]
        fn rubbish_becomes_a_manifold(mut mesh in rubbish()) {
            let elements = (0..mesh.triangles.len() as u32).step_by(2).collect();
            let vertices = (0..mesh.vertices.len() as u32).step_by(3).collect();
            mesh.groups.insert("half".into(), Group { vertices, elements });
            let mut mended = Mesh::from(mesh);
            match repair(&mut mended, &RepairOptions::default()) {
                Err(MeshError::NoElements { .. }) => {}
                Err(other) => prop_assert!(false, "{}", other),
                Ok(_) => {
                    mended.validate().unwrap();
                    let defects = inspect(&mended, &InspectOptions::default()).unwrap().defects;
                    prop_assert_eq!(defects.non_manifold_edges.count, 0);
                    prop_assert_eq!(defects.duplicate_elements.count, 0);
                    let Mesh::Tri(m) = mended else { panic!("a surface stays one") };
                    prop_assert!(m.hinges().is_ok());
                }
            }
        }
    }
}
