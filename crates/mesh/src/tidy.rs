//! From a mesh as its file tells it to one that can be simulated: orientation and unused vertices.

use crate::{Group, Groups, Point};

/// Removes the vertices that no element uses and renumbers elements and groups.
pub(crate) fn drop_unused<const N: usize>(
    vertices: &mut Vec<Point>,
    elements: &mut [[u32; N]],
    groups: &mut Groups,
) {
    let mut used = vec![false; vertices.len()];
    for &i in elements.iter().flatten() {
        used[i as usize] = true;
    }
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
        *vertices = vertices.iter().filter_map(|&i| new_index[i as usize]).collect();
    }
    groups.retain(|_, g| !(g.vertices.is_empty() && g.elements.is_empty()));
}
