//! Bodies that fly at an obstacle, made from a number: all laws, solid and cloth, up to 100 m/s and steps of up to a tenth of a second.

use pliant::{Body, DVec3, Law, Material, Model, Obstacle, Pose, Shape};
use pliant_mesh::{Mesh, ball, block, cloth};

/// The model of this number.
pub fn drop(seed: u64) -> Model {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    // The first numbers of near seeds are near each other.
    (0..8).for_each(|_| _ = random());
    let law = Law::ALL[(random() * Law::ALL.len() as f64) as usize % Law::ALL.len()];
    let youngs = 10f64.powf(4.0 + 4.0 * random());
    let speed = 10f64.powf(2.0 * random());
    let dt = 10f64.powf(-2.3 + 1.3 * random());
    let is_cloth = random() < 0.4;
    let mut mesh = match (is_cloth, random() < 0.5) {
        (true, _) => Mesh::Tri(cloth([0.2; 2], 6).expect("valid sizes")),
        (false, true) => Mesh::Tet(block([0.1; 3], [2; 3]).expect("valid sizes")),
        (false, false) => Mesh::Tet(ball(0.06, 4).expect("valid sizes")),
    };
    let axis = DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5);
    let place = Pose::turned(axis, 6.0 * random()).then_moved(DVec3::new(0.0, 0.0, 0.7));
    let vertices = match &mut mesh {
        Mesh::Tet(mesh) => &mut mesh.vertices,
        Mesh::Tri(mesh) => &mut mesh.vertices,
    };
    vertices.iter_mut().for_each(|x| *x = place.place(*x));
    let mut body = Body::new("thrown", mesh, Material { law, youngs, poisson: 0.45 * random() });
    body.velocity = speed * DVec3::new(0.3 * (random() - 0.5), 0.3 * (random() - 0.5), -1.0);
    body.angular_velocity = 20.0 * DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5);
    body.friction = random();
    let shapes = [
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.05, half_length: 0.05 },
        Shape::Box { half: DVec3::splat(0.08) },
        Shape::Cylinder { radius: 0.08, half_length: 0.08 },
        Shape::Torus { major: 0.08, minor: 0.03 },
    ];
    let axis = DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5);
    let shape = shapes[(5.0 * random()) as usize % 5].clone();
    let thing = Obstacle::new("thing", shape)
        .at(Pose::turned(axis, 6.0 * random()).then_moved(DVec3::new(0.0, 0.0, 0.15)));
    let ground = Obstacle::new("ground", Shape::Plane);
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    Model { dt, gravity, bodies: vec![body], obstacles: vec![ground, thing], ..Model::default() }
}
