//! The sparse inverse factor `S = L^-1` [Zeng25, sec. 4]: `A^-1 = S^T S`, so the global step is two sparse products.
//!
//! Column j of S has entries in row j and in the rows of all its ancestors in the elimination tree, no others
//! (theorem 1 there). Columns of one supernode share their ancestors, so S is kept as one dense panel per supernode
//! with its row indices stored once.

use crate::cholesky::Cholesky;
use crate::panels::Xyz;
use crate::simd::{self, Kernel, Simd};
use crate::team::{SharedSlice, Team};
use crate::{SymmetricCsc, etree};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Supernodes in a task.
const NODES: usize = 16;

/// The sparse inverse of a Cholesky factor, in elimination order. It never changes: threads and worlds may share it.
#[derive(Clone, Debug)]
pub struct SparseInverse {
    n: usize,
    nodes: Vec<Node>,
    /// Entries of S by theorem 1; the panels hold some more explicit zeros where supernodes were merged.
    nnz: usize,
}

/// Right-hand side and solution of a [`SparseInverse`], and the memory that solving takes.
#[derive(Clone, Debug)]
pub struct InverseScratch {
    /// Right-hand side, then solution.
    vector: Vec<Xyz>,
    /// `y = S b`, in lanes: all x, all y, all z.
    product: [Vec<f32>; 3],
}

impl InverseScratch {
    /// The right-hand side, to be filled in elimination order before a solve; afterwards the solution.
    pub fn vector_mut(&mut self) -> &mut [Xyz] {
        &mut self.vector
    }

    /// The solution.
    pub fn vector(&self) -> &[Xyz] {
        &self.vector
    }
}

/// The columns `start..start + width`.
#[derive(Clone, Debug)]
struct Node {
    start: usize,
    width: usize,
    /// Rows of the panel: own columns, then all ancestors.
    rows: Vec<u32>,
    /// Column-major values.
    values: Vec<f32>,
}

impl SparseInverse {
    /// Inverts `factor`, the factor of `a` in elimination order.
    pub fn new(a: &SymmetricCsc, factor: &Cholesky) -> SparseInverse {
        let parent = etree::elimination_tree(a);
        let panels: Vec<Panel> = (0..factor.supernode_count()).map(|s| Panel::new(factor, s)).collect();
        let mut node_of = vec![0; factor.n()];
        for (s, p) in panels.iter().enumerate() {
            node_of[p.start..p.start + p.width].fill(s);
        }
        let nodes = (0..panels.len()).into_par_iter().map(|s| invert(&panels, &node_of, s)).collect();
        SparseInverse { n: factor.n(), nodes, nnz: etree::inverse_nnz(&parent) }
    }

    /// Memory to solve with.
    pub fn scratch(&self) -> InverseScratch {
        InverseScratch { vector: vec![[0.0; 4]; self.n], product: std::array::from_fn(|_| vec![0.0; self.n]) }
    }

    /// Entries of S.
    pub fn nnz(&self) -> usize {
        self.nnz
    }

    /// Bytes of values and row indices.
    pub fn bytes(&self) -> usize {
        self.nodes.iter().map(|n| 4 * (n.values.len() + n.rows.len())).sum()
    }

    /// `x = S^T (S b)`.
    ///
    /// # Panics
    /// If `scratch` is of an inverse with another number of rows.
    pub fn solve(&self, team: &Team, scratch: &mut InverseScratch) {
        assert_eq!(scratch.vector.len(), self.n, "scratch of another inverse");
        let InverseScratch { vector, product } = scratch;
        // S b adds into shared rows: one task per component keeps the order of the sums.
        let (nodes, b) = (&self.nodes, &*vector);
        team.for_each_mut(product, |c, y| {
            y.fill(0.0);
            simd::dispatch(Multiply { nodes, b, c, y });
        });
        let product = &*product;
        let vector = SharedSlice::new(vector);
        team.for_each(nodes.len().div_ceil(NODES), &|part| {
            for node in &nodes[part * NODES..nodes.len().min((part + 1) * NODES)] {
                // SAFETY: supernodes have different rows.
                let x = unsafe { vector.range(node.start, node.width) };
                simd::dispatch(MultiplyTransposed { node, product, x });
            }
        });
    }
}

/// A supernode as `[D^-1; -B D^-1]` in f64.
struct Panel {
    start: usize,
    width: usize,
    below: Vec<usize>,
    values: Vec<f64>,
}

