//! Vertices that no element uses.

use crate::{DVec3, Group, Groups};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Removes the vertices that no element uses and renumbers elements and groups; removes groups that have or
/// get no member. Returns how many vertices went. Element indices must be in range.
pub fn drop_unused<const N: usize>(
    vertices: &mut Vec<DVec3>,
    elements: &mut [[u32; N]],
    groups: &mut Groups,
) -> usize {
    let used = used_vertices(vertices.len(), elements);
    let unused = used.iter().filter(|&&u| !u).count();
    if unused > 0 {
        renumber(&used, vertices, elements, groups);
    }
    groups.retain(|_, g| !(g.vertices.is_empty() && g.elements.is_empty()));
    unused
}

/// Which vertices belong to an element. Element indices must be in range.
pub(crate) fn used_vertices<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> Vec<bool> {
    let used: Vec<AtomicBool> = (0..vertices).map(|_| AtomicBool::new(false)).collect();
    elements.par_chunks(1 << 14).for_each(|elements| {
        for &i in elements.as_flattened() {
            used[i as usize].store(true, Ordering::Relaxed);
        }
    });
    used.into_iter().map(AtomicBool::into_inner).collect()
}

fn renumber<const N: usize>(
    used: &[bool],
    vertices: &mut Vec<DVec3>,
    elements: &mut [[u32; N]],
    groups: &mut Groups,
) {
    let mut next = 0;
    let new_index: Vec<Option<u32>> = used
        .iter()
        .map(|&u| {
            u.then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    let mut keep = used.iter();
    vertices.retain(|_| keep.next() == Some(&true));
    for i in elements.iter_mut().flatten() {
        // Each index is in use by the element it stands in.
        *i = new_index[*i as usize].unwrap_or(*i);
    }
    for Group { vertices, .. } in groups.values_mut() {
        *vertices = vertices.iter().filter_map(|&i| *new_index.get(i as usize)?).collect();
    }
}
