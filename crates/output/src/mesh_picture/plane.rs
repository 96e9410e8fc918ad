//! The plane across an axis that cuts most of a tetrahedral mesh.

use pliant_render::Vec3;

/// Slabs in which the largest cut is looked for.
const SLABS: usize = 32;

/// A plane across an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Where on the axis.
    pub(super) height: f32,
    /// Area of the body in it, about.
    pub(super) area: f32,
}

/// The plane across an axis, in the middle third, that cuts most of the body.
pub(super) fn largest(positions: &[Vec3], tets: &[[u32; 4]], axis: usize) -> Cut {
    let all = positions.iter().map(|p| p[axis]);
    let (low, high) = all.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let width = (high - low).max(1e-6) / SLABS as f32;
    let mut volumes = [0.0_f32; SLABS];
    for tet in tets {
        let slab = ((center(positions, tet)[axis] - low) / width) as usize;
        volumes[slab.min(SLABS - 1)] += volume(tet.map(|v| positions[v as usize]));
    }
    let middle = SLABS / 3..SLABS - SLABS / 3;
    let best = middle.max_by(|&i, &j| volumes[i].total_cmp(&volumes[j])).unwrap_or(SLABS / 2);
    Cut { height: low + (best as f32 + 0.5) * width, area: volumes[best] / width }
}

/// The middle of a tet.
pub(super) fn center(positions: &[Vec3], tet: &[u32; 4]) -> Vec3 {
    0.25 * tet.iter().map(|&v| positions[v as usize]).sum::<Vec3>()
}

fn volume([a, b, c, d]: [Vec3; 4]) -> f32 {
    (b - a).dot((c - a).cross(d - a)).abs() / 6.0
}
