//! The immutable description of what is simulated: bodies, pins, loads, gravity, time step.

mod air;
mod error;
mod ids;
mod schedule;

use crate::material::Material;
use crate::motion::Motion;
pub use air::{Air, Gusts};
pub use error::{BodyMeshError, EntryError, EntryKind, ModelError, PointError};
pub(crate) use error::{MAX_DT, MAX_MASS, MIN_DT, MIN_MASS};
pub use ids::{AttachmentId, CableId, LoadId, NeedleId, PinId};
use pliant_collide::{BodyId, Pose, Shape, Side};
use pliant_mesh::{DVec3, Mesh};
pub use schedule::{Interval, Schedule};
use std::sync::Arc;

/// Everything a [`World`](crate::World) is built from.
#[derive(Clone, Debug)]
pub struct Model {
    /// Time step h in s.
    pub dt: f64,
    /// Gravity in m/s^2.
    pub gravity: DVec3,
    /// The deformable bodies.
    pub bodies: Vec<Body>,
    /// Pinned vertices.
    pub pins: Vec<Pin>,
    /// External forces and pressures.
    pub loads: Vec<Load>,
    /// What bodies collide with and do not move themselves.
    pub obstacles: Vec<Obstacle>,
    /// Points of bodies that are tied together.
    pub attachments: Vec<Attachment>,
    /// Cables through bodies.
    pub cables: Vec<Cable>,
    /// Needles in bodies.
    pub needles: Vec<Needle>,
    /// The air that bodies move in; none is a vacuum.
    pub air: Option<Air>,
    /// Distance in m from which a pair of points is watched; a tenth of the mean surface edge if none is given.
    pub contact_margin: Option<f64>,
}

impl Default for Model {
    fn default() -> Self {
        Model {
            dt: 0.01,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            bodies: Vec::new(),
            pins: Vec::new(),
            loads: Vec::new(),
            obstacles: Vec::new(),
            attachments: Vec::new(),
            cables: Vec::new(),
            needles: Vec::new(),
            air: None,
            contact_margin: None,
        }
    }
}

impl Model {
    /// What a side of a contact is called in messages; nothing but its number if there is no such thing.
    pub fn name_of(&self, side: Side) -> String {
        let (kind, index, name) = match side {
            Side::Body(b) => ("body", b.index(), self.bodies.get(b.index()).map(|b| &b.name)),
            Side::Obstacle(o) => ("obstacle", o.index(), self.obstacles.get(o.index()).map(|o| &o.name)),
        };
        name.map_or_else(|| format!("{kind} {index}"), |name| format!("{kind} `{name}`"))
    }

    /// Whether there is anything that bodies could touch.
    pub(crate) fn can_touch(&self) -> bool {
        !self.obstacles.is_empty() || self.bodies.len() > 1 || self.bodies.iter().any(|b| b.self_contact)
    }

    /// Whether there are neither obstacles nor ties.
    pub(crate) fn has_bodies_only(&self) -> bool {
        let tied = !(self.attachments.is_empty() && self.cables.is_empty() && self.needles.is_empty());
        self.obstacles.is_empty() && !tied
    }
}

/// A deformable body: a solid (tets) or a cloth (triangles).
///
/// ```
/// use pliant::{Bending, BendingKind, Body, Damping, DVec3, Law, Material};
/// use pliant_mesh::{Mesh, cloth};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let linen = Material { law: Law::NeoHookean, youngs: 1e6, poisson: 0.3 };
/// let sheet = Body {
///     density: 300.0,
///     thickness: 5e-4,
///     bending: Some(Bending { kind: BendingKind::Isometric, stiffness: 1e-6 }),
///     damping: Damping { mass: 0.1, stiffness: 0.0 },
///     velocity: DVec3::X,
///     self_contact: true,
///     ..Body::new("sheet", Mesh::Tri(cloth([1.0, 1.0], 10)?), linen)
/// };
/// # let _ = sheet;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Rest shape and start shape; shared, so that a copy of the description is light.
    pub mesh: Arc<Mesh>,
    /// Start positions where they differ from the rest shape.
    pub start: Option<Vec<DVec3>>,
    /// Density in kg/m^3.
    pub density: f64,
    /// Thickness in m; only used by triangle meshes.
    pub thickness: f64,
    /// The materials of this body.
    pub materials: Vec<Material>,
    /// Index into `materials` of each element; empty means that all use the first.
    pub material_of: Vec<u16>,
    /// Bending resistance; only used by triangle meshes.
    pub bending: Option<Bending>,
    /// Rayleigh damping.
    pub damping: Damping,
    /// Start velocity in m/s.
    pub velocity: DVec3,
    /// Start angular velocity about the centre of mass in rad/s.
    pub angular_velocity: DVec3,
    /// Coefficient of friction of its surface.
    pub friction: f64,
    /// Distance in m that others are kept from its surface, beyond half the thickness of a cloth.
    pub contact_radius: f64,
    /// Whether it collides with itself.
    pub self_contact: bool,
    /// Coefficients of drag and lift in air, instead of those of the [`Air`]; zeros for a body that feels none.
    pub drag_and_lift: Option<[f64; 2]>,
}

