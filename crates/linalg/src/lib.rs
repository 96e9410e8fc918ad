//! Linear algebra for Pliant: small dense kernels in SIMD batches, symmetric sparse matrices, orderings, Cholesky
//! factorisation, the panel solve and the sparse inverse factor.
//!
//! `A` is always symmetric positive definite and scalar (n x n): in local-global methods it acts on x, y and z alike,
//! so one factor serves three right-hand sides.

pub mod batch;
pub mod cholesky;
pub mod compliance;
pub mod dense;
pub mod etree;
pub mod inverse;
pub mod krylov;
pub mod ordering;
pub mod panels;
pub mod simd;
pub mod small;
pub mod sparse;
pub mod team;

pub use cholesky::{Cholesky, NotPositiveDefinite, SymbolicCholesky};
pub use compliance::Compliance;
pub use ordering::Permutation;
pub use sparse::SymmetricCsc;
pub use team::Team;
