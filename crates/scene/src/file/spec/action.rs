//! What acts on bodies and what is measured: `[[pin]]`, `[[force]]`, `[[probe]]`, `[[expect]]`.

use super::value::Select;
use super::{AxisSpec, BodyRef, CourseSpec, Number, ScheduleSpec, TransformSpec, Vector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Vertices whose motion is prescribed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[pin]]")]
#[schemars(rename = "Pin")]
pub(crate) struct PinSpec {
    /// Unique name; `pin0`, `pin1`, ... if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The body; may be left out if there is only one.
    #[serde(default)]
    pub body: Option<BodyRef>,
    /// Which vertices.
    pub select: Select,
    /// Where they go.
    #[serde(default)]
    pub motion: MotionSpec,
    /// Stiffness of the spring that holds each vertex in N/m; held exactly if absent.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<Number>,
    /// The inverse of the stiffness in m/N, instead of it; 0 holds exactly.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub compliance: Option<Number>,
    /// When it takes hold of the vertices, where they are then, s.
    #[serde(default)]
    pub start: Number,
    /// When it lets them go, s; never if absent.
    #[serde(default)]
    pub stop: Option<Number>,
}

/// A scripted motion.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, expecting = "a motion such as { kind = \"fixed\" }")]
#[schemars(rename = "Motion", tag = "kind")]
pub(crate) enum MotionSpec {
    /// Stays at its place.
    #[default]
    Fixed,
    /// A constant velocity between `start` and `stop`.
    Velocity {
        /// Velocity in m/s.
        velocity: Vector,
        /// When it starts, s.
        #[serde(default)]
        start: Number,
        /// When it stops, s; never if absent.
        #[serde(default)]
        stop: Option<Number>,
    },
    /// A constant rate about an axis between `start` and `stop`. One of the two rates is needed.
    Rotation {
        /// Direction of the axis, any length.
        axis: Vector,
        /// A point on the axis in m; the mean of the vertices if absent.
        #[serde(default)]
        point: Option<Vector>,
        /// Rate in turns/s, right-handed.
        #[serde(default)]
        turns_per_second: Option<Number>,
        /// Rate in degrees/s, right-handed.
        #[serde(default)]
        degrees_per_second: Option<Number>,
        /// When it starts, s.
        #[serde(default)]
        start: Number,
        /// When it stops, s; never if absent.
        #[serde(default)]
        stop: Option<Number>,
    },
    /// Through keyframes, linearly in between; holds the first and the last.
    Keyframes {
        /// Keyframes in ascending time.
        frames: Vec<KeyframeSpec>,
        /// Direction of the rotation axis, any length.
        #[serde(default = "default_axis")]
        axis: Vector,
        /// A point on the axis in m; the mean of the vertices if absent.
        #[serde(default)]
        point: Option<Vector>,
    },
    /// As the points of a file move.
    Animation(AnimationSpec),
}

/// A motion from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an animation { kind = \"animation\", file = \"walk_*.obj\" }")]
#[schemars(rename = "Animation")]
pub(crate) struct AnimationSpec {
    /// `.npz`, `.npy`, `.glb`, `.gltf`, or a sequence of mesh files such as `walk_*.obj`.
    pub file: String,
    /// Frames in a second, where the file does not say.
    #[serde(default = "default_fps")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: Number,
    /// Name of the array of a `.npz` file with several.
    #[serde(default)]
    pub array: Option<String>,
    /// When its first frame is, s.
    #[serde(default)]
    pub start: Number,
    /// Where its points are; that of the body or obstacle if absent.
    #[serde(default)]
    pub transform: Option<TransformSpec>,
}

fn default_fps() -> f64 {
    30.0
}

fn default_axis() -> Vector {
    [0.0, 0.0, 1.0]
}

/// One keyframe.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a keyframe { time, translate, degrees }")]
#[schemars(rename = "Keyframe")]
pub(crate) struct KeyframeSpec {
    /// Time in s.
    pub time: Number,
    /// Translation from the start in m.
    #[serde(default)]
    pub translate: Vector,
    /// Angle about the axis in degrees.
    #[serde(default)]
    pub degrees: Number,
    /// Angle about the axis in turns, added to `degrees`.
    #[serde(default)]
    pub turns: Number,
}

/// A load on a body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[force]]")]
pub(crate) struct Force {
    /// Unique name; `force0`, `force1`, ... if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The body; may be left out if there is only one.
    #[serde(default)]
    pub body: Option<BodyRef>,
    /// What acts.
    #[serde(default)]
    pub kind: ForceKind,
    /// Which vertices share the total force; all if absent. Not for a pressure.
    #[serde(default)]
    pub select: Option<Select>,
    /// Total force in N over time.
    #[serde(default)]
    pub total: Option<CourseSpec>,
    /// Pressure from inside in Pa over time.
    #[serde(default)]
    pub value: Option<ScheduleSpec>,
    /// Time over which the load grows from zero, s.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub ramp: Number,
    /// When it starts to act, s.
    #[serde(default)]
    pub start: Number,
    /// When it stops, s; never if absent.
    #[serde(default)]
    pub stop: Option<Number>,
}

/// What kind of load.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ForceKind {
    /// A total force, shared by vertices.
    #[default]
    Force,
    /// A pressure on the surface.
    Pressure,
}

