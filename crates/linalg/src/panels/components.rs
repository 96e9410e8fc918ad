//! The diagonal blocks of A, and which of them are equal.

use super::Component;
use crate::cholesky::NotPositiveDefinite;
use crate::sparse::SymmetricCsc;
use std::ops::Range;

/// Entries that differ by less than this, relative to the diagonal, count as equal. Moving and turning a body changes
/// the last bits of its block. Solves are in f32, for corrections of a residual that is computed from the body itself:
/// an error of the factor that is far below the rounding of f32 changes neither where the iteration ends nor its pace.
const EQUAL: f64 = 1e-10;

/// The blocks of `a`, each with the number of its factor, and the matrices to be factored.
pub(super) fn distinct_blocks(a: &SymmetricCsc) -> (Vec<Component>, Vec<SymmetricCsc>) {
    let (mut components, mut distinct): (Vec<Component>, Vec<SymmetricCsc>) = (Vec::new(), Vec::new());
    for rows in blocks(a) {
        let block = a.diagonal_block(rows.clone());
        let known = distinct.iter().position(|d| are_equal(d, &block));
        components.push(Component { first_row: rows.start, tree: known.unwrap_or(distinct.len()) });
        if known.is_none() {
            distinct.push(block);
        }
    }
    (components, distinct)
}

/// The block of each of `n` rows.
pub(super) fn of_rows(components: &[Component], n: usize) -> Vec<u32> {
    let mut part_of = Vec::with_capacity(n);
    for (k, component) in components.iter().enumerate() {
        let end = components.get(k + 1).map_or(n, |next| next.first_row);
        part_of.resize(end.max(component.first_row), k as u32);
    }
    part_of
}

/// An error of a block as one of the whole matrix of `n` rows.
pub(super) fn in_whole(
    error: NotPositiveDefinite,
    components: &[Component],
    tree: usize,
    n: usize,
) -> NotPositiveDefinite {
    let first_row = components.iter().find(|c| c.tree == tree).map_or(0, |c| c.first_row);
    NotPositiveDefinite { pivot: first_row + error.pivot, n }
}

/// Cuts the rows wherever no entry crosses. A post-ordered elimination order lists the rows of a connected part of the
/// graph one after the other, so that each part is a block.
pub(super) fn blocks(a: &SymmetricCsc) -> Vec<Range<usize>> {
    let (mut blocks, mut start, mut reach) = (Vec::new(), 0, 0);
    for j in 0..a.n() {
        // Rows ascend in a column.
        reach = reach.max(a.row_idx[a.col_ptr[j + 1] - 1]);
        if reach == j {
            blocks.push(start..j + 1);
            start = j + 1;
        }
    }
    blocks
}

fn are_equal(a: &SymmetricCsc, b: &SymmetricCsc) -> bool {
    if !a.has_pattern_of(b) {
        return false;
    }
    let diagonal = |i: usize| a.values[a.col_ptr[i]];
    (0..a.n()).all(|j| {
        a.column(j).zip(b.column(j)).all(|((i, x), (_, y))| {
            let scale = (diagonal(i) * diagonal(j)).abs().sqrt();
            x == y || (x - y).abs() <= EQUAL * scale
        })
    })
}
