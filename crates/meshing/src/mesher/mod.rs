//! Tetrahedra for any body: a signed distance or a triangle surface.
//!
//! Isosurface stuffing \[Labelle07\] on an octree gives a mesh with bounded angles; parts that the lattice is too
//! coarse for are found by sampling the surface and meshed again with smaller cells; sharp edges and corners are
//! restored; what angles suffered from both is mended by moving vertices and flipping tets.

mod coarsen;
mod collapse;
mod complex;
mod count;
mod feature;
mod fit;
mod flip;
mod from_surface;
mod improve;
mod lattice;
mod options;
mod peel;
mod result;
mod run;
mod sample;
mod smooth;
mod stuff;
mod surface;
mod tets;

pub use from_surface::tetrahedralize_surface;
pub use options::{MeshSize, MesherError, MesherOptions};
pub use result::Meshed;

use count::mesh_by_count;
use run::Run;
use tets::Counted;

use crate::solid::Solid;

/// Fills a body with tetrahedra.
pub fn tetrahedralize(solid: &dyn Solid, options: &MesherOptions) -> Result<Meshed, MesherError> {
    check(solid, options)?;
    let run = Run { solid, options };
    match options.size {
        MeshSize::Edge(edge) => run.finish(run.draft(edge)?),
        MeshSize::Vertices(n) => mesh_by_count(&run, Counted::Vertices, n),
        MeshSize::Tets(n) => mesh_by_count(&run, Counted::Tets, n),
    }
}

fn check(solid: &dyn Solid, options: &MesherOptions) -> Result<(), MesherError> {
    let (low, high) = solid.bounds();
    if !((high - low).is_finite() && high.cmpgt(low).all()) {
        return Err(MesherError::NoExtent { low, high });
    }
    if !(1.0..=64.0).contains(&options.coarsest) {
        return Err(MesherError::BadCoarsest(options.coarsest));
    }
    match options.size {
        MeshSize::Edge(edge) if !(edge.is_finite() && edge > 0.0) => Err(MesherError::BadEdge(edge)),
        MeshSize::Vertices(n) | MeshSize::Tets(n) if n < 20 => Err(MesherError::TooFew(n)),
        MeshSize::Vertices(n) | MeshSize::Tets(n) if n > options.most_tets => {
            let edge = ((high - low).element_product() / n as f64).cbrt();
            Err(MesherError::TooLarge { about: n as f64, edge })
        }
        _ => Ok(()),
    }
}