/// A quantity that is measured at every step.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[probe]]")]
#[schemars(rename = "Probe")]
pub(crate) struct ProbeSpec {
    /// Unique name in the report.
    pub name: String,
    /// What is measured.
    pub what: ProbeWhat,
    /// The body; may be left out if there is only one.
    #[serde(default)]
    pub body: Option<BodyRef>,
    /// The obstacle (contact_force, contacts, sliding).
    #[serde(default)]
    pub obstacle: Option<BodyRef>,
    /// Another body (contact_force, normal_force, friction_force, contact_area, contact_pressure, contacts, sliding): only contacts of
    /// the two count.
    #[serde(default)]
    pub other: Option<BodyRef>,
    /// The pin (reaction); may be left out if there is only one.
    #[serde(default)]
    pub pin: Option<BodyRef>,
    /// The cable (cable_tension, cable_length); may be left out if there is only one.
    #[serde(default)]
    pub cable: Option<BodyRef>,
    /// The attachment (attachment_force); may be left out if there is only one.
    #[serde(default)]
    pub attachment: Option<BodyRef>,
    /// The needle (needle_force, needle_points, needle_gap); may be left out if there is only one.
    #[serde(default)]
    pub needle: Option<BodyRef>,
    /// Which vertices (position, displacement, extent, speed, lowest, radius); all if absent.
    #[serde(default)]
    pub select: Option<Select>,
    /// Direction: makes a vector a scalar; needed for `extent`, z for `lowest` if absent.
    #[serde(default)]
    pub axis: Option<AxisSpec>,
    /// An obstacle: places and directions are seen in its own coordinates.
    #[serde(default)]
    pub frame: Option<BodyRef>,
}

/// What a probe measures.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProbeWhat {
    /// Centre of mass in m.
    Center,
    /// Mean position of the selected vertices in m.
    Position,
    /// Size of the selected vertices' bounding box along `axis` in m.
    Extent,
    /// Kinetic plus elastic energy in J.
    Energy,
    /// Kinetic energy in J.
    KineticEnergy,
    /// Kinetic plus elastic energy plus that of gravity, which counts from the start, in J.
    TotalEnergy,
    /// Smallest volume (area) ratio of an element.
    MinJ,
    /// Volume (area) over the rest volume.
    VolumeRatio,
    /// Linear momentum in kg m/s.
    Momentum,
    /// Angular momentum about the origin in kg m^2/s.
    AngularMomentum,
    /// Speed of the selected vertices' mean motion in m/s (its component along `axis` if given).
    Speed,
    /// Mean distance of the selected vertices from their mean position in m.
    Radius,
    /// How far the centre of mass, or the selected vertices' mean position, has moved since the start in m.
    Displacement,
    /// Smallest coordinate of the selected vertices along `axis` (z if absent) in m.
    Lowest,
    /// Total contact force in N on a body or an obstacle; with both, the force of the body on the obstacle, and with `other` on that.
    ContactForce,
    /// Sum of the sizes of normal contact forces in N.
    NormalForce,
    /// Sum of the sizes of friction forces in N.
    FrictionForce,
    /// Area that touches in m^2: of triangles all of whose corners touch.
    ContactArea,
    /// Mean contact pressure in Pa: normal force over area.
    ContactPressure,
    /// Root mean square distance of the contact forces on a body or an obstacle from their centre in m.
    ContactSpread,
    /// Number of points that touch.
    Contacts,
    /// Number of points that touch and slide.
    Sliding,
    /// How deep any contact is in m, the distance that is kept included.
    Penetration,
    /// Total force of the air on the body in N.
    AirForce,
    /// Total force of a pin on its body in N.
    Reaction,
    /// Tension of a cable in N.
    CableTension,
    /// Length of a cable as it lies in m.
    CableLength,
    /// Total force of an attachment on the body of its `from` in N.
    AttachmentForce,
    /// Total force of a needle on its body in N.
    NeedleForce,
    /// Number of points of the body that are on the needle.
    NeedlePoints,
    /// Largest distance of such a point from the line of the needle in m.
    NeedleGap,
}

/// What must hold at the end of the run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[expect]]")]
pub(crate) struct Expectation {
    /// A probe (`tip.z`, `tip.max.z`, `tip.change.z`) or a path into the report (`bodies.0.min_j`).
    pub what: String,
    /// The comparison.
    pub op: Op,
    /// The value that is compared with.
    pub value: Number,
    /// Largest difference for `within` and `==`.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub tolerance: Number,
    /// Whether `tolerance` is a fraction of `value`.
    #[serde(default)]
    pub relative: bool,
    /// In which runs it counts.
    #[serde(default)]
    pub scope: Scope,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
pub(crate) enum Op {
    /// Below.
    #[serde(rename = "<")]
    Less,
    /// Not above.
    #[serde(rename = "<=")]
    LessOrEqual,
    /// Above.
    #[serde(rename = ">")]
    Greater,
    /// Not below.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// Equal (to `tolerance`, which is 0 if absent).
    #[serde(rename = "==")]
    Equal,
    /// At most `tolerance` apart.
    #[serde(rename = "within")]
    Within,
}

/// In which runs an expectation counts.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// In every run.
    #[default]
    Always,
    /// Only over the whole duration and without `--set`: it belongs to the values that are written in the file.
    AsWritten,
}
