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

use crate::motion::{EdgeMotion, Spread};
use crate::skin::{Part, Skin};
use crate::vector::{add, dot, norm, scale, sub};
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
    /// Whether the triangles around each vertex surely do not come near each other.
    pub tame: &'a [bool],
    /// How the parts move.
    pub spreads: &'a [Spread],
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

    /// How differently points of two parts move in the step, at most.
    pub fn spread(&self, parts: [u32; 2]) -> f64 {
        let [a, b] = parts.map(|p| self.spreads[p as usize]);
        a.radius + b.radius + norm(sub(a.mean, b.mean))
    }

    /// Whether two triangles are apart along the line between their middles, before and after the step and hence all
    /// the time, so that none of their features come within `reach` of each other. `shared` is the place of a corner
    /// that both have: features that meet there do not count.
    #[inline]
    pub fn are_apart(
        &self,
        [t, s]: [[u32; 3]; 2],
        shared: Option<[usize; 2]>,
        reach: f64,
        spread: f64,
    ) -> bool {
        let get = |x: &[Point], t: [u32; 3]| [x[t[0] as usize], x[t[1] as usize], x[t[2] as usize]];
        let (t1, s1) = (get(self.x1, t), get(self.x1, s));
        let middle = |[a, b, c]: [Point; 3]| add(add(a, b), c);
        let axis = sub(middle(t1), middle(s1));
        let length = dot(axis, axis).sqrt();
        let apart = distance_along(axis, t1, s1, shared);
        // Before the step they were at most the spread nearer.
        apart > (reach + spread) * length
            || (apart > reach * length
                && distance_along(axis, get(self.x0, t), get(self.x0, s), shared) > reach * length)
    }
}

/// How far the second triangle is below the first, in units of the axis.
#[inline]
fn distance_along(axis: Point, t: [Point; 3], s: [Point; 3], shared: Option<[usize; 2]>) -> f64 {
    let mut upper = [dot(axis, t[0]), dot(axis, t[1]), dot(axis, t[2])];
    let mut lower = [-dot(axis, s[0]), -dot(axis, s[1]), -dot(axis, s[2])];
    let Some([i, j]) = shared else {
        return least(upper) + least(lower);
    };
    // What is beyond the shared corner on one side must be away from all on the other, the corner included.
    let corner = upper[i];
    (upper[i], lower[j]) = (f64::INFINITY, f64::INFINITY);
    let (above, below) = (least(upper) - corner, corner + least(lower));
    if above < below { above } else { below }
}

#[inline]
fn least([a, b, c]: [f64; 3]) -> f64 {
    let ab = if b < a { b } else { a };
    if c < ab { c } else { ab }
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
