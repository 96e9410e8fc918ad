//! Exchanges tets for better ones on the same vertices: edges are removed, faces are removed.

use super::complex::{Complex, Ring};
use super::surface::Surface;

/// Rings of more vertices are not retriangulated: it hardly ever helps.
const LONGEST_RING: usize = 8;

/// Tries all flips at a tet; true if one of them made the worst tet better.
pub(super) fn flip(complex: &mut Complex, surface: &Surface<'_>, t: u32) -> bool {
    let Some(tet) = complex.tet(t) else { return false };
    for i in 0..4 {
        for j in 0..i {
            if remove_edge(complex, surface, tet[j], tet[i]) {
                return true;
            }
        }
    }
    Complex::faces(tet).into_iter().any(|(face, apex)| remove_face(complex, t, face, apex))
}

/// Replaces the two tets at a face by three around the edge between their apices.
fn remove_face(complex: &mut Complex, t: u32, [x, y, z]: [u32; 3], apex: u32) -> bool {
    let Some(other) = complex.across(t, [x, y, z]) else { return false };
    let Some(far) = complex.tet(other).and_then(|tet| tet.into_iter().find(|v| ![x, y, z, apex].contains(v)))
    else {
        return false;
    };
    let new = [[apex, x, y, far], [apex, y, z, far], [apex, z, x, far]];
    accept(complex, &[t, other], &new)
}

fn accept(complex: &mut Complex, old: &[u32], new: &[[u32; 4]]) -> bool {
    // Never anything that is not better than flat, even in place of inverted tets.
    let before = complex.worst_of(old).max(0.0);
    if new.iter().any(|&tet| complex.quality(tet) <= before + 1e-6) {
        return false;
    }
    complex.replace(old, new);
    true
}

/// Replaces the tets around an edge by two for each triangle of a triangulation of its ring. At the boundary
/// this turns the edge that two boundary faces share, if the surface stays where it is.
fn remove_edge(complex: &mut Complex, surface: &Surface<'_>, a: u32, b: u32) -> bool {
    let Some(ring) = complex.ring(a, b) else { return false };
    let n = ring.vertices.len();
    if !(3..=LONGEST_RING).contains(&n) || (!ring.closed && !may_turn(complex, surface, a, b, &ring)) {
        return false;
    }
    let triangles = triangulate(complex, a, b, &ring.vertices);
    let new: Vec<[u32; 4]> = triangles.iter().flat_map(|&[i, j, k]| [[i, j, k, b], [i, k, j, a]]).collect();
    accept(complex, &ring.tets, &new)
}

fn may_turn(complex: &Complex, surface: &Surface<'_>, a: u32, b: u32, ring: &Ring) -> bool {
    let (first, last) = (ring.vertices[0], ring.vertices[ring.vertices.len() - 1]);
    if complex.joined(first, last) {
        return false;
    }
    // Outward: the ring is counter-clockwise seen from b, and ends where the body ends.
    let old = [[a, b, last], [b, a, first]];
    let new = [[a, first, last], [b, last, first]];
    surface.may_replace(complex, &old, &new)
}

/// The triangulation of a polygon whose worst tet is best, by the method of Klincsek.
fn triangulate(complex: &Complex, a: u32, b: u32, ring: &[u32]) -> Vec<[u32; 3]> {
    let n = ring.len();
    let mut best = [[f64::INFINITY; LONGEST_RING]; LONGEST_RING];
    let mut apex = [[0; LONGEST_RING]; LONGEST_RING];
    for gap in 2..n {
        for i in 0..n - gap {
            let k = i + gap;
            best[i][k] = f64::NEG_INFINITY;
            for j in i + 1..k {
                let [p, q, r] = [ring[i], ring[j], ring[k]];
                let worst = complex.quality([p, q, r, b]).min(complex.quality([p, r, q, a]));
                let value = worst.min(best[i][j]).min(best[j][k]);
                if value > best[i][k] {
                    best[i][k] = value;
                    apex[i][k] = j;
                }
            }
        }
    }
    let mut triangles = Vec::with_capacity(n - 2);
    let mut open = vec![(0, n - 1)];
    while let Some((i, k)) = open.pop() {
        if k - i >= 2 && best[i][k] > f64::NEG_INFINITY {
            let j = apex[i][k];
            triangles.push([ring[i], ring[j], ring[k]]);
            open.extend([(i, j), (j, k)]);
        }
    }
    triangles
}
