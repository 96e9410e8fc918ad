//! The moving state: positions, velocities, time.

use pliant_mesh::DVec3;

/// Positions and velocities of all vertices of all bodies, one body after the other.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// let start = world.state().clone();
/// (0..10).try_for_each(|_| world.step().map(|_| ()))?;
/// assert!((world.state().time - 0.1).abs() < 1e-12);
/// world.set_state(start)?; // back to the start
/// # Ok(())
/// # }
/// ```
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
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{State, StateError};
///
/// let mut world = cube_on_floor();
/// let late = State { time: f64::NAN, ..world.state().clone() };
/// assert!(matches!(world.set_state(late), Err(StateError::Time(_))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
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
    /// A place or a velocity is infinite or none.
    #[error("vertex {vertex} of the state has a position or velocity that is not finite")]
    NotFinite {
        /// Index among the vertices of all bodies.
        vertex: usize,
    },
    /// A time that is infinite or none.
    #[error("the time of the state is {0} s, it must be finite")]
    Time(f64),
}

impl State {
    /// Whether it can be one of a world of so many vertices.
    pub(crate) fn check(&self, vertices: usize) -> Result<(), StateError> {
        self.check_size(vertices)?;
        let vertex = |all: &[DVec3]| all.iter().position(|x| !x.is_finite());
        if let Some(vertex) = vertex(&self.positions).or_else(|| vertex(&self.velocities)) {
            return Err(StateError::NotFinite { vertex });
        }
        match self.time.is_finite() {
            true => Ok(()),
            false => Err(StateError::Time(self.time)),
        }
    }

    /// Whether there is a position and a velocity for each of so many vertices.
    fn check_size(&self, vertices: usize) -> Result<(), StateError> {
        let (positions, velocities) = (self.positions.len(), self.velocities.len());
        if positions == vertices && velocities == vertices {
            return Ok(());
        }
        Err(StateError::Size { positions, velocities, vertices })
    }

    /// A hash of positions and velocities, bit by bit (FNV-1a, 64 bit).
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::new();
        for value in self.positions.iter().chain(&self.velocities).flat_map(DVec3::to_array) {
            hash.add(&value.to_bits().to_le_bytes());
        }
        hash.value()
    }
}

/// FNV-1a, 64 bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fnv(u64);

impl Fnv {
    pub(crate) fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// Text that is formatted into it is taken in without being kept.
impl std::fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}
