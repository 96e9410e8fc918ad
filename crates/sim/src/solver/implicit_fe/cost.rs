//! What the contact problems of a step cost with the entries of the operator, and without them.
//!
//! The unit is a number that is read from memory and multiplied. How many products a problem takes was found by counting over the
//! built-in scenes; the choice is coarse because the two rarely cost about the same.

use crate::contact::rows::Rows;
use pliant_linalg::panels::PanelFactor;

/// Contact problems for each time that the points change.
const PROBLEMS: f64 = 6.0;
/// Sweeps of a problem with the entries, and products of one without them.
const SWEEPS: f64 = 30.0;
const PRODUCTS: f64 = 50.0;

/// Whether products by solves cost less than entries between the points. `touched` is memory.
pub(super) fn solves_pay(rows: &Rows, factor: &PanelFactor, touched: &mut Vec<u32>) -> bool {
    let points = rows.points();
    touched.clear();
    touched.extend(points.iter().flat_map(|p| p.rows().iter().copied()));
    touched.sort_unstable();
    touched.dedup();
    let path: usize = touched.iter().map(|&v| factor.path_of(3 * v)).sum();
    let (count, vertices) = (points.len() as f64, touched.len() as f64);
    // Dot products of columns, three for each vertex, along half of their paths in the mean; sixteen at a time.
    let entries = 9.0 * vertices * path as f64 / 16.0;
    let terms: usize = points.iter().map(|p| p.rows().len()).sum();
    let sums = 9.0 * terms as f64 * (vertices + 0.5 * count);
    let built = entries + sums + PROBLEMS * SWEEPS * 9.0 * count * count;
    let unbuilt = PROBLEMS * PRODUCTS * (factor.entries_per_solve() as f64 + 10.0 * terms as f64);
    unbuilt < built
}
