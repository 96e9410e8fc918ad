//! What overlaps or is nearer than its contact thickness: for messages to people.

use super::{Inside, Still};
use crate::crossing::crossing_depth;
use crate::skin::Part;
use crate::{Detector, ObstacleId, Pose, Side, Tasks};
use pliant_mesh::{DVec3, TriangleTree, WindingTree, triangles_intersect};

/// Two sides that overlap, or are nearer than the distance that is to be kept between them.
///
/// ```
/// use pliant_collide::Overlap;
///
/// fn print(found: &[Overlap]) {
///     for overlap in found {
///         println!("{:?}: {} m at {}", overlap.sides, overlap.depth, overlap.place);
///     }
/// }
/// # print(&[]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The two sides; a body comes before an obstacle.
    pub sides: [Side; 2],
    /// Vertices that are inside of the other side or too near to it.
    pub vertices: usize,
    /// Pairs of triangles that pass through each other.
    pub crossings: usize,
    /// What is missing to the distance to be kept at the worst vertex in m. Where only triangles cross, the shortest
    /// way out of any crossing.
    pub depth: f64,
    /// The worst place.
    pub place: DVec3,
}

impl Detector {
    /// Pairs of sides that overlap by more than `tolerance` at positions `x`, in ascending order of the sides. Within
    /// one surface only triangles that pass through each other count.
    ///
    /// Meant for a start or an end of a run: it takes a while. Nothing is found if there are fewer positions than
    /// vertices or fewer poses than obstacles.
    pub fn overlaps(&self, tasks: &dyn Tasks, x: &[DVec3], poses: &[Pose], tolerance: f64) -> Vec<Overlap> {
        if !self.matches(x, poses) {
            return Vec::new();
        }
        let mut list = Tally::default();
        for inside in self.inside_of_shapes(x, poses, tolerance - self.largest_radius()) {
            let kept = self.radius_of(inside.sides[0]) + self.radius_of(inside.sides[1]);
            list.add_vertex(inside.sides, inside.place, inside.depth + kept, tolerance);
        }
        let pad = self.largest_radius();
        let still = Still::new(tasks, self.skin_and_forest(), (x, poses), pad);
        let trees: Vec<Option<PartTree>> =
            still.skin.parts.iter().map(|p| PartTree::new(&still, p)).collect();
        for [a, b] in still.pairs() {
            if a != b {
                list.add_vertices(&still, [a, b], &trees, tolerance);
                list.add_vertices(&still, [b, a], &trees, tolerance);
            }
            list.add_crossings(&still, [a, b], &trees, tolerance);
        }
        list.0.sort_unstable_by_key(|o| o.sides);
        list.0
    }
}

/// A part at its place: nearest points, and inside or outside.
struct PartTree {
    winding: WindingTree,
}

impl PartTree {
    /// `None` for a part without triangles or with positions that are not finite.
    fn new(still: &Still, part: &Part) -> Option<Self> {
        let first = part.vertices.start as u32;
        let triangles: Vec<[u32; 3]> = still.skin.topology.triangles[part.triangles.clone()]
            .iter()
            .map(|t| t.map(|v| v - first))
            .collect();
        let tree = TriangleTree::from_parts(&still.x[part.vertices.clone()], &triangles).ok()?;
        (!tree.is_empty()).then(|| Self { winding: WindingTree::new(tree) })
    }

    /// What is missing to a distance `kept` from the part, if anything is.
    fn missing(&self, point: DVec3, solid: bool, kept: f64) -> Option<f64> {
        if solid && self.winding.winding_number(point) > 0.5 {
            return Some(kept + self.winding.triangles().closest(point)?.distance_sq.sqrt());
        }
        let near = self.winding.triangles().closest_within(point, kept)?;
        Some(kept - near.distance_sq.sqrt())
    }
}

#[derive(Default)]
struct Tally(Vec<Overlap>);

impl Tally {
    fn entry(&mut self, sides: [Side; 2]) -> &mut Overlap {
        let sides = if sides[1] < sides[0] { [sides[1], sides[0]] } else { sides };
        let place = match self.0.iter().position(|o| o.sides == sides) {
            Some(place) => place,
            None => {
                self.0.push(Overlap { sides, vertices: 0, crossings: 0, depth: 0.0, place: DVec3::ZERO });
                self.0.len() - 1
            }
        };
        &mut self.0[place]
    }

