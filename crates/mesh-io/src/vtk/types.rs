//! The numbers by which the Visualization Toolkit calls the types of cells.

use crate::cell::CellShape;

pub(crate) const VERTEX: u8 = 1;
pub(crate) const TRIANGLE: u8 = 5;
pub(crate) const TET: u8 = 10;

/// A type of cell. Its corners come before all other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellType {
    pub shape: CellShape,
    /// The number of nodes, or the least number where it varies.
    pub nodes: usize,
    pub varies: bool,
    /// Corners are ordered by coordinates, not around faces.
    pub by_axes: bool,
}

impl CellType {
    /// The type with this number, or `None` if it is unknown or has no corners to speak of.
    pub fn of(number: u32) -> Option<Self> {
        let fixed = |shape, nodes| Some(Self { shape, nodes, varies: false, by_axes: false });
        let varying = |shape, nodes| Some(Self { shape, nodes, varies: true, by_axes: false });
        match number {
            1 => fixed(CellShape::Points, 1),
            2 => varying(CellShape::Points, 0),
            3 => fixed(CellShape::Line, 2),
            4 => varying(CellShape::Line, 0),
            5 => fixed(CellShape::Triangle, 3),
            6 => varying(CellShape::Strip, 0),
            7 => varying(CellShape::Polygon, 0),
            8 => Some(Self { shape: CellShape::Quad, nodes: 4, varies: false, by_axes: true }),
            9 => fixed(CellShape::Quad, 4),
            10 => fixed(CellShape::Tet, 4),
            11 => Some(Self { shape: CellShape::Hexahedron, nodes: 8, varies: false, by_axes: true }),
            12 => fixed(CellShape::Hexahedron, 8),
            13 => fixed(CellShape::Prism, 6),
            14 => fixed(CellShape::Pyramid, 5),
            // Second and third order, then of any order: Lagrange from 68, Bezier from 75.
            21 => fixed(CellShape::Line, 3),
            35 => fixed(CellShape::Line, 4),
            22 => fixed(CellShape::Triangle, 6),
            34 => fixed(CellShape::Triangle, 7),
            23 => fixed(CellShape::Quad, 8),
            28 => fixed(CellShape::Quad, 9),
            30 => fixed(CellShape::Quad, 6),
            24 => fixed(CellShape::Tet, 10),
            25 => fixed(CellShape::Hexahedron, 20),
            29 => fixed(CellShape::Hexahedron, 27),
            33 => fixed(CellShape::Hexahedron, 24),
            26 => fixed(CellShape::Prism, 15),
            31 => fixed(CellShape::Prism, 12),
            32 => fixed(CellShape::Prism, 18),
            27 => fixed(CellShape::Pyramid, 13),
            37 => fixed(CellShape::Pyramid, 19),
            68 | 75 => varying(CellShape::Line, 2),
            69 | 76 => varying(CellShape::Triangle, 3),
            70 | 77 => varying(CellShape::Quad, 4),
            71 | 78 => varying(CellShape::Tet, 4),
            72 | 79 => varying(CellShape::Hexahedron, 8),
            73 | 80 => varying(CellShape::Prism, 6),
            74 | 81 => varying(CellShape::Pyramid, 5),
            _ => None,
        }
    }

    /// How many of the nodes of a cell are corners.
    pub fn corners(self, nodes: usize) -> usize {
        match self.shape.corners() {
            Some(corners) => corners,
            None if self.shape == CellShape::Line && self.nodes > 0 => 2,
            None => nodes,
        }
    }
}

/// Corners of a cell whose corners are ordered by coordinates, in order around its faces.
pub(super) fn around_faces(corners: &mut [u32]) {
    for four in corners.chunks_exact_mut(4) {
        four.swap(2, 3);
    }
}
