//! Triangles as files of pictures hold them: sharp edges and normals.

use pliant::{Pose, Shape};
use pliant_mesh::DVec3;
use pliant_mesh::vector::area_vector;

use crate::view::tessellate;

/// Cosine of 35 degrees: edges with a larger angle between their triangles stay sharp, as in our own pictures.
const CREASE: f64 = 0.819;

/// How far a plane is shown beyond the bodies, as a fraction of their size.
const PLANE_MARGIN: f64 = 0.5;

/// The vertices of a surface that are written, and triangles over them.
#[derive(Clone, Debug)]
pub(in crate::exporting) struct Surface {
    /// The vertex of the body that each written vertex is.
    pub vertices: Vec<u32>,
    /// Triangles over the written vertices, in the order of the body.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Triangles over `points` with a vertex of its own on each side of a sharp edge, so that each has its own normal.
    pub fn creased(points: &[DVec3], triangles: &[[u32; 3]]) -> Surface {
        let faces: Vec<DVec3> =
            triangles.iter().map(|&t| unit(face(points, t)).unwrap_or_default()).collect();
        // All corners, those of a vertex side by side.
        let mut corners: Vec<(u32, u32)> =
            (0..3 * triangles.len() as u32).map(|c| (triangles[c as usize / 3][c as usize % 3], c)).collect();
        corners.sort_unstable();
        let mut surface = Surface { vertices: Vec::new(), triangles: vec![[0; 3]; triangles.len()] };
        for around in corners.chunk_by(|a, b| a.0 == b.0) {
            let group = smooth_groups(around, triangles, &faces);
            let first = surface.vertices.len() as u32;
            for (&(vertex, corner), group) in around.iter().zip(group) {
                if first + group == surface.vertices.len() as u32 {
                    surface.vertices.push(vertex);
                }
                surface.triangles[corner as usize / 3][corner as usize % 3] = first + group;
            }
        }
        surface
    }

    /// What belongs to the written vertices.
    pub fn pick(&self, values: &[DVec3]) -> Vec<DVec3> {
        self.vertices.iter().map(|&v| values[v as usize]).collect()
    }

    /// Unit normals at written vertices that are at `points`.
    pub fn normals(&self, points: &[DVec3]) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; points.len()];
        for &t in &self.triangles {
            let weighted = face(points, t);
            for v in t {
                sums[v as usize] += weighted;
            }
        }
        sums.into_iter().map(|sum| unit(sum).unwrap_or(DVec3::Z)).collect()
    }
}

/// For each corner at a vertex the number of its group, counted from zero in the order in which groups appear. Triangles
/// that meet in an edge at the vertex without a sharp angle are in one group.
fn smooth_groups(around: &[(u32, u32)], triangles: &[[u32; 3]], faces: &[DVec3]) -> Vec<u32> {
    let mut leader: Vec<usize> = (0..around.len()).collect();
    fn find(leader: &[usize], mut i: usize) -> usize {
        while leader[i] != i {
            i = leader[i];
        }
        i
    }
    let triangle = |i: usize| around[i].1 as usize / 3;
    // The other ends of the edges at the vertex: those that two triangles have in common are side by side.
    let mut ends: Vec<(u32, usize)> = Vec::with_capacity(2 * around.len());
    for (i, &(vertex, _)) in around.iter().enumerate() {
        ends.extend(triangles[triangle(i)].iter().filter(|&&v| v != vertex).map(|&v| (v, i)));
    }
    ends.sort_unstable();
    for pair in ends.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let [i, j] = [pair[0].1, pair[1].1];
        if faces[triangle(i)].dot(faces[triangle(j)]) >= CREASE {
            let (a, b) = (find(&leader, i), find(&leader, j));
            leader[a.max(b)] = a.min(b);
        }
    }
    let mut number = vec![u32::MAX; around.len()];
    let mut groups = 0;
    for i in 0..around.len() {
        let first = find(&leader, i);
        if number[first] == u32::MAX {
            number[first] = groups;
            groups += 1;
        }
        number[i] = number[first];
    }
    number
}

/// The surface of an obstacle in its own coordinates. Of a plane it is the part near `around`, the smallest and the
/// largest coordinates of the bodies, wherever the plane is in `poses`.
pub(in crate::exporting) fn obstacle(
    shape: &Shape,
    poses: &[Pose],
    around: [DVec3; 2],
) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    if !matches!(shape, Shape::Plane) {
        return tessellate(shape);
    }
    let [low, high] = around;
    let margin = PLANE_MARGIN * high.distance(low);
    let (mut from, mut to) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (pose, corner) in poses.iter().flat_map(|pose| (0..8).map(move |corner| (pose, corner))) {
        let side = |k: usize| if corner >> k & 1 == 0 { low[k] } else { high[k] };
        let place = pose.local(DVec3::new(side(0), side(1), side(2)));
        (from, to) = ((place - margin).min(from), (place + margin).max(to));
    }
    let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let points = vec![at(from.x, from.y), at(to.x, from.y), at(to.x, to.y), at(from.x, to.y)];
    (points, vec![[0, 1, 2], [0, 2, 3]])
}

/// Normal of a triangle, as long as twice its area.
fn face(points: &[DVec3], triangle: [u32; 3]) -> DVec3 {
    area_vector(triangle.map(|v| points[v as usize]))
}

fn unit(v: DVec3) -> Option<DVec3> {
    let length = v.length();
    (length > 0.0 && length.is_finite()).then(|| v / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_sharp_edges_and_a_ball_has_none() {
        let (points, triangles) = tessellate(&Shape::Box { half: DVec3::new(1.0, 2.0, 3.0) });
        let surface = Surface::creased(&points, &triangles);
        // Each of the 8 corners is there once for each of its 3 sides.
        assert_eq!(surface.vertices.len(), 24);
        let places = surface.pick(&points);
        for (new, old) in surface.triangles.iter().zip(&triangles) {
            assert_eq!(new.map(|v| places[v as usize]), old.map(|v| points[v as usize]));
        }
        for (place, n) in places.iter().zip(surface.normals(&places)) {
            let k = (0..3).find(|&k| n[k].abs() > 0.99).unwrap();
            assert_eq!(n[k].signum(), place[k].signum());
        }
        let ball = pliant_mesh::sphere_surface(1.0, 3).unwrap();
        let smooth = Surface::creased(&ball.vertices, &ball.triangles);
        assert_eq!(smooth.vertices.len(), ball.vertices.len());
        for (place, n) in smooth.pick(&ball.vertices).iter().zip(smooth.normals(&smooth.pick(&ball.vertices)))
        {
            assert!(place.dot(n) > 0.99);
        }
    }

    #[test]
    fn a_plane_reaches_beyond_the_bodies_wherever_it_is() {
        let moved = Pose { translation: 3.0 * DVec3::X, ..Pose::IDENTITY };
        let (points, _) = obstacle(&Shape::Plane, &[Pose::IDENTITY, moved], [DVec3::ZERO, DVec3::ONE]);
        assert!(points[0].x < -3.0 && points[2].x > 1.0 && points[2].y > 1.0);
        assert!(points.iter().all(|p| p.z == 0.0));
    }
}
