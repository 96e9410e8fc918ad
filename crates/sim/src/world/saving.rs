//! Saving a world, and restoring it bit for bit.

use super::World;
use crate::snapshot::{Reader, Snapshot, SnapshotError, VERSION, Writer};
use crate::state::State;

impl World {
    /// Everything that the next steps depend on.
    pub fn save(&self) -> Snapshot {
        let mut out = Writer::default();
        out.u32(VERSION);
        out.u32(self.config.description().snapshot_id);
        out.u64(self.identity);
        out.points(&self.state.positions);
        out.points(&self.state.velocities);
        out.f64(self.state.time);
        out.u64(self.state.steps);
        out.points(self.start());
        out.bool(self.has_stepped);
        if self.has_timed_pins() {
            self.system.active_pins.iter().for_each(|active| out.bool(*active));
            out.points(&self.system.origins);
        }
        self.workspace.save(&mut out);
        self.contacts.save(&mut out);
        self.solver.save(&mut out);
        Snapshot::from_bytes(out.into_bytes())
    }

    /// Goes back to where a world of the same model and solver was when it was saved. Values that were changed by
    /// [`World::edit`] stay as they are now. On an error nothing has changed.
    ///
    /// # Errors
    /// If the snapshot is damaged or of another world.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let before = self.save();
        let restored = self.load(snapshot.as_bytes());
        if restored.is_err() {
            // What was just saved fits.
            let _ = self.load(before.as_bytes());
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
        if from.u64()? != self.identity {
            return Err(SnapshotError::OtherModel);
        }
        let state = State {
            positions: from.points("positions", n)?,
            velocities: from.points("velocities", n)?,
            time: from.f64()?,
            steps: from.u64()?,
        };
        let mut all = state.positions.iter().chain(&state.velocities);
        if !state.time.is_finite() || all.any(|x| !x.is_finite()) {
            return Err(SnapshotError::Impossible { what: "place, velocity or time" });
        }
        let start = from.points("places at the start", n)?;
        self.settled_start = (start != self.system.start).then_some(start);
        let has_stepped = from.bool()?;
        if self.has_timed_pins() {
            let pins = self.model.pins.len();
            let active = (0..pins).map(|_| from.bool()).collect::<Result<Vec<bool>, _>>()?;
            let origins = from.points("origins of pins", n)?;
            self.hold_by(active, origins).map_err(|_| SnapshotError::Impossible { what: "set of pins" })?;
        }
        self.has_stepped = has_stepped;
        self.workspace.load(&mut from)?;
        self.contacts.load(&self.system, &mut from)?;
        if !self.holds().is_empty() && self.prepare_holds().is_err() {
            return Err(SnapshotError::Impossible { what: "hold for this solver" });
        }
        self.solver.load(&mut from)?;
        self.state = state;
        from.end()
    }
}
