//! What ties bodies together and moves them besides contact: attachments, cables, needles.

use super::{Interval, Schedule};
use crate::motion::Motion;
use pliant_collide::BodyId;
use pliant_mesh::DVec3;

/// A point of a body, as a weighted sum of its vertices.
///
/// ```
/// use pliant::{BodyId, DVec3, MaterialPoint};
///
/// let middle = MaterialPoint { body: BodyId::new(0), vertices: [0, 1, 0, 0], weights: [0.5, 0.5, 0.0, 0.0] };
/// assert_eq!(middle.place(&[DVec3::ZERO, DVec3::X]), 0.5 * DVec3::X);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialPoint {
    /// The body.
    pub body: BodyId,
    /// Vertices of that body.
    pub vertices: [u32; 4],
    /// Their weights, which add up to 1; those of weight zero do not count.
    pub weights: [f64; 4],
}

impl MaterialPoint {
    /// A vertex.
    pub fn vertex(body: BodyId, vertex: u32) -> MaterialPoint {
        MaterialPoint { body, vertices: [vertex, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// Where it is for positions `x` of the vertices of its body.
    pub fn place(&self, x: &[DVec3]) -> DVec3 {
        let used = self.vertices.iter().zip(&self.weights).filter(|(_, w)| **w != 0.0);
        used.fold(DVec3::ZERO, |sum, (&v, &w)| sum + w * x[v as usize])
    }
}

/// Points of two bodies that are tied together, wherever they go.
///
/// ```
/// use pliant::{Attachment, BodyId, Interval, MaterialPoint};
///
/// let [sleeve, button] = [BodyId::new(0), BodyId::new(1)];
/// let sewn = Attachment {
///     name: "thread".into(),
///     pairs: vec![[MaterialPoint::vertex(sleeve, 12), MaterialPoint::vertex(button, 0)]],
///     compliance: 1e-4,
///     during: Interval::from(0.5),
/// };
/// # let _ = sewn;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// Unique name.
    pub name: String,
    /// The tied points.
    pub pairs: Vec<[MaterialPoint; 2]>,
    /// Compliance of each tie in m/N; 0 is rigid.
    pub compliance: f64,
    /// When they are tied.
    pub during: Interval,
}

/// A cable that runs without friction through points and pulls, but does not push.
///
/// ```
/// use pliant::{BodyId, Cable, CableDrive, CablePoint, DVec3, MaterialPoint, Schedule};
///
/// // A finger that is bent: its tip is drawn towards a motor, 0.2 m away at first, 0.15 m after a second.
/// let finger = BodyId::new(0);
/// let tendon = Cable {
///     name: "tendon".into(),
///     points: vec![
///         CablePoint::Fixed(DVec3::ZERO),
///         CablePoint::Material(MaterialPoint::vertex(finger, 40)),
///         CablePoint::Material(MaterialPoint::vertex(finger, 80)),
///     ],
///     drive: CableDrive::Length(Schedule(vec![(0.0, 0.2), (1.0, 0.15)])),
///     compliance: 0.0,
/// };
/// # let _ = tendon;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Unique name.
    pub name: String,
    /// The points in order.
    pub points: Vec<CablePoint>,
    /// What drives it.
    pub drive: CableDrive,
    /// How much longer it gets per tension, m/N.
    pub compliance: f64,
}

/// Where a cable passes.
///
/// ```
/// use pliant::{BodyId, CablePoint, DVec3, MaterialPoint};
///
/// let motor = CablePoint::Fixed(DVec3::ZERO);
/// let tip = CablePoint::Material(MaterialPoint::vertex(BodyId::new(0), 80));
/// # let _ = (motor, tip);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CablePoint {
    /// A point of a body.
    Material(MaterialPoint),
    /// A place in the world, for example a motor.
    Fixed(DVec3),
}

/// A straight needle that moves by a script. Points of bodies that are beside it are kept on its line and slide along it.
///
/// ```
/// use pliant::{BodyId, DVec3, MaterialPoint, Motion, Needle};
///
/// let tissue = BodyId::new(0);
/// let needle = Needle {
///     name: "needle".into(),
///     ends: [DVec3::new(-0.2, 0.0, 0.0), DVec3::ZERO],
///     motion: Motion::Velocity { velocity: 0.05 * DVec3::X, start: 0.0, stop: 2.0 },
///     points: [4, 5, 6].map(|vertex| MaterialPoint::vertex(tissue, vertex)).to_vec(),
///     compliance: 0.0,
///     grip: 0.01, // N on each point
/// };
/// # let _ = needle;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Needle {
    /// Unique name.
    pub name: String,
    /// Its end and its tip before any motion, m.
    pub ends: [DVec3; 2],
    /// How it moves.
    pub motion: Motion,
    /// The points on its way. Each is held from when the tip has passed it until the tip is drawn back again.
    pub points: Vec<MaterialPoint>,
    /// How far each point gives way across the needle per force, m/N; 0 is rigid.
    pub compliance: f64,
    /// Friction: the largest force along the needle on each point, N; 0 slides freely.
    pub grip: f64,
}

/// What drives a cable.
///
/// ```
/// use pliant::{CableDrive, Schedule};
///
/// let shorter = CableDrive::Length(Schedule(vec![(0.0, 0.2), (1.0, 0.15)])); // m
/// let tight = CableDrive::Pull(5.0.into()); // N
/// # let _ = (shorter, tight);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CableDrive {
    /// Its length in m.
    Length(Schedule),
    /// Its tension in N.
    Pull(Schedule),
}
