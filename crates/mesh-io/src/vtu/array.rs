//! The arrays of XML files: text, base64 or appended bytes, with or without compression.

use super::xml::Tag;
use crate::base64::Decoder;
use crate::cursor::{Order, Scalar};
use crate::numbers::{Array, NumberType};
use crate::region::Region;
use crate::vtk::grid::Fault;
use flate2::bufread::ZlibDecoder;
use rayon::prelude::*;
use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read;

/// An array as the file describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataArray<'a> {
    pub tag: Tag<'a>,
    pub text: &'a [u8],
}

impl DataArray<'_> {
    /// Its name, made fit for messages.
    pub fn name(&self) -> String {
        self.tag.get("Name").map(|name| crate::scan::shown(name.as_bytes())).unwrap_or_default()
    }

    pub fn components(&self) -> usize {
        self.tag.number("NumberOfComponents").unwrap_or(1)
    }

    fn number_type(&self) -> Result<NumberType, Fault> {
        let name = self.tag.get("type").unwrap_or_default();
        Ok(match name.as_ref() {
            "Int8" => NumberType::I8,
            "UInt8" => NumberType::U8,
            "Int16" => NumberType::I16,
            "UInt16" => NumberType::U16,
            "Int32" => NumberType::I32,
            "UInt32" => NumberType::U32,
            "Int64" => NumberType::I64,
            "UInt64" => NumberType::U64,
            "Float32" => NumberType::F32,
            "Float64" => NumberType::F64,
            other => {
                return Err(format!("`{}` is no type", crate::scan::shown(other.as_bytes())).into());
            }
        })
    }
}

/// The part of a file behind the elements.
#[derive(Clone, Debug)]
pub(super) enum Appended<'a> {
    Raw(Region<'a>),
    Base64(&'a [u8]),
}

/// How binary arrays are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Zlib,
    Lz4,
    /// Any other.
    Unknown,
}

/// How the arrays of a file are stored.
pub(super) struct Storage<'a> {
    pub order: Order,
    /// Lengths take eight bytes, else four.
    pub wide: bool,
    pub compression: Compression,
    pub appended: Option<Appended<'a>>,
    /// How many bytes may still be unpacked, so that a small file cannot fill the memory.
    pub budget: Cell<usize>,
}

/// Bytes in a file: as they are, or as base64.
enum Bytes<'a> {
    Raw(Region<'a>),
    Base64(Decoder<'a>),
}

fn cut() -> Fault {
    Fault::from("it has fewer bytes than announced".to_string())
}

fn in_memory(region: Region<'_>) -> Result<Cow<'_, [u8]>, Fault> {
    region.bytes().map_err(|error| format!("it cannot be read ({error})").into())
}

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<Region<'a>, Fault> {
        match self {
            Self::Raw(bytes) => {
                let taken = bytes.slice(0..count).ok_or_else(cut)?;
                *bytes = bytes.slice(count..bytes.len()).ok_or_else(cut)?;
                Ok(taken)
            }
            Self::Base64(decoder) => {
                if count > decoder.remaining() {
                    return Err(cut());
                }
                Ok(Region::Memory(Cow::Owned(decoder.read(count).ok_or_else(cut)?)))
            }
        }
    }
}

