//! How fine a mesh shall be, and what can be wrong with that.

use pliant_mesh::DVec3;
use thiserror::Error;

/// How fine a mesh shall be at the surface of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeshSize {
    /// Typical length of the edges, m.
    Edge(f64),
    /// About this many vertices.
    Vertices(usize),
    /// About this many tetrahedra.
    Tets(usize),
}

/// What the mesher is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MesherOptions {
    /// How fine.
    pub size: MeshSize,
    /// How many times longer the edges deep inside may be: 1 for a uniform mesh, rounded down to a power of two.
    pub coarsest: f64,
    /// Whether parts thinner than the edge length are caught by shorter edges there.
    pub keep_features: bool,
    /// More tets than this are not tried.
    pub most_tets: usize,
}

impl MesherOptions {
    /// The usual options: edges inside up to four times longer, features kept, up to 50 million tets.
    pub fn new(size: MeshSize) -> Self {
        Self { size, coarsest: 4.0, keep_features: true, most_tets: MAX_TETS }
    }
}

/// Most tets that are made at once.
const MAX_TETS: usize = 50_000_000;

/// Why a body cannot be meshed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MesherError {
    /// The asked edge length is not a positive number.
    #[error("the edge length {0} is not a positive number; give metres, for example 0.01")]
    BadEdge(f64),
    /// Too few elements are asked for.
    #[error("{0} elements are too few for a body; ask for at least 20")]
    TooFew(usize),
    /// The mesh would be too large.
    #[error(
        "edges of {edge:e} m are too short for the size of the body: they would cut the box around it into about {about:.1e} tets; use \
         longer edges or fewer elements"
    )]
    TooLarge {
        /// Estimated number of tets.
        about: f64,
        /// The edge length it came from.
        edge: f64,
    },
    /// The body is much thinner than the mesh can be coarse.
    #[error(
        "the body is {thickness:.1e} m thin, which takes about {about:.1e} tets, far more than were asked for; make it thicker, ask for \
         more elements, or simulate it as cloth"
    )]
    TooThin {
        /// Thickness of its thin parts, m.
        thickness: f64,
        /// Estimated number of tets.
        about: f64,
    },
    /// The growth of the edges is out of range.
    #[error("edges inside may be 1 to 64 times longer than at the surface, not {0}; use 4, or 1 for uniform")]
    BadCoarsest(f64),
    /// The body has no extent.
    #[error("the body has no extent: its bounds are {:?} to {:?}; check its dimensions", low.to_array(), high.to_array())]
    NoExtent {
        /// Lowest corner of the bounds.
        low: DVec3,
        /// Highest corner of the bounds.
        high: DVec3,
    },
    /// The surface has no inside.
    #[error(
        "the surface is open: {loops} holes would need patches of {percent:.0} % of its area, the largest has \
         {edges} edges around {:?}; close it, or simulate it as cloth",
        center.to_array()
    )]
    OpenSurface {
        /// Number of holes.
        loops: usize,
        /// Area of their patches, percent of that of the surface.
        percent: f64,
        /// Edges around the largest.
        edges: usize,
        /// Its middle.
        center: DVec3,
    },
    /// The surface cannot be used.
    #[error("{0}")]
    BadSurface(String),
    /// No tet is inside.
    #[error("no point of the lattice with edges of {edge:e} m is inside the body; use a shorter edge")]
    NothingInside {
        /// The edge length tried.
        edge: f64,
    },
}
