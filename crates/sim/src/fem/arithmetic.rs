//! Whether the numbers of a body are within what the arithmetic can carry.

use super::System;
use crate::model::{Body, MAX_MASS, MIN_MASS, ModelError};
use pliant_mesh::Mesh;

/// Most elements that an elastic wave may pass in a step. The stiffness in a step is the square of that times the inertia, and at
/// 1e12 the inertia has four digits left in f64: above that bodies hang in the air instead of falling.
const MOST_PASSED: f64 = 1e6;

/// Checks the body that was added last.
pub(super) fn check_arithmetic(body: &Body, system: &System) -> Result<(), ModelError> {
    let Some(range) = system.bodies.last() else { return Ok(()) };
    // Vertices that no element uses weigh nothing, and are refused with the mesh.
    let masses = system.masses[range.vertices.clone()].iter().copied().filter(|m| *m != 0.0);
    if let Some(mass) = masses.into_iter().find(|m| !(MIN_MASS..=MAX_MASS).contains(m)) {
        return Err(ModelError::Mass { body: body.name.clone(), mass, density: body.density });
    }
    let youngs = body.materials.iter().map(|m| m.youngs).fold(0.0, f64::max);
    let (edge, h) = (mean_edge(&body.mesh), system.dt);
    let passed = h * (youngs / body.density).sqrt() / edge;
    if passed <= MOST_PASSED {
        return Ok(());
    }
    let excess = passed / MOST_PASSED;
    Err(ModelError::TooStiff {
        body: body.name.clone(),
        cause: format!(
            "Young's modulus {youngs:e} Pa with density {:e} kg/m^3, edges of {edge:.1e} m and dt = {h:e} s is beyond what the arithmetic \
             can carry: use at most {:.1e} Pa, at least {:.1e} kg/m^3, or dt below {:.1e} s",
            body.density,
            youngs / (excess * excess),
            body.density * excess * excess,
            h / excess
        ),
    })
}

/// Mean length of the edges of all elements in m.
fn mean_edge(mesh: &Mesh) -> f64 {
    let x = mesh.vertices();
    let edge = |a: u32, b: u32| x[a as usize].distance(x[b as usize]);
    let (sum, count) = match mesh {
        Mesh::Tet(m) => {
            let each = m.tets.iter().map(|&[a, b, c, d]| edge(a, b) + edge(b, c) + edge(c, d) + edge(d, a));
            (each.sum::<f64>(), 4 * m.tets.len())
        }
        Mesh::Tri(m) => {
            let each = m.triangles.iter().map(|&[a, b, c]| edge(a, b) + edge(b, c) + edge(c, a));
            (each.sum::<f64>(), 3 * m.triangles.len())
        }
    };
    sum / count.max(1) as f64
}
