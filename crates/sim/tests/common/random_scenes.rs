//! Random small scenes without contact, and how far a solver is from Newton's method on them.
#![allow(dead_code)] // the test and the example each use a part of this

use pliant::{
    Bending, BendingKind, Body, BodyId, Law, Material, Model, Motion, NewtonConfig, Pin, PinKind,
    SolverConfig, World,
};
use pliant_mesh::{DVec3, Mesh, Rotation, Transform};
use std::f64::consts::{PI, TAU};
use std::time::Instant;

const POISSONS: [f64; 6] = [0.0, 0.2, 0.3, 0.4, 0.45, 0.49];
const STEPS: [f64; 5] = [1e-3, 1.0 / 240.0, 0.01, 1.0 / 60.0, 1.0 / 30.0];

/// What happens in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    HingedBar,
    ClampedBar,
    FreeBar,
    PressedBlock,
    PulledBar,
    TwistedBar,
    VibratingBlock,
    StruckBar,
    ClothStrip,
    ClothSheet,
    SpunCloth,
}

impl Family {
    pub const ALL: [Family; 11] = [
        Family::HingedBar,
        Family::ClampedBar,
        Family::FreeBar,
        Family::PressedBlock,
        Family::PulledBar,
        Family::TwistedBar,
        Family::VibratingBlock,
        Family::StruckBar,
        Family::ClothStrip,
        Family::ClothSheet,
        Family::SpunCloth,
    ];

    fn is_cloth(self) -> bool {
        matches!(self, Family::ClothStrip | Family::ClothSheet | Family::SpunCloth)
    }

    fn has_gravity(self) -> bool {
        use Family::{ClampedBar, ClothSheet, ClothStrip, HingedBar};
        matches!(self, HingedBar | ClampedBar | ClothStrip | ClothSheet)
    }
}

/// A generator of random numbers that is the same everywhere: SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number from `low` to `high`.
    pub fn count(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.count(0, of.len() - 1)]
    }

    /// A vector of length 1.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::from(std::array::from_fn(|_| self.between(-1.0, 1.0)));
            let length = v.length();
            if length > 0.1 && length < 1.0 {
                return v / length;
            }
        }
    }
}

/// A scene and what was drawn for it.
#[derive(Clone, Debug)]
pub struct Scene {
    pub seed: u64,
    pub family: Family,
    pub law: Law,
    pub youngs: f64,
    pub poisson: f64,
    pub steps: usize,
    pub model: Model,
    /// Start velocities of the vertices, beyond those of the body.
    pub velocities: Vec<DVec3>,
}

impl Scene {
    /// The scene of this seed.
    pub fn new(seed: u64) -> Scene {
        let mut random = Random::new(seed);
        let family = random.pick(&Family::ALL);
        let law = random.pick(&Law::ALL);
        let youngs = 10f64.powf(random.between(4.0, 9.0));
        let poisson = random.pick(&POISSONS);
        let dt = random.pick(&STEPS);
        let steps = random.count(20, 40);
        let mut model = Model { dt, ..Model::default() };
        if !family.has_gravity() {
            model.gravity = DVec3::ZERO;
        }
        let mut scene = Scene { seed, family, law, youngs, poisson, steps, model, velocities: Vec::new() };
        if family.is_cloth() {
            scene.add_cloth(&mut random);
        } else {
            scene.add_solid(&mut random);
        }
        scene.turn(&mut random);
        scene
    }

    fn material(&self) -> Material {
        Material::new(self.law, self.youngs, self.poisson).expect("valid parameters")
    }

