//! Pairs of triangles that share an edge: what bending acts on.

use crate::{MeshError, TriMesh};

/// Two triangles around an interior edge.
///
/// The first triangle (the one with the lower index) is `edge[0], edge[1], opposite[0]` in its own
/// orientation. In an oriented surface the second is `edge[1], edge[0], opposite[1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// The shared edge.
    pub edge: [u32; 2],
    /// The vertex of each triangle that is not on the edge.
    pub opposite: [u32; 2],
}

impl TriMesh {
    /// The hinges of all interior edges, ordered by `(min, max)` of the edge's vertices.
    ///
    /// An edge with more than two triangles is an error: which pair bends is then undefined.
    pub fn hinges(&self) -> Result<Vec<Hinge>, MeshError> {
        let mut sides = Vec::with_capacity(3 * self.triangles.len());
        for (t, tri) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let edge = [tri[k], tri[(k + 1) % 3]];
                let key = (edge[0].min(edge[1]), edge[0].max(edge[1]));
                sides.push((key, t, edge, tri[(k + 2) % 3]));
            }
        }
        sides.sort_unstable();
        let mut hinges = Vec::with_capacity(sides.len() / 2);
        for around in sides.chunk_by(|a, b| a.0 == b.0) {
            match around {
                [] | [_] => {}
                [first, second] => {
                    hinges.push(Hinge { edge: first.2, opposite: [first.3, second.3] });
                }
                [first, ..] => {
                    let edge = [first.0.0, first.0.1];
                    return Err(MeshError::NonManifoldEdge { edge, triangles: around.len() });
                }
            }
        }
        Ok(hinges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DVec3;

    fn surface(triangles: Vec<[u32; 3]>) -> TriMesh {
        TriMesh { vertices: vec![DVec3::ZERO; 5], triangles, ..Default::default() }
    }

    #[test]
    fn two_triangles_share_one_hinge() {
        let hinges = surface(vec![[0, 1, 2], [2, 1, 3]]).hinges().unwrap();
        assert_eq!(hinges, vec![Hinge { edge: [1, 2], opposite: [0, 3] }]);
    }

    #[test]
    fn a_book_of_three_pages_is_an_error() {
        let error = surface(vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]).hinges().unwrap_err();
        assert_eq!(error, MeshError::NonManifoldEdge { edge: [0, 1], triangles: 3 });
        assert!(error.to_string().contains("(0, 1)"));
    }

    #[test]
    fn hinge_count_of_a_criss_cross_cloth() {
        // Interior edges = (3 F - boundary edges) / 2.
        let cloth = crate::cloth([1.0, 1.0], 4).unwrap();
        assert_eq!(cloth.hinges().unwrap().len(), (3 * 64 - 16) / 2);
        let closed = crate::sphere_surface(1.0, 2).unwrap();
        assert_eq!(closed.hinges().unwrap().len(), closed.triangles.len() * 3 / 2);
    }
}
