//! Topology and intersections of a surface.

use super::defects::{has_repeat, middle};
use super::report::{Defect, Defects, InspectOptions, LoopReport};
use pliant_mesh::topology::{
    EdgeUse, FaceUse, OpenLoop, by_edge, edge_uses, fans_per_vertex, open_loops, parts_by_vertices,
};
use pliant_mesh::vector::area_vector;
use pliant_mesh::{Aabb, DVec3, MeshError, TriangleTree};

pub(super) struct SurfaceFacts {
    pub triangles: usize,
    pub area: f64,
    pub volume: Option<f64>,
    pub closed: bool,
    pub euler: i64,
    pub genus: Option<i64>,
    pub open_loops: usize,
    pub longest_open_loops: Vec<LoopReport>,
    pub defects: Defects,
}

/// Faces with one tet, in the order of the tets.
pub(super) fn boundary_of(tets: &[[u32; 4]], faces: &[FaceUse]) -> Vec<[u32; 3]> {
    let mut single: Vec<&FaceUse> =
        faces.chunk_by(|a, b| a.key == b.key).filter(|run| run.len() == 1).map(|run| &run[0]).collect();
    single.sort_unstable_by_key(|face| face.id);
    single.iter().map(|face| face.outward(tets)).collect()
}

impl SurfaceFacts {
    pub fn of(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        options: &InspectOptions,
    ) -> Result<Self, MeshError> {
        // A triangle that uses a vertex twice is reported as degenerate; it has no place in the topology.
        let proper: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| !has_repeat(t)).collect();
        let uses = edge_uses(&proper);
        let fans = fans_per_vertex(vertices.len(), &proper, &uses);
        let edges = by_edge(&uses).count();
        let used = fans.iter().filter(|&&n| n > 0).count();
        let mut defects = edge_defects(vertices, &uses, options.places);
        let pinched = (0..vertices.len()).filter(|&i| fans[i] > 1);
        defects.non_manifold_vertices =
            Defect::collect(pinched.map(|i| (vec![i as u32], vertices[i])), options.places);
        if options.self_intersections {
            defects.self_intersections = intersections(vertices, triangles, options.places)?;
        }
        let closed = defects.open_edges.count == 0;
        let manifold = defects.non_manifold_edges.count + defects.non_manifold_vertices.count == 0;
        let euler = used as i64 - edges as i64 + proper.len() as i64;
        let parts = || parts_by_vertices(vertices.len(), &proper).1 as i64;
        let loops = open_loops(&uses);
        let encloses = closed && is_balanced(&uses) && !proper.is_empty();
        Ok(Self {
            triangles: triangles.len(),
            area: triangles.iter().map(|t| area_vector(corners(vertices, t)).length() / 2.0).sum(),
            volume: encloses.then(|| enclosed_volume(vertices, triangles)),
            closed,
            euler,
            genus: (encloses && manifold).then(|| parts() - euler / 2),
            open_loops: loops.len(),
            longest_open_loops: loop_reports(vertices, &loops, options.places),
            defects,
        })
    }
}

fn corners(vertices: &[DVec3], t: &[u32; 3]) -> [DVec3; 3] {
    t.map(|i| vertices[i as usize])
}

/// Whether each edge is passed as often one way as the other.
fn is_balanced(uses: &[EdgeUse]) -> bool {
    by_edge(uses).all(|run| 2 * run.iter().filter(|u| u.forward).count() == run.len())
}

pub(crate) fn enclosed_volume(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    // From a point nearby: far from the origin the terms would cancel.
    let origin = vertices[triangles[0][0] as usize];
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = corners(vertices, t).map(|p| p - origin);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

fn edge_defects(vertices: &[DVec3], uses: &[EdgeUse], keep: usize) -> Defects {
    let places = |bad: fn(&[EdgeUse]) -> bool| {
        let hits = by_edge(uses).filter(|run| bad(run)).map(|run| vec![run[0].low, run[0].high]);
        Defect::collect(
            hits.map(|edge| {
                let at = middle(vertices, &edge);
                (edge, at)
            }),
            keep,
        )
    };
    Defects {
        open_edges: places(|run| run.len() == 1),
        non_manifold_edges: places(|run| run.len() > 2),
        misoriented_edges: places(|run| run.len() == 2 && run[0].forward == run[1].forward),
        ..Default::default()
    }
}

fn intersections(vertices: &[DVec3], triangles: &[[u32; 3]], keep: usize) -> Result<Defect, MeshError> {
    let sorted = |t: u32| {
        let mut key = triangles[t as usize];
        key.sort_unstable();
        key
    };
    let pairs = TriangleTree::from_parts(vertices, triangles)?.self_intersections();
    // Triangles with the same vertices are duplicates, a defect of its own.
    let hits = pairs.iter().filter(|[a, b]| sorted(*a) != sorted(*b));
    Ok(Defect::collect(
        hits.map(|pair| {
            let [a, b] = pair.map(|t| Aabb::around(&corners(vertices, &triangles[t as usize])));
            (pair.to_vec(), a.intersection(b).center())
        }),
        keep,
    ))
}

fn loop_reports(vertices: &[DVec3], loops: &[OpenLoop], keep: usize) -> Vec<LoopReport> {
    let mut reports: Vec<LoopReport> = loops
        .iter()
        .map(|l| {
            let ends = l.vertices.iter().zip(l.vertices.iter().cycle().skip(1));
            let edges = l.vertices.len() - usize::from(!l.closed);
            let lengths =
                ends.take(edges).map(|(&a, &b)| vertices[a as usize].distance(vertices[b as usize]));
            let center = middle(vertices, &l.vertices);
            LoopReport {
                edges,
                length: lengths.sum(),
                area: fan_area(vertices, &l.vertices, center),
                center: center.to_array(),
                closed: l.closed,
            }
        })
        .collect();
    reports.sort_by(|a, b| b.length.total_cmp(&a.length));
    reports.truncate(keep);
    reports
}

/// Area of the triangles between a loop and a point.
fn fan_area(vertices: &[DVec3], rim: &[u32], center: DVec3) -> f64 {
    let corner = |k: usize| vertices[rim[k % rim.len()] as usize];
    (0..rim.len()).map(|k| 0.5 * area_vector([center, corner(k), corner(k + 1)]).length()).sum()
}
