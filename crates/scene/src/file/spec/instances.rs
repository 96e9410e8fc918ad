//! `instances` of a `[[body]]`: the same body many times, on a grid or at random.

use super::{Number, Vector};
use schemars::JsonSchema;
use serde::Deserialize;

/// The same body many times: on a `grid` with a `spacing`, or so many (`count`) at random places `within` a box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a table { grid, spacing } or { count, within, distance, turned, seed }"
)]
#[schemars(rename = "Instances")]
pub(crate) struct InstancesSpec {
    /// How many along x, y and z.
    #[serde(default)]
    pub grid: Option<[u32; 3]>,
    /// Distance of neighbours on the grid along x, y and z, m.
    #[serde(default)]
    pub spacing: Option<Vector>,
    /// How many at random.
    #[serde(default)]
    pub count: Option<u32>,
    /// The box that random shifts come from, m; added to the `translate` of the body.
    #[serde(default)]
    pub within: Option<WithinSpec>,
    /// Least distance of two random shifts, m.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub distance: Number,
    /// Whether random bodies are turned at random, too.
    #[serde(default)]
    pub turned: bool,
    /// Equal seeds give equal places; that of the scene if absent.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// A box.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { min, max }")]
#[schemars(rename = "Within")]
pub(crate) struct WithinSpec {
    /// Lowest corner in m.
    pub min: Vector,
    /// Highest corner in m.
    pub max: Vector,
}