impl Panel {
    fn new(factor: &Cholesky, s: usize) -> Panel {
        let node = factor.supernode(s);
        Panel {
            start: node.start,
            width: node.width,
            below: node.below.to_vec(),
            values: crate::panels::invert(&node),
        }
    }
}

/// Columns of supernode `s` of S: forward substitution of the unit vectors along the path to the root.
fn invert(panels: &[Panel], node_of: &[usize], s: usize) -> Node {
    let own = &panels[s];
    // The path: all supernodes above, and their columns.
    let mut path = vec![s];
    while let Some(&row) = panels[path[path.len() - 1]].below.first() {
        path.push(node_of[row]);
    }
    let rows: Vec<u32> = path
        .iter()
        .flat_map(|&k| panels[k].start as u32..(panels[k].start + panels[k].width) as u32)
        .collect();
    let (height, width) = (rows.len(), own.width);
    let mut x = vec![0.0; height * width];
    let mut product = Vec::new();
    let mut first = 0;
    for &k in &path {
        let panel = &panels[k];
        let panel_height = panel.width + panel.below.len();
        product.clear();
        product.resize(panel_height * width, 0.0);
        let left = MatRef::from_column_major_slice(&panel.values, panel_height, panel.width);
        let out = MatMut::from_column_major_slice_mut(&mut product, panel_height, width);
        if first == 0 {
            // The right-hand side is the identity.
            let unit = faer::Mat::<f64>::identity(width, width);
            matmul(out, Accum::Replace, left, unit.as_ref(), 1.0, Par::Seq);
        } else {
            let right = MatRef::from_column_major_slice(&x, height, width).subrows(first, panel.width);
            matmul(out, Accum::Replace, left, right, 1.0, Par::Seq);
        }
        let targets: Vec<usize> =
            panel.below.iter().map(|&r| rows.partition_point(|&p| (p as usize) < r)).collect();
        for j in 0..width {
            let (column, result) =
                (&mut x[j * height..(j + 1) * height], &product[j * panel_height..(j + 1) * panel_height]);
            column[first..first + panel.width].copy_from_slice(&result[..panel.width]);
            for (&row, value) in targets.iter().zip(&result[panel.width..]) {
                column[row] += value;
            }
        }
        first += panel.width;
    }
    Node { start: own.start, width, rows, values: x.iter().map(|&v| v as f32).collect() }
}

/// One component of `y = S b`.
struct Multiply<'a> {
    nodes: &'a [Node],
    b: &'a [Xyz],
    c: usize,
    y: &'a mut [f32],
}

impl Kernel for Multiply<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for node in self.nodes {
            let height = node.rows.len();
            // Runs of consecutive rows are whole supernodes: axpy on each.
            let mut from = 0;
            while from < height {
                let row = node.rows[from] as usize;
                let to = run_end(&node.rows, from);
                let y = &mut self.y[row..row + to - from];
                for j in 0..node.width {
                    let b = self.b[node.start + j][self.c];
                    axpy(s, b, &node.values[j * height + from..j * height + to], y);
                }
                from = to;
            }
        }
    }
}

/// End of the run of consecutive rows that starts at `from`.
#[inline(always)]
fn run_end(rows: &[u32], from: usize) -> usize {
    let mut to = from + 1;
    while to < rows.len() && (rows[to] - rows[from]) as usize == to - from {
        to += 1;
    }
    to
}

#[inline(always)]
fn axpy<S: Simd>(s: S, a: f32, x: &[f32], y: &mut [f32]) {
    let factor = s.splat(a);
    let (mut xs, mut ys) = (x.chunks_exact(S::LANES), y.chunks_exact_mut(S::LANES));
    for (x, y) in xs.by_ref().zip(ys.by_ref()) {
        s.store(s.fma(factor, s.load(x), s.load(y)), y);
    }
    for (x, y) in xs.remainder().iter().zip(ys.into_remainder()) {
        *y += a * x;
    }
}

/// The rows of one supernode of `x = S^T y`.
struct MultiplyTransposed<'a> {
    node: &'a Node,
    product: &'a [Vec<f32>; 3],
    x: &'a mut [Xyz],
}

