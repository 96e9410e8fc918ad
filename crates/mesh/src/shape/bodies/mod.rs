//! Modelled bodies of the scene catalogue, about one metre large.

mod donut;

use super::Shape;

/// A modelled body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its name in scene files.
    pub name: &'static str,
    /// One line for listings.
    pub description: &'static str,
    /// Makes it, about one metre large.
    pub shape: fn() -> Shape,
}

const BODIES: &[Body] = &[Body { name: "donut", description: "A ring.", shape: donut::donut }];

/// All modelled bodies.
pub fn bodies() -> &'static [Body] {
    BODIES
}

/// The modelled body of this name.
pub fn body(name: &str) -> Option<Shape> {
    BODIES.iter().find(|b| b.name == name).map(|b| (b.shape)())
}
