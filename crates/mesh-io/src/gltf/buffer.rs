//! The bytes that a glTF file refers to: its own, in data URIs, or in files beside it.

use super::document::{Buffer, BufferView, Tables};
use crate::budget::Budget;
use crate::scan::shown;
use crate::{ReadError, Source, base64, names};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Buffers that have been asked for.
pub(super) struct Buffers<'a> {
    source: &'a Source,
    /// The binary chunk of a `.glb` file.
    embedded: Option<&'a [u8]>,
    loaded: BTreeMap<usize, Cow<'a, [u8]>>,
    /// The first buffer that was read from a file: others may share it.
    files: BTreeMap<String, usize>,
    /// The buffer that holds the bytes of another one.
    same_as: BTreeMap<usize, usize>,
}

const EMBED: &str = "export one .glb file, or with embedded buffers";

impl<'a> Buffers<'a> {
    pub fn new(source: &'a Source, embedded: Option<&'a [u8]>) -> Self {
        Self { source, embedded, loaded: BTreeMap::new(), files: BTreeMap::new(), same_as: BTreeMap::new() }
    }

    /// The bytes and the stride of a view, which must be loaded.
    pub fn view(&self, view: &BufferView) -> Option<&[u8]> {
        let index = self.same_as.get(&view.buffer).unwrap_or(&view.buffer);
        let end = view.byte_offset.checked_add(view.byte_length)?;
        self.loaded.get(index)?.get(view.byte_offset..end)
    }

    /// Loads the buffer of a view and checks that it is long enough.
    pub fn load(
        &mut self,
        tables: &Tables<'a>,
        index: usize,
        budgets: (&mut Budget, &mut Budget),
    ) -> Result<BufferView, ReadError> {
        let (memory, work) = budgets;
        let view: BufferView = tables.buffer_views.get(index, work)?;
        if !self.loaded.contains_key(&view.buffer) && !self.same_as.contains_key(&view.buffer) {
            self.load_buffer(tables, view.buffer, (memory, work))?;
        }
        if self.view(&view).is_none() {
            let cause = match view.extensions.meshopt {
                Some(_) => "it is compressed (meshopt) and has no plain copy".to_string(),
                None => format!("it goes beyond the end of {}", tables.buffers.name(view.buffer)),
            };
            return Err(tables.buffer_views.error(index, cause));
        }
        Ok(view)
    }

    fn load_buffer(
        &mut self,
        tables: &Tables<'a>,
        index: usize,
        (memory, work): (&mut Budget, &mut Budget),
    ) -> Result<(), ReadError> {
        let buffer: Buffer = tables.buffers.get(index, work)?;
        let bytes = match buffer.uri {
            None => match self.embedded {
                Some(bytes) if index == 0 => Cow::Borrowed(bytes),
                _ => return Err(tables.buffers.error(index, "it has no data".to_string())),
            },
            Some(raw) => {
                let uri = text_of(raw.get());
                if let Some(data) = uri.strip_prefix("data:") {
                    let decoded =
                        data.split_once(";base64,").and_then(|(_, code)| base64::decode(code.as_bytes()));
                    let wrong = || tables.buffers.error(index, "its data URI is not base64".to_string());
                    let decoded = decoded.ok_or_else(wrong)?;
                    memory.take(decoded.len())?;
                    Cow::Owned(decoded)
                } else if let Some(&first) = self.files.get(&*uri) {
                    self.same_as.insert(index, first);
                    return Ok(());
                } else {
                    let bytes = self.beside(&uri)?;
                    memory.add_file(bytes.len());
                    self.files.insert(uri.into_owned(), index);
                    Cow::Owned(bytes)
                }
            }
        };
        if bytes.len() < buffer.byte_length {
            let cause = format!("it has {} of {} bytes", bytes.len(), buffer.byte_length);
            return Err(tables.buffers.error(index, cause));
        }
        self.loaded.insert(index, bytes);
        Ok(())
    }

    /// The bytes of a file in the same folder. Anything else might be a way to read what is none of the mesh's
    /// business.
    fn beside(&self, uri: &str) -> Result<Vec<u8>, ReadError> {
        // In a URI `%20` is a blank.
        let name = names::decode(uri.as_bytes());
        let refuse = |cause, remedy| ReadError::Companion { name: shown(name.as_bytes()), cause, remedy };
        let mut parts = Path::new(&name).components();
        let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
            && !name.contains(['/', '\\', ':', '\0']);
        if !plain {
            return Err(refuse("which is not a plain file name in the same folder", EMBED));
        }
        let missing = || refuse("which is not beside it", "put it in the same folder");
        self.source.beside(Path::new(&name)).ok_or_else(missing)
    }
}

/// The text of a JSON string, borrowed where nothing is escaped.
fn text_of(json: &str) -> Cow<'_, str> {
    match json.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) if !text.contains('\\') => Cow::Borrowed(text),
        // What is no string is a name that no file has.
        _ => Cow::Owned(serde_json::from_str(json).unwrap_or_default()),
    }
}
