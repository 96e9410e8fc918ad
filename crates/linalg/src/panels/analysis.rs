//! What the factors of all matrices of one pattern have in common. Finding it takes about as long as a small factor does.

use super::components;
use super::pack;
use super::tree::PanelTree;
use crate::cholesky::SymbolicCholesky;
use crate::sparse::SymmetricCsc;
use std::sync::Arc;

/// The structure of the factors of a pattern. Copies share it.
#[derive(Clone, Debug)]
pub struct Analysis(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    /// The structures of the connected parts that differ.
    distinct: Vec<SymbolicCholesky>,
    /// Which of them each part has.
    of_part: Vec<usize>,
}

impl Analysis {
    /// Analyses the pattern of `a`, whose rows are in a post-ordered elimination order. Its values do not matter.
    pub fn new(a: &SymmetricCsc) -> Analysis {
        let mut patterns: Vec<SymmetricCsc> = Vec::new();
        let of_part = components::blocks(a)
            .into_iter()
            .map(|rows| {
                let block = a.diagonal_block(rows);
                let known = patterns.iter().position(|p| p.has_pattern_of(&block));
                known.unwrap_or_else(|| {
                    patterns.push(block);
                    patterns.len() - 1
                })
            })
            .collect();
        Analysis(Arc::new(Parts { distinct: patterns.iter().map(PanelTree::analyse).collect(), of_part }))
    }

    /// The structure of a connected part.
    pub(super) fn of_part(&self, part: usize) -> &SymbolicCholesky {
        &self.0.distinct[self.0.of_part[part]]
    }

    /// Number of connected parts.
    pub(super) fn parts(&self) -> usize {
        self.0.of_part.len()
    }

    /// Bytes of the panels of a factor in which no two parts are equal, before there is one.
    pub fn panel_bytes(&self) -> usize {
        let entries =
            |s: &SymbolicCholesky| s.supernode_sizes().map(|(w, b)| pack::entries(w, b)).sum::<usize>();
        let distinct: Vec<usize> = self.0.distinct.iter().map(entries).collect();
        self.0.of_part.iter().map(|&k| distinct[k] * size_of::<f32>()).sum()
    }

    /// Most bytes that are in use while a factor is made: that of every part in f64, its panels in f64, and packed.
    pub fn working_bytes(&self) -> usize {
        let entries = |s: &SymbolicCholesky| s.supernode_sizes().map(|(w, b)| w * (w + b)).sum::<usize>();
        let distinct: Vec<usize> = self.0.distinct.iter().map(entries).collect();
        let factors: usize = self.0.of_part.iter().map(|&k| 2 * distinct[k] * size_of::<f64>()).sum();
        factors + self.panel_bytes()
    }
}
