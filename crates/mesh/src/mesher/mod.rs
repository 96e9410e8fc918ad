//! Tetrahedra for any body: a signed distance or a triangle surface.

mod solid;

pub use solid::{Solid, SurfacePoint};
