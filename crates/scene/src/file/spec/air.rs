//! `[air]`: wind, gusts, drag and lift.

use super::Number;
use super::schedule::CourseSpec;
use schemars::JsonSchema;
use serde::Deserialize;

/// The air that bodies move in; without this section there is none.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [air]")]
#[schemars(rename = "Air")]
pub(crate) struct AirSpec {
    /// Density in kg/m^3.
    #[serde(default = "default_density")]
    #[schemars(extend("minimum" = 0))]
    pub density: Number,
    /// Velocity of the wind in m/s over time; still if absent.
    #[serde(default)]
    pub wind: Option<CourseSpec>,
    /// What comes and goes on top of the wind.
    #[serde(default)]
    pub gusts: Option<GustsSpec>,
    /// Coefficient of drag of a triangle that faces the wind.
    #[serde(default = "default_drag")]
    #[schemars(extend("minimum" = 0))]
    pub drag: Number,
    /// Coefficient of lift, at most `drag`, which it is if absent: then air slides along triangles without friction.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub lift: Option<Number>,
}

/// Gusts: velocity in every direction that comes and goes around a mean of zero.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { speed, period, seed }")]
#[schemars(rename = "Gusts")]
pub(crate) struct GustsSpec {
    /// Root mean square of their speed in m/s.
    #[schemars(extend("minimum" = 0))]
    pub speed: Number,
    /// Time in s in which they usually come and go.
    #[serde(default = "default_period")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub period: Number,
    /// Equal seeds give equal gusts; that of the scene if absent.
    #[serde(default)]
    pub seed: Option<u64>,
}

fn default_density() -> f64 {
    1.2
}

fn default_drag() -> f64 {
    1.2
}

fn default_period() -> f64 {
    1.0
}
