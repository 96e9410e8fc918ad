//! Exact checks apart from contacts: which surfaces pass through each other, and what overlaps.

mod intersections;
mod overlaps;

pub use intersections::{Inside, Intersection, Intersections, PairDepth};
pub use overlaps::Overlap;

use crate::boxes::Bounds;
use crate::refresh::Placed;
use crate::skin::Skin;
use crate::tree::Forest;
use crate::{Pose, Side, Tasks};
use pliant_mesh::DVec3;

/// The skin at rest in one moment, with trees that fit it.
pub(crate) struct Still<'a> {
    pub skin: &'a Skin,
    /// Positions in the order of the skin.
    pub x: Vec<DVec3>,
    pub forest: Forest,
}

impl<'a> Still<'a> {
    /// `bodies` has the positions of all bodies. Boxes get `pad` of their part added.
    pub fn new(
        tasks: &dyn Tasks,
        (skin, forest): (&'a Skin, &Forest),
        (bodies, poses): (&[DVec3], &[Pose]),
        pad: f64,
    ) -> Self {
        let placed = Placed { skin, x: bodies, poses };
        let of_part = |part: &crate::skin::Part| {
            let side = part.side;
            part.vertices.clone().map(move |v| (v as u32, side))
        };
        let x: Vec<DVec3> =
            skin.parts.iter().flat_map(of_part).map(|(v, side)| placed.position(v, side)).collect();
        let mut forest = forest.clone();
        let fit = |_: u32, t: u32| {
            let corners = skin.topology.triangles[t as usize].map(|v| x[v as usize]);
            Bounds::around(corners, pad)
        };
        forest.refit(tasks, &|_| false, &fit);
        Self { skin, x, forest }
    }

    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.skin.topology.triangles[triangle as usize].map(|v| self.x[v as usize])
    }

    /// Pairs of parts whose boxes overlap, at most one of them an obstacle; a part also with itself.
    pub fn pairs(&self) -> Vec<[u32; 2]> {
        let parts = &self.skin.parts;
        let bounds = |p: u32| self.forest.nodes.get(parts[p as usize].root as usize).map(|n| &n.bounds);
        let count = parts.len() as u32;
        let all = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
        all.filter(|&[a, b]| {
            let [p, q] = [a, b].map(|i| &parts[i as usize]);
            !(p.triangles.is_empty() || q.triangles.is_empty() || p.is_rigid() && q.is_rigid())
                && bounds(a).zip(bounds(b)).is_some_and(|(a, b)| a.overlaps(b))
        })
        .collect()
    }

    /// Number of triangles with a corner that is not at a finite position.
    fn unchecked(&self) -> usize {
        let triangles = 0..self.skin.topology.triangles.len() as u32;
        triangles.filter(|&t| !self.corners(t).iter().all(|c| c.is_finite())).count()
    }

    fn sides(&self, [a, b]: [u32; 2]) -> [Side; 2] {
        [a, b].map(|p| self.skin.parts[p as usize].side)
    }
}
