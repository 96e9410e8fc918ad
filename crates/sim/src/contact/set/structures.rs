//! Structured surfaces: where the structures of two sides point, and the friction that follows [Erleben20].

use super::FrictionLaw;
use crate::fem::System;
use crate::model::{EntryError, EntryKind, Matchstick, Model, ModelError};
use pliant_collide::{Contact, Pose, Side};
use pliant_mesh::DVec3;
use std::f64::consts::FRAC_2_PI;

/// The structures of all surfaces, and where those of bodies point.
#[derive(Clone, Debug, Default)]
pub(super) struct Structures {
    /// Of each body and of each obstacle.
    bodies: Vec<Option<Matchstick>>,
    obstacles: Vec<Option<Matchstick>>,
    threads: Vec<Thread>,
    /// Direction at each vertex of structured bodies, of any length; empty if there is none.
    at_vertex: Vec<DVec3>,
}

/// The structure on a triangle of a surface: a vector that its edges carry along.
#[derive(Clone, Copy, Debug)]
struct Thread {
    vertices: [u32; 3],
    /// Parts of the edges from the first corner to the second and to the third, times the area at rest.
    parts: [f64; 2],
}

impl Structures {
    /// The structures of `model`.
    ///
    /// # Errors
    /// If one of a body cannot be used; those of obstacles have been checked.
    pub(super) fn of(model: &Model, system: &System) -> Result<Structures, ModelError> {
        let mut structures = Structures {
            bodies: model.bodies.iter().map(|b| b.matchstick).collect(),
            obstacles: model.obstacles.iter().map(|o| o.matchstick).collect(),
            ..Structures::default()
        };
        for (body, range) in model.bodies.iter().zip(&system.bodies) {
            let Some(matchstick) = body.matchstick else { continue };
            let first = range.vertices.start as u32;
            let triangles: Vec<[u32; 3]> =
                body.mesh.surface_triangles().iter().map(|t| t.map(|v| first + v)).collect();
            let normals = triangles.iter().map(|t| edges(t, &system.rest)).map(|[a, b]| a.cross(b));
            let refused = |e: EntryError| e.of(EntryKind::Body, &body.name);
            matchstick.validate(normals).map_err(refused)?;
            let threads = triangles.iter().map(|t| Thread::new(*t, matchstick.direction, &system.rest));
            structures.threads.extend(threads);
        }
        if !structures.threads.is_empty() {
            structures.at_vertex = vec![DVec3::ZERO; system.rest.len()];
        }
        Ok(structures)
    }

    /// Turns the structures of bodies with their surfaces to positions `x`.
    pub(super) fn follow(&mut self, x: &[DVec3]) {
        self.at_vertex.fill(DVec3::ZERO);
        for thread in &self.threads {
            let [a, b] = edges(&thread.vertices, x);
            let direction = thread.parts[0] * a + thread.parts[1] * b;
            thread.vertices.iter().for_each(|&v| self.at_vertex[v as usize] += direction);
        }
    }

    /// The law of a contact whose friction is `plain` if no structure matters.
    pub(super) fn law(&self, contact: &Contact, poses: &[Pose], plain: FrictionLaw) -> FrictionLaw {
        let [Some(first), Some(second)] = contact.sides.map(|side| self.of_side(side)) else { return plain };
        let along = |side: usize| {
            let direction = self.direction(contact, side, poses);
            (direction - contact.normal.dot(direction) * contact.normal).try_normalize()
        };
        let (Some(a), Some(b)) = (along(0), along(1)) else { return plain };
        let mean = |a: f64, b: f64| if a == b { a } else { (a * b).sqrt() };
        let coefficients = [mean(first.along, second.along), mean(first.across, second.across)];
        matchstick_law([a, b], contact.normal, plain.coefficient(), coefficients)
    }

    fn of_side(&self, side: Side) -> Option<&Matchstick> {
        match side {
            Side::Body(b) => self.bodies.get(b.index())?.as_ref(),
            Side::Obstacle(o) => self.obstacles.get(o.index())?.as_ref(),
        }
    }

