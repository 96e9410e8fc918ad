//! A tight box around the whole body.

use super::tree::ShapeSolid;
use pliant_mesh::Aabb;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Relative to the size of the body, how close the tight box is.
const TOLERANCE: f64 = 1e-3;
/// Points looked at for each face.
const BUDGET: usize = 6000;

/// A box around the body that is within 1e-3 of its size if the effort suffices; `None` if the body is empty.
pub(super) fn tighten(solid: &ShapeSolid, loose: Aabb) -> Option<Aabb> {
    let tolerance = TOLERANCE * loose.size().max_element();
    let mut bounds = loose;
    for face in 0..6 {
        // What was cut off before need not be searched again.
        let reach = reach(solid, bounds, face, tolerance)?;
        match face % 2 {
            0 => bounds.max[face / 2] = reach,
            _ => bounds.min[face / 2] = -reach,
        }
    }
    Some(bounds)
}

/// A box that is still searched, with the farthest that the body could reach in it.
struct Cell {
    reach: f64,
    bounds: Aabb,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Cell) -> Ordering {
        self.reach.total_cmp(&other.reach)
    }
}

/// An upper bound of how far the body reaches through one face of the box, by branch and bound.
///
/// The field changes by at most the distance between two points, so the value in the middle of a cell proves that all
/// of it is outside, or that a ball around the middle is inside.
fn reach(solid: &ShapeSolid, bounds: Aabb, face: usize, tolerance: f64) -> Option<f64> {
    let (axis, sign) = (face / 2, [1.0, -1.0][face % 2]);
    let reach_of = |b: &Aabb| if sign > 0.0 { b.max[axis] } else { -b.min[axis] };
    let mut cells = BinaryHeap::from([Cell { reach: reach_of(&bounds), bounds }]);
    let mut found = f64::NEG_INFINITY;
    for _ in 0..BUDGET {
        if cells.peek()?.reach <= found + tolerance {
            break;
        }
        let Cell { bounds: b, .. } = cells.pop()?;
        let middle = b.center();
        let value = solid.field::<f64>(middle);
        if value > 0.5 * b.size().length() {
            continue;
        }
        if value < 0.0 {
            found = found.max(sign * middle[axis] - value);
        }
        let longest = b.size().max_position();
        let (mut low, mut high) = (b, b);
        low.max[longest] = middle[longest];
        high.min[longest] = middle[longest];
        cells.extend([low, high].map(|bounds| Cell { reach: reach_of(&bounds), bounds }));
    }
    cells.peek().map(|cell| cell.reach)
}
