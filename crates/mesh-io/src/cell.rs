//! The shapes of finite elements, and how those that are no tets or triangles are cut.
//!
//! Every face is cut by the diagonals from its lowest vertex and every solid is a fan of tets around its lowest
//! vertex, as in \[Dompierre99\]: two cells cut a common face alike without knowing of each other.

/// What a cell of a file looks like, by its corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CellShape {
    /// One or more points.
    Points,
    /// A line or a chain of lines.
    Line,
    Triangle,
    /// Triangles that share edges, each with one new corner.
    Strip,
    Quad,
    Polygon,
    Tet,
    Pyramid,
    Prism,
    Hexahedron,
}

/// Faces of the solids, counter-clockwise seen from outside if the solid is positively oriented.
const PYRAMID: [&[u8]; 5] = [&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];
const PRISM: [&[u8]; 5] = [&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const HEXAHEDRON: [&[u8]; 6] =
    [&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];

impl CellShape {
    /// Number of corners, or `None` if it varies.
    pub fn corners(self) -> Option<usize> {
        match self {
            Self::Points | Self::Line | Self::Strip | Self::Polygon => None,
            Self::Triangle => Some(3),
            Self::Quad | Self::Tet => Some(4),
            Self::Pyramid => Some(5),
            Self::Prism => Some(6),
            Self::Hexahedron => Some(8),
        }
    }

    /// A number of them, in words.
    pub fn counted(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Points => ("point", "points"),
            Self::Line => ("line", "lines"),
            Self::Triangle => ("triangle", "triangles"),
            Self::Strip => ("triangle strip", "triangle strips"),
            Self::Quad => ("quad", "quads"),
            Self::Polygon => ("polygon", "polygons"),
            Self::Tet => ("tet", "tets"),
            Self::Pyramid => ("pyramid", "pyramids"),
            Self::Prism => ("prism", "prisms"),
            Self::Hexahedron => ("hexahedron", "hexahedra"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }

    fn faces(self) -> &'static [&'static [u8]] {
        match self {
            Self::Pyramid => &PYRAMID,
            Self::Prism => &PRISM,
            Self::Hexahedron => &HEXAHEDRON,
            _ => &[],
        }
    }

    /// Cuts a pyramid, prism or hexahedron. The tets are oriented as the solid; those that vanish because
    /// corners coincide are left out.
    pub fn cut_solid(self, corners: &[u32], mut emit: impl FnMut([u32; 4])) {
        let Some(&apex) = corners.iter().min() else { return };
        for face in self.faces() {
            let mut polygon = [0; 4];
            let polygon = &mut polygon[..face.len()];
            for (corner, &local) in polygon.iter_mut().zip(*face) {
                *corner = corners[usize::from(local)];
            }
            if !polygon.contains(&apex) {
                fan(polygon, |[a, b, c]| emit([apex, a, b, c]));
            }
        }
    }
}

/// Cuts a polygon into triangles around its lowest vertex. Those that vanish because corners coincide are left
/// out.
pub(super) fn fan(corners: &[u32], mut emit: impl FnMut([u32; 3])) {
    let Some(start) = (0..corners.len()).min_by_key(|&k| corners[k]) else { return };
    let corner = |k: usize| corners[(start + k) % corners.len()];
    for k in 1..corners.len().saturating_sub(1) {
        let triangle @ [a, b, c] = [corner(0), corner(k), corner(k + 1)];
        if a != b && b != c && a != c {
            emit(triangle);
        }
    }
}

/// The triangles of a strip, all on the same side.
pub(super) fn strip(corners: &[u32], mut emit: impl FnMut([u32; 3])) {
    for (k, window) in corners.windows(3).enumerate() {
        let (a, b, c) = (window[0], window[1], window[2]);
        emit(if k % 2 == 0 { [a, b, c] } else { [b, a, c] });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::topology::{EdgeUse, by_edge, edge_uses};
    use pliant_mesh::{DVec3, TetMesh};

    const CUBE: [DVec3; 8] = [
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(1.0, 0.0, 0.0),
        DVec3::new(1.0, 1.0, 0.0),
        DVec3::new(0.0, 1.0, 0.0),
        DVec3::new(0.0, 0.0, 1.0),
        DVec3::new(1.0, 0.0, 1.0),
        DVec3::new(1.0, 1.0, 1.0),
        DVec3::new(0.0, 1.0, 1.0),
    ];

    /// The solid with its corners renumbered by `order`.
    fn cut(shape: CellShape, corners: &[DVec3], order: &[usize]) -> TetMesh {
        let mut vertices = vec![DVec3::ZERO; corners.len()];
        for (&new, &p) in order.iter().zip(corners) {
            vertices[new] = p;
        }
        let names: Vec<u32> = order.iter().map(|&i| i as u32).collect();
        let mut tets = Vec::new();
        shape.cut_solid(&names, |tet| tets.push(tet));
        TetMesh { vertices, tets, ..Default::default() }
    }

    fn permutations(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![vec![]];
        }
        let smaller = permutations(n - 1);
        (0..n)
            .flat_map(|at| {
                smaller.iter().map(move |p| {
                    let mut p = p.clone();
                    p.insert(at, n - 1);
                    p
                })
            })
            .collect()
    }

    /// Whether each edge is passed once in each direction.
    fn is_closed(triangles: &[[u32; 3]]) -> bool {
        let is_whole = |uses: &[_]| matches!(uses, [a, b] if EdgeUse::directed(a) != EdgeUse::directed(b));
        by_edge(&edge_uses(triangles)).all(is_whole)
    }

    #[test]
    fn solids_are_filled_whatever_their_numbering() {
        let pyramid = [CUBE[0], CUBE[1], CUBE[2], CUBE[3], DVec3::new(0.5, 0.5, 1.0)];
        let prism = [CUBE[0], CUBE[1], CUBE[3], CUBE[4], CUBE[5], CUBE[7]];
        for (shape, corners, tets, volume) in [
            (CellShape::Pyramid, &pyramid[..], 2, 1.0 / 3.0),
            (CellShape::Prism, &prism[..], 3, 0.5),
            (CellShape::Hexahedron, &CUBE[..], 6, 1.0),
        ] {
            for order in permutations(corners.len()).into_iter().step_by(7) {
                let mesh = cut(shape, corners, &order);
                assert_eq!(mesh.tets.len(), tets, "{shape:?} {order:?}");
                mesh.validate().unwrap();
                assert!((mesh.volume() - volume).abs() < 1e-14);
                assert!(is_closed(&mesh.boundary()), "{shape:?} {order:?}");
            }
        }
    }

    #[test]
    fn a_hexahedron_with_a_collapsed_face_becomes_a_prism() {
        let mut tets = Vec::new();
        CellShape::Hexahedron.cut_solid(&[0, 1, 2, 2, 4, 5, 6, 6], |tet| tets.push(tet));
        assert_eq!(tets.len(), 3);
    }

    #[test]
    fn polygons_and_strips() {
        let mut triangles = Vec::new();
        fan(&[7, 3, 9, 5], |t| triangles.push(t));
        assert_eq!(triangles, [[3, 9, 5], [3, 5, 7]]);
        triangles.clear();
        fan(&[1, 2], |t| triangles.push(t));
        fan(&[], |t| triangles.push(t));
        assert!(triangles.is_empty());
        strip(&[0, 1, 2, 3], |t| triangles.push(t));
        assert_eq!(triangles, [[0, 1, 2], [2, 1, 3]]);
    }
}
