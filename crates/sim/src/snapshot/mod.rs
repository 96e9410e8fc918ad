//! The whole memory of a world, to be kept and given back: a restored world takes the same steps, bit for bit, as the one
//! that was saved.
//!
//! Besides positions and velocities this is what makes the next step start well: the forces of contacts and joints, the
//! directions in which surfaces touched, the duals or rotations of all elements, and the order in which the contact
//! operator lists its vertices, because sums round differently in another order. What a step finds anew, whether it was
//! known before or not, is left out: trees of boxes, entries of the operator, factors.

mod bytes;

pub use bytes::{Reader, Writer};

/// Changes whenever what is saved, or the meaning of it, changes.
pub(crate) const VERSION: u32 = 3;

/// What [`World::save`](crate::World::save) keeps.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::Snapshot;
///
/// let mut world = cube_on_floor();
/// world.step()?;
/// let saved = world.save();
/// let hash = world.state().hash();
/// world.step()?;
/// // Bytes can go into a file.
/// world.restore(&Snapshot::from_bytes(saved.as_bytes().to_vec()))?;
/// assert_eq!(world.state().hash(), hash);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    bytes: Vec<u8>,
}

impl Snapshot {
    /// The snapshot as bytes. They are for the same version of this library on any machine, but carry no checksum.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes bytes for a snapshot. Whether they are one shows when a world is restored from them.
    pub fn from_bytes(bytes: Vec<u8>) -> Snapshot {
        Snapshot { bytes }
    }
}

/// Why a world cannot be restored from a snapshot.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{Snapshot, SnapshotError};
///
/// let mut world = cube_on_floor();
/// let refused: SnapshotError = world.restore(&Snapshot::from_bytes(vec![1, 2, 3])).unwrap_err();
/// println!("{refused}"); // and the world is as it was
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It ends before all is read.
    #[error("the snapshot is cut off: save it again")]
    Cut,
    /// There is more than was saved.
    #[error("the snapshot has {bytes} bytes too many: save it again")]
    TooLong {
        /// How many.
        bytes: usize,
    },
    /// It comes from another version of this library.
    #[error(
        "the snapshot has version {found}, this program restores {VERSION}: use the program that saved it"
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// It comes from another world.
    #[error(
        "the snapshot has {found} {what}, the world has {here}: restore it to a world of the same scene and solver"
    )]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// What the snapshot has.
        found: u64,
        /// What the world has.
        here: u64,
    },
    /// It comes from a world with another mesh, time step, pin, load, obstacle or joint.
    #[error(
        "the snapshot is of a model with another mesh, dt, pin, load, obstacle or joint: restore it to a world of the same scene"
    )]
    OtherModel,
    /// A value that nothing can have.
    #[error("the snapshot has an impossible {what}: save it again")]
    Impossible {
        /// Which one.
        what: &'static str,
    },
}
