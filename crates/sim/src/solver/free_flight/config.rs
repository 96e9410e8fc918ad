//! Settings of free flight.

use super::FreeFlight;
use crate::fem::System;
use crate::solver::field::Field;
use crate::solver::knob::Range;
use crate::solver::settings::Settings;
use crate::solver::{ContactUse, Kind, SetupError, Solver};

/// Settings of free flight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FreeFlightConfig {
    /// How fast motion dies away, 1/s.
    pub drag: f64,
    /// Largest acceleration by the wind along an axis, m/s^2.
    pub gust: f64,
}

impl Settings for FreeFlightConfig {
    const KIND: Kind = Kind {
        name: "free_flight",
        about: "free flight with drag and gusts, without elasticity and contact: an example",
        snapshot_id: u32::MAX,
        contact: ContactUse::None,
        stages: &[super::FLIGHT],
        counters: &[super::FLOWN],
        presets: &[],
    };

    const FIELDS: &'static [Field<Self>] = &[
        Field::<Self>::number(
            "drag",
            "How fast motion dies away, 1/s.",
            Range::NOT_NEGATIVE,
            |c| c.drag,
            |c, x| c.drag = x,
        )
        .live([0.0, 10.0]),
        Field::<Self>::number(
            "gust",
            "Largest acceleration by the wind along an axis, m/s^2.",
            Range::NOT_NEGATIVE,
            |c| c.gust,
            |c, x| c.gust = x,
        )
        .live([0.0, 20.0]),
    ];

    fn build(&self, _: &System, _: f64, _: bool) -> Result<Box<dyn Solver>, SetupError> {
        Ok(Box::new(FreeFlight::new(self)))
    }
}