impl Kernel for MultiplyTransposed<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let height = self.node.rows.len();
        self.x.fill([0.0; 4]);
        let rows = &self.node.rows;
        let mut from = 0;
        while from < height {
            let row = rows[from] as usize;
            let to = run_end(rows, from);
            for (j, x) in self.x.iter_mut().enumerate() {
                let column = &self.node.values[j * height + from..j * height + to];
                for c in 0..3 {
                    x[c] += dot(s, column, &self.product[c][row..row + to - from]);
                }
            }
            from = to;
        }
    }
}

#[inline(always)]
fn dot<S: Simd>(s: S, a: &[f32], b: &[f32]) -> f32 {
    let mut sum = s.splat(0.0);
    let (mut xs, mut ys) = (a.chunks_exact(S::LANES), b.chunks_exact(S::LANES));
    for (x, y) in xs.by_ref().zip(ys.by_ref()) {
        sum = s.fma(s.load(x), s.load(y), sum);
    }
    let mut lanes = [0.0; simd::BATCH];
    s.store(sum, &mut lanes);
    let mut total: f32 = lanes[..S::LANES].iter().sum();
    for (x, y) in xs.remainder().iter().zip(ys.remainder()) {
        total += x * y;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cholesky::{CholeskyScratch, RELAX_FACTOR, SymbolicCholesky};
    use crate::ordering::{Permutation, nested_dissection};

    fn laplacian(m: u32) -> SymmetricCsc {
        let mut triplets = Vec::new();
        for y in 0..m {
            for x in 0..m {
                let i = x + m * y;
                triplets.push((i, i, 4.1));
                if x + 1 < m {
                    triplets.push((i, i + 1, -1.0));
                }
                if y + 1 < m {
                    triplets.push((i, i + m, -1.0));
                }
            }
        }
        let a = SymmetricCsc::from_triplets((m * m) as usize, &triplets);
        a.permuted(&nested_dissection(&a, None))
    }

    fn factor(a: &SymmetricCsc) -> Cholesky {
        let identity = Permutation::from_forward((0..a.n()).collect());
        SymbolicCholesky::new(a, identity, RELAX_FACTOR).factor(a).expect("positive definite")
    }

    #[test]
    fn two_products_solve_the_system() {
        let a = laplacian(23);
        let l = factor(&a);
        let inverse = SparseInverse::new(&a, &l);
        let mut scratch = inverse.scratch();
        let b: Vec<[f64; 3]> = (0..a.n()).map(|i| [1.0, (i % 7) as f64 - 3.0, 0.01 * i as f64]).collect();
        for (x, b) in scratch.vector_mut().iter_mut().zip(&b) {
            *x = [b[0] as f32, b[1] as f32, b[2] as f32, 0.0];
        }
        Team::with(|team| inverse.solve(team, &mut scratch));
        let mut exact: Vec<f64> = (0..3).flat_map(|c| b.iter().map(move |b| b[c])).collect();
        l.solve_in_place(&mut exact, &mut CholeskyScratch::default());
        for (i, x) in scratch.vector().iter().enumerate() {
            for c in 0..3 {
                assert!((f64::from(x[c]) - exact[c * a.n() + i]).abs() < 2e-5, "row {i}");
            }
        }
    }

    /// The structure is that of theorem 1: exactly the entries of the dense inverse that are not zero.
    #[test]
    fn the_structure_is_that_of_the_elimination_tree() {
        let a = laplacian(9);
        let n = a.n();
        let l = factor(&a);
        // Dense L^-1: S_ij = (A^-1 L)_ij^T is awkward; invert the dense factor by substitution instead.
        let mut dense = vec![vec![0.0; n]; n];
        for s in 0..l.supernode_count() {
            let node = l.supernode(s);
            let height = node.width + node.below.len();
            for j in 0..node.width {
                for r in j..height {
                    let row = if r < node.width { node.start + r } else { node.below[r - node.width] };
                    dense[row][node.start + j] = node.values[r + j * height];
                }
            }
        }
        let mut nonzeros = 0;
        for j in 0..n {
            let mut x = vec![0.0; n];
            x[j] = 1.0;
            for i in j..n {
                x[i] = (x[i] - (j..i).map(|k| dense[i][k] * x[k]).sum::<f64>()) / dense[i][i];
            }
            nonzeros += x.iter().filter(|v| v.abs() > 1e-14).count();
        }
        assert_eq!(SparseInverse::new(&a, &l).nnz(), nonzeros);
    }
}
