//! Percentiles of a long series of measurements in bounded memory.

use pliant::SnapshotError;
use pliant::snapshot::{Reader, Writer};
use serde_json::{Value, json};

/// Values kept; beyond that every second one is dropped.
const LIMIT: usize = 1 << 18;

/// A series of measurements. Sum and largest value are exact; percentiles are exact up to 262144 values and use an even
/// selection beyond.
#[derive(Clone, Debug)]
pub struct Samples {
    kept: Vec<f64>,
    stride: usize,
    count: usize,
    sum: f64,
    max: f64,
}

impl Default for Samples {
    fn default() -> Self {
        Samples { kept: Vec::new(), stride: 1, count: 0, sum: 0.0, max: 0.0 }
    }
}

impl Samples {
    /// Takes in a value of 0 or more.
    pub fn push(&mut self, value: f64) {
        if self.count.is_multiple_of(self.stride) {
            self.kept.push(value);
            if self.kept.len() >= LIMIT {
                let mut index = 0;
                self.kept.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
        }
        self.count += 1;
        self.sum += value;
        self.max = self.max.max(value);
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Sum of all values.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Mean; 0 without values.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Largest value; 0 without values.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// The kept values in order, for plots, with the number of measurements from one to the next.
    pub fn kept(&self) -> (&[f64], usize) {
        (&self.kept, self.stride)
    }

    /// Percentiles by the nearest rank; 0 without values.
    pub fn percentiles<const N: usize>(&self, wanted: [f64; N]) -> [f64; N] {
        let mut sorted = self.kept.clone();
        sorted.sort_by(f64::total_cmp);
        wanted.map(|p| {
            let rank = (p / 100.0 * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.max(1) - 1).copied().unwrap_or(0.0)
        })
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.f64s(&self.kept);
        out.u64(self.stride as u64);
        out.u64(self.count as u64);
        out.f64(self.sum);
        out.f64(self.max);
    }

    pub(crate) fn load(from: &mut Reader) -> Result<Samples, SnapshotError> {
        let (kept, stride, count) = (from.f64s()?, from.usize()?, from.usize()?);
        if stride == 0 || kept.len() > LIMIT {
            return Err(SnapshotError::Impossible { what: "series of measurements" });
        }
        Ok(Samples { kept, stride, count, sum: from.f64()?, max: from.f64()? })
    }

    /// `{"p50", "p95", "p99", "max", "mean"}`.
    pub(crate) fn to_json(&self) -> Value {
        let [p50, p95, p99] = self.percentiles([50.0, 95.0, 99.0]);
        json!({ "p50": p50, "p95": p95, "p99": p99, "max": self.max, "mean": self.mean() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_nearest_rank() {
        let mut s = Samples::default();
        assert_eq!(s.percentiles([50.0]), [0.0]);
        (1..=100).rev().for_each(|i| s.push(f64::from(i)));
        assert_eq!(s.percentiles([50.0, 95.0, 99.0, 100.0]), [50.0, 95.0, 99.0, 100.0]);
        assert_eq!((s.mean(), s.max(), s.count()), (50.5, 100.0, 100));
    }

    #[test]
    fn memory_stays_bounded() {
        let mut s = Samples::default();
        (0..1_000_000).for_each(|i| s.push(f64::from(i)));
        assert!(s.kept.len() < LIMIT);
        assert!((s.percentiles([50.0])[0] - 5e5).abs() < 1e3);
        assert_eq!((s.count(), s.max()), (1_000_000, 999_999.0));
    }
}
