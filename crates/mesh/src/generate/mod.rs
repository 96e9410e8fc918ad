//! Meshes of simple shapes, with named groups for their sides.
//!
//! Solids are grids of cells cut into six tets each (`grid.rs`), some bent by a map (`disc.rs`, `ball.rs`).

mod ball;
mod block;
mod cloth;
mod cylinder;
mod disc;
mod grid;
mod icosphere;
mod torus;

pub use ball::ball;
pub use block::{beam, block};
pub use cloth::{cloth, cloth_cells};
pub use cylinder::cylinder;
pub use icosphere::sphere_surface;
pub use torus::torus;

use crate::{Group, Groups, MeshError};

/// Generators refuse to make more elements than this: a typing error should not exhaust the memory.
pub const MAX_ELEMENTS: usize = 50_000_000;

/// A length must be positive and finite.
fn check_length(name: &'static str, value: f64) -> Result<(), MeshError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(MeshError::BadParameter { name, value: format!("{value:?}"), want: "positive and finite (metres)" })
}

/// A count must be at least `least`.
fn check_count(name: &'static str, value: usize, least: usize) -> Result<(), MeshError> {
    if value >= least {
        return Ok(());
    }
    let want = match least {
        1 => "at least 1",
        2 => "at least 2",
        _ => "at least 3",
    };
    Err(MeshError::BadParameter { name, value: value.to_string(), want })
}

/// The product of `factors`, the number of elements of `shape`, must be within [`MAX_ELEMENTS`].
fn check_total(shape: &'static str, factors: &[usize]) -> Result<(), MeshError> {
    let count = factors.iter().fold(1u128, |n, &f| n.saturating_mul(f as u128));
    let limit = MAX_ELEMENTS as u128;
    if count > limit { Err(MeshError::TooManyElements { shape, count, limit }) } else { Ok(()) }
}

/// Groups of vertices from names and ascending index lists.
fn vertex_groups<const N: usize>(sides: [(&str, Vec<u32>); N]) -> Groups {
    sides
        .into_iter()
        .map(|(name, vertices)| (name.to_string(), Group { vertices, elements: Vec::new() }))
        .collect()
}
