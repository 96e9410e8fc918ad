//! How easily cloth moves across its own plane.
//!
//! A acts on x, y and z alike: it takes cloth to be as stiff across its plane as within it. There it has little more than
//! its inertia, bending and tension, often a thousand times less. The metric of the Newton iteration gains for each
//! vertex of cloth, with its normal n,
//!
//! ```text
//! s s^T,   s = n sqrt(1/d - 1/a)
//! d = N + h^2 sum (bending) + sum_triangles w |g| (sum |g|) (1 - (n.n_t)^2) + 2 w g.E g,   w = h^2 V (2 mu + lambda)
//! ```
//!
//! a is the diagonal of A, g the gradients of the shape functions, n_t the normals of the triangles and E their Green
//! strain where it is tension. Where vertices are about to move by r across the cloth, which stretches it,
//! `sum_triangles w |g| (sum |g|) r^2 |g|^2` is added. Sums of absolute values bound the coupling between vertices [Gershgorin], so that d is not
//! below the true stiffness and a step in this metric does not go too far.

use super::{PIECE, Vec4};
use crate::fem::System;
use crate::fem::numbering::Numbering;
use pliant_linalg::{SymmetricCsc, Team};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// The vectors s of all free rows; none if there is no cloth.
#[derive(Clone, Debug)]
pub(super) struct Normals {
    cloth: Option<Arc<Cloth>>,
    facets: Vec<Facet>,
    spikes: Vec<DVec3>,
}

/// What never changes.
#[derive(Debug)]
struct Cloth {
    triangles: Vec<Triangle>,
    /// The triangles of each free row, and which of their corners it is: those of row r are from `first[r]` on.
    first: Vec<u32>,
    corners: Vec<(u32, u8)>,
    /// `N + h^2 bending + damping` of each row.
    base: Vec<f64>,
    /// `1/a`
    inverse_diagonal: Vec<f64>,
}

/// A triangle of cloth.
#[derive(Debug)]
struct Triangle {
    /// Solver indices.
    vertices: [u32; 3],
    gradients: [[f64; 2]; 3],
    w: f64,
    /// `w |g| (sum |g|)` of each corner.
    across: [f64; 3],
    /// `across |g|^2`
    steep: [f64; 3],
}

/// A triangle where it is now.
#[derive(Clone, Copy, Debug, Default)]
struct Facet {
    /// Twice its area, along its normal.
    area: DVec3,
    normal: DVec3,
    /// Stiffness by tension, for each corner.
    tension: [f64; 3],
}

impl Normals {
    /// For the cloth of `system` with time step `h`, the matrix A and N of each row.
    pub(super) fn new(
        system: &System,
        numbering: &Numbering,
        matrix: &SymmetricCsc,
        inertia: &[f64],
        h: f64,
    ) -> Normals {
        if system.triangles.is_empty() {
            return Normals { cloth: None, facets: Vec::new(), spikes: Vec::new() };
        }
        let free = numbering.free();
        let mut base = inertia.to_vec();
        for s in &system.stencils {
            let sum: f64 = s.terms.iter().map(|(_, c)| c.abs()).sum();
            for (v, c) in &s.terms {
                if let Some(row) = numbering.row(*v) {
                    base[row as usize] += h * h * s.stiffness * c.abs() * sum;
                }
            }
        }
        let mut triangles = Vec::with_capacity(system.triangles.len());
        let mut corners_of = vec![Vec::new(); free];
        for (k, t) in system.triangles.iter().enumerate() {
            let m = &system.materials[t.material as usize];
            let gradients = t.gradients();
            let lengths = gradients.map(|g| g[0].hypot(g[1]));
            let sum: f64 = lengths.iter().sum();
            let w = h * h * t.volume * (2.0 * m.mu + m.lambda);
            for (corner, v) in t.vertices.iter().enumerate() {
                if let Some(row) = numbering.row(*v) {
                    corners_of[row as usize].push((k as u32, corner as u8));
                    base[row as usize] += h * m.damping * 2.0 * m.mu * t.volume * lengths[corner] * sum;
                }
            }
            triangles.push(Triangle {
                vertices: t.vertices.map(|v| numbering.index_of()[v as usize]),
                gradients,
                w,
                across: lengths.map(|g| w * g * sum),
                steep: lengths.map(|g| w * g * sum * g * g),
            });
        }
        let mut first = vec![0];
        for corners in &corners_of {
            first.push(first[first.len() - 1] + corners.len() as u32);
        }
        let cloth = Cloth {
            first,
            corners: corners_of.concat(),
            base,
            inverse_diagonal: (0..free)
                .map(|j| 1.0 / matrix.column(j).next().map_or(1.0, |(_, a)| a))
                .collect(),
            triangles,
        };
        Normals {
            facets: vec![Facet::default(); cloth.triangles.len()],
            spikes: vec![DVec3::ZERO; free],
            cloth: Some(Arc::new(cloth)),
        }
    }

