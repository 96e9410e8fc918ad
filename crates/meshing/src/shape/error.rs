//! What can be wrong with a shape.

use thiserror::Error;

/// A shape that is no body.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A number of a shape is out of its range.
    #[error("{name} is {value}, but it must be {want}")]
    BadParameter {
        /// Which number of which shape.
        name: &'static str,
        /// The value given.
        value: String,
        /// What is allowed.
        want: &'static str,
    },
    /// A combination without parts.
    #[error("{0} has no parts; give at least one")]
    NoParts(&'static str),
    /// A body that reaches to infinity.
    #[error("the shape has no bounds; intersect the half space with a body")]
    Unbounded,
    /// A body with nothing inside.
    #[error(
        "the shape is empty; let the parts of its intersections overlap, and let its cuts leave something"
    )]
    Empty,
    /// A tree that is too deep.
    #[error("the shape is nested deeper than {limit} levels; flatten it")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// A tree with too many shapes or outlines with too many corners.
    #[error("the shape has more than {limit} parts and corners; simplify it or mesh a surface instead")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
}
