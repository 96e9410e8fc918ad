//! Makes one vertex of those at the same place.

use super::carry::replace_vertices;
use super::change::{ChangeKind, Log};
use pliant_mesh::close_pairs;
use pliant_mesh::topology::Sets;
use pliant_mesh::{Aabb, DVec3, Groups};

/// Vertices within this fraction of the diagonal are the same: what rounding to single precision and back, or
/// printing nine digits, leaves between them.
const SAME: f64 = 1e-9;

pub(super) fn weld<const N: usize>(
    vertices: &mut [DVec3],
    elements: &mut [[u32; N]],
    groups: &mut Groups,
    distance: Option<f64>,
    log: &mut Log,
) {
    let distance = distance.unwrap_or_else(|| SAME * Aabb::around(vertices).diagonal());
    let pairs = close_pairs(vertices, distance);
    if pairs.is_empty() {
        return;
    }
    // Chains of near vertices end in one.
    let mut sets = Sets::new(vertices.len());
    for &[later, earlier] in &pairs {
        sets.join(later, earlier);
    }
    let first: Vec<u32> = (0..vertices.len() as u32).map(|i| sets.find(i)).collect();
    let welded = pairs.iter().map(|&[later, _]| {
        let target = first[later as usize];
        (vec![later, target], vertices[later as usize])
    });
    log.add(ChangeKind::Welded, welded);
    replace_vertices(elements, groups, &first);
}
