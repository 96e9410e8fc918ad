//! The numbers by which Gmsh calls the types of elements.

use crate::cell::CellShape;

/// A type of element. Its corners come before all other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ElementType {
    pub shape: CellShape,
    pub corners: usize,
    pub nodes: usize,
}

pub(super) const POINT: i32 = 15;
pub(super) const TRIANGLE: i32 = 2;
pub(super) const TET: i32 = 4;

impl ElementType {
    /// The type with this number, or `None` if it is unknown.
    pub fn of(number: i64) -> Option<Self> {
        let (shape, corners, nodes) = match number {
            15 => (CellShape::Points, 1, 1),
            1 => (CellShape::Line, 2, 2),
            8 => (CellShape::Line, 2, 3),
            26 => (CellShape::Line, 2, 4),
            27 => (CellShape::Line, 2, 5),
            28 => (CellShape::Line, 2, 6),
            2 => (CellShape::Triangle, 3, 3),
            9 => (CellShape::Triangle, 3, 6),
            20 => (CellShape::Triangle, 3, 9),
            21 => (CellShape::Triangle, 3, 10),
            22 => (CellShape::Triangle, 3, 12),
            23 | 24 => (CellShape::Triangle, 3, 15),
            25 => (CellShape::Triangle, 3, 21),
            3 => (CellShape::Quad, 4, 4),
            16 => (CellShape::Quad, 4, 8),
            10 => (CellShape::Quad, 4, 9),
            4 => (CellShape::Tet, 4, 4),
            11 => (CellShape::Tet, 4, 10),
            29 => (CellShape::Tet, 4, 20),
            30 => (CellShape::Tet, 4, 35),
            31 => (CellShape::Tet, 4, 56),
            5 => (CellShape::Hexahedron, 8, 8),
            17 => (CellShape::Hexahedron, 8, 20),
            12 => (CellShape::Hexahedron, 8, 27),
            92 => (CellShape::Hexahedron, 8, 64),
            93 => (CellShape::Hexahedron, 8, 125),
            6 => (CellShape::Prism, 6, 6),
            18 => (CellShape::Prism, 6, 15),
            13 => (CellShape::Prism, 6, 18),
            7 => (CellShape::Pyramid, 5, 5),
            19 => (CellShape::Pyramid, 5, 13),
            14 => (CellShape::Pyramid, 5, 14),
            _ => return None,
        };
        Some(Self { shape, corners, nodes })
    }

    /// Dimension of the element.
    pub fn dimension(self) -> u8 {
        match self.shape {
            CellShape::Points => 0,
            CellShape::Line => 1,
            CellShape::Triangle | CellShape::Strip | CellShape::Quad | CellShape::Polygon => 2,
            CellShape::Tet | CellShape::Pyramid | CellShape::Prism | CellShape::Hexahedron => 3,
        }
    }
}
