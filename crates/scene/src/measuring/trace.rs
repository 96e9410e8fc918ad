//! A quantity over a run in bounded memory, for plots: beyond some thousand values neighbours are kept as their smallest
//! and largest.

use pliant::SnapshotError;
use pliant::snapshot::{Reader, Writer};

/// Most bins; when they are full neighbours are put together.
const MOST: usize = 2048;

/// Values at ascending times.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    bins: Vec<Bin>,
    /// Values in a full bin, and in the last one.
    per_bin: u64,
    in_last: u64,
}

/// Some neighbouring values.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bin {
    /// Time of the first and of the last value.
    from: f64,
    to: f64,
    min: f64,
    max: f64,
    last: f64,
}

impl Default for Trace {
    fn default() -> Self {
        Trace { bins: Vec::new(), per_bin: 1, in_last: 0 }
    }
}

impl Trace {
    /// Takes in a value.
    pub(crate) fn push(&mut self, time: f64, value: f64) {
        match self.bins.last_mut().filter(|_| self.in_last < self.per_bin) {
            Some(bin) => {
                let (min, max) = (bin.min.min(value), bin.max.max(value));
                *bin = Bin { from: bin.from, to: time, min, max, last: value };
                self.in_last += 1;
            }
            None => {
                self.bins.push(Bin { from: time, to: time, min: value, max: value, last: value });
                self.in_last = 1;
            }
        }
        if self.bins.len() == MOST && self.in_last == self.per_bin {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let pair = |pair: &[Bin]| {
            let (a, b) = (pair[0], pair[pair.len() - 1]);
            Bin { from: a.from, to: b.to, min: a.min.min(b.min), max: a.max.max(b.max), last: b.last }
        };
        self.bins = self.bins.chunks(2).map(pair).collect();
        self.per_bin *= 2;
        self.in_last = self.per_bin;
    }

    /// Points of a line through the values: all of them if they are few, else the extremes of each bin.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let mut points = Vec::with_capacity(2 * self.bins.len());
        for bin in &self.bins {
            if bin.from == bin.to {
                points.push((bin.to, bin.last));
                continue;
            }
            points.push((bin.from, bin.min));
            points.push((bin.to, bin.max));
        }
        points
    }

    /// Largest value; none if there is no value.
    pub fn max(&self) -> Option<f64> {
        self.bins.iter().map(|b| b.max).reduce(f64::max)
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.list(&self.bins, |out, b| [b.from, b.to, b.min, b.max, b.last].iter().for_each(|x| out.f64(*x)));
        out.u64(self.per_bin);
        out.u64(self.in_last);
    }

    pub(crate) fn load(from: &mut Reader) -> Result<Trace, SnapshotError> {
        let bins = from.list(|r| {
            Ok(Bin { from: r.f64()?, to: r.f64()?, min: r.f64()?, max: r.f64()?, last: r.f64()? })
        })?;
        let (per_bin, in_last) = (from.u64()?, from.u64()?);
        if per_bin == 0 || bins.len() > MOST {
            return Err(SnapshotError::Impossible { what: "history" });
        }
        Ok(Trace { bins, per_bin, in_last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_all_there() {
        let mut t = Trace::default();
        (0..1000).for_each(|i| t.push(f64::from(i), f64::from(i * i % 17)));
        let all: Vec<(f64, f64)> = (0..1000).map(|i| (f64::from(i), f64::from(i * i % 17))).collect();
        assert_eq!(t.points(), all);
    }

    #[test]
    fn many_values_take_little_memory_and_keep_their_extremes() {
        let mut t = Trace::default();
        for i in 0..1_000_000 {
            t.push(f64::from(i), if i == 123_456 { 9.0 } else { f64::from(i % 2) });
        }
        let points = t.points();
        assert!(points.len() <= 2 * MOST, "{} points", points.len());
        assert!(points.windows(2).all(|w| w[0].0 <= w[1].0));
        let (low, high) = points.iter().fold((9.0f64, 0.0f64), |(l, h), p| (l.min(p.1), h.max(p.1)));
        assert_eq!((low, high, t.max()), (0.0, 9.0, Some(9.0)));
    }
}
