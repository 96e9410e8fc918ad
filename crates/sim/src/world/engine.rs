//! The solver of a world: one of its own, or one that worlds take in turn.

use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::{Memory, Solver};
use std::sync::{Arc, Mutex, PoisonError};

/// What solves the steps of a world.
#[derive(Clone, Debug)]
pub(super) enum Engine {
    /// Its own solver.
    Own(Box<dyn Solver>),
    /// A solver that it has only while it works, and what that solver has to remember for this world.
    Shared { garage: Arc<Garage>, warm: Vec<u8> },
}

/// Solvers that worlds take in turn. There are never more than work at the same time.
#[derive(Debug)]
pub(super) struct Garage {
    model: Box<dyn Solver>,
    idle: Mutex<Vec<Box<dyn Solver>>>,
}

impl Garage {
    fn take(&self) -> Box<dyn Solver> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| self.model.duplicate())
    }

    fn give(&self, solver: Box<dyn Solver>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(solver);
    }
}

impl Engine {
    /// Lets the solver be shared by all copies of this engine.
    pub(super) fn share(&mut self) {
        if let Engine::Own(solver) = self {
            let (model, mut out) = (solver.duplicate(), Writer::default());
            solver.save(&mut out);
            let garage = Arc::new(Garage { model, idle: Mutex::default() });
            *self = Engine::Shared { garage, warm: out.into_bytes() };
        }
    }

    /// Works with the solver as it was left for this world.
    pub(super) fn with<R>(&mut self, work: impl FnOnce(&mut dyn Solver) -> R) -> R {
        match self {
            Engine::Own(solver) => work(solver.as_mut()),
            Engine::Shared { garage, warm } => {
                let mut solver = garage.take();
                // What such a solver saved fits.
                if solver.load(&mut Reader::new(warm)).is_err() {
                    solver.reset();
                }
                let done = work(solver.as_mut());
                let mut out = Writer::reusing(std::mem::take(warm));
                solver.save(&mut out);
                *warm = out.into_bytes();
                garage.give(solver);
                done
            }
        }
    }

    /// A solver of its own, for changes that the other worlds must not see.
    pub(super) fn own(&mut self) -> &mut dyn Solver {
        if let Engine::Shared { garage, warm } = self {
            let mut solver = garage.take();
            if solver.load(&mut Reader::new(warm)).is_err() {
                solver.reset();
            }
            *self = Engine::Own(solver);
        }
        match self {
            Engine::Own(solver) => solver.as_mut(),
            Engine::Shared { .. } => unreachable!("it was just taken out"),
        }
    }

    /// Bytes of the large parts.
    pub(super) fn memory(&self) -> Memory {
        match self {
            Engine::Own(solver) => solver.memory(),
            Engine::Shared { garage, .. } => garage.model.memory(),
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        match self {
            Engine::Own(solver) => solver.save(out),
            Engine::Shared { warm, .. } => out.raw(warm),
        }
    }

    pub(super) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.with(|solver| solver.load(from))
    }
}
