//! Extended position-based dynamics \[Macklin16\]: the baseline that `compare` puts beside `admm`, no solver to be chosen.
//!
//! The energy U of an element or of a bending stencil is a constraint `C = sqrt(2 U)` of unit compliance, so that both methods
//! minimise the same incremental potential. An iteration solves the constraints one after the other,
//!
//! ```text
//! dlambda = -(C + lambda / h^2) / (sum |grad_i C|^2 / m_i + 1 / h^2),   x_i += dlambda grad_i C / m_i,
//! ```
//!
//! and then the contacts by the sweeps of `admm`, in the norm of the masses instead of that of W_c.

use super::contact::ContactProjection;
use super::{AdmmConfig, Vec4};
use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::energy::{stencil_constraint, tet_constraint, triangle_constraint};
use crate::fem::numbering::Numbering;
use crate::solver::StepInput;
use pliant_mesh::DVec3;

/// The method with its memory.
#[derive(Debug)]
pub(crate) struct Xpbd {
    config: AdmmConfig,
    numbering: Numbering,
    contact: ContactProjection,
    /// Inverse masses; zero for vertices that pins hold.
    mobility: Vec<f64>,
    /// Of tets, triangles and bending stencils, in this order.
    multipliers: Vec<f64>,
    /// Places in solver order.
    q: Vec<Vec4>,
    h: f64,
}

impl Xpbd {
    /// For time step `h`. Contacts are swept as `config` says. `None` where there is what it does not know: air, pressure,
    /// damping, soft pins.
    pub(crate) fn new(config: &AdmmConfig, system: &System, h: f64) -> Option<Xpbd> {
        let is_damped = system.mass_damping.iter().any(|rate| *rate != 0.0)
            || system.materials.iter().any(|material| material.damping != 0.0);
        if is_damped || !system.air.is_empty() || !system.pressures.is_empty() || !system.springs.is_empty() {
            return None;
        }
        let numbering = Numbering::new(&system.pinned);
        let masses: Vec<f64> = numbering.free_vertices().iter().map(|&v| system.masses[v as usize]).collect();
        let held = system.masses.iter().zip(&system.pinned);
        Some(Xpbd {
            config: config.clone(),
            contact: ContactProjection::new(masses.clone(), masses, numbering.len(), h),
            mobility: held.map(|(mass, pin)| if pin.is_some() { 0.0 } else { 1.0 / mass }).collect(),
            multipliers: vec![0.0; system.tets.len() + system.triangles.len() + system.stencils.len()],
            q: vec![Vec4::default(); numbering.len()],
            numbering,
            h,
        })
    }

    /// Iterates from the prediction in `x`; `seen` is shown the places after each iteration.
    pub(crate) fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [DVec3],
        iterations: usize,
        seen: &mut dyn FnMut(usize, &[DVec3]),
    ) {
        for ((x, inertial), mobility) in x.iter_mut().zip(input.inertial).zip(&self.mobility) {
            if *mobility > 0.0 {
                *x = *inertial;
            }
        }
        self.multipliers.fill(0.0);
        contacts.forces_mut().fill(DVec3::ZERO);
        self.contact.begin(contacts, self.numbering.index_of());
        seen(0, x);
        for k in 1..=iterations {
            self.pass(input.system, x);
            self.touch(input, contacts, x);
            seen(k, x);
        }
    }

    /// All constraints once.
    fn pass(&mut self, system: &System, x: &mut [DVec3]) {
        let Xpbd { mobility, multipliers, h, .. } = self;
        let mut multipliers = multipliers.iter_mut();
        let mut one = |value: f64, gradient: &[(u32, DVec3)], x: &mut [DVec3]| {
            let Some(lambda) = multipliers.next() else { return };
            let inverse = 1.0 / (*h * *h);
            let response: f64 =
                gradient.iter().map(|(v, g)| mobility[*v as usize] * g.length_squared()).sum();
            let step = -(value + inverse * *lambda) / (response + inverse);
            if !step.is_finite() {
                return;
            }
            *lambda += step;
            for (v, g) in gradient {
                x[*v as usize] += step * mobility[*v as usize] * g;
            }
        };
        for tet in system.tets.iter() {
            let (value, gradient) = tet_constraint(tet, &system.materials, x);
            one(value, &std::array::from_fn::<_, 4, _>(|a| (tet.vertices[a], gradient[a])), x);
        }
        for triangle in system.triangles.iter() {
            let (value, gradient) = triangle_constraint(triangle, &system.materials, x);
            one(value, &std::array::from_fn::<_, 3, _>(|a| (triangle.vertices[a], gradient[a])), x);
        }
        let mut terms = Vec::new();
        for stencil in system.stencils.iter() {
            let (value, direction) = stencil_constraint(stencil, x);
            terms.clear();
            terms.extend(stencil.terms.iter().map(|(v, c)| (*v, *c * direction)));
            one(value, &terms, x);
        }
    }

    /// The contacts, from where the constraints have left the vertices and with the forces that there are.
    fn touch(&mut self, input: &StepInput, contacts: &mut Contacts, x: &mut [DVec3]) {
        let index_of = self.numbering.index_of();
        for (x, &i) in x.iter().zip(index_of) {
            self.q[i as usize] = Vec4::new(*x);
        }
        self.contact.project(&self.config, input, contacts, index_of, [&self.q, &self.q]);
        self.contact.virtual_places_into(&mut self.q);
        for (x, &i) in x.iter_mut().zip(index_of) {
            *x = self.q[i as usize].point();
        }
    }
}
