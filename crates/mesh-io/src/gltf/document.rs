//! The JSON of a glTF file, as far as it is about triangles.
//!
//! Arrays are kept as text and parsed item by item when they are needed: a few bytes of JSON can stand for
//! many bytes of memory.

use crate::ReadError;
use crate::budget::Budget;
use crate::scan::DAMAGED;
use serde::Deserialize;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    pub asset: Asset,
    pub scene: Option<usize>,
    #[serde(borrow)]
    scenes: Option<&'a RawValue>,
    #[serde(borrow)]
    nodes: Option<&'a RawValue>,
    #[serde(borrow)]
    meshes: Option<&'a RawValue>,
    #[serde(borrow)]
    accessors: Option<&'a RawValue>,
    #[serde(borrow)]
    buffer_views: Option<&'a RawValue>,
    #[serde(borrow)]
    buffers: Option<&'a RawValue>,
    #[serde(borrow)]
    animations: Option<&'a RawValue>,
    #[serde(borrow)]
    skins: Option<&'a RawValue>,
    #[serde(borrow)]
    extensions_required: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub version: String,
    #[serde(default)]
    pub generator: String,
}

#[derive(Deserialize)]
pub(super) struct SceneRoots {
    #[serde(default)]
    pub nodes: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    pub mesh: Option<usize>,
    #[serde(default)]
    pub children: Vec<u32>,
    pub skin: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    /// Of morph targets, instead of those of the mesh.
    pub weights: Option<Vec<f64>>,
    #[serde(default)]
    pub extensions: NodeExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub instancing: Option<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<u32>,
    #[serde(default = "triangles")]
    pub mode: u32,
    pub targets: Option<IgnoredAny>,
}

/// The mode of a primitive that names none.
fn triangles() -> u32 {
    4
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub kind: Kind,
    pub sparse: Option<Sparse>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Kind {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

impl Kind {
    /// Numbers of an item.
    pub fn size(self) -> usize {
        match self {
            Kind::Scalar => 1,
            Kind::Vec2 => 2,
            Kind::Vec3 => 3,
            Kind::Vec4 | Kind::Mat2 => 4,
            Kind::Mat3 => 9,
            Kind::Mat4 => 16,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
    #[serde(default)]
    pub extensions: ViewExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    pub meshopt: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    /// JSON text, because data may be in it.
    #[serde(borrow)]
    pub uri: Option<&'a RawValue>,
    pub byte_length: usize,
}

/// What our own files have beside the mesh.
#[derive(Deserialize)]
pub(super) struct OurMesh {
    pub extras: Option<OurExtras>,
}

#[derive(Deserialize)]
pub(super) struct OurExtras {
    pub groups: Vec<OurGroup>,
}

/// Members are runs: first index and length, one run after the other.
#[derive(Deserialize)]
pub(super) struct OurGroup {
    pub name: String,
    pub vertices: Vec<u32>,
    pub elements: Vec<u32>,
}

/// The arrays of a document.
pub(super) struct Tables<'a> {
    pub scenes: Table<'a>,
    pub nodes: Table<'a>,
    pub meshes: Table<'a>,
    pub accessors: Table<'a>,
    pub buffer_views: Table<'a>,
    pub buffers: Table<'a>,
    pub animations: Table<'a>,
    pub skins: Table<'a>,
    pub extensions_required: Table<'a>,
}

impl<'a> Tables<'a> {
    pub fn new(document: &Document<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            scenes: Table::new("scene", document.scenes)?,
            nodes: Table::new("node", document.nodes)?,
            meshes: Table::new("mesh", document.meshes)?,
            accessors: Table::new("accessor", document.accessors)?,
            buffer_views: Table::new("buffer view", document.buffer_views)?,
            buffers: Table::new("buffer", document.buffers)?,
            animations: Table::new("animation", document.animations)?,
            skins: Table::new("skin", document.skins)?,
            extensions_required: Table::new("required extension", document.extensions_required)?,
        })
    }
}

/// An array of JSON objects that are parsed when asked for.
pub(super) struct Table<'a> {
    what: &'static str,
    items: Vec<&'a RawValue>,
}

impl<'a> Table<'a> {
    fn new(what: &'static str, array: Option<&'a RawValue>) -> Result<Self, ReadError> {
        let Some(array) = array else {
            return Ok(Self { what, items: Vec::new() });
        };
        let bad = |error: serde_json::Error| damaged(&format!("{what} list"), &error);
        // Counting first takes no memory: there is nothing in the items.
        let count = serde_json::from_str::<Vec<IgnoredAny>>(array.get()).map_err(bad)?.len();
        let mut reader = serde_json::Deserializer::from_str(array.get());
        let items = serde::Deserializer::deserialize_seq(&mut reader, Items { count }).map_err(bad)?;
        Ok(Self { what, items })
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The item at an index. `work` bounds how often large items may be asked for.
    pub fn get<T: Deserialize<'a>>(&self, index: usize, work: &mut Budget) -> Result<T, ReadError> {
        let Some(item) = self.items.get(index) else {
            return Err(self.error(index, format!("it is used but does not exist, there are {}", self.len())));
        };
        work.take(item.get().len())?;
        serde_json::from_str(item.get()).map_err(|error| damaged(&self.name(index), &error))
    }

    /// An error in an item.
    pub fn error(&self, index: usize, cause: String) -> ReadError {
        ReadError::In { place: self.name(index), cause, remedy: DAMAGED }
    }

    pub fn name(&self, index: usize) -> String {
        format!("{} {index}", self.what)
    }
}

/// Collects the items of an array in a list of exactly the right size.
struct Items {
    count: usize,
}

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::with_capacity(self.count);
        while let Some(item) = array.next_element()? {
            items.push(item);
        }
        Ok(items)
    }
}

/// Parses the document itself.
pub(super) fn parse(json: &[u8]) -> Result<Document<'_>, ReadError> {
    serde_json::from_slice(json).map_err(|error| damaged("the JSON", &error))
}

fn damaged(place: &str, error: &serde_json::Error) -> ReadError {
    ReadError::In { place: place.to_string(), cause: error.to_string(), remedy: DAMAGED }
}
