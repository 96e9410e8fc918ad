//! Reads a [`Node`] into a type through serde, and words its errors for people.
//!
//! A table that stands for one of several kinds carries its kind in the key `kind`; a selection carries it as its only
//! key. Both become serde's externally tagged enums here, so that no buffering loses the places.

use super::hint::hint;
use super::tree::{Data, Entry, Node, Origin};
use crate::error::suggest;
use serde::de::{self, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor};
use std::fmt;

/// serde's name of a mesh, which may also be a plain text: a file name, not a kind.
pub(super) const MESH: &str = "Mesh";

/// serde's name of a selection, whose only key is its kind.
pub(super) const SELECT: &str = "Select";

/// An error while reading, with the path and origin of the value that it is about.
#[derive(Clone, Debug)]
pub(crate) struct ReadError {
    pub cause: String,
    pub remedy: String,
    /// The key or the word that is not known.
    unknown: Box<str>,
    /// Segments from the inside out.
    path: Vec<String>,
    pub origin: Option<Origin>,
    /// Whether the cause should name the table it is in.
    about_key: bool,
}

impl ReadError {
    fn new(cause: impl Into<String>, remedy: impl Into<String>) -> ReadError {
        ReadError {
            cause: cause.into(),
            remedy: remedy.into(),
            unknown: "".into(),
            path: Vec::new(),
            origin: None,
            about_key: false,
        }
    }

    /// A word that is none of those that are accepted.
    pub fn unknown_word(word: &str, accepted: &[&str]) -> ReadError {
        let cause = format!("unknown value `{}`", clip(word));
        let unknown = word.into();
        ReadError { unknown, ..ReadError::new(cause, suggest(word, accepted, "accepted values")) }
    }

    /// Says that a number is accepted too.
    pub fn or_a_number(mut self) -> ReadError {
        if !self.remedy.ends_with('?') {
            self.remedy.push_str(" or a number");
        }
        self
    }

    /// A key that the table does not have.
    pub fn unknown_key(key: &str, keys: &[&str]) -> ReadError {
        let cause = format!("unknown key `{}`", clip(key));
        let unknown = key.into();
        ReadError { about_key: true, unknown, ..ReadError::new(cause, suggest(key, keys, "keys")) }
    }

    pub fn at(mut self, origin: &Origin) -> ReadError {
        self.origin.get_or_insert_with(|| origin.clone());
        self
    }

    pub fn inside(mut self, segment: impl Into<String>) -> ReadError {
        self.path.push(segment.into());
        self
    }

    /// What to do about it, seen from the root at `base`.
    pub fn advice(&self, base: &str) -> String {
        // A typo is a typo.
        match self.remedy.ends_with('?') {
            true => self.remedy.clone(),
            false => hint(&self.place(base), &self.unknown).unwrap_or_else(|| self.remedy.clone()),
        }
    }

    /// The dotted path of the value, seen from the root at `base`.
    fn place(&self, base: &str) -> String {
        let mut parts: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        if !base.is_empty() {
            parts.insert(0, base);
        }
        parts.join(".")
    }

