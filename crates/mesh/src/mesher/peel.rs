//! Takes flat tets off the boundary.

use super::complex::Complex;
use super::surface::Surface;

/// How much farther from the surface the faces below a peeled tet may be, in tolerances.
const DEEPER: f64 = 4.0;

/// Removes a tet with two or three boundary faces if those below it are nearly as close to the surface.
pub(super) fn peel(complex: &mut Complex, surface: &Surface<'_>, t: u32) -> bool {
    let Some(tet) = complex.tet(t) else { return false };
    let (bare, covered): (Vec<_>, Vec<_>) =
        Complex::faces(tet).into_iter().partition(|&(face, _)| complex.across(t, face).is_none());
    let allowed = match (bare.as_slice(), covered.as_slice()) {
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
