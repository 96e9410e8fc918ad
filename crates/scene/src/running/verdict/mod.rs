//! Whether the results of a run can be trusted: what is watched in each step, and what is said about it.

mod findings;
mod limits;
mod sign;
mod watch;

pub use watch::Watch;

use serde_json::{Value, json};

/// How far results can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing speaks against them.
    #[default]
    Ok,
    /// Something was out of the ordinary: they may be wrong.
    Doubtful,
    /// They are wrong, at least in places.
    Failed,
}

impl Level {
    /// The word of the report.
    pub fn name(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Doubtful => "doubtful",
            Level::Failed => "failed",
        }
    }
}

/// Something that speaks against the results of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// A word for scripts, such as `inverted_elements`.
    pub kind: &'static str,
    /// How bad it is.
    pub level: Level,
    /// Whether the scene says that it accepts this.
    pub tolerated: bool,
    /// What happened, and how much.
    pub what: String,
    /// Where and when.
    pub place: String,
    /// What to do.
    pub remedy: String,
    /// Step and time in s in which it was first seen.
    pub first: (u64, f64),
}

impl Finding {
    fn to_json(&self) -> Value {
        json!({
            "kind": self.kind,
            "level": self.level.name(),
            "tolerated": self.tolerated,
            "what": self.what,
            "where": self.place,
            "remedy": self.remedy,
            "first_step": self.first.0,
            "first_time": self.first.1,
        })
    }
}

/// All that speaks against the results of a run, the worst first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The findings, tolerated ones too.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// The worst of what is not tolerated.
    pub fn level(&self) -> Level {
        self.findings.iter().filter(|f| !f.tolerated).map(|f| f.level).max().unwrap_or_default()
    }

    /// The findings as the report has them.
    pub fn to_json(&self) -> Vec<Value> {
        self.findings.iter().map(Finding::to_json).collect()
    }
}
