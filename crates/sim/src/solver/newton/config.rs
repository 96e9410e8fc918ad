//! Settings of Newton's method.

use super::Newton;
use crate::fem::System;
use crate::solver::field::Field;
use crate::solver::knob::Range;
use crate::solver::settings::Settings;
use crate::solver::{ContactUse, Kind, SetupError, Solver};

/// Settings of the Newton reference solver.
///
/// ```
/// use pliant::{NewtonConfig, SolverConfig};
///
/// let config = SolverConfig::Newton(NewtonConfig { tolerance: 1e-8, ..NewtonConfig::default() });
/// assert_eq!(config.kind(), "newton");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonConfig {
    /// Most Newton iterations in a step.
    pub iterations: usize,
    /// Converged when the Newton step is below this fraction of the body size.
    pub tolerance: f64,
}

impl Default for NewtonConfig {
    fn default() -> Self {
        NewtonConfig { iterations: 100, tolerance: 1e-10 }
    }
}

impl Settings for NewtonConfig {
    const KIND: Kind = Kind {
        name: "newton",
        about: "Newton's method to convergence, without contact: the reference",
        snapshot_id: 1,
        contact: ContactUse::None,
        stages: &[super::LINE_SEARCH],
        counters: &[super::HALVINGS],
        presets: &[],
    };

    const FIELDS: &'static [Field<Self>] = &[
        Field::<Self>::iterations(|c| c.iterations, |c, n| c.iterations = n),
        Field::<Self>::number(
            "tolerance",
            "Part of the size of its body by which no vertex moves any more when a step has converged.",
            Range::POSITIVE,
            |c| c.tolerance,
            |c, x| c.tolerance = x,
        ),
    ];

    fn build(&self, system: &System, _: f64, _: bool) -> Result<Box<dyn Solver>, SetupError> {
        Ok(Box::new(Newton::new(self, system)))
    }
}
