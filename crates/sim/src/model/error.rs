//! Why a model cannot be simulated. Each message names the cause, the place and the remedy.

use crate::material::MaterialError;
use crate::motion::MotionError;
use pliant_collide::{BodyId, CollideError, ShapeError};
use pliant_mesh::{DVec3, MeshError};

/// Time steps that the arithmetic carries, s.
pub(crate) const MIN_DT: f64 = 1e-12;
pub(crate) const MAX_DT: f64 = 1e6;
/// Masses of vertices that the arithmetic carries, kg.
pub(crate) const MIN_MASS: f64 = 1e-24;
pub(crate) const MAX_MASS: f64 = 1e24;

/// Why a model cannot be simulated.
///
/// ```
/// use pliant::{Model, ModelError, SolverConfig, World};
///
/// let model = Model { dt: -0.01, ..Model::default() };
/// let refused: ModelError = World::new(model, SolverConfig::default()).unwrap_err();
/// println!("{refused}"); // what is wrong, where, and what to do
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The time step is not positive and finite.
    #[error("time step dt = {0} must be positive and finite: use for example dt = 0.01")]
    TimeStep(f64),
    /// The time step is so short or so long that its square is nothing to calculate with.
    #[error("time step dt = {0} s is beyond what the arithmetic can carry: use {MIN_DT:e} to {MAX_DT:e} s")]
    TimeStepRange(f64),
    /// A body is so stiff and light that the digits of its inertia are lost beside its stiffness.
    #[error("body `{body}`: {cause}")]
    TooStiff {
        /// Name of the body.
        body: String,
        /// By how much, and the bounds.
        cause: String,
    },
    /// Vertices weigh so little or so much that their squares are nothing to calculate with.
    #[error(
        "body `{body}`: a vertex weighs {mass:.1e} kg, beyond what the arithmetic can carry ({MIN_MASS:e} to {MAX_MASS:e} kg): check \
         density ({density:e} kg/m^3) and size (in m)"
    )]
    Mass {
        /// Name of the body.
        body: String,
        /// The mass in kg.
        mass: f64,
        /// The density of the body in kg/m^3.
        density: f64,
    },
    /// Nothing to simulate.
    #[error("the model has no body: add at least one")]
    Empty,
    /// A number of a body is out of range.
    #[error("body `{body}`: {what} = {value} must be {must}")]
    Value {
        /// Name of the body.
        body: String,
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: f64,
        /// What is accepted.
        must: &'static str,
    },
    /// A material parameter is out of range.
    #[error("body `{body}`: {source}")]
    Material {
        /// Name of the body.
        body: String,
        /// The parameter.
        source: MaterialError,
    },
    /// The mesh of a body, or what is given for its elements and vertices, cannot be used.
    #[error("body `{body}`: {source}")]
    Mesh {
        /// Name of the body.
        body: String,
        /// What is wrong with it.
        source: BodyMeshError,
    },
    /// A pin, a load, an obstacle, a joint or the surface of a body cannot be used.
    #[error("{kind} `{name}`: {source}")]
    Entry {
        /// What it is.
        kind: EntryKind,
        /// Its name.
        name: String,
        /// What is wrong with it.
        source: EntryError,
    },
    /// A number of the air is out of range.
    #[error("air: {what} = {value} must be {must}")]
    Air {
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: f64,
        /// What is accepted.
        must: &'static str,
    },
    /// Contact cannot be set up.
    #[error("contact: {0}")]
    Contact(#[from] CollideError),
    /// The chosen solver cannot run this model.
    #[error("solver `{solver}`: {source}")]
    Solver {
        /// Its kind.
        solver: &'static str,
        /// What is wrong and what to do: a [`SetupError`](crate::solver::SetupError).
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Why the mesh of a body, or what is given for its elements and vertices, cannot be used.
///
/// ```
/// use pliant::{Body, Law, Material, Model, ModelError, SolverConfig, World};
/// use pliant_mesh::{Mesh, block};
///
/// let rubber = Material { law: Law::Arap, youngs: 1e6, poisson: 0.3 };
/// let mut cube = Body::new("cube", Mesh::Tet(block([0.1; 3], [1; 3])?), rubber);
/// cube.start = Some(Vec::new()); // a place for no vertex
/// let refused = World::new(Model { bodies: vec![cube], ..Model::default() }, SolverConfig::default()).unwrap_err();
/// assert!(refused.to_string().contains("`cube`"), "{refused}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyMeshError {
    /// The mesh itself.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Its elements have nothing to be made of.
    #[error("it has no material: give at least one")]
    NoMaterial,
    /// Not one material for each element.
    #[error("{given} material indices for {elements} elements")]
    MaterialCount {
        /// Indices.
        given: usize,
        /// Elements.
        elements: usize,
    },
    /// An element refers to a material that is not there.
    #[error("material {index} does not exist: there are {count}")]
    NoSuchMaterial {
        /// The index.
        index: u16,
        /// How many there are.
        count: usize,
    },
    /// Start positions that do not fit.
    #[error("the start positions must be finite, one for each vertex")]
    Start,
}

/// What an entry of a model is.
///
/// ```
/// use pliant::{EntryKind, Model, ModelError};
///
/// fn is_about_a_pin(error: &ModelError) -> bool {
///     matches!(error, ModelError::Entry { kind: EntryKind::Pin, .. })
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A body.
    Body,
    /// A pin.
    Pin,
    /// A load.
    Load,
    /// An obstacle.
    Obstacle,
    /// An attachment.
    Attachment,
    /// A cable.
    Cable,
    /// A needle.
    Needle,
}