    /// The cause with the dotted path of the value, seen from the root at `base`.
    pub fn described(&self, base: &str) -> String {
        match (self.place(base), self.about_key) {
            (path, true) if path.is_empty() => format!("{} at the top level", self.cause),
            (path, true) => format!("{} in {path}", self.cause),
            (path, false) if path.is_empty() => self.cause.clone(),
            (path, false) => format!("{path}: {}", self.cause),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.described(""), self.remedy)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> ReadError {
        // A type of ours says cause and remedy in its message.
        ReadError::new(message.to_string(), "")
    }

    fn invalid_type(found: Unexpected, expected: &dyn Expected) -> ReadError {
        let expected = plain(&expected.to_string());
        ReadError::new(
            format!("expected {expected}, found {}", found_words(found)),
            format!("write {expected} here"),
        )
    }

    fn invalid_value(found: Unexpected, expected: &dyn Expected) -> ReadError {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> ReadError {
        let expected = plain(&expected.to_string());
        ReadError::new(
            format!("expected {expected}, found {length} values"),
            format!("write {expected} here"),
        )
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> ReadError {
        ReadError::unknown_word(variant, expected)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> ReadError {
        ReadError::unknown_key(field, expected)
    }

    fn missing_field(field: &'static str) -> ReadError {
        let cause = format!("missing key `{field}`");
        ReadError { about_key: true, ..ReadError::new(cause, format!("add `{field} = ...`")) }
    }
}

/// The start of a text that may be long.
fn clip(text: &str) -> String {
    if text.chars().count() <= 60 {
        text.to_string()
    } else {
        format!("{}...", text.chars().take(57).collect::<String>())
    }
}

/// serde's type names in words.
fn plain(expected: &str) -> String {
    match expected {
        "f64" | "f32" => "a number".into(),
        "usize" | "u64" | "u32" | "u16" => "a whole number, 0 or more".into(),
        "a boolean" => "true or false".into(),
        "a string" | "string" => "a text in quotes".into(),
        "a sequence" => "a list in brackets".into(),
        other => other
            .replace("an array of length", "a list of")
            .replace("struct ", "a table for ")
            .replace("variant identifier", "a kind (text in quotes)"),
    }
}

fn found_words(found: Unexpected) -> String {
    match found {
        Unexpected::Bool(b) => format!("{b}"),
        Unexpected::Signed(i) => format!("the whole number {i}"),
        Unexpected::Unsigned(i) => format!("the whole number {i}"),
        Unexpected::Float(x) => format!("the number {x}"),
        Unexpected::Str(s) => format!("the text \"{}\"", clip(s)),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "a table".into(),
        other => other.to_string(),
    }
}

/// A value that is neither a text nor a table where a kind is expected.
fn wrong_kind(data: &Data) -> String {
    let found = match data {
        Data::Bool(b) => Unexpected::Bool(*b),
        Data::Integer(i) => Unexpected::Signed(*i),
        Data::Float(x) => Unexpected::Float(*x),
        Data::Array(_) => Unexpected::Seq,
        _ => Unexpected::Other("something else"),
    };
    format!("expected a text in quotes or a table, found {}", found_words(found))
}

/// Reads a whole value.
pub(crate) fn read<'de, T: de::Deserialize<'de>>(node: &'de Node) -> Result<T, ReadError> {
    T::deserialize(Reader { node, without: None })
}

/// A node, without one of its keys if it is a table whose kind was already read.
#[derive(Clone, Copy)]
struct Reader<'de> {
    node: &'de Node,
    without: Option<&'static str>,
}

impl<'de> Reader<'de> {
    fn of(node: &'de Node) -> Reader<'de> {
        Reader { node, without: None }
    }

    fn visit_table<V: Visitor<'de>>(self, entries: &'de [Entry], visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_map(Tables { entries: entries.iter(), without: self.without, value: None })
    }

    fn visit_list<V: Visitor<'de>>(self, items: &'de [Node], visitor: V) -> Result<V::Value, ReadError> {
        let mut list = List { items, next: 0, length: None };
        let value = visitor.visit_seq(&mut list)?;
        if list.next < items.len() {
            let wanted = format!("a list of {}", list.length.unwrap_or(list.next));
            return Err(de::Error::invalid_length(items.len(), &wanted.as_str()));
        }
        Ok(value)
    }
}

impl<'de> de::Deserializer<'de> for Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.node.data {
            Data::Bool(b) => visitor.visit_bool(*b),
            Data::Integer(i) if *i >= 0 => visitor.visit_u64(*i as u64),
            Data::Integer(i) => visitor.visit_i64(*i),
            Data::Float(x) => visitor.visit_f64(*x),
            Data::String(s) => visitor.visit_borrowed_str(s),
            Data::Datetime(d) => {
                Err(de::Error::invalid_type(Unexpected::Other(&format!("the date {d}")), &visitor))
            }
            Data::Array(items) => self.visit_list(items, visitor),
            Data::Table(entries) => self.visit_table(entries, visitor),
        }
        .map_err(|e: ReadError| e.at(&self.node.origin))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let node = self.node;
        let tagged = match &node.data {
            Data::String(_) if name == MESH => return self.deserialize_any(visitor),
            Data::String(kind) => Tagged { kind, kind_origin: &node.origin, content: None, segment: None },
            Data::Table(entries) => match (node.get("kind"), entries.as_slice()) {
                (Some(tag), _) if name != SELECT => {
                    let Some(kind) = tag.as_str() else {
                        let e = ReadError::new("expected a text in quotes", suggest("", variants, "kinds"));
                        return Err(e.at(&tag.origin).inside("kind"));
                    };
                    let content = Some(Reader { node, without: Some("kind") });
                    Tagged { kind, kind_origin: &tag.origin, content, segment: None }
                }
                (_, [only]) if name == SELECT => Tagged {
                    kind: &only.key,
                    kind_origin: &only.key_origin,
                    content: Some(Reader::of(&only.value)),
                    segment: Some(&only.key),
                },
                _ if name == SELECT => {
                    let e = ReadError::new(
                        "a selection has exactly one key",
                        suggest("", variants, "ways to select"),
                    );
                    return Err(e.at(&node.origin));
                }
                _ => {
                    let e = ReadError {
                        about_key: true,
                        ..ReadError::new("missing key `kind`", suggest("", variants, "kinds"))
                    };
                    return Err(e.at(&node.origin));
                }
            },
            _ => {
                let (cause, remedy) = (wrong_kind(&node.data), suggest("", variants, "accepted values"));
                return Err(ReadError::new(cause, remedy).at(&node.origin));
            }
        };
        visitor.visit_enum(tagged).map_err(|e| e.at(&node.origin))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

/// Entries of a table.
struct Tables<'de> {
    entries: std::slice::Iter<'de, Entry>,
    without: Option<&'static str>,
    value: Option<&'de Entry>,
}

impl<'de> de::MapAccess<'de> for Tables<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let without = self.without;
        let Some(entry) = self.entries.by_ref().find(|e| Some(e.key.as_str()) != without) else {
            return Ok(None);
        };
        self.value = Some(entry);
        let key = de::value::BorrowedStrDeserializer::new(&entry.key);
        seed.deserialize(key).map(Some).map_err(|e: ReadError| e.at(&entry.key_origin))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let Some(entry) = self.value.take() else { return Err(ReadError::new("a key without a value", "")) };
        seed.deserialize(Reader::of(&entry.value)).map_err(|e| e.at(&entry.value.origin).inside(&entry.key))
    }
}

