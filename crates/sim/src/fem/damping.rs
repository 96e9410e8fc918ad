//! Rayleigh damping of the elements: `1/(2 h) d^T K_d d` with the way `d = x - x_t` of the step.
//!
//! `K_d = sum_e beta_e 2 mu_e V_e G_e^T G_e + tau_e K_e(x_t)`: the shear stiffness at rest, which is alike for x, y and z and never changes,
//! and the projected true stiffness at the start of the step. The second one damps a body as it is deformed: where it is stretched it is stiffer,
//! and damped more; a change of volume is damped, too. Both are constant within a step, so that the potential is quadratic in d.

use super::energy::{tet_hessian, triangle_hessian};
use super::potential::Potential;
use super::{Tet, Triangle};
use pliant_linalg::small::Mat3;
use pliant_mesh::DVec3;

impl Potential<'_> {
    /// `2 mu V beta / h`: the factor of `G^T G` in the Hessian.
    pub(super) fn damping_rate(&self, material: u32, volume: f64) -> f64 {
        let m = &self.materials[material as usize];
        2.0 * m.mu * volume * m.damping / self.dt
    }

    /// `tau / h K_e(x_t)` of a tetrahedron; none without such damping.
    pub(super) fn tangent_of_tet(&self, t: &Tet) -> Option<[[Mat3; 4]; 4]> {
        let m = &self.materials[t.material as usize];
        let rate = m.tangent_damping / self.dt;
        (rate > 0.0).then(|| scaled(tet_hessian(t, m, self.x_t0, true), rate))
    }

    /// The same of a triangle.
    pub(super) fn tangent_of_triangle(&self, t: &Triangle) -> Option<[[Mat3; 3]; 3]> {
        let m = &self.materials[t.material as usize];
        let rate = m.tangent_damping / self.dt;
        (rate > 0.0).then(|| scaled(triangle_hessian(t, m, self.x_t0, true), rate))
    }

    /// The way of the vertices of an element in this step.
    fn ways<const N: usize>(&self, vertices: &[u32; N], x: &[DVec3]) -> [DVec3; N] {
        vertices.map(|v| x[v as usize] - self.x_t0[v as usize])
    }

    /// The damping of vertices and elements in J.
    pub(super) fn damping(&self, x: &[DVec3]) -> f64 {
        let system = self.system;
        let mut sum = 0.0;
        for v in 0..x.len() {
            let rate = system.mass_damping[v];
            if rate > 0.0 {
                sum += 0.5 * rate * system.masses[v] / self.dt * x[v].distance_squared(self.x_t0[v]);
            }
        }
        for t in &system.tets {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                sum += 0.5 * rate * (0..3).map(|i| distance_sq(&f[i], &f0[i])).sum::<f64>();
            }
            if let Some(blocks) = self.tangent_of_tet(t) {
                sum += 0.5 * work(&blocks, &self.ways(&t.vertices, x));
            }
        }
        for t in &system.triangles {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                sum += 0.5 * rate * (0..3).map(|i| distance_sq(&f[i], &f0[i])).sum::<f64>();
            }
            if let Some(blocks) = self.tangent_of_triangle(t) {
                sum += 0.5 * work(&blocks, &self.ways(&t.vertices, x));
            }
        }
        sum
    }

    /// Adds the gradient of the damping of the elements.
    pub(super) fn add_damping_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        for t in &self.system.tets {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                add_force(&t.vertices, &t.gradients(), &f, &f0, rate, gradient);
            }
            if let Some(blocks) = self.tangent_of_tet(t) {
                add_image(&blocks, &t.vertices, &self.ways(&t.vertices, x), gradient);
            }
        }
        for t in &self.system.triangles {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                add_force(&t.vertices, &t.gradients(), &f, &f0, rate, gradient);
            }
            if let Some(blocks) = self.tangent_of_triangle(t) {
                add_image(&blocks, &t.vertices, &self.ways(&t.vertices, x), gradient);
            }
        }
    }
}

/// The sum of two Hessians of an element, where there is a second one.
pub(super) fn sum<const N: usize>(
    mut blocks: [[Mat3; N]; N],
    others: Option<[[Mat3; N]; N]>,
) -> [[Mat3; N]; N] {
    let Some(others) = others else { return blocks };
    let pairs = blocks.as_flattened_mut().iter_mut().zip(others.as_flattened());
    for (to, from) in pairs.flat_map(|(a, b)| a.as_flattened_mut().iter_mut().zip(b.as_flattened())) {
        *to += from;
    }
    blocks
}

fn scaled<const N: usize>(blocks: [[Mat3; N]; N], by: f64) -> [[Mat3; N]; N] {
    blocks.map(|row| row.map(|block| block.map(|row| row.map(|x| by * x))))
}

/// `K d` at vertex a.
fn image<const N: usize>(blocks: &[Mat3; N], ways: &[DVec3; N]) -> DVec3 {
    let product = |(block, way): (&Mat3, &DVec3)| DVec3::from(block.map(|row| DVec3::from(row).dot(*way)));
    blocks.iter().zip(ways).map(product).sum()
}

fn work<const N: usize>(blocks: &[[Mat3; N]; N], ways: &[DVec3; N]) -> f64 {
    blocks.iter().zip(ways).map(|(row, way)| way.dot(image(row, ways))).sum()
}

fn add_image<const N: usize>(
    blocks: &[[Mat3; N]; N],
    vertices: &[u32; N],
    ways: &[DVec3; N],
    gradient: &mut [DVec3],
) {
    for (row, &v) in blocks.iter().zip(vertices) {
        gradient[v as usize] += image(row, ways);
    }
}

fn add_force<const N: usize, const D: usize>(
    vertices: &[u32; N],
    g: &[[f64; D]; N],
    f: &[[f64; D]; 3],
    f0: &[[f64; D]; 3],
    rate: f64,
    gradient: &mut [DVec3],
) {
    for (&v, g) in vertices.iter().zip(g) {
        let change = |k: usize| (0..D).map(|j| (f[k][j] - f0[k][j]) * g[j]).sum();
        gradient[v as usize] += rate * DVec3::new(change(0), change(1), change(2));
    }
}

fn distance_sq<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    (0..D).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum()
}
