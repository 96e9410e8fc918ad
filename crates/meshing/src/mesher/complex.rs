//! A tetrahedral mesh that can be changed locally: vertices know their tets.

use super::tets::Tets;
use pliant_mesh::DVec3;
use pliant_mesh::topology::TET_FACES;
use pliant_mesh::vector::{area_vector, tet_volume};

/// Marks a tet that was removed.
const DEAD: [u32; 4] = [u32::MAX; 4];

/// An obtuse angle counts this much of its sine. With it the sine of 168 degrees counts as that of 8 degrees:
/// one number bounds both.
const OBTUSE: f64 = 0.669;

/// What the ratio of volume to edge lengths counts beside the sines: 0.2 of it is as bad as 15 degrees.
const VOLUME_LENGTH: f64 = 1.3;

#[derive(Clone, Debug)]
pub(super) struct Complex {
    pub positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
    /// The tets at each vertex.
    stars: Vec<Vec<u32>>,
    /// Whether a vertex is on the boundary.
    pub on_surface: Vec<bool>,
}

/// The vertices around an edge: `tet k` is made of the edge and vertices `k` and `k + 1`.
#[derive(Debug)]
pub(super) struct Ring {
    pub vertices: Vec<u32>,
    pub tets: Vec<u32>,
    /// False if the edge is on the boundary: then the ring ends at boundary faces.
    pub closed: bool,
}

