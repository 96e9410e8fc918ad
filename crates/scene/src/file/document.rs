//! Reads the entries of a scene one by one, so that each can report its own problem.

use super::read::{ReadError, read as read_node};
use super::spec::{
    AirSpec, AttachmentSpec, BodySpec, CableSpec, Expectation, Force, NeedleSpec, ObstacleSpec, PinSpec,
    ProbeSpec, SceneSpec, SolverSpec, TOP_LEVEL, Tolerate,
};
use super::tree::{Data, Node, Origin};
use crate::error::{Fault, Problem, SceneError, suggest};
use serde::de::DeserializeOwned;

/// Everything a scene file says, read but not yet checked against ranges and meshes.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub scene: SceneSpec,
    pub solver: SolverSpec,
    pub air: Option<AirSpec>,
    pub bodies: Vec<BodySpec>,
    pub obstacles: Vec<ObstacleSpec>,
    pub pins: Vec<PinSpec>,
    pub forces: Vec<Force>,
    pub attachments: Vec<AttachmentSpec>,
    pub cables: Vec<CableSpec>,
    pub needles: Vec<NeedleSpec>,
    pub probes: Vec<ProbeSpec>,
    pub expectations: Vec<Expectation>,
    pub tolerate: Tolerate,
}

impl Document {
    /// Names of the bodies: the given ones, and `body0`, `body1`, ... for the others.
    pub fn body_names(&self) -> Vec<String> {
        names(self.bodies.iter().map(|b| &b.name), "body")
    }

    /// Names of the obstacles.
    pub fn obstacle_names(&self) -> Vec<String> {
        names(self.obstacles.iter().map(|o| &o.name), "obstacle")
    }

    /// Names of the pins.
    pub fn pin_names(&self) -> Vec<String> {
        names(self.pins.iter().map(|p| &p.name), "pin")
    }

    /// Names of the forces.
    pub fn force_names(&self) -> Vec<String> {
        names(self.forces.iter().map(|f| &f.name), "force")
    }

    /// Names of the attachments.
    pub fn attachment_names(&self) -> Vec<String> {
        names(self.attachments.iter().map(|a| &a.name), "attachment")
    }

    /// Names of the cables.
    pub fn cable_names(&self) -> Vec<String> {
        names(self.cables.iter().map(|c| &c.name), "cable")
    }

    /// Names of the needles.
    pub fn needle_names(&self) -> Vec<String> {
        names(self.needles.iter().map(|n| &n.name), "needle")
    }

    /// Names of the probes.
    pub fn probe_names(&self) -> Vec<String> {
        self.probes.iter().map(|p| p.name.clone()).collect()
    }
}

/// Given names, and `kind0`, `kind1`, ... for the others.
fn names<'a>(given: impl Iterator<Item = &'a Option<String>>, kind: &str) -> Vec<String> {
    given.enumerate().map(|(i, name)| name.clone().unwrap_or_else(|| format!("{kind}{i}"))).collect()
}

/// Problems found so far, and the tree that knows their places.
#[derive(Debug)]
pub(crate) struct Problems {
    label: String,
    text: String,
    pub tree: Node,
    list: Vec<Problem>,
    /// Whether bodies are there many times: then a problem at the same place is the same.
    pub has_instances: bool,
}

/// Problems beyond this many help nobody.
const MAX_PROBLEMS: usize = 50;

impl Problems {
    pub fn new(label: &str, text: &str, tree: Node) -> Problems {
        Problems {
            label: label.to_string(),
            text: text.to_string(),
            tree,
            list: Vec::new(),
            has_instances: false,
        }
    }

    /// A problem with the value at a dotted path.
    pub fn add(&mut self, path: &str, cause: impl Into<String>, remedy: impl Into<String>) {
        let origin = self.tree.closest(path).origin.clone();
        self.add_at(&origin, cause, remedy);
    }

    /// What is wrong with the entry at a dotted path; the problem is shown at one of its keys, or at the entry itself.
    pub fn add_fault(&mut self, path: &str, key: &str, fault: Fault) {
        let place = if key.is_empty() { path.to_string() } else { format!("{path}.{key}") };
        self.add(&place, format!("{path}: {}", fault.cause), fault.remedy);
    }

    /// Where the value at a dotted path came from, or what is closest above it.
    pub fn origin(&self, path: &str) -> Origin {
        self.tree.closest(path).origin.clone()
    }

