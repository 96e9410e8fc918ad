//! Recordings: `frames.bin` with what is seen in some steps, and `state.bin` with the last state in full.
//!
//! The vertices of a body in `frames.bin` are those of its mesh or, if it has a `surface`, those of that.
//!
//! `frames.bin`, little endian:
//!
//! | what | type |
//! |---|---|
//! | `PLIANTFR` | 8 bytes |
//! | version, 1 | u32 |
//! | bodies, vertices, triangles | 3 x u32 |
//! | frames; 2^32 - 1 while the run is going on | u32 |
//! | time step | f64 |
//! | direction to the eye | 3 x f32 |
//! | for each body: bytes of its name, name, vertices, triangles | u32, bytes, u32, u32 |
//! | surface triangles, vertices numbered through all bodies | 3 x u32 each |
//! | for each frame: time, positions of all vertices | f64, 3 x f32 each |

use crate::error::OutputError;
use crate::run::Run;
use pliant::State;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"PLIANTFR";
const STATE_MAGIC: &[u8; 8] = b"PLIANTST";
const VERSION: u32 = 1;
/// Where the number of frames stands.
const FRAMES_OFFSET: u64 = 24;
const UNFINISHED: u32 = u32::MAX;

/// A body in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedBody {
    /// Its name.
    pub name: String,
    /// Its vertices among all vertices.
    pub vertices: std::ops::Range<usize>,
    /// Its triangles among all triangles.
    pub triangles: std::ops::Range<usize>,
}

/// Writes `frames.bin`.
#[derive(Debug)]
pub struct FrameWriter {
    path: PathBuf,
    out: BufWriter<File>,
    frames: u32,
}

impl FrameWriter {
    /// Creates the file with its header.
    pub fn create(path: &Path, run: &Run) -> Result<FrameWriter, OutputError> {
        let file = File::create(path).map_err(OutputError::io(path))?;
        let mut out = BufWriter::new(file);
        write_header(&mut out, run).map_err(OutputError::io(path))?;
        Ok(FrameWriter { path: path.to_path_buf(), out, frames: 0 })
    }

    /// Appends the present state.
    pub fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        let write = |out: &mut BufWriter<File>| -> io::Result<()> {
            out.write_all(&run.world().state().time.to_le_bytes())?;
            for (body, skin) in run.setup().skins.iter().enumerate() {
                for x in skin.positions(run.world().positions(body)).iter().flatten() {
                    out.write_all(&(*x as f32).to_le_bytes())?;
                }
            }
            Ok(())
        };
        write(&mut self.out).map_err(OutputError::io(&self.path))?;
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

fn write_header(out: &mut impl Write, run: &Run) -> io::Result<()> {
    let (bodies, skins) = (&run.world().model().bodies, &run.setup().skins);
    let vertices: Vec<usize> =
        bodies.iter().zip(skins).map(|(b, s)| s.vertex_count(b.mesh.vertices().len())).collect();
    let too_many = || io::Error::new(io::ErrorKind::InvalidInput, "more than 2^32 entries");
    let count = |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_| too_many());
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&count(bodies.len())?)?;
    out.write_all(&count(vertices.iter().sum())?)?;
    out.write_all(&count(skins.iter().map(|s| s.triangles().len()).sum())?)?;
    out.write_all(&UNFINISHED.to_le_bytes())?;
    out.write_all(&run.world().model().dt.to_le_bytes())?;
    for c in run.setup().camera {
        out.write_all(&(c as f32).to_le_bytes())?;
    }
    for ((body, skin), &vertices) in bodies.iter().zip(skins).zip(&vertices) {
        out.write_all(&count(body.name.len())?)?;
        out.write_all(body.name.as_bytes())?;
        out.write_all(&count(vertices)?)?;
        out.write_all(&count(skin.triangles().len())?)?;
    }
    let mut first = 0u32;
    for (skin, &vertices) in skins.iter().zip(&vertices) {
        for v in skin.triangles().iter().flatten() {
            out.write_all(&(v + first).to_le_bytes())?;
        }
        first += vertices as u32;
    }
    Ok(())
}

