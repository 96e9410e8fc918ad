//! The file around a checkpoint: recognised, versioned, checked byte by byte, and replaced only by a whole one.

use super::CheckpointError;
use super::crc64::Crc64;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"PLIANTCP";
/// Changes whenever the meaning of the content changes.
pub(super) const VERSION: u32 = 1;
/// Magic, version, length, checksum.
const HEADER: usize = 28;

/// The file with this content.
fn wrap(content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + content.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(((HEADER + content.len()) as u64).to_le_bytes());
    let checksum = Crc64::new().add(&bytes).add(content).value();
    bytes.extend(checksum.to_le_bytes());
    bytes.extend_from_slice(content);
    bytes
}

/// The content of a file of `size` bytes, if every byte of it is as it was written. Only then is it kept in memory.
pub(super) fn unwrap(mut file: impl Read + Seek, size: u64) -> Result<Vec<u8>, CheckpointError> {
    let mut header = Vec::new();
    file.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    if !header.starts_with(MAGIC) {
        return Err(CheckpointError::Foreign);
    }
    if header.len() < HEADER {
        return Err(CheckpointError::Cut { bytes: header.len() as u64, wanted: None });
    }
    let version = u32::from_le_bytes(field(&header, 8));
    if version != VERSION {
        return Err(CheckpointError::Version { found: version });
    }
    let length = u64::from_le_bytes(field(&header, 12));
    if size < length {
        return Err(CheckpointError::Cut { bytes: size, wanted: Some(length) });
    }
    let mut checksum = Crc64::new().add(&header[..HEADER - 8]);
    let mut part = vec![0; 1 << 20];
    loop {
        match file.read(&mut part)? {
            0 => break,
            count => checksum = checksum.add(&part[..count]),
        }
    }
    if size > length || checksum.value() != u64::from_le_bytes(field(&header, 20)) {
        return Err(CheckpointError::Damaged);
    }
    file.seek(SeekFrom::Start(HEADER as u64))?;
    let mut content = Vec::new();
    file.take(length - HEADER as u64).read_to_end(&mut content)?;
    Ok(content)
}

fn field<const N: usize>(header: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|k| header[at + k])
}

/// Writes a checkpoint. At any moment, whatever happens, the file at `path` is whole: the old one or the new one.
pub(super) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let beside = temporary(path);
    let written = fill(&beside, &wrap(content)).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // On a full disk it would only take more room.
        let _ = fs::remove_file(&beside);
    }
    written.and_then(|()| sync_folder(path))
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes sure that the new name is on the disk too. Where a folder cannot be opened as a file, the system does so itself.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder) {
        Ok(folder) if cfg!(unix) => folder.sync_all(),
        _ => Ok(()),
    }
}

/// Where a checkpoint is filled before it takes its place.
pub(super) fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn only_what_was_wrapped_is_unwrapped() {
        let content: Vec<u8> = (0..3000u32).flat_map(u32::to_le_bytes).collect();
        let whole = wrap(&content);
        let unwrap = |bytes: &[u8]| super::unwrap(Cursor::new(bytes), bytes.len() as u64);
        assert_eq!(unwrap(&whole).unwrap(), content);
        for at in (0..HEADER).chain((HEADER..whole.len()).step_by(97)) {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                assert!(unwrap(&changed).is_err(), "byte {at}, bit {bit}");
            }
            assert!(unwrap(&whole[..at]).is_err(), "cut at {at}");
        }
        assert!(unwrap(&[&whole[..], &[0]].concat()).is_err());
        assert!(unwrap(&[&whole[..], &whole[..]].concat()).is_err());
    }
}
