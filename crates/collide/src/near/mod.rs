//! The narrow phase: is a vertex near a triangle, or an edge near an edge, and in which direction?

mod edge_edge;
mod found;
mod segment;
mod surroundings;
mod sweep;
mod vertex_triangle;

pub(crate) use edge_edge::EdgeTest;
pub(crate) use found::{EDGE, EDGE_EDGE, FACE, Found, Remembered, VERTEX_TRIANGLE, When, feature_of};
pub(crate) use surroundings::Config;
pub(crate) use vertex_triangle::VertexTest;

use crate::motion::EdgeMotion;
use crate::skin::{Part, Skin};
use crate::vector::{add, dot, scale, sub};
use pliant_mesh::Point;

/// All that the narrow phase looks at in one step.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub skin: &'a Skin,
    /// Positions of the skin's vertices before the step and as predicted after it.
    pub x0: &'a [Point],
    pub x1: &'a [Point],
    /// What the edges do in the step.
    pub edges: &'a [EdgeMotion],
    /// Gap up to which pairs are reported.
    pub margin: f64,
    /// The contacts of the last step, sorted by key.
    pub remembered: &'a [Remembered],
}

impl<'a> Scene<'a> {
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
        let moved = |v: u32| sub(self.x1[v as usize], self.x0[v as usize]);
        let (first, second) = (first.map(moved), second.map(moved));
        let sum = first.iter().chain(&second).fold([0.0; 3], |sum, &d| add(sum, d));
        let mean = scale(sum, 1.0 / (M + N) as f64);
        let largest = |group: &[Point]| {
            group.iter().fold(0.0, |most: f64, &d| {
                let apart = sub(d, mean);
                most.max(dot(apart, apart))
            })
        };
        largest(&first).sqrt() + largest(&second).sqrt()
    }

    /// Whether two triangles are apart along the line between their middles, before and after the step and hence all
    /// the time, so that none of their features that do not meet come within `reach`.
    #[inline]
    pub fn are_apart(&self, t: [u32; 3], s: [u32; 3], reach: f64) -> bool {
        let middle = |t: [u32; 3]| {
            let [a, b, c] = [self.x1[t[0] as usize], self.x1[t[1] as usize], self.x1[t[2] as usize]];
            add(add(a, b), c)
        };
        let axis = sub(middle(t), middle(s));
        let height = |v: u32| {
            let v = v as usize;
            [dot(axis, self.x0[v]), dot(axis, self.x1[v])]
        };
        let (heights_t, heights_s) = (t.map(height), s.map(height));
        let bound = reach * dot(axis, axis).sqrt();
        let shared = (0..3).find_map(|i| (0..3).find(|&j| s[j] == t[i]).map(|j| (i, j)));
        (0..2).all(|time| {
            let lowest = |but: Option<usize>| {
                (0..3).filter(|&k| Some(k) != but).fold(f64::INFINITY, |m, k| m.min(heights_t[k][time]))
            };
            let highest = |but: Option<usize>| {
                (0..3).filter(|&k| Some(k) != but).fold(f64::NEG_INFINITY, |m, k| m.max(heights_s[k][time]))
            };
            match shared {
                None => lowest(None) - highest(None) > bound,
                // Features with the shared corner do not count, but what is beyond it on both sides does.
                Some((i, j)) => {
                    let corner = heights_t[i][time];
                    lowest(Some(i)) - corner > bound && corner - highest(Some(j)) > bound
                }
            }
        })
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

    fn reach(&self) -> f64 {
        self.thickness + self.margin
    }
}
