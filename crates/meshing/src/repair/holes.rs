//! Fills holes with the patch of least area, found by dynamic programming over the polygon \[Barequet95\].

use super::RepairOptions;
use super::change::{ChangeKind, Log};
use crate::inspect::middle;
use pliant_mesh::measure::relative_size;
use pliant_mesh::topology::{EdgeUse, Sets, by_edge, edge_uses, open_loops};
use pliant_mesh::vector::area_vector;
use pliant_mesh::{DVec3, TriMesh};

/// The time for a hole grows with the cube of its edges.
const MOST_EDGES: usize = 500;

pub(super) fn fill(mesh: &mut TriMesh, options: &RepairOptions, log: &mut Log) {
    let uses = edge_uses(&mesh.triangles);
    let loops = open_loops(&uses);
    if loops.is_empty() || options.hole_edges == 0 {
        return;
    }
    let areas = PartAreas::new(mesh, &uses);
    let mut filled = Vec::new();
    // Edges of patches, so that no two of them make the same one.
    let mut new_edges = std::collections::BTreeSet::new();
    for hole in loops.iter().filter(|hole| hole.closed) {
        let rim = &hole.vertices;
        if rim.len() < 3 || rim.len() > options.hole_edges.min(MOST_EDGES) {
            continue;
        }
        let exists =
            |a: u32, b: u32| new_edges.contains(&(a.min(b), a.max(b))) || find_edge(&uses, a, b).is_some();
        let cost = |t: [u32; 3]| {
            let corners = t.map(|i| mesh.vertices[i as usize]);
            if relative_size(corners) > options.flat { area_vector(corners).length() } else { f64::INFINITY }
        };
        let Some(patch) = cheapest_patch(rim, exists, cost) else { continue };
        let area: f64 = patch.iter().map(|t| area_of(&mesh.vertices, t)).sum();
        let whole = find_edge(&uses, rim[0], rim[1]).map_or(0.0, |edge| areas.at(edge));
        if area > options.hole_area * whole || turns_back(&uses, rim) {
            continue;
        }
        new_edges.extend(
            patch
                .iter()
                .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| (a.min(b), a.max(b)))),
        );
        filled.push((rim.clone(), patch));
    }
    log.add(
        ChangeKind::HolesFilled,
        filled.iter().map(|(rim, _)| (rim.clone(), middle(&mesh.vertices, rim))),
    );
    for (rim, patch) in filled {
        add_patch(mesh, &uses, &rim, patch);
    }
}

/// A use of the edge between two vertices; the only one for the edges of a rim.
fn find_edge(uses: &[EdgeUse], a: u32, b: u32) -> Option<&EdgeUse> {
    let key = (a.min(b), a.max(b));
    uses.binary_search_by(|edge| edge.key().cmp(&key)).ok().map(|i| &uses[i])
}

fn rim_edges(rim: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    rim.iter().copied().zip(rim.iter().copied().cycle().skip(1)).take(rim.len())
}

/// Whether some triangle passes the rim the other way than the rest: no patch can agree with all of them.
fn turns_back(uses: &[EdgeUse], rim: &[u32]) -> bool {
    rim_edges(rim).any(|(a, b)| find_edge(uses, a, b).is_none_or(|edge| edge.directed() != [a, b]))
}

fn area_of(vertices: &[DVec3], t: &[u32; 3]) -> f64 {
    area_vector(t.map(|i| vertices[i as usize])).length() / 2.0
}

/// The triangles join the groups that hold all triangles around the hole.
fn add_patch(mesh: &mut TriMesh, uses: &[EdgeUse], rim: &[u32], patch: Vec<[u32; 3]>) {
    let around: Vec<u32> =
        rim_edges(rim).filter_map(|(a, b)| find_edge(uses, a, b)).map(|edge| edge.triangle).collect();
    let first = mesh.triangles.len() as u32;
    let last = first + patch.len() as u32;
    mesh.triangles.extend(patch);
    for group in mesh.groups.values_mut() {
        if around.iter().all(|t| group.elements.binary_search(t).is_ok()) {
            group.elements.extend(first..last);
        }
    }
}

/// Triangulation of the polygon with the least sum of costs and without the inner edges that exist already;
/// oriented against the direction of the rim. `None` if there is none of finite cost.
fn cheapest_patch(
    rim: &[u32],
    exists: impl Fn(u32, u32) -> bool,
    cost: impl Fn([u32; 3]) -> f64,
) -> Option<Vec<[u32; 3]>> {
    let n = rim.len();
    // Of the chain from i to j: least cost, and the tip of the triangle on the chord.
    let mut least = vec![0.0; n * n];
    let mut tip = vec![0usize; n * n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let is_rim = span == n - 1;
            let mut best = (f64::INFINITY, i + 1);
            if is_rim || !exists(rim[i], rim[j]) {
                for k in i + 1..j {
                    let whole = least[i * n + k] + least[k * n + j] + cost([rim[i], rim[k], rim[j]]);
                    if whole < best.0 {
                        best = (whole, k);
                    }
                }
            }
            (least[i * n + j], tip[i * n + j]) = best;
        }
    }
    if !least[n - 1].is_finite() {
        return None;
    }
    let mut patch = Vec::with_capacity(n - 2);
    let mut chords = vec![(0, n - 1)];
    while let Some((i, j)) = chords.pop() {
        if j - i >= 2 {
            let k = tip[i * n + j];
            patch.push([rim[j], rim[k], rim[i]]);
            chords.extend([(k, j), (i, k)]);
        }
    }
    Some(patch)
}

/// Areas of the parts that hang together by edges: a triangle that touches a part in one vertex only is not a
/// hole of it.
struct PartAreas {
    part_of: Vec<u32>,
    area: Vec<f64>,
}

impl PartAreas {
    fn new(mesh: &TriMesh, uses: &[EdgeUse]) -> Self {
        let mut parts = Sets::new(mesh.triangles.len());
        for run in by_edge(uses) {
            for other in &run[1..] {
                parts.join(run[0].triangle, other.triangle);
            }
        }
        let part_of: Vec<u32> = (0..mesh.triangles.len() as u32).map(|t| parts.find(t)).collect();
        let mut area = vec![0.0; mesh.triangles.len()];
        for (t, &part) in mesh.triangles.iter().zip(&part_of) {
            area[part as usize] += area_of(&mesh.vertices, t);
        }
        Self { part_of, area }
    }

    fn at(&self, edge: &EdgeUse) -> f64 {
        self.area[self.part_of[edge.triangle as usize] as usize]
    }
}
