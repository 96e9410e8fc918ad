//! Quantities measured at every step.

use crate::file::spec::{ProbeSpec, ProbeWhat};
use pliant::{Contact, Pose, Side, Sticking, World};
use pliant_mesh::Point;

/// A named quantity of a body, of an obstacle or of what is between them.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Name in the report.
    pub name: String,
    what: ProbeWhat,
    of: Subject,
    /// Unit vector, if a direction was given.
    axis: Option<Point>,
}

/// What a probe is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// Index of the body.
    pub body: Option<usize>,
    /// Selected vertices of the body.
    pub vertices: Vec<u32>,
    /// Whether they were selected by hand.
    pub is_selection: bool,
    /// Index of the obstacle.
    pub obstacle: Option<usize>,
    /// Obstacle in whose coordinates places and directions are.
    pub frame: Option<usize>,
    /// Index of the pin, cable, attachment or needle.
    pub joint: usize,
}

impl Probe {
    pub(crate) fn new(spec: &ProbeSpec, of: Subject) -> Probe {
        let axis = spec.axis.map(|a| {
            let length = dot(a.0, a.0).sqrt();
            a.0.map(|c| c / length)
        });
        Probe { name: spec.name.clone(), what: spec.what, of, axis }
    }

    /// The value now: one number, or three for a vector.
    pub fn measure(&self, world: &World) -> Vec<f64> {
        let body = self.of.body.unwrap_or(0);
        let vector = |v: Point| match self.axis {
            Some(axis) => vec![dot(v, axis)],
            None => v.to_vec(),
        };
        match self.what {
            ProbeWhat::Center => vector(self.place(world, world.motion(body).center)),
            ProbeWhat::Position => vector(self.place(world, self.mean(world.positions(body)))),
            ProbeWhat::Displacement => vector(self.displacement(world, body)),
            ProbeWhat::Extent => {
                let (low, high) = self.range(world, body, [1.0, 0.0, 0.0]);
                vec![high - low]
            }
            ProbeWhat::Lowest => vec![self.range(world, body, [0.0, 0.0, 1.0]).0],
            ProbeWhat::Energy => vec![world.motion(body).kinetic_energy + world.elastic_energy(body)],
            ProbeWhat::KineticEnergy => vec![world.motion(body).kinetic_energy],
            ProbeWhat::TotalEnergy => vec![Probe::total_energy(world, body)],
            ProbeWhat::MinJ => vec![world.shape(body).min_j],
            ProbeWhat::VolumeRatio => vec![world.shape(body).volume_ratio],
            ProbeWhat::Momentum => vector(self.direction(world, world.motion(body).momentum)),
            ProbeWhat::AngularMomentum => vector(world.motion(body).angular_momentum),
            ProbeWhat::Speed => {
                let v = self.velocity(world, body);
                vec![self.axis.map_or_else(|| dot(v, v).sqrt(), |axis| dot(v, axis))]
            }
            ProbeWhat::Radius => vec![self.radius(world.positions(body))],
            ProbeWhat::ContactForce => vector(self.direction(world, self.contact_force(world))),
            ProbeWhat::ContactSpread => vec![self.contact_spread(world)],
            ProbeWhat::Contacts => vec![self.count(world, |s| s != Sticking::Open)],
            ProbeWhat::Sliding => vec![self.count(world, |s| s == Sticking::Slides)],
            ProbeWhat::Penetration => vec![world.contacts().penetration(&world.state().positions)],
            ProbeWhat::Reaction => vector(self.direction(world, world.reaction(self.of.joint))),
            ProbeWhat::CableTension => vec![world.contacts().joints().tension(self.of.joint)],
            ProbeWhat::CableLength => vec![world.cable_length(self.of.joint)],
            ProbeWhat::AttachmentForce => {
                let force = world.contacts().joints().attachment_force(self.of.joint);
                vector(self.direction(world, force))
            }
            ProbeWhat::NeedleForce => vector(self.direction(world, world.needle(self.of.joint).force)),
            ProbeWhat::NeedlePoints => vec![world.needle(self.of.joint).points as f64],
            ProbeWhat::NeedleGap => vec![world.needle(self.of.joint).gap],
        }
    }

