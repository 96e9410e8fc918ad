//! Small dense and sparse linear algebra.

pub mod small;
