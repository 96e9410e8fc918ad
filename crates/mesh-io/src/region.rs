//! Parts of a file that are in memory, or still on the disk because they are large.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::ops::Range;

/// Bytes of a file.
#[derive(Clone, Debug)]
pub(super) enum Region<'a> {
    Memory(Cow<'a, [u8]>),
    Disk { file: &'a File, start: u64, length: usize },
}

impl<'a> From<&'a [u8]> for Region<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Memory(Cow::Borrowed(bytes))
    }
}

thread_local! {
    /// What a thread read last. Memory that is used again is much faster than fresh memory.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl<'a> Region<'a> {
    pub fn len(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::Disk { length, .. } => *length,
        }
    }

    /// A part of it, or `None` if it does not reach so far.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let length = range.end.checked_sub(range.start)?;
        if range.end > self.len() {
            return None;
        }
        Some(match self {
            Self::Memory(Cow::Borrowed(bytes)) => Self::Memory(Cow::Borrowed(&bytes[range])),
            Self::Memory(Cow::Owned(bytes)) => Self::Memory(Cow::Owned(bytes[range].to_vec())),
            Self::Disk { file, start, .. } => Self::Disk { file, start: start + range.start as u64, length },
        })
    }

    /// All bytes.
    pub fn bytes(self) -> io::Result<Cow<'a, [u8]>> {
        match self {
            Self::Memory(bytes) => Ok(bytes),
            Self::Disk { file, start, length } => {
                let mut bytes = vec![0; length];
                read_at(file, &mut bytes, start)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Shows a range of the bytes, which must exist, to `visit`. Blocks of a megabyte or less are best.
    pub fn with<R>(&self, range: Range<usize>, visit: impl FnOnce(&[u8]) -> R) -> io::Result<R> {
        match self {
            Self::Memory(bytes) => Ok(visit(&bytes[range])),
            Self::Disk { file, start, .. } => {
                let buffer = read_block(file, start + range.start as u64, range.len())?;
                let result = visit(&buffer[..range.len()]);
                BUFFER.set(buffer);
                Ok(result)
            }
        }
    }
}

/// A block of a file at the start of this thread's buffer, which the caller gives back.
fn read_block(file: &File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut buffer = BUFFER.take();
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    read_at(file, &mut buffer[..length], offset)?;
    Ok(buffer)
}

/// Fills `bytes` from an offset in a file. Threads may do so at the same time.
#[cfg(unix)]
pub(super) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Fills `bytes` from an offset in a file. Threads may do so at the same time.
#[cfg(windows)]
pub(super) fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}

/// Other systems have no such call; files are read as a whole there.
#[cfg(not(any(unix, windows)))]
pub(super) fn read_at(_file: &File, _bytes: &mut [u8], _offset: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_agree() {
        let path = std::env::temp_dir().join(format!("pliant-region-{}", std::process::id()));
        let bytes: Vec<u8> = (0..200).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = File::open(&path).unwrap();
        let disk = Region::Disk { file: &file, start: 50, length: 100 };
        for region in [disk, Region::from(&bytes[50..150]), Region::Memory(bytes[50..150].to_vec().into())] {
            assert_eq!(region.len(), 100);
            assert_eq!(region.with(3..7, <[u8]>::to_vec).unwrap(), [53, 54, 55, 56]);
            let part = region.slice(10..20).unwrap();
            assert_eq!(*part.bytes().unwrap(), bytes[60..70]);
            assert!(region.slice(10..101).is_none());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
