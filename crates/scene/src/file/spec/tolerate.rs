//! What a scene accepts that would otherwise make its results doubtful.

use schemars::JsonSchema;
use serde::Deserialize;

/// What the verdict of a run lets pass. What is absent has the usual limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table with the keys of [tolerate]")]
#[schemars(rename = "Tolerate")]
pub struct Tolerate {
    /// Inverted tets at any moment; 0 if absent.
    #[schemars(extend("minimum" = 0))]
    pub inverted_elements: Option<u64>,
    /// Volume of a tet, or area of a triangle, over that at rest; 100 if absent.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stretch: Option<f64>,
    /// How deep two surfaces may go into each other, in m; a part of the smaller body's size if absent.
    #[schemars(extend("minimum" = 0))]
    pub penetration: Option<f64>,
    /// Part of the steps in which vertices may be held back, 0 to 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub held_back: Option<f64>,
    /// Part of the steps that may end far from their solution, 0 to 1; 0.05 if absent.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub doubtful_steps: Option<f64>,
    /// Speed of a vertex in m/s; 1e5 if absent, and not 100 sizes of its body in a step.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub speed: Option<f64>,
    /// Distance of a vertex from the origin in m; a million sizes of the scene if absent.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub distance: Option<f64>,
    /// Energy over that which the scene started with or gravity gave, where nothing else drives it; 2 if absent.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub energy: Option<f64>,
}

impl Tolerate {
    /// The numbers with their names; parts of steps last.
    pub(crate) fn numbers(&self) -> [(&'static str, Option<f64>); 7] {
        [
            ("stretch", self.stretch),
            ("penetration", self.penetration),
            ("speed", self.speed),
            ("distance", self.distance),
            ("energy", self.energy),
            ("held_back", self.held_back),
            ("doubtful_steps", self.doubtful_steps),
        ]
    }
}
