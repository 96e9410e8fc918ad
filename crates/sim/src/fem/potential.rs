//! The incremental potential of implicit Euler: its minimum over the positions x is the end of the time step.
//!
//! `phi(x) = 1/(2 h^2) |x - x~|_M^2 + elastic(x) + bending(x) + sum k/2 |x_v - anchor|^2 - sum p Vol(x)
//!          + 1/(2 h) (x - x_t)^T (alpha M + K_d) (x - x_t)`
//!
//! with `K_d = sum_e beta_e 2 mu_e V_e G_e^T G_e`, alike for x, y and z. Setting the gradient to zero gives
//! `M (v - v_t)/h = f_ext + f_elastic + ... - (alpha M + K_d) v` with `v = (x - x_t)/h`. The pressure on an open
//! surface has no potential; there the gradient below is the true force and the value only its symmetric part.

use super::energy::{add_bending_gradient, add_element_gradient, bending_energy, element_energy};
use super::{ElementMaterial, System};
use pliant_linalg::small::{cross, dot};
use pliant_mesh::Point;

/// The incremental potential of one step.
#[derive(Clone, Copy, Debug)]
pub struct Potential<'a> {
    /// The assembled bodies.
    pub system: &'a System,
    /// Materials of the elements, usually those of the system.
    pub materials: &'a [ElementMaterial],
    /// Time step h in s.
    pub dt: f64,
    /// Positions at the start of the step.
    pub x_t0: &'a [Point],
    /// Inertial prediction x~.
    pub inertial: &'a [Point],
    /// Targets of `system.springs`.
    pub anchors: &'a [Point],
    /// Values of `system.pressures` in Pa.
    pub pressures: &'a [f64],
}

/// The terms of the potential in J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Distance to the inertial prediction.
    pub inertia: f64,
    /// Elements.
    pub elastic: f64,
    /// Bending stencils.
    pub bending: f64,
    /// Soft pins.
    pub springs: f64,
    /// Minus pressure times volume.
    pub pressure: f64,
    /// Rayleigh damping.
    pub damping: f64,
}

impl Terms {
    /// The potential.
    pub fn total(&self) -> f64 {
        self.list().iter().sum()
    }

    /// The sum of absolute values: rounding errors of the total are relative to it.
    pub fn size(&self) -> f64 {
        self.list().iter().map(|t| t.abs()).sum()
    }

    fn list(&self) -> [f64; 6] {
        [self.inertia, self.elastic, self.bending, self.springs, self.pressure, self.damping]
    }
}

