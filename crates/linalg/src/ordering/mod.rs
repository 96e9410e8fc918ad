//! Fill-reducing orderings: nested dissection by METIS, and a pure-Rust one for builds without it.

mod bisect;
mod coarsen;
mod compress;
mod dissect;
mod graph;
mod minimum_degree;
mod random;
mod separator;
#[cfg(test)]
mod tests;

use crate::{SymmetricCsc, etree};
use compress::Compressed;
use dissect::dissected;
use graph::{Graph, Part};
use std::collections::BTreeMap;

/// A permutation and its inverse: new index `i` is old index `forward[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// Old index of each new index.
    pub forward: Vec<usize>,
    /// New index of each old index.
    pub inverse: Vec<usize>,
}

impl Permutation {
    /// From the old index of each new index, which must be a permutation of `0..n`.
    pub fn from_forward(forward: Vec<usize>) -> Permutation {
        let mut inverse = vec![0; forward.len()];
        for (new, &old) in forward.iter().enumerate() {
            inverse[old] = new;
        }
        Permutation { forward, inverse }
    }

    /// `self` first, then `next`.
    pub fn then(&self, next: &Permutation) -> Permutation {
        Permutation::from_forward(next.forward.iter().map(|&i| self.forward[i]).collect())
    }
}

/// Nested dissection of the graph of `a`, post-ordered: METIS where it is compiled in, otherwise [`bisection`].
pub fn nested_dissection(a: &SymmetricCsc, points: Option<&[[f64; 3]]>) -> Permutation {
    #[cfg(feature = "metis")]
    if let Some(order) = metis(a) {
        return post_ordered(a, order);
    }
    post_ordered(a, bisection(a, points))
}

/// Reorders `order` so that subtrees of the elimination tree are contiguous; fill does not change.
pub fn post_ordered(a: &SymmetricCsc, order: Permutation) -> Permutation {
    let parent = etree::elimination_tree(&a.permuted(&order));
    order.then(&etree::postorder(&parent))
}

/// Nested dissection of the graph of `a`, each connected component by itself: first that of row 0, then that of the
/// first row that is left, and so on. Components with the same graph get the same order.
pub fn multilevel(a: &SymmetricCsc) -> Permutation {
    let (start, neighbours) = a.adjacency();
    let graph = Graph::unweighted(start, neighbours.into_iter().map(|v| v as u32).collect());
    let (label, count) = graph.components(|_| true);
    let mut known: BTreeMap<Graph, Vec<u32>> = BTreeMap::new();
    let mut forward = Vec::with_capacity(a.n());
    for Part { graph, vertices } in graph.parts(&label, count) {
        let order = known.entry(graph).or_insert_with_key(order_of_connected);
        forward.extend(order.iter().map(|&v| vertices[v as usize] as usize));
    }
    Permutation::from_forward(forward)
}

fn order_of_connected(graph: &Graph) -> Vec<u32> {
    match Compressed::new(graph) {
        Some(compressed) => compressed.expand(&dissected(&compressed.graph)),
        None => dissected(graph),
    }
}

/// METIS_NodeND with its defaults; `None` if the graph is too large for its 32-bit indices or it fails.
#[cfg(feature = "metis")]
pub fn metis(a: &SymmetricCsc) -> Option<Permutation> {
    let n = a.n();
    let (start, neighbours) = a.adjacency();
    let mut count = i32::try_from(n).ok()?;
    i32::try_from(neighbours.len()).ok()?;
    if neighbours.is_empty() {
        return Some(Permutation::from_forward((0..n).collect()));
    }
    let mut xadj: Vec<i32> = start.iter().map(|&s| s as i32).collect();
    let mut adjncy: Vec<i32> = neighbours.iter().map(|&s| s as i32).collect();
    let (mut perm, mut iperm) = (vec![0i32; n], vec![0i32; n]);
    let mut options = [0i32; metis_sys::METIS_NOPTIONS as usize];
    // METIS seeds and draws from the one random sequence of the C library: two calls at once would disturb each other.
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // SAFETY: all arrays have the lengths METIS_NodeND documents (n + 1, xadj[n], n, n, METIS_NOPTIONS), the graph is
    // symmetric without self-loops, and METIS writes only to `perm`, `iperm` and `options`.
    let status = unsafe {
        metis_sys::METIS_SetDefaultOptions(options.as_mut_ptr());
        metis_sys::METIS_NodeND(
            &mut count,
            xadj.as_mut_ptr(),
            adjncy.as_mut_ptr(),
            std::ptr::null_mut(),
            options.as_mut_ptr(),
            perm.as_mut_ptr(),
            iperm.as_mut_ptr(),
        )
    };
    (status == metis_sys::rstatus_et_METIS_OK)
        .then(|| Permutation::from_forward(perm.into_iter().map(|p| p as usize).collect()))
}

/// Nested dissection by recursive bisection: along the widest coordinate where points are known, otherwise along the
/// graph distance from a far vertex.
pub fn bisection(a: &SymmetricCsc, points: Option<&[[f64; 3]]>) -> Permutation {
    let (start, neighbours) = a.adjacency();
    let n = a.n();
    let mut work =
        Bisection { start, neighbours, points, side: vec![OUTSIDE; n], key: vec![0.0; n], order: Vec::new() };
    work.dissect((0..n).collect());
    Permutation::from_forward(work.order)
}

const OUTSIDE: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;

struct Bisection<'a> {
    start: Vec<usize>,
    neighbours: Vec<usize>,
    points: Option<&'a [[f64; 3]]>,
    /// Which part of the current subset a vertex is in.
    side: Vec<u8>,
    /// What the current subset is split by.
    key: Vec<f64>,
    order: Vec<usize>,
}

