//! `transform`: where a mesh, a shape or an obstacle is put.

use super::{Number, Vector};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;

/// Where a mesh is put.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table { scale, rotate, translate }")]
#[schemars(rename = "Transform")]
pub(crate) struct TransformSpec {
    /// Factor on all lengths.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: Number,
    /// Rotation about an axis through the origin, or several, one after the other.
    pub rotate: Rotations,
    /// Shift in m.
    pub translate: Vector,
}

impl Default for TransformSpec {
    fn default() -> Self {
        TransformSpec { scale: 1.0, rotate: Rotations::default(), translate: [0.0; 3] }
    }
}

/// A rotation about an axis through the origin.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table { axis, degrees }")]
#[schemars(rename = "Rotate")]
pub(crate) struct RotateSpec {
    /// Direction of the axis, any length.
    pub axis: Vector,
    /// Angle in degrees, right-handed.
    pub degrees: Number,
}

/// One rotation, or several in the order in which they are done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rotations(pub Vec<RotateSpec>);

impl<'de> Deserialize<'de> for Rotations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RotationsVisitor;

        impl<'de> Visitor<'de> for RotationsVisitor {
            type Value = Rotations;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table { axis, degrees } or a list of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rotations, A::Error> {
                RotateSpec::deserialize(MapAccessDeserializer::new(map)).map(|r| Rotations(vec![r]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rotations, A::Error> {
                let mut rotations = Vec::new();
                while let Some(rotation) = list.next_element()? {
                    rotations.push(rotation);
                }
                Ok(Rotations(rotations))
            }
        }

        deserializer.deserialize_any(RotationsVisitor)
    }
}

impl JsonSchema for Rotations {
    fn schema_name() -> Cow<'static, str> {
        "Rotations".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<RotateSpec>();
        json_schema!({
            "description": "A rotation, or several that are done one after the other.",
            "anyOf": [one.clone(), { "type": "array", "items": one }]
        })
    }
}
