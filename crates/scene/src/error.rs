//! What is wrong with a scene: one line per problem, with its place and a remedy.

use std::fmt;
use std::path::PathBuf;

/// Where a problem is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In a scene file, counted from 1.
    File {
        /// Name of the file or of the built-in scene.
        name: String,
        /// Line.
        line: usize,
        /// Column in characters.
        column: usize,
    },
    /// In a scene file as a whole.
    Whole(String),
    /// In an override, as it was given: `--set body.0.density`.
    Override(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Place::File { name, line, column } => write!(f, "{name}:{line}:{column}"),
            Place::Whole(name) => f.write_str(name),
            Place::Override(given) => f.write_str(given),
        }
    }
}

/// One thing that is wrong with a scene. Displays as `place: cause: remedy` in a single line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub cause: String,
    /// What to do about it; may be empty if the cause says it.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, one_line(&self.cause))?;
        if !self.remedy.is_empty() {
            write!(f, ": {}", one_line(&self.remedy))?;
        }
        Ok(())
    }
}

/// A text without line breaks and control characters, so that a message stays one line whatever the input.
fn one_line(text: &str) -> String {
    let kept: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(600).collect();
    kept.trim_end().to_string()
}

/// What is wrong and what to do about it. Whoever knows the place makes a [`Problem`] of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What is wrong.
    pub cause: String,
    /// What to do about it; may be empty if the cause says it.
    pub remedy: String,
}

impl Fault {
    pub(crate) fn new(cause: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault { cause: cause.into(), remedy: remedy.into() }
    }

    /// The fault as the only problem of a scene.
    pub(crate) fn at(self, place: Place) -> SceneError {
        SceneError::one(place, self.cause, self.remedy)
    }
}

/// Errors of other crates say cause and remedy in one message.
impl<E: std::error::Error> From<E> for Fault {
    fn from(error: E) -> Fault {
        Fault::new(error.to_string(), "")
    }
}

/// All problems found in a scene, at least one. Displays one line per problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The problems in the order in which they were found.
    pub problems: Vec<Problem>,
}

impl SceneError {
    pub(crate) fn one(place: Place, cause: impl Into<String>, remedy: impl Into<String>) -> SceneError {
        SceneError { problems: vec![Problem { place, cause: cause.into(), remedy: remedy.into() }] }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// Why a recording, an export or a report could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file could not be read or written.
    #[error("{}: {source}: check that the directory exists, is writable and has room", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A recording is not one, or is damaged.
    #[error("{}: {damage}: record it again with `pliant run SCENE --out DIR`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
    /// An export is larger than its format allows.
    #[error("{}: it takes {bytes} bytes, and 4 GiB are the most of glTF: use usd, or coarser surfaces", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
}

/// What is wrong with a recording or a saved state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// It is something else.
    #[error("this is not a recording of pliant")]
    NotARecording,
    /// It is something else, or of another version.
    #[error("this is not a state of this version")]
    NotAState,
    /// It is of another version.
    #[error("the recording has version {found}, this program reads {known}")]
    Version {
        /// Its version.
        found: u32,
        /// The version that is read.
        known: u32,
    },
    /// The end is missing.
    #[error("the file is cut off in its {part}")]
    CutOff {
        /// The part that ends early.
        part: &'static str,
    },
    /// The layout is not the JSON of one.
    #[error("its layout cannot be read ({0})")]
    Layout(#[source] serde_json::Error),
    /// The layout counts more than a file can hold.
    #[error("its layout counts more than a file can hold")]
    LayoutSize,
    /// A pinned vertex does not exist.
    #[error("vertex {vertex} is pinned, but there are {vertices}")]
    Pin {
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A corner of a triangle does not exist.
    #[error("a triangle names a vertex that is not there")]
    Triangle,
    /// Frames are missing, or something follows them.
    #[error("the file should have {wanted} frames, but has {found} and {rest} bytes more")]
    FrameCount {
        /// Frames by its header.
        wanted: u32,
        /// Whole frames.
        found: usize,
        /// Bytes behind them.
        rest: u64,
    },
    /// A frame does not fit the layout.
    #[error("frame {0} is broken")]
    Frame(usize),
    /// There are fewer frames.
    #[error("there is no frame {index}, it has {frames}")]
    FrameMissing {
        /// The wanted one.
        index: usize,
        /// How many there are.
        frames: usize,
    },
    /// The file ends before the place at which a checkpoint continues.
    #[error("the recording has {bytes} bytes, the checkpoint continues after {wanted}")]
    Short {
        /// Its size.
        bytes: u64,
        /// Its size at the checkpoint.
        wanted: u64,
    },
    /// It belongs to another run.
    #[error("this is the recording of another run")]
    OtherRun,
    /// The size of a state does not fit its header.
    #[error("the file has another size than its header says")]
    StateSize,
}

impl OutputError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> OutputError {
        let path = path.into();
        move |source| OutputError::Io { path, source }
    }
}

/// The candidate that is nearest to `word`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Long garbage cannot be a typing error, and the table below is quadratic.
    if word.len() > 64 {
        return None;
    }
    let limit = (word.chars().count() / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|c| (distance(&word.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// `did you mean ...?` with the nearest candidate, else the list of what is accepted.
pub fn suggest(word: &str, candidates: &[&str], what: &str) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(c) => format!("did you mean `{c}`?"),
        None if candidates.is_empty() => format!("there is no {what}"),
        None => format!("use one of the {what}: {}", quoted(candidates)),
    }
}

/// The words in backquotes, separated by commas.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}

/// Edit distance with swaps of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits_and_swaps() {
        assert_eq!(distance("youngs", "youngs"), 0);
        assert_eq!(distance("yougns", "youngs"), 1);
        assert_eq!(distance("young", "youngs"), 1);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn nearest_refuses_what_is_far() {
        assert_eq!(nearest("densty", ["density", "damping"]), Some("density"));
        assert_eq!(nearest("banana", ["density", "damping"]), None);
        assert_eq!(nearest(&"x".repeat(100_000), ["density"]), None);
    }

    #[test]
    fn a_message_is_one_line() {
        let p = Problem { place: Place::Whole("a".into()), cause: "b\nc".into(), remedy: "d\r\n".into() };
        assert_eq!(p.to_string(), "a: b c: d");
    }
}
