//! From the world to the samples of the picture, and back along rays.

use super::settings::Settings;
use super::triangle::{DepthPlane, Edges, GUARD};
use crate::Camera;
use crate::camera::{Basis, tan_half};
use crate::math::unit;
use glam::{DVec3, Vec3};

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
        let forward = unit(target - eye).unwrap_or(Vec3::Y);
        let distance = target.distance(eye).max(1e-6);
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
        let d = p - self.eye;
        Vec3::new(d.dot(self.basis.right), d.dot(self.basis.up), d.dot(self.basis.forward))
    }

    /// Direction (unit step along the view axis) through a point of the picture, in samples.
    pub fn ray(&self, x: f64, y: f64) -> Vec3 {
        let right = ((x - self.center[0]) / self.focal) as f32;
        let up = ((self.center[1] - y) / self.focal) as f32;
        self.basis.forward + right * self.basis.right + up * self.basis.up
    }

    /// Inverse distance of the floor as a plane over the picture, if the eye is above the floor.
    pub fn floor_plane(&self, height: f32) -> Option<DepthPlane> {
        let above = f64::from(self.eye.dot(self.up) - height);
        if above <= 0.0 {
            return None;
        }
        let along = |axis: Vec3| f64::from(axis.dot(self.up)) / -above;
        let Basis { right, up, forward } = self.basis;
        Some(self.plane_of(DVec3::new(along(right), along(up), along(forward))))
    }

    /// The plane of inverse distances `n . (sx, sy, 1)` over slopes `(sx, sy)`, in samples.
    fn plane_of(&self, n: DVec3) -> DepthPlane {
        let (dx, dy) = (n.x / self.focal, -n.y / self.focal);
        let at = n.z - dx * self.center[0] - dy * self.center[1];
        DepthPlane { at, dx, dy, low: f64::NEG_INFINITY, high: f64::INFINITY }
    }

    /// Pushes the parts of a face (camera coordinates) that the camera can see.
    pub fn project(&self, face: u32, corners: [Vec3; 3], out: &mut Vec<Projected>) {
        if corners.iter().all(|p| p.z < self.near) {
            return;
        }
        let corners64 = corners.map(Vec3::as_dvec3);
        let Some(plane) = self.face_plane(corners64) else { return };
        let points = corners64.map(|p| self.to_samples(p));
        if corners.iter().all(|p| p.z >= self.near) && points.iter().flatten().all(|c| c.abs() <= GUARD) {
            out.extend(Edges::new(points).map(|edges| Projected { face, edges, plane }));
            return;
        }
        let polygon = self.clip(corners64);
        for i in 2..polygon.len() {
            let fan = [polygon[0], polygon[i - 1], polygon[i]].map(|p| self.to_samples(p));
            out.extend(Edges::new(fan).map(|edges| Projected { face, edges, plane }));
        }
    }

    fn to_samples(&self, p: DVec3) -> [f64; 2] {
        [self.center[0] + self.focal * p.x / p.z, self.center[1] - self.focal * p.y / p.z]
    }

    /// Inverse distance over the picture: `n . d / n . p0` on the ray with direction `d`.
    fn face_plane(&self, p: [DVec3; 3]) -> Option<DepthPlane> {
        let n = (p[1] - p[0]).cross(p[2] - p[0]);
        let offset = n.dot(p[0]);
        if offset == 0.0 || !offset.is_finite() {
            return None;
        }
        let mut plane = self.plane_of(n / offset);
        let near = f64::from(self.near);
        let inverse = p.map(|q| 1.0 / q.z.max(near));
        plane.low = inverse[0].min(inverse[1]).min(inverse[2]);
        plane.high = inverse[0].max(inverse[1]).max(inverse[2]);
        Some(plane)
    }

    /// Cuts a face by the near plane and by four planes far outside the picture.
    fn clip(&self, corners: [DVec3; 3]) -> Vec<DVec3> {
        // Half the guard leaves room for the picture's centre, which is not at the origin.
        let g = 0.5 * GUARD / self.focal;
        let near = f64::from(self.near);
        let planes = [
            (DVec3::Z, -near),
            (DVec3::new(1.0, 0.0, g), 0.0),
            (DVec3::new(-1.0, 0.0, g), 0.0),
            (DVec3::new(0.0, 1.0, g), 0.0),
            (DVec3::new(0.0, -1.0, g), 0.0),
        ];
        let mut polygon = corners.to_vec();
        for (normal, offset) in planes {
            let side = |p: DVec3| normal.dot(p) + offset;
            let input = std::mem::take(&mut polygon);
            for (i, &p) in input.iter().enumerate() {
                let q = input[(i + 1) % input.len()];
                let (sp, sq) = (side(p), side(q));
                if sp >= 0.0 {
                    polygon.push(p);
                }
                if (sp >= 0.0) != (sq >= 0.0) {
                    let t = sp / (sp - sq);
                    polygon.push(p + t * (q - p));
                }
            }
        }
        polygon
    }
}

/// Barycentric coordinates of the point where a ray from `eye` meets the plane of a triangle.
pub(super) fn barycentric(eye: Vec3, ray: Vec3, corners: [Vec3; 3]) -> Option<Vec3> {
    let [a, b, c] = corners.map(|p| p - eye);
    // Volumes of the three tetrahedra between the ray and the edges.
    let volumes = Vec3::new(ray.dot(b.cross(c)), ray.dot(c.cross(a)), ray.dot(a.cross(b)));
    let bary = volumes / volumes.element_sum();
    bary.is_finite().then_some(bary)
}
