//! Mends triangles without area such that no gap opens: short edges collapse, long edges flip.

use super::carry::{replace_vertices, retain_elements};
use super::change::{ChangeKind, Log};
use crate::inspect::middle;
use pliant_mesh::TriMesh;
use pliant_mesh::measure::longest_edge;
use pliant_mesh::measure::relative_size;
use pliant_mesh::topology::{EdgeUse, by_edge, edge_uses};

/// A flat triangle with an edge shorter than this fraction of its longest is a needle, otherwise a cap.
const NEEDLE: f64 = 1e-6;
/// One flat triangle beside another may take a pass each.
const PASSES: usize = 20;

pub(super) fn mend_flat(mesh: &mut TriMesh, flat: f64, log: &mut Log) {
    for _ in 0..PASSES {
        let found: Vec<usize> =
            (0..mesh.triangles.len()).filter(|&t| relative_size(mesh.corners(t)) <= flat).collect();
        if found.is_empty() {
            return;
        }
        if !Pass::new(mesh).run(&found, log) {
            break;
        }
    }
    // What cannot be mended in place leaves a slit without area rather than a triangle nobody can use.
    let keep: Vec<bool> = (0..mesh.triangles.len()).map(|t| relative_size(mesh.corners(t)) > flat).collect();
    let dropped = (0..mesh.triangles.len()).filter(|&t| !keep[t]);
    log.add(
        ChangeKind::FlatDropped,
        dropped.map(|t| (vec![t as u32], middle(&mesh.vertices, &mesh.triangles[t]))),
    );
    retain_elements(&mut mesh.triangles, &mut mesh.groups, &keep);
}

/// One pass over the flat triangles. Neighbourhoods that were changed wait for the next pass.
struct Pass<'a> {
    mesh: &'a mut TriMesh,
    uses: Vec<EdgeUse>,
    touched: Vec<bool>,
    replacement: Vec<u32>,
    keep: Vec<bool>,
    collapsed: Vec<[u32; 2]>,
    flipped: Vec<[u32; 2]>,
    dropped: Vec<u32>,
}

impl<'a> Pass<'a> {
    fn new(mesh: &'a mut TriMesh) -> Self {
        Self {
            uses: edge_uses(&mesh.triangles),
            touched: vec![false; mesh.vertices.len()],
            replacement: (0..mesh.vertices.len() as u32).collect(),
            keep: vec![true; mesh.triangles.len()],
            collapsed: Vec::new(),
            flipped: Vec::new(),
            dropped: Vec::new(),
            mesh,
        }
    }

    /// Whether anything changed.
    fn run(mut self, found: &[usize], log: &mut Log) -> bool {
        let around = triangles_of_vertices(self.mesh);
        for &t in found {
            if self.mesh.triangles[t].iter().any(|&v| self.touched[v as usize]) {
                continue;
            }
            let (short, long) = self.short_and_long_side(t);
            let is_needle = self.side_length(t, short) <= NEEDLE * longest_edge(&self.mesh.corners(t));
            if is_needle {
                self.collapse(t, short, &around);
            } else {
                self.flip(t, long);
            }
        }
        let vertices = &self.mesh.vertices;
        log.add(
            ChangeKind::EdgesCollapsed,
            self.collapsed.iter().map(|e| (e.to_vec(), vertices[e[0] as usize])),
        );
        let center = |t: u32| middle(vertices, &self.mesh.triangles[t as usize]);
        log.add(ChangeKind::EdgesFlipped, self.flipped.iter().map(|f| (f.to_vec(), center(f[0]))));
        log.add(ChangeKind::FlatDropped, self.dropped.iter().map(|&t| (vec![t], center(t))));
        let changed = !(self.collapsed.is_empty() && self.flipped.is_empty() && self.dropped.is_empty());
        replace_vertices(&mut self.mesh.triangles, &mut self.mesh.groups, &self.replacement);
        retain_elements(&mut self.mesh.triangles, &mut self.mesh.groups, &self.keep);
        changed
    }

    fn side(&self, t: usize, k: usize) -> [u32; 2] {
        [self.mesh.triangles[t][k], self.mesh.triangles[t][(k + 1) % 3]]
    }

    fn side_length(&self, t: usize, k: usize) -> f64 {
        let [a, b] = self.side(t, k).map(|i| self.mesh.vertices[i as usize]);
        a.distance(b)
    }

