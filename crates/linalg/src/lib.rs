//! Small dense and sparse linear algebra.
