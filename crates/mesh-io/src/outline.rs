//! Large files, of which only the small parts are loaded at once: big arrays stay on the disk until they are
//! decoded, block by block. That takes half the memory and less than half the time of loading everything.

use crate::region::{Region, read_at};
use std::fs::File;
use std::io;
use std::ops::Range;

/// Files below this size are simply loaded. Tests do with small files.
const LARGE: u64 = if cfg!(test) { 64 } else { 16 << 20 };

/// Arrays below this size are loaded with the rest.
pub(super) const BIG: u64 = if cfg!(test) { 64 } else { 1 << 20 };

/// Finds the big arrays of a file, in order; `None` if the file is of another kind.
pub(super) type FindArrays = fn(Walk<'_>) -> Option<Vec<Range<u64>>>;

/// A file without its big arrays.
#[derive(Debug)]
pub(super) struct Outline {
    file: File,
    /// Where arrays were left out: the place in the bytes that are left, and the range in the file.
    arrays: Vec<(usize, Range<u64>)>,
}

impl Outline {
    /// Opens a file and loads all but its big arrays. `None` if it is small or of a kind without such arrays.
    pub fn open(file: File, find: FindArrays) -> io::Result<Option<(Self, Vec<u8>)>> {
        let about = file.metadata()?;
        if !about.is_file() || about.len() < LARGE {
            return Ok(None);
        }
        let walk = Walk { file: &file, at: 0, size: about.len() };
        let Some(ranges) = find(walk) else { return Ok(None) };
        let mut bytes = Vec::new();
        let mut arrays = Vec::new();
        let mut end = 0;
        for range in ranges {
            append(&file, &mut bytes, end..range.start)?;
            end = range.end;
            arrays.push((bytes.len(), range));
        }
        append(&file, &mut bytes, end..about.len())?;
        Ok(Some((Self { file, arrays }, bytes)))
    }

    /// One of the arrays that were left out, in order, and its place in the bytes that are left.
    pub fn array(&self, number: usize) -> Option<(usize, Region<'_>)> {
        let (place, Range { start, end }) = self.arrays.get(number)?;
        let length = usize::try_from(end - start).ok()?;
        Some((*place, Region::Disk { file: &self.file, start: *start, length }))
    }

    /// The place in the file of a place in the bytes that are left.
    pub fn offset(&self, place: usize) -> usize {
        let before = self.arrays.iter().take_while(|array| array.0 < place);
        place + before.map(|(_, range)| (range.end - range.start) as usize).sum::<usize>()
    }
}

fn append(file: &File, bytes: &mut Vec<u8>, range: Range<u64>) -> io::Result<()> {
    let start = bytes.len();
    let length = usize::try_from(range.end - range.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(start + length, 0);
    read_at(file, &mut bytes[start..], range.start)
}

/// A place in a file that is looked through for big arrays. Everything that is not as expected is `None`: then
/// the file is loaded, and its reader says what is wrong.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    file: &'a File,
    pub at: u64,
    pub size: u64,
}

impl Walk<'_> {
    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        if count as u64 > self.size.checked_sub(self.at)? {
            return None;
        }
        let mut bytes = vec![0; count];
        read_at(self.file, &mut bytes, self.at).ok()?;
        self.at += count as u64;
        Some(bytes)
    }

    /// The next bytes, at most `count`; the place stays.
    pub fn peek(&self, count: usize) -> Option<Vec<u8>> {
        let mut copy = *self;
        let left = usize::try_from(self.size - self.at).unwrap_or(usize::MAX);
        copy.take(count.min(left))
    }

    /// Moves on and returns what was passed over.
    pub fn skip(&mut self, count: u64) -> Option<Range<u64>> {
        let start = self.at;
        self.at = start.checked_add(count).filter(|&end| end <= self.size)?;
        Some(start..self.at)
    }
}
