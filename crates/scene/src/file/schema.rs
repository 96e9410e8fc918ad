//! The JSON Schema of scene files, derived from the types that read them.

use super::migrate::{FORMAT, VERSION};
use super::spec::{
    AirSpec, AttachmentSpec, BodySpec, CableSpec, Expectation, Force, NeedleSpec, ObstacleSpec, PinSpec,
    ProbeSpec, SceneSpec, SolverSpec, Tolerate,
};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// A whole file, for the schema only: reading goes entry by entry.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "Pliant scene")]
#[allow(dead_code, reason = "only its shape is used")]
struct File {
    /// Name of the format.
    #[schemars(extend("const" = FORMAT))]
    format: String,
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    version: i64,
    /// Files whose entries and values come before those of this one.
    include: Option<Vec<String>>,
    scene: SceneSpec,
    /// Named values that entries use as "$name", and that `--set` changes.
    parameters: Option<Map<String, Value>>,
    /// Overrides for sizes and flavours: tables of "dotted.path" = value.
    variants: Option<Map<String, Value>>,
    solver: Option<SolverSpec>,
    air: Option<AirSpec>,
    body: Vec<BodySpec>,
    obstacle: Option<Vec<ObstacleSpec>>,
    pin: Option<Vec<PinSpec>>,
    force: Option<Vec<Force>>,
    attachment: Option<Vec<AttachmentSpec>>,
    cable: Option<Vec<CableSpec>>,
    needle: Option<Vec<NeedleSpec>>,
    probe: Option<Vec<ProbeSpec>>,
    expect: Option<Vec<Expectation>>,
    tolerate: Option<Tolerate>,
}

/// The JSON Schema (draft 2020-12) of version 1 of the scene format.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(File).to_value();
    allow_references(&mut schema);
    if let Some(definitions) = schema["$defs"].as_object_mut() {
        definitions.insert(
            "Reference".into(),
            json!({ "description": "A parameter as \"$name\", or arithmetic with parameters as \"2 * $name\".",
                    "type": "string", "pattern": "\\$[A-Za-z_]" }),
        );
    }
    schema
}

/// Any value may also be a parameter: `"$name"`.
fn allow_references(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(allow_references),
        Value::Object(map) => {
            for value in map.values_mut() {
                allow_references(value);
            }
            if let Some(Value::Object(properties)) = map.get_mut("properties") {
                properties.values_mut().filter(|v| v.get("const").is_none()).for_each(or_reference);
            }
            if let Some(items) = map.get_mut("items").filter(|v| v.is_object()) {
                or_reference(items);
            }
        }
        _ => {}
    }
}

fn or_reference(schema: &mut Value) {
    let mut inner = schema.take();
    let mut outer = Map::new();
    // What editors show stays on the outside.
    for key in ["description", "default"] {
        if let Some(value) = inner.as_object_mut().and_then(|m| m.remove(key)) {
            outer.insert(key.into(), value);
        }
    }
    outer.insert("anyOf".into(), json!([inner, { "$ref": "#/$defs/Reference" }]));
    *schema = Value::Object(outer);
}
