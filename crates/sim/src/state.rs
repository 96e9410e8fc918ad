//! The moving state: positions, velocities, time.

use pliant_mesh::Point;

/// Positions and velocities of all vertices of all bodies, one body after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Positions in m.
    pub positions: Vec<Point>,
    /// Velocities in m/s.
    pub velocities: Vec<Point>,
    /// Time in s.
    pub time: f64,
    /// Steps taken since the start.
    pub steps: u64,
}

impl State {
    /// A hash of positions and velocities, bit by bit (FNV-1a, 64 bit).
    pub fn hash(&self) -> u64 {
        let mut h: u64 = 0xcbf2_9ce4_8422_2325;
        for value in self.positions.iter().chain(&self.velocities).flatten() {
            for byte in value.to_bits().to_le_bytes() {
                h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        h
    }
}