/// Items of a list.
struct List<'de> {
    items: &'de [Node],
    next: usize,
    length: Option<usize>,
}

impl<'de> de::SeqAccess<'de> for &mut List<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(node) = self.items.get(self.next) else { return Ok(None) };
        let segment = self.next.to_string();
        self.next += 1;
        self.length = Some(self.next);
        seed.deserialize(Reader::of(node)).map(Some).map_err(|e| e.at(&node.origin).inside(segment))
    }
}

/// A kind with what else the table says.
struct Tagged<'de> {
    kind: &'de str,
    kind_origin: &'de Origin,
    content: Option<Reader<'de>>,
    /// The key under which the content stands, if it is not in the table itself.
    segment: Option<&'de str>,
}

impl<'de> de::EnumAccess<'de> for Tagged<'de> {
    type Error = ReadError;
    type Variant = Tagged<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Tagged<'de>), ReadError> {
        let value = seed.deserialize(self.kind.into_deserializer()).map_err(|e: ReadError| {
            let e = e.at(self.kind_origin);
            if self.content.is_some() && self.segment.is_none() { e.inside("kind") } else { e }
        })?;
        Ok((value, self))
    }
}

impl<'de> Tagged<'de> {
    fn content(&self) -> Result<Reader<'de>, ReadError> {
        self.content.ok_or_else(|| {
            let cause = format!("`{}` needs values of its own", self.kind);
            // Selections are named by their key, everything else by its kind.
            let example = match self.kind {
                "all" | "surface" => format!("{{ {} = true }}", self.kind),
                "group" => "{ group = \"x_min\" }".to_string(),
                kind => format!("{{ kind = \"{kind}\", ... }}"),
            };
            ReadError::new(cause, format!("write a table such as {example}"))
        })
    }

    fn placed(segment: Option<&'de str>) -> impl FnOnce(ReadError) -> ReadError {
        move |e| match segment {
            Some(s) => e.inside(s),
            None => e,
        }
    }
}

impl<'de> de::VariantAccess<'de> for Tagged<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        let Some(Reader { node: Node { data: Data::Table(entries), .. }, without }) = self.content else {
            return Ok(());
        };
        match entries.iter().find(|e| Some(e.key.as_str()) != without) {
            None => Ok(()),
            Some(extra) => {
                let error: ReadError = de::Error::unknown_field(&extra.key, &["kind"]);
                Err(error.at(&extra.key_origin))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.content()?).map_err(Self::placed(self.segment))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, ReadError> {
        de::Deserializer::deserialize_any(self.content()?, visitor).map_err(Self::placed(self.segment))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        de::Deserializer::deserialize_any(self.content()?, visitor).map_err(Self::placed(self.segment))
    }
}
