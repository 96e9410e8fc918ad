//! Recordings: `frames.bin` with what is seen in some steps, and `state.bin` with the last state in full.
//!
//! The vertices of a body in `frames.bin` are those of its mesh or, if it has a `surface`, those of that.
//!
//! `frames.bin`, little endian:
//!
//! | what | type |
//! |---|---|
//! | `PLIANTFR` | 8 bytes |
//! | version, 3 | u32 |
//! | bodies, vertices, triangles, obstacles | 4 x u32 |
//! | frames; 2^32 - 1 while the run is going on | u32 |
//! | time step | f64 |
//! | direction to the eye | 3 x f32 |
//! | for each body: bytes of its name, name, vertices, triangles | u32, bytes, u32, u32 |
//! | surface triangles, vertices numbered through all bodies | 3 x u32 each |
//! | for each obstacle: bytes of its name, name, 1 for a plane, points, triangles | u32, bytes, 3 x u32 |
//! | then its points in its own coordinates, and its triangles | 3 x f32 each, 3 x u32 each |
//! | lines, which are cables and needles | u32 |
//! | for each line: bytes of its name, name, points | u32, bytes, u32 |
//! | for each frame: time | f64 |
//! | then for each obstacle rows of its rotation, translation | 12 x f32 |
//! | then the positions of all vertices, and of the points of all lines | 3 x f32 each |
//!
//! Version 2 has no lines.

mod reader;
mod state;
mod writer;

pub use reader::{Frame, Recording};
pub use state::{load_state, save_state};
pub use writer::FrameWriter;

const MAGIC: &[u8; 8] = b"PLIANTFR";
const VERSION: u32 = 3;
/// The last version without lines.
const WITHOUT_LINES: u32 = 2;
/// Where the number of frames stands.
const FRAMES_OFFSET: u64 = 28;
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

/// An obstacle in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedObstacle {
    /// Its name.
    pub name: String,
    /// Whether it is everything below z = 0 of its own coordinates; then it has no triangles.
    pub is_plane: bool,
    /// Points of its surface in its own coordinates, m.
    pub positions: Vec<[f32; 3]>,
    /// Its surface.
    pub triangles: Vec<[u32; 3]>,
}

/// A cable or a needle in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLine {
    /// Its name.
    pub name: String,
    /// Number of its points.
    pub points: usize,
}

/// The first `N` bytes; zeros where there are fewer.
fn take<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    out
}
