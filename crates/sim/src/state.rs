//! The moving state: positions, velocities, time.

use pliant_mesh::DVec3;

/// Positions and velocities of all vertices of all bodies, one body after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Positions in m.
    pub positions: Vec<DVec3>,
    /// Velocities in m/s.
    pub velocities: Vec<DVec3>,
    /// Time in s.
    pub time: f64,
    /// Steps taken since the start.
    pub steps: u64,
}

/// Why a state is not one of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// It has another size.
    #[error(
        "the state has {positions} positions and {velocities} velocities, the world has {vertices} vertices"
    )]
    Size {
        /// Positions of the state.
        positions: usize,
        /// Velocities of the state.
        velocities: usize,
        /// Vertices of the world.
        vertices: usize,
    },
}

impl State {
    /// Whether there is a position and a velocity for each of so many vertices.
    pub(crate) fn check_size(&self, vertices: usize) -> Result<(), StateError> {
        let (positions, velocities) = (self.positions.len(), self.velocities.len());
        if positions == vertices && velocities == vertices {
            return Ok(());
        }
        Err(StateError::Size { positions, velocities, vertices })
    }

    /// A hash of positions and velocities, bit by bit (FNV-1a, 64 bit).
    pub fn hash(&self) -> u64 {
        let mut h: u64 = 0xcbf2_9ce4_8422_2325;
        for value in self.positions.iter().chain(&self.velocities).flat_map(DVec3::to_array) {
            for byte in value.to_bits().to_le_bytes() {
                h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        h
    }
}
