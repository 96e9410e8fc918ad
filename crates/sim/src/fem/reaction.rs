//! What pins push and pull with: the forces that nothing else in the balance of the last step accounts for.

use super::System;
use super::potential::Potential;
use pliant_mesh::DVec3;

/// Total force in N of a pin on its body, and its torque in N m about a point, at the end `x` of the step that `potential`
/// describes. `others` gives the sum of the forces of contacts and joints on the vertices that it is asked for.
///
/// A soft pin pulls by its springs. A hard pin makes up for the gradient of the potential at its vertices, less what
/// contacts and joints contribute there.
pub(crate) fn pin_wrench(
    potential: &Potential,
    pin: u32,
    about: DVec3,
    x: &[DVec3],
    others: impl Fn(&dyn Fn(u32) -> bool) -> DVec3,
) -> [DVec3; 2] {
    let system = potential.system;
    let [mut total, mut torque] = [DVec3::ZERO; 2];
    let springs = system.springs.iter().zip(potential.anchors).filter(|(s, _)| s.pin == pin);
    for (spring, anchor) in springs {
        let place = x[spring.vertex as usize];
        let force = spring.stiffness * (anchor - place);
        total += force;
        torque += (place - about).cross(force);
    }
    if system.held.iter().all(|(_, p)| *p != pin) {
        return [total, torque];
    }
    let is_held = |v: u32| system.pinned[v as usize] == Some(pin);
    let near = around(system, &is_held);
    let mut gradient = vec![DVec3::ZERO; x.len()];
    Potential { system: &near, ..*potential }.gradient_into(x, &mut gradient);
    let of_others = others(&is_held);
    for &(vertex, _) in system.held.iter().filter(|(_, p)| *p == pin) {
        total += gradient[vertex as usize];
        // Few pins touch anything: only then is it looked for vertex by vertex.
        let touched = if of_others == DVec3::ZERO { DVec3::ZERO } else { others(&|v| v == vertex) };
        torque += (x[vertex as usize] - about).cross(gradient[vertex as usize] - touched);
    }
    [total - of_others, torque]
}

/// The system with only those elements that act on the wanted vertices: the rest of the gradient is not needed.
fn around(system: &System, wanted: &impl Fn(u32) -> bool) -> System {
    System {
        rest: system.rest.clone(),
        masses: system.masses.clone(),
        mass_damping: system.mass_damping.clone(),
        tets: system.tets.iter().filter(|t| t.vertices.iter().any(|&v| wanted(v))).copied().collect(),
        triangles: system
            .triangles
            .iter()
            .filter(|t| t.vertices.iter().any(|&v| wanted(v)))
            .copied()
            .collect(),
        stencils: system
            .stencils
            .iter()
            .filter(|s| s.terms.iter().any(|(v, _)| wanted(*v)))
            .cloned()
            .collect(),
        materials: system.materials.clone(),
        springs: system.springs.clone(),
        pressures: system.pressures.clone(),
        ..System::default()
    }
}
