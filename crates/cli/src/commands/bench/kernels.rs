//! `pliant bench --kernels`: the inner kernels by themselves.

use crate::failure::Failure;

/// Measures the kernels and prints a table, or JSON.
pub fn run(json: bool) -> Result<(), Failure> {
    let _ = json;
    Err(Failure::other("bench --kernels is not available in this version: use `pliant bench SCENE`"))
}
