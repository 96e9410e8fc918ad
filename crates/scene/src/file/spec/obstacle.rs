//! `[[obstacle]]`: rigid things that bodies collide with.

use super::{MatchstickSpec, MeshSpec, MotionSpec, Number, TransformSpec, Vector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Something rigid that bodies collide with. It moves by a script; nothing moves it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of [[obstacle]]")]
#[schemars(rename = "Obstacle")]
pub(crate) struct ObstacleSpec {
    /// Unique name; `obstacle0`, `obstacle1`, ... if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// Its shape in its own coordinates.
    pub shape: ObstacleShape,
    /// Where it is put: scale, then rotate, then translate.
    #[serde(default)]
    pub transform: TransformSpec,
    /// How it moves from there; a rotation without a point is about its own origin.
    #[serde(default)]
    pub motion: MotionSpec,
    /// Coefficient of friction; that of the body that touches it if absent.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub friction: Option<Number>,
    /// Structure of its surface, such as boards: friction along and across it, against another structure.
    #[serde(default)]
    pub matchstick: Option<MatchstickSpec>,
}

/// Shapes of obstacles, about the origin of their own coordinates.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, expecting = "a shape such as { kind = \"plane\" }")]
#[schemars(rename = "ObstacleShape", tag = "kind")]
pub(crate) enum ObstacleShape {
    /// Everything below z = 0.
    Plane,
    /// A ball.
    Sphere {
        /// Radius in m.
        radius: Number,
    },
    /// A box along the axes.
    Box {
        /// Lengths of its sides in m.
        size: Vector,
    },
    /// A cylinder along z with round ends.
    Capsule {
        /// Radius in m.
        radius: Number,
        /// Between the centres of its ends in m.
        length: Number,
    },
    /// A cylinder along z with flat ends.
    Cylinder {
        /// Radius in m.
        radius: Number,
        /// Between its ends in m.
        length: Number,
    },
    /// A ring around z.
    Torus {
        /// From the centre to the middle of the tube in m.
        major: Number,
        /// Radius of the tube in m.
        minor: Number,
    },
    /// A mesh: the surface of a solid, or a sheet that is touched from both sides.
    Mesh {
        /// A mesh file beside the scene file, or a generator.
        mesh: MeshSpec,
    },
    /// Triangles that are written here, such as a blade.
    Triangles {
        /// Corners in m.
        points: Vec<Vector>,
        /// Three corners each, counted from 0.
        triangles: Vec<[u32; 3]>,
    },
}
