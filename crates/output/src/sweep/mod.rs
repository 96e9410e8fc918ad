//! A scene run with every combination of several values, over the cores, into one table and one page with curves.
//!
//! Each run leaves its report under `runs`, whole as soon as it is there. A sweep that was killed and is started again in the same
//! directory takes the reports that it finds, and runs the rest.

mod page;
mod table;

use crate::error::Error;
use crate::job::{Ended, Job};
use crate::threads::with_threads;
use pliant_scene::{Run, Scene};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
pub use table::SweepTable;

/// Most runs of a sweep.
const MAX_RUNS: usize = 100_000;

/// A scene and the values that are tried.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The scene with what is the same in all runs.
    scene: Scene,
    /// Names with the values of each.
    axes: Vec<(String, Vec<String>)>,
    steps: Option<usize>,
}

impl Sweep {
    /// Every combination of these values, set in the scene; the last name changes fastest.
    ///
    /// # Errors
    /// If a name is unknown, a value does not fit, or there are too many combinations.
    pub fn new(scene: Scene, axes: Vec<(String, Vec<String>)>, steps: Option<usize>) -> Result<Sweep, Error> {
        let sweep = Sweep { scene, axes, steps };
        let count = sweep.axes.iter().try_fold(1usize, |n, (_, values)| n.checked_mul(values.len()));
        if count.is_none_or(|count| count > MAX_RUNS) {
            return Err(Error::SweepSize { most: MAX_RUNS });
        }
        // A typo is better found before the first run than after an hour.
        for (name, values) in &sweep.axes {
            for value in values {
                sweep.scene.clone().set(name, value)?;
            }
        }
        Ok(sweep)
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|(_, values)| values.len()).product()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of a run.
    fn point(&self, mut index: usize) -> Vec<(String, String)> {
        let mut point = Vec::new();
        for (name, values) in self.axes.iter().rev() {
            point.push((name.clone(), values[index % values.len()].clone()));
            index /= values.len();
        }
        point.reverse();
        point
    }

    /// Runs what has no report yet on so many cores (all if `None`), one run on each; writes `table.csv` and `sweep.html`. `done` is
    /// called after each run with the number of reports.
    ///
    /// # Errors
    /// If the directory holds another sweep, or a file cannot be written.
    pub fn run(
        &self,
        directory: &Path,
        jobs: Option<usize>,
        done: impl Fn(usize) + Sync,
    ) -> Result<SweepTable, Error> {
        self.claim(directory)?;
        let missing: Vec<usize> = (0..self.len()).filter(|&i| self.report(directory, i).is_none()).collect();
        let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(self.len() - missing.len()));
        let failure: Mutex<Option<Error>> = Mutex::new(None);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        done(finished.load(Ordering::Relaxed));
        std::thread::scope(|scope| {
            for _ in 0..jobs.unwrap_or(cores).min(missing.len()) {
                scope.spawn(|| {
                    while let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let ran = with_threads(Some(1), || self.run_one(directory, index));
                        if let Err(error) = ran.map_err(Error::from).and_then(|ran| ran) {
                            // No use to go on where nothing can be written.
                            next.store(missing.len(), Ordering::Relaxed);
                            *failure.lock().unwrap_or_else(|broken| broken.into_inner()) = Some(error);
                            return;
                        }
                        done(finished.fetch_add(1, Ordering::Relaxed) + 1);
                    }
                });
            }
        });
        match failure.into_inner().unwrap_or_else(|broken| broken.into_inner()) {
            Some(error) => Err(error),
            None => self.collect(directory),
        }
    }

    /// Makes the directory one of this sweep.
    fn claim(&self, directory: &Path) -> Result<(), Error> {
        let runs = directory.join("runs");
        fs::create_dir_all(&runs).map_err(Error::write(&runs))?;
        let path = directory.join("sweep.json");
        let about = self.about();
        match fs::read(&path) {
            Ok(bytes) if serde_json::from_slice::<Value>(&bytes).is_ok_and(|found| found == about) => Ok(()),
            Ok(_) => Err(Error::OtherSweep { directory: directory.to_path_buf() }),
            Err(_) => write_whole(&path, &format!("{about:#}\n")),
        }
    }

    /// What tells a sweep from another.
    fn about(&self) -> Value {
        json!({
            "scene": self.scene.text(),
            "variant": self.scene.variant(),
            "solver": self.scene.chosen_solver(),
            "steps": self.steps,
            "axes": self.axes,
            "pliant": env!("CARGO_PKG_VERSION"),
        })
    }

    fn path(&self, directory: &Path, index: usize) -> PathBuf {
        directory.join("runs").join(format!("{index:05}.json"))
    }

    /// The report of a run that has ended.
    fn report(&self, directory: &Path, index: usize) -> Option<Value> {
        serde_json::from_slice(&fs::read(self.path(directory, index)).ok()?).ok()
    }

    fn run_one(&self, directory: &Path, index: usize) -> Result<(), Error> {
        let point = self.point(index);
        let report = self.simulate(&point).unwrap_or_else(|error| {
            let set: Map<String, Value> = point.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
            json!({ "set": set, "verdict": "refused", "ok": false, "error": error.to_string() })
        });
        write_whole(&self.path(directory, index), &format!("{report:#}\n"))
    }

    fn simulate(&self, point: &[(String, String)]) -> Result<Value, Error> {
        let mut scene = self.scene.clone();
        for (name, value) in point {
            scene.set(name, value)?;
        }
        let mut run = Run::new(scene.build()?)?;
        if let Some(steps) = self.steps {
            run.limit_steps(steps);
        }
        match Job::new(&scene, run).finish(&mut ())? {
            Ended::Finished(finished) => Ok(finished.report),
            Ended::Stopped { .. } => unreachable!("nothing stops it"),
        }
    }

    /// The table of all reports, written.
    fn collect(&self, directory: &Path) -> Result<SweepTable, Error> {
        let rows = (0..self.len()).map(|i| (self.point(i), self.report(directory, i).unwrap_or_default()));
        let table = SweepTable::new(&self.axes, rows);
        write_whole(&directory.join("table.csv"), &table.csv())?;
        write_whole(&directory.join("sweep.html"), &page::page(&self.scene, &self.axes, &table))?;
        Ok(table)
    }
}

/// Writes a file that is whole as soon as it is there.
fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let filled = path.with_extension("new");
    fs::write(&filled, text).map_err(Error::write(&filled))?;
    fs::rename(&filled, path).map_err(Error::write(path))
}
