//! Small values that several entries share: selections, axes, references to bodies.

use super::Vector;
use crate::error::{Fault, quoted, suggest};
use pliant::BodyId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A finite or infinite number; an integer is accepted too.
pub(crate) type Number = f64;

/// Which vertices: a table with exactly one of these keys.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "a selection such as { group = \"x_min\" }"
)]
pub(crate) enum Select {
    /// All vertices of the body (`all = true`).
    All(bool),
    /// Vertices of a named group of the mesh.
    Group(String),
    /// Vertices with these numbers, counted from 0.
    Index(Vec<u32>),
    /// Vertices inside a box, at the start.
    #[serde(rename = "box")]
    Box {
        /// Lowest corner in m.
        min: Vector,
        /// Highest corner in m.
        max: Vector,
    },
    /// Vertices inside a sphere, at the start.
    Sphere {
        /// Centre in m.
        center: Vector,
        /// Radius in m.
        radius: Number,
    },
    /// Vertices near a plane, at the start.
    Plane {
        /// A point of the plane in m.
        point: Vector,
        /// Normal of the plane, any length.
        normal: Vector,
        /// Largest distance from the plane in m.
        tolerance: Number,
    },
    /// Vertices on or beyond a plane, at the start.
    HalfSpace {
        /// A point of the plane in m.
        point: Vector,
        /// Direction of the side that is kept, any length.
        normal: Vector,
    },
    /// Vertices on the surface of the body (`surface = true`).
    Surface(bool),
}

/// A direction: `"x"`, `"y"`, `"z"` or a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisSpec(pub Vector);

impl<'de> Deserialize<'de> for AxisSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AxisVisitor)
    }
}

struct AxisVisitor;

impl<'de> Visitor<'de> for AxisVisitor {
    type Value = AxisSpec;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("\"x\", \"y\", \"z\" or a vector")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<AxisSpec, E> {
        match text {
            "x" => Ok(AxisSpec([1.0, 0.0, 0.0])),
            "y" => Ok(AxisSpec([0.0, 1.0, 0.0])),
            "z" => Ok(AxisSpec([0.0, 0.0, 1.0])),
            _ => Err(E::unknown_variant(text, &["x", "y", "z"])),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AxisSpec, A::Error> {
        let mut axis = [0.0; 3];
        for (i, component) in axis.iter_mut().enumerate() {
            *component =
                list.next_element()?.ok_or_else(|| de::Error::invalid_length(i, &"a vector of 3 numbers"))?;
        }
        Ok(AxisSpec(axis))
    }
}

impl JsonSchema for AxisSpec {
    fn schema_name() -> Cow<'static, str> {
        "Axis".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A direction: \"x\", \"y\", \"z\" or a vector.",
            "anyOf": [{ "enum": ["x", "y", "z"] }, generator.subschema_for::<Vector>()]
        })
    }
}

/// A body by its name or by its number, counted from 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BodyRef {
    Name(String),
    Index(usize),
}

impl<'de> Deserialize<'de> for BodyRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BodyVisitor;

        impl Visitor<'_> for BodyVisitor {
            type Value = BodyRef;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name or the number of a body")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<BodyRef, E> {
                Ok(BodyRef::Name(text.to_string()))
            }

            fn visit_u64<E: de::Error>(self, index: u64) -> Result<BodyRef, E> {
                Ok(BodyRef::Index(usize::try_from(index).unwrap_or(usize::MAX)))
            }
        }

        deserializer.deserialize_any(BodyVisitor)
    }
}

impl JsonSchema for BodyRef {
    fn schema_name() -> Cow<'static, str> {
        "BodyReference".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Name or number (from 0) of a body.",
            "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 0 }]
        })
    }
}

/// The body that a name or number means, or what is wrong with it.
pub(crate) fn resolve_body(reference: Option<&BodyRef>, names: &[String]) -> Result<BodyId, Fault> {
    resolve_named(reference, names, "body", "bodies").map(BodyId::new)
}

/// The entry of `names` that a name or number means; without one, the only entry.
pub(crate) fn resolve_named(
    reference: Option<&BodyRef>,
    names: &[String],
    one: &str,
    many: &str,
) -> Result<usize, Fault> {
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    match reference {
        None if names.len() == 1 => Ok(0),
        None => Err(Fault::new(
            format!("missing key `{one}` in a scene of {} {many}", names.len()),
            format!("name one of {}", quoted(&words)),
        )),
        Some(BodyRef::Index(i)) if *i < names.len() => Ok(*i),
        Some(BodyRef::Index(i)) => {
            let remedy = format!("the scene has {} (from 0)", names.len());
            Err(Fault::new(format!("there is no {one} {i}"), remedy))
        }
        Some(BodyRef::Name(name)) if names.is_empty() => {
            Err(Fault::new(format!("there is no {one} `{name}`"), format!("the scene has no {many}")))
        }
        Some(BodyRef::Name(name)) => names
            .iter()
            .position(|n| n == name)
            .ok_or_else(|| Fault::new(format!("there is no {one} `{name}`"), suggest(name, &words, many))),
    }
}
