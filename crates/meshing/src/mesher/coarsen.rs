//! Longer edges where the lattice had to be finer than asked.

use super::collapse::collapse;
use super::complex::Complex;
use super::surface::Surface;
use pliant_mesh::DVec3;

/// Edges shorter than this share of the asked length are collapsed, as long as none grows beyond `LONG`.
const SHORT: f64 = 0.6;
const LONG: f64 = 1.4;

/// Collapses short edges, the shortest first, where all tets stay better than `bound` and no end is `kept`.
pub(super) fn coarsen(
    complex: &mut Complex,
    surface: &Surface<'_>,
    edge: f64,
    bound: f64,
    kept: impl Fn(DVec3) -> bool,
) {
    const PASSES: usize = 4;
    for _ in 0..PASSES {
        let mut changed = false;
        for (_, u, v) in short_edges(complex, SHORT * edge) {
            if kept(complex.positions[u as usize]) || kept(complex.positions[v as usize]) {
                continue;
            }
            changed |= contract(complex, surface, [u, v], LONG * edge, bound)
                || contract(complex, surface, [v, u], LONG * edge, bound);
        }
        if !changed {
            return;
        }
    }
}

fn contract(
    complex: &mut Complex,
    surface: &Surface<'_>,
    [u, v]: [u32; 2],
    longest: f64,
    bound: f64,
) -> bool {
    let to = complex.positions[v as usize];
    // Earlier collapses may have taken one of the two.
    complex.joined(u, v)
        && complex.star_tets(u).flatten().all(|w| complex.positions[w as usize].distance(to) <= longest)
        && collapse(complex, surface, [u, v], bound)
}

fn short_edges(complex: &Complex, limit: f64) -> Vec<(f64, u32, u32)> {
    let mut edges = Vec::new();
    for tet in (0..complex.slots()).filter_map(|t| complex.tet(t)) {
        for i in 0..4 {
            for j in 0..i {
                let (a, b) = (tet[i].min(tet[j]), tet[i].max(tet[j]));
                let length = complex.positions[a as usize].distance(complex.positions[b as usize]);
                if length < limit {
                    edges.push((length, a, b));
                }
            }
        }
    }
    edges.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    edges.dedup_by(|a, b| (a.1, a.2) == (b.1, b.2));
    edges
}
