//! Both passes of a solve, over the subtrees of all components and all vectors at once.

use super::pack::{Group, Packed};
use super::paths::Node;
use super::{PanelFactor, PanelScratch, Xyz};
use crate::simd::{self, Kernel, Simd};
use crate::team::{SharedSlice, Team};

impl PanelFactor {
    /// Replaces the right-hand sides by the solutions. What a vector becomes depends neither on the threads nor on the
    /// vectors beside it.
    ///
    /// # Panics
    /// If `scratch` was made by a factor of another structure.
    pub fn solve(&self, team: &Team, scratch: &mut PanelScratch) {
        let (stride, pieces, count) = (self.stride(), self.pieces(), scratch.count);
        // The tasks rely on it.
        assert!(scratch.vectors.len() == count * stride && scratch.pieces.len() == count * pieces);
        for vector in scratch.vectors.chunks_mut(stride.max(1)) {
            vector[self.n..].fill([0.0; 4]);
        }
        let (vectors, scratch) =
            (SharedSlice::new(&mut scratch.vectors), SharedSlice::new(&mut scratch.pieces));
        let one = |k: usize| Shared {
            factor: self,
            // SAFETY: vector k and its pieces are inside; each is shared by the tasks of one solve.
            vector: unsafe { vectors.part(k * stride, stride) },
            scratch: unsafe { scratch.part(k * pieces, pieces) },
        };
        let tasks = self.plan.tasks.len();
        // SAFETY (all): see `Shared`; tasks touch disjoint rows, the cap of a vector runs when its tasks are done.
        team.for_each(count * tasks, &|t| unsafe { one(t / tasks).run_task(t % tasks, Pass::Forward) });
        if count == 1 {
            unsafe { one(0).run_cap(Some(team)) };
        } else {
            team.for_each(count, &|k| unsafe { one(k).run_cap(None) });
        }
        team.for_each(count * tasks, &|t| unsafe { one(t / tasks).run_task(t % tasks, Pass::Backward) });
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Forward,
    Backward,
}

/// What the tasks of one solve share. A task writes the columns of its own subtree, its private sums and its own piece
/// of scratch; in the backward pass it also reads rows of the cap, which no task writes.
struct Shared<'a> {
    factor: &'a PanelFactor,
    vector: SharedSlice<Xyz>,
    scratch: SharedSlice<Xyz>,
}

/// One task in one direction, as a SIMD kernel.
struct Task<'a> {
    shared: &'a Shared<'a>,
    task: usize,
    pass: Pass,
}

impl Kernel for Task<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let PanelFactor { plan, components, trees, piece, .. } = self.shared.factor;
        let task = &plan.tasks[self.task];
        let component = &components[task.component];
        let tree = &trees[component.tree];
        let targets = plan.targets[task.component].as_deref();
        let nodes = task.nodes.clone();
        // SAFETY: see `Shared`; scratch pieces are disjoint.
        unsafe {
            let vector = &self.shared.vector.from(component.first_row);
            let scratch = self.shared.scratch.range(self.task * piece, *piece);
            match self.pass {
                Pass::Forward => {
                    for node in nodes {
                        let n = &tree.nodes[node];
                        let input = vector.range(n.start, n.width);
                        multiply(s, &tree.forward, tree.forward.groups_of(node), input, scratch, 0);
                        scatter(vector, targets.map_or(&n.below, |t| &t[node]), input, scratch);
                    }
                }
                Pass::Backward => {
                    for node in nodes.rev() {
                        let n = &tree.nodes[node];
                        let (input, out) = scratch.split_at_mut(piece / 2);
                        gather(vector, n, input);
                        multiply(s, &tree.backward, tree.backward.groups_of(node), input, out, 0);
                        vector.range(n.start, n.width).copy_from_slice(&out[..n.width]);
                    }
                }
            }
        }
    }
}

/// Some row groups of one panel, as a SIMD kernel.
struct Multiply<'a> {
    packed: &'a Packed,
    groups: &'a [Group],
    input: &'a [Xyz],
    /// Output rows from `first_row` on.
    out: &'a mut [Xyz],
    first_row: usize,
}

