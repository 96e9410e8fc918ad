//! The finite-element system: all bodies of a [`Model`](crate::Model) flattened into arrays, and the script they follow.
//!
//! Everything that a step needs and that no step changes is computed here once: lumped masses, the inverse rest edge
//! matrices of the deformation gradients, bending stencils, pins, loads.

pub(crate) mod air;
mod arithmetic;
pub(crate) mod assembly;
pub(crate) mod bending;
pub(crate) mod build;
mod damping;
pub(crate) mod energy;
pub(crate) mod hessian;
pub(crate) mod measure;
pub(crate) mod numbering;
pub(crate) mod parts;
pub(crate) mod potential;
pub(crate) mod reaction;
pub(crate) mod script;
mod shared;
#[cfg(test)]
pub(crate) mod test_systems;

pub use crate::material::ElementMaterial;
pub use air::{AirTriangle, Drag};
use pliant_linalg::small::{mul, transpose};
use pliant_mesh::DVec3;
pub use script::Script;
pub use shared::Shared;
use std::ops::Range;

/// The assembled bodies and what acts on them, constant from the first step to the last. Vertices are numbered through, one
/// body after the other.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Time step h in s.
    pub dt: f64,
    /// Rest positions in m.
    pub rest: Vec<DVec3>,
    /// Start positions in m.
    pub start: Vec<DVec3>,
    /// Where the motion of a pin starts from: the start positions, unless it got hold of its vertices later.
    pub origins: Vec<DVec3>,
    /// Lumped masses in kg.
    pub masses: Vec<f64>,
    /// Mass-proportional damping rate of each vertex in 1/s.
    pub mass_damping: Vec<f64>,
    /// Tetrahedral elements.
    pub tets: Shared<Tet>,
    /// Triangular elements.
    pub triangles: Shared<Triangle>,
    /// Bending stencils.
    pub stencils: Shared<Stencil>,
    /// Materials the elements refer to.
    pub materials: Vec<ElementMaterial>,
    /// Soft pins.
    pub springs: Vec<Spring>,
    /// Pressure loads.
    pub pressures: Vec<Pressure>,
    /// Surface triangles of all bodies, if anything can touch.
    pub surface: Vec<[u32; 3]>,
    /// The triangles that air acts on.
    pub air: Vec<AirTriangle>,
    /// Which pins of the model hold: springs and held vertices are theirs.
    pub active_pins: Vec<bool>,
    /// For each vertex the index of the hard pin in the model that holds it.
    pub pinned: Vec<Option<u32>>,
    /// All hard-pinned vertices with the index of their pin in the model.
    pub held: Vec<(u32, u32)>,
    /// The vertices of each connected part that no hard pin holds.
    pub free_parts: Vec<Vec<u32>>,
    /// Where each body lies in the arrays above.
    pub bodies: Vec<BodyRange>,
    /// How pins, forces and obstacles change with time.
    pub script: Script,
}

/// The parts of a [`System`] that belong to one body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyRange {
    /// Name of the body.
    pub name: String,
    /// Vertices.
    pub vertices: Range<usize>,
    /// Tetrahedra.
    pub tets: Range<usize>,
    /// Triangles.
    pub triangles: Range<usize>,
    /// Bending stencils.
    pub stencils: Range<usize>,
}

/// A linear tetrahedron: `F = [x1-x0, x2-x0, x3-x0] inverse_rest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tet {
    /// Vertices.
    pub vertices: [u32; 4],
    /// Inverse of the rest edge matrix, row-major: `inverse_rest[r][c]`.
    pub inverse_rest: [[f64; 3]; 3],
    /// Rest volume in m^3.
    pub volume: f64,
    /// Index into [`System::materials`].
    pub material: u32,
}

/// A linear triangle: the 3x2 `F = [x1-x0, x2-x0] inverse_rest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Vertices.
    pub vertices: [u32; 3],
    /// Inverse of the 2x2 rest edge matrix in the plane of the triangle, row-major.
    pub inverse_rest: [[f64; 2]; 2],
    /// Rest volume (area times thickness) in m^3.
    pub volume: f64,
    /// Index into [`System::materials`].
    pub material: u32,
}

/// A quadratic bending energy `stiffness / 2 (|sum c_i x_i| - rest_length)^2`.
#[derive(Clone, Debug, PartialEq)]
pub struct Stencil {
    /// Vertices and their coefficients c.
    pub terms: Vec<(u32, f64)>,
    /// Stiffness; the unit makes the energy J.
    pub stiffness: f64,
    /// `|sum c_i X_i|` at rest; zero for a flat rest shape.
    pub rest_length: f64,
}

/// A soft pin of one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The vertex.
    pub vertex: u32,
    /// Stiffness in N/m.
    pub stiffness: f64,
    /// Index of the pin in the model: its motion moves the anchor.
    pub pin: u32,
}

/// A surface with a pressure p from inside: force `p dV/dx` on each vertex. The script has its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    /// Surface triangles, outward oriented.
    pub triangles: Vec<[u32; 3]>,
}

impl Tet {
    /// Deformation gradient at positions `x`, row-major.
    pub fn deformation_gradient(&self, x: &[DVec3]) -> [[f64; 3]; 3] {
        let [a, b, c, d] = self.vertices.map(|v| x[v as usize]);
        mul(&with_columns([b - a, c - a, d - a]), &self.inverse_rest)
    }
}

impl Triangle {
    /// The 3x2 deformation gradient at positions `x`, row-major.
    pub fn deformation_gradient(&self, x: &[DVec3]) -> [[f64; 2]; 3] {
        let [a, b, c] = self.vertices.map(|v| x[v as usize]);
        mul(&with_columns([b - a, c - a]), &self.inverse_rest)
    }
}

/// The matrix with these columns, row-major.
pub(crate) fn with_columns<const D: usize>(columns: [DVec3; D]) -> [[f64; D]; 3] {
    transpose(&columns.map(|c| c.to_array()))
}
