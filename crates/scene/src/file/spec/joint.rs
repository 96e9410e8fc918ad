//! What ties bodies together and guides them: `[[attachment]]`, `[[cable]]`, `[[needle]]`.

use super::value::Select;
use super::{BodyRef, MotionSpec, Number, ScheduleSpec, Vector};
use schemars::JsonSchema;

/// Points of two bodies that are tied together.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[attachment]]")]
#[schemars(rename = "Attachment")]
pub(crate) struct AttachmentSpec {
    /// Unique name; `attachment0`, `attachment1`, ... if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The points that are tied: a selection, or one point.
    pub from: AnchorSpec,
    /// What they are tied to: the nearest points of a body, the nearest vertices of a selection, or one point.
    pub to: AnchorSpec,
    /// Compliance of each tie in m/N; 0 is rigid.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub compliance: Number,
    /// Points that are farther than this from what they would be tied to are left out, m; none if absent.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub reach: Option<Number>,
    /// When they are tied, s.
    #[serde(default)]
    pub start: Number,
    /// When they are let go, s; never if absent.
    #[serde(default)]
    pub stop: Option<Number>,
}

/// One side of an attachment.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { body, select, point }")]
#[schemars(rename = "Anchor")]
pub(crate) struct AnchorSpec {
    /// The body; may be left out if there is only one.
    #[serde(default)]
    pub body: Option<BodyRef>,
    /// Vertices of the body.
    #[serde(default)]
    pub select: Option<Select>,
    /// A place inside of the body at the start, m; with `select`, the selected vertex that is nearest to it.
    #[serde(default)]
    pub point: Option<Vector>,
}

/// A cable that runs through points and pulls, but does not push.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[cable]]")]
#[schemars(rename = "Cable")]
pub(crate) struct CableSpec {
    /// Unique name; `cable0`, `cable1`, ... if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// Where it passes, in order.
    pub points: Vec<StationSpec>,
    /// Its length in m over time. Without `length`, `shorten` and `pull` it keeps the length of the start.
    #[serde(default)]
    pub length: Option<ScheduleSpec>,
    /// How much shorter than at the start it is, in m over time; instead of `length`.
    #[serde(default)]
    pub shorten: Option<ScheduleSpec>,
    /// Its tension in N over time; instead of a length.
    #[serde(default)]
    pub pull: Option<ScheduleSpec>,
    /// How much longer it gets per tension, m/N.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub compliance: Number,
}

/// Where a cable passes: `fixed`, or a body with `point`, `select`, `line` or `along`.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a point of a cable such as { body = \"finger\", point = [0, 0, 1] }"
)]
#[schemars(rename = "CablePoint")]
pub(crate) struct StationSpec {
    /// The body; may be left out if there is only one.
    #[serde(default)]
    pub body: Option<BodyRef>,
    /// A place inside of the body at the start, m; with `select`, the selected vertex that is nearest to it.
    #[serde(default)]
    pub point: Option<Vector>,
    /// The vertex of a selection that is nearest to the middle of the selection, or to `point`.
    #[serde(default)]
    pub select: Option<Select>,
    /// Evenly spaced places inside of the body from the first to the second, m.
    #[serde(default)]
    pub line: Option<[Vector; 2]>,
    /// How many places a `line` has, its ends included.
    #[serde(default)]
    #[schemars(extend("minimum" = 2))]
    pub count: Option<usize>,
    /// The way that a modelled body has for its cable: `"tendon"` of the `gripper_finger`, from its base to its tip.
    #[serde(default)]
    pub along: Option<TendonWord>,
    /// Whether `point` and `line` are in the coordinates of the mesh, before the transform of the body.
    #[serde(default)]
    pub local: bool,
    /// A place in the world that does not move, m.
    #[serde(default)]
    pub fixed: Option<Vector>,
}

/// Ways through modelled bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Along")]
pub(crate) enum TendonWord {
    /// The cable that bends the body.
    Tendon,
}

/// A straight needle in a body, which keeps to its line and slides along it.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[needle]]")]
#[schemars(rename = "Needle")]
pub(crate) struct NeedleSpec {
    /// Unique name; `needle0`, `needle1`, ... if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The body that it goes into; may be left out if there is only one.
    #[serde(default)]
    pub body: Option<BodyRef>,
    /// Its end at the start, m.
    pub end: Vector,
    /// Its tip at the start, m.
    pub tip: Vector,
    /// How it moves; a rotation is about its middle unless a point is named.
    #[serde(default)]
    pub motion: MotionSpec,
    /// Its way through the body at the start: from where it goes in to where its tip comes at most, m.
    pub path: [Vector; 2],
    /// Number of points of the body on the way, the ends included.
    #[serde(default = "default_count")]
    #[schemars(extend("minimum" = 2))]
    pub count: usize,
    /// How far each point gives way across the needle per force, m/N; 0 is rigid.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub compliance: Number,
    /// Friction: the largest force along the needle on each point, N; 0 slides freely.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub grip: Number,
}

fn default_count() -> usize {
    10
}
