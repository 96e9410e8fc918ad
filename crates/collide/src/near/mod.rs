//! The narrow phase: is a vertex near a triangle, or an edge near an edge, and in which direction?

mod edge_edge;
mod found;
mod segment;
mod surroundings;
mod sweep;
mod vertex_triangle;

pub(crate) use edge_edge::EdgeTest;
pub(crate) use found::{
    ALIKE, EDGE, EDGE_EDGE, FACE, Found, Ordered, Remembered, VERTEX_TRIANGLE, When, feature_of,
};
pub(crate) use surroundings::Config;
pub(crate) use vertex_triangle::VertexTest;

use crate::skin::{Part, Skin};
use pliant_mesh::DVec3;

/// All that the narrow phase looks at in one step.
#[derive(Clone, Copy)]
pub(crate) struct StepView<'a> {
    pub skin: &'a Skin,
    /// Positions of the skin's vertices before the step and as predicted after it.
    pub x0: &'a [DVec3],
    pub x1: &'a [DVec3],
    /// Whether the surface stands out at each edge.
    pub sharp: &'a [bool],
    /// Gap up to which pairs are reported.
    pub margin: f64,
    /// The contacts of the last step, sorted by key.
    pub remembered: &'a [Remembered],
}

impl<'a> StepView<'a> {
    /// Positions at a time between 0, the start of the step, and 1, its end.
    pub fn at(&self, time: f64) -> Config<'a> {
        Config { skin: self.skin, x0: self.x0, x1: self.x1, time }
    }

    pub fn part(&self, index: u32) -> &'a Part {
        &self.skin.parts[index as usize]
    }

    /// How far two points, one of each group of vertices, can move relative to each other in the step.
    #[inline]
    fn relative_motion<const M: usize, const N: usize>(&self, first: [u32; M], second: [u32; N]) -> f64 {
        let moved = |v: u32| self.x1[v as usize] - self.x0[v as usize];
        let (first, second) = (first.map(moved), second.map(moved));
        let sum: DVec3 = first.iter().chain(&second).sum();
        let mean = sum / (M + N) as f64;
        let largest =
            |group: &[DVec3]| group.iter().fold(0.0, |most: f64, d| most.max(d.distance_squared(mean)));
        largest(&first).sqrt() + largest(&second).sqrt()
    }
}

/// What is kept apart, and up to which gap it is reported.
#[derive(Clone, Copy, Debug)]
struct Limits {
    thickness: f64,
    margin: f64,
}

impl Limits {
    /// Within one surface, features that are near in the rest shape are kept apart by half of that distance at most,
    /// and reported only when they have come clearly nearer: a surface at rest does not touch itself.
    fn within_surface(self, rest_distance: f64) -> Self {
        let thickness = self.thickness.min(0.5 * rest_distance);
        Self { thickness, margin: self.margin.min(0.5 * (rest_distance - thickness)) }
    }

    /// For a pair that was found only when it crossed, and may have been too near for long: it is kept at its distance,
    /// and driven apart by a tenth of the thickness in a step. All at once would be a kick.
    fn gently(self, distance: f64) -> Self {
        Self { thickness: self.thickness.min(distance + 0.1 * self.thickness), ..self }
    }

    fn reach(&self) -> f64 {
        self.thickness + self.margin
    }
}
