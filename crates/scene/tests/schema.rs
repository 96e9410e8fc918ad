//! The exported JSON Schema accepts every built-in scene and refuses what the reader refuses.

use pliant_scene::{builtin, schema};
use serde_json::{Value, json};

/// Checks a value against the part of JSON Schema that the exported schema uses; the error says where.
fn validate(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(rules) = schema.as_object() else {
        return if schema == &json!(false) { Err(format!("{at}: nothing is allowed")) } else { Ok(()) };
    };
    for (rule, arg) in rules {
        match rule.as_str() {
            "$ref" => {
                let pointer = arg.as_str().unwrap().trim_start_matches('#');
                validate(root, root.pointer(pointer).expect(pointer), value, at)?;
            }
            "type" => check_type(arg, value, at)?,
            "const" if arg != value => return Err(format!("{at}: not {arg}")),
            "enum" if !arg.as_array().unwrap().contains(value) => {
                return Err(format!("{at}: {value} not in {arg}"));
            }
            "anyOf" | "oneOf" => {
                let tried: Vec<_> =
                    arg.as_array().unwrap().iter().map(|s| validate(root, s, value, at)).collect();
                if tried.iter().all(Result::is_err) {
                    return Err(format!("{at}: {tried:?}"));
                }
            }
            "properties" => {
                for (key, sub) in arg.as_object().unwrap() {
                    if let Some(v) = value.get(key) {
                        validate(root, sub, v, &format!("{at}.{key}"))?;
                    }
                }
            }
            "required" if value.is_object() => {
                for key in arg.as_array().unwrap() {
                    value.get(key.as_str().unwrap()).ok_or(format!("{at}: missing {key}"))?;
                }
            }
            "additionalProperties" if arg == &json!(false) => {
                let known = rules.get("properties").cloned().unwrap_or(json!({}));
                if let Some(bad) = value.as_object().and_then(|o| o.keys().find(|k| known.get(k).is_none())) {
                    return Err(format!("{at}: unknown {bad}"));
                }
            }
            "items" => {
                for (i, v) in value.as_array().into_iter().flatten().enumerate() {
                    validate(root, arg, v, &format!("{at}.{i}"))?;
                }
            }
            "minItems" | "maxItems" => {
                let n = value.as_array().map_or(0, Vec::len) as u64;
                let bound = arg.as_u64().unwrap();
                if value.is_array() && (rule == "minItems" && n < bound || rule == "maxItems" && n > bound) {
                    return Err(format!("{at}: {n} items"));
                }
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                if let (Some(v), Some(b)) = (value.as_f64(), arg.as_f64()) {
                    let good = match rule.as_str() {
                        "minimum" => v >= b,
                        "maximum" => v <= b,
                        "exclusiveMinimum" => v > b,
                        _ => v < b,
                    };
                    good.then_some(()).ok_or(format!("{at}: {v} breaks {rule} {b}"))?;
                }
            }
            "pattern" => {
                assert_eq!(arg, "\\$[A-Za-z_]", "the checker knows this pattern only");
                let text = value.as_str().unwrap_or("$x");
                text.contains('$').then_some(()).ok_or(format!("{at}: no reference"))?;
            }
            "const" | "enum" | "required" | "additionalProperties" => {}
            "$schema" | "$defs" | "title" | "description" | "default" | "format" => {}
            unknown => panic!("the checker does not know the rule {unknown}"),
        }
    }
    Ok(())
}

fn check_type(wanted: &Value, value: &Value, at: &str) -> Result<(), String> {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    };
    let fits = match wanted {
        Value::Array(list) => list.iter().any(|w| is(w.as_str().unwrap())),
        one => is(one.as_str().unwrap()),
    };
    if fits { Ok(()) } else { Err(format!("{at}: {value} is not {wanted}")) }
}

fn parsed(name: &str) -> Value {
    let table: toml::Table = builtin::text(name).unwrap().parse().unwrap();
    serde_json::to_value(table).unwrap()
}

#[test]
fn every_built_in_scene_fits_the_schema() {
    let schema = schema();
    for name in builtin::names() {
        validate(&schema, &schema, &parsed(name), name).unwrap();
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = schema();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut scene = parsed("cantilever");
        change(&mut scene);
        assert!(validate(&schema, &schema, &scene, "cantilever").is_err());
    };
    refused(&|s| s["body"][0]["densty"] = json!(3));
    refused(&|s| s["body"][0]["density"] = json!(-3));
    refused(&|s| s["body"][0]["density"] = json!("heavy"));
    refused(&|s| s["body"][0]["material"]["poisson"] = json!(0.5));
    refused(&|s| s["body"][0]["material"]["kind"] = json!("wood"));
    refused(&|s| s["body"][0]["mesh"] = json!({"kind": "blok"}));
    refused(&|s| s["pin"][0]["select"] = json!({"grup": "a"}));
    refused(&|s| s["solver"]["kind"] = json!("magic"));
    refused(&|s| s["solver"]["iterations"] = json!(0));
    refused(&|s| s["solver"]["tolerance"] = json!(-1));
    refused(&|s| s["solver"]["global"] = json!("jacoby"));
    refused(&|s| s["solver"]["globl"] = json!("jacobi"));
    refused(&|s| s["version"] = json!(2));
    refused(&|s| s["scene"]["dt"] = json!(0));
    refused(&|s| s["expect"][0]["op"] = json!("<>"));
    refused(&|s| s["extra"] = json!({}));
    let mut scene = parsed("cantilever");
    scene["body"][0]["density"] = json!("$rho");
    validate(&schema, &schema, &scene, "reference").unwrap();
}
