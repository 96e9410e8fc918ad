//! Where things are: trees over triangles, closest points, inside or outside, intersections, distances.

mod bounds;
mod bvh;
mod close_pairs;
mod closest;
mod intersect;
mod predicate;
mod segment;
mod tree;
mod winding;

pub use bounds::Aabb;
pub(crate) use bvh::Bvh;
pub use close_pairs::close_pairs;
pub use closest::{Closest, Feature, closest_on_triangle, point_on_triangle};
pub use intersect::triangles_intersect;
pub use segment::Crossing;
pub use tree::TriangleTree;
pub use winding::WindingTree;
