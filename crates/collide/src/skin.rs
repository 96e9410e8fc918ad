//! The surface vertices of all bodies, numbered anew so that loops touch nothing else.

use crate::{Side, Surface};

/// The surface of one body.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub side: Side,
    pub radius: f64,
    /// Its vertices in [`Skin::global`].
    pub vertices: std::ops::Range<usize>,
}

/// All parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skin {
    pub parts: Vec<Part>,
    /// Index of each vertex among the vertices of all bodies.
    pub global: Vec<u32>,
}

impl Skin {
    /// Indices must have been checked.
    pub fn new(surfaces: &[Surface], vertex_count: usize) -> Self {
        let mut seen = vec![false; vertex_count];
        let mut skin = Self::default();
        for surface in surfaces {
            let first = skin.global.len();
            for &v in surface.triangles.iter().flatten() {
                if !std::mem::replace(&mut seen[v as usize], true) {
                    skin.global.push(v);
                }
            }
            skin.parts.push(Part {
                side: Side::Body(surface.body),
                radius: surface.radius,
                vertices: first..skin.global.len(),
            });
        }
        skin
    }
}
