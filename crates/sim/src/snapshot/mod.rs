//! The whole memory of a world, to be kept and given back: a restored world takes the same steps, bit for bit, as the one
//! that was saved.
//!
//! Besides positions and velocities this is what makes the next step start well: the forces of contacts and joints, the
//! directions in which surfaces touched, the duals or rotations of all elements, and the order in which the contact
//! operator lists its vertices, because sums round differently in another order. What a step finds anew, whether it was
//! known before or not, is left out: trees of boxes, entries of the operator, factors.

mod bytes;

pub use bytes::{Reader, Writer};

use crate::state::State;
use crate::world::World;

/// Changes whenever what is saved, or the meaning of it, changes.
const VERSION: u32 = 1;

/// What [`World::save`] keeps.
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
    /// A value that nothing can have.
    #[error("the snapshot has an impossible {what}: save it again")]
    Impossible {
        /// Which one.
        what: &'static str,
    },
}

impl World {
    /// Everything that the next steps depend on.
    pub fn save(&self) -> Snapshot {
        let mut out = Writer::default();
        out.u32(VERSION);
        out.u32(self.config.description().snapshot_id);
        out.points(&self.state.positions);
        out.points(&self.state.velocities);
        out.f64(self.state.time);
        out.u64(self.state.steps);
        out.points(&self.system.start);
        out.bool(self.has_stepped);
        self.workspace.save(&mut out);
        self.contacts.save(&mut out);
        self.solver.save(&mut out);
        Snapshot { bytes: out.into_bytes() }
    }

    /// Goes back to where a world of the same model and solver was when it was saved. Values that were changed by
    /// [`World::edit`] stay as they are now. On an error nothing has changed.
    ///
    /// # Errors
    /// If the snapshot is damaged or of another world.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let before = self.save();
        let restored = self.load(&snapshot.bytes);
        if restored.is_err() {
            // What was just saved fits.
            let _ = self.load(&before.bytes);
        }
        restored
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut from = Reader::new(bytes);
        let version = from.u32()?;
        if version != VERSION {
            return Err(SnapshotError::Version { found: version });
        }
        let n = self.system.rest.len();
        let kind = u64::from(self.config.description().snapshot_id);
        from.same("as its kind of solver", kind, |r| r.u32().map(u64::from))?;
        let state = State {
            positions: from.points("positions", n)?,
            velocities: from.points("velocities", n)?,
            time: from.f64()?,
            steps: from.u64()?,
        };
        let all = state.positions.iter().chain(&state.velocities).flatten();
        if !state.time.is_finite() || all.into_iter().any(|x| !x.is_finite()) {
            return Err(SnapshotError::Impossible { what: "place, velocity or time" });
        }
        self.system.start = from.points("places at the start", n)?;
        self.has_stepped = from.bool()?;
        self.workspace.load(&mut from)?;
        self.contacts.load(&self.model, &self.system, &mut from)?;
        if !self.holds().is_empty() && self.prepare_holds().is_err() {
            return Err(SnapshotError::Impossible { what: "hold for this solver" });
        }
        self.solver.load(&mut from)?;
        self.state = state;
        from.end()
    }
}