    fn add_vertex(&mut self, sides: [Side; 2], place: DVec3, depth: f64, tolerance: f64) {
        if depth > tolerance {
            let entry = self.entry(sides);
            entry.vertices += 1;
            if depth > entry.depth {
                (entry.depth, entry.place) = (depth, place);
            }
        }
    }

    /// Vertices of the first part that are inside of the second or too near to it.
    fn add_vertices(&mut self, still: &Still, pair: [u32; 2], trees: &[Option<PartTree>], tolerance: f64) {
        let [a, b] = pair.map(|p| &still.skin.parts[p as usize]);
        let Some(tree) = &trees[pair[1] as usize] else { return };
        // Of a box, vertices of bodies are already known by its formula.
        if !b.has_faces {
            return;
        }
        let kept = a.radius + b.radius;
        let bounds = tree.winding.triangles().bounds().grown(kept);
        for v in a.vertices.clone() {
            let point = still.x[v];
            if point.is_finite()
                && bounds.distance_sq(point) == 0.0
                && let Some(depth) = tree.missing(point, b.solid, kept)
            {
                self.add_vertex([a.side, b.side], point, depth, tolerance);
            }
        }
    }

    fn add_crossings(&mut self, still: &Still, pair: [u32; 2], trees: &[Option<PartTree>], tolerance: f64) {
        let sides = still.sides(pair);
        let [first, second] = pair.map(|p| &still.skin.parts[p as usize]);
        let Some(tree) = &trees[pair[1] as usize] else { return };
        let mut crossings = 0;
        let mut shortest: Option<(f64, DVec3)> = None;
        for t in first.triangles.clone() {
            let corners = still.corners(t as u32);
            tree.winding.triangles().overlapping(&pliant_mesh::Aabb::around(&corners), |s| {
                let s = second.triangles.start + s as usize;
                let others = still.corners(s as u32);
                if (pair[0] == pair[1] && s <= t) || !triangles_intersect(corners, others) {
                    return;
                }
                let depth = crossing_depth(corners, others);
                if depth > tolerance {
                    crossings += 1;
                    // Of all ways out of long triangles the shortest says most about the bodies.
                    if shortest.is_none_or(|(least, _)| depth < least) {
                        shortest = Some((depth, middle(corners)));
                    }
                }
            });
        }
        let Some((depth, place)) = shortest else { return };
        let entry = self.entry(sides);
        entry.crossings += crossings;
        if depth > entry.depth {
            (entry.depth, entry.place) = (depth, place);
        }
    }
}

fn middle([a, b, c]: [DVec3; 3]) -> DVec3 {
    (a + b + c) / 3.0
}

impl Detector {
    /// Vertices of bodies that are deeper than `tolerance` inside of analytic obstacles; a negative one also reports
    /// vertices that are merely near.
    fn inside_of_shapes(&self, x: &[DVec3], poses: &[Pose], tolerance: f64) -> Vec<Inside> {
        let (skin, _) = self.skin_and_forest();
        let mut inside = Vec::new();
        for (index, (obstacle, pose)) in self.obstacles().iter().zip(poses).enumerate() {
            for part in skin.parts.iter().filter(|p| !p.is_rigid()) {
                for v in part.vertices.clone().filter(|&v| !skin.repeated[v]) {
                    let place = x[skin.global[v] as usize];
                    let Some((distance, _)) = obstacle.shape.signed_distance(pose.local(place)) else {
                        break;
                    };
                    if -distance > tolerance {
                        let sides = [part.side, Side::Obstacle(ObstacleId::new(index))];
                        inside.push(Inside { sides, place, depth: -distance });
                    }
                }
            }
        }
        inside
    }

    /// Twice the largest radius: no distance that is kept is larger.
    fn largest_radius(&self) -> f64 {
        let (skin, _) = self.skin_and_forest();
        let of_parts = skin.parts.iter().map(|p| p.radius);
        let of_obstacles = self.obstacles().iter().map(|o| o.radius);
        2.0 * of_parts.chain(of_obstacles).fold(0.0, f64::max)
    }

    /// What a side contributes to the distance that is kept.
    fn radius_of(&self, side: Side) -> f64 {
        let (skin, _) = self.skin_and_forest();
        match side {
            Side::Obstacle(obstacle) => self.obstacles()[obstacle.index()].radius,
            body => skin.parts.iter().filter(|p| p.side == body).map(|p| p.radius).fold(0.0, f64::max),
        }
    }
}