/// A recording that was opened for reading.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: BufReader<File>,
    bodies: Vec<RecordedBody>,
    triangles: Vec<[u32; 3]>,
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
        let size = frame_size(parsed.vertices);
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

    /// Time and positions of a frame.
    pub fn frame(&mut self, index: usize) -> Result<(f64, Vec<[f32; 3]>), OutputError> {
        if index >= self.frames {
            let cause = format!("there is no frame {index}, it has {}", self.frames);
            return Err(OutputError::Damaged { path: self.path.clone(), cause });
        }
        let size = frame_size(self.vertices);
        let mut bytes = vec![0; size as usize];
        let mut read = || {
            self.file.seek(SeekFrom::Start(self.data_start + index as u64 * size))?;
            self.file.read_exact(&mut bytes)
        };
        read().map_err(OutputError::io(&self.path))?;
        let time = f64::from_le_bytes(take(&bytes[..8]));
        let positions = bytes[8..]
            .chunks_exact(12)
            .map(|p| std::array::from_fn(|k| f32::from_le_bytes(take(&p[4 * k..4 * k + 4]))))
            .collect();
        Ok((time, positions))
    }
}

fn frame_size(vertices: usize) -> u64 {
    8 + 12 * vertices as u64
}

/// The first `N` bytes; zeros where there are fewer.
fn take<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    out
}

struct Header {
    bodies: Vec<RecordedBody>,
    triangles: Vec<[u32; 3]>,
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
    if version != VERSION {
        return Err(format!("the recording has version {version}, this program reads {VERSION}"));
    }
    let [bodies, vertices, triangles, frames] =
        [source.count()?, source.count()?, source.count()?, source.count()?];
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
    source.expect(triangles.into(), 12)?;
    let mut indices = Vec::with_capacity(t);
    for _ in 0..t {
        let triangle = [source.count()?, source.count()?, source.count()?];
        if triangle.iter().any(|&i| i >= vertices) {
            return Err("a triangle names a vertex that is not there".into());
        }
        indices.push(triangle);
    }
    Ok(Header { bodies: list, triangles: indices, vertices: v, frames, dt, camera })
}

/// Writes a state in full precision: `PLIANTST`, version, vertices (u32), steps (u64), time, positions, velocities (f64).
pub fn save_state(path: &Path, state: &State) -> Result<(), OutputError> {
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(STATE_MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(state.positions.len() as u32).to_le_bytes())?;
        out.write_all(&state.steps.to_le_bytes())?;
        out.write_all(&state.time.to_le_bytes())?;
        for x in state.positions.iter().chain(&state.velocities).flatten() {
            out.write_all(&x.to_le_bytes())?;
        }
        out.flush()
    };
    write().map_err(OutputError::io(path))
}

/// Reads what [`save_state`] wrote.
pub fn load_state(path: &Path) -> Result<State, OutputError> {
    let damaged = |cause: &str| OutputError::Damaged { path: path.to_path_buf(), cause: cause.to_string() };
    let bytes = std::fs::read(path).map_err(OutputError::io(path))?;
    if bytes.len() < 32 || &bytes[..8] != STATE_MAGIC || take::<4>(&bytes[8..]) != VERSION.to_le_bytes() {
        return Err(damaged("this is not a state of this version"));
    }
    let count = u32::from_le_bytes(take(&bytes[12..])) as usize;
    if (bytes.len() - 32) as u64 != count as u64 * 48 {
        return Err(damaged("the file has another size than its header says"));
    }
    let points: Vec<[f64; 3]> = bytes[32..]
        .chunks_exact(24)
        .map(|p| std::array::from_fn(|k| f64::from_le_bytes(take(&p[8 * k..8 * k + 8]))))
        .collect();
    let (positions, velocities) = points.split_at(count);
    Ok(State {
        positions: positions.to_vec(),
        velocities: velocities.to_vec(),
        time: f64::from_le_bytes(take(&bytes[24..])),
        steps: u64::from_le_bytes(take(&bytes[16..])),
    })
}
