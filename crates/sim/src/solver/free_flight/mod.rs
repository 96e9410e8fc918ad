//! Vertices that fly freely: inertia, loads, drag and gusts of wind, no elasticity and no contact.
//!
//! This is the worked example of a solver, and the test that a folder and a line in the table are all that it takes. It
//! is compiled with the feature `dummy-solver` only.

mod config;

pub use config::FreeFlightConfig;

use super::settings::{AnySettings, Settings};
use super::{Counter, Kind, Monitor, SettingError, SolveError, Solver, Stage, StepInput, StepOutcome, Value};
use crate::contact::Contacts;
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_mesh::DVec3;

/// Moving the vertices.
const FLIGHT: Stage = Stage::new("flight");

/// Vertices that were moved.
const FLOWN: Counter = Counter::new("flown");

/// The solver.
#[derive(Clone, Debug)]
struct FreeFlight {
    config: FreeFlightConfig,
    /// State of the random numbers that make the gusts: what the next step depends on besides its input.
    seed: u64,
}

/// The state before the first gust.
const SEED: u64 = 1;

impl FreeFlight {
    fn new(config: &FreeFlightConfig) -> FreeFlight {
        FreeFlight { config: config.clone(), seed: SEED }
    }

    /// A number from -1 to 1, by a linear congruential generator (Knuth's MMIX).
    fn random(&mut self) -> f64 {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Solver for FreeFlight {
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static Kind {
        &FreeFlightConfig::KIND
    }

    /// `v = (v_t + h a) / (1 + h drag)`, drag taken implicitly.
    fn solve(
        &mut self,
        input: &StepInput,
        _contacts: &mut Contacts,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        monitor.iteration(0, None, &|to| to.copy_from_slice(x));
        let h = input.dt;
        let gust = h * h * self.config.gust * DVec3::new(self.random(), self.random(), self.random());
        let slowed = 1.0 / (1.0 + h * self.config.drag);
        for (x, (start, inertial)) in x.iter_mut().zip(input.x_t0.iter().zip(input.inertial)) {
            *x = start + slowed * (inertial - start + gust);
        }
        for (&(vertex, _), target) in input.system.held.iter().zip(input.pin_targets) {
            x[vertex as usize] = *target;
        }
        monitor.lap(FLIGHT);
        monitor.count(FLOWN, x.len() - input.system.held.len());
        monitor.iteration(1, Some(0.0), &|to| to.copy_from_slice(x));
        Ok(StepOutcome { iterations: 1, converged: true, ..StepOutcome::default() })
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.seed);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.seed = from.u64()?;
        Ok(())
    }

    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.config.set(name, value)
    }
}
