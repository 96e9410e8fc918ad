//! What slides over the seam of two floors that are level is not caught by it; a step catches it.

use crate::support;

use pliant_collide::{Contact, Obstacle, Pose, Serial, Shape, Side};
use pliant_mesh::{DMat3, DVec3, TriMesh, ball, block, cloth};
use support::{Setup, noise, run};

/// What the two floors are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Floor {
    Mesh,
    Sheet,
    Box,
    Body,
}

/// A step of something that slides from one floor to another. Random, always the same for one seed.
#[derive(Debug)]
struct Slide {
    floor: Floor,
    /// Of the block that slides, m.
    size: [f64; 3],
    cells: [usize; 3],
    /// About the vertical.
    yaw: f64,
    /// Of the whole scene.
    turn: DMat3,
    floor_cells: [[usize; 3]; 2],
    /// Where its foremost point is at the start, before the seam at x = 0.
    front: f64,
    /// How far it goes in the step, and how far it falls by the prediction.
    motion: DVec3,
    /// What the solver has left.
    depth: f64,
    /// Height of the second floor over the first.
    step: f64,
}

const FLOOR: [f64; 3] = [2.0, 3.0, 0.3];
const RADIUS: f64 = 1e-3;

impl Slide {
    fn new(seed: u64, step: f64) -> Slide {
        let mut random = noise(seed);
        let mut between = |low: f64, high: f64| low + 0.5 * (random() + 1.0) * (high - low);
        let floor = [Floor::Mesh, Floor::Sheet, Floor::Box, Floor::Body][between(0.0, 4.0) as usize % 4];
        let cells = [0; 3].map(|_| between(1.0, 7.0) as usize);
        let floor_cells = [[0; 3]; 2].map(|c| c.map(|_: usize| between(1.0, 12.0) as usize));
        let size = [0; 3].map(|_| between(0.1, 0.4));
        let axis = DVec3::new(between(-1.0, 1.0), between(-1.0, 1.0), 1.1);
        let turn = DMat3::from_axis_angle(axis.normalize(), between(0.0, 6.0));
        let dt = between(1.0 / 240.0, 1.0 / 30.0);
        let speed = between(0.02, 8.0);
        let motion = DVec3::new(speed * dt, between(-0.3, 0.3) * speed * dt, -9.81 * dt * dt);
        let front = -between(0.0, 0.9) * motion.x;
        let depth = between(-1.0, 1.0) * 1e-6;
        Slide { floor, size, cells, yaw: between(0.0, 1.6), turn, floor_cells, front, motion, depth, step }
    }

    /// The thickness that is kept.
    fn thickness(&self) -> f64 {
        if self.floor == Floor::Sheet { RADIUS } else { 0.0 }
    }

    fn body(&self) -> TriMesh {
        let mut mesh = block(self.size, self.cells).unwrap().surface();
        let turn = DMat3::from_rotation_z(self.yaw);
        mesh.vertices.iter_mut().for_each(|p| *p = turn * *p);
        let (low, high) = mesh.bounds();
        let offset =
            DVec3::new(self.front - high.x, -0.5 * (low.y + high.y), self.thickness() - self.depth - low.z);
        mesh.vertices.iter_mut().for_each(|p| *p += offset);
        mesh
    }

    /// A floor with its upper side in the plane z = 0, and x from `start` on.
    fn add_floor(&self, setup: &mut Setup, k: usize, offset: DVec3) -> Pose {
        let cells = self.floor_cells[k];
        let placed = |mut mesh: TriMesh, up: f64| {
            let (low, _) = mesh.bounds();
            let to = offset - DVec3::new(low.x, 0.5 * FLOOR[1] + low.y, low.z + up);
            mesh.vertices.iter_mut().for_each(|p| *p += to);
            mesh
        };
        let shape = match self.floor {
            Floor::Mesh => Shape::Mesh(placed(block(FLOOR, cells).unwrap().surface(), FLOOR[2])),
            Floor::Sheet => Shape::Mesh(placed(cloth([FLOOR[0], FLOOR[1]], cells[0]).unwrap(), 0.0)),
            Floor::Box => Shape::Box { half: 0.5 * DVec3::from_array(FLOOR) },
            Floor::Body => {
                let mesh = placed(block(FLOOR, cells).unwrap().surface(), FLOOR[2]);
                setup.add(&mesh, DVec3::ZERO, true, 0.0);
                return Pose::IDENTITY;
            }
        };
        setup.obstacles.push(Obstacle { shape, radius: self.thickness() });
        let center = offset + 0.5 * DVec3::new(FLOOR[0], 0.0, -FLOOR[2]);
        let place = if self.floor == Floor::Box { center } else { DVec3::ZERO };
        Pose { rotation: self.turn, translation: self.turn * place }
    }

