//! The surfaces that detection works on, and checks of what is given.

use crate::fem::System;
use crate::model::{EntryError, Model, Obstacle};
use pliant_collide::{BodyId, Shape, Surface};
use pliant_mesh::{DVec3, Mesh};

pub(super) fn check_obstacle(obstacle: &Obstacle) -> Result<(), EntryError> {
    obstacle.shape.validate()?;
    if !obstacle.placement.is_rigid() {
        return Err(EntryError::NotRigid);
    }
    if let Some(mu) = obstacle.friction
        && !(mu >= 0.0 && mu.is_finite())
    {
        return Err(EntryError::Value { what: "friction", value: mu, unit: "", must: "0 or more" });
    }
    if let Some(matchstick) = &obstacle.matchstick {
        matchstick.validate_on(&obstacle.shape)?;
    }
    Ok(obstacle.motion.validate()?)
}

/// The surface of every body.
pub(crate) fn surfaces(model: &Model, system: &System) -> Vec<Surface> {
    let each = model.bodies.iter().zip(&system.bodies).enumerate();
    each.map(|(index, (body, range))| {
        let first = range.vertices.start as u32;
        let solid = matches!(*body.mesh, Mesh::Tet(_));
        Surface {
            body: BodyId::new(index),
            triangles: body.mesh.surface_triangles().into_iter().map(|t| t.map(|v| first + v)).collect(),
            solid,
            radius: if solid { body.contact_radius } else { 0.5 * body.thickness + body.contact_radius },
            self_contact: body.self_contact,
        }
    })
    .collect()
}

/// The obstacles of a model, for detection. An open mesh has two sides, and nothing but a distance says on which of them
/// a vertex is. Where a body brings none the mesh does: a small part of the mean edge of the finest such body. The guard
/// then watches it too.
pub(super) fn obstacles(
    model: &Model,
    surfaces: &[Surface],
    rest: &[DVec3],
) -> Vec<pliant_collide::Obstacle> {
    const PART: f64 = 0.02;
    let without = surfaces.iter().filter(|s| s.radius == 0.0);
    let finest = without.map(|s| mean_edge(s.triangles.iter(), rest)).fold(f64::INFINITY, f64::min);
    let radius = if finest.is_finite() { PART * finest } else { 0.0 };
    let each = model.obstacles.iter().map(|o| &o.shape);
    each.map(|shape| pliant_collide::Obstacle {
        shape: shape.clone(),
        radius: if shape.is_solid() { 0.0 } else { radius },
    })
    .collect()
}

/// An obstacle without a thickness of its own.
pub(super) fn thin(obstacle: &Obstacle) -> pliant_collide::Obstacle {
    pliant_collide::Obstacle { shape: obstacle.shape.clone(), radius: 0.0 }
}

/// A tenth of the mean edge of the surfaces: pairs that come closer in a step than was predicted are found in time.
pub(super) fn default_margin(surfaces: &[Surface], rest: &[DVec3]) -> f64 {
    0.1 * mean_edge(surfaces.iter().flat_map(|s| &s.triangles), rest)
}

fn mean_edge<'a>(triangles: impl Iterator<Item = &'a [u32; 3]>, rest: &[DVec3]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for t in triangles {
        for k in 0..3 {
            sum += rest[t[k] as usize].distance(rest[t[(k + 1) % 3] as usize]);
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

/// Whether the normal turns along a surface.
pub(super) fn is_round(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Torus { .. }
    )
}
