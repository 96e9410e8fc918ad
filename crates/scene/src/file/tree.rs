//! The scene file as a tree of values that remember where they were written.
//!
//! Variants and `--set` change this tree, parameters are substituted, and only then is it read into types: so every later
//! error can still point at a line of the file, or at the override that brought the value in.

use crate::error::{Fault, Place, Problem, SceneError};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    /// Bytes of the scene file.
    File(Range<usize>),
    /// Another file that the scene includes: its name and text, and the byte where it starts.
    Included(Arc<(String, String)>, usize),
    /// An override, as it was given.
    Override(String),
}

impl Origin {
    /// The place in the file with this name and text, or the override.
    pub fn place(&self, name: &str, text: &str) -> Place {
        match self {
            Origin::File(span) => locate(name, text, span.start),
            Origin::Included(file, start) => locate(&file.0, &file.1, *start),
            Origin::Override(given) => Place::Override(given.clone()),
        }
    }
}

/// A value and its origin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub data: Data,
    pub origin: Origin,
}

/// The kinds of values of a scene file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Bool(bool),
    Integer(i64),
    Float(f64),
    String(String),
    Datetime(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_origin: Origin,
    pub value: Node,
}

/// Deepest nesting that is read; scene files need about six.
const MAX_DEPTH: usize = 64;

impl Node {
    /// The entry `key` of a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            Data::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.value),
            _ => None,
        }
    }

    /// The value at a dotted path, or the closest one above it that exists.
    pub fn closest(&self, path: &str) -> &Node {
        let mut at = self;
        for segment in path.split('.') {
            match at.child(segment) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    fn child(&self, segment: &str) -> Option<&Node> {
        match &self.data {
            Data::Table(_) => self.get(segment),
            Data::Array(items) => segment.parse::<usize>().ok().and_then(|i| items.get(i)),
            _ => None,
        }
    }

    /// The same value without its origins.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.data {
            Data::Bool(b) => (*b).into(),
            Data::Integer(i) => (*i).into(),
            Data::Float(x) => (*x).into(),
            Data::String(text) | Data::Datetime(text) => text.as_str().into(),
            Data::Array(items) => items.iter().map(Node::to_json).collect(),
            Data::Table(entries) => entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect(),
        }
    }

    /// Keys of a table; empty for other values.
    pub fn keys(&self) -> Vec<&str> {
        match &self.data {
            Data::Table(entries) => entries.iter().map(|e| e.key.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// Text of a string value.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(s) => Some(s),
            _ => None,
        }
    }

    /// Puts `value` at a dotted path. Keys and tables that are not there are made: reading reports unknown ones.
    ///
    /// An item of a list is named by its number, by its `name`, or not at all if it is the only one.
    pub fn set(&mut self, path: &str, value: Node) -> Result<(), Fault> {
        let segments: Vec<&str> = path.split('.').collect();
        if segments.iter().any(|s| s.is_empty()) || segments.len() > MAX_DEPTH {
            return Err(Fault::new(format!("`{path}` is not a path"), "write for example body.0.density"));
        }
        self.set_segments(&segments, value)
    }

    fn set_segments(&mut self, segments: &[&str], value: Node) -> Result<(), Fault> {
        let (Some(&first), rest) = (segments.first(), segments.get(1..).unwrap_or_default()) else {
            *self = value;
            return Ok(());
        };
        match &mut self.data {
            Data::Table(entries) => match entries.iter().position(|e| e.key == first) {
                Some(i) => entries[i].value.set_segments(rest, value),
                None => {
                    let origin = value.origin.clone();
                    let mut made = Node { data: Data::Table(Vec::new()), origin: origin.clone() };
                    made.set_segments(rest, value)?;
                    entries.push(Entry { key: first.to_string(), key_origin: origin, value: made });
                    Ok(())
                }
            },
            Data::Array(items) => {
                let by_name = items.iter().position(|n| n.get("name").and_then(Node::as_str) == Some(first));
                if let Some(i) = first.parse::<usize>().ok().or(by_name) {
                    let n = items.len();
                    let Some(item) = items.get_mut(i) else {
                        return Err(Fault::new(
                            format!("index {i} is out of range"),
                            format!("the list has {n} entries, counted from 0"),
                        ));
                    };
                    return item.set_segments(rest, value);
                }
                match items.as_mut_slice() {
                    [only] => only.set_segments(segments, value),
                    _ => Err(Fault::new(
                        format!("`{first}` names no entry of a list of {}", items.len()),
                        "use its number (from 0) or its name",
                    )),
                }
            }
            _ => {
                Err(Fault::new(format!("`{first}` is inside a value that has no parts"), "shorten the path"))
            }
        }
    }

    /// Replaces the origin of this value and of all values inside.
    pub fn with_origin(mut self, origin: &Origin) -> Node {
        self.stamp(origin);
        self
    }

    fn stamp(&mut self, origin: &Origin) {
        self.each_origin(&mut |own| *own = origin.clone());
    }

    /// Says of all values that they are from another file than the scene.
    pub fn relabel(&mut self, file: &Arc<(String, String)>) {
        self.each_origin(&mut |own| {
            if let Origin::File(span) = own {
                *own = Origin::Included(file.clone(), span.start);
            }
        });
    }

    fn each_origin(&mut self, change: &mut impl FnMut(&mut Origin)) {
        change(&mut self.origin);
        match &mut self.data {
            Data::Array(items) => items.iter_mut().for_each(|n| n.each_origin(change)),
            Data::Table(entries) => {
                for e in entries {
                    change(&mut e.key_origin);
                    e.value.each_origin(change);
                }
            }
            _ => {}
        }
    }

    /// A value given on the command line: a TOML value, or else a plain text.
    pub fn from_override(path: &str, text: &str) -> Node {
        let origin = Origin::Override(format!("--set {path}"));
        let line = format!("value = {text}");
        let parsed = (!text.contains('\n')).then(|| DeTable::parse(&line).ok()).flatten();
        let node = parsed.and_then(|t| convert_table(t.get_ref(), 0..line.len(), 0).ok());
        match node.as_ref().and_then(|n| n.get("value")) {
            Some(value) if node.as_ref().is_some_and(|n| n.keys().len() == 1) => {
                value.clone().with_origin(&origin)
            }
            _ => Node { data: Data::String(text.to_string()), origin },
        }
    }
}

