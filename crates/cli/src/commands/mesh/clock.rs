//! How long the stages of a tool take.

use serde_json::{Value, json};
use std::time::Instant;

/// A clock that notes the time since the stage before.
#[derive(Debug)]
pub struct Clock {
    last: Instant,
    stages: Vec<(&'static str, f64)>,
}

impl Clock {
    /// Starts the first stage.
    pub fn start() -> Clock {
        Clock { last: Instant::now(), stages: Vec::new() }
    }

    /// Ends a stage.
    pub fn stage(&mut self, name: &'static str) {
        let now = Instant::now();
        self.stages.push((name, (now - self.last).as_secs_f64()));
        self.last = now;
    }

    /// `read 0.01 s, mesh 1.20 s, ..., in all 1.30 s`.
    pub fn text(&self) -> String {
        let stages: Vec<String> = self.stages.iter().map(|(name, s)| format!("{name} {s:.2} s")).collect();
        format!("{}, in all {:.2} s", stages.join(", "), self.total())
    }

    /// Seconds by stage, and `total`.
    pub fn json(&self) -> Value {
        let mut all: serde_json::Map<String, Value> =
            self.stages.iter().map(|(name, s)| (name.to_string(), json!(s))).collect();
        all.insert("total".into(), json!(self.total()));
        Value::Object(all)
    }

    fn total(&self) -> f64 {
        self.stages.iter().map(|s| s.1).sum()
    }
}