    /// A problem with what came from `origin`.
    pub fn add_at(&mut self, origin: &Origin, cause: impl Into<String>, remedy: impl Into<String>) {
        if self.list.len() < MAX_PROBLEMS {
            let place = origin.place(&self.label, &self.text);
            let problem = Problem { place, cause: cause.into(), remedy: remedy.into() };
            let is_same = |p: &Problem| p.place == problem.place && p.remedy == problem.remedy;
            if !(self.has_instances && self.list.iter().any(is_same)) {
                self.list.push(problem);
            }
        }
    }

    fn add_read(&mut self, base: &str, error: &ReadError) {
        let origin = error.origin.clone().unwrap_or_else(|| self.tree.closest(base).origin.clone());
        // A value that could not be put in has been reported already.
        let place = origin.place(&self.label, &self.text);
        if self.list.iter().all(|p| p.place != place) {
            self.add_at(&origin, error.described(base), error.advice(base));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn into_error(self) -> SceneError {
        SceneError { problems: self.list }
    }
}

/// Reads all entries; `None` if any could not be read.
pub(crate) fn read(problems: &mut Problems) -> Option<Document> {
    unknown_keys(problems);
    let scene = section::<SceneSpec>(problems, "scene", true);
    let solver = solver(problems);
    let air = section(problems, "air", false);
    let bodies = list::<BodySpec>(problems, "body");
    let obstacles = list(problems, "obstacle");
    let pins = list(problems, "pin");
    let forces = list(problems, "force");
    let attachments = list(problems, "attachment");
    let cables = list(problems, "cable");
    let needles = list(problems, "needle");
    let probes = list(problems, "probe");
    let expectations = list(problems, "expect");
    let tolerate = section(problems, "tolerate", false).unwrap_or_default();
    if !problems.is_empty() {
        return None;
    }
    Some(Document {
        scene: scene?,
        solver,
        air,
        bodies,
        obstacles,
        pins,
        forces,
        attachments,
        cables,
        needles,
        probes,
        expectations,
        tolerate,
    })
}

fn solver(problems: &mut Problems) -> SolverSpec {
    let read = problems.tree.get("solver").map_or_else(|| Ok(SolverSpec::default()), SolverSpec::read);
    read.unwrap_or_else(|errors| {
        errors.iter().for_each(|e| problems.add_read("solver", e));
        SolverSpec::default()
    })
}

fn unknown_keys(problems: &mut Problems) {
    let Data::Table(entries) = &problems.tree.data else { return };
    let unknown: Vec<(String, Origin)> = entries
        .iter()
        .filter(|e| !TOP_LEVEL.contains(&e.key.as_str()))
        .map(|e| (e.key.clone(), e.key_origin.clone()))
        .collect();
    for (key, origin) in unknown {
        let shown: String = key.chars().take(60).collect();
        let cause = format!("unknown key `{shown}` at the top level");
        problems.add_at(&origin, cause, suggest(&key, &TOP_LEVEL, "keys"));
    }
}

fn section<T: DeserializeOwned>(problems: &mut Problems, key: &str, needed: bool) -> Option<T> {
    let result = match problems.tree.get(key) {
        Some(node) => read_node::<T>(node),
        None => {
            if needed {
                problems.add("", format!("missing section [{key}]"), format!("add [{key}] with its keys"));
            }
            return None;
        }
    };
    result.map_err(|e| problems.add_read(key, &e)).ok()
}

fn list<T: DeserializeOwned>(problems: &mut Problems, key: &str) -> Vec<T> {
    let (good, bad) = match problems.tree.get(key) {
        None => return Vec::new(),
        Some(Node { data: Data::Array(items), .. }) => {
            let (mut good, mut bad) = (Vec::new(), Vec::new());
            for (i, item) in items.iter().enumerate() {
                match read_node::<T>(item) {
                    Ok(value) => good.push(value),
                    Err(e) => bad.push((format!("{key}.{i}"), e)),
                }
                if bad.len() > MAX_PROBLEMS {
                    break;
                }
            }
            (good, bad)
        }
        Some(_) => {
            problems.add(
                key,
                format!("`{key}` must be a list of tables"),
                format!("write [[{key}]] with two brackets"),
            );
            return Vec::new();
        }
    };
    for (base, error) in &bad {
        problems.add_read(base, error);
    }
    good
}
