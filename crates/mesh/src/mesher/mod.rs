//! Tetrahedra for any body: a signed distance or a triangle surface.
//!
//! Isosurface stuffing \[Labelle07\] on an octree gives a mesh with bounded angles; parts that the lattice is too
//! coarse for are found by sampling the surface and meshed again with smaller cells; sharp edges and corners are
//! restored; what angles suffered from both is mended by moving vertices and flipping tets.

mod coarsen;
mod collapse;
mod complex;
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
mod solid;
mod stuff;
mod surface;

pub use from_surface::tetrahedralize_surface;
pub use options::{MeshSize, MesherError, MesherOptions};
pub use result::Meshed;
pub use solid::{Solid, SurfacePoint};

use crate::TetMesh;
use run::Run;

/// The number of elements is right if it is off by less than this share, and how often that is tried.
const CLOSE: f64 = 0.09;
const TRIES: usize = 6;

/// Fills a body with tetrahedra.
pub fn tetrahedralize(solid: &dyn Solid, options: &MesherOptions) -> Result<Meshed, MesherError> {
    check(solid, options)?;
    let run = Run { solid, options };
    let (count, wanted): (fn(&TetMesh) -> usize, usize) = match options.size {
        MeshSize::Edge(edge) => return run.mesh(edge),
        MeshSize::Vertices(n) => (|m| m.vertices.len(), n),
        MeshSize::Tets(n) => (|m| m.tets.len(), n),
    };
    let mut search = Search::default();
    let mut edge = run.first_guess(count, wanted)?;
    let mut best: Option<(f64, Meshed)> = None;
    for _ in 0..TRIES {
        let meshed = run.mesh(edge)?;
        let ratio = count(&meshed.mesh) as f64 / wanted as f64;
        let off = ratio.ln().abs();
        edge = search.next(edge, ratio);
        if best.as_ref().is_none_or(|b| off < b.0) {
            best = Some((off, meshed));
        }
        if off < CLOSE {
            break;
        }
    }
    best.map(|(_, meshed)| meshed).ok_or(MesherError::NothingInside { edge })
}

/// Where the edge length for a number of elements is looked for.
#[derive(Default)]
struct Search {
    /// The shortest edge that gave too few, the longest that gave too many, with the ratios.
    few: Option<(f64, f64)>,
    many: Option<(f64, f64)>,
}

impl Search {
    /// The next length to try, after one gave `ratio` times the wanted number.
    fn next(&mut self, edge: f64, ratio: f64) -> f64 {
        // Numbers grow with the cube of the fineness inside and with the square at the surface.
        const POWER: f64 = 2.7;
        *(if ratio > 1.0 { &mut self.many } else { &mut self.few }) = Some((edge, ratio));
        match (self.many, self.few) {
            (Some((short, above)), Some((long, below))) if short < long => {
                // Between two lengths on a line in logarithms, away from the ends: numbers jump where a thin part is caught or not.
                let share = (above.ln() / (above.ln() - below.ln())).clamp(0.3, 0.7);
                short * (long / short).powf(share)
            }
            _ => edge * ratio.powf(1.0 / POWER).clamp(0.6, 1.8),
        }
    }
}

fn check(solid: &dyn Solid, options: &MesherOptions) -> Result<(), MesherError> {
    let (low, high) = solid.bounds();
    if !(0..3).all(|a| (high[a] - low[a]).is_finite() && high[a] > low[a]) {
        return Err(MesherError::NoExtent { low, high });
    }
    if !(1.0..=64.0).contains(&options.coarsest) {
        return Err(MesherError::BadCoarsest(options.coarsest));
    }
    match options.size {
        MeshSize::Edge(edge) if !(edge.is_finite() && edge > 0.0) => Err(MesherError::BadEdge(edge)),
        MeshSize::Vertices(n) | MeshSize::Tets(n) if n < 20 => Err(MesherError::TooFew(n)),
        MeshSize::Vertices(n) | MeshSize::Tets(n) if n > options::MAX_TETS => {
            Err(MesherError::TooLarge { about: n as f64, edge: 0.0 })
        }
        _ => Ok(()),
    }
}