/// Reads TOML text into a tree; all syntax errors are reported.
pub(crate) fn parse(name: &str, text: &str) -> Result<Node, SceneError> {
    let problem = |span: Option<Range<usize>>, cause: String, remedy: &str| Problem {
        place: span.map_or_else(|| Place::Whole(name.to_string()), |s| locate(name, text, s.start)),
        cause,
        remedy: remedy.to_string(),
    };
    if let Some(at) = too_deep(text) {
        let cause = "keys with too many dots".to_string();
        return Err(SceneError { problems: vec![problem(Some(at..at), cause, "this is not a scene file")] });
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let problems = errors.iter().take(20).map(|e| {
            problem(e.span(), format!("not valid TOML: {}", e.message()), "correct the syntax here")
        });
        return Err(SceneError { problems: problems.collect() });
    }
    convert_table(table.get_ref(), table.span(), 0).map_err(|(span, cause)| SceneError {
        problems: vec![problem(Some(span), cause, "write a smaller value")],
    })
}

/// Place of the dotted keys that would nest tables deeper than the stack allows (the parser itself limits brackets
/// only). Long keys are added up, because inline tables can nest them; rows of dots in a text stay far below.
fn too_deep(text: &str) -> Option<usize> {
    let (mut start, mut dots) = (0, 0);
    for line in text.split_inclusive('\n') {
        let words = line.split(['=', ',', '{', '}', '[', ']']).map(|word| word.matches('.').count());
        dots += words.filter(|n| *n > MAX_DEPTH).sum::<usize>();
        if dots > 1000 {
            return Some(start);
        }
        start += line.len();
    }
    None
}

/// Line and column of a byte offset.
fn locate(name: &str, text: &str, offset: usize) -> Place {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    Place::File { name: name.to_string(), line, column }
}

type ConvertError = (Range<usize>, String);

