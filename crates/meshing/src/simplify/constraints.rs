//! What a simplification keeps: open edges, borders between groups and fixed vertices strictly, sharp edges by
//! their weight. A scan has sharp edges by noise everywhere, which must not stop it.

use super::membership::Membership;
use super::quadric::Quadric;
use pliant_mesh::TriMesh;
use pliant_mesh::topology::{EdgeUse, by_edge, edge_uses, fans_per_vertex};
use pliant_mesh::vector::area_vector;

/// Weight of the upright planes of kept edges against those of triangles.
const BORDER_STRENGTH: f64 = 10.0;

/// How freely a vertex may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Freedom {
    /// Anywhere on the surface.
    Free,
    /// Along the two kept edges it is on.
    Curve,
    /// Not at all.
    Fixed,
}

/// The kept edges of a surface.
pub(super) struct Constraints {
    pub freedom: Vec<Freedom>,
    /// For each triangle, bit `k` is set if the side from corner `k` is kept.
    pub kept_sides: Vec<u8>,
    /// Upright planes at the vertices of kept edges.
    pub borders: Vec<(u32, Quadric)>,
}

impl Constraints {
    pub fn new(mesh: &TriMesh, elements: &Membership, feature_degrees: f64, fixed: &[bool]) -> Self {
        let uses = edge_uses(&mesh.triangles);
        let fans = fans_per_vertex(mesh.vertices.len(), &mesh.triangles, &uses);
        let mut kept_around: Vec<Vec<u32>> = vec![Vec::new(); mesh.vertices.len()];
        let mut crowded = vec![false; mesh.vertices.len()];
        let mut kept_sides = vec![0u8; mesh.triangles.len()];
        let mut borders = Vec::new();
        let least_cosine = feature_degrees.to_radians().cos();
        for run in by_edge(&uses) {
            let kept = is_border(elements, run);
            if kept || is_sharp(mesh, least_cosine, run) {
                let planes = run.iter().map(|edge| upright_plane(mesh, edge));
                borders.extend(planes.flat_map(|plane| [(run[0].low, plane), (run[0].high, plane)]));
            }
            if !kept {
                continue;
            }
            for edge in run {
                kept_sides[edge.triangle as usize] |= 1 << edge.side;
            }
            for [v, other] in [[run[0].low, run[0].high], [run[0].high, run[0].low]] {
                kept_around[v as usize].push(other);
                crowded[v as usize] |= run.len() > 2;
            }
        }
        let freedom = (0..mesh.vertices.len())
            .map(|v| match kept_around[v][..] {
                _ if fixed[v] || crowded[v] || fans[v] > 1 => Freedom::Fixed,
                [] => Freedom::Free,
                [a, b] if !is_corner(mesh, [a, v as u32, b], least_cosine) => Freedom::Curve,
                _ => Freedom::Fixed,
            })
            .collect();
        Self { freedom, kept_sides, borders }
    }
}

fn is_border(elements: &Membership, run: &[EdgeUse]) -> bool {
    let [a, b] = run else { return true };
    elements.of[a.triangle as usize] != elements.of[b.triangle as usize] || a.forward == b.forward
}

fn is_sharp(mesh: &TriMesh, least_cosine: f64, run: &[EdgeUse]) -> bool {
    let [a, b] = run else { return true };
    let [n, m] = [a, b].map(|edge| area_vector(mesh.corners(edge.triangle as usize)));
    n.dot(m) < least_cosine * n.length() * m.length()
}

/// Whether a line bends sharply at its middle vertex.
fn is_corner(mesh: &TriMesh, line: [u32; 3], least_cosine: f64) -> bool {
    let [a, v, b] = line.map(|i| mesh.vertices[i as usize]);
    let (before, after) = (v - a, b - v);
    before.dot(after) < least_cosine * before.length() * after.length()
}

fn upright_plane(mesh: &TriMesh, edge: &EdgeUse) -> Quadric {
    let corners = mesh.corners(edge.triangle as usize);
    let k = usize::from(edge.side);
    Quadric::of_border(corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3], BORDER_STRENGTH)
}