impl<'a> Storage<'a> {
    /// The numbers of an array.
    pub fn decode(&self, array: &DataArray<'a>) -> Result<Array<'a>, Fault> {
        let number = array.number_type()?;
        let format = array.tag.get("format").unwrap_or(Cow::Borrowed("ascii"));
        let mut bytes = match format.to_ascii_lowercase().as_str() {
            "ascii" => return Ok(Array::Text(array.text)),
            "binary" => Bytes::Base64(Decoder::new(array.text)),
            "appended" => self.appended_bytes(array)?,
            other => {
                let shown = crate::scan::shown(other.as_bytes());
                return Err(format!("`{shown}` is no format of data").into());
            }
        };
        let bytes = match self.compression {
            Compression::None => self.plain(&mut bytes)?,
            Compression::Zlib => self.unpack(&mut bytes, inflate)?,
            Compression::Lz4 => self.unpack(&mut bytes, unpack_lz4)?,
            Compression::Unknown => return Err(unknown_compression()),
        };
        Ok(Array::Binary { bytes, number, order: self.order })
    }

    fn appended_bytes(&self, array: &DataArray<'a>) -> Result<Bytes<'a>, Fault> {
        let Some(appended) = &self.appended else {
            return Err("the file has no appended data".to_string().into());
        };
        let beyond = || Fault::from("its offset is beyond the appended data".to_string());
        let offset: usize = array.tag.number("offset").ok_or_else(beyond)?;
        Ok(match appended {
            Appended::Raw(bytes) => Bytes::Raw(bytes.slice(offset..bytes.len()).ok_or_else(beyond)?),
            Appended::Base64(text) => Bytes::Base64(Decoder::new(text.get(offset..).ok_or_else(beyond)?)),
        })
    }

    /// One or more lengths.
    fn lengths(&self, bytes: &mut Bytes<'a>, count: usize) -> Result<Vec<usize>, Fault> {
        let size = if self.wide { 8 } else { 4 };
        let bytes = in_memory(bytes.take(count.checked_mul(size).ok_or_else(cut)?)?)?;
        let length = |word: &[u8]| match self.wide {
            true => usize::try_from(u64::decode(word, self.order)).map_err(|_| cut()),
            false => Ok(u32::decode(word, self.order) as usize),
        };
        bytes.chunks_exact(size).map(length).collect()
    }

    fn plain(&self, bytes: &mut Bytes<'a>) -> Result<Region<'a>, Fault> {
        // An empty array may have no length at all.
        if matches!(bytes, Bytes::Base64(decoder) if decoder.is_empty()) {
            return Ok(Region::from(&[][..]));
        }
        let length = self.lengths(bytes, 1)?[0];
        bytes.take(length)
    }

    /// Blocks of a fixed size, the last one perhaps smaller, each compressed on its own.
    fn unpack(&self, bytes: &mut Bytes<'a>, decompress: Decompress) -> Result<Region<'a>, Fault> {
        if matches!(bytes, Bytes::Base64(decoder) if decoder.is_empty()) {
            return Ok(Region::from(&[][..]));
        }
        let head = self.lengths(bytes, 3)?;
        let (count, size, last) = (head[0], head[1], head[2]);
        if count == 0 {
            return Ok(Region::from(&[][..]));
        }
        let packed_lengths = self.lengths(bytes, count)?;
        let last = if last == 0 { size } else { last };
        let total = (count - 1).checked_mul(size).and_then(|n| n.checked_add(last));
        let total = total.filter(|_| size > 0 && last <= size);
        let total = total.ok_or_else(|| Fault::from("the sizes of its blocks are wrong".to_string()))?;
        let rest = self.budget.get().checked_sub(total).ok_or_else(too_large)?;
        self.budget.set(rest);
        let packed_total = packed_lengths.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
        let packed = in_memory(bytes.take(packed_total.ok_or_else(cut)?)?)?;
        let blocks = Blocks { packed: &packed, packed_lengths, size, total };
        let unpacked = blocks.unpack(decompress);
        let unpacked = unpacked.ok_or_else(|| Fault::from("its compressed data are damaged".to_string()))?;
        Ok(Region::Memory(Cow::Owned(unpacked)))
    }
}

/// The `size` bytes that a block unpacks to; `None` if it has more or fewer.
type Decompress = fn(packed: &[u8], size: usize) -> Option<Vec<u8>>;

/// The compressed blocks of an array.
struct Blocks<'a> {
    packed: &'a [u8],
    packed_lengths: Vec<usize>,
    /// Size of each unpacked block but the last.
    size: usize,
    /// Size of all.
    total: usize,
}

impl Blocks<'_> {
    /// The sizes are claims of the file, so memory grows with what was really unpacked.
    fn unpack(&self, decompress: Decompress) -> Option<Vec<u8>> {
        let mut rest = self.packed;
        let mut blocks = Vec::with_capacity(self.packed_lengths.len());
        for (block, &length) in self.packed_lengths.iter().enumerate() {
            let (packed, behind) = rest.split_at_checked(length)?;
            let size = self.size.min(self.total - block * self.size);
            blocks.push((packed, size));
            rest = behind;
        }
        let mut unpacked = Vec::new();
        // Threads take a batch at a time, so that few blocks lie about twice.
        for batch in blocks.chunks(4 * rayon::current_num_threads()) {
            let parts: Option<Vec<Vec<u8>>> = if self.total < SMALL {
                batch.iter().map(|&(packed, size)| decompress(packed, size)).collect()
            } else {
                batch.par_iter().map(|&(packed, size)| decompress(packed, size)).collect()
            };
            parts?.iter().for_each(|part| unpacked.extend_from_slice(part));
        }
        Some(unpacked)
    }
}

/// Below this size threads are not worth their memory.
const SMALL: usize = 1 << 20;

fn unknown_compression() -> Fault {
    Fault {
        cause: "its compression is not supported".to_string(),
        remedy: "save with zlib, LZ4 or without compression",
    }
}

fn too_large() -> Fault {
    Fault {
        cause: "its compressed data unpack to a suspicious size".to_string(),
        remedy: "save without compression if you trust the file",
    }
}

fn inflate(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let read = ZlibDecoder::new(packed).take(size as u64 + 1).read_to_end(&mut out);
    (read.is_ok() && out.len() == size).then_some(out)
}

fn unpack_lz4(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    /// No byte of a block stands for more.
    const MOST_PER_BYTE: usize = 255;
    if size > packed.len().saturating_mul(MOST_PER_BYTE) {
        return None;
    }
    lz4_flex::block::decompress(packed, size).ok().filter(|out| out.len() == size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_lz4_are_unpacked_if_they_are_whole() {
        // "ab" and six more bytes from two back, then "xyz".
        let packed = [0x22, b'a', b'b', 2, 0, 0x30, b'x', b'y', b'z'];
        assert_eq!(unpack_lz4(&packed, 11).unwrap(), b"ababababxyz");
        for cut in 0..packed.len() {
            assert!(unpack_lz4(&packed[..cut], 11).is_none(), "{cut}");
        }
        assert!(unpack_lz4(&packed, 10).is_none() && unpack_lz4(&packed, 12).is_none());
        // Nothing lies three bytes back, and a distance of zero means nothing.
        assert!(unpack_lz4(&[0x22, b'a', b'b', 3, 0, 0x00], 8).is_none());
        assert!(unpack_lz4(&[0x22, b'a', b'b', 0, 0, 0x00], 8).is_none());
        assert!(unpack_lz4(&packed, usize::MAX).is_none());
    }
}