fn convert_table(table: &DeTable, span: Range<usize>, depth: usize) -> Result<Node, ConvertError> {
    if depth > MAX_DEPTH {
        return Err((span, "tables are nested too deeply".into()));
    }
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table.iter() {
        entries.push(Entry {
            key: key.get_ref().to_string(),
            key_origin: Origin::File(key.span()),
            value: convert(value, depth + 1)?,
        });
    }
    // The parser sorts keys; the order of the file is the one that messages and listings should follow.
    entries.sort_by_key(|e| match &e.key_origin {
        Origin::File(span) => span.start,
        Origin::Included(_, start) => *start,
        Origin::Override(_) => usize::MAX,
    });
    Ok(Node { data: Data::Table(entries), origin: Origin::File(span) })
}

fn convert(value: &Spanned<DeValue>, depth: usize) -> Result<Node, ConvertError> {
    let span = value.span();
    if depth > MAX_DEPTH {
        return Err((span, "values are nested too deeply".into()));
    }
    let data = match value.get_ref() {
        DeValue::String(s) => Data::String(s.to_string()),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(v) => Data::Integer(v),
            Err(_) => return Err((span, "the whole number does not fit into 64 bits".to_string())),
        },
        DeValue::Float(f) => match f.as_str().parse::<f64>() {
            Ok(v) if v.is_finite() || f.as_str().contains("inf") || f.as_str().contains("nan") => {
                Data::Float(v)
            }
            _ => return Err((span, "the number does not fit into 64 bits".to_string())),
        },
        DeValue::Boolean(b) => Data::Bool(*b),
        DeValue::Datetime(d) => Data::Datetime(d.to_string()),
        DeValue::Array(items) => {
            Data::Array(items.iter().map(|n| convert(n, depth + 1)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(t) => return convert_table(t, span, depth + 1),
    };
    Ok(Node { data, origin: Origin::File(span) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Node {
        parse("test", text).unwrap()
    }

    #[test]
    fn set_finds_items_by_number_name_or_alone() {
        let mut t = tree("[[body]]\nname = \"a\"\ndensity = 1\n");
        for (i, path) in ["body.0.density", "body.a.density", "body.density"].iter().enumerate() {
            t.set(path, Node::from_override(path, &format!("{}", i + 2))).unwrap();
            assert_eq!(t.closest("body.0.density").data, Data::Integer(i as i64 + 2));
        }
        assert!(t.set("body.7.density", Node::from_override("x", "1")).is_err());
        t.set("solver.iterations", Node::from_override("x", "1")).unwrap();
        assert_eq!(t.closest("solver.iterations").data, Data::Integer(1));
        assert!(t.set(&vec!["a"; 1_000_000].join("."), Node::from_override("x", "1")).is_err());
        assert!(t.set("", Node::from_override("x", "1")).is_err());
        assert!(t.set("body..density", Node::from_override("x", "1")).is_err());
    }

    #[test]
    fn overrides_are_values_or_text() {
        assert_eq!(Node::from_override("p", "1e9").data, Data::Float(1e9));
        assert_eq!(Node::from_override("p", "neo_hookean").data, Data::String("neo_hookean".into()));
        assert_eq!(Node::from_override("p", "1\nb = 2").data, Data::String("1\nb = 2".into()));
        assert!(matches!(Node::from_override("p", "[1, 2]").data, Data::Array(_)));
    }

    #[test]
    fn places_count_lines_and_characters() {
        let text = "a = 1\né = [\n";
        assert_eq!(locate("f", text, 8), Place::File { name: "f".into(), line: 2, column: 2 });
        assert_eq!(locate("f", text, 9999).to_string(), "f:3:1");
        assert!(parse("f", text).unwrap_err().problems[0].to_string().starts_with("f:2:"));
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        for text in [
            format!("{} = 1", vec!["a"; 200_000].join(".")),
            format!("[{}]", vec!["a"; 200_000].join(".")),
            format!("x = {{ {} = 1 }}", vec!["a"; 200_000].join(".")),
            format!("x = {}", "[".repeat(100_000)),
            format!("x = {}", "{a=".repeat(100_000)),
            format!("x = {}", format!("{{ {} = ", vec!["a"; 64].join(".")).repeat(1000)),
            format!("{} = 1", vec!["a"; 900].join(".")),
        ] {
            let _ = parse("f", &text);
        }
    }
}