impl Potential<'_> {
    /// All terms at x.
    pub fn terms(&self, x: &[Point]) -> Terms {
        let system = self.system;
        let inertia: f64 =
            (0..x.len()).map(|v| 0.5 * system.masses[v] * distance_sq(&x[v], &self.inertial[v])).sum();
        let springs = system.springs.iter().zip(self.anchors);
        let pressures = system.pressures.iter().zip(self.pressures);
        Terms {
            inertia: inertia / (self.dt * self.dt),
            elastic: element_energy(&system.tets, &system.triangles, self.materials, x),
            bending: bending_energy(&system.stencils, x),
            springs: springs.map(|(s, a)| 0.5 * s.stiffness * distance_sq(&x[s.vertex as usize], a)).sum(),
            pressure: pressures.map(|(p, value)| -value * self.enclosed_volume(&p.triangles, x)).sum(),
            damping: self.damping(x),
        }
    }

    /// phi(x) in J.
    pub fn value(&self, x: &[Point]) -> f64 {
        self.terms(x).total()
    }

    /// The gradient of phi in N into `gradient` (overwritten): minus the sum of all forces, inertia included.
    pub fn gradient_into(&self, x: &[Point], gradient: &mut [Point]) {
        let system = self.system;
        let h = self.dt;
        for v in 0..x.len() {
            let m = system.masses[v];
            gradient[v] = std::array::from_fn(|k| {
                let inertia = m / (h * h) * (x[v][k] - self.inertial[v][k]);
                inertia + system.mass_damping[v] * m / h * (x[v][k] - self.x_t0[v][k])
            });
        }
        add_element_gradient(system, self.materials, x, gradient);
        add_bending_gradient(&system.stencils, x, gradient);
        for (s, anchor) in system.springs.iter().zip(self.anchors) {
            let v = s.vertex as usize;
            for k in 0..3 {
                gradient[v][k] += s.stiffness * (x[v][k] - anchor[k]);
            }
        }
        self.add_pressure_gradient(x, gradient);
        self.add_damping_gradient(x, gradient);
    }

    /// `2 mu V beta / h`: the factor of `G^T G` in the Hessian.
    pub(super) fn damping_rate(&self, material: u32, volume: f64) -> f64 {
        let m = &self.materials[material as usize];
        2.0 * m.mu * volume * m.damping / self.dt
    }

    fn damping(&self, x: &[Point]) -> f64 {
        let system = self.system;
        let mut sum = 0.0;
        for v in 0..x.len() {
            let rate = system.mass_damping[v];
            if rate > 0.0 {
                sum += 0.5 * rate * system.masses[v] / self.dt * distance_sq(&x[v], &self.x_t0[v]);
            }
        }
        for t in &system.tets {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                sum += 0.5 * rate * (0..3).map(|i| distance_sq(&f[i], &f0[i])).sum::<f64>();
            }
        }
        for t in &system.triangles {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                sum += 0.5 * rate * (0..3).map(|i| distance_sq(&f[i], &f0[i])).sum::<f64>();
            }
        }
        sum
    }

    fn add_damping_gradient(&self, x: &[Point], gradient: &mut [Point]) {
        for t in &self.system.tets {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                add_damping_force(&t.vertices, &t.gradients(), &f, &f0, rate, gradient);
            }
        }
        for t in &self.system.triangles {
            let rate = self.damping_rate(t.material, t.volume);
            if rate > 0.0 {
                let (f, f0) = (t.deformation_gradient(x), t.deformation_gradient(self.x_t0));
                add_damping_force(&t.vertices, &t.gradients(), &f, &f0, rate, gradient);
            }
        }
    }

    /// `sum det(a - o, b - o, c - o)/6` over outward triangles. The origin o does not matter for a closed
    /// surface; a point of the body keeps the terms small far from the world's origin.
    fn enclosed_volume(&self, triangles: &[[u32; 3]], x: &[Point]) -> f64 {
        triangles
            .iter()
            .map(|t| self.corners(triangles, t, x))
            .map(|[a, b, c]| dot(&a, &cross(&b, &c)) / 6.0)
            .sum()
    }

    pub(super) fn corners(&self, surface: &[[u32; 3]], triangle: &[u32; 3], x: &[Point]) -> [Point; 3] {
        let origin = self.system.rest[surface[0][0] as usize];
        triangle.map(|v| std::array::from_fn(|k| x[v as usize][k] - origin[k]))
    }

    /// The pressure acts along the normal of each triangle, a third of `p A n` at each corner. On a closed surface
    /// that is the gradient of `p Vol`.
    fn add_pressure_gradient(&self, x: &[Point], gradient: &mut [Point]) {
        for (load, value) in self.system.pressures.iter().zip(self.pressures) {
            for t in &load.triangles {
                let [a, b, c] = self.corners(&load.triangles, t, x);
                let area = cross(&minus(&b, &a), &minus(&c, &a));
                for v in t {
                    for k in 0..3 {
                        gradient[*v as usize][k] -= value / 6.0 * area[k];
                    }
                }
            }
        }
    }

    /// What [`gradient_into`](Self::gradient_into) has more than the gradient of [`value`](Self::value), into
    /// `excess` (overwritten): zero up to rounding unless a pressure acts on an open surface, whose edge makes it
    /// a force without potential.
    pub fn excess_gradient_into(&self, x: &[Point], excess: &mut [Point]) {
        excess.fill([0.0; 3]);
        self.add_pressure_gradient(x, excess);
        for (load, value) in self.system.pressures.iter().zip(self.pressures) {
            for t in &load.triangles {
                let [a, b, c] = self.corners(&load.triangles, t, x);
                for (v, area) in t.iter().zip([cross(&b, &c), cross(&c, &a), cross(&a, &b)]) {
                    for k in 0..3 {
                        excess[*v as usize][k] += value / 6.0 * area[k];
                    }
                }
            }
        }
    }
}

fn add_damping_force<const N: usize, const D: usize>(
    vertices: &[u32; N],
    g: &[[f64; D]; N],
    f: &[[f64; D]; 3],
    f0: &[[f64; D]; 3],
    rate: f64,
    gradient: &mut [Point],
) {
    for (&v, g) in vertices.iter().zip(g) {
        for k in 0..3 {
            gradient[v as usize][k] += rate * (0..D).map(|j| (f[k][j] - f0[k][j]) * g[j]).sum::<f64>();
        }
    }
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

fn distance_sq<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    (0..N).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum()
}