impl std::fmt::Display for EntryKind {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            EntryKind::Body => "body",
            EntryKind::Pin => "pin",
            EntryKind::Load => "load",
            EntryKind::Obstacle => "obstacle",
            EntryKind::Attachment => "attachment",
            EntryKind::Cable => "cable",
            EntryKind::Needle => "needle",
        })
    }
}

/// Why an entry of a model cannot be used.
///
/// ```
/// use pliant::{ModelError, SolverConfig, World};
///
/// fn why(error: &ModelError) -> Option<String> {
///     match error {
///         ModelError::Entry { kind, name, source } => Some(format!("{kind:?} {name}: {source}")),
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// It refers to a point that is not there.
    #[error(transparent)]
    Point(#[from] PointError),
    /// It selects nothing.
    #[error("it selects no vertex: widen its selection")]
    NoVertex,
    /// Another pin holds the same vertex.
    #[error("vertex {vertex} is already held by pin `{by}`: make the selections disjoint")]
    AlreadyHeld {
        /// Vertex of the body.
        vertex: u32,
        /// Name of the other pin.
        by: String,
    },
    /// A number is out of range.
    #[error("{what} = {value}{unit} must be {must}")]
    Value {
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: f64,
        /// Its unit after a space; empty if it has none.
        unit: &'static str,
        /// What is accepted.
        must: &'static str,
    },
    /// A vector is not finite.
    #[error("{what} {:?} {unit} must be finite", .value.to_array())]
    NotFinite {
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: DVec3,
        /// Its unit.
        unit: &'static str,
    },
    /// A structure without direction.
    #[error("the direction {:?} of its matchstick is none: give a finite vector other than zero", .value.to_array())]
    NoDirection {
        /// The given direction.
        value: DVec3,
    },
    /// A structure that is nowhere along the surface.
    #[error("the direction {:?} of its matchstick is normal to its surface: give one along it", .value.to_array())]
    AlongNormal {
        /// The given direction.
        value: DVec3,
    },
    /// Its motion cannot be followed.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// Its shape cannot be used.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// It is placed by what is no rotation, or nowhere.
    #[error(
        "its placement must be finite, and its rotation a rotation: three orthogonal columns of length 1, not mirrored; scale the \
         shape itself"
    )]
    NotRigid,
    /// An attachment without points.
    #[error("it ties no points: widen its selections")]
    NoPairs,
    /// An attachment of a point to itself.
    #[error("it ties a point to itself: choose two different points")]
    TiesItself,
    /// A cable from nowhere to nowhere.
    #[error("it needs at least two points to run through")]
    TooFewPoints,
    /// A cable that touches no body.
    #[error("it passes no point of a body")]
    NoBodyPoint,
    /// Values over time that cannot be followed.
    #[error("its schedule needs {must} at ascending times")]
    Schedule {
        /// What values it must have.
        must: &'static str,
    },
    /// It never acts.
    #[error("it acts from {from} s until {until} s: it must stop after it has started")]
    Interval {
        /// When it starts, s.
        from: f64,
        /// When it stops, s.
        until: f64,
    },
    /// A needle without length.
    #[error("it has no length: its end and its tip must be two finite places")]
    NoLength,
    /// A needle beside all bodies.
    #[error("no point of a body is on its way")]
    NothingOnItsWay,
}

impl EntryError {
    /// The error of the entry with this name.
    pub(crate) fn of(self, kind: EntryKind, name: &str) -> ModelError {
        ModelError::Entry { kind, name: name.to_string(), source: self }
    }
}

/// Why a point of a body cannot be used.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{DVec3, MaterialPoint};
///
/// let mut world = cube_on_floor();
/// let cube = world.body("cube").expect("it has this name");
/// let refused = world.hold(MaterialPoint::vertex(cube, 1_000_000), DVec3::ZERO, 1.0).unwrap_err();
/// println!("{refused}"); // there is no such vertex
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointError {
    /// There is no such body.
    #[error("body {body} does not exist: there are {count}")]
    NoSuchBody {
        /// The body.
        body: BodyId,
        /// How many there are.
        count: usize,
    },
    /// The body has no such vertex.
    #[error("vertex {vertex} of body `{body}`, which has {count}")]
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// Name of the body.
        body: String,
        /// How many it has.
        count: usize,
    },
    /// It is not a weighted mean.
    #[error("the weights of a point add up to {0}, not 1")]
    Weights(f64),
}