impl Complex {
    pub fn new(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Self {
        let mut stars = vec![Vec::new(); positions.len()];
        for (t, tet) in tets.iter().enumerate() {
            for &v in tet {
                stars[v as usize].push(t as u32);
            }
        }
        let mut complex = Self { on_surface: vec![false; positions.len()], positions, tets, stars };
        for v in complex.boundary_faces().into_iter().flatten() {
            complex.on_surface[v as usize] = true;
        }
        complex
    }

    /// Number of slots for tets; some may be empty.
    pub fn slots(&self) -> u32 {
        self.tets.len() as u32
    }

    /// The vertices of a tet, or `None` if it was removed.
    pub fn tet(&self, t: u32) -> Option<[u32; 4]> {
        Some(self.tets[t as usize]).filter(|&tet| tet != DEAD)
    }

    /// The tets at a vertex.
    pub fn star(&self, v: u32) -> &[u32] {
        &self.stars[v as usize]
    }

    /// The tets at a vertex, as vertices.
    pub fn star_tets(&self, v: u32) -> impl Iterator<Item = [u32; 4]> {
        self.stars[v as usize].iter().map(|&t| self.tets[t as usize])
    }

    pub fn corners(&self, tet: [u32; 4]) -> [DVec3; 4] {
        tet.map(|v| self.positions[v as usize])
    }

    pub fn quality(&self, tet: [u32; 4]) -> f64 {
        quality(self.corners(tet))
    }

    /// The worst quality at a vertex.
    pub fn worst_at(&self, v: u32) -> f64 {
        self.star_tets(v).map(|tet| self.quality(tet)).fold(f64::INFINITY, f64::min)
    }

    /// The worst quality of some tets.
    pub fn worst_of(&self, tets: &[u32]) -> f64 {
        tets.iter().map(|&t| self.quality(self.tets[t as usize])).fold(f64::INFINITY, f64::min)
    }

    /// Exchanges tets.
    pub fn replace(&mut self, old: &[u32], new: &[[u32; 4]]) {
        for &t in old {
            for v in std::mem::replace(&mut self.tets[t as usize], DEAD) {
                self.stars[v as usize].retain(|&s| s != t);
            }
        }
        let mut free = old.iter();
        for &tet in new {
            let t = match free.next() {
                Some(&t) => t,
                None => {
                    self.tets.push(DEAD);
                    self.tets.len() as u32 - 1
                }
            };
            self.tets[t as usize] = tet;
            for v in tet {
                self.stars[v as usize].push(t);
            }
        }
    }

    /// The tet on the other side of a face of `t`.
    pub fn across(&self, t: u32, face: [u32; 3]) -> Option<u32> {
        let [a, b, c] = face;
        self.stars[a as usize].iter().copied().find(|&s| {
            let tet = &self.tets[s as usize];
            s != t && tet.contains(&b) && tet.contains(&c)
        })
    }

    /// Whether two vertices are joined by an edge.
    pub fn joined(&self, a: u32, b: u32) -> bool {
        self.star_tets(a).any(|tet| tet.contains(&b))
    }

    /// The faces of a tet with their opposite vertices, counter-clockwise seen from outside.
    pub fn faces(tet: [u32; 4]) -> [([u32; 3], u32); 4] {
        TET_FACES.map(|face| {
            let apex = (0..4).find(|k| !face.contains(k)).unwrap_or(0);
            (face.map(|k| tet[k]), tet[apex])
        })
    }

    /// The boundary faces at a vertex, counter-clockwise seen from outside.
    pub fn surface_at(&self, v: u32) -> Vec<[u32; 3]> {
        let mut found = Vec::new();
        if !self.on_surface[v as usize] {
            return found;
        }
        for &t in &self.stars[v as usize] {
            for (face, _) in Self::faces(self.tets[t as usize]) {
                let all = face.iter().all(|&w| self.on_surface[w as usize]);
                if all && face.contains(&v) && self.across(t, face).is_none() {
                    found.push(face);
                }
            }
        }
        found
    }

    /// The tets around an edge in order, counter-clockwise seen from `b`. `None` where the mesh is not a
    /// manifold around the edge.
    pub fn ring(&self, a: u32, b: u32) -> Option<Ring> {
        let mut steps: Vec<(u32, u32, u32)> = Vec::with_capacity(8);
        for &t in &self.stars[a as usize] {
            let tet = self.tets[t as usize];
            if tet.contains(&b) {
                let (x, y) = opposite_edge(tet, a, b);
                steps.push((x, y, t));
            }
        }
        let start = steps.iter().find(|s| steps.iter().all(|o| o.1 != s.0)).or(steps.first())?.0;
        let (mut vertices, mut tets) = (vec![start], Vec::with_capacity(steps.len()));
        let mut at = start;
        while let Some(place) = steps.iter().position(|s| s.0 == at) {
            let (_, next, t) = steps.swap_remove(place);
            tets.push(t);
            at = next;
            if at == start {
                break;
            }
            vertices.push(at);
        }
        // What is left over belongs to another fan of tets at the same edge.
        steps.is_empty().then_some(Ring { vertices, tets, closed: at == start })
    }

    /// Volume of all tets.
    pub fn volume(&self) -> f64 {
        self.tets.iter().filter(|&&t| t != DEAD).map(|&tet| tet_volume(self.corners(tet))).sum()
    }

    /// All boundary faces, outward, in the order of the tets.
    pub fn boundary_faces(&self) -> Vec<[u32; 3]> {
        let tets: Vec<[u32; 4]> = self.tets.iter().copied().filter(|&t| t != DEAD).collect();
        pliant_mesh::TetMesh { tets, ..Default::default() }.boundary()
    }

    /// Positions and tets without the removed ones.
    pub fn finish(self) -> Tets {
        Tets::compact(self.positions, self.tets.into_iter().filter(|&t| t != DEAD).collect())
    }
}

/// The two vertices of a positive tet beside `a` and `b`, in the order that makes `(a, b, x, y)` positive.
fn opposite_edge(tet: [u32; 4], a: u32, b: u32) -> (u32, u32) {
    let place = |v| tet.iter().position(|&w| w == v).unwrap_or(0);
    let (i, j) = (place(a), place(b));
    let mut rest = (0..4).filter(|&k| k != i && k != j);
    let (k, l) = (rest.next().unwrap_or(0), rest.next().unwrap_or(0));
    if even([i, j, k, l]) { (tet[k], tet[l]) } else { (tet[l], tet[k]) }
}

fn even(order: [usize; 4]) -> bool {
    let swaps: usize = (0..4).map(|i| (i + 1..4).filter(|&j| order[j] < order[i]).count()).sum();
    swaps.is_multiple_of(2)
}

/// The smallest sine of a dihedral angle, obtuse ones counted less, or the ratio of volume to edge lengths if that
/// is worse; negative if the tet is inverted. A value of 0.139 means angles between 8 and 168 degrees.
pub(super) fn quality(corners: [DVec3; 4]) -> f64 {
    let volume = tet_volume(corners);
    // Twice the area vectors of the faces, outward, by opposite vertex.
    let normals = OPPOSITE.map(|face| area_vector(face.map(|k| corners[k])));
    let areas = normals.map(DVec3::length);
    if areas.contains(&0.0) {
        return f64::NEG_INFINITY;
    }
    let mut worst = f64::INFINITY;
    for i in 0..4 {
        for j in 0..i {
            let (k, l) = REST[i][j];
            let length = corners[k].distance(corners[l]);
            // sin = 3/2 volume length / (area area), and the areas here are twice theirs.
            let sine = 6.0 * volume * length / (areas[i] * areas[j]);
            // Outward normals that point to the same side belong to an obtuse angle.
            let obtuse = normals[i].dot(normals[j]) > 0.0 && volume > 0.0;
            worst = worst.min(if obtuse { OBTUSE * sine } else { sine });
        }
    }
    let shape = VOLUME_LENGTH * volume_length(volume, corners);
    if worst.is_nan() { f64::NEG_INFINITY } else { worst.min(shape) }
}

/// Volume over the cube of the root mean square edge, 1 for a regular tet: small for needles too, whose dihedral
/// angles may be fair.
fn volume_length(volume: f64, corners: [DVec3; 4]) -> f64 {
    let squares: f64 = pliant_mesh::measure::edge_lengths(&corners).map(|l| l * l).sum();
    let mean = squares / 6.0;
    6.0 * 2.0_f64.sqrt() * volume / (mean * mean.sqrt())
}

/// The face opposite to each vertex, outward.
const OPPOSITE: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The other two vertices for a pair `i > j`.
const REST: [[(usize, usize); 4]; 4] = [
    [(0, 0); 4],
    [(2, 3), (0, 0), (0, 0), (0, 0)],
    [(1, 3), (0, 3), (0, 0), (0, 0)],
    [(1, 2), (0, 2), (0, 1), (0, 0)],
];