    /// The contacts of the step, their directions in the frame of the floor and towards the body that slides.
    fn directions(&self) -> Vec<(Contact, DVec3)> {
        let mut setup = Setup::default();
        let slider = setup.add(&self.body(), DVec3::ZERO, true, 0.0);
        let first = self.add_floor(&mut setup, 0, DVec3::new(-FLOOR[0], 0.0, 0.0));
        let second = self.add_floor(&mut setup, 1, DVec3::new(0.0, 0.0, self.step));
        setup.x.iter_mut().for_each(|p| *p = self.turn * *p);
        let moved = |by: DVec3| support::shifted(&setup.x, slider.clone(), self.turn * by);
        let poses = [first, second];
        let poses = &poses[..setup.obstacles.len()];
        let mut detector = setup.detector(0.01);
        // It slides for two steps, and falls in none.
        let along = DVec3::new(self.motion.x, self.motion.y, 0.0);
        let mut contacts = Vec::new();
        for from in [-along, DVec3::ZERO] {
            let [x0, x1] = [moved(from), moved(from + self.motion)];
            contacts = run(&mut detector, &Serial, [&x0, &x1], [poses, poses]);
        }
        let is_slider = |side: Side| matches!(side, Side::Body(body) if body.index() == 0);
        // A box holds by formulas what its edges and corners are kept off from.
        let upward = |c: &Contact| (self.turn.transpose() * c.normal).z > 0.999;
        if contacts.iter().any(|c| c.key.0[0] == 0 && !upward(c)) {
            return Vec::new();
        }
        let of_faces = contacts.into_iter().filter(|c| c.key.0[0] != 0);
        let towards = |c: &Contact| if is_slider(c.sides[0]) { c.normal } else { -c.normal };
        of_faces
            .filter(|c| c.sides.into_iter().any(is_slider))
            .map(|c| (c, self.turn.transpose() * towards(&c)))
            .collect()
    }
}

#[test]
fn level_floors_hold_upward_only() {
    for seed in 0..400 {
        let slide = Slide::new(seed, 0.0);
        for (contact, direction) in slide.directions() {
            assert!(direction.z > 1.0 - 1e-3, "seed {seed}: {direction} by {contact:?}\n{slide:#?}");
        }
    }
}

#[test]
fn steps_stop_what_slides_against_them() {
    for seed in 0..400 {
        let mut slide = Slide::new(seed, 0.0);
        // Where vertices and edges of a box meet faces there are other rules.
        if slide.floor == Floor::Box || slide.floor == Floor::Sheet {
            slide.floor = Floor::Mesh;
        }
        for part in [0.01, 0.05] {
            slide.step = part * slide.size[2];
            let directions = slide.directions();
            assert!(directions.iter().any(|(_, d)| d.x < -0.7), "seed {seed}, {part}: {slide:#?}");
        }
    }
}

#[test]
fn a_ball_meets_the_corners_of_a_flat_floor_from_above() {
    for cells in [3, 9, 20] {
        let mut setup = Setup::default();
        let ball = ball(0.1, 6).unwrap().surface();
        let (low, _) = ball.bounds();
        let slider = setup.add(&ball, DVec3::new(0.0, 0.0, -low.z), true, 0.0);
        let mut floor = block([1.0, 1.0, 0.2], [cells, cells, 1]).unwrap().surface();
        let (low, high) = floor.bounds();
        let offset = DVec3::new(0.003, -0.007, 0.0)
            - DVec3::new(0.5 * (low.x + high.x), 0.5 * (low.y + high.y), high.z);
        floor.vertices.iter_mut().for_each(|p| *p += offset);
        setup.obstacle(Shape::Mesh(floor));
        let x1 = support::shifted(&setup.x, slider, DVec3::new(0.01, 0.0, -1e-3));
        for c in setup.contacts(0.01, &setup.x, &x1) {
            assert!(c.normal.z > 1.0 - 1e-3, "{cells} cells: {c:?}");
        }
    }
}
