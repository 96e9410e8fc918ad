//! Quantities measured at every step.

use crate::file::spec::{ProbeSpec, ProbeWhat};
use pliant::{
    AttachmentId, BodyId, CableId, Contact, NeedleId, ObstacleId, PairContact, PinId, Pose, Side, Sticking,
    World,
};
use pliant_mesh::DVec3;

/// A named quantity of a body, of an obstacle or of what is between them.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Name in the report.
    pub name: String,
    what: ProbeWhat,
    of: Subject,
    /// Unit vector, if a direction was given.
    axis: Option<DVec3>,
}

/// What a probe is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// The body.
    pub body: Option<BodyId>,
    /// Another body: only contacts with it count.
    pub other: Option<BodyId>,
    /// Selected vertices of the body.
    pub vertices: Vec<u32>,
    /// Whether they were selected by hand.
    pub is_selection: bool,
    /// The obstacle.
    pub obstacle: Option<ObstacleId>,
    /// Obstacle in whose coordinates places and directions are.
    pub frame: Option<ObstacleId>,
    /// Index of the pin, cable, attachment or needle.
    pub joint: usize,
}

impl Probe {
    pub(crate) fn new(spec: &ProbeSpec, of: Subject) -> Probe {
        let axis = spec.axis.map(|a| {
            let direction = DVec3::from(a.0);
            direction / direction.length()
        });
        Probe { name: spec.name.clone(), what: spec.what, of, axis }
    }

    /// The value now: one number, or three for a vector.
    pub fn measure(&self, world: &World) -> Vec<f64> {
        let body = self.of.body.unwrap_or(BodyId(0));
        let vector = |v: DVec3| match self.axis {
            Some(axis) => vec![v.dot(axis)],
            None => v.to_array().to_vec(),
        };
        match self.what {
            ProbeWhat::Center => vector(self.place(world, world.center(body))),
            ProbeWhat::Position => vector(self.place(world, self.mean(world.positions(body)))),
            ProbeWhat::Displacement => vector(self.displacement(world, body)),
            ProbeWhat::Extent => {
                let (low, high) = self.range(world, body, DVec3::X);
                vec![high - low]
            }
            ProbeWhat::Lowest => vec![self.range(world, body, DVec3::Z).0],
            ProbeWhat::Energy => vec![world.motion(body).kinetic_energy + world.elastic_energy(body)],
            ProbeWhat::KineticEnergy => vec![world.motion(body).kinetic_energy],
            ProbeWhat::TotalEnergy => vec![Probe::total_energy(world, body)],
            ProbeWhat::MinJ => vec![world.shape(body).min_j],
            ProbeWhat::VolumeRatio => vec![world.shape(body).volume_ratio],
            ProbeWhat::Momentum => vector(self.direction(world, world.motion(body).momentum)),
            ProbeWhat::AngularMomentum => vector(world.motion(body).angular_momentum),
            ProbeWhat::Speed => {
                let v = self.velocity(world, body);
                vec![self.axis.map_or_else(|| v.length(), |axis| v.dot(axis))]
            }
            ProbeWhat::Radius => vec![self.radius(world.positions(body))],
            ProbeWhat::ContactForce => vector(self.direction(world, self.contact_force(world))),
            ProbeWhat::NormalForce => vec![self.touching(world).normal],
            ProbeWhat::FrictionForce => vec![self.touching(world).friction],
            ProbeWhat::ContactArea => vec![self.touching(world).area],
            ProbeWhat::ContactPressure => vec![self.touching(world).pressure()],
            ProbeWhat::ContactSpread => vec![self.contact_spread(world)],
            ProbeWhat::Contacts => vec![self.count(world, |s| s != Sticking::Open)],
            ProbeWhat::Sliding => vec![self.count(world, |s| s == Sticking::Slides)],
            ProbeWhat::Penetration => vec![world.contacts().penetration(&world.state().positions)],
            ProbeWhat::AirForce => vector(self.direction(world, world.air_force(body))),
            ProbeWhat::Reaction => vector(self.direction(world, world.reaction(PinId::new(self.of.joint)))),
            ProbeWhat::CableTension => vec![world.contacts().joints().tension(CableId::new(self.of.joint))],
            ProbeWhat::CableLength => vec![world.cable_length(CableId::new(self.of.joint))],
            ProbeWhat::AttachmentForce => {
                let force = world.contacts().joints().attachment_force(AttachmentId::new(self.of.joint));
                vector(self.direction(world, force))
            }
            ProbeWhat::NeedleForce => {
                vector(self.direction(world, world.needle(NeedleId::new(self.of.joint)).force))
            }
            ProbeWhat::NeedlePoints => vec![world.needle(NeedleId::new(self.of.joint)).points as f64],
            ProbeWhat::NeedleGap => vec![world.needle(NeedleId::new(self.of.joint)).gap],
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
            NormalForce | FrictionForce => "N",
            ContactArea => "m^2",
            ContactPressure => "Pa",
            ContactForce | AirForce | Reaction | CableTension | AttachmentForce | NeedleForce => "N",
            MinJ | VolumeRatio | Contacts | Sliding | NeedlePoints => "",
        }
    }

