//! What pictures and exports show of a body: its own surface, or a finer one that follows it.

use crate::run::Run;
use crate::shape::{Trouble, read_file, split};
use crate::solid::placement;
use crate::spec::TransformSpec;
use pliant_mesh::{Embedding, Mesh, Point, TriMesh};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

/// The surface of a body for pictures and exports.
#[derive(Clone, Debug)]
pub struct Skin {
    triangles: Vec<[u32; 3]>,
    /// How a surface of its own hangs on the tets of the body.
    embedding: Option<Embedding>,
}

impl Skin {
    /// The boundary of a solid, or the triangles of a cloth.
    pub(crate) fn of(mesh: &Mesh) -> Skin {
        Skin { triangles: mesh.surface_triangles(), embedding: None }
    }

    /// A surface from a file, put in place like the mesh of the body and bound to its tets.
    pub(crate) fn read(
        file: &str,
        transform: &TransformSpec,
        mesh: &Mesh,
        directory: &Path,
    ) -> Result<Skin, Trouble> {
        let Mesh::Tet(cage) = mesh else {
            return Err((
                "only a solid can carry a surface".into(),
                "remove `surface`, or use a mesh of tets".into(),
            ));
        };
        let mut surface = read_file(file, directory)?;
        surface.transform(&placement(transform)).map_err(|e| split(&e.to_string()))?;
        let Mesh::Tri(TriMesh { vertices, triangles, .. }) = surface else {
            return Err((format!("`{file}` has tets"), "give a file of triangles".into()));
        };
        let embedding = Embedding::new(cage, &vertices).map_err(|e| split(&e.to_string()))?;
        Ok(Skin { triangles, embedding: Some(embedding) })
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether it is a surface of its own, which hangs on the tets of the body.
    pub fn is_embedded(&self) -> bool {
        self.embedding.is_some()
    }

    /// Largest distance in m between a surface of its own and the tets that carry it; zero if it is inside.
    pub fn farthest(&self) -> f64 {
        self.embedding.as_ref().map_or(0.0, Embedding::farthest)
    }

    /// Where its vertices are when those of the body are at `body`.
    pub fn positions<'a>(&self, body: &'a [Point]) -> Cow<'a, [Point]> {
        let Some(embedding) = &self.embedding else { return Cow::Borrowed(body) };
        let mut positions = vec![[0.0; 3]; embedding.bindings().len()];
        match embedding.positions_into(body, &mut positions) {
            Ok(()) => Cow::Owned(positions),
            // Only for positions of another body.
            Err(_) => Cow::Borrowed(&[]),
        }
    }

    /// Number of its vertices if the body has this many.
    pub fn vertex_count(&self, body: usize) -> usize {
        self.embedding.as_ref().map_or(body, |e| e.bindings().len())
    }
}

/// The skins of all bodies as one surface.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Positions of the vertices of all bodies.
    pub positions: Vec<Point>,
    /// Triangles over the vertices of all bodies.
    pub triangles: Vec<[u32; 3]>,
    /// The triangles of each body among all triangles.
    pub bodies: Vec<Range<usize>>,
}

impl Run {
    /// What a picture of the present state shows.
    pub fn shown(&self) -> Shown {
        let mut shown = Shown { positions: Vec::new(), triangles: Vec::new(), bodies: Vec::new() };
        for (body, skin) in self.setup().skins.iter().enumerate() {
            let (first, start) = (shown.positions.len() as u32, shown.triangles.len());
            shown.positions.extend_from_slice(&skin.positions(self.world().positions(body)));
            shown.triangles.extend(skin.triangles.iter().map(|t| t.map(|v| v + first)));
            shown.bodies.push(start..shown.triangles.len());
        }
        shown
    }
}
