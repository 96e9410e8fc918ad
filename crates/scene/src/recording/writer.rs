//! Writing `frames.bin`.

use super::{FRAMES_OFFSET, MAGIC, UNFINISHED, VERSION};
use crate::error::{Damage, OutputError};
use crate::running::Run;
use crate::view::{Fields, Frame, Geometry, Layout};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writes a recording while a run proceeds.
#[derive(Debug)]
pub struct FrameWriter {
    path: PathBuf,
    out: BufWriter<File>,
    frames: u32,
    /// The bytes of a frame.
    bytes: Vec<u8>,
}

impl FrameWriter {
    /// Creates the file and writes what does not change.
    pub fn create(path: &Path, run: &Run) -> Result<FrameWriter, OutputError> {
        let create = || -> io::Result<BufWriter<File>> {
            let mut out = BufWriter::new(File::create(path)?);
            out.write_all(&head(run)?)?;
            Ok(out)
        };
        let out = create().map_err(OutputError::io(path))?;
        Ok(FrameWriter { path: path.to_path_buf(), out, frames: 0, bytes: Vec::new() })
    }

    /// Continues a file where it was when [`mark`](Self::mark) gave this number of frames and bytes: what was written
    /// later is dropped.
    ///
    /// # Errors
    /// If the file is shorter than that, or of another run.
    pub fn resume(path: &Path, run: &Run, (frames, bytes): (u32, u64)) -> Result<FrameWriter, OutputError> {
        let header = head(run).map_err(OutputError::io(path))?;
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(OutputError::io(path))?;
        let length = file.metadata().map_err(OutputError::io(path))?.len();
        let damaged = |damage| OutputError::Damaged { path: path.to_path_buf(), damage };
        if length < bytes.max(header.len() as u64) {
            return Err(damaged(Damage::Short { bytes: length, wanted: bytes }));
        }
        let mut found = vec![0; header.len()];
        file.read_exact(&mut found).map_err(OutputError::io(path))?;
        // A run that has ended has written its number of frames.
        let count = FRAMES_OFFSET as usize..FRAMES_OFFSET as usize + 4;
        found[count.clone()].copy_from_slice(&header[count]);
        if found != header {
            return Err(damaged(Damage::OtherRun));
        }
        let cut = |file: &mut File| -> io::Result<()> {
            file.set_len(bytes)?;
            file.seek(SeekFrom::Start(FRAMES_OFFSET))?;
            file.write_all(&UNFINISHED.to_le_bytes())?;
            file.seek(SeekFrom::End(0)).map(|_| ())
        };
        cut(&mut file).map_err(OutputError::io(path))?;
        Ok(FrameWriter { path: path.to_path_buf(), out: BufWriter::new(file), frames, bytes: Vec::new() })
    }

    /// Brings all frames so far to the disk; returns their number and the bytes of the file.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn mark(&mut self) -> Result<(u32, u64), OutputError> {
        let mut flush = || -> io::Result<u64> {
            self.out.flush()?;
            self.out.get_ref().sync_data()?;
            self.out.stream_position()
        };
        let bytes = flush().map_err(OutputError::io(&self.path))?;
        Ok((self.frames, bytes))
    }

    /// Appends the present state.
    pub fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        self.bytes.clear();
        Frame::of(run.setup(), run.world(), Fields::ALL).encode(&mut self.bytes);
        let (out, bytes) = (&mut self.out, &self.bytes);
        let mut write = || -> io::Result<()> {
            out.write_all(&count(bytes.len())?)?;
            out.write_all(bytes)
        };
        write().map_err(OutputError::io(&self.path))?;
        self.frames += 1;
        Ok(())
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let frames = self.frames;
        let end = |out: &mut BufWriter<File>| -> io::Result<()> {
            out.seek(SeekFrom::Start(FRAMES_OFFSET))?;
            out.write_all(&frames.to_le_bytes())?;
            out.flush()
        };
        end(&mut self.out).map_err(OutputError::io(&self.path))
    }
}

/// Everything before the frames.
fn head(run: &Run) -> io::Result<Vec<u8>> {
    let (setup, world) = (run.setup(), run.world());
    let mut layout = serde_json::to_vec(&Layout::of(setup, world)).map_err(io::Error::other)?;
    layout.resize(layout.len().next_multiple_of(4), b' ');
    let mut head = MAGIC.to_vec();
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&UNFINISHED.to_le_bytes());
    head.extend_from_slice(&count(layout.len())?);
    head.extend_from_slice(&layout);
    Geometry::of(setup, world).encode(&mut head);
    Ok(head)
}

fn count(n: usize) -> io::Result<[u8; 4]> {
    let too_many = || io::Error::new(io::ErrorKind::InvalidInput, "more than 2^32 entries");
    u32::try_from(n).map(u32::to_le_bytes).map_err(|_| too_many())
}
