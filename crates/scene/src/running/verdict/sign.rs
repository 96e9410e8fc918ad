//! One kind of trouble over the steps of a run.

use pliant::SnapshotError;
use pliant::snapshot::{Reader, Writer};

/// A step and its time in s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moment {
    pub step: u64,
    pub time: f64,
}

/// In how many steps there was trouble, when first, and how bad it was at worst.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sign {
    /// Steps with it; 0 if there was none.
    pub steps: u64,
    pub first: Moment,
    /// The last step with it.
    pub last: Moment,
    /// The largest value, when it was, and the body that had it.
    pub worst: f64,
    pub worst_at: Moment,
    pub body: usize,
}

impl Sign {
    /// Takes in a step with trouble.
    pub(super) fn add(&mut self, now: Moment, value: f64, body: usize) {
        if self.steps == 0 {
            self.first = now;
        }
        // What is not a number is worse than any number.
        if self.steps == 0 || value > self.worst || value.is_nan() {
            (self.worst, self.worst_at, self.body) = (value, now, body);
        }
        self.steps += 1;
        self.last = now;
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        for moment in [self.first, self.last, self.worst_at] {
            out.u64(moment.step);
            out.f64(moment.time);
        }
        out.f64(self.worst);
        out.u64(self.body as u64);
    }

    pub(super) fn load(from: &mut Reader) -> Result<Sign, SnapshotError> {
        let steps = from.u64()?;
        let mut moment = || Ok(Moment { step: from.u64()?, time: from.f64()? });
        let (first, last, worst_at) = (moment()?, moment()?, moment()?);
        Ok(Sign { steps, first, last, worst_at, worst: from.f64()?, body: from.usize()? })
    }
}