    /// A bar or a block along z, with its pins and velocities.
    fn add_solid(&mut self, random: &mut Random) {
        let width = random.between(0.03, 0.06);
        let across = random.count(2, 4);
        let is_block = matches!(self.family, Family::PressedBlock | Family::VibratingBlock);
        let (length, along) = if is_block {
            (width * random.between(1.0, 2.0), random.count(3, 6))
        } else {
            (width * random.between(3.0, 6.0), random.count(6, 11))
        };
        let mesh = pliant_mesh::block([width, width, length], [across, across, along]).expect("valid sizes");
        let [bottom, top, side] = ["z_min", "z_max", "x_min"].map(|g| mesh.groups[g].vertices.clone());
        let edge = bottom.iter().copied().filter(|v| side.contains(v)).collect();
        let points = mesh.vertices.clone();
        let mut body = Body::new("solid", Mesh::Tet(mesh), self.material());
        let duration = self.steps as f64 * self.model.dt;
        let moved =
            |by: f64| Motion::Velocity { velocity: by / duration * DVec3::Z, start: 0.0, stop: duration };
        let middle = DVec3::new(0.5 * width, 0.5 * width, 0.0);
        let twist = Motion::Rotation {
            point: middle,
            axis: DVec3::Z,
            rate: PI / duration,
            start: 0.0,
            stop: duration,
        };
        match self.family {
            Family::HingedBar => self.pin("edge", edge, Motion::Fixed),
            Family::ClampedBar => self.pin("end", bottom, Motion::Fixed),
            Family::PressedBlock => self.pin_ends(bottom, top, moved(-0.5 * length)),
            Family::PulledBar => self.pin_ends(bottom, top, moved(length)),
            Family::TwistedBar => self.pin_ends(bottom, top, twist),
            Family::VibratingBlock => {
                body.velocity = random.between(0.0, 2.0) * random.direction();
                self.velocities = self.strain_velocities(random, &points, length);
            }
            Family::StruckBar => {
                let velocity = random.between(0.2, 2.0) * random.direction();
                let struck = |p: &DVec3| if p.z > 0.8 * length { velocity } else { DVec3::ZERO };
                self.velocities = points.iter().map(struck).collect();
            }
            _ => {
                body.velocity = random.between(0.0, 2.0) * random.direction();
                body.angular_velocity = random.between(0.5, 5.0) * random.direction();
            }
        }
        self.model.bodies.push(body);
    }

    /// Velocities that strain the body evenly: by 5 to 30 % until it swings back, but not by more than that in a step.
    fn strain_velocities(&self, random: &mut Random, points: &[DVec3], length: f64) -> Vec<DVec3> {
        let swing = PI * (self.youngs / 1000.0).sqrt() / length;
        let rate = random.between(0.05, 0.3) * swing.min(1.0 / self.model.dt);
        let rows: [DVec3; 3] = std::array::from_fn(|_| rate * random.between(0.3, 1.0) * random.direction());
        let center = points.iter().copied().sum::<DVec3>() / points.len() as f64;
        points.iter().map(|&p| DVec3::from(rows.map(|row| row.dot(p - center)))).collect()
    }

    /// A cloth in the plane z = 0, with its pins and velocities.
    fn add_cloth(&mut self, random: &mut Random) {
        let width = random.between(0.1, 0.3);
        let mesh = if self.family == Family::ClothStrip {
            pliant_mesh::cloth_cells([3.0 * width, width], [random.count(6, 12), random.count(3, 4)])
        } else {
            pliant_mesh::cloth([width, width], random.count(5, 10))
        };
        let mesh = mesh.expect("valid sizes");
        let [left, front, back] = ["x_min", "y_min", "y_max"].map(|g| mesh.groups[g].vertices.clone());
        let corners = left.iter().copied().filter(|v| front.contains(v) || back.contains(v)).collect();
        let mut body = Body::new("cloth", Mesh::Tri(mesh), self.material());
        body.density = 300.0;
        body.thickness = random.between(1e-3, 2e-3);
        let kind = random.pick(&[BendingKind::Isometric, BendingKind::LaplaceBeltrami]);
        body.bending = Some(Bending { kind, stiffness: 10f64.powf(random.between(-6.0, -3.0)) });
        match self.family {
            Family::ClothStrip => self.pin("edge", left, Motion::Fixed),
            Family::ClothSheet => self.pin("corners", corners, Motion::Fixed),
            _ => {
                body.velocity = random.between(0.0, 2.0) * random.direction();
                body.angular_velocity = random.between(0.5, 5.0) * random.direction();
            }
        }
        self.model.bodies.push(body);
    }

    fn pin(&mut self, name: &str, vertices: Vec<u32>, motion: Motion) {
        let kind = PinKind::Hard;
        self.model.pins.push(Pin {
            name: name.into(),
            body: BodyId(0),
            vertices,
            motion,
            kind,
            during: pliant::Interval::ALWAYS,
        });
    }

