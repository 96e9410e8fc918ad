//! Edits of elements and vertices that keep the groups right.

use pliant_mesh::Groups;
use pliant_mesh::topology::sorted_unique;

/// Drops the elements that are not kept and renumbers the groups.
pub(super) fn retain_elements<const N: usize>(
    elements: &mut Vec<[u32; N]>,
    groups: &mut Groups,
    keep: &[bool],
) {
    if keep.iter().all(|&k| k) {
        return;
    }
    let mut next = 0u32;
    let new_index: Vec<Option<u32>> = keep
        .iter()
        .map(|&k| {
            let index = k.then_some(next);
            next += u32::from(k);
            index
        })
        .collect();
    let mut kept = keep.iter();
    elements.retain(|_| kept.next() == Some(&true));
    for group in groups.values_mut() {
        group.elements = group.elements.iter().filter_map(|&t| new_index[t as usize]).collect();
    }
}

/// Replaces vertices by others in elements and groups. The vertices themselves stay.
pub(super) fn replace_vertices<const N: usize>(
    elements: &mut [[u32; N]],
    groups: &mut Groups,
    replacement: &[u32],
) {
    for i in elements.iter_mut().flatten() {
        *i = replacement[*i as usize];
    }
    for group in groups.values_mut() {
        let replaced = group.vertices.iter().map(|&i| replacement[i as usize]).collect();
        group.vertices = sorted_unique(replaced);
    }
}

/// Puts copies of vertices into the groups of their originals; `copies` are `(original, copy)` with copies
/// above all earlier vertices.
pub(super) fn copy_membership(groups: &mut Groups, copies: &[(u32, u32)]) {
    for group in groups.values_mut() {
        let more: Vec<u32> = copies
            .iter()
            .filter(|(original, _)| group.vertices.binary_search(original).is_ok())
            .map(|&(_, copy)| copy)
            .collect();
        group.vertices.extend(more);
        group.vertices = sorted_unique(std::mem::take(&mut group.vertices));
    }
}
