//! The inside of a tetrahedral mesh: what is behind a plane through the middle, coloured by quality.

use super::painter::MeshPainter;
use super::plane::{Cut, center, largest};
use pliant_mesh::TetMesh;
use pliant_render::{Image, Surface, Vec3, color_map};
use std::collections::{HashMap, HashSet};

/// Colour of the outer surface beside the cut.
const OUTSIDE: [f32; 3] = [0.80, 0.83, 0.86];

/// Draws the tets behind the largest cut; the text says where it is.
pub(super) fn draw(painter: &MeshPainter, mesh: &TetMesh, quality: &[f64]) -> (Image, String) {
    let axis = painter.facing();
    let Cut { height, .. } = largest(&painter.positions, &mesh.tets, axis);
    // The camera is on the positive side of x and on the negative side of y.
    let is_behind = |tet: &[u32; 4]| {
        let above = center(&painter.positions, tet)[axis] - height;
        if axis == 0 { above <= 0.0 } else { above >= 0.0 }
    };
    let kept: Vec<usize> = (0..mesh.tets.len()).filter(|&t| is_behind(&mesh.tets[t])).collect();
    let rest = TetMesh { tets: kept.iter().map(|&t| mesh.tets[t]).collect(), ..TetMesh::default() };
    let tet_of = tets_of_faces(&rest);
    let outside: HashSet<[u32; 3]> = mesh.boundary().into_iter().map(sorted).collect();
    let (outer, inner): (Vec<_>, Vec<_>) =
        rest.boundary().into_iter().partition(|face| outside.contains(&sorted(*face)));
    // Each face of the cut has vertices of its own, so that it has one colour.
    let positions: Vec<Vec3> = inner.iter().flatten().map(|&v| painter.positions[v as usize]).collect();
    let triangles: Vec<[u32; 3]> = (0..inner.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let colors: Vec<[f32; 3]> = inner
        .iter()
        .flat_map(|face| {
            let tet = tet_of.get(&sorted(*face)).map_or(0, |&t| kept[t]);
            [color_map(quality.get(tet).map_or(f32::NAN, |q| *q as f32)); 3]
        })
        .collect();
    let shell =
        Surface { positions: &painter.positions, triangles: &outer, color: OUTSIDE, vertex_colors: None };
    let section = Surface {
        positions: &positions,
        triangles: &triangles,
        color: OUTSIDE,
        vertex_colors: Some(&colors),
    };
    (painter.render(&[shell, section], true), format!("cut at {}", painter.height_text(axis, height)))
}

fn tets_of_faces(mesh: &TetMesh) -> HashMap<[u32; 3], usize> {
    let faces = |(t, &[a, b, c, d]): (usize, &[u32; 4])| {
        [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|face| (sorted(face), t))
    };
    mesh.tets.iter().enumerate().flat_map(faces).collect()
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}
