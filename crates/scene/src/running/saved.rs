//! A run as bytes: the world, and everything its report needs of the steps so far.

use super::Run;
use super::contacts::ContactHistory;
use super::inspection::Inspection;
use super::traces::Traces;
use crate::building::Setup;
use crate::measuring::Samples;
use pliant::snapshot::{Reader, Writer};
use pliant::{Snapshot, SnapshotError, StepOutcome, World};
use std::time::Instant;

impl Run {
    /// Writes everything that is not in the scene.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.bytes(self.world.save().as_bytes());
        out.u64(self.steps as u64);
        self.histories.iter().for_each(|h| h.save(out));
        self.step_ms.save(out);
        self.stage_ms.iter().for_each(|(_, s)| s.save(out));
        self.counters.iter().for_each(|(_, s)| s.save(out));
        self.iterations.save(out);
        let last = &self.last_outcome;
        out.u64(last.iterations as u64);
        out.f64(last.residual_first);
        out.f64(last.residual_last);
        out.bool(last.converged);
        out.f64(self.worst_residual);
        self.contact.save(out);
        self.inspection.save(out);
        self.watch.save(out);
        self.traces.save(out);
        out.f64(self.setup_s);
        out.f64(self.elapsed_s());
    }

    /// A run of this scene at the moment when it was saved, given the world as it is assembled from the scene.
    pub(crate) fn load(setup: Setup, world: World, from: &mut Reader) -> Result<Run, SnapshotError> {
        let mut run = Run::from_world(world, setup, Instant::now());
        run.world.restore(&Snapshot::from_bytes(from.bytes()?.to_vec()))?;
        run.load_measurements(from)?;
        from.end()?;
        Ok(run)
    }

    fn load_measurements(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.steps = from.usize()?;
        self.histories.iter_mut().try_for_each(|h| h.load(from))?;
        self.step_ms = Samples::load(from)?;
        for (_, samples) in &mut self.stage_ms {
            *samples = Samples::load(from)?;
        }
        for (_, samples) in &mut self.counters {
            *samples = Samples::load(from)?;
        }
        self.iterations = Samples::load(from)?;
        self.last_outcome = StepOutcome {
            iterations: from.usize()?,
            residual_first: from.f64()?,
            residual_last: from.f64()?,
            converged: from.bool()?,
        };
        self.worst_residual = from.f64()?;
        self.contact = ContactHistory::load(from)?;
        self.inspection = Inspection::load(from)?;
        self.watch.load(from)?;
        self.traces = Traces::load(from, &self.setup.probes, &self.world)?;
        self.setup_s = from.f64()?;
        self.before_s = from.f64()?;
        self.started = Instant::now();
        Ok(())
    }
}
