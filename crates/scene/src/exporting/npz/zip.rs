//! Zip archives of entries that are stored as they are, with 64-bit sizes where they are needed.

use flate2::Crc;
use std::io::{self, Seek, SeekFrom, Write};

/// Sizes and offsets from here on are written with 64 bits.
const LARGE: u64 = u32::MAX as u64;
/// The same for the number of entries.
const MANY: usize = u16::MAX as usize;

/// 1 January 1980: the same run gives the same bytes on every day.
const DATE: u16 = 1 << 5 | 1;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
/// The version that knows 64-bit sizes; the other one does not.
const VERSION_64: u16 = 45;
const VERSION: u16 = 20;

/// Where the checksum is in the header of an entry.
const CRC_OFFSET: u64 = 14;

/// An archive that is being written.
#[derive(Debug)]
pub(super) struct Zip<W: Write + Seek> {
    out: W,
    length: u64,
    entries: Vec<Entry>,
    large: u64,
}

#[derive(Debug)]
struct Entry {
    name: String,
    crc: u32,
    size: u64,
    offset: u64,
}

impl<W: Write + Seek> Zip<W> {
    pub fn new(out: W) -> Zip<W> {
        Zip { out, length: 0, entries: Vec::new(), large: LARGE }
    }

    /// Adds an entry of exactly `size` bytes, which `write` gives.
    pub fn entry(
        &mut self,
        name: &str,
        size: u64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut entry = Entry { name: name.to_string(), crc: 0, size, offset: self.length };
        let head = entry.head(self.large);
        self.out.write_all(&head)?;
        let mut data = Summed { out: &mut self.out, crc: Crc::new(), length: 0 };
        write(&mut data)?;
        let written = data.length;
        entry.crc = data.crc.sum();
        if written != size {
            let cause = format!("`{name}` has {written} bytes instead of {size}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, cause));
        }
        self.out.seek(SeekFrom::Start(entry.offset + CRC_OFFSET))?;
        self.out.write_all(&entry.crc.to_le_bytes())?;
        self.out.seek(SeekFrom::End(0))?;
        self.length += head.len() as u64 + size;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory.
    pub fn finish(mut self) -> io::Result<()> {
        let start = self.length;
        let directory: Vec<u8> = self.entries.iter().flat_map(|entry| entry.listed(self.large)).collect();
        let (size, count) = (directory.len() as u64, self.entries.len());
        self.out.write_all(&directory)?;
        if count >= MANY || start >= self.large || size >= self.large {
            self.out.write_all(&end_64(count as u64, size, start))?;
        }
        let mut end = Record::new(b"PK\x05\x06");
        let few = count.min(MANY) as u16;
        end.short(0).short(0).short(few).short(few);
        end.word(limited(size, self.large)).word(limited(start, self.large)).short(0);
        self.out.write_all(&end.0)
    }
}

impl Entry {
    /// What stands before the data. The checksum is not known yet.
    fn head(&self, large: u64) -> Vec<u8> {
        let long = self.size >= large;
        let mut head = Record::new(b"PK\x03\x04");
        head.short(if long { VERSION_64 } else { VERSION }).short(UTF8).short(0).short(0).short(DATE);
        head.word(0).word(limited(self.size, large)).word(limited(self.size, large));
        head.short(self.name.len() as u16).short(if long { 20 } else { 0 });
        head.0.extend(self.name.as_bytes());
        if long {
            head.short(1).short(16).long(self.size).long(self.size);
        }
        head.0
    }

    /// What stands in the directory.
    fn listed(&self, large: u64) -> Vec<u8> {
        let mut extra = Record(Vec::new());
        if self.size >= large {
            extra.long(self.size).long(self.size);
        }
        if self.offset >= large {
            extra.long(self.offset);
        }
        let version = if extra.0.is_empty() { VERSION } else { VERSION_64 };
        let mut listed = Record::new(b"PK\x01\x02");
        listed.short(version).short(version).short(UTF8).short(0).short(0).short(DATE);
        listed.word(self.crc).word(limited(self.size, large)).word(limited(self.size, large));
        let extra_length = if extra.0.is_empty() { 0 } else { 4 + extra.0.len() as u16 };
        listed.short(self.name.len() as u16).short(extra_length).short(0).short(0).short(0).word(0);
        listed.word(limited(self.offset, large));
        listed.0.extend(self.name.as_bytes());
        if extra_length > 0 {
            listed.short(1).short(extra.0.len() as u16);
            listed.0.extend(extra.0);
        }
        listed.0
    }
}

/// The end with 64-bit numbers, and where it is.
fn end_64(count: u64, size: u64, start: u64) -> Vec<u8> {
    let mut end = Record::new(b"PK\x06\x06");
    end.long(44).short(VERSION_64).short(VERSION_64).word(0).word(0).long(count).long(count);
    end.long(size).long(start);
    end.0.extend(b"PK\x06\x07");
    end.word(0).long(start + size).word(1);
    end.0
}

/// A number, or the mark that it is elsewhere with 64 bits.
fn limited(value: u64, large: u64) -> u32 {
    if value >= large { u32::MAX } else { value as u32 }
}

/// Numbers one after the other, the lowest byte first.
struct Record(Vec<u8>);

impl Record {
    fn new(mark: &[u8; 4]) -> Record {
        Record(mark.to_vec())
    }

    fn short(&mut self, value: u16) -> &mut Record {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn word(&mut self, value: u32) -> &mut Record {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn long(&mut self, value: u64) -> &mut Record {
        self.0.extend(value.to_le_bytes());
        self
    }
}

/// Counts and sums what passes.
struct Summed<W> {
    out: W,
    crc: Crc,
    length: u64,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn archive(large: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut zip = Zip { large, ..Zip::new(Cursor::new(&mut bytes)) };
        zip.entry("a.npy", 9, |out| out.write_all(b"123456789")).unwrap();
        zip.entry("b/c.npy", 0, |_| Ok(())).unwrap();
        zip.finish().unwrap();
        bytes
    }

    #[test]
    fn entries_are_stored_with_their_checksum() {
        let bytes = archive(LARGE);
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        // The check value of CRC-32 that every description of it gives for these digits.
        assert_eq!(bytes[14..18], 0xCBF4_3926u32.to_le_bytes());
        assert_eq!(&bytes[30..44], b"a.npy123456789");
        let end = &bytes[bytes.len() - 22..];
        assert_eq!(&end[..4], b"PK\x05\x06");
        assert_eq!(end[8..12], [2, 0, 2, 0]);
        let start = u32::from_le_bytes(end[16..20].try_into().unwrap()) as usize;
        assert_eq!(&bytes[start..start + 4], b"PK\x01\x02");
    }

    #[test]
    fn large_sizes_are_written_with_64_bits() {
        let bytes = archive(5);
        assert_eq!(bytes[18..26], [0xFF; 8]);
        assert_eq!(&bytes[30..39], b"a.npy\x01\x00\x10\x00");
        assert_eq!(bytes[39..47], 9u64.to_le_bytes());
        let end = bytes.len() - 22;
        assert_eq!(&bytes[end - 20..end - 16], b"PK\x06\x07");
        let at = u64::from_le_bytes(bytes[end - 12..end - 4].try_into().unwrap()) as usize;
        assert_eq!(&bytes[at..at + 4], b"PK\x06\x06");
        assert_eq!(at + 56 + 20, end);
    }

    #[test]
    fn a_wrong_size_is_refused() {
        let mut zip = Zip::new(Cursor::new(Vec::new()));
        let error = zip.entry("a", 3, |out| out.write_all(b"1")).unwrap_err();
        assert!(error.to_string().contains("1 bytes instead of 3"), "{error}");
    }
}
