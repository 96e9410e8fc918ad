//! Cuts the background lattice at the surface of the body \[Labelle07, section 3\].
//!
//! Where the surface crosses an edge close to one end, that end is moved onto the surface, so that no sliver
//! is left; then each tet that the surface still crosses is replaced by the tets of its inner part.

use super::lattice::Lattice;
use super::peel::drop_crumbs;
use super::tets::Tets;
use crate::solid::Solid;
use pliant_mesh::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// How far along an edge parallel to an axis, and along any other, a crossing may be to pull the vertex onto
/// the surface: the fractions for which dihedral angles between 10.7 and 164.8 degrees are proven
/// \[Labelle07, theorem 1\].
const SNAP_LONG: f64 = 0.24999;
const SNAP_SHORT: f64 = 0.41189;

/// An edge from a vertex inside to one outside, and where the surface crosses it.
struct Cut {
    inside: u32,
    outside: u32,
    /// Fraction of the edge from its inner end.
    fraction: f64,
    point: DVec3,
}

/// The side of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Inside,
    On,
    Outside,
}

pub(super) fn stuff(solid: &dyn Solid, mut lattice: Lattice) -> Tets {
    let mut sides: Vec<Side> = lattice.distances.par_iter().map(|&d| side(d)).collect();
    let mut cuts = find_cuts(solid, &lattice, &sides);
    snap(&mut lattice, &mut sides, &mut cuts);
    let mut cutter = Cutter::new(solid, lattice, sides, &cuts);
    for tet in std::mem::take(&mut cutter.lattice.tets) {
        cutter.cut(tet);
    }
    drop_crumbs(&mut cutter.out);
    Tets::compact(cutter.positions, cutter.out)
}

fn side(distance: f64) -> Side {
    match distance {
        d if d < 0.0 => Side::Inside,
        d if d > 0.0 => Side::Outside,
        _ => Side::On,
    }
}

fn find_cuts(solid: &dyn Solid, lattice: &Lattice, sides: &[Side]) -> Vec<Cut> {
    let mut edges: Vec<(u32, u32)> = lattice
        .tets
        .par_iter()
        .flat_map_iter(|tet| {
            tet.iter()
                .flat_map(move |&a| tet.iter().map(move |&b| (a, b)))
                .filter(|&(a, b)| (sides[a as usize], sides[b as usize]) == (Side::Inside, Side::Outside))
        })
        .collect();
    edges.par_sort_unstable();
    edges.dedup();
    edges
        .par_iter()
        .map(|&(inside, outside)| {
            let (a, b) = (lattice.positions[inside as usize], lattice.positions[outside as usize]);
            let fraction = solid.crossing(a, b).clamp(0.0, 1.0);
            Cut { inside, outside, fraction, point: a + fraction * (b - a) }
        })
        .collect()
}

/// Moves vertices onto the surface where a crossing is close. What remains of `cuts` are the crossings of edges
/// that still change sides.
fn snap(lattice: &mut Lattice, sides: &mut [Side], cuts: &mut Vec<Cut>) {
    let mut of_vertex: Vec<Vec<u32>> = vec![Vec::new(); sides.len()];
    for (i, cut) in cuts.iter().enumerate() {
        of_vertex[cut.inside as usize].push(i as u32);
        of_vertex[cut.outside as usize].push(i as u32);
    }
    let limit = |cut: &Cut| {
        let (a, b) = (lattice.sites[cut.inside as usize], lattice.sites[cut.outside as usize]);
        let axes = (0..3).filter(|&k| a[k] != b[k]).count();
        if axes == 1 { SNAP_LONG } else { SNAP_SHORT }
    };
    let limits: Vec<f64> = cuts.iter().map(limit).collect();
    for v in 0..sides.len() as u32 {
        let nearest = of_vertex[v as usize]
            .iter()
            .filter_map(|&i| {
                let cut = &cuts[i as usize];
                let (far, fraction) = if cut.inside == v {
                    (cut.outside, cut.fraction)
                } else {
                    (cut.inside, 1.0 - cut.fraction)
                };
                let open = sides[far as usize] != Side::On && fraction < limits[i as usize];
                open.then(|| (lattice.positions[v as usize].distance(cut.point), i))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, i)) = nearest {
            lattice.positions[v as usize] = cuts[i as usize].point;
            sides[v as usize] = Side::On;
        }
    }
    cuts.retain(|cut| sides[cut.inside as usize] != Side::On && sides[cut.outside as usize] != Side::On);
}

struct Cutter<'a> {
    solid: &'a dyn Solid,
    lattice: Lattice,
    sides: Vec<Side>,
    positions: Vec<DVec3>,
    crossing: FxHashMap<(u32, u32), u32>,
    out: Vec<[u32; 4]>,
}

impl<'a> Cutter<'a> {
    fn new(solid: &'a dyn Solid, mut lattice: Lattice, sides: Vec<Side>, cuts: &[Cut]) -> Self {
        let mut positions = std::mem::take(&mut lattice.positions);
        let first = positions.len();
        positions.extend(cuts.iter().map(|cut| cut.point));
        let crossing =
            cuts.iter().enumerate().map(|(i, c)| ((c.inside, c.outside), (first + i) as u32)).collect();
        Self { solid, lattice, sides, positions, crossing, out: Vec::new() }
    }

    /// The vertex where an edge leaves the body.
    fn exit(&self, inside: u32, outside: u32) -> u32 {
        self.crossing[&(inside, outside)]
    }

