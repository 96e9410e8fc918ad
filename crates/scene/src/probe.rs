//! Quantities measured at every step.

use crate::spec::{ProbeSpec, ProbeWhat};
use pliant::World;
use pliant_mesh::Point;
use serde_json::{Value, json};

/// A named quantity of a body.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Name in the report.
    pub name: String,
    what: ProbeWhat,
    body: usize,
    vertices: Vec<u32>,
    /// Unit vector, if a direction was given.
    axis: Option<Point>,
}

impl Probe {
    pub(crate) fn new(spec: &ProbeSpec, body: usize, vertices: Vec<u32>) -> Probe {
        let axis = spec.axis.map(|a| {
            let length = dot(a.0, a.0).sqrt();
            a.0.map(|c| c / length)
        });
        Probe { name: spec.name.clone(), what: spec.what, body, vertices, axis }
    }

    /// The value now: one number, or three for a vector.
    pub fn measure(&self, world: &World) -> Vec<f64> {
        let vector = |v: Point| match self.axis {
            Some(axis) => vec![dot(v, axis)],
            None => v.to_vec(),
        };
        match self.what {
            ProbeWhat::Center => vector(world.motion(self.body).center),
            ProbeWhat::Position => vector(self.mean(world.positions(self.body))),
            ProbeWhat::Extent => vec![self.extent(world.positions(self.body))],
            ProbeWhat::Energy => {
                vec![world.motion(self.body).kinetic_energy + world.elastic_energy(self.body)]
            }
            ProbeWhat::KineticEnergy => vec![world.motion(self.body).kinetic_energy],
            ProbeWhat::MinJ => vec![world.shape(self.body).min_j],
            ProbeWhat::VolumeRatio => vec![world.shape(self.body).volume_ratio],
            ProbeWhat::Momentum => vector(world.motion(self.body).momentum),
            ProbeWhat::AngularMomentum => vector(world.motion(self.body).angular_momentum),
            ProbeWhat::Speed => {
                let v = self.mean(world.velocities(self.body));
                vec![self.axis.map_or_else(|| dot(v, v).sqrt(), |axis| dot(v, axis))]
            }
            ProbeWhat::Radius => vec![self.radius(world.positions(self.body))],
        }
    }

    fn mean(&self, values: &[Point]) -> Point {
        let mut sum = [0.0; 3];
        for &v in &self.vertices {
            for k in 0..3 {
                sum[k] += values[v as usize][k];
            }
        }
        sum.map(|s| s / self.vertices.len() as f64)
    }

    fn extent(&self, positions: &[Point]) -> f64 {
        let axis = self.axis.unwrap_or([1.0, 0.0, 0.0]);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &v in &self.vertices {
            let along = dot(positions[v as usize], axis);
            (low, high) = (low.min(along), high.max(along));
        }
        high - low
    }

    fn radius(&self, positions: &[Point]) -> f64 {
        let center = self.mean(positions);
        let distance = |&v: &u32| {
            let d: Point = std::array::from_fn(|k| positions[v as usize][k] - center[k]);
            dot(d, d).sqrt()
        };
        self.vertices.iter().map(distance).sum::<f64>() / self.vertices.len() as f64
    }
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

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
