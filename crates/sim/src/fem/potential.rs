//! The incremental potential of implicit Euler: its minimum over the positions x is the end of the time step.
//!
//! `phi(x) = 1/(2 h^2) |x - x~|_M^2 + elastic(x) + bending(x) + sum k/2 |x_v - anchor|^2 - sum p Vol(x)
//!          + 1/(2 h) (x - x_t)^T (alpha M + K_d + D) (x - x_t) - (D w)^T (x - x_t)`
//!
//! with `K_d = sum_e beta_e 2 mu_e V_e G_e^T G_e`, alike for x, y and z, and what damping by the true stiffness adds to it ([`damping`](super::damping)). Setting the gradient to zero gives
//! `M (v - v_t)/h = f_ext + f_elastic + ... - (alpha M + K_d) v + D (w - v)` with `v = (x - x_t)/h`, and D and the wind w of the air. The pressure on an open
//! surface has no potential; there the gradient below is the true force and the value only its symmetric part.

use super::energy::{
    ElementGradients, add_bending_gradient, add_element_gradient, bending_energy, element_energy,
};
use super::{Drag, ElementMaterial, System};
use pliant_linalg::Team;
use pliant_mesh::DVec3;

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
    pub x_t0: &'a [DVec3],
    /// Inertial prediction x~.
    pub inertial: &'a [DVec3],
    /// Targets of `system.springs`.
    pub anchors: &'a [DVec3],
    /// Values of `system.pressures` in Pa.
    pub pressures: &'a [f64],
    /// What the air does to each vertex; empty without air.
    pub drags: &'a [Drag],
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
    /// Air.
    pub air: f64,
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

    fn list(&self) -> [f64; 7] {
        [self.inertia, self.elastic, self.bending, self.springs, self.pressure, self.damping, self.air]
    }
}

impl Potential<'_> {
    /// All terms at x.
    pub fn terms(&self, x: &[DVec3]) -> Terms {
        let system = self.system;
        let inertia: f64 =
            (0..x.len()).map(|v| 0.5 * system.masses[v] * x[v].distance_squared(self.inertial[v])).sum();
        let springs = system.springs.iter().zip(self.anchors);
        let pressures = system.pressures.iter().zip(self.pressures);
        Terms {
            inertia: inertia / (self.dt * self.dt),
            elastic: element_energy(&system.tets, &system.triangles, self.materials, x),
            bending: bending_energy(&system.stencils, x),
            springs: springs
                .map(|(s, a)| 0.5 * s.stiffness * x[s.vertex as usize].distance_squared(*a))
                .sum(),
            pressure: pressures.map(|(p, value)| -value * self.enclosed_volume(&p.triangles, x)).sum(),
            damping: self.damping(x),
            air: self.air(x),
        }
    }

    /// phi(x) in J.
    pub fn value(&self, x: &[DVec3]) -> f64 {
        self.terms(x).total()
    }

    /// The gradient of phi in N into `gradient` (overwritten): minus the sum of all forces, inertia included.
    pub fn gradient_into(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        self.inertia_gradient_into(x, gradient);
        add_element_gradient(self.system, self.materials, x, gradient);
        self.add_other_gradients(x, gradient);
    }

    /// The same to the bit by the threads of a team, with memory that is kept.
    pub(crate) fn gradient_by_team(
        &self,
        team: &Team,
        x: &[DVec3],
        gradient: &mut [DVec3],
        parts: &mut ElementGradients,
    ) {
        self.inertia_gradient_into(x, gradient);
        parts.add(team, self.system, self.materials, x, gradient);
        self.add_other_gradients(x, gradient);
    }

    fn inertia_gradient_into(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let (system, h) = (self.system, self.dt);
        for v in 0..x.len() {
            let m = system.masses[v];
            let inertia = m / (h * h) * (x[v] - self.inertial[v]);
            gradient[v] = inertia + system.mass_damping[v] * m / h * (x[v] - self.x_t0[v]);
        }
    }

    /// Adds the gradients of all but inertia and elements.
    fn add_other_gradients(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let (system, h) = (self.system, self.dt);
        add_bending_gradient(&system.stencils, x, gradient);
        for (s, anchor) in system.springs.iter().zip(self.anchors) {
            let v = s.vertex as usize;
            gradient[v] += s.stiffness * (x[v] - anchor);
        }
        self.add_pressure_gradient(x, gradient);
        self.add_damping_gradient(x, gradient);
        for (v, drag) in self.drags.iter().enumerate() {
            gradient[v] -= drag.force((x[v] - self.x_t0[v]) / h);
        }
    }

    fn air(&self, x: &[DVec3]) -> f64 {
        let way = |v: usize| x[v] - self.x_t0[v];
        let term = |(v, d): (usize, &Drag)| way(v).dot(d.matrix * way(v) / (2.0 * self.dt) - d.pull);
        self.drags.iter().enumerate().map(term).sum()
    }

    /// `sum det(a - o, b - o, c - o)/6` over outward triangles. The origin o does not matter for a closed
    /// surface; a point of the body keeps the terms small far from the world's origin.
    fn enclosed_volume(&self, triangles: &[[u32; 3]], x: &[DVec3]) -> f64 {
        triangles.iter().map(|t| self.corners(triangles, t, x)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    pub(super) fn corners(&self, surface: &[[u32; 3]], triangle: &[u32; 3], x: &[DVec3]) -> [DVec3; 3] {
        let origin = self.system.rest[surface[0][0] as usize];
        triangle.map(|v| x[v as usize] - origin)
    }

    /// The pressure acts along the normal of each triangle, a third of `p A n` at each corner. On a closed surface
    /// that is the gradient of `p Vol`.
    fn add_pressure_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        for (load, value) in self.system.pressures.iter().zip(self.pressures) {
            for t in &load.triangles {
                let [a, b, c] = self.corners(&load.triangles, t, x);
                let area = (b - a).cross(c - a);
                for &v in t {
                    gradient[v as usize] -= value / 6.0 * area;
                }
            }
        }
    }

    /// What [`gradient_into`](Self::gradient_into) has more than the gradient of [`value`](Self::value), into
    /// `excess` (overwritten): zero up to rounding unless a pressure acts on an open surface, whose edge makes it
    /// a force without potential.
    pub fn excess_gradient_into(&self, x: &[DVec3], excess: &mut [DVec3]) {
        excess.fill(DVec3::ZERO);
        self.add_pressure_gradient(x, excess);
        for (load, value) in self.system.pressures.iter().zip(self.pressures) {
            for t in &load.triangles {
                let [a, b, c] = self.corners(&load.triangles, t, x);
                for (&v, area) in t.iter().zip([b.cross(c), c.cross(a), a.cross(b)]) {
                    excess[v as usize] += value / 6.0 * area;
                }
            }
        }
    }
}
