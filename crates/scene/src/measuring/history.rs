//! What a probe measured over a run.

use pliant::SnapshotError;
use pliant::snapshot::{Reader, Writer};
use serde_json::{Value, json};

/// First, last, smallest and largest value of a probe over a run, component by component.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeHistory {
    /// Name of the probe.
    pub name: String,
    first: Vec<f64>,
    last: Vec<f64>,
    min: Vec<f64>,
    max: Vec<f64>,
}

impl ProbeHistory {
    /// Starts with the value before the first step.
    pub fn new(name: &str, value: Vec<f64>) -> ProbeHistory {
        let [first, last, min] = [value.clone(), value.clone(), value.clone()];
        ProbeHistory { name: name.to_string(), first, last, min, max: value }
    }

    /// Takes in the value after a step.
    pub fn record(&mut self, value: &[f64]) {
        for (i, &v) in value.iter().enumerate() {
            self.last[i] = v;
            self.min[i] = self.min[i].min(v);
            self.max[i] = self.max[i].max(v);
        }
    }

    /// The value after the last step.
    pub fn last(&self) -> &[f64] {
        &self.last
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        [&self.first, &self.last, &self.min, &self.max].iter().for_each(|v| out.f64s(v));
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(crate) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        let here = self.last.len() as u64;
        for values in [&mut self.first, &mut self.last, &mut self.min, &mut self.max] {
            let read = from.f64s()?;
            if read.len() as u64 != here {
                let (what, found) = ("components of a probe", read.len() as u64);
                return Err(SnapshotError::Mismatch { what, found, here });
            }
            *values = read;
        }
        Ok(())
    }

    /// As in the report: a number for a scalar, a list for a vector.
    pub(crate) fn to_json(&self) -> Value {
        let value = |v: &[f64]| if v.len() == 1 { json!(v[0]) } else { json!(v) };
        json!({
            "first": value(&self.first),
            "last": value(&self.last),
            "min": value(&self.min),
            "max": value(&self.max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_keeps_extremes_per_component() {
        let mut h = ProbeHistory::new("p", vec![0.0, 1.0]);
        h.record(&[2.0, -1.0]);
        h.record(&[1.0, 0.0]);
        let json = h.to_json();
        assert_eq!(json["first"], json!([0.0, 1.0]));
        assert_eq!(json["last"], json!([1.0, 0.0]));
        assert_eq!(json["min"], json!([0.0, -1.0]));
        assert_eq!(json["max"], json!([2.0, 1.0]));
        assert_eq!(ProbeHistory::new("s", vec![3.0]).to_json()["last"], json!(3.0));
    }
}