    /// Where the structure of a side points at a contact.
    fn direction(&self, contact: &Contact, side: usize, poses: &[Pose]) -> DVec3 {
        match contact.sides[side] {
            Side::Obstacle(o) => match (&self.obstacles[o.index()], poses.get(o.index())) {
                (Some(matchstick), Some(pose)) => pose.rotation * matchstick.direction,
                _ => DVec3::ZERO,
            },
            // Weights of the first side are positive, those of the second negative.
            Side::Body(_) => {
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let terms = contact.vertices.iter().zip(&contact.weights).take(contact.count as usize);
                terms.map(|(&v, &w)| (sign * w).max(0.0) * self.at_vertex[v as usize]).sum()
            }
        }
    }
}

impl Thread {
    /// The part of `direction` in the plane of a triangle.
    fn new(vertices: [u32; 3], direction: DVec3, rest: &[DVec3]) -> Thread {
        let [a, b] = edges(&vertices, rest);
        let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
        let (da, db) = (direction.dot(a), direction.dot(b));
        // The determinant is the square of twice the area.
        let determinant = aa * bb - ab * ab;
        let scale = if determinant > 0.0 { 0.5 / determinant.sqrt() } else { 0.0 };
        Thread { vertices, parts: [(bb * da - ab * db) * scale, (aa * db - ab * da) * scale] }
    }
}

fn edges(t: &[u32; 3], x: &[DVec3]) -> [DVec3; 2] {
    let [a, b, c] = t.map(|v| x[v as usize]);
    [b - a, c - a]
}

/// Friction between structures along the unit vectors `s` [Zhu24, eq. (17)]. A structure has a line, not a sense: of its two
/// vectors those are added that are within 90 degrees of each other, while the paper would take the difference of opposite
/// ones.
fn matchstick_law(s: [DVec3; 2], normal: DVec3, plain: f64, [along, across]: [f64; 2]) -> FrictionLaw {
    let cosine = s[0].dot(s[1]);
    let t = (s[0] + if cosine < 0.0 { -s[1] } else { s[1] }).normalize_or_zero();
    let parallel = 1.0 - FRAC_2_PI * cosine.abs().min(1.0).acos();
    let mixed = |structured: f64| parallel * structured + (1.0 - parallel) * plain;
    FrictionLaw::elliptic([t, normal.cross(t)], [mixed(along), mixed(across)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_mix_by_their_angle() {
        let law = |degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let s = [DVec3::X, DVec3::new(cos, sin, 0.0)];
            let law = matchstick_law(s, DVec3::Z, 0.3, [0.05, 1.3]);
            let t = DVec3::new((0.5 * degrees).to_radians().cos(), (0.5 * degrees).to_radians().sin(), 0.0);
            [law.coefficient_along(t), law.coefficient_along(DVec3::Z.cross(t))]
        };
        let is = |got: [f64; 2], want: [f64; 2]| {
            got.iter().zip(want).for_each(|(got, want)| assert!((got - want).abs() < 1e-12, "{got} {want}"));
        };
        is(law(0.0), [0.05, 1.3]);
        is(law(90.0), [0.3, 0.3]);
        is(law(45.0), [0.175, 0.8]);
        // The sense of a structure does not matter.
        let opposite = matchstick_law([DVec3::X, -DVec3::X], DVec3::Z, 0.3, [0.05, 1.3]);
        is([opposite.coefficient_along(DVec3::X), opposite.coefficient_along(DVec3::Y)], [0.05, 1.3]);
    }

    #[test]
    fn threads_turn_and_shear_with_their_triangle() {
        let rest = [DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0), DVec3::new(1.0, 1.5, 0.0)];
        let direction = DVec3::new(0.6, 0.8, 3.0);
        let thread = Thread::new([0, 1, 2], direction, &rest);
        let f = pliant_mesh::DMat3::from_cols(
            DVec3::new(0.1, 0.9, -0.3),
            DVec3::new(-1.2, 0.4, 0.2),
            DVec3::new(0.0, 0.0, 1.0),
        );
        let [a, b] = edges(&thread.vertices, &rest.map(|x| f * x));
        let got = thread.parts[0] * a + thread.parts[1] * b;
        let want = f * DVec3::new(0.6, 0.8, 0.0);
        // Times the area of the triangle, 1.5.
        assert!(got.abs_diff_eq(1.5 * want, 1e-12), "{got} {want}");
    }
}
