//! The entries of a scene file as types: their keys, defaults and meaning. The JSON Schema is derived from these.

mod action;
mod air;
mod body;
mod instances;
mod joint;
mod matchstick;
mod mesh;
mod obstacle;
mod picture;
mod schedule;
mod shape;
mod solver;
mod tolerate;
mod transform;
mod value;

pub(crate) use action::{
    AnimationSpec, Expectation, Force, ForceKind, MotionSpec, Op, PinSpec, ProbeSpec, ProbeWhat, Scope,
};
pub(crate) use air::AirSpec;
pub(crate) use body::{BendingWord, BodySpec, LawWord, MaterialSpec, RegionSpec};
pub(crate) use instances::InstancesSpec;
pub(crate) use joint::{AnchorSpec, AttachmentSpec, CableSpec, NeedleSpec, StationSpec};
pub(crate) use matchstick::MatchstickSpec;
pub(crate) use mesh::{GENERATORS, GeneratorSpec, MeshSpec};
pub(crate) use obstacle::{ObstacleShape, ObstacleSpec};
pub use picture::{Camera, Light};
pub(crate) use schedule::{CourseSpec, ScheduleSpec};
pub(crate) use shape::ShapeSpec;
pub(crate) use solver::SolverSpec;
pub use solver::solver_kinds;
pub use tolerate::Tolerate;
pub(crate) use transform::{RotateSpec, TransformSpec};
pub(crate) use value::{AxisSpec, BodyRef, Number, Select, resolve_body, resolve_named};

use schemars::JsonSchema;
use serde::Deserialize;

/// A point or vector.
pub(crate) type Vector = [f64; 3];

/// Keys at the top level of a scene file, in the order in which people read them.
pub(crate) const TOP_LEVEL: [&str; 17] = [
    "format",
    "version",
    "scene",
    "parameters",
    "variants",
    "solver",
    "air",
    "body",
    "obstacle",
    "pin",
    "force",
    "attachment",
    "cable",
    "needle",
    "probe",
    "expect",
    "tolerate",
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
    /// Seed of everything random, such as gusts.
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
