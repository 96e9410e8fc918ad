//! Reading `frames.bin`.

use super::{MAGIC, RecordedBody, RecordedLine, RecordedObstacle, UNFINISHED, VERSION, WITHOUT_LINES, take};
use crate::error::OutputError;
use pliant::Pose;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A recording that was opened for reading.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: BufReader<File>,
    bodies: Vec<RecordedBody>,
    triangles: Vec<[u32; 3]>,
    obstacles: Vec<RecordedObstacle>,
    lines: Vec<RecordedLine>,
    vertices: usize,
    frames: usize,
    complete: bool,
    dt: f64,
    camera: [f32; 3],
    data_start: u64,
}

impl Recording {
    /// Opens `frames.bin` and checks it: every count must fit the size of the file, every index its count.
    pub fn open(path: &Path) -> Result<Recording, OutputError> {
        let damaged = |cause: String| OutputError::Damaged { path: path.to_path_buf(), cause };
        let file = File::open(path).map_err(OutputError::io(path))?;
        let length = file.metadata().map_err(OutputError::io(path))?.len();
        let mut source = Source { file: BufReader::new(file), left: length };
        let parsed = read_header(&mut source).map_err(damaged)?;
        let data_start = length - source.left;
        let size = frame_size(parsed.vertices, &parsed.lines, parsed.obstacles.len());
        let whole = source.left / size;
        let (frames, complete) = match parsed.frames {
            UNFINISHED => (whole, false),
            n if u64::from(n) * size == source.left => (u64::from(n), true),
            n => {
                return Err(damaged(format!(
                    "the file should have {n} frames of {size} bytes, but has {} bytes of frames",
                    source.left
                )));
            }
        };
        Ok(Recording {
            path: path.to_path_buf(),
            file: source.file,
            bodies: parsed.bodies,
            triangles: parsed.triangles,
            obstacles: parsed.obstacles,
            lines: parsed.lines,
            vertices: parsed.vertices,
            frames: frames as usize,
            complete,
            dt: parsed.dt,
            camera: parsed.camera,
            data_start,
        })
    }

    /// Bodies in order.
    pub fn bodies(&self) -> &[RecordedBody] {
        &self.bodies
    }

    /// Surface triangles over the vertices of all bodies.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Obstacles in order.
    pub fn obstacles(&self) -> &[RecordedObstacle] {
        &self.obstacles
    }

    /// Lines in order.
    pub fn lines(&self) -> &[RecordedLine] {
        &self.lines
    }

    /// Number of whole frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Whether the run that wrote it came to its end.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Time step of the run in s.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Direction from the bodies to the eye.
    pub fn camera(&self) -> [f32; 3] {
        self.camera
    }

    /// A frame.
    pub fn frame(&mut self, index: usize) -> Result<Frame, OutputError> {
        if index >= self.frames {
            let cause = format!("there is no frame {index}, it has {}", self.frames);
            return Err(OutputError::Damaged { path: self.path.clone(), cause });
        }
        let size = frame_size(self.vertices, &self.lines, self.obstacles.len());
        let mut bytes = vec![0; size as usize];
        let mut read = || {
            self.file.seek(SeekFrom::Start(self.data_start + index as u64 * size))?;
            self.file.read_exact(&mut bytes)
        };
        read().map_err(OutputError::io(&self.path))?;
        let (poses, points) = bytes[8..].split_at(POSE_BYTES * self.obstacles.len());
        let (positions, mut lines) = points.split_at(12 * self.vertices);
        let each = self.lines.iter().map(|line| {
            let (own, others) = lines.split_at(12 * line.points);
            lines = others;
            places(own)
        });
        Ok(Frame {
            time: f64::from_le_bytes(take(&bytes[..8])),
            poses: poses.chunks_exact(POSE_BYTES).map(pose).collect(),
            lines: each.collect(),
            positions: places(positions),
        })
    }
}

/// The world at some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time in s.
    pub time: f64,
    /// Where the obstacles are.
    pub poses: Vec<Pose>,
    /// Positions of the vertices of all bodies in m.
    pub positions: Vec<[f32; 3]>,
    /// Positions of the points of each line in m.
    pub lines: Vec<Vec<[f32; 3]>>,
}

/// Twelve numbers.
const POSE_BYTES: usize = 48;

fn frame_size(vertices: usize, lines: &[RecordedLine], obstacles: usize) -> u64 {
    let points: u64 = lines.iter().map(|l| l.points as u64).sum();
    8 + (POSE_BYTES * obstacles) as u64 + 12 * (vertices as u64 + points)
}

fn places(bytes: &[u8]) -> Vec<[f32; 3]> {
    bytes.chunks_exact(12).map(|p| std::array::from_fn(|k| number(p, k))).collect()
}