impl Body {
    /// A body at rest of one material, water density, 1 mm thick if it is a cloth.
    pub fn new(name: impl Into<String>, mesh: impl Into<Arc<Mesh>>, material: Material) -> Body {
        Body {
            friction: 0.5,
            contact_radius: 0.0,
            self_contact: false,
            drag_and_lift: None,
            name: name.into(),
            mesh: mesh.into(),
            start: None,
            density: 1000.0,
            thickness: 1e-3,
            materials: vec![material],
            material_of: Vec::new(),
            bending: None,
            damping: Damping::default(),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        }
    }
}

/// Bending resistance of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// Which discrete energy.
    pub kind: BendingKind,
    /// Bending stiffness (flexural rigidity) in N m.
    pub stiffness: f64,
}

/// The discrete bending energies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BendingKind {
    /// Quadratic bending of isometric deformations, one stencil of four vertices per inner edge.
    Isometric,
    /// Squared Laplace-Beltrami operator, one stencil per vertex and its ring.
    LaplaceBeltrami,
}

/// Rayleigh damping: force `-(mass M + stiffness K) v`, with K the constant stiffness `sum 2 mu V G^T G`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Mass-proportional rate in 1/s.
    pub mass: f64,
    /// Stiffness-proportional time in s.
    pub stiffness: f64,
}

/// A set of vertices whose motion is prescribed.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Unique name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// Vertices of that body.
    pub vertices: Vec<u32>,
    /// Where they go.
    pub motion: Motion,
    /// How strictly.
    pub kind: PinKind,
    /// When. A pin that starts later holds its vertices where they are then, and moves them from there.
    pub during: Interval,
}

impl Pin {
    /// A pin that holds these vertices of a body exactly where they start, for good.
    ///
    /// ```
    /// use pliant::{BodyId, DVec3, Interval, Motion, Pin};
    ///
    /// // One end is held, the other is drawn away and let go after a second.
    /// let wall = Pin::new("wall", BodyId::new(0), vec![0, 1, 2]);
    /// let motion = Motion::Velocity { velocity: 0.1 * DVec3::X, start: 0.0, stop: 1.0 };
    /// let hand = Pin { motion, during: Interval { from: 0.0, until: 1.0 }, ..Pin::new("hand", BodyId::new(0), vec![7, 8]) };
    /// # let _ = (wall, hand);
    /// ```
    pub fn new(name: impl Into<String>, body: BodyId, vertices: Vec<u32>) -> Pin {
        let (motion, during) = (Motion::Fixed, Interval::ALWAYS);
        Pin { name: name.into(), body, vertices, motion, kind: PinKind::Hard, during }
    }
}

/// How a pin holds its vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PinKind {
    /// Exactly.
    Hard,
    /// By a spring of this stiffness in N/m on each vertex.
    Soft(f64),
}

/// Something rigid that bodies collide with; it moves by a script and nothing moves it.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Unique name.
    pub name: String,
    /// Its shape in its own coordinates.
    pub shape: Shape,
    /// Where it is before any motion.
    pub placement: Pose,
    /// How it moves.
    pub motion: Motion,
    /// Coefficient of friction; without one, that of the body that touches it counts.
    pub friction: Option<f64>,
}

