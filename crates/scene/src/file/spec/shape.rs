//! `shape`: a body as a tree of simple shapes.

use super::value::AxisSpec;
use super::{Number, TransformSpec, Vector};
use schemars::JsonSchema;

/// A body or a part of one: exactly one of the keys from `sphere` to `difference`, and what else is done to it.
#[derive(Clone, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a shape such as { sphere = { radius = 0.1 } }")]
#[schemars(rename = "Shape")]
pub(crate) struct ShapeSpec {
    /// Name of the group that the vertices of this part make.
    pub name: Option<String>,
    /// A ball.
    pub sphere: Option<SphereSpec>,
    /// All points near a segment.
    pub capsule: Option<CapsuleSpec>,
    /// The convex hull of two balls.
    pub round_cone: Option<RoundConeSpec>,
    /// Balls [x, y, z, radius] in m, each joined to the next by a round cone.
    pub limb: Option<Vec<[Number; 4]>>,
    /// A box along the axes.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxSpec>,
    /// A cylinder with flat ends.
    pub cylinder: Option<CylinderSpec>,
    /// A ring.
    pub torus: Option<TorusSpec>,
    /// An ellipsoid along the axes.
    pub ellipsoid: Option<EllipsoidSpec>,
    /// A polygon in the plane x-y that is made thick.
    pub extrusion: Option<ExtrusionSpec>,
    /// Everything on the side of a plane that the normal points to.
    pub half_space: Option<HalfSpaceSpec>,
    /// A modelled body, about 1 m large.
    pub body: Option<String>,
    /// What is in any of the parts.
    pub union: Option<Vec<ShapeSpec>>,
    /// What is in all of the parts.
    pub intersection: Option<Vec<ShapeSpec>>,
    /// What is in the first part and in none of the others.
    pub difference: Option<Vec<ShapeSpec>>,
    /// Radius in m of the fillets of a union, or of the rounded edges of an intersection or difference.
    #[schemars(extend("minimum" = 0))]
    pub blend: Option<Number>,
    /// Adds the mirror image in the plane through the origin at a right angle to this axis.
    pub symmetric: Option<AxisSpec>,
    /// Takes the mirror image in the plane through the origin at a right angle to this axis.
    pub mirror: Option<AxisSpec>,
    /// Where the shape is put, after all else.
    pub transform: Option<TransformSpec>,
    /// Named shapes: the vertices in them make groups. They add nothing to the body.
    pub groups: Vec<ShapeSpec>,
}

/// A ball.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { center, radius }")]
#[schemars(rename = "Sphere")]
pub(crate) struct SphereSpec {
    /// Centre in m.
    #[serde(default)]
    pub center: Vector,
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: Number,
}

/// All points near a segment.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { ends, radius }")]
#[schemars(rename = "Capsule")]
pub(crate) struct CapsuleSpec {
    /// Ends of the segment in m.
    pub ends: [Vector; 2],
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: Number,
}

/// The convex hull of two balls.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { ends, radii }")]
#[schemars(rename = "RoundCone")]
pub(crate) struct RoundConeSpec {
    /// Centres of the balls in m.
    pub ends: [Vector; 2],
    /// Radii of the balls in m.
    pub radii: [Number; 2],
}

/// A box along the axes.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { center, size, rounding }")]
#[schemars(rename = "Box")]
pub(crate) struct BoxSpec {
    /// Centre in m.
    #[serde(default)]
    pub center: Vector,
    /// Full lengths in m.
    pub size: Vector,
    /// Radius of the edges in m.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub rounding: Number,
}

/// A cylinder with flat ends.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { ends, radius, rounding }")]
#[schemars(rename = "SolidCylinder")]
pub(crate) struct CylinderSpec {
    /// Middles of the flat ends in m.
    pub ends: [Vector; 2],
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: Number,
    /// Radius of the edges in m.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub rounding: Number,
}

/// A ring.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { center, axis, major, minor }")]
#[schemars(rename = "Ring")]
pub(crate) struct TorusSpec {
    /// Centre in m.
    #[serde(default)]
    pub center: Vector,
    /// Direction of the axis, z if absent.
    #[serde(default = "along_z")]
    pub axis: AxisSpec,
    /// From the centre to the middle of the tube in m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub major: Number,
    /// Radius of the tube in m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub minor: Number,
}

fn along_z() -> AxisSpec {
    AxisSpec([0.0, 0.0, 1.0])
}

/// An ellipsoid along the axes.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { center, radii }")]
#[schemars(rename = "Ellipsoid")]
pub(crate) struct EllipsoidSpec {
    /// Centre in m.
    #[serde(default)]
    pub center: Vector,
    /// Half lengths in m.
    pub radii: Vector,
}

/// A polygon in the plane x-y that is made thick.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { outline, thickness, rounding }")]
#[schemars(rename = "Extrusion")]
pub(crate) struct ExtrusionSpec {
    /// Corners [x, y] in m, at least three; the last is joined to the first.
    pub outline: Vec<[Number; 2]>,
    /// Full length along z in m; half of it is on each side of the plane.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Number,
    /// Radius of the edges between the side and the two faces in m.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub rounding: Number,
}

/// Everything on the side of a plane that the normal points to.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { point, normal }")]
#[schemars(rename = "HalfSpace")]
pub(crate) struct HalfSpaceSpec {
    /// A point of the plane in m.
    pub point: Vector,
    /// Direction of the side that is kept, any length.
    pub normal: Vector,
}

impl ShapeSpec {
    /// The keys that say what the shape is, with whether they are there.
    pub(crate) fn kinds(&self) -> [(&'static str, bool); 14] {
        [
            ("sphere", self.sphere.is_some()),
            ("capsule", self.capsule.is_some()),
            ("round_cone", self.round_cone.is_some()),
            ("limb", self.limb.is_some()),
            ("box", self.cuboid.is_some()),
            ("cylinder", self.cylinder.is_some()),
            ("torus", self.torus.is_some()),
            ("ellipsoid", self.ellipsoid.is_some()),
            ("extrusion", self.extrusion.is_some()),
            ("half_space", self.half_space.is_some()),
            ("body", self.body.is_some()),
            ("union", self.union.is_some()),
            ("intersection", self.intersection.is_some()),
            ("difference", self.difference.is_some()),
        ]
    }
}
