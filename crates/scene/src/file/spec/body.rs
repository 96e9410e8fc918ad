//! `[[body]]`: shape, place, material.

use super::value::Select;
use super::{InstancesSpec, MatchstickSpec, MeshSpec, Number, TransformSpec, Vector};
use schemars::JsonSchema;

/// A deformable body.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[body]]")]
#[schemars(rename = "Body")]
pub(crate) struct BodySpec {
    /// Unique name; `body0`, `body1`, ... if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// A mesh file beside the scene file, or a generator.
    pub mesh: MeshSpec,
    /// A finer mesh, as a file or by a generator, whose surface follows the tets of the body in pictures, in the viewer and
    /// in exports; it is put in place like the mesh.
    #[serde(default)]
    pub surface: Option<MeshSpec>,
    /// Where the mesh is put: scale, then rotate, then translate.
    #[serde(default)]
    pub transform: TransformSpec,
    /// Density in kg/m^3.
    #[serde(default = "default_density")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Number,
    /// Material of the body outside of `regions`.
    pub material: MaterialSpec,
    /// Parts of another material; where they overlap the last one counts.
    #[serde(default)]
    pub regions: Vec<RegionSpec>,
    /// Rayleigh damping.
    #[serde(default)]
    pub damping: DampingSpec,
    /// Start velocity in m/s.
    #[serde(default)]
    pub velocity: Vector,
    /// Start angular velocity about the centre of mass in rad/s.
    #[serde(default)]
    pub angular_velocity: Vector,
    /// Thickness of a cloth in m.
    #[serde(default = "default_thickness")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Number,
    /// Bending resistance of a cloth.
    #[serde(default)]
    pub bending: Option<BendingSpec>,
    /// Coefficient of friction of its surface.
    #[serde(default = "default_friction")]
    #[schemars(extend("minimum" = 0))]
    pub friction: Number,
    /// Structure of its surface, such as a weave: friction along and across it, against another structure.
    #[serde(default)]
    pub matchstick: Option<MatchstickSpec>,
    /// Distance in m that others are kept from its surface, beyond half the thickness of a cloth.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub contact_radius: Number,
    /// Whether it collides with itself; cloth does and solids do not if absent.
    #[serde(default)]
    pub self_contact: Option<bool>,
    /// The same body many times, on a grid or at random; they are called NAME_0, NAME_1, ...
    #[serde(default)]
    pub instances: Option<InstancesSpec>,
    /// Coefficient of drag in air; that of [air] if absent, 0 for a body that feels none.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub drag: Option<Number>,
    /// Coefficient of lift in air, at most the drag; with `drag` and without this it is the drag.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub lift: Option<Number>,
}

fn default_friction() -> f64 {
    0.5
}

fn default_density() -> f64 {
    1000.0
}

fn default_thickness() -> f64 {
    1e-3
}

/// A material.
#[derive(Clone, Copy, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { kind, youngs, poisson }")]
#[schemars(rename = "Material")]
pub(crate) struct MaterialSpec {
    /// Constitutive law.
    pub kind: LawWord,
    /// Young's modulus in Pa.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub youngs: Number,
    /// Poisson's ratio, above -1 and below 0.5.
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5))]
    pub poisson: Number,
}

/// The constitutive laws.
#[derive(Clone, Copy, Debug, serde::Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LawWord {
    /// As rigid as possible.
    Arap,
    /// Linear co-rotational.
    Corotational,
    /// Neo-Hookean, logarithmic form.
    NeoHookean,
    /// Stable Neo-Hookean.
    StableNeoHookean,
    /// Fixed co-rotated.
    FixedCorotated,
    /// St. Venant-Kirchhoff.
    StVenantKirchhoff,
}

/// A part of a body with a material of its own: the elements whose vertices are all selected, or those of a group.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { select or group, material }")]
#[schemars(rename = "Region")]
pub(crate) struct RegionSpec {
    /// Vertices of the part.
    #[serde(default)]
    pub select: Option<Select>,
    /// Group of the mesh that names the elements of the part.
    #[serde(default)]
    pub group: Option<String>,
    /// Its material.
    pub material: MaterialSpec,
}

/// Rayleigh damping.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table { mass, stiffness, tangent }")]
#[schemars(rename = "Damping")]
pub(crate) struct DampingSpec {
    /// Mass-proportional rate in 1/s.
    #[schemars(extend("minimum" = 0))]
    pub mass: Number,
    /// Stiffness-proportional time in s, with the shear stiffness at rest.
    #[schemars(extend("minimum" = 0))]
    pub stiffness: Number,
    /// The same with the true stiffness at the start of each step: newton, implicit_fe and barrier.
    #[schemars(extend("minimum" = 0))]
    pub tangent: Number,
}

/// Bending resistance of a cloth.
#[derive(Clone, Copy, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { kind, stiffness }")]
#[schemars(rename = "Bending")]
pub(crate) struct BendingSpec {
    /// Which discrete energy.
    pub kind: BendingWord,
    /// Flexural rigidity in N m.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub stiffness: Number,
}

/// The discrete bending energies.
#[derive(Clone, Copy, Debug, serde::Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BendingWord {
    /// Quadratic bending of isometric deformations.
    Isometric,
    /// Squared Laplace-Beltrami operator.
    LaplaceBeltrami,
    /// No bending resistance.
    None,
}
