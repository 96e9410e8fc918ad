//! Camera and lights of pictures.

use super::Vector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From where pictures are taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table { direction, target, distance, field_of_view }")]
pub struct Camera {
    /// Direction from the bodies to the eye.
    pub direction: Vector,
    /// The point in the middle of the picture in m; the middle of what moves if absent.
    pub target: Option<Vector>,
    /// Distance of the eye from that point in m; such that everything fits if absent.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub distance: Option<f64>,
    /// Vertical opening angle in degrees.
    #[schemars(extend("minimum" = 1, "maximum" = 150))]
    pub field_of_view: f64,
}

impl Default for Camera {
    fn default() -> Self {
        // A lens long enough that bodies keep their proportions.
        Camera { direction: [1.0, -2.0, 1.0], target: None, distance: None, field_of_view: 28.0 }
    }
}

/// A light that is far away. The first one casts shadows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table { direction, color, intensity }")]
pub struct Light {
    /// Direction from the bodies to the light.
    pub direction: Vector,
    /// Red, green and blue from 0 to 1.
    pub color: Vector,
    /// How bright it is; 1 is the usual key light.
    #[schemars(extend("minimum" = 0))]
    pub intensity: f64,
}

impl Default for Light {
    fn default() -> Self {
        Light { direction: [-0.45, -0.6, 1.0], color: [1.0; 3], intensity: 1.0 }
    }
}
