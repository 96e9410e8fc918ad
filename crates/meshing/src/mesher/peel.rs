//! Takes tets off the boundary: flat ones, and pieces that hang on an edge or a vertex.

use super::complex::Complex;
use super::surface::Surface;
use pliant_mesh::topology::Sets;
use rayon::prelude::*;

/// How much farther from the surface the faces below a peeled tet may be, in tolerances.
const DEEPER: f64 = 4.0;

/// Removes a tet with two or three boundary faces if those below it are nearly as close to the surface.
pub(super) fn peel(complex: &mut Complex, surface: &Surface<'_>, t: u32) -> bool {
    let Some(tet) = complex.tet(t) else { return false };
    let (bare, covered): (Vec<_>, Vec<_>) =
        Complex::faces(tet).into_iter().partition(|&(face, _)| complex.across(t, face).is_none());
    let allowed = match (bare.as_slice(), covered.as_slice()) {
        // It hangs on vertices or edges alone.
        (_, []) => true,
        // The vertex that three bare faces share goes with the tet, or is freed of it.
        ([_, _, _], [_]) => true,
        // The edge below two bare faces comes to the surface, where it must not meet another part of it.
        ([(_, a), (_, b)], [_, _]) => complex.ring(*a, *b).is_some_and(|ring| ring.closed),
        _ => false,
    };
    let close = |&(face, _): &([u32; 3], u32)| {
        surface.error(face.map(|v| complex.positions[v as usize])) <= DEEPER * surface.tolerance
    };
    if !allowed || !covered.iter().all(close) {
        return false;
    }
    complex.replace(&[t], &[]);
    for v in covered.iter().flat_map(|&(face, _)| face) {
        complex.on_surface[v as usize] = true;
    }
    true
}

/// Removes pieces of fewer than `SMALL` tets: what is left of features that the lattice is too coarse for.
pub(super) fn drop_crumbs(tets: &mut Vec<[u32; 4]>) {
    const SMALL: u32 = 4;
    let mut faces: Vec<([u32; 3], u32)> = (0u32..)
        .zip(tets.iter())
        .flat_map(|(t, &tet)| {
            Complex::faces(tet).map(|(mut face, _)| {
                face.sort_unstable();
                (face, t)
            })
        })
        .collect();
    faces.par_sort_unstable();
    let mut sets = Sets::new(tets.len());
    for pair in faces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        sets.join(pair[0].1, pair[1].1);
    }
    let mut sizes = vec![0u32; tets.len()];
    for t in 0..tets.len() as u32 {
        sizes[sets.find(t) as usize] += 1;
    }
    let mut t = 0;
    tets.retain(|_| {
        t += 1;
        sizes[sets.find(t - 1) as usize] >= SMALL
    });
}