    /// Keeps the part of a tet that is inside.
    fn cut(&mut self, tet: [u32; 4]) {
        let tet = self.by_side(tet);
        let count = |side| tet.iter().filter(|&&v| self.sides[v as usize] == side).count();
        let [a, b, c, d] = tet;
        match (count(Side::Inside), count(Side::On)) {
            (0, 4) => {
                if self.solid.signed_distance(self.centroid(tet)) < 0.0 {
                    self.out.push(tet);
                }
            }
            (0, _) => {}
            (inside, on) if inside + on == 4 => self.out.push(tet),
            (1, 2) => self.out.push([a, b, c, self.exit(a, d)]),
            (1, 1) => self.out.push([a, b, self.exit(a, c), self.exit(a, d)]),
            (1, _) => self.out.push([a, self.exit(a, b), self.exit(a, c), self.exit(a, d)]),
            (2, 1) => self.pyramid([a, b, self.exit(b, d), self.exit(a, d)], c),
            (2, _) => {
                let (ends_a, ends_b) =
                    ([a, self.exit(a, c), self.exit(a, d)], [b, self.exit(b, c), self.exit(b, d)]);
                self.prism(ends_a, ends_b);
            }
            (_, _) => {
                let exits = [a, b, c].map(|v| self.exit(v, d));
                self.prism([a, b, c], exits);
            }
        }
    }

    /// The same tet with the vertices inside first, then those on the surface, then those outside.
    fn by_side(&self, mut tet: [u32; 4]) -> [u32; 4] {
        let mut odd = false;
        for i in 0..3 {
            for j in 0..3 - i {
                if (self.sides[tet[j] as usize] as u8) > self.sides[tet[j + 1] as usize] as u8 {
                    tet.swap(j, j + 1);
                    odd = !odd;
                }
            }
        }
        // An odd permutation is undone among two vertices of the same side; four vertices on three sides have
        // such a pair.
        if odd {
            let same = (0..3).find(|&j| self.sides[tet[j] as usize] == self.sides[tet[j + 1] as usize]);
            if let Some(j) = same {
                tet.swap(j, j + 1);
            }
        }
        tet
    }

    fn centroid(&self, vertices: impl IntoIterator<Item = u32>) -> DVec3 {
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for v in vertices {
            sum += self.positions[v as usize];
            count += 1.0;
        }
        sum * (1.0 / count)
    }

    /// Whether the diagonal of the quad `p q r s` goes from `p` to `r`: the shorter one. Both tets at a face
    /// must agree, so the answer depends on the set of corners alone.
    fn diagonal_from_first(&self, [p, q, r, s]: [u32; 4]) -> bool {
        let length = |a: u32, b: u32| self.positions[a as usize].distance(self.positions[b as usize]);
        let (pr, qs) = (length(p, r), length(q, s));
        if pr == qs { p.min(r) < q.min(s) } else { pr < qs }
    }

    /// A pyramid over the quad `p q r s`, which is clockwise seen from the apex. Here and below the order of the
    /// corners gives the orientation: a tet that comes out inverted is seen and mended later.
    fn pyramid(&mut self, [p, q, r, s]: [u32; 4], apex: u32) {
        if self.diagonal_from_first([p, q, r, s]) {
            self.out.extend([[p, q, apex, r], [p, r, apex, s]]);
        } else {
            self.out.extend([[p, q, apex, s], [q, r, apex, s]]);
        }
    }

    /// A prism with the end triangles `a` and `b`, corner `k` of one over corner `k` of the other; `a` is
    /// counter-clockwise seen from `b`.
    fn prism(&mut self, a: [u32; 3], b: [u32; 3]) {
        // Side k joins corners k and k + 1; `up[k]` if its diagonal starts at corner k of `a`.
        let up: [bool; 3] = std::array::from_fn(|k| {
            let next = (k + 1) % 3;
            self.diagonal_from_first([a[k], a[next], b[next], b[k]])
        });
        // A corner of `a` from which both diagonals start, and one of `b` likewise: then three tets fill it.
        let Some(k) = (0..3).find(|&k| up[k] && !up[(k + 2) % 3]) else {
            return self.prism_with_center(a, b, up);
        };
        let (l, m) = ((k + 1) % 3, (k + 2) % 3);
        self.out.push([a[k], b[k], b[l], b[m]]);
        if up[l] {
            self.out.extend([[a[k], a[l], b[m], b[l]], [a[k], a[l], a[m], b[m]]]);
        } else {
            self.out.extend([[a[k], a[m], b[m], b[l]], [a[k], a[l], a[m], b[l]]]);
        }
    }

    /// Diagonals that run around the prism leave no tet but those at a new vertex in the middle.
    fn prism_with_center(&mut self, a: [u32; 3], b: [u32; 3], up: [bool; 3]) {
        let center = self.positions.len() as u32;
        self.positions.push(self.centroid(a.into_iter().chain(b)));
        self.out.extend([[a[0], a[1], a[2], center], [b[0], b[2], b[1], center]]);
        for k in 0..3 {
            let l = (k + 1) % 3;
            if up[k] {
                self.out.extend([[a[l], a[k], b[l], center], [b[l], a[k], b[k], center]]);
            } else {
                self.out.extend([[b[l], a[l], b[k], center], [b[k], a[l], a[k], center]]);
            }
        }
    }
}
