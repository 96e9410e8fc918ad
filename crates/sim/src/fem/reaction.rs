//! What pins push and pull with: the forces that nothing else in the balance of the last step accounts for.

use super::System;
use super::potential::Potential;
use pliant_mesh::DVec3;

/// Total force in N of a pin on its body at the end `x` of the step that `potential` describes. `others` gives the sum of
/// the forces of contacts and joints on the vertices that it is asked for.
///
/// A soft pin pulls by its springs. A hard pin makes up for the gradient of the potential at its vertices, less what
/// contacts and joints contribute there.
pub(crate) fn pin_reaction(
    potential: &Potential,
    pin: u32,
    x: &[DVec3],
    others: impl FnOnce(&dyn Fn(u32) -> bool) -> DVec3,
) -> DVec3 {
    let system = potential.system;
    let mut total = DVec3::ZERO;
    let springs = system.springs.iter().zip(potential.anchors).filter(|(s, _)| s.pin == pin);
    for (spring, anchor) in springs {
        total += spring.stiffness * (anchor - x[spring.vertex as usize]);
    }
    if system.held.iter().all(|(_, p)| *p != pin) {
        return total;
    }
    let is_held = |v: u32| system.pinned[v as usize] == Some(pin);
    let near = around(system, &is_held);
    let mut gradient = vec![DVec3::ZERO; x.len()];
    Potential { system: &near, ..*potential }.gradient_into(x, &mut gradient);
    for (vertex, _) in system.held.iter().filter(|(_, p)| *p == pin) {
        total += gradient[*vertex as usize];
    }
    total - others(&is_held)
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
