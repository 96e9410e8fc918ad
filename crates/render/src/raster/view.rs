//! From the world to the samples of the picture, and back along rays.

use super::settings::Settings;
use super::triangle::{DepthPlane, Edges, GUARD};
use crate::Camera;
use crate::camera::{Basis, tan_half};
use crate::math::{Vec3, add_scaled, cross, dot, length, sub, unit};

/// A triangle on the picture. Its depth plane holds the inverse of the distance along the view axis.
pub(super) struct Projected {
    pub face: u32,
    pub edges: Edges,
    pub plane: DepthPlane,
}

/// A camera together with the size of the sample grid.
pub(super) struct View {
    pub eye: Vec3,
    pub basis: Basis,
    pub up: Vec3,
    /// Distance from the eye to the target, the yardstick for what has no size of its own.
    pub distance: f32,
    /// Samples per unit of slope.
    focal: f64,
    center: [f64; 2],
    near: f32,
}

impl View {
    pub fn new(camera: &Camera, settings: &Settings) -> Self {
        let usable = |p: Vec3| p.map(|x| if x.is_finite() { x.clamp(-1e12, 1e12) } else { 0.0 });
        let (eye, target) = (usable(camera.eye), usable(camera.target));
        let up = camera.world_up();
        let forward = unit(sub(target, eye)).unwrap_or([0.0, 1.0, 0.0]);
        let distance = length(sub(target, eye)).max(1e-6);
        let s = f64::from(settings.supersample);
        let (w, h) = (f64::from(settings.width) * s, f64::from(settings.height) * s);
        Self {
            eye,
            basis: Basis::looking(forward, up),
            up,
            distance,
            focal: 0.5 * h / f64::from(tan_half(camera.fov_y_degrees)),
            center: [0.5 * w, 0.5 * h],
            near: 1e-3 * distance,
        }
    }

    /// Coordinates along right, up and forward, from the eye.
    pub fn to_camera(&self, p: Vec3) -> Vec3 {
        let d = sub(p, self.eye);
        [dot(d, self.basis.right), dot(d, self.basis.up), dot(d, self.basis.forward)]
    }

    /// Direction (unit step along the view axis) through a point of the picture, in samples.
    pub fn ray(&self, x: f64, y: f64) -> Vec3 {
        let right = ((x - self.center[0]) / self.focal) as f32;
        let up = ((self.center[1] - y) / self.focal) as f32;
        add_scaled(add_scaled(self.basis.forward, self.basis.right, right), self.basis.up, up)
    }

    /// Inverse distance of the floor as a plane over the picture, if the eye is above the floor.
    pub fn floor_plane(&self, height: f32) -> Option<DepthPlane> {
        let above = f64::from(dot(self.eye, self.up) - height);
        if above <= 0.0 {
            return None;
        }
        let along = |axis: Vec3| f64::from(dot(axis, self.up)) / -above;
        Some(self.plane_of(along(self.basis.right), along(self.basis.up), along(self.basis.forward)))
    }

    /// The plane of inverse distances `r sx + u sy + f` over slopes `(sx, sy)`, in samples.
    fn plane_of(&self, r: f64, u: f64, f: f64) -> DepthPlane {
        let (dx, dy) = (r / self.focal, -u / self.focal);
        let at = f - dx * self.center[0] - dy * self.center[1];
        DepthPlane { at, dx, dy, low: f64::NEG_INFINITY, high: f64::INFINITY }
    }

    /// Pushes the parts of a face (camera coordinates) that the camera can see.
    pub fn project(&self, face: u32, corners: [Vec3; 3], out: &mut Vec<Projected>) {
        if corners.iter().all(|p| p[2] < self.near) {
            return;
        }
        let mut polygon: Vec<[f64; 3]> = Vec::new();
        let corners64 = corners.map(|p| p.map(f64::from));
        let Some(plane) = self.face_plane(corners64) else { return };
        let points = corners64.map(|p| self.to_samples(p));
        if corners.iter().all(|p| p[2] >= self.near) && points.iter().flatten().all(|c| c.abs() <= GUARD) {
            out.extend(Edges::new(points).map(|edges| Projected { face, edges, plane }));
            return;
        }
        self.clip(corners64, &mut polygon);
        for i in 2..polygon.len() {
            let fan = [polygon[0], polygon[i - 1], polygon[i]].map(|p| self.to_samples(p));
            out.extend(Edges::new(fan).map(|edges| Projected { face, edges, plane }));
        }
    }

    fn to_samples(&self, p: [f64; 3]) -> [f64; 2] {
        [self.center[0] + self.focal * p[0] / p[2], self.center[1] - self.focal * p[1] / p[2]]
    }

    /// Inverse distance over the picture: `n . d / n . p0` on the ray with direction `d`.
    fn face_plane(&self, p: [[f64; 3]; 3]) -> Option<DepthPlane> {
        let e = |i: usize, k: usize| p[i][k] - p[0][k];
        let n = [
            e(1, 1) * e(2, 2) - e(1, 2) * e(2, 1),
            e(1, 2) * e(2, 0) - e(1, 0) * e(2, 2),
            e(1, 0) * e(2, 1) - e(1, 1) * e(2, 0),
        ];
        let offset = n[0] * p[0][0] + n[1] * p[0][1] + n[2] * p[0][2];
        if offset == 0.0 || !offset.is_finite() {
            return None;
        }
        let mut plane = self.plane_of(n[0] / offset, n[1] / offset, n[2] / offset);
        let near = f64::from(self.near);
        let inverse = p.map(|q| 1.0 / q[2].max(near));
        plane.low = inverse[0].min(inverse[1]).min(inverse[2]);
        plane.high = inverse[0].max(inverse[1]).max(inverse[2]);
        Some(plane)
    }

    /// Cuts a face by the near plane and by four planes far outside the picture.
    fn clip(&self, corners: [[f64; 3]; 3], polygon: &mut Vec<[f64; 3]>) {
        // Half the guard leaves room for the picture's centre, which is not at the origin.
        let g = 0.5 * GUARD / self.focal;
        let near = f64::from(self.near);
        let planes = [
            [0.0, 0.0, 1.0, -near],
            [1.0, 0.0, g, 0.0],
            [-1.0, 0.0, g, 0.0],
            [0.0, 1.0, g, 0.0],
            [0.0, -1.0, g, 0.0],
        ];
        polygon.extend(corners);
        for k in planes {
            let side = |p: &[f64; 3]| k[0] * p[0] + k[1] * p[1] + k[2] * p[2] + k[3];
            let input = std::mem::take(polygon);
            for (i, p) in input.iter().enumerate() {
                let q = &input[(i + 1) % input.len()];
                let (sp, sq) = (side(p), side(q));
                if sp >= 0.0 {
                    polygon.push(*p);
                }
                if (sp >= 0.0) != (sq >= 0.0) {
                    let t = sp / (sp - sq);
                    polygon.push([0, 1, 2].map(|j| p[j] + t * (q[j] - p[j])));
                }
            }
        }
    }
}

/// Barycentric coordinates of the point where a ray from `eye` meets the plane of a triangle.
pub(super) fn barycentric(eye: Vec3, ray: Vec3, corners: [Vec3; 3]) -> Option<Vec3> {
    let [a, b, c] = corners.map(|p| sub(p, eye));
    // Volumes of the three tetrahedra between the ray and the edges.
    let u = dot(ray, cross(b, c));
    let v = dot(ray, cross(c, a));
    let w = dot(ray, cross(a, b));
    let sum = u + v + w;
    let bary = [u / sum, v / sum, w / sum];
    bary.iter().all(|x| x.is_finite()).then_some(bary)
}