impl Bisection<'_> {
    /// Appends an order of `subset` in which its separator comes last. Small subsets stay in their own order.
    fn dissect(&mut self, mut subset: Vec<usize>) {
        if subset.len() <= 32 {
            self.order.extend(subset);
            return;
        }
        self.fill_keys(&subset);
        subset.sort_by(|&a, &b| self.key[a].total_cmp(&self.key[b]).then(a.cmp(&b)));
        let upper = subset.split_off(subset.len() / 2);
        self.mark(&subset, LOWER);
        self.mark(&upper, UPPER);
        let touches = |s: &Self, v: usize, side: u8| s.neighbours_of(v).iter().any(|&w| s.side[w] == side);
        // The separator is taken from the side where it is smaller.
        let from_upper: Vec<usize> = upper.iter().copied().filter(|&v| touches(self, v, LOWER)).collect();
        let from_lower: Vec<usize> = subset.iter().copied().filter(|&v| touches(self, v, UPPER)).collect();
        self.mark(&subset, OUTSIDE);
        self.mark(&upper, OUTSIDE);
        let (separator, mut parts) = if from_upper.len() <= from_lower.len() {
            (from_upper, [subset, upper])
        } else {
            (from_lower, [subset, upper])
        };
        self.mark(&separator, LOWER);
        for part in &mut parts {
            part.retain(|&v| self.side[v] == OUTSIDE);
        }
        self.mark(&separator, OUTSIDE);
        for part in parts {
            self.dissect(part);
        }
        self.order.extend(separator);
    }

    fn neighbours_of(&self, v: usize) -> &[usize] {
        &self.neighbours[self.start[v]..self.start[v + 1]]
    }

    fn mark(&mut self, subset: &[usize], side: u8) {
        for &v in subset {
            self.side[v] = side;
        }
    }

    fn fill_keys(&mut self, subset: &[usize]) {
        match self.points {
            Some(points) => {
                let extent = |k: usize| {
                    let values = subset.iter().map(|&v| points[v][k]);
                    values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
                };
                let axis = (0..3).max_by(|&a, &b| extent(a).total_cmp(&extent(b))).unwrap_or(0);
                for &v in subset {
                    self.key[v] = points[v][axis];
                }
            }
            None => {
                // A vertex at the end of a breadth-first search is far from the rest.
                let end = self.breadth_first(subset, subset[0]);
                self.breadth_first(subset, end);
            }
        }
    }

    /// Numbers the subset in breadth-first order from `root` into `key` and returns the last vertex reached.
    fn breadth_first(&mut self, subset: &[usize], root: usize) -> usize {
        self.mark(subset, UPPER);
        let mut queue = Vec::with_capacity(subset.len());
        let seeds = std::iter::once(root).chain(subset.iter().copied());
        for seed in seeds {
            if self.side[seed] != UPPER {
                continue;
            }
            self.side[seed] = OUTSIDE;
            queue.push(seed);
            let mut next = queue.len() - 1;
            while next < queue.len() {
                let v = queue[next];
                next += 1;
                for k in self.start[v]..self.start[v + 1] {
                    let w = self.neighbours[k];
                    if self.side[w] == UPPER {
                        self.side[w] = OUTSIDE;
                        queue.push(w);
                    }
                }
            }
        }
        for (k, &v) in queue.iter().enumerate() {
            self.key[v] = k as f64;
        }
        queue[queue.len() - 1]
    }
}

#[cfg(test)]
mod comparison {
    use super::*;

    /// The 7-point Laplacian of an m x m x m grid, and its points.
    fn grid(m: u32) -> (SymmetricCsc, Vec<[f64; 3]>) {
        let index = |x, y, z| x + m * (y + m * z);
        let (mut triplets, mut points) = (Vec::new(), Vec::new());
        for z in 0..m {
            for y in 0..m {
                for x in 0..m {
                    points.push([x.into(), y.into(), z.into()]);
                    let i = index(x, y, z);
                    triplets.push((i, i, 7.0));
                    for (inside, j) in [(x + 1 < m, i + 1), (y + 1 < m, i + m), (z + 1 < m, i + m * m)] {
                        if inside {
                            triplets.push((i, j, -1.0));
                        }
                    }
                }
            }
        }
        (SymmetricCsc::from_triplets((m * m * m) as usize, &triplets), points)
    }

    fn inverse_nnz(a: &SymmetricCsc, order: Permutation) -> usize {
        let mut seen = order.forward.clone();
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(i, &v)| i == v), "not a permutation");
        let order = post_ordered(a, order);
        etree::inverse_nnz(&etree::elimination_tree(&a.permuted(&order)))
    }

    #[test]
    fn every_ordering_is_a_permutation_and_reduces_the_inverse() {
        let (a, points) = grid(12);
        let natural = inverse_nnz(&a, Permutation::from_forward((0..a.n()).collect()));
        let geometric = inverse_nnz(&a, bisection(&a, Some(&points)));
        let graph = inverse_nnz(&a, bisection(&a, None));
        assert!(geometric * 2 < natural, "geometric {geometric}, natural {natural}");
        assert!(graph * 2 < natural, "graph {graph}, natural {natural}");
        #[cfg(feature = "metis")]
        {
            let metis = inverse_nnz(&a, metis(&a).expect("small graph"));
            assert!((metis as f64) < 1.3 * geometric as f64, "metis {metis}, geometric {geometric}");
        }
    }

    #[test]
    fn disconnected_graphs_are_ordered_too() {
        let a = SymmetricCsc::from_triplets(100, &[(0, 1, 1.0), (50, 51, 1.0)]);
        assert_eq!(nested_dissection(&a, None).forward.len(), 100);
        assert_eq!(bisection(&a, None).forward.len(), 100);
    }
}
