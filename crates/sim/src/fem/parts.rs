//! The connected parts of the bodies, and how a rigid part turns.

use super::System;
use pliant_mesh::{DMat3, DVec3};

/// The vertices of each connected part that no hard pin holds.
pub(crate) fn free_parts(system: &System) -> Vec<Vec<u32>> {
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for (v, part) in (0..).zip(connected_parts(system)) {
        parts.resize_with(parts.len().max(part as usize + 1), Vec::new);
        parts[part as usize].push(v);
    }
    parts.retain(|part| part.iter().all(|&v| system.pinned[v as usize].is_none()));
    parts
}

/// The part of each vertex: parts are numbered by their first vertices.
pub(crate) fn connected_parts(system: &System) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..system.rest.len() as u32).collect();
    let mut join = |vertices: &mut dyn Iterator<Item = u32>| {
        let Some(first) = vertices.next() else { return };
        for v in vertices {
            let (a, b) = (root(&mut parent, first), root(&mut parent, v));
            let (low, high) = (a.min(b), a.max(b));
            parent[high as usize] = low;
        }
    };
    system.tets.iter().for_each(|t| join(&mut t.vertices.into_iter()));
    system.triangles.iter().for_each(|t| join(&mut t.vertices.into_iter()));
    system.stencils.iter().for_each(|s| join(&mut s.terms.iter().map(|t| t.0)));
    let mut number = vec![u32::MAX; parent.len()];
    let mut count = 0;
    (0..parent.len() as u32)
        .map(|v| {
            let r = root(&mut parent, v) as usize;
            if number[r] == u32::MAX {
                number[r] = count;
                count += 1;
            }
            number[r]
        })
        .collect()
}

/// The root of a vertex, with the path to it halved.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

/// The rotation by the vector `omega` [Rodrigues].
pub(crate) fn rotation(omega: DVec3) -> DMat3 {
    let angle = omega.length();
    if angle == 0.0 { DMat3::IDENTITY } else { DMat3::from_axis_angle(omega / angle, angle) }
}

/// The inverse of an inertia; zero if an axis has none (all of the part on a line).
pub(crate) fn positive_inverse(inertia: &DMat3) -> DMat3 {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let determinant = inertia.determinant();
    if determinant > 1e-12 * trace.powi(3) { inertia.inverse() } else { DMat3::ZERO }
}