    /// Unit of its values; empty for numbers and ratios.
    pub fn unit(&self) -> &'static str {
        use ProbeWhat::*;
        match self.what {
            Center | Position | Displacement | Extent | Lowest | Radius => "m",
            ContactSpread | Penetration | CableLength | NeedleGap => "m",
            Energy | KineticEnergy | TotalEnergy => "J",
            Speed => "m/s",
            Momentum => "kg m/s",
            AngularMomentum => "kg m^2/s",
            ContactForce | Reaction | CableTension | AttachmentForce | NeedleForce => "N",
            MinJ | VolumeRatio | Contacts | Sliding | NeedlePoints => "",
        }
    }

    /// Where the frame is `back` seconds before now.
    fn frame(&self, world: &World, back: f64) -> Option<Pose> {
        self.of.frame.map(|o| world.model().obstacles[o].pose(world.state().time - back))
    }

    /// A place as seen from the frame.
    fn place(&self, world: &World, x: Point) -> Point {
        self.frame(world, 0.0).map_or(x, |pose| pose.local(x))
    }

    /// A direction as seen from the frame.
    fn direction(&self, world: &World, v: Point) -> Point {
        self.frame(world, 0.0).map_or(v, |pose| Pose { translation: [0.0; 3], ..pose }.local(v))
    }

    fn displacement(&self, world: &World, body: usize) -> Point {
        let (now, before) = if self.of.is_selection {
            (self.mean(world.positions(body)), self.mean(world.start_positions(body)))
        } else {
            (world.motion(body).center, start_center(world, body))
        };
        let first = self.frame(world, world.state().time).map_or(before, |pose| pose.local(before));
        let now = self.place(world, now);
        std::array::from_fn(|k| now[k] - first[k])
    }

    /// Velocity of the selection's mean as seen from the frame: how its place in the frame changed in the last step.
    fn velocity(&self, world: &World, body: usize) -> Point {
        let v = self.mean(world.velocities(body));
        let h = world.model().dt;
        let (Some(now), Some(before)) = (self.frame(world, 0.0), self.frame(world, h)) else { return v };
        let x = self.mean(world.positions(body));
        let old: Point = std::array::from_fn(|k| x[k] - h * v[k]);
        let (a, b) = (before.local(old), now.local(x));
        std::array::from_fn(|k| (b[k] - a[k]) / h)
    }

    fn mean(&self, values: &[Point]) -> Point {
        let mut sum = [0.0; 3];
        for &v in &self.of.vertices {
            for k in 0..3 {
                sum[k] += values[v as usize][k];
            }
        }
        sum.map(|s| s / self.of.vertices.len() as f64)
    }

    /// Smallest and largest coordinate along the axis.
    fn range(&self, world: &World, body: usize, default: Point) -> (f64, f64) {
        let axis = self.axis.unwrap_or(default);
        let frame = self.frame(world, 0.0);
        let positions = world.positions(body);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &v in &self.of.vertices {
            let x = positions[v as usize];
            let along = dot(frame.map_or(x, |pose| pose.local(x)), axis);
            (low, high) = (low.min(along), high.max(along));
        }
        (low, high)
    }

    fn radius(&self, positions: &[Point]) -> f64 {
        let center = self.mean(positions);
        let distance = |&v: &u32| {
            let d: Point = std::array::from_fn(|k| positions[v as usize][k] - center[k]);
            dot(d, d).sqrt()
        };
        self.of.vertices.iter().map(distance).sum::<f64>() / self.of.vertices.len() as f64
    }

    /// Body and obstacle, if given, as sides of contacts.
    fn sides(&self) -> (Option<Side>, Option<Side>) {
        (self.of.body.map(|b| Side::Body(b as u32)), self.of.obstacle.map(|o| Side::Obstacle(o as u32)))
    }

    fn contact_force(&self, world: &World) -> Point {
        let contacts = world.contacts();
        match self.sides() {
            (Some(body), Some(obstacle)) => {
                let mut sum = [0.0; 3];
                let pairs = contacts.contacts().iter().zip(contacts.forces());
                for (_, f) in pairs.filter(|(c, _)| c.sides == [body, obstacle]) {
                    for k in 0..3 {
                        sum[k] -= f[k];
                    }
                }
                sum
            }
            (None, Some(obstacle)) => contacts.force_on(obstacle),
            (body, None) => contacts.force_on(body.unwrap_or(Side::Body(0))),
        }
    }

    fn contact_spread(&self, world: &World) -> f64 {
        let contacts = world.contacts();
        let x = &world.state().positions;
        let (body, obstacle) = self.sides();
        let concerns = |sides: &[Side; 2]| [body, obstacle].iter().flatten().all(|s| sides.contains(s));
        let (mut total, mut first, mut second) = (0.0, [0.0; 3], 0.0);
        for (c, f) in contacts.contacts().iter().zip(contacts.forces()).filter(|(c, _)| concerns(&c.sides)) {
            let (force, p) = (dot(*f, *f).sqrt(), touched_point(c, x));
            total += force;
            second += force * dot(p, p);
            first = std::array::from_fn(|k| first[k] + force * p[k]);
        }
        if total == 0.0 {
            0.0
        } else {
            (second / total - dot(first, first) / (total * total)).max(0.0).sqrt()
        }
    }

    fn total_energy(world: &World, body: usize) -> f64 {
        world.motion(body).kinetic_energy + world.elastic_energy(body) + gravity_energy(world, body)
    }

    /// Number of contacts of body and obstacle (those given) that are as wanted.
    fn count(&self, world: &World, wanted: impl Fn(Sticking) -> bool) -> f64 {
        let contacts = world.contacts();
        let (body, obstacle) = self.sides();
        let concerns = |sides: &[Side; 2]| [body, obstacle].iter().flatten().all(|s| sides.contains(s));
        let all = contacts.contacts().iter().enumerate();
        all.filter(|(i, c)| concerns(&c.sides) && wanted(contacts.sticking(*i))).count() as f64
    }
}

/// Energy of a body in gravity in J, which counts from the start.
pub(crate) fn gravity_energy(world: &World, body: usize) -> f64 {
    let motion = world.motion(body);
    let start = start_center(world, body);
    let fallen = std::array::from_fn(|k| motion.center[k] - start[k]);
    -motion.mass * dot(world.model().gravity, fallen)
}

/// Where the first side of a contact is touched.
fn touched_point(contact: &Contact, x: &[Point]) -> Point {
    let mut sum = [0.0; 3];
    let used = contact.vertices.iter().zip(&contact.weights).take(contact.count as usize);
    for (&v, &w) in used.filter(|(_, w)| **w > 0.0) {
        sum = std::array::from_fn(|k| sum[k] + w * x[v as usize][k]);
    }
    sum
}

/// Centre of mass at the start.
fn start_center(world: &World, body: usize) -> Point {
    let masses = &world.system().masses[world.system().bodies[body].vertices.clone()];
    let (mut sum, mut mass) = ([0.0; 3], 0.0);
    for (x, m) in world.start_positions(body).iter().zip(masses) {
        mass += m;
        for k in 0..3 {
            sum[k] += m * x[k];
        }
    }
    sum.map(|s| s / mass)
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
