//! Pins that take hold or let go while the simulation runs. The unknowns of the solver are others then, so that it is set up anew.

use super::World;
use super::engine::Engine;
use crate::fem::System;
use crate::model::ModelError;
use crate::solver;
use crate::step::{StepError, Workspace};
use pliant_mesh::DVec3;
use std::sync::Arc;

impl World {
    /// Whether a pin takes hold or lets go at some time.
    pub(super) fn has_timed_pins(&self) -> bool {
        self.system.script.holding.iter().any(|during| !during.is_always())
    }

    /// Lets pins take hold and let go that are due in the next step.
    pub(super) fn change_pins(&mut self) -> Result<(), StepError> {
        let (script, t0) = (&self.system.script, self.state.time);
        let span = [t0, t0 + self.system.dt];
        if script.holds_as(&self.system.active_pins, span) {
            return Ok(());
        }
        let active: Vec<bool> = script.holding.iter().map(|during| during.covers(span)).collect();
        let mut origins = self.system.origins.clone();
        for (k, pin) in self.model.pins.iter().enumerate() {
            if active[k] && !self.system.active_pins[k] {
                let first = self.system.bodies[pin.body.index()].vertices.start;
                for (slot, v) in pin.vertices.iter().map(|&v| first + v as usize).enumerate() {
                    origins[v] = pin.motion.origin_of(slot, self.state.positions[v], t0);
                }
            }
        }
        let step = self.state.steps + 1;
        let failed = |e: ModelError| StepError::Pins { step, time: t0, cause: e.to_string() };
        self.hold_by(active, origins).map_err(failed)
    }

    /// Holds what these pins hold, whose motions start from these places. On an error nothing has changed.
    pub(super) fn hold_by(&mut self, active: Vec<bool>, origins: Vec<DVec3>) -> Result<(), ModelError> {
        if active == self.system.active_pins {
            if origins != self.system.origins {
                Arc::make_mut(&mut self.system).origins = origins;
            }
            return Ok(());
        }
        let system = System { origins, ..System::build_with(&self.model, active)? };
        let mut solver = solver::prepare(&self.config, &system, system.dt, &self.contacts)?;
        if !self.holds().is_empty() {
            // They have been held before.
            let _ = solver::prepare_holds(&mut *solver, &system);
        }
        self.contacts.set_pinned(&system);
        self.workspace = Workspace::new(&system);
        (self.system, self.solver) = (Arc::new(system), Engine::Own(solver));
        self.has_stepped = false;
        Ok(())
    }
}