impl Kernel for Multiply<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        multiply(s, self.packed, self.groups, self.input, self.out, self.first_row);
    }
}

/// `[y; update] = P b` is in `product`: y replaces b, which is `own`, and the updates are added to their `targets`.
///
/// # Safety
/// The rows of the supernode and the targets must belong to the calling task.
#[inline(always)]
unsafe fn scatter(vector: &SharedSlice<Xyz>, targets: &[u32], own: &mut [Xyz], product: &[Xyz]) {
    let (y, updates) = product.split_at(own.len());
    own.copy_from_slice(y);
    for (&row, update) in targets.iter().zip(updates) {
        // SAFETY: targets are rows of the task's own subtree or its private sums.
        unsafe { add_to(vector.at(row as usize), update) };
    }
}

/// `*target += update`, as one vector: both are read before anything is written.
///
/// # Safety
/// `target` must be valid and used by nobody else.
#[inline(always)]
unsafe fn add_to(target: *mut Xyz, update: &Xyz) {
    // SAFETY: the caller's promise.
    unsafe {
        let (t, u) = (*target, *update);
        *target = [t[0] + u[0], t[1] + u[1], t[2] + u[2], t[3] + u[3]];
    }
}

/// Collects `[y; x_below]`.
///
/// # Safety
/// No thread may be writing the rows below `node`.
#[inline(always)]
unsafe fn gather(vector: &SharedSlice<Xyz>, node: &Node, input: &mut [Xyz]) {
    // SAFETY: the caller's promise.
    unsafe {
        input[..node.width].copy_from_slice(vector.range(node.start, node.width));
        for (value, &row) in input[node.width..].iter_mut().zip(&node.below) {
            *value = *vector.at(row as usize);
        }
    }
}

/// How far ahead panels are asked for, in numbers: the passes read them in order, but the hardware's own prefetch stops
/// at every page of 4 KB.
const PREFETCH: usize = 512;

/// `out = P input` for some row groups of a packed panel; `out` starts at row `first_row`.
#[inline(always)]
pub(super) fn multiply<S: Simd>(
    s: S,
    packed: &Packed,
    groups: &[Group],
    input: &[Xyz],
    out: &mut [Xyz],
    first_row: usize,
) {
    for g in groups {
        let values = packed.values(g);
        let input = &input[g.first_column as usize..][..g.columns as usize];
        let out = &mut out[g.first_row as usize - first_row..];
        match g.rows {
            16 => multiply_group::<S, 16>(s, values, input, out),
            32 => multiply_group::<S, 32>(s, values, input, out),
            48 => multiply_group::<S, 48>(s, values, input, out),
            _ => multiply_group::<S, 64>(s, values, input, out),
        }
    }
}

/// One row group: SIMD across its rows, three right-hand sides broadcast from `input`. Four vector accumulators per
/// right-hand side hide the latency of the FMA: four vectors of rows, or fewer rows with the columns split.
#[inline(always)]
fn multiply_group<S: Simd, const ROWS: usize>(s: S, values: &[f32], input: &[Xyz], out: &mut [Xyz]) {
    let (columns, _) = values.as_chunks::<ROWS>();
    let mut row = 0;
    while row < ROWS {
        let vectors = ((ROWS - row) / S::LANES).min(4);
        let split = 4 / vectors;
        let mut sum = [[s.splat(0.0); 3]; 4];
        let accumulate = |sum: &mut [S::F; 3], column: &[f32; ROWS], first: usize, x: &Xyz| {
            let a = s.load(&column[first..]);
            s.prefetch(&column[first..], PREFETCH);
            for c in 0..3 {
                sum[c] = s.fma(a, s.splat(x[c]), sum[c]);
            }
        };
        let (whole, xs) = (columns.chunks_exact(split), input.chunks_exact(split));
        let (rest, rest_x) = (whole.remainder(), xs.remainder());
        for (column, x) in whole.zip(xs) {
            for k in 0..split {
                for v in 0..vectors {
                    accumulate(&mut sum[k * vectors + v], &column[k], row + v * S::LANES, &x[k]);
                }
            }
        }
        for (column, x) in rest.iter().zip(rest_x) {
            for v in 0..vectors {
                accumulate(&mut sum[v], column, row + v * S::LANES, x);
            }
        }
        for v in 0..vectors {
            let mut total = sum[v];
            for k in 1..split {
                total = std::array::from_fn(|c| s.add(total[c], sum[k * vectors + v][c]));
            }
            s.store_xyz(total, &mut out[row + v * S::LANES..]);
        }
        row += vectors * S::LANES;
    }
}

