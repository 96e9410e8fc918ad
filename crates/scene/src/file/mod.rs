//! Scene files: text to a tree that remembers places, changes to it, and the tree to typed entries.

pub mod builtin;

pub(crate) mod document;
pub(crate) mod spec;
pub(crate) mod tree;

mod expression;
mod hint;
mod include;
mod instances;
mod migrate;
mod parameters;
mod read;
mod scene;
mod schema;

pub use scene::Scene;
pub use schema::schema;
