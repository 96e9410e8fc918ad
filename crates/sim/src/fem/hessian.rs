//! The Hessian of the incremental potential as 3x3 blocks, batch by batch, in the order in which they are summed.

use super::System;
use super::damping;
use super::energy::{stencil_hessian, tet_hessian, triangle_hessian};
use super::potential::Potential;
use pliant_linalg::Team;
use pliant_linalg::small::{Mat3, dot, symmetric_eigen};
use pliant_mesh::DVec3;
use std::ops::Range;

/// Elements in a batch: so many Hessians are in memory at the same time.
const BATCH: usize = 4096;

/// Elements that a thread works on at a time.
const PIECE: usize = 32;

/// Elements of one kind whose blocks are computed together: all pairs of vertices of the first one, row by row, then
/// those of the next.
#[derive(Clone, Debug)]
pub struct Batch {
    kind: Kind,
    elements: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Inertia and damping of the vertices.
    Vertices,
    Springs,
    Stencils,
    Tets,
    Triangles,
    /// Triangles of a pressure.
    Pressure(usize),
}

impl Batch {
    /// All batches of a system.
    pub fn all(system: &System) -> Vec<Batch> {
        let mut batches = Vec::new();
        let mut cut = |kind: Kind, count: usize| {
            let starts = (0..count).step_by(BATCH);
            batches.extend(starts.map(|from| Batch { kind, elements: from..count.min(from + BATCH) }));
        };
        cut(Kind::Vertices, system.rest.len());
        cut(Kind::Springs, system.springs.len());
        cut(Kind::Stencils, system.stencils.len());
        cut(Kind::Tets, system.tets.len());
        cut(Kind::Triangles, system.triangles.len());
        for (k, pressure) in system.pressures.iter().enumerate() {
            cut(Kind::Pressure(k), pressure.triangles.len());
        }
        batches
    }

    /// The pairs of vertices of all blocks, in order.
    pub fn places(&self, system: &System) -> Vec<(u32, u32)> {
        let mut places = Vec::new();
        let mut pairs = |vertices: &mut dyn Iterator<Item = u32>| {
            let vertices: Vec<u32> = vertices.collect();
            places.extend(vertices.iter().flat_map(|&i| vertices.iter().map(move |&j| (i, j))));
        };
        for e in self.elements.clone() {
            match self.kind {
                Kind::Vertices => pairs(&mut std::iter::once(e as u32)),
                Kind::Springs => pairs(&mut std::iter::once(system.springs[e].vertex)),
                Kind::Stencils => pairs(&mut system.stencils[e].terms.iter().map(|t| t.0)),
                Kind::Tets => pairs(&mut system.tets[e].vertices.into_iter()),
                Kind::Triangles => pairs(&mut system.triangles[e].vertices.into_iter()),
                Kind::Pressure(k) => pairs(&mut system.pressures[k].triangles[e].into_iter()),
            }
        }
        places
    }
}

