//! Making, inspecting, repairing and simplifying meshes.
//!
//! [`tetrahedralize`] fills any [`Solid`] with tetrahedra: a [`ShapeTree`] made of simple shapes, or the inside of a
//! surface. [`inspect`](inspect::inspect) describes a mesh and its defects, [`repair`](repair::repair)
//! mends it, [`simplify`] makes a surface coarser, and [`hausdorff`] measures how far two surfaces are apart.
#![forbid(unsafe_code)]

mod hausdorff;
pub mod inspect;
mod mesher;
pub mod repair;
mod shape;
mod simplify;
mod solid;
mod surface_solid;

pub use hausdorff::{Deviation, Hausdorff, deviation, hausdorff};
pub use mesher::{MeshSize, Meshed, MesherError, MesherOptions, tetrahedralize, tetrahedralize_surface};
pub use shape::{ShapeError, ShapeSolid, ShapeTree, bodies};
pub use simplify::{SimplifyOptions, SimplifyReport, simplify};
pub use solid::{Solid, SurfacePoint};
pub use surface_solid::SurfaceSolid;
