//! The arrays that VTU files are written from, as text, bytes or compressed blocks.

use crate::bulk::{print_line, write_rows, write_text};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pliant_mesh::DVec3;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io::{self, Write};

/// An array with its name.
pub(super) struct Field<'a> {
    pub name: String,
    pub values: Values<'a>,
}

/// Numbers that exist, or follow from what exists.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    Vectors(&'a [DVec3]),
    /// `width` numbers in a row.
    Singles {
        list: &'a [f32],
        width: usize,
    },
    Bytes(&'a [u8]),
    /// Indices below `bound`.
    Indices {
        list: &'a [u32],
        bound: usize,
    },
    /// Where each of `count` cells ends.
    Offsets {
        corners: usize,
        count: usize,
    },
    /// The same byte `count` times.
    Constant {
        value: u8,
        count: usize,
    },
    /// `count` bytes, one for each of the ascending `members`, zero for the others.
    Mask {
        members: &'a [u32],
        count: usize,
    },
}

/// Bytes compressed at a time. Larger blocks pack little better, smaller ones use more threads.
const BLOCK: usize = 1 << 18;

impl Values<'_> {
    /// Integers are written with 32 bits unless that is too small: files are half as large.
    fn wide(&self) -> bool {
        match self {
            Self::Indices { bound, .. } => i32::try_from(*bound).is_err(),
            Self::Offsets { corners, count } => i32::try_from(corners * count).is_err(),
            _ => false,
        }
    }

    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Vectors(_) => "Float64",
            Self::Singles { .. } => "Float32",
            Self::Indices { .. } | Self::Offsets { .. } if self.wide() => "Int64",
            Self::Indices { .. } | Self::Offsets { .. } => "Int32",
            Self::Constant { .. } | Self::Mask { .. } | Self::Bytes(_) => "UInt8",
        }
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        match self {
            Self::Vectors(_) => 3,
            Self::Singles { width, .. } => *width,
            _ => 1,
        }
    }

    /// Number of bytes.
    pub fn size(&self) -> usize {
        let integer = if self.wide() { 8 } else { 4 };
        match self {
            Self::Vectors(list) => size_of_val(*list),
            Self::Singles { list, .. } => size_of_val(*list),
            Self::Bytes(list) => list.len(),
            Self::Indices { list, .. } => integer * list.len(),
            Self::Offsets { count, .. } => integer * count,
            Self::Constant { count, .. } | Self::Mask { count, .. } => *count,
        }
    }

    /// Writes the bytes, the lowest of each number first.
    pub fn write_bytes(&self, out: &mut dyn Write) -> io::Result<()> {
        let wide = self.wide();
        match *self {
            // What already lies in memory as in the file needs no copy.
            Self::Vectors(list) if cfg!(target_endian = "little") => {
                out.write_all(bytemuck::cast_slice(list))
            }
            Self::Singles { list, .. } if cfg!(target_endian = "little") => {
                out.write_all(bytemuck::cast_slice(list))
            }
            Self::Singles { list, .. } => write_rows(out, list.len(), |i| list[i].to_bits().to_le()),
            Self::Bytes(list) => out.write_all(list),
            Self::Indices { list, .. } if cfg!(target_endian = "little") && !wide => {
                out.write_all(bytemuck::cast_slice(list))
            }
            Self::Vectors(list) => {
                write_rows(out, list.len(), |i| list[i].to_array().map(|c| c.to_bits().to_le()))
            }
            Self::Indices { list, .. } if wide => write_rows(out, list.len(), |i| u64::from(list[i]).to_le()),
            Self::Indices { list, .. } => write_rows(out, list.len(), |i| list[i].to_le()),
            Self::Offsets { corners, count } if wide => {
                write_rows(out, count, |i| ((i as u64 + 1) * corners as u64).to_le())
            }
            Self::Offsets { corners, count } => {
                write_rows(out, count, |i| ((i as u32 + 1) * corners as u32).to_le())
            }
            Self::Constant { value, count } => write_rows(out, count, |_| value),
            Self::Mask { members, count } => out.write_all(&mask(members, count)),
        }
    }

    /// Writes decimals, a row or a number to a line.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        match *self {
            Self::Vectors(list) => write_text(out, list.len(), |i, text| {
                let DVec3 { x, y, z } = list[i];
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{x:?} {y:?} {z:?}");
            }),
            Self::Singles { list, .. } => write_text(out, list.len(), |i, text| {
                let _ = writeln!(text, "{:?}", list[i]);
            }),
            Self::Bytes(list) => write_text(out, list.len(), |i, text| print_line(text, [list[i]])),
            Self::Indices { list, .. } => write_text(out, list.len(), |i, text| print_line(text, [list[i]])),
            Self::Offsets { corners, count } => {
                write_text(out, count, |i, text| print_line(text, [(i + 1) * corners]))
            }
            Self::Constant { value, count } => write_text(out, count, |_, text| print_line(text, [value])),
            Self::Mask { members, count } => {
                let mask = mask(members, count);
                write_text(out, count, |i, text| print_line(text, [mask[i]]))
            }
        }
    }

    /// The compressed blocks behind their header: number of blocks, size of a block, size of the last one if it
    /// is smaller, compressed sizes.
    pub fn packed(&self) -> io::Result<Vec<u8>> {
        let mut plain = Blocks { pending: Vec::new(), packed: Vec::new() };
        self.write_bytes(&mut plain)?;
        plain.pack()?;
        let blocks: Vec<Vec<u8>> = plain.packed;
        let header =
            [blocks.len(), BLOCK, self.size() % BLOCK].into_iter().chain(blocks.iter().map(Vec::len));
        let mut bytes: Vec<u8> = header.flat_map(|n| (n as u64).to_le_bytes()).collect();
        blocks.iter().for_each(|block| bytes.extend_from_slice(block));
        Ok(bytes)
    }
}

fn mask(members: &[u32], count: usize) -> Vec<u8> {
    let mut mask = vec![0; count];
    members.iter().for_each(|&i| mask[i as usize] = 1);
    mask
}

/// Compresses what is written to it, many blocks at a time.
struct Blocks {
    pending: Vec<u8>,
    packed: Vec<Vec<u8>>,
}

impl Blocks {
    fn pack(&mut self) -> io::Result<()> {
        let compress = |block: &[u8]| {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(block)?;
            encoder.finish()
        };
        let packed: Result<Vec<_>, io::Error> = self.pending.par_chunks(BLOCK).map(compress).collect();
        self.packed.extend(packed?);
        self.pending.clear();
        Ok(())
    }
}

impl Write for Blocks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const MOST: usize = 64 * BLOCK;
        let part = &bytes[..bytes.len().min(MOST - self.pending.len())];
        self.pending.extend_from_slice(part);
        if self.pending.len() == MOST {
            self.pack()?;
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