impl Potential<'_> {
    /// The blocks of a batch at x, into `blocks` (overwritten). With `psd` every element is projected, so that the sum
    /// is positive definite.
    pub fn hessian_into(&self, team: &Team, batch: &Batch, x: &[DVec3], psd: bool, blocks: &mut Vec<Mat3>) {
        let elements = batch.elements.clone();
        let material = |i: u32| &self.materials[i as usize];
        blocks.clear();
        match batch.kind {
            Kind::Vertices => blocks.extend(elements.map(|v| self.inertia_block(v))),
            Kind::Springs => {
                blocks.extend(self.system.springs[elements].iter().map(|s| scalar(s.stiffness)));
            }
            Kind::Stencils => {
                for s in &self.system.stencils[elements] {
                    let hessian = stencil_hessian(s, x, psd);
                    for &(_, ci) in &s.terms {
                        blocks.extend(
                            s.terms.iter().map(|&(_, cj)| hessian.map(|row| row.map(|a| ci * cj * a))),
                        );
                    }
                }
            }
            Kind::Tets => self.element_blocks(team, &self.system.tets[elements], blocks, |t| {
                let rate = self.damping_rate(t.material, t.volume);
                let hessian = damped(tet_hessian(t, material(t.material), x, psd), &t.gradients(), rate);
                damping::sum(hessian, self.tangent_of_tet(t))
            }),
            Kind::Triangles => self.element_blocks(team, &self.system.triangles[elements], blocks, |t| {
                let rate = self.damping_rate(t.material, t.volume);
                let hessian = damped(triangle_hessian(t, material(t.material), x, psd), &t.gradients(), rate);
                damping::sum(hessian, self.tangent_of_triangle(t))
            }),
            Kind::Pressure(k) => self.pressure_blocks(k, elements, x, psd, blocks),
        }
    }

    /// The blocks of elements with N vertices, over the threads of the team.
    fn element_blocks<E: Sync, const N: usize>(
        &self,
        team: &Team,
        elements: &[E],
        blocks: &mut Vec<Mat3>,
        hessian: impl Fn(&E) -> [[Mat3; N]; N] + Sync,
    ) {
        blocks.resize(N * N * elements.len(), [[0.0; 3]; 3]);
        team.for_each_piece(blocks, N * N * PIECE, |first, out| {
            for (out, e) in out.chunks_mut(N * N).zip(&elements[first / (N * N)..]) {
                out.copy_from_slice(hessian(e).as_flattened());
            }
        });
    }

    fn inertia_block(&self, v: usize) -> Mat3 {
        let (h, m) = (self.dt, self.system.masses[v]);
        let mut block = scalar(m / (h * h) + self.system.mass_damping[v] * m / h);
        if let Some(drag) = self.drags.get(v) {
            let columns = drag.matrix.to_cols_array_2d();
            for (row, column) in block.iter_mut().zip(columns) {
                row.iter_mut().zip(column).for_each(|(b, d)| *b += d / h);
            }
        }
        block
    }

    /// `d2 Vol / da db = -[c]x / 6` and its cyclic permutations.
    fn pressure_blocks(
        &self,
        load: usize,
        triangles: Range<usize>,
        x: &[DVec3],
        psd: bool,
        blocks: &mut Vec<Mat3>,
    ) {
        let (load, value) = (&self.system.pressures[load], self.pressures[load]);
        for t in &load.triangles[triangles] {
            let corners = self.corners(&load.triangles, t, x);
            let mut h = [[0.0; 9]; 9];
            for a in 0..3 {
                let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                let block = skew(corners[c]);
                for i in 0..3 {
                    for j in 0..3 {
                        h[3 * a + i][3 * b + j] = value / 6.0 * block[i][j];
                        h[3 * b + j][3 * a + i] = value / 6.0 * block[i][j];
                    }
                }
            }
            if psd {
                h = positive_part(&h);
            }
            for k in 0..9 {
                let (a, b) = (k / 3, k % 3);
                blocks.push(std::array::from_fn(|i| std::array::from_fn(|j| h[3 * a + i][3 * b + j])));
            }
        }
    }
}

/// Adds the damping `rate G^T G` to the blocks of an element.
fn damped<const N: usize, const D: usize>(
    mut blocks: [[Mat3; N]; N],
    g: &[[f64; D]; N],
    rate: f64,
) -> [[Mat3; N]; N] {
    for a in 0..N {
        for b in 0..N {
            let damping = rate * dot(&g[a], &g[b]);
            for i in 0..3 {
                blocks[a][b][i][i] += damping;
            }
        }
    }
    blocks
}

fn positive_part(h: &[[f64; 9]; 9]) -> [[f64; 9]; 9] {
    let (values, q) = symmetric_eigen(h);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..9).map(|k| q[i][k] * values[k].max(0.0) * q[j][k]).sum())
    })
}

/// The matrix of `v -> c x v`.
fn skew(c: DVec3) -> Mat3 {
    [[0.0, -c.z, c.y], [c.z, 0.0, -c.x], [-c.y, c.x, 0.0]]
}

fn scalar(d: f64) -> Mat3 {
    [[d, 0.0, 0.0], [0.0, d, 0.0], [0.0, 0.0, d]]
}
