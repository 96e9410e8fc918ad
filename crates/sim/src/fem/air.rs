//! The air that acts on triangles, as a drag on each vertex that is linear in its velocity during a step.
//!
//! The force of a triangle, `rho/2 A |u| ((drag - lift) u + lift (u.n) n) = D u`, is taken with the D of the start of the step and
//! the velocity of its end, a third of it at each corner: `f = D (w - v)`. D is positive semidefinite, so that the air takes energy
//! from the motion relative to it whatever the time step, and a steady motion has the true force.

use super::System;
use crate::model::{Air, Body};
use pliant_mesh::{DMat3, DVec3, Mesh};

/// A triangle that air acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirTriangle {
    /// Vertices; of a solid, outward oriented.
    pub vertices: [u32; 3],
    /// Half of the density times `drag - lift`, and times `lift`, kg/m^3.
    pub coefficients: [f64; 2],
    /// Whether it has air on both sides, as cloth.
    pub two_sided: bool,
}

/// What the air does to a vertex in a step: the force `pull - matrix v` in N at the velocity v of its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Symmetric and positive semidefinite, kg/s.
    pub matrix: DMat3,
    /// The force on a vertex at rest in N.
    pub pull: DVec3,
}

impl Drag {
    /// No air.
    pub const NONE: Drag = Drag { matrix: DMat3::ZERO, pull: DVec3::ZERO };

    /// The force in N on a vertex of velocity `v`.
    pub fn force(&self, v: DVec3) -> DVec3 {
        self.pull - self.matrix * v
    }
}

/// The triangles of a body that air acts on, whose first vertex has the number `first`.
pub(super) fn triangles(air: &Air, body: &Body, first: u32) -> Vec<AirTriangle> {
    let [drag, lift] = body.drag_and_lift.unwrap_or([air.drag, air.lift]);
    let coefficients = [drag - lift, lift].map(|c| 0.5 * air.density * c);
    if coefficients == [0.0; 2] {
        return Vec::new();
    }
    let two_sided = matches!(*body.mesh, Mesh::Tri(_));
    let triangle = |t: [u32; 3]| AirTriangle { vertices: t.map(|v| first + v), coefficients, two_sided };
    body.mesh.surface_triangles().into_iter().map(triangle).collect()
}

/// What air of velocity `wind` does to each vertex in a step from these positions and velocities.
pub(crate) fn drags_into(
    system: &System,
    [positions, velocities]: [&[DVec3]; 2],
    wind: DVec3,
    drags: &mut [Drag],
) {
    drags.fill(Drag::NONE);
    for t in &system.air {
        let [a, b, c] = t.vertices.map(|v| positions[v as usize]);
        let mean: DVec3 = t.vertices.iter().map(|&v| velocities[v as usize]).sum::<DVec3>() / 3.0;
        let (past, twice_area) = (wind - mean, (b - a).cross(c - a));
        let size = twice_area.length();
        if size == 0.0 {
            continue;
        }
        let normal = twice_area / size;
        let [along, across] = t.coefficients;
        // The side of a solid that faces away from the wind has its air at rest.
        let across = if t.two_sided || past.dot(normal) < 0.0 { across } else { 0.0 };
        let corner = past.length() * size / 6.0;
        let outer = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        let matrix = corner * (along * DMat3::IDENTITY + across * outer);
        for v in t.vertices.map(|v| v as usize) {
            drags[v].matrix += matrix;
        }
    }
    drags.iter_mut().for_each(|d| d.pull = d.matrix * wind);
}
