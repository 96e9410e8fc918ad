//! What the steps of the mesher hand on: vertices and tets, and how they are counted.

use pliant_mesh::DVec3;

/// Vertices and tets inside the body; the boundary vertices are on its surface.
#[derive(Debug, Default)]
pub(super) struct Tets {
    pub positions: Vec<DVec3>,
    pub tets: Vec<[u32; 4]>,
}

impl Tets {
    /// Keeps the vertices that are in use, in their order.
    pub fn compact(positions: Vec<DVec3>, mut tets: Vec<[u32; 4]>) -> Self {
        let mut new = vec![u32::MAX; positions.len()];
        for &v in tets.iter().flatten() {
            new[v as usize] = 0;
        }
        let mut kept = Vec::new();
        for (v, slot) in new.iter_mut().enumerate() {
            if *slot == 0 {
                *slot = kept.len() as u32;
                kept.push(positions[v]);
            }
        }
        for v in tets.iter_mut().flatten() {
            *v = new[*v as usize];
        }
        Self { positions: kept, tets }
    }

    pub fn count(&self, counted: Counted) -> f64 {
        counted.of(self.positions.len(), self.tets.len())
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    Vertices,
    Tets,
}

impl Counted {
    pub fn of(self, vertices: usize, tets: usize) -> f64 {
        match self {
            Self::Vertices => vertices as f64,
            Self::Tets => tets as f64,
        }
    }
}
