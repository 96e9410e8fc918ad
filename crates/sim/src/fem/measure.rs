//! Integral quantities of a body: mass, momentum, energy, volume.

use super::System;
use crate::material::isotropic::{membrane, solid};
use crate::state::State;
use crate::world::BodySummary;
use pliant_linalg::small::det;
use pliant_mesh::Point;

/// Measures one body.
pub fn summarise(system: &System, state: &State, body: usize) -> BodySummary {
    let range = &system.bodies[body];
    let mut s = BodySummary {
        mass: 0.0,
        center: [0.0; 3],
        velocity: [0.0; 3],
        momentum: [0.0; 3],
        angular_momentum: [0.0; 3],
        kinetic_energy: 0.0,
        elastic_energy: 0.0,
        volume_ratio: 1.0,
        min_j: f64::INFINITY,
        inverted: 0,
    };
    for i in range.vertices.clone() {
        let (m, x, v) = (system.masses[i], state.positions[i], state.velocities[i]);
        let spin = [x[1] * v[2] - x[2] * v[1], x[2] * v[0] - x[0] * v[2], x[0] * v[1] - x[1] * v[0]];
        s.mass += m;
        for k in 0..3 {
            s.center[k] += m * x[k];
            s.momentum[k] += m * v[k];
            s.angular_momentum[k] += m * spin[k];
            s.kinetic_energy += 0.5 * m * v[k] * v[k];
        }
    }
    s.center = s.center.map(|c| c / s.mass);
    s.velocity = s.momentum.map(|p| p / s.mass);
    measure_elements(system, &state.positions, body, &mut s);
    s
}

fn measure_elements(system: &System, x: &[Point], body: usize, s: &mut BodySummary) {
    let range = &system.bodies[body];
    let (mut rest_volume, mut volume) = (0.0, 0.0);
    for t in &system.tets[range.tets.clone()] {
        let f = t.deformation_gradient(x);
        let j = det(&f);
        s.elastic_energy += t.volume * solid::energy(&system.materials[t.material as usize], &f);
        s.min_j = s.min_j.min(j);
        s.inverted += usize::from(j < 0.0);
        rest_volume += t.volume;
        volume += t.volume * j;
    }
    for t in &system.triangles[range.triangles.clone()] {
        let f = t.deformation_gradient(x);
        let j = area_ratio(&f);
        s.elastic_energy += t.volume * membrane::energy(&system.materials[t.material as usize], &f);
        s.min_j = s.min_j.min(j);
        rest_volume += t.volume;
        volume += t.volume * j;
    }
    for b in &system.stencils[range.stencils.clone()] {
        let length = b.value(x).iter().map(|c| c * c).sum::<f64>().sqrt();
        s.elastic_energy += 0.5 * b.stiffness * (length - b.rest_length).powi(2);
    }
    s.volume_ratio = volume / rest_volume;
}

/// Product of the two stretches of a 3x2 deformation gradient.
fn area_ratio(f: &[[f64; 2]; 3]) -> f64 {
    let minor = |i: usize, j: usize| f[i][0] * f[j][1] - f[j][0] * f[i][1];
    (minor(0, 1).powi(2) + minor(1, 2).powi(2) + minor(2, 0).powi(2)).sqrt()
}

impl System {
    /// Size of the system: the diagonal of the box around its rest shape, m.
    pub fn size(&self) -> f64 {
        let mut extent = 0.0;
        for k in 0..3 {
            let values = self.rest.iter().map(|p| p[k]);
            let width = values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min);
            extent += width * width;
        }
        extent.sqrt()
    }

    /// The element around `vertex` with the smallest volume ratio: its kind, its index in its body, the ratio.
    pub(crate) fn worst_element_at(&self, x: &[Point], vertex: usize) -> Option<(&'static str, usize, f64)> {
        let v = vertex as u32;
        let body = self.bodies.iter().find(|b| b.vertices.contains(&vertex))?;
        let tets = body.tets.clone().filter(|&e| self.tets[e].vertices.contains(&v));
        let tets = tets.map(|e| ("tet", e - body.tets.start, det(&self.tets[e].deformation_gradient(x))));
        let triangles = body.triangles.clone().filter(|&e| self.triangles[e].vertices.contains(&v));
        let triangles = triangles.map(|e| {
            ("triangle", e - body.triangles.start, area_ratio(&self.triangles[e].deformation_gradient(x)))
        });
        tets.chain(triangles).min_by(|a, b| a.2.total_cmp(&b.2))
    }
}
