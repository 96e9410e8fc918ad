//! How a checked shape answers the questions of the mesher.

use super::bounds::box_field;
use super::project::project;
use super::tree::ShapeSolid;
use crate::solid::{Solid, SurfacePoint};
use pliant_mesh::DVec3;

impl Solid for ShapeSolid {
    fn bounds(&self) -> (DVec3, DVec3) {
        (self.bounds.min, self.bounds.max)
    }

    fn signed_distance(&self, point: DVec3) -> f64 {
        self.field(point)
    }

    fn project(&self, point: DVec3) -> SurfacePoint {
        project(self, point)
    }

    fn groups(&self) -> Vec<String> {
        self.names.clone()
    }

    fn groups_at(&self, point: DVec3, on_surface: bool) -> Vec<usize> {
        let slack = 1e-6 * self.size().length();
        let mut groups: Vec<usize> = self
            .parts
            .iter()
            .filter(|part| {
                let most = if on_surface { part.bulge + slack } else { slack };
                box_field(&self.nodes[part.node].bounds, point) <= most
                    && self.node_field::<f64>(part.node, point, f64::INFINITY) <= most
            })
            .map(|part| part.group)
            .collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }
}
