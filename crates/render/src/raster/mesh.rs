//! Gathers the usable triangles of all surfaces, with a normal for every corner.

use super::Surface;
use crate::color::to_linear;
use crate::math::{sin_cos_degrees, unit};
use glam::Vec3;
use rayon::prelude::*;

/// Coordinates beyond this are treated as broken: their squares would leave the range of f32.
const LARGEST_COORDINATE: f32 = 1e12;

/// All surfaces as one list of triangles.
pub(super) struct Mesh {
    pub positions: Vec<Vec3>,
    /// Linear RGB per vertex.
    pub colors: Vec<Vec3>,
    pub faces: Vec<[u32; 3]>,
    /// Unit normal of each face.
    pub face_normals: Vec<Vec3>,
    /// Unit normal at each corner of each face.
    pub corner_normals: Vec<[Vec3; 3]>,
    /// Centre and radius of a ball around all faces.
    pub center: Vec3,
    pub radius: f32,
}

impl Mesh {
    pub fn gather(surfaces: &[Surface<'_>], crease_degrees: f32) -> Self {
        let mut mesh = Self {
            positions: Vec::new(),
            colors: Vec::new(),
            faces: Vec::new(),
            face_normals: Vec::new(),
            corner_normals: Vec::new(),
            center: Vec3::ZERO,
            radius: 0.0,
        };
        for surface in surfaces {
            mesh.append(surface);
        }
        mesh.corner_normals = mesh.smooth_normals(crease_degrees);
        mesh.measure();
        mesh
    }

    fn append(&mut self, surface: &Surface<'_>) {
        let base = self.positions.len() as u32;
        let count = surface.positions.len();
        self.positions.extend_from_slice(surface.positions);
        match surface.vertex_colors.filter(|colors| colors.len() == count) {
            Some(colors) => self.colors.extend(colors.iter().map(|c| to_linear(*c))),
            None => self.colors.extend(std::iter::repeat_n(to_linear(surface.color), count)),
        }
        let usable = |p: Vec3| p.is_finite() && p.abs().max_element() < LARGEST_COORDINATE;
        for triangle in surface.triangles {
            if triangle.iter().any(|&v| v as usize >= count) {
                continue;
            }
            let corners = triangle.map(|v| surface.positions[v as usize]);
            if !corners.iter().all(|p| usable(*p)) {
                continue;
            }
            let [a, b, c] = corners;
            if let Some(normal) = unit((b - a).cross(c - a)) {
                self.faces.push(triangle.map(|v| base + v));
                self.face_normals.push(normal);
            }
        }
    }

    pub fn corners(&self, face: usize) -> [Vec3; 3] {
        self.faces[face].map(|v| self.positions[v as usize])
    }

    /// Normal at every corner: the mean over the faces around the vertex that lie within the crease
    /// angle of this face, weighted by 1 / (|a|^2 |b|^2) times the cross product of the two edges,
    /// which is exact on a sphere and needs no angle.
    fn smooth_normals(&self, crease_degrees: f32) -> Vec<[Vec3; 3]> {
        let (starts, around) = self.faces_around_vertices();
        let limit = sin_cos_degrees(f64::from(crease_degrees)).1 as f32;
        let weights: Vec<[Vec3; 3]> =
            (0..self.faces.len()).into_par_iter().map(|f| corner_weights(self.corners(f))).collect();
        (0..self.faces.len())
            .into_par_iter()
            .map(|f| {
                self.faces[f].map(|v| {
                    let own = self.face_normals[f];
                    let mut sum = Vec3::ZERO;
                    for &(g, corner) in &around[starts[v as usize] as usize..starts[v as usize + 1] as usize]
                    {
                        if g as usize == f || own.dot(self.face_normals[g as usize]) >= limit {
                            sum += weights[g as usize][corner as usize];
                        }
                    }
                    unit(sum).unwrap_or(own)
                })
            })
            .collect()
    }

    /// For each vertex, its `(face, corner)` pairs: a list of starts and one flat list.
    fn faces_around_vertices(&self) -> (Vec<u32>, Vec<(u32, u8)>) {
        let mut starts = vec![0u32; self.positions.len() + 1];
        for v in self.faces.iter().flatten() {
            starts[*v as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut around = vec![(0, 0); self.faces.len() * 3];
        for (f, face) in self.faces.iter().enumerate() {
            for (corner, v) in face.iter().enumerate() {
                around[next[*v as usize] as usize] = (f as u32, corner as u8);
                next[*v as usize] += 1;
            }
        }
        (starts, around)
    }

    fn measure(&mut self) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for v in self.faces.iter().flatten() {
            let p = self.positions[*v as usize];
            (low, high) = (low.min(p), high.max(p));
        }
        if !self.faces.is_empty() {
            self.center = 0.5 * (low + high);
            self.radius = high.distance(self.center);
        }
    }
}

/// The face's share of the normal at each of its corners.
fn corner_weights(p: [Vec3; 3]) -> [Vec3; 3] {
    [0, 1, 2].map(|i| {
        let (a, b) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
        let (aa, bb) = (a.length_squared(), b.length_squared());
        if aa > 0.0 && bb > 0.0 { (a * (1.0 / aa)).cross(b * (1.0 / bb)) } else { Vec3::ZERO }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(positions: &[Vec3], triangles: &[[u32; 3]], crease: f32) -> Mesh {
        Mesh::gather(&[Surface { positions, triangles, color: [1.0; 3], vertex_colors: None }], crease)
    }

    #[test]
    fn a_fold_is_sharp_or_smooth_by_its_angle() {
        let p = [Vec3::ZERO, Vec3::Y, Vec3::X, Vec3::new(-1.0, 0.0, 0.6)];
        let t = [[0, 2, 1], [0, 1, 3]];
        let sharp = gather(&p, &t, 20.0);
        assert_eq!(sharp.corner_normals[0][0], sharp.face_normals[0]);
        let smooth = gather(&p, &t, 60.0);
        assert_eq!(smooth.corner_normals[0][0], smooth.corner_normals[1][0]);
        assert_ne!(smooth.corner_normals[0][0], smooth.face_normals[0]);
    }

    #[test]
    fn broken_triangles_are_left_out() {
        let broken = [Vec3::new(f32::NAN, 0.0, 0.0), 2.0 * Vec3::X, Vec3::splat(1e30)];
        let p = [&[Vec3::ZERO, Vec3::X, Vec3::Y] as &[Vec3], &broken].concat();
        let t = [[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 9], [0, 0, 1], [0, 1, 5]];
        let mesh = gather(&p, &t, 30.0);
        assert_eq!(mesh.faces, vec![[0, 1, 2]]);
        assert!(mesh.radius.is_finite());
    }
}
