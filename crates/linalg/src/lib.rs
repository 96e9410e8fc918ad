//! Linear algebra for Pliant: small dense kernels in SIMD batches, symmetric sparse matrices of numbers and of 3x3 blocks,
//! orderings, factors, the panel solve, the sparse inverse factor, Krylov solvers, threads of a step and beside it.
//!
//! Factors never change once they are made, and are shared; right-hand sides and work memory belong to the caller. The
//! `A` of the panel solve is symmetric positive definite and scalar (n x n): in local-global methods it acts on x, y and
//! z alike, so one factor serves three right-hand sides.

pub mod background;
pub mod batch;
pub mod block;
pub mod cholesky;
mod compliance;
pub mod dense;
pub mod etree;
pub mod inverse;
pub mod krylov;
pub mod ldlt;
pub mod ordering;
pub mod panels;
pub mod simd;
pub mod small;
mod sparse;
mod supernodes;
mod team;

pub use cholesky::{Cholesky, NotPositiveDefinite, SymbolicCholesky};
pub use compliance::Compliance;
pub use ordering::Permutation;
pub use sparse::SymmetricCsc;
pub use supernodes::Cost;
pub use team::Team;
