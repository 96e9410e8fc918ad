//! Writing `frames.bin`.

use super::{FRAMES_OFFSET, MAGIC, UNFINISHED, VERSION};
use crate::error::OutputError;
use crate::run::Run;
use crate::view::{Fields, Frame, Geometry, Layout};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writes a recording while a run goes on.
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