    /// Where the frame is `back` seconds before now.
    fn frame(&self, world: &World, back: f64) -> Option<Pose> {
        self.of.frame.map(|o| world.model().obstacles[o.index()].pose(world.state().time - back))
    }

    /// A place as seen from the frame.
    fn place(&self, world: &World, x: DVec3) -> DVec3 {
        self.frame(world, 0.0).map_or(x, |pose| pose.local(x))
    }

    /// A direction as seen from the frame.
    fn direction(&self, world: &World, v: DVec3) -> DVec3 {
        self.frame(world, 0.0).map_or(v, |pose| Pose { translation: DVec3::ZERO, ..pose }.local(v))
    }

    fn displacement(&self, world: &World, body: BodyId) -> DVec3 {
        let (now, before) = if self.of.is_selection {
            (self.mean(world.positions(body)), self.mean(world.start_positions(body)))
        } else {
            (world.motion(body).center, start_center(world, body))
        };
        let first = self.frame(world, world.state().time).map_or(before, |pose| pose.local(before));
        self.place(world, now) - first
    }

    /// Velocity of the selection's mean as seen from the frame: how its place in the frame changed in the last step.
    fn velocity(&self, world: &World, body: BodyId) -> DVec3 {
        let v = self.mean(world.velocities(body));
        let h = world.model().dt;
        let (Some(now), Some(before)) = (self.frame(world, 0.0), self.frame(world, h)) else { return v };
        let x = self.mean(world.positions(body));
        (now.local(x) - before.local(x - h * v)) / h
    }

    fn mean(&self, values: &[DVec3]) -> DVec3 {
        let vertices = &self.of.vertices;
        vertices.iter().map(|&v| values[v as usize]).sum::<DVec3>() / vertices.len() as f64
    }

    /// Smallest and largest coordinate along the axis.
    fn range(&self, world: &World, body: BodyId, default: DVec3) -> (f64, f64) {
        let axis = self.axis.unwrap_or(default);
        let frame = self.frame(world, 0.0);
        let positions = world.positions(body);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &v in &self.of.vertices {
            let x = positions[v as usize];
            let along = frame.map_or(x, |pose| pose.local(x)).dot(axis);
            (low, high) = (low.min(along), high.max(along));
        }
        (low, high)
    }

    fn radius(&self, positions: &[DVec3]) -> f64 {
        let center = self.mean(positions);
        let distance = |&v: &u32| positions[v as usize].distance(center);
        self.of.vertices.iter().map(distance).sum::<f64>() / self.of.vertices.len() as f64
    }

    /// Body and obstacle, if given, as sides of contacts.
    fn sides(&self) -> (Option<Side>, Option<Side>) {
        let other = self.of.other.map(Side::Body);
        (self.of.body.map(Side::Body), self.of.obstacle.map(Side::Obstacle).or(other))
    }

