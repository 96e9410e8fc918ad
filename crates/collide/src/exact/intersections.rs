//! All pairs of triangles that intersect, by exact predicates, and what is inside without touching.

use super::Still;
use crate::walk::{Seed, open};
use crate::{Detector, Pose, Side, Tasks};
use pliant_mesh::{DVec3, triangles_intersect};
use std::sync::{Mutex, PoisonError};

/// Two triangles that have a point in common beyond what neighbours share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Intersection {
    /// What the triangles belong to. The same body twice is an intersection with itself.
    pub sides: [Side; 2],
    /// Their indices in the lists they were given in. A box has 12.
    pub triangles: [u32; 2],
}

/// A point that is inside of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// What the point belongs to, and what it is inside of.
    pub sides: [Side; 2],
    /// The point.
    pub place: DVec3,
    /// How deep, in m. For a part that is wholly inside of another, the depth of one of its points.
    pub depth: f64,
}

/// What passes through what. Empty only if nothing does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intersections {
    /// All pairs of triangles that intersect, ascending.
    pub triangles: Vec<Intersection>,
    /// Vertices of bodies inside of analytic obstacles, and parts that are wholly inside of others.
    pub inside: Vec<Inside>,
    /// Triangles that could not be tested because a corner is not at a finite position.
    pub unchecked: usize,
}

impl Intersections {
    /// Whether all was tested and nothing intersects.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.inside.is_empty() && self.unchecked == 0
    }
}

impl Detector {
    /// Which triangles of bodies, of mesh obstacles and of boxes intersect at positions `x`, and what is inside of
    /// obstacles or other bodies; all of it, whatever [`Options`](crate::Options) say. The test of triangles is exact
    /// for the coordinates as they are: touching counts. Vertices inside of analytic obstacles count when they are
    /// deeper than `tolerance`.
    ///
    /// Nothing is found if there are fewer positions than vertices or fewer poses than obstacles.
    pub fn intersections(
        &self,
        tasks: &dyn Tasks,
        x: &[DVec3],
        poses: &[Pose],
        tolerance: f64,
    ) -> Intersections {
        if !self.matches(x, poses) {
            return Intersections::default();
        }
        let still = Still::new(tasks, self.skin_and_forest(), (x, poses), 0.0);
        let triangles = crossing_triangles(tasks, &still);
        let mut inside = self.inside_of_shapes(x, poses, tolerance);
        inside.extend(contained_parts(&still));
        Intersections { triangles, inside, unchecked: still.unchecked() }
    }
}

fn crossing_triangles(tasks: &dyn Tasks, still: &Still) -> Vec<Intersection> {
    let roots = |parts: [u32; 2]| parts.map(|p| still.skin.parts[p as usize].root);
    let mut seeds: Vec<Seed> =
        still.pairs().into_iter().map(|parts| Seed { parts, nodes: roots(parts) }).collect();
    Seed::split(&still.forest, &mut seeds, &mut Vec::new());
    let found: Vec<Mutex<Vec<Intersection>>> = seeds.iter().map(|_| Mutex::default()).collect();
    tasks.for_each(seeds.len(), &|job| {
        let mut found = found[job].lock().unwrap_or_else(PoisonError::into_inner);
        walk(still, seeds[job], |triangles| {
            let originals = triangles.map(|t| still.skin.originals[t as usize]);
            found.push(ordered(still.sides(seeds[job].parts), originals));
        });
    });
    let lists = found.into_iter().map(|list| list.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut all: Vec<Intersection> = lists.flatten().collect();
    all.sort_unstable();
    all
}

/// Within one side the lower index first.
fn ordered(sides: [Side; 2], triangles: [u32; 2]) -> Intersection {
    let turned = sides[0] == sides[1] && triangles[1] < triangles[0];
    Intersection { sides, triangles: if turned { [triangles[1], triangles[0]] } else { triangles } }
}

/// Calls `found` with the triangles below two nodes that intersect.
fn walk(still: &Still, seed: Seed, mut found: impl FnMut([u32; 2])) {
    let Still { forest, .. } = still;
    let mut stack = vec![seed.nodes];
    while let Some([a, b]) = stack.pop() {
        if open(forest, [a, b], |pair| stack.push(pair)) {
            continue;
        }
        for t in forest.nodes[a as usize].triangles() {
            for s in forest.nodes[b as usize].triangles() {
                let first_time = a != b || t < s;
                if first_time
                    && forest.boxes[t as usize].overlaps(&forest.boxes[s as usize])
                    && triangles_intersect(still.corners(t), still.corners(s))
                {
                    found([t, s]);
                }
            }
        }
    }
}

/// One point of each connected piece of a part that is inside of another solid part.
fn contained_parts(still: &Still) -> Vec<Inside> {
    let parts = &still.skin.parts;
    let mut inside = Vec::new();
    for &v in &still.skin.representatives {
        let point = still.x[v as usize];
        let Some(own) = parts.iter().position(|p| p.vertices.contains(&(v as usize))) else { continue };
        for (other, solid) in parts.iter().enumerate().filter(|(_, p)| p.solid) {
            if own == other || (parts[own].is_rigid() && solid.is_rigid()) {
                continue;
            }
            if winding_number(still, solid, point) > 0.5 {
                let sides = still.sides([own as u32, other as u32]);
                let depth = distance_to(still, solid, point);
                inside.push(Inside { sides, place: point, depth });
            }
        }
    }
    inside
}

/// How often the surface of a part winds around a point, by the solid angles of its triangles \[VanOosterom83\].
fn winding_number(still: &Still, part: &crate::skin::Part, point: DVec3) -> f64 {
    let angles = part.triangles.clone().map(|t| {
        let [a, b, c] = still.corners(t as u32).map(|corner| corner - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        let angle = a.dot(b.cross(c)).atan2(below);
        if angle.is_finite() { angle } else { 0.0 }
    });
    angles.sum::<f64>() / (2.0 * std::f64::consts::PI)
}

fn distance_to(still: &Still, part: &crate::skin::Part, point: DVec3) -> f64 {
    let distances = part.triangles.clone().map(|t| {
        let corners = still.corners(t as u32);
        let (weights, _) = pliant_mesh::closest_on_triangle(point, corners);
        let foot: DVec3 = weights.iter().zip(corners).map(|(&w, c)| w * c).sum();
        point.distance(foot)
    });
    distances.fold(f64::INFINITY, f64::min)
}