/// The `index`-th number of a list.
fn number(bytes: &[u8], index: usize) -> f32 {
    f32::from_le_bytes(take(&bytes[4 * index..]))
}

fn pose(bytes: &[u8]) -> Pose {
    let at = |index: usize| f64::from(number(bytes, index));
    Pose {
        rotation: std::array::from_fn(|row| std::array::from_fn(|column| at(3 * row + column))),
        translation: std::array::from_fn(|k| at(9 + k)),
    }
}

struct Header {
    bodies: Vec<RecordedBody>,
    triangles: Vec<[u32; 3]>,
    obstacles: Vec<RecordedObstacle>,
    lines: Vec<RecordedLine>,
    vertices: usize,
    frames: u32,
    dt: f64,
    camera: [f32; 3],
}

/// A file and how much of it is left, so that no count is believed beyond it.
struct Source {
    file: BufReader<File>,
    left: u64,
}

impl Source {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut out = [0; N];
        self.file.read_exact(&mut out).map_err(|_| "the file is cut off in its header".to_string())?;
        self.left = self.left.saturating_sub(N as u64);
        Ok(out)
    }

    fn count(&mut self) -> Result<u32, String> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn expect(&self, items: u64, size: u64) -> Result<(), String> {
        if items.saturating_mul(size) > self.left {
            Err("the file is cut off in its header".into())
        } else {
            Ok(())
        }
    }

    fn text(&mut self) -> Result<String, String> {
        let length = self.count()?;
        self.expect(u64::from(length), 1)?;
        let mut bytes = vec![0; length as usize];
        self.file.read_exact(&mut bytes).map_err(|_| "the file is cut off in a name".to_string())?;
        self.left -= u64::from(length);
        String::from_utf8(bytes).map_err(|_| "a name is not UTF-8".to_string())
    }
}

fn read_header(source: &mut Source) -> Result<Header, String> {
    if &source.bytes::<8>()? != MAGIC {
        return Err("this is not a recording of pliant".into());
    }
    let version = source.count()?;
    if version != VERSION && version != WITHOUT_LINES {
        return Err(format!("the recording has version {version}, this program reads {VERSION}"));
    }
    let [bodies, vertices, triangles] = [source.count()?, source.count()?, source.count()?];
    let [obstacles, frames] = [source.count()?, source.count()?];
    let dt = f64::from_le_bytes(source.bytes()?);
    let camera = [source.bytes()?, source.bytes()?, source.bytes()?].map(f32::from_le_bytes);
    source.expect(bodies.into(), 12)?;
    let mut list: Vec<RecordedBody> = Vec::new();
    let (mut v, mut t) = (0usize, 0usize);
    for _ in 0..bodies {
        let name = source.text()?;
        let (next_v, next_t) = (v + source.count()? as usize, t + source.count()? as usize);
        list.push(RecordedBody { name, vertices: v..next_v, triangles: t..next_t });
        (v, t) = (next_v, next_t);
    }
    if v != vertices as usize || t != triangles as usize {
        return Err("the bodies do not add up to the recording".into());
    }
    let indices = read_triangles(source, triangles, vertices)?;
    source.expect(obstacles.into(), 16)?;
    let obstacles = (0..obstacles).map(|_| read_obstacle(source)).collect::<Result<Vec<_>, String>>()?;
    let lines = if version == WITHOUT_LINES { Vec::new() } else { read_lines(source)? };
    Ok(Header { bodies: list, triangles: indices, obstacles, lines, vertices: v, frames, dt, camera })
}

fn read_lines(source: &mut Source) -> Result<Vec<RecordedLine>, String> {
    let count = source.count()?;
    source.expect(count.into(), 8)?;
    let line = |_| Ok(RecordedLine { name: source.text()?, points: source.count()? as usize });
    (0..count).map(line).collect()
}

fn read_triangles(source: &mut Source, count: u32, vertices: u32) -> Result<Vec<[u32; 3]>, String> {
    source.expect(count.into(), 12)?;
    let mut triangles = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let triangle = [source.count()?, source.count()?, source.count()?];
        if triangle.iter().any(|&i| i >= vertices) {
            return Err("a triangle names a vertex that is not there".into());
        }
        triangles.push(triangle);
    }
    Ok(triangles)
}

fn read_obstacle(source: &mut Source) -> Result<RecordedObstacle, String> {
    let name = source.text()?;
    let [is_plane, points, triangles] = [source.count()?, source.count()?, source.count()?];
    source.expect(points.into(), 12)?;
    let mut positions = Vec::with_capacity(points as usize);
    for _ in 0..points {
        positions.push([source.bytes()?, source.bytes()?, source.bytes()?].map(f32::from_le_bytes));
    }
    let triangles = read_triangles(source, triangles, points)?;
    Ok(RecordedObstacle { name, is_plane: is_plane != 0, positions, triangles })
}
