//! Reading `frames.bin`.

use super::regular::open_regular;
use super::{MAGIC, UNFINISHED, VERSION, take};
use crate::error::{Damage, OutputError};
use crate::view::{Frame, Geometry, Layout};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes before the layout.
const FIXED: u64 = 20;
/// Bytes from which the size of a frame follows, without its length.
const FRAME_HEAD: usize = 24;

/// A recording that was opened for reading.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: BufReader<File>,
    layout: Layout,
    geometry: Geometry,
    /// Bytes before the frames.
    head: u64,
    frames: Vec<FrameSpan>,
    complete: bool,
}

/// Where a frame is in the file.
#[derive(Clone, Copy, Debug)]
struct FrameSpan {
    start: u64,
    bytes: u32,
    time: f64,
}

impl Recording {
    /// Opens `frames.bin` and checks it: every count must fit the size of the file, every index its count.
    pub fn open(path: &Path) -> Result<Recording, OutputError> {
        let damaged = |damage| OutputError::Damaged { path: path.to_path_buf(), damage };
        let file = open_regular(path).map_err(OutputError::io(path))?;
        let length = file.metadata().map_err(OutputError::io(path))?.len();
        let mut file = BufReader::new(file);
        let (layout, geometry, wanted) = read_head(&mut file, length).map_err(damaged)?;
        let head = file.stream_position().map_err(OutputError::io(path))?;
        let (frames, rest) = find_frames(&mut file, &layout, head, length).map_err(OutputError::io(path))?;
        let complete = wanted != UNFINISHED;
        if complete && (wanted as usize != frames.len() || rest > 0) {
            return Err(damaged(Damage::FrameCount { wanted, found: frames.len(), rest }));
        }
        Ok(Recording { path: path.to_path_buf(), file, layout, geometry, head, frames, complete })
    }

    /// What is seen.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The surfaces of the layout.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Number of whole frames.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Whether the run that wrote it has ended.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Time of each frame in s.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.frames.iter().map(|f| f.time)
    }

    /// Size of each frame in bytes.
    pub fn sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.frames.iter().map(|f| f.bytes)
    }

    /// A frame.
    pub fn frame(&mut self, index: usize) -> Result<Frame, OutputError> {
        let bytes = self.frame_bytes(index)?;
        let damaged = || OutputError::Damaged { path: self.path.clone(), damage: Damage::Frame(index) };
        Frame::decode(&self.layout, &bytes).ok_or_else(damaged)
    }

    /// The bytes of a frame.
    pub fn frame_bytes(&mut self, index: usize) -> Result<Vec<u8>, OutputError> {
        let Some(&place) = self.frames.get(index) else {
            let damage = Damage::FrameMissing { index, frames: self.frames.len() };
            return Err(OutputError::Damaged { path: self.path.clone(), damage });
        };
        self.read(place.start, u64::from(place.bytes))
    }

    /// The bytes before the frames.
    pub fn head_bytes(&mut self) -> Result<Vec<u8>, OutputError> {
        self.read(0, self.head)
    }

    fn read(&mut self, start: u64, count: u64) -> Result<Vec<u8>, OutputError> {
        let mut bytes = vec![0; count as usize];
        let mut read = || {
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut bytes)
        };
        read().map_err(OutputError::io(&self.path))?;
        Ok(bytes)
    }
}

/// Layout, geometry and the number of frames that the file claims to have.
fn read_head(file: &mut impl Read, length: u64) -> Result<(Layout, Geometry, u32), Damage> {
    let cut_off = || Damage::CutOff { part: "header" };
    let mut fixed = [0; FIXED as usize];
    file.read_exact(&mut fixed).map_err(|_| cut_off())?;
    let number = |at: usize| u32::from_le_bytes(take(&fixed[at..]));
    if &fixed[..8] != MAGIC {
        return Err(Damage::NotARecording);
    }
    if number(8) != VERSION {
        return Err(Damage::Version { found: number(8), known: VERSION });
    }
    let mut left = length - FIXED;
    let mut take_bytes = |count: u64| -> Result<Vec<u8>, Damage> {
        left = left.checked_sub(count).ok_or_else(cut_off)?;
        let mut bytes = vec![0; count as usize];
        file.read_exact(&mut bytes).map_err(|_| cut_off())?;
        Ok(bytes)
    };
    let layout = take_bytes(number(16).into())?;
    let layout: Layout = serde_json::from_slice(&layout).map_err(Damage::Layout)?;
    layout.check()?;
    let geometry = Geometry::decode(&layout, &take_bytes(Geometry::size(&layout))?)?;
    Ok((layout, geometry, number(12)))
}

/// The whole frames, and how many bytes follow them.
fn find_frames(
    file: &mut BufReader<File>,
    layout: &Layout,
    head: u64,
    length: u64,
) -> io::Result<(Vec<FrameSpan>, u64)> {
    let (mut frames, mut at) = (Vec::new(), head);
    let mut start = [0; 4 + FRAME_HEAD];
    while at + start.len() as u64 <= length {
        file.read_exact(&mut start)?;
        let bytes = u32::from_le_bytes(take(&start));
        let end = at + 4 + u64::from(bytes);
        if Frame::size(layout, &start[4..]) != Some(u64::from(bytes)) || end > length {
            break;
        }
        frames.push(FrameSpan { start: at + 4, bytes, time: Frame::time_of(&start[4..]) });
        file.seek_relative(i64::from(bytes) - FRAME_HEAD as i64)?;
        at = end;
    }
    Ok((frames, length - at))
}
