//! Gathers the usable triangles of all surfaces, with a normal for every corner.

use super::Surface;
use crate::color::to_linear;
use crate::math::{Vec3, add, add_scaled, cross, dot, is_finite, length, scale, sin_cos_degrees, sub, unit};
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
            center: [0.0; 3],
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
        let usable = |p: Vec3| is_finite(p) && p.iter().all(|x| x.abs() < LARGEST_COORDINATE);
        for triangle in surface.triangles {
            if triangle.iter().any(|&v| v as usize >= count) {
                continue;
            }
            let corners = triangle.map(|v| surface.positions[v as usize]);
            if !corners.iter().all(|p| usable(*p)) {
                continue;
            }
            let e1 = sub(corners[1], corners[0]);
            let e2 = sub(corners[2], corners[0]);
            if let Some(normal) = unit(cross(e1, e2)) {
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
                    let mut sum = [0.0; 3];
                    for &(g, corner) in &around[starts[v as usize] as usize..starts[v as usize + 1] as usize]
                    {
                        if g as usize == f || dot(own, self.face_normals[g as usize]) >= limit {
                            sum = add(sum, weights[g as usize][corner as usize]);
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
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for v in self.faces.iter().flatten() {
            let p = self.positions[*v as usize];
            for i in 0..3 {
                low[i] = low[i].min(p[i]);
                high[i] = high[i].max(p[i]);
            }
        }
        if !self.faces.is_empty() {
            self.center = scale(add(low, high), 0.5);
            self.radius = length(add_scaled(high, self.center, -1.0));
        }
    }
}

/// The face's share of the normal at each of its corners.
fn corner_weights(p: [Vec3; 3]) -> [Vec3; 3] {
    [0, 1, 2].map(|i| {
        let a = sub(p[(i + 1) % 3], p[i]);
        let b = sub(p[(i + 2) % 3], p[i]);
        let (la, lb) = (dot(a, a), dot(b, b));
        if la > 0.0 && lb > 0.0 { cross(scale(a, 1.0 / la), scale(b, 1.0 / lb)) } else { [0.0; 3] }
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
        let p = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.6]];
        let t = [[0, 2, 1], [0, 1, 3]];
        let sharp = gather(&p, &t, 20.0);
        assert_eq!(sharp.corner_normals[0][0], sharp.face_normals[0]);
        let smooth = gather(&p, &t, 60.0);
        assert_eq!(smooth.corner_normals[0][0], smooth.corner_normals[1][0]);
        assert_ne!(smooth.corner_normals[0][0], smooth.face_normals[0]);
    }

    #[test]
    fn broken_triangles_are_left_out() {
        let p =
            [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [f32::NAN, 0.0, 0.0], [2.0, 0.0, 0.0], [1e30; 3]];
        let t = [[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 9], [0, 0, 1], [0, 1, 5]];
        let mesh = gather(&p, &t, 30.0);
        assert_eq!(mesh.faces, vec![[0, 1, 2]]);
        assert!(mesh.radius.is_finite());
    }
}
