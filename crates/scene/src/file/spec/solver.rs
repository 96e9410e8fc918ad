//! `[solver]`: its keys are the settings of the solvers, as the table of solvers lists them.

use crate::file::read::{self, ReadError};
use crate::file::tree::{Data, Entry, Node};
use pliant::solver::{Domain, Knob, SolverConfig, Value, Word, known_kinds};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, json};
use std::borrow::Cow;
use std::ops::Bound;

/// Which solver, and its settings. A setting that the chosen kind does not have is an error.
#[derive(Clone, Debug, Default)]
pub(crate) struct SolverSpec {
    /// Kind of the solver; the default one if absent.
    pub kind: Option<String>,
    /// Settings of this kind or of others.
    pub settings: Vec<(&'static str, Value)>,
}

/// The kinds of solvers that scene files can name, and whether this version has them.
pub fn solver_kinds() -> Vec<(&'static str, bool)> {
    known_kinds().collect()
}

/// Any table: what is in it is read key by key.
#[derive(Deserialize)]
#[serde(expecting = "a table with the keys of [solver]")]
struct Table {}

impl SolverSpec {
    /// Reads the table; the errors say what is wrong with each of its entries.
    pub fn read(node: &Node) -> Result<SolverSpec, Vec<ReadError>> {
        let Data::Table(entries) = &node.data else {
            let error = read::read::<Table>(node).err();
            return Err(error.into_iter().collect());
        };
        let (mut spec, mut errors) = (SolverSpec::default(), Vec::new());
        let kind = node.get("kind").and_then(Node::as_str);
        for entry in entries {
            let read = match entry.key.as_str() {
                "kind" => read::read(&entry.value).map(|kind| spec.kind = Some(kind)),
                key => match knob(kind, key) {
                    Some(knob) => value(knob, &entry.value).map(|v| spec.settings.push((knob.name, v))),
                    None => {
                        errors.push(unknown(entry));
                        continue;
                    }
                },
            };
            errors.extend(read.err().map(|e| e.at(&entry.value.origin).inside(&entry.key)));
        }
        if errors.is_empty() { Ok(spec) } else { Err(errors) }
    }
}

/// The setting of this kind, or else of any.
fn knob(kind: Option<&str>, key: &str) -> Option<&'static Knob> {
    let all = SolverConfig::all();
    let own = all.iter().filter(|config| Some(config.kind()) == kind);
    own.chain(&all).find_map(|config| config.knob(key))
}

fn unknown(entry: &Entry) -> ReadError {
    let all = SolverConfig::all();
    let mut keys = vec!["kind"];
    keys.extend(all.iter().flat_map(SolverConfig::knobs).map(|knob| knob.name));
    ReadError::unknown_key(&entry.key, &keys).at(&entry.key_origin)
}

fn value(knob: &Knob, node: &Node) -> Result<Value, ReadError> {
    match knob.domain {
        Domain::Count(..) => read::read(node).map(Value::Count),
        Domain::CountOrWord(_, words, _) if matches!(node.data, Data::String(_)) => {
            word(words, node).map_err(ReadError::or_a_number)
        }
        Domain::CountOrWord(..) => read::read(node).map(Value::Count),
        Domain::Number(_) => read::read(node).map(Value::Number),
        Domain::Word(words) => word(words, node),
    }
}

fn word(words: &'static [Word], node: &Node) -> Result<Value, ReadError> {
    let word: String = read::read(node)?;
    let known = words.iter().find(|w| w.name == word);
    let names: Vec<&str> = words.iter().map(|w| w.name).collect();
    known.map(|w| Value::Word(w.name)).ok_or_else(|| ReadError::unknown_word(&word, &names))
}

impl JsonSchema for SolverSpec {
    fn schema_name() -> Cow<'static, str> {
        "Solver".into()
    }

    /// The settings of all kinds; which belong together the reader says better.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let (all, kinds) = (SolverConfig::all(), known_kinds().map(|(kind, _)| kind).collect::<Vec<_>>());
        let mut properties = Map::new();
        let about = format!("Kind of the solver; `{}` if absent.", SolverConfig::default().kind());
        properties.insert("kind".into(), json!({ "description": about, "type": "string", "enum": kinds }));
        for knob in all.iter().flat_map(SolverConfig::knobs) {
            if properties.contains_key(knob.name) {
                continue;
            }
            let owners: Vec<_> = all.iter().filter(|config| config.knob(knob.name).is_some()).collect();
            let mut domains: Vec<Domain> = Vec::new();
            for domain in owners.iter().filter_map(|config| config.knob(knob.name)).map(|knob| knob.domain) {
                if !domains.contains(&domain) {
                    domains.push(domain);
                }
            }
            let mut schema = match domains.as_slice() {
                [domain] => domain_schema(domain),
                several => {
                    let each: Vec<_> = several.iter().map(domain_schema).collect();
                    Map::from_iter([("anyOf".to_string(), json!(each))])
                }
            };
            let kinds: Vec<&str> = owners.iter().map(|config| config.kind()).collect();
            schema.insert("description".into(), json!(described(knob, &kinds, all.len())));
            properties.insert(knob.name.into(), schema.into());
        }
        let about =
            "Which solver, and its settings. A setting that the chosen kind does not have is an error.";
        let table = json!({
            "description": about, "type": "object", "properties": properties, "additionalProperties": false,
        });
        table.as_object().cloned().unwrap_or_default().into()
    }
}

/// What a setting does, and where it belongs.
fn described(knob: &Knob, kinds: &[&str], of: usize) -> String {
    let mut text = knob.about.to_string();
    if let Some((other, word)) = knob.only_with {
        text += &format!(" For {other} = \"{word}\".");
    }
    if kinds.len() < of {
        text += &format!(" ({})", kinds.join(", "));
    }
    text
}

fn domain_schema(domain: &Domain) -> Map<String, serde_json::Value> {
    let mut schema = Map::new();
    match domain {
        Domain::Count(least, most) => {
            schema.insert("type".into(), json!("integer"));
            schema.insert("minimum".into(), json!(least));
            schema.insert("maximum".into(), json!(most));
        }
        Domain::CountOrWord([least, most], words, _) => {
            let either = [Domain::Count(*least, *most), Domain::Word(words)].map(|d| domain_schema(&d));
            schema.insert("anyOf".into(), json!(either));
        }
        Domain::Number(range) => {
            schema.insert("type".into(), json!("number"));
            let mut bound = |bound: Bound<f64>, included: &str, excluded: &str| match bound {
                Bound::Included(x) => drop(schema.insert(included.into(), json!(x))),
                Bound::Excluded(x) => drop(schema.insert(excluded.into(), json!(x))),
                Bound::Unbounded => {}
            };
            bound(range.low, "minimum", "exclusiveMinimum");
            bound(range.high, "maximum", "exclusiveMaximum");
        }
        Domain::Word(words) => {
            let word = |w: &Word| json!({ "description": w.about, "type": "string", "const": w.name });
            schema.insert("oneOf".into(), json!(words.iter().map(word).collect::<Vec<_>>()));
        }
    }
    schema
}
