//! Where things are: trees over triangles, closest points, inside or outside, intersections, distances.

mod bounds;
mod bvh;
mod close_pairs;
mod closest;
mod hausdorff;
mod intersect;
mod predicate;
mod segment;
mod surface_solid;
mod tree;
mod winding;

pub use bounds::Aabb;
pub(crate) use bvh::Bvh;
pub(crate) use close_pairs::close_pairs;
pub use closest::closest_on_triangle;
pub(crate) use closest::combine;
pub use closest::{Closest, Feature};
pub(crate) use hausdorff::deviation_of_points;
pub use hausdorff::{Deviation, Hausdorff, deviation, hausdorff};
pub use intersect::triangles_intersect;
pub use segment::Crossing;
pub use surface_solid::SurfaceSolid;
pub use tree::TriangleTree;
pub use winding::WindingTree;
