//! The entries of a scene file as types: their keys, defaults and meaning. The JSON Schema is derived from these.

mod action;
mod body;
mod joint;
mod mesh;
mod obstacle;
mod picture;
mod shape;
mod value;

pub(crate) use action::{
    Expectation, Force, ForceKind, MotionSpec, Op, PinSpec, ProbeSpec, ProbeWhat, Scope,
};
pub(crate) use body::{BendingWord, BodySpec, LawWord, MaterialSpec, RegionSpec, RotateSpec, TransformSpec};
pub(crate) use joint::{AnchorSpec, AttachmentSpec, CableSpec, NeedleSpec, ScheduleSpec, StationSpec};
pub(crate) use mesh::{GENERATORS, GeneratorSpec, MESH, MeshSpec};
pub(crate) use obstacle::{ObstacleShape, ObstacleSpec};
pub use picture::{Camera, Light};
pub(crate) use shape::ShapeSpec;
pub(crate) use value::{AxisSpec, BodyRef, Number, Select, resolve_body, resolve_named};

use schemars::JsonSchema;
use serde::Deserialize;

/// serde's name of [`Select`], whose only key is its kind.
pub(crate) const SELECT: &str = "Select";

/// A point or vector.
pub(crate) type Vector = [f64; 3];

/// Keys at the top level of a scene file, in the order in which people read them.
pub(crate) const TOP_LEVEL: [&str; 15] = [
    "format",
    "version",
    "scene",
    "parameters",
    "variants",
    "solver",
    "body",
    "obstacle",
    "pin",
    "force",
    "attachment",
    "cable",
    "needle",
    "probe",
    "expect",
];

/// What the scene is, and how long and how finely it runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [scene]")]
#[schemars(rename = "Scene")]
pub(crate) struct SceneSpec {
    /// Short name, as in `pliant run NAME`.
    pub name: String,
    /// One line for listings.
    #[serde(default)]
    pub description: String,
    /// Where the scene comes from: the key of a paper, or `pliant`.
    #[serde(default = "default_source")]
    pub source: String,
    /// Simulated time in s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// Time step in s.
    #[serde(default = "default_dt")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub dt: f64,
    /// Gravity in m/s^2; z is up.
    #[serde(default = "default_gravity")]
    pub gravity: Vector,
    /// Seed of everything random; kept for scenes that need one.
    #[serde(default)]
    pub seed: u64,
    /// Name of the variant that is used when none is asked for.
    #[serde(default)]
    #[expect(dead_code, reason = "read from the tree, before variants are applied")]
    pub default_variant: Option<String>,
    /// Steps before the step that `pliant compare` looks into.
    #[serde(default)]
    pub compare_step: Option<usize>,
    /// Gap in m from which pairs of points are watched; a tenth of the mean surface edge if absent.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub contact_margin: Option<f64>,
    /// Whether the bodies start at rest under the loads of time 0, with contacts that do not slide.
    #[serde(default)]
    pub settle: bool,
    /// Whether bodies that overlap something at the start are pushed apart before the first step.
    #[serde(default)]
    pub push_apart: bool,
    /// From where pictures are taken.
    #[serde(default)]
    pub camera: Camera,
    /// What lights pictures; the first light casts shadows. The usual lights if there is none.
    #[serde(default)]
    pub lights: Vec<Light>,
}

fn default_source() -> String {
    "pliant".into()
}

fn default_dt() -> f64 {
    0.01
}

fn default_gravity() -> Vector {
    [0.0, 0.0, -9.81]
}

/// The kinds of solvers that the format knows.
pub(crate) const SOLVER_KINDS: [&str; 5] = ["local_global", "implicit_fe", "admm", "barrier", "newton"];

/// The solvers that scene files can name, and whether this version has them.
pub fn solver_kinds() -> [(&'static str, bool); SOLVER_KINDS.len()] {
    SOLVER_KINDS.map(|kind| (kind, matches!(kind, "local_global" | "newton")))
}

/// Which solver, and its knobs. A knob that the chosen kind does not have is an error.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table with the keys of [solver]")]
#[schemars(rename = "Solver")]
pub(crate) struct SolverSpec {
    /// Kind of the solver; `local_global` if absent.
    #[schemars(extend("enum" = SOLVER_KINDS))]
    pub kind: Option<String>,
    /// Most iterations in a step.
    pub iterations: Option<usize>,
    /// Residual at which a step ends early; 0 never ends early.
    pub tolerance: Option<f64>,
    /// How the global system is solved (local_global).
    pub global: Option<GlobalWord>,
    /// Estimate of the spectral radius for `global = "chebyshev"`, below 1.
    pub spectral_radius: Option<f64>,
    /// Window of Anderson acceleration, 0 is off (local_global).
    pub anderson: Option<usize>,
    /// Arithmetic of the inner kernels (local_global).
    pub precision: Option<PrecisionWord>,
    /// Factor on the weight of the local step (local_global).
    pub weight_scale: Option<f64>,
    /// How contact forces are found (local_global).
    pub contact: Option<ContactWord>,
    /// Most sweeps of block Gauss-Seidel over the contacts in an iteration (local_global).
    pub sweeps: Option<usize>,
    /// Function of complementarity (contact = "non_smooth_newton").
    pub ncp: Option<NcpWord>,
    /// What scales gaps and forces to each other (contact = "non_smooth_newton").
    pub preconditioner: Option<PreconditionerWord>,
    /// Conjugate residual iterations; 0 solves directly (contact = "non_smooth_newton").
    pub residual_iterations: Option<usize>,
    /// How the conjugate residual iterations form their products (contact = "non_smooth_newton").
    pub operator: Option<OperatorWord>,
}

/// How products with the operator of the contacts are formed.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OperatorWord {
    /// By what costs less.
    Automatic,
    /// With its entries, which are computed once.
    Entries,
    /// By a global solve each.
    MatrixFree,
}

/// Functions of complementarity.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NcpWord {
    /// Smooth except at the origin.
    FischerBurmeister,
    /// The smaller of the two.
    MinimumMap,
}

/// What scales gaps and forces to each other.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PreconditionerWord {
    /// The compliance of the whole step.
    SystemInverse,
    /// That of the masses alone.
    MassInverse,
}

/// How contact forces are found.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContactWord {
    /// Directly where contacts are few, by block Gauss-Seidel where they are many.
    Automatic,
    /// An active set of open, sticking and sliding contacts with factorised systems.
    Direct,
    /// Block Gauss-Seidel with the exact solution of each contact.
    GaussSeidel,
    /// One non-smooth Newton step in each iteration.
    NonSmoothNewton,
}

/// How the global system is solved.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GlobalWord {
    /// Supernodal panels of the Cholesky factor.
    Panels,
    /// The sparse inverse factor.
    SparseInverse,
    /// One Jacobi iteration.
    Jacobi,
    /// Jacobi with Chebyshev acceleration.
    Chebyshev,
}

/// Arithmetic of the inner kernels.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PrecisionWord {
    /// 32 bit.
    Single,
    /// 64 bit.
    Double,
}
