//! The immutable description of what is simulated: bodies, pins, loads, gravity, time step.

mod air;
mod error;
mod ids;
mod joints;
mod load;
mod matchstick;
mod schedule;

use crate::material::Material;
use crate::motion::Motion;
pub use air::{Air, Gusts};
pub use error::{BodyMeshError, EntryError, EntryKind, ModelError, PointError};
pub(crate) use error::{MAX_DT, MAX_MASS, MIN_DT, MIN_MASS};
pub use ids::{AttachmentId, CableId, LoadId, NeedleId, PinId};
pub use joints::{Attachment, Cable, CableDrive, CablePoint, MaterialPoint, Needle};
pub use load::{Load, LoadKind};
pub use matchstick::Matchstick;
use pliant_collide::{BodyId, Pose, Shape, Side};
use pliant_mesh::{DVec3, Mesh};
pub use schedule::{Interval, Schedule};
use std::sync::Arc;

/// Everything a [`World`](crate::World) is built from.
///
/// ```
/// use pliant::{Body, BodyId, DVec3, Law, Material, Model, Pin};
/// use pliant_mesh::{Mesh, beam};
///
/// let mesh = beam(1.0, 0.1, 0.1, [10, 1, 1])?;
/// let clamped = mesh.groups["x_min"].vertices.clone();
/// let steel = Material::new(Law::Corotational, 2e9, 0.3)?;
/// let model = Model {
///     dt: 1e-3,
///     gravity: DVec3::new(0.0, 0.0, -1.62),
///     pins: vec![Pin::new("wall", BodyId::new(0), clamped)],
///     bodies: vec![Body::new("beam", Mesh::Tet(mesh), steel)],
///     ..Model::default()
/// };
/// # let _ = model;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///     damping: Damping { mass: 0.1, ..Damping::default() },
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
    /// Structure of its surface, by which friction differs along and across.
    pub matchstick: Option<Matchstick>,
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
            matchstick: None,
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
///
/// ```
/// use pliant::{Bending, BendingKind};
///
/// let paper = Bending { kind: BendingKind::Isometric, stiffness: 1e-4 };
/// # let _ = paper;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// Which discrete energy.
    pub kind: BendingKind,
    /// Bending stiffness (flexural rigidity) in N m.
    pub stiffness: f64,
}

/// The discrete bending energies.
///
/// ```
/// use pliant::{Bending, BendingKind};
///
/// let smooth = Bending { kind: BendingKind::LaplaceBeltrami, stiffness: 1e-5 };
/// # let _ = smooth;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BendingKind {
    /// Quadratic bending of isometric deformations, one stencil of four vertices per inner edge.
    Isometric,
    /// Squared Laplace-Beltrami operator, one stencil per vertex and its ring.
    LaplaceBeltrami,
}

/// Rayleigh damping: force `-(mass M + stiffness K) v`, with K the constant stiffness `sum 2 mu V G^T G`.
///
/// ```
/// use pliant::Damping;
///
/// let slow = Damping { mass: 2.0, ..Damping::default() };
/// assert_eq!(slow.stiffness, 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Mass-proportional rate in 1/s.
    pub mass: f64,
    /// Stiffness-proportional time in s, with the shear stiffness at rest.
    pub stiffness: f64,
    /// The same with the true stiffness at the start of each step, in s. Only solvers that assemble it know this one.
    pub tangent: f64,
}

/// A set of vertices whose motion is prescribed.
///
/// ```
/// use pliant::{BodyId, Pin, PinKind};
///
/// let wall = Pin::new("wall", BodyId::new(0), vec![0, 1, 2]);
/// let spring = Pin { kind: PinKind::Soft(1e3), ..Pin::new("spring", BodyId::new(0), vec![7]) };
/// # let _ = (wall, spring);
/// ```
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
///
/// ```
/// use pliant::{BodyId, Pin, PinKind};
///
/// // Each vertex on a spring of 1 kN/m.
/// let soft = Pin { kind: PinKind::Soft(1e3), ..Pin::new("bed", BodyId::new(0), vec![0, 1, 2]) };
/// # let _ = soft;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PinKind {
    /// Exactly.
    Hard,
    /// By a spring of this stiffness in N/m on each vertex.
    Soft(f64),
}

/// Something rigid that bodies collide with; it moves by a script and nothing moves it.
///
/// ```
/// use pliant::{DVec3, Obstacle, Pose, Shape};
///
/// let table = Obstacle::new("table", Shape::cylinder(0.5, 0.04)).at(Pose::moved(DVec3::new(0.0, 0.0, 0.7))).with_friction(0.3);
/// assert_eq!(table.pose(1.0).translation.z, 0.7);
/// ```
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
    /// Structure of its surface, by which friction differs along and across.
    pub matchstick: Option<Matchstick>,
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
            matchstick: None,
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