    fn short_and_long_side(&self, t: usize) -> (usize, usize) {
        let length = |k: usize| self.side_length(t, k);
        let short = (1..3).fold(0, |best, k| if length(k) < length(best) { k } else { best });
        let long = (1..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
        (short, long)
    }

    /// The triangles at an edge.
    fn at_edge(&self, [a, b]: [u32; 2]) -> &[EdgeUse] {
        let key = (a.min(b), a.max(b));
        let first = self.uses.partition_point(|edge| edge.key() < key);
        by_edge(&self.uses[first..]).next().filter(|run| run[0].key() == key).unwrap_or(&[])
    }

    fn touch(&mut self, vertices: impl IntoIterator<Item = u32>) {
        for v in vertices {
            self.touched[v as usize] = true;
        }
    }

    /// Merges the ends of a side, if the surface stays what it is: the ends have no common neighbours besides
    /// the tips of the triangles at the edge.
    fn collapse(&mut self, t: usize, k: usize, around: &Around) {
        let [a, b] = self.side(t, k);
        let mut near_a = around.neighbours(self.mesh, a);
        let near_b = around.neighbours(self.mesh, b);
        let both: Vec<u32> = near_a.iter().copied().filter(|v| near_b.binary_search(v).is_ok()).collect();
        let triangles: Vec<u32> = self.at_edge([a, b]).iter().map(|edge| edge.triangle).collect();
        near_a.extend(&near_b);
        if both.len() != triangles.len() || near_a.iter().any(|&v| self.touched[v as usize]) {
            return;
        }
        for t in triangles {
            self.keep[t as usize] = false;
        }
        let (stays, goes) = (a.min(b), a.max(b));
        self.replacement[goes as usize] = stays;
        self.collapsed.push([stays, goes]);
        self.touch(near_a.into_iter().chain([a, b]));
    }

    /// Replaces the long side by the edge to the tip on its other side. A cap at the rim is dropped.
    fn flip(&mut self, t: usize, long: usize) {
        let [a, b] = self.side(t, long);
        let c = self.mesh.triangles[t][(long + 2) % 3];
        let (other, d) = match self.at_edge([a, b]) {
            [_] => {
                self.keep[t] = false;
                self.dropped.push(t as u32);
                self.touch([a, b, c]);
                return;
            }
            [x, y] if x.forward != y.forward => {
                let other = if x.triangle as usize == t { y } else { x };
                let tip = self.mesh.triangles[other.triangle as usize][(usize::from(other.side) + 2) % 3];
                (other.triangle as usize, tip)
            }
            _ => return,
        };
        let corners = |t: [u32; 3]| t.map(|i| self.mesh.vertices[i as usize]);
        let new = [[c, a, d], [d, b, c]];
        let before = relative_size(self.mesh.corners(t)).min(relative_size(self.mesh.corners(other)));
        let after = relative_size(corners(new[0])).min(relative_size(corners(new[1])));
        let exists = c == d || !self.at_edge([c, d]).is_empty();
        if exists || after <= before || self.touched[d as usize] {
            return;
        }
        self.mesh.triangles[t] = new[0];
        self.mesh.triangles[other] = new[1];
        self.flipped.push([t as u32, other as u32]);
        self.touch([a, b, c, d]);
    }
}

/// The triangles at each vertex.
struct Around {
    first: Vec<usize>,
    triangles: Vec<u32>,
}

fn triangles_of_vertices(mesh: &TriMesh) -> Around {
    let mut first = vec![0; mesh.vertices.len() + 1];
    for &v in mesh.triangles.iter().flatten() {
        first[v as usize + 1] += 1;
    }
    for v in 0..mesh.vertices.len() {
        first[v + 1] += first[v];
    }
    let mut next = first.clone();
    let mut triangles = vec![0; 3 * mesh.triangles.len()];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        for &v in corners {
            triangles[next[v as usize]] = t as u32;
            next[v as usize] += 1;
        }
    }
    Around { first, triangles }
}

impl Around {
    /// Vertices joined to `v` by an edge, ascending.
    fn neighbours(&self, mesh: &TriMesh, v: u32) -> Vec<u32> {
        let at = &self.triangles[self.first[v as usize]..self.first[v as usize + 1]];
        let near = at.iter().flat_map(|&t| mesh.triangles[t as usize]).filter(|&w| w != v).collect();
        pliant_mesh::topology::sorted_unique(near)
    }
}
