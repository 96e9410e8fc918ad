//! Packing the supernodes of a factor as panels `P = [D^-1; -B D^-1]` in row groups.

use crate::cholesky::{Cholesky, Supernode};
use crate::simd::{self, Kernel, Simd};
use std::ops::Range;

/// Most rows in a group.
pub const MAX_ROWS: usize = 64;

/// Up to 64 rows of a panel: `rows` values for each of `columns` columns, column after column. Structural zeros of the
/// triangular block outside of the columns are not stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// Where the values start.
    pub offset: u32,
    /// First row in the output.
    pub first_row: u32,
    /// First entry of the input.
    pub first_column: u32,
    /// Number of columns.
    pub columns: u32,
    /// 16, 32, 48 or 64; rows beyond the panel are zero.
    pub rows: u32,
}

/// All panels in one direction.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Values in lines of 64 bytes, so that vectors do not straddle them.
    values: Vec<Line>,
    groups: Vec<Group>,
    /// The groups of each supernode.
    ranges: Vec<Range<usize>>,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [f32; 16]);

// SAFETY: sixteen f32 fill the 64 bytes of a line, any bits are valid.
unsafe impl bytemuck::Zeroable for Line {}
// SAFETY: as above, no padding.
unsafe impl bytemuck::Pod for Line {}

impl Packed {
    fn new(supernodes: usize) -> Packed {
        Packed { values: Vec::new(), groups: Vec::new(), ranges: vec![0..0; supernodes] }
    }

    /// The groups of a supernode.
    pub fn groups_of(&self, node: usize) -> &[Group] {
        &self.groups[self.ranges[node].clone()]
    }

    /// The values of a group.
    pub fn values(&self, g: &Group) -> &[f32] {
        let line = g.offset as usize;
        bytemuck::cast_slice(&self.values[line..line + (g.rows * g.columns) as usize / 16])
    }

    /// Bytes of the values.
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(self.values.as_slice())
    }

    /// Adds the panel of supernode `node`: `entry(row, column)` of a `rows`-row matrix, where group rows `from..to` have
    /// non-zeros only in `columns(from, to)`.
    fn push(
        &mut self,
        node: usize,
        rows: usize,
        columns: impl Fn(usize, usize) -> Range<usize>,
        entry: impl Fn(usize, usize) -> f64,
    ) {
        let first_group = self.groups.len();
        let mut from = 0;
        while from < rows {
            let height = (rows - from).min(MAX_ROWS).next_multiple_of(16);
            let columns = columns(from, (from + height).min(rows));
            let group = Group {
                offset: u32::try_from(self.values.len()).expect("panels of up to 256 GB"),
                first_row: from as u32,
                first_column: columns.start as u32,
                columns: columns.len() as u32,
                rows: height as u32,
            };
            for column in columns {
                for line in (from..from + height).step_by(16) {
                    let value = |k| if line + k < rows { entry(line + k, column) as f32 } else { 0.0 };
                    self.values.push(Line(std::array::from_fn(value)));
                }
            }
            self.groups.push(group);
            from += height;
        }
        self.ranges[node] = first_group..self.groups.len();
    }
}

/// Numbers in both packed copies of a panel of `width` columns with `below` rows below its triangle.
pub fn entries(width: usize, below: usize) -> usize {
    let height = width + below;
    let of_rows = |rows: usize, columns: &dyn Fn(usize, usize) -> usize| -> usize {
        let group = |from: usize| {
            let to = (from + MAX_ROWS).min(rows);
            (to - from).next_multiple_of(16) * columns(from, to)
        };
        (0..rows).step_by(MAX_ROWS).map(group).sum()
    };
    of_rows(height, &|_, to| to.min(width)) + of_rows(width, &|from, _| height - from)
}

/// Packs a factor for the forward and for the backward pass, each in the order in which the pass reads it.
pub fn pack(factor: &Cholesky) -> (Packed, Packed) {
    let count = factor.supernode_count();
    let (mut forward, mut backward) = (Packed::new(count), Packed::new(count));
    let panels: Vec<Vec<f64>> = (0..count).map(|s| invert(&factor.supernode(s))).collect();
    let size = |s: usize| {
        let node = factor.supernode(s);
        (node.width, node.width + node.below.len())
    };
    for (s, panel) in panels.iter().enumerate() {
        let (width, height) = size(s);
        // Row i of D^-1 ends at column i.
        forward.push(s, height, |_, to| 0..to.min(width), |row, column| panel[row + column * height]);
    }
    for (s, panel) in panels.iter().enumerate().rev() {
        let (width, height) = size(s);
        // Column i of P starts at row i.
        backward.push(s, width, |from, _| from..height, |row, column| panel[column + row * height]);
    }
    (forward, backward)
}

/// `[D^-1; -B D^-1]`, column-major, from `[D; B]`.
pub fn invert(node: &Supernode) -> Vec<f64> {
    simd::dispatch(Invert(node))
}

/// Columns that are inverted together, so that those of the factor are read once for all of them.
const TOGETHER: usize = 4;

struct Invert<'a>(&'a Supernode<'a>);

impl Kernel for Invert<'_> {
    type Output = Vec<f64>;

    /// Column j of D^-1 by forward substitution on the unit vector; the rows of B follow with the same recurrence.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Vec<f64> {
        let node = self.0;
        let (width, height) = (node.width, node.width + node.below.len());
        let mut panel = vec![0.0; width * height];
        for j in 0..width {
            panel[j * height + j] = 1.0;
        }
        let mut groups = panel.chunks_exact_mut((TOGETHER * height).max(1));
        for (group, four) in (&mut groups).enumerate() {
            let (ab, cd) = four.split_at_mut(2 * height);
            let ((a, b), (c, d)) = (ab.split_at_mut(height), cd.split_at_mut(height));
            for k in TOGETHER * group..width {
                let factor = &node.values[k * height..(k + 1) * height];
                let below = &factor[k + 1..];
                // Above its diagonal a column is zero, and stays so.
                let x = [a[k], b[k], c[k], d[k]].map(|x| x / factor[k]);
                [a[k], b[k], c[k], d[k]] = x;
                let rows = below.len();
                let (a, b) = (&mut a[k + 1..][..rows], &mut b[k + 1..][..rows]);
                let (c, d) = (&mut c[k + 1..][..rows], &mut d[k + 1..][..rows]);
                for (row, l) in below.iter().enumerate() {
                    a[row] -= l * x[0];
                    b[row] -= l * x[1];
                    c[row] -= l * x[2];
                    d[row] -= l * x[3];
                }
            }
        }
        let done = width / TOGETHER * TOGETHER;
        for (j, column) in (done..).zip(groups.into_remainder().chunks_exact_mut(height.max(1))) {
            for k in j..width {
                let factor = &node.values[k * height..(k + 1) * height];
                column[k] /= factor[k];
                let x = column[k];
                for (to, l) in column[k + 1..].iter_mut().zip(&factor[k + 1..]) {
                    *to -= l * x;
                }
            }
        }
        panel
    }
}
