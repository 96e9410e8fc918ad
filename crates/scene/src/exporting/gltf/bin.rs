//! The numbers of a glTF file, and the lists that say where they are.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
/// What a view is for, as WebGL numbers it: attributes of vertices, or indices.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Numbers in a temporary file, with accessors and views.
#[derive(Debug)]
pub(super) struct Bin {
    out: BufWriter<File>,
    length: u64,
    accessors: Vec<Value>,
    views: Vec<Value>,
    /// Where the view starts that attributes of vertices go into, if one is open.
    open: Option<u64>,
}

impl Bin {
    pub fn create(path: &Path) -> io::Result<Bin> {
        let out = BufWriter::new(File::create(path)?);
        Ok(Bin { out, length: 0, accessors: Vec::new(), views: Vec::new(), open: None })
    }

    /// Attributes of vertices that follow share one view until [`Bin::close`].
    pub fn open(&mut self) {
        self.open = Some(self.length);
        self.views
            .push(json!({ "buffer": 0, "byteOffset": self.length, "byteStride": 12, "target": VERTICES }));
    }

    pub fn close(&mut self) {
        if let (Some(start), Some(view)) = (self.open.take(), self.views.last_mut()) {
            view["byteLength"] = json!(self.length - start);
        }
    }

    /// Positions or differences of positions: an attribute with its bounds, which glTF demands.
    pub fn positions(&mut self, values: &[[f32; 3]]) -> io::Result<usize> {
        let bound = |pick: fn(f32, f32) -> f32| {
            values
                .iter()
                .copied()
                .reduce(|a, b| std::array::from_fn(|k| pick(a[k], b[k])))
                .unwrap_or_default()
        };
        let (min, max) = (bound(f32::min), bound(f32::max));
        let index = self.vectors(values)?;
        self.accessors[index]["min"] = json!(min);
        self.accessors[index]["max"] = json!(max);
        Ok(index)
    }

    /// An attribute without bounds, into the view that is open.
    pub fn vectors(&mut self, values: &[[f32; 3]]) -> io::Result<usize> {
        let offset = self.length - self.open.unwrap_or(self.length);
        self.write(values.as_flattened().iter().map(|x| x.to_le_bytes()))?;
        Ok(self.accessor(values.len(), "VEC3", FLOAT, Some(offset)))
    }

    /// Triangles or points of a line.
    pub fn indices(&mut self, values: &[u32]) -> io::Result<usize> {
        self.view(4 * values.len(), Some(INDICES));
        self.write(values.iter().map(|x| x.to_le_bytes()))?;
        Ok(self.accessor(values.len(), "SCALAR", UNSIGNED_INT, None))
    }

    /// Times of keys, which ascend.
    pub fn times(&mut self, values: &[f32]) -> io::Result<usize> {
        let index = self.keys(values, 1)?;
        self.accessors[index]["min"] = json!([values.first()]);
        self.accessors[index]["max"] = json!([values.last()]);
        Ok(index)
    }

    /// Values of keys, `width` numbers each: 1, 3 or 4.
    pub fn keys(&mut self, values: &[f32], width: usize) -> io::Result<usize> {
        self.view(4 * values.len(), None);
        self.write(values.iter().map(|x| x.to_le_bytes()))?;
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        Ok(self.accessor(values.len() / width, kind, FLOAT, None))
    }

    fn view(&mut self, bytes: usize, target: Option<u32>) {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
    }

    fn write(&mut self, values: impl Iterator<Item = [u8; 4]>) -> io::Result<()> {
        for bytes in values {
            self.out.write_all(&bytes)?;
            self.length += 4;
        }
        Ok(())
    }

    /// An accessor to the last view.
    fn accessor(&mut self, count: usize, kind: &str, component: u32, offset: Option<u64>) -> usize {
        let view = self.views.len().saturating_sub(1);
        let mut accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        if let Some(offset) = offset.filter(|&o| o > 0) {
            accessor["byteOffset"] = json!(offset);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Accessors, views and number of bytes, when everything is in the file.
    pub fn finish(mut self) -> io::Result<(Vec<Value>, Vec<Value>, u64)> {
        self.out.flush()?;
        Ok((self.accessors, self.views, self.length))
    }
}
