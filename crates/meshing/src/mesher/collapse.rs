//! Removes a vertex by pulling it into a neighbour.

use super::complex::Complex;
use super::surface::Surface;
use pliant_mesh::{closest_on_triangle, point_on_triangle};

/// Collapses the edge from `u` into `v` if all tets are then better than `bound` and the surface stays where it
/// is.
pub(super) fn collapse(complex: &mut Complex, surface: &Surface<'_>, [u, v]: [u32; 2], bound: f64) -> bool {
    let (gone, kept): (Vec<u32>, Vec<u32>) =
        complex.star(u).iter().partition(|&&t| complex.tet(t).is_some_and(|tet| tet.contains(&v)));
    let replaced = |w: u32| if w == u { v } else { w };
    let new: Vec<[u32; 4]> =
        kept.iter().filter_map(|&t| complex.tet(t)).map(|tet| tet.map(replaced)).collect();
    if gone.is_empty() || new.is_empty() || new.iter().any(|&tet| complex.quality(tet) <= bound.max(0.0)) {
        return false;
    }
    if complex.on_surface[u as usize] && !may_move(complex, surface, u, v) {
        return false;
    }
    let old: Vec<u32> = gone.into_iter().chain(kept).collect();
    complex.replace(&old, &new);
    true
}

/// Whether the boundary may lose the vertex `u`: the edge is on the boundary, no handle is pinched, the new
/// faces are close to the surface.
fn may_move(complex: &Complex, surface: &Surface<'_>, u: u32, v: u32) -> bool {
    if !complex.on_surface[v as usize] {
        return false;
    }
    let faces = complex.surface_at(u);
    let (across, around): (Vec<[u32; 3]>, Vec<[u32; 3]>) = faces.iter().partition(|face| face.contains(&v));
    if across.len() != 2 {
        return false;
    }
    let beside_u = neighbours(&faces, u);
    let common = neighbours(&complex.surface_at(v), v).iter().filter(|w| beside_u.contains(w)).count();
    let new: Vec<[u32; 3]> = around.iter().map(|face| face.map(|w| if w == u { v } else { w })).collect();
    common == 2 && surface.may_replace(complex, &faces, &new) && keeps(complex, surface, u, &new)
}

/// Whether the place of a vertex is still close to the boundary: the tip of a thin part must not be eaten up.
fn keeps(complex: &Complex, surface: &Surface<'_>, u: u32, new: &[[u32; 3]]) -> bool {
    let old = complex.positions[u as usize];
    let near = |face: &[u32; 3]| {
        let corners = face.map(|v| complex.positions[v as usize]);
        let (weights, _) = closest_on_triangle(old, corners);
        old.distance(point_on_triangle(corners, weights)) <= surface.tolerance
    };
    new.iter().any(near)
}

/// The vertices of boundary faces around one of their corners.
fn neighbours(faces: &[[u32; 3]], center: u32) -> Vec<u32> {
    pliant_mesh::topology::sorted_unique(faces.iter().flatten().copied().filter(|&w| w != center).collect())
}