    /// Sums over all pairs that the probe is about.
    fn touching(&self, world: &World) -> PairContact {
        let (first, second) = self.sides();
        let side = Side::Body(BodyId(0));
        let mut sum = PairContact {
            sides: [side; 2],
            points: 0,
            force: DVec3::ZERO,
            normal: 0.0,
            friction: 0.0,
            area: 0.0,
        };
        for pair in world.contact_pairs().iter().filter(|p| is_between(&p.sides, first, second)) {
            sum.points += pair.points;
            sum.normal += pair.normal;
            sum.friction += pair.friction;
            sum.area += pair.area;
        }
        sum
    }

    fn contact_force(&self, world: &World) -> DVec3 {
        let contacts = world.contacts();
        match self.sides() {
            (Some(body), Some(other)) => {
                let pairs = contacts.contacts().iter().zip(contacts.forces());
                pairs.fold(DVec3::ZERO, |sum, (c, f)| match c.sides {
                    sides if sides == [body, other] => sum - *f,
                    sides if sides == [other, body] => sum + *f,
                    _ => sum,
                })
            }
            (None, Some(obstacle)) => contacts.force_on(obstacle),
            (body, None) => contacts.force_on(body.unwrap_or(Side::Body(BodyId(0)))),
        }
    }

    fn contact_spread(&self, world: &World) -> f64 {
        let contacts = world.contacts();
        let x = &world.state().positions;
        let (body, obstacle) = self.sides();
        let concerns = |sides: &[Side; 2]| [body, obstacle].iter().flatten().all(|s| sides.contains(s));
        let (mut total, mut first, mut second) = (0.0, DVec3::ZERO, 0.0);
        for (c, f) in contacts.contacts().iter().zip(contacts.forces()).filter(|(c, _)| concerns(&c.sides)) {
            let (force, p) = (f.length(), touched_point(c, x));
            total += force;
            second += force * p.length_squared();
            first += force * p;
        }
        if total == 0.0 {
            0.0
        } else {
            (second / total - first.length_squared() / (total * total)).max(0.0).sqrt()
        }
    }

    fn total_energy(world: &World, body: BodyId) -> f64 {
        world.motion(body).kinetic_energy + world.elastic_energy(body) + gravity_energy(world, body)
    }

    /// Number of contacts of body and obstacle (those given) that are as wanted.
    fn count(&self, world: &World, wanted: impl Fn(Sticking) -> bool) -> f64 {
        let contacts = world.contacts();
        let (first, second) = self.sides();
        let concerns = |sides: &[Side; 2]| is_between(sides, first, second);
        let all = contacts.contacts().iter().enumerate();
        all.filter(|(i, c)| concerns(&c.sides) && wanted(contacts.sticking(*i))).count() as f64
    }
}

/// Whether a contact of these sides concerns what is given of two sides.
fn is_between(sides: &[Side; 2], first: Option<Side>, second: Option<Side>) -> bool {
    match (first, second) {
        // A body with itself is not a body with something else.
        (Some(a), Some(b)) => *sides == [a, b] || *sides == [b, a],
        (one, other) => one.or(other).is_none_or(|s| sides.contains(&s)),
    }
}

/// Energy of a body in gravity in J, which counts from the start.
pub(crate) fn gravity_energy(world: &World, body: BodyId) -> f64 {
    let motion = world.motion(body);
    let fallen = motion.center - start_center(world, body);
    -motion.mass * world.model().gravity.dot(fallen)
}

/// Where the first side of a contact is touched.
fn touched_point(contact: &Contact, x: &[DVec3]) -> DVec3 {
    let used = contact.vertices.iter().zip(&contact.weights).take(contact.count as usize);
    used.filter(|(_, w)| **w > 0.0).map(|(&v, &w)| w * x[v as usize]).sum()
}

/// Centre of mass at the start.
fn start_center(world: &World, body: BodyId) -> DVec3 {
    let masses = &world.system().masses[world.system().bodies[body.index()].vertices.clone()];
    let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
    for (x, m) in world.start_positions(body).iter().zip(masses) {
        mass += m;
        sum += m * x;
    }
    sum / mass
}
