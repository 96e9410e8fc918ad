//! `state.bin`: a state in full precision.

use super::regular::open_regular;
use super::take;
use crate::error::{Damage, OutputError};
use pliant::State;
use pliant_mesh::DVec3;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"PLIANTST";
const STATE_VERSION: u32 = 1;

/// Writes a state in full precision: `PLIANTST`, version, vertices (u32), steps (u64), time, positions, velocities (f64).
pub fn save_state(path: &Path, state: &State) -> Result<(), OutputError> {
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(MAGIC)?;
        out.write_all(&STATE_VERSION.to_le_bytes())?;
        out.write_all(&(state.positions.len() as u32).to_le_bytes())?;
        out.write_all(&state.steps.to_le_bytes())?;
        out.write_all(&state.time.to_le_bytes())?;
        for x in state.positions.iter().chain(&state.velocities).flat_map(|p| p.to_array()) {
            out.write_all(&x.to_le_bytes())?;
        }
        out.flush()
    };
    write().map_err(OutputError::io(path))
}

/// Reads what [`save_state`] wrote.
pub fn load_state(path: &Path) -> Result<State, OutputError> {
    let damaged = |damage| OutputError::Damaged { path: path.to_path_buf(), damage };
    let mut file = open_regular(path).map_err(OutputError::io(path))?;
    let length = file.metadata().map_err(OutputError::io(path))?.len();
    // The head says how much there must be: nothing more is read before that is so.
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(32).read_to_end(&mut bytes).map_err(OutputError::io(path))?;
    if bytes.len() < 32 || &bytes[..8] != MAGIC || take::<4>(&bytes[8..]) != STATE_VERSION.to_le_bytes() {
        return Err(damaged(Damage::NotAState));
    }
    let count = u32::from_le_bytes(take(&bytes[12..])) as usize;
    if length.saturating_sub(32) != count as u64 * 48 {
        return Err(damaged(Damage::StateSize));
    }
    file.take(length).read_to_end(&mut bytes).map_err(OutputError::io(path))?;
    if bytes.len() as u64 != length {
        return Err(damaged(Damage::StateSize));
    }
    let number = |bytes: &[u8]| f64::from_le_bytes(take(bytes));
    let point = |p: &[u8]| DVec3::new(number(p), number(&p[8..]), number(&p[16..]));
    let points: Vec<DVec3> = bytes[32..].chunks_exact(24).map(point).collect();
    let (positions, velocities) = points.split_at(count);
    Ok(State {
        positions: positions.to_vec(),
        velocities: velocities.to_vec(),
        time: number(&bytes[24..]),
        steps: u64::from_le_bytes(take(&bytes[16..])),
    })
}
