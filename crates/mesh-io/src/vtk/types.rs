//! The numbers by which the Visualization Toolkit calls the types of cells.

use crate::shape::Shape;

pub(crate) const VERTEX: u8 = 1;
pub(crate) const TRIANGLE: u8 = 5;
pub(crate) const TET: u8 = 10;

/// A type of cell. Its corners come before all other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellType {
    pub shape: Shape,
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
            1 => fixed(Shape::Points, 1),
            2 => varying(Shape::Points, 0),
            3 => fixed(Shape::Line, 2),
            4 => varying(Shape::Line, 0),
            5 => fixed(Shape::Triangle, 3),
            6 => varying(Shape::Strip, 0),
            7 => varying(Shape::Polygon, 0),
            8 => Some(Self { shape: Shape::Quad, nodes: 4, varies: false, by_axes: true }),
            9 => fixed(Shape::Quad, 4),
            10 => fixed(Shape::Tet, 4),
            11 => Some(Self { shape: Shape::Hexahedron, nodes: 8, varies: false, by_axes: true }),
            12 => fixed(Shape::Hexahedron, 8),
            13 => fixed(Shape::Prism, 6),
            14 => fixed(Shape::Pyramid, 5),
            // Second and third order, then of any order: Lagrange from 68, Bezier from 75.
            21 => fixed(Shape::Line, 3),
            35 => fixed(Shape::Line, 4),
            22 => fixed(Shape::Triangle, 6),
            34 => fixed(Shape::Triangle, 7),
            23 => fixed(Shape::Quad, 8),
            28 => fixed(Shape::Quad, 9),
            30 => fixed(Shape::Quad, 6),
            24 => fixed(Shape::Tet, 10),
            25 => fixed(Shape::Hexahedron, 20),
            29 => fixed(Shape::Hexahedron, 27),
            33 => fixed(Shape::Hexahedron, 24),
            26 => fixed(Shape::Prism, 15),
            31 => fixed(Shape::Prism, 12),
            32 => fixed(Shape::Prism, 18),
            27 => fixed(Shape::Pyramid, 13),
            37 => fixed(Shape::Pyramid, 19),
            68 | 75 => varying(Shape::Line, 2),
            69 | 76 => varying(Shape::Triangle, 3),
            70 | 77 => varying(Shape::Quad, 4),
            71 | 78 => varying(Shape::Tet, 4),
            72 | 79 => varying(Shape::Hexahedron, 8),
            73 | 80 => varying(Shape::Prism, 6),
            74 | 81 => varying(Shape::Pyramid, 5),
            _ => None,
        }
    }

    /// How many of the nodes of a cell are corners.
    pub fn corners(self, nodes: usize) -> usize {
        match self.shape.corners() {
            Some(corners) => corners,
            None if self.shape == Shape::Line && self.nodes > 0 => 2,
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
