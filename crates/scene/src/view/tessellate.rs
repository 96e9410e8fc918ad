//! Triangles of obstacles, for pictures.

use pliant::Shape;
use pliant_mesh::DVec3;
use std::f64::consts::PI;

/// Corners of a full circle.
const AROUND: usize = 64;

/// Points and triangles of the surface of a shape in its own coordinates; none for a plane, which has no end.
pub fn tessellate(shape: &Shape) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    match shape {
        Shape::Sphere { radius } => revolved(&half_circle(*radius, 0.0)),
        Shape::Capsule { radius, half_length } => revolved(&half_circle(*radius, *half_length)),
        Shape::Cylinder { radius, half_length } => {
            let (r, h) = (*radius, *half_length);
            revolved(&[[0.0, -h], [r, -h], [r, h], [0.0, h]])
        }
        Shape::Torus { major, minor } => {
            let point = |i: usize| {
                let (sin, cos) = (2.0 * PI * i as f64 / AROUND as f64).sin_cos();
                [major + minor * cos, minor * sin]
            };
            revolved(&(0..=AROUND).map(point).collect::<Vec<_>>())
        }
        Shape::Box { half } => cuboid(*half),
        Shape::Mesh(mesh) => (mesh.vertices.clone(), mesh.triangles.clone()),
        _ => (Vec::new(), Vec::new()),
    }
}

/// Distance from the axis and height of points from pole to pole, the lower half moved down and the upper half up.
fn half_circle(radius: f64, shift: f64) -> Vec<[f64; 2]> {
    let half = AROUND / 2;
    let point = |i: usize, shift: f64| {
        let (sin, cos) = (PI * i as f64 / half as f64).sin_cos();
        [radius * sin, -radius * cos + shift]
    };
    let low = (0..=half / 2).map(|i| point(i, -shift));
    let high = (half / 2..=half).map(|i| point(i, shift));
    low.chain(high).collect()
}

/// The surface that a line of points (distance from z, height) makes when it is turned about z.
fn revolved(line: &[[f64; 2]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut points = Vec::new();
    for i in 0..AROUND {
        let (sin, cos) = (2.0 * PI * i as f64 / AROUND as f64).sin_cos();
        points.extend(line.iter().map(|[r, z]| DVec3::new(r * cos, r * sin, *z)));
    }
    let mut triangles = Vec::new();
    let at = |i: usize, j: usize| ((i % AROUND) * line.len() + j) as u32;
    for i in 0..AROUND {
        for j in 1..line.len() {
            let corners = [at(i, j - 1), at(i + 1, j - 1), at(i + 1, j), at(i, j)];
            triangles.push([corners[0], corners[1], corners[2]]);
            triangles.push([corners[0], corners[2], corners[3]]);
        }
    }
    (points, triangles)
}

fn cuboid(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let sign = |i: u32, k: u32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
    let points = (0..8).map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)) * half).collect();
    let faces: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points, faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every point is on the shape, and the triangles face outward and enclose about its volume.
    #[test]
    fn surfaces_are_on_their_shapes() {
        let volumes = [
            (Shape::Sphere { radius: 2.0 }, 4.0 / 3.0 * PI * 8.0),
            (Shape::Box { half: DVec3::new(1.0, 2.0, 3.0) }, 48.0),
            (Shape::Capsule { radius: 1.0, half_length: 2.0 }, 4.0 / 3.0 * PI + 4.0 * PI),
            (Shape::Cylinder { radius: 1.0, half_length: 2.0 }, 4.0 * PI),
            (Shape::Torus { major: 3.0, minor: 1.0 }, 6.0 * PI * PI),
        ];
        for (shape, want) in volumes {
            let (points, triangles) = tessellate(&shape);
            for &p in &points {
                // The caps of a cylinder have their middle on them too.
                assert!(shape.signed_distance(p).unwrap().0.abs() < 1e-12, "{shape:?} {p:?}");
            }
            let volume: f64 = triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| points[v as usize]);
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            assert!((volume - want).abs() < 0.01 * want, "{shape:?}: {volume}, not {want}");
        }
        assert!(tessellate(&Shape::Plane).0.is_empty());
    }
}
