//! The numbers by which Gmsh calls the types of elements.

use crate::shape::Shape;

/// A type of element. Its corners come before all other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ElementType {
    pub shape: Shape,
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
            15 => (Shape::Points, 1, 1),
            1 => (Shape::Line, 2, 2),
            8 => (Shape::Line, 2, 3),
            26 => (Shape::Line, 2, 4),
            27 => (Shape::Line, 2, 5),
            28 => (Shape::Line, 2, 6),
            2 => (Shape::Triangle, 3, 3),
            9 => (Shape::Triangle, 3, 6),
            20 => (Shape::Triangle, 3, 9),
            21 => (Shape::Triangle, 3, 10),
            22 => (Shape::Triangle, 3, 12),
            23 | 24 => (Shape::Triangle, 3, 15),
            25 => (Shape::Triangle, 3, 21),
            3 => (Shape::Quad, 4, 4),
            16 => (Shape::Quad, 4, 8),
            10 => (Shape::Quad, 4, 9),
            4 => (Shape::Tet, 4, 4),
            11 => (Shape::Tet, 4, 10),
            29 => (Shape::Tet, 4, 20),
            30 => (Shape::Tet, 4, 35),
            31 => (Shape::Tet, 4, 56),
            5 => (Shape::Hexahedron, 8, 8),
            17 => (Shape::Hexahedron, 8, 20),
            12 => (Shape::Hexahedron, 8, 27),
            92 => (Shape::Hexahedron, 8, 64),
            93 => (Shape::Hexahedron, 8, 125),
            6 => (Shape::Prism, 6, 6),
            18 => (Shape::Prism, 6, 15),
            13 => (Shape::Prism, 6, 18),
            7 => (Shape::Pyramid, 5, 5),
            19 => (Shape::Pyramid, 5, 13),
            14 => (Shape::Pyramid, 5, 14),
            _ => return None,
        };
        Some(Self { shape, corners, nodes })
    }

    /// Dimension of the element.
    pub fn dimension(self) -> u8 {
        match self.shape {
            Shape::Points => 0,
            Shape::Line => 1,
            Shape::Triangle | Shape::Strip | Shape::Quad | Shape::Polygon => 2,
            Shape::Tet | Shape::Pyramid | Shape::Prism | Shape::Hexahedron => 3,
        }
    }
}