impl Obstacle {
    /// An obstacle that rests at the origin; bodies rub on it with their own friction.
    ///
    /// ```
    /// use pliant::{DVec3, Motion, Obstacle, Pose, Shape};
    /// // A ramp, and a ball that comes along.
    /// let ramp = Obstacle::new("ramp", Shape::Plane).at(Pose::turned(DVec3::Y, 0.3)).with_friction(0.4);
    /// let motion = Motion::Velocity { velocity: DVec3::X, start: 0.0, stop: 1.0 };
    /// let ball = Obstacle::new("ball", Shape::Sphere { radius: 0.1 })
    ///     .at(Pose::moved(DVec3::new(-1.0, 0.0, 0.1)))
    ///     .with_motion(motion);
    /// assert_eq!(ball.pose(0.5).translation.x, -0.5);
    /// # let _ = ramp;
    /// ```
    pub fn new(name: impl Into<String>, shape: Shape) -> Obstacle {
        Obstacle {
            name: name.into(),
            shape,
            placement: Pose::IDENTITY,
            motion: Motion::Fixed,
            friction: None,
        }
    }

    /// The same obstacle at another place.
    #[must_use]
    pub fn at(self, placement: Pose) -> Obstacle {
        Obstacle { placement, ..self }
    }

    /// The same obstacle that moves from there.
    #[must_use]
    pub fn with_motion(self, motion: Motion) -> Obstacle {
        Obstacle { motion, ..self }
    }

    /// The same obstacle with a coefficient of friction of its own.
    #[must_use]
    pub fn with_friction(self, friction: f64) -> Obstacle {
        Obstacle { friction: Some(friction), ..self }
    }

    /// Where it is at time `t`.
    pub fn pose(&self, t: f64) -> Pose {
        self.motion.pose(&self.placement, t)
    }
}

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CablePoint {
    /// A point of a body.
    Material(MaterialPoint),
    /// A place in the world, for example a motor.
    Fixed(DVec3),
}

/// A straight needle that moves by a script. Points of bodies that are beside it are kept on its line and slide along it.
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
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CableDrive {
    /// Its length in m.
    Length(Schedule),
    /// Its tension in N.
    Pull(Schedule),
}

/// An external load on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Unique name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// What acts.
    pub kind: LoadKind,
    /// Time over which the load grows linearly from zero, s; 0 applies it at once.
    pub ramp: f64,
    /// When it acts.
    pub during: Interval,
}

impl Load {
    /// A total force in N, shared equally by vertices of a body, from the start on.
    ///
    /// ```
    /// use pliant::{BodyId, DVec3, Load, Schedule};
    ///
    /// let weight = Load::force("weight", BodyId::new(0), vec![3, 4], -9.81 * DVec3::Z);
    /// // One that comes and goes, and one that grows slowly.
    /// let times = Schedule(vec![(0.0, DVec3::ZERO), (0.5, DVec3::X), (1.0, DVec3::ZERO)]);
    /// let push = Load::force("push", BodyId::new(0), vec![3, 4], times);
    /// let slow = Load { ramp: 0.5, ..Load::pressure("air", BodyId::new(0), 2e3) };
    /// # let _ = (weight, push, slow);
    /// ```
    pub fn force(
        name: impl Into<String>,
        body: BodyId,
        vertices: Vec<u32>,
        total: impl Into<Schedule<DVec3>>,
    ) -> Load {
        let kind = LoadKind::Force { vertices, total: total.into() };
        Load { name: name.into(), body, kind, ramp: 0.0, during: Interval::ALWAYS }
    }

    /// A pressure in Pa on the surface of a body from inside, from the start on.
    pub fn pressure(name: impl Into<String>, body: BodyId, value: impl Into<Schedule>) -> Load {
        let kind = LoadKind::Pressure { value: value.into() };
        Load { name: name.into(), body, kind, ramp: 0.0, during: Interval::ALWAYS }
    }
}

/// Kinds of [`Load`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LoadKind {
    /// A total force in N, shared equally by the vertices.
    Force {
        /// Vertices of the body.
        vertices: Vec<u32>,
        /// Total force in N over time.
        total: Schedule<DVec3>,
    },
    /// A pressure in Pa on the surface from inside, following the surface as it moves.
    Pressure {
        /// Pressure in Pa over time, positive inflates.
        value: Schedule,
    },
}