    /// Whether there is any cloth.
    pub(super) fn is_empty(&self) -> bool {
        self.cloth.is_none()
    }

    /// Whether a row is of cloth.
    #[inline(always)]
    pub(super) fn is_cloth(&self, row: usize) -> bool {
        self.cloth.as_ref().is_some_and(|c| c.first[row] < c.first[row + 1])
    }

    /// s of a row.
    #[inline(always)]
    pub(super) fn spike(&self, row: usize) -> DVec3 {
        self.spikes.get(row).copied().unwrap_or(DVec3::ZERO)
    }

    /// Finds s at positions `q`, for motions across the cloth by about `reach` in m.
    pub(super) fn refresh(&mut self, team: &Team, q: &[Vec4], reach: f64) {
        let Normals { cloth: Some(cloth), facets, spikes } = self else { return };
        team.for_each_piece(facets, PIECE, |first, facets| {
            for (facet, t) in facets.iter_mut().zip(&cloth.triangles[first..]) {
                *facet = t.facet(q);
            }
        });
        team.for_each_piece(spikes, PIECE, |first, spikes| {
            for (k, spike) in spikes.iter_mut().enumerate() {
                *spike = cloth.spike(facets, first + k, reach * reach);
            }
        });
    }
}

impl Cloth {
    fn spike(&self, facets: &[Facet], row: usize, reach_sq: f64) -> DVec3 {
        let corners = &self.corners[self.first[row] as usize..self.first[row + 1] as usize];
        let sum: DVec3 = corners.iter().map(|(t, _)| facets[*t as usize].area).sum();
        let normal = sum.normalize_or_zero();
        let mut d = self.base[row];
        for &(t, corner) in corners {
            let (facet, corner) = (&facets[t as usize], corner as usize);
            let cosine = normal.dot(facet.normal);
            let triangle = &self.triangles[t as usize];
            d += triangle.across[corner] * (1.0 - cosine * cosine).max(0.0) + facet.tension[corner];
            d += triangle.steep[corner] * reach_sq;
        }
        normal * (1.0 / d - self.inverse_diagonal[row]).max(0.0).sqrt()
    }
}

impl Triangle {
    fn facet(&self, q: &[Vec4]) -> Facet {
        let [a, b, c] = self.vertices.map(|v| q[v as usize].point());
        let (u, v) = (b - a, c - a);
        let area = u.cross(v);
        // F = [u v] inverse_rest, whose rows are the gradients of the second and third corner.
        let [_, g1, g2] = self.gradients;
        let (f1, f2) = (u * g1[0] + v * g2[0], u * g1[1] + v * g2[1]);
        let (e11, e12, e22) = (f1.dot(f1) - 1.0, f1.dot(f2), f2.dot(f2) - 1.0);
        let tension = self.gradients.map(|[x, y]| {
            // 2 w g.E g with E = (F^T F - 1) / 2.
            self.w * (x * x * e11 + 2.0 * x * y * e12 + y * y * e22).max(0.0)
        });
        Facet { area, normal: area.normalize_or_zero(), tension }
    }
}