impl Shared<'_> {
    /// # Safety
    /// Each task at most once at a time, and not beside the cap.
    unsafe fn run_task(&self, task: usize, pass: Pass) {
        simd::dispatch(Task { shared: self, task, pass });
    }

    /// The supernodes above all tasks, one after the other, each with its row groups spread over the team, if there is
    /// one: first the forward pass upwards, then the backward pass downwards.
    ///
    /// # Safety
    /// No task may run at the same time.
    unsafe fn run_cap(&self, team: Option<&Team>) {
        let PanelFactor { plan, components, trees, piece, .. } = self.factor;
        // SAFETY: nothing else runs; private sums are read, rows of the cap are written.
        unsafe {
            for task in &plan.tasks {
                let component = &components[task.component];
                let root = &trees[component.tree].nodes[task.nodes.end - 1];
                let rows = self.vector.from(component.first_row);
                for (&row, sum) in root.below.iter().zip(self.vector.range(task.private, root.below.len())) {
                    add_to(rows.at(row as usize), sum);
                }
            }
            let scratch = self.scratch.range(plan.tasks.len() * piece, *piece);
            for &(component, node) in &plan.cap {
                let component = &components[component];
                let tree = &trees[component.tree];
                let (n, vector) = (&tree.nodes[node], self.vector.from(component.first_row));
                let input = vector.range(n.start, n.width);
                multiply_threaded(team, &tree.forward, tree.forward.groups_of(node), input, scratch);
                scatter(&vector, &n.below, input, scratch);
            }
            for &(component, node) in plan.cap.iter().rev() {
                let component = &components[component];
                let tree = &trees[component.tree];
                let (n, vector) = (&tree.nodes[node], self.vector.from(component.first_row));
                let (input, out) = scratch.split_at_mut(piece / 2);
                gather(&vector, n, input);
                multiply_threaded(team, &tree.backward, tree.backward.groups_of(node), input, out);
                vector.range(n.start, n.width).copy_from_slice(&out[..n.width]);
            }
        }
    }
}

/// Panel entries that are worth a task of their own.
const TASK_ENTRIES: usize = 8 * 1024;

/// Most tasks of one panel.
const MAX_PARTS: usize = 64;

/// [`multiply`] with the groups spread over the team; every row is computed the same way whatever the spread.
fn multiply_threaded(team: Option<&Team>, packed: &Packed, groups: &[Group], input: &[Xyz], out: &mut [Xyz]) {
    let entries = |g: &Group| g.rows as usize * g.columns as usize;
    let total: usize = groups.iter().map(entries).sum();
    let parts = team.map_or(1, |team| (total / TASK_ENTRIES).clamp(1, MAX_PARTS.min(2 * team.threads())));
    let Some(team) = team.filter(|_| parts > 1 && groups.len() > 1) else {
        simd::dispatch(Multiply { packed, groups, input, out, first_row: 0 });
        return;
    };
    // Part p takes the groups whose entries end in its share of the total.
    let mut ends = [0; MAX_PARTS];
    let mut sum = 0;
    for (k, g) in groups.iter().enumerate() {
        sum += entries(g);
        ends[((sum - 1) * parts / total).min(parts - 1)] = k + 1;
    }
    let out = SharedSlice::new(out);
    team.for_each(parts, &|p| {
        let from = ends[..p].iter().copied().max().unwrap_or(0);
        let groups = &groups[from..ends[p].max(from)];
        if let [first, .., last] | [first @ last] = groups {
            let first_row = first.first_row as usize;
            let rows = (last.first_row + last.rows) as usize - first_row;
            // SAFETY: groups follow each other row by row, and no two parts share a group.
            let out = unsafe { out.range(first_row, rows) };
            simd::dispatch(Multiply { packed, groups, input, out, first_row });
        }
    });
}
