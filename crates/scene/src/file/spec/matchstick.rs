//! `matchstick` of a `[[body]]` or an `[[obstacle]]`: friction that differs along and across a structure.

use super::{Number, Vector};
use schemars::JsonSchema;

/// Structure of a surface, such as a weave, a grain or boards. Between two structured surfaces friction is an ellipse: the more parallel
/// their structures are, the more it differs along and across; crossed ones have their plain `friction`.
#[derive(Clone, Copy, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { direction, along, across }")]
#[schemars(rename = "Matchstick")]
pub(crate) struct MatchstickSpec {
    /// Direction of the structure before `transform`, in the rest shape of a body; its part along the surface counts.
    pub direction: Vector,
    /// Coefficient of friction along it, where the structures are parallel.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub along: Number,
    /// Coefficient of friction across it, where the structures are parallel.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub across: Number,
}
