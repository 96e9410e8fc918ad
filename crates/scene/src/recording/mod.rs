//! Recordings: `frames.bin` with what is seen in some steps, and `state.bin` with the last state in full.
//!
//! `frames.bin`, little endian; its parts are those of [`view`](crate::view):
//!
//! | what | type |
//! |---|---|
//! | `PLIANTFR` | 8 bytes |
//! | version, 4 | u32 |
//! | frames; 2^32 - 1 while the run has not ended | u32 |
//! | bytes of the layout, a multiple of 4 | u32 |
//! | layout as JSON, filled up with spaces | bytes |
//! | geometry | bytes |
//! | for each frame: its bytes, and the frame | u32, bytes |

pub mod checkpoint;

mod reader;
mod regular;
mod state;
mod tables;
mod writer;

pub use reader::Recording;
pub use state::{load_state, save_state};
pub use tables::Tables;
pub use writer::FrameWriter;

const MAGIC: &[u8; 8] = b"PLIANTFR";
const VERSION: u32 = 4;
/// Where the number of frames stands.
const FRAMES_OFFSET: u64 = 12;
const UNFINISHED: u32 = u32::MAX;

/// The first `N` bytes; zeros where there are fewer.
fn take<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    out
}
