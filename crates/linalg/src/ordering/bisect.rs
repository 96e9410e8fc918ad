//! Multilevel search for a light separator [Karypis98]: coarsen the graph, split the coarsest one, refine the split on
//! each graph on the way back.

use super::coarsen::{Coarse, coarsen};
use super::graph::Graph;
use super::random::Random;
use super::separator::{Refiner, Split};

/// Vertices of the coarsest graph, about.
const COARSEST: usize = 50;
/// Splits of the coarsest graph that are tried.
const TRIES: usize = 6;
/// Graphs with this many vertices are first coarsened to an eighth only; from there the search is made [`RUNS`] times.
const LARGE: usize = 3000;
const RUNS: usize = 4;

/// A light separator of a connected graph. Neither side weighs much more than 60 % of the graph.
pub(super) fn bisect(graph: &Graph) -> Split {
    let total = graph.total_weight();
    let mut search = Search {
        random: Random::new(graph.len() as u64),
        refiner: Refiner::new(graph.len()),
        heaviest_side: total * 3 / 5,
        heaviest_vertex: (3 * total / (2 * COARSEST as i64)).max(1),
    };
    if graph.len() < LARGE {
        search.multilevel(graph, COARSEST, Search::best_grown)
    } else {
        search.multilevel(graph, graph.len() / 8, |search, middle| {
            search.best_of(RUNS, |search| search.multilevel(middle, COARSEST, Search::best_grown))
        })
    }
}

struct Search {
    random: Random,
    refiner: Refiner,
    heaviest_side: i64,
    heaviest_vertex: i64,
}

impl Search {
    /// Coarsens `graph` to about `target` vertices, splits what is left by `split_coarsest`, and refines.
    fn multilevel(
        &mut self,
        graph: &Graph,
        target: usize,
        split_coarsest: impl Fn(&mut Search, &Graph) -> Split,
    ) -> Split {
        let levels = self.coarser(graph, target);
        let at = |level: usize| if level == 0 { graph } else { &levels[level - 1].graph };
        let mut split = split_coarsest(self, at(levels.len()));
        for (level, Coarse { map, .. }) in levels.iter().enumerate().rev() {
            split = split.projected(map);
            self.refiner.refine(at(level), &mut split, self.heaviest_side);
        }
        split
    }

    /// Coarser and coarser graphs, until there are `target` vertices or hardly any edge can be matched.
    fn coarser(&mut self, graph: &Graph, target: usize) -> Vec<Coarse> {
        let mut levels: Vec<Coarse> = Vec::new();
        loop {
            let last = levels.last().map_or(graph, |level| &level.graph);
            if last.len() <= target {
                return levels;
            }
            let next = coarsen(last, self.heaviest_vertex, &mut self.random);
            if next.graph.len() * 20 > last.len() * 19 {
                return levels;
            }
            levels.push(next);
        }
    }

    /// The best of several splits that grow from random vertices.
    fn best_grown(&mut self, graph: &Graph) -> Split {
        self.best_of(TRIES, |search| {
            let seed = search.random.below(graph.len()) as u32;
            let mut split = search.refiner.grow(graph, seed);
            search.refiner.refine(graph, &mut split, search.heaviest_side);
            split
        })
    }

    fn best_of(&mut self, count: usize, mut find: impl FnMut(&mut Search) -> Split) -> Split {
        let mut best = find(self);
        for _ in 1..count {
            let other = find(self);
            if other.cost() < best.cost() {
                best = other;
            }
        }
        best
    }
}