    fn pin_ends(&mut self, bottom: Vec<u32>, top: Vec<u32>, motion: Motion) {
        self.pin("bottom", bottom, Motion::Fixed);
        self.pin("top", top, motion);
    }

    /// Turns the whole scene, gravity with it.
    fn turn(&mut self, random: &mut Random) {
        let rotate = Rotation { axis: random.direction(), angle: random.between(0.0, TAU) };
        let transform = Transform { rotate, ..Transform::default() };
        let turn_all = |of: &mut [DVec3]| transform.apply_all(of).expect("a valid rotation");
        let turn = |v: &mut DVec3| turn_all(std::slice::from_mut(v));
        turn(&mut self.model.gravity);
        turn_all(&mut self.velocities);
        for body in &mut self.model.bodies {
            let mut mesh = Mesh::clone(&body.mesh);
            mesh.transform(&transform).expect("a valid rotation");
            body.mesh = mesh.into();
            turn(&mut body.velocity);
            turn(&mut body.angular_velocity);
        }
        for pin in &mut self.model.pins {
            match &mut pin.motion {
                Motion::Velocity { velocity, .. } => turn(velocity),
                Motion::Rotation { point, axis, .. } => [point, axis].into_iter().for_each(turn),
                _ => {}
            }
        }
    }

    fn world(&self, config: &SolverConfig) -> World {
        let mut world = World::new(self.model.clone(), config.clone()).expect("a valid model");
        let mut state = world.state().clone();
        state.velocities.iter_mut().zip(&self.velocities).for_each(|(v, add)| *v += *add);
        world.set_state(state).expect("the same vertices");
        world
    }
}

/// How a run compares with Newton's method. Errors are the largest distance of a vertex, in parts of the size.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub vertices: usize,
    /// Largest error of all steps, and that of the last.
    pub worst: f64,
    pub last: f64,
    /// Largest error of a single step that starts from Newton's state.
    pub one_step: f64,
    /// Largest last residual of a step.
    pub residual: f64,
    /// Median time of a step in ms.
    pub median_ms: f64,
    /// Smallest J of all steps, and the smallest of Newton's method.
    pub min_j: f64,
    pub newton_min_j: f64,
    /// Whether a step failed or a position is not a number.
    pub failed: bool,
}

/// Compares a solver with Newton's method over a scene; none if Newton's method itself does not converge.
pub fn compare(scene: &Scene, config: &SolverConfig) -> Option<Comparison> {
    let mut exact = scene.world(&SolverConfig::Newton(NewtonConfig::default()));
    let mut tested = scene.world(config);
    let mut single = scene.world(config);
    let size = exact.system().size();
    let mut result = Comparison {
        vertices: exact.state().positions.len(),
        min_j: f64::INFINITY,
        newton_min_j: f64::INFINITY,
        ..Comparison::default()
    };
    let mut times = Vec::new();
    for _ in 0..scene.steps {
        single.set_state(exact.state().clone()).expect("the same vertices");
        if !exact.step().is_ok_and(|outcome| outcome.converged) {
            return None;
        }
        result.newton_min_j = result.newton_min_j.min(exact.shape(BodyId(0)).min_j);
        let alone = single.step().map(|_| distance(&single, &exact) / size);
        result.one_step = result.one_step.max(alone.unwrap_or(f64::INFINITY));
        if result.failed {
            continue; // whether Newton's method converges still matters
        }
        let start = Instant::now();
        let outcome = tested.step();
        times.push(start.elapsed().as_secs_f64() * 1e3);
        result.last = outcome.as_ref().map_or(f64::INFINITY, |_| distance(&tested, &exact) / size);
        result.worst = result.worst.max(result.last);
        result.failed = !result.last.is_finite();
        if let Ok(outcome) = outcome {
            result.residual = result.residual.max(outcome.residual_last);
        }
        result.min_j = result.min_j.min(tested.shape(BodyId(0)).min_j);
    }
    times.sort_by(f64::total_cmp);
    result.median_ms = times[times.len() / 2];
    Some(result)
}

/// Largest distance of two vertices; infinite if one is not a number.
fn distance(a: &World, b: &World) -> f64 {
    let distances = a.state().positions.iter().zip(&b.state().positions).map(|(a, &b)| a.distance(b));
    distances.fold(0.0, |most: f64, d| if d.is_finite() { most.max(d) } else { f64::INFINITY })
}
