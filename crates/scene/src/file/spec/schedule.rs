//! Values over time: a number or vector, or a list of `{ time, value }`.

use super::{Number, Vector};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A value over time: a number, or values at ascending times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScheduleSpec(pub Vec<ValueAt>);

/// A vector over time: three numbers, or vectors at ascending times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CourseSpec(pub Vec<VectorAt>);

/// A value at a time.
#[derive(Clone, Copy, Debug, serde::Deserialize, JsonSchema, PartialEq)]
#[serde(deny_unknown_fields, expecting = "a table { time, value }")]
pub(crate) struct ValueAt {
    /// Time in s.
    pub time: Number,
    /// Value then; linear in between, constant before the first and after the last.
    pub value: Number,
}

/// A vector at a time.
#[derive(Clone, Copy, Debug, serde::Deserialize, JsonSchema, PartialEq)]
#[serde(deny_unknown_fields, expecting = "a table { time, value = [x, y, z] }")]
pub(crate) struct VectorAt {
    /// Time in s.
    pub time: Number,
    /// Vector then; linear in between, constant before the first and after the last.
    pub value: Vector,
}

impl<'de> Deserialize<'de> for ScheduleSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScheduleVisitor)
    }
}

struct ScheduleVisitor;

impl<'de> Visitor<'de> for ScheduleVisitor {
    type Value = ScheduleSpec;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number or a list of { time, value }")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<ScheduleSpec, E> {
        Ok(ScheduleSpec(vec![ValueAt { time: 0.0, value }]))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<ScheduleSpec, E> {
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<ScheduleSpec, E> {
        self.visit_f64(value as f64)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ScheduleSpec, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(ScheduleSpec(values))
    }
}

impl JsonSchema for ScheduleSpec {
    fn schema_name() -> Cow<'static, str> {
        "Schedule".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A value over time: a number, or a list of { time, value }, linear in between.",
            "anyOf": [{ "type": "number" }, generator.subschema_for::<Vec<ValueAt>>()]
        })
    }
}

const COURSE: &str = "a vector [x, y, z] or a list of { time, value = [x, y, z] }";

impl<'de> Deserialize<'de> for CourseSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CourseVisitor)
    }
}

struct CourseVisitor;

impl<'de> Visitor<'de> for CourseVisitor {
    type Value = CourseSpec;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(COURSE)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<CourseSpec, A::Error> {
        let (mut numbers, mut vectors) = (Vec::new(), Vec::new());
        while let Some(item) = list.next_element()? {
            match item {
                CourseItem::Number(x) => numbers.push(x),
                CourseItem::Vector(at) => vectors.push(at),
            }
        }
        match <[f64; 3]>::try_from(numbers) {
            Ok(value) if vectors.is_empty() => Ok(CourseSpec(vec![VectorAt { time: 0.0, value }])),
            Err(numbers) if numbers.is_empty() => Ok(CourseSpec(vectors)),
            Ok(_) => Err(de::Error::invalid_length(3 + vectors.len(), &COURSE)),
            Err(numbers) => Err(de::Error::invalid_length(numbers.len() + vectors.len(), &COURSE)),
        }
    }
}

/// A component of a vector, or a vector at a time.
enum CourseItem {
    Number(f64),
    Vector(VectorAt),
}

impl<'de> Deserialize<'de> for CourseItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor;

        impl<'de> Visitor<'de> for ItemVisitor {
            type Value = CourseItem;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number or { time, value = [x, y, z] }")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<CourseItem, E> {
                Ok(CourseItem::Number(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<CourseItem, E> {
                self.visit_f64(value as f64)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<CourseItem, E> {
                self.visit_f64(value as f64)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CourseItem, A::Error> {
                VectorAt::deserialize(MapAccessDeserializer::new(map)).map(CourseItem::Vector)
            }
        }

        deserializer.deserialize_any(ItemVisitor)
    }
}

impl JsonSchema for CourseSpec {
    fn schema_name() -> Cow<'static, str> {
        "Course".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A vector over time: [x, y, z], or a list of { time, value = [x, y, z] }, linear in between.",
            "anyOf": [generator.subschema_for::<Vector>(), generator.subschema_for::<Vec<VectorAt>>()]
        })
    }
}
