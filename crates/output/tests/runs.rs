//! Runs in directories: complete, stopped and continued.

use pliant_output::{Ended, Error, Observer, REPORT, RunSettings, StoppedRun, run_scene};
use pliant_scene::{Run, Scene};
use pliant_testkit::TempFolder;
use serde_json::Value;

/// Stops a run after this many steps.
struct StopAfter(usize);

impl Observer for StopAfter {
    fn step(&mut self, _run: &Run) {
        self.0 -= 1;
    }

    fn should_stop(&mut self) -> bool {
        self.0 == 0
    }
}

fn settings() -> RunSettings {
    RunSettings { steps: Some(12), every: Some(2), checkpoint_every: Some(5), ..RunSettings::default() }
}

fn report(ended: Ended) -> Value {
    match ended {
        Ended::Finished(finished) => finished.report,
        Ended::Stopped { .. } => panic!("nobody stopped it"),
    }
}

#[test]
fn a_run_leaves_the_files_that_the_guide_lists() {
    let s = TempFolder::new("files");
    let scene = Scene::load("free_fall").unwrap();
    let report = report(run_scene(&scene, s.path(), &settings(), &mut ()).unwrap());
    assert_eq!(report["steps"], 12);
    for file in [
        REPORT,
        "report.html",
        "scene.toml",
        "log.txt",
        "frames.bin",
        "state.bin",
        "probes.csv",
        "energies.csv",
        "forces.csv",
        "preview.png",
        "checkpoint.bin",
    ] {
        assert!(s.join(file).is_file(), "{file}");
    }
    let written: Value = serde_json::from_slice(&std::fs::read(s.join(REPORT)).unwrap()).unwrap();
    assert_eq!(written["state_hash"], report["state_hash"]);
}

#[test]
fn a_stopped_run_continues_as_if_it_had_never_stopped() {
    let (whole, stopped) = (TempFolder::new("whole"), TempFolder::new("stopped"));
    let scene = Scene::load("drop").unwrap();
    let want = report(run_scene(&scene, whole.path(), &settings(), &mut ()).unwrap());
    let ended = run_scene(&scene, stopped.path(), &settings(), &mut StopAfter(7)).unwrap();
    let Ended::Stopped { taken: 7, steps: 12, resume: Some(point) } = ended else { panic!("{ended:?}") };
    assert_eq!((point.step, point.directory.as_path()), (7, stopped.path()));
    let run = StoppedRun::open(stopped.path()).unwrap();
    assert!(run.report().unwrap().is_none());
    let got = report(run.resume(Some(1), &mut ()).unwrap());
    for key in ["state_hash", "steps", "contacts", "residual", "bodies"] {
        assert_eq!(got[key], want[key], "{key}");
    }
    for file in ["frames.bin", "state.bin", "probes.csv"] {
        let bytes = |s: &TempFolder| std::fs::read(s.join(file)).unwrap();
        assert!(bytes(&stopped) == bytes(&whole), "{file}");
    }
    assert_eq!(run.report().unwrap().unwrap()["state_hash"], want["state_hash"]);
    // A report that is not one is an error, not a run without a report.
    std::fs::write(stopped.join(REPORT), "{").unwrap();
    assert!(matches!(run.report(), Err(Error::Report { .. })));
}

#[test]
fn bad_directories_are_errors() {
    let s = TempFolder::new("bad");
    let scene = Scene::load("free_fall").unwrap();
    let file = s.join("file");
    std::fs::write(&file, "").unwrap();
    let refused = run_scene(&scene, &file, &settings(), &mut ());
    assert!(matches!(refused, Err(Error::NotADirectory { .. })));
    assert!(matches!(StoppedRun::open(s.path()), Err(Error::Checkpoint { .. })));
}

#[test]
fn a_verdict_survives_a_stop() {
    let mut scene = Scene::load("drop").unwrap();
    scene.set("body.0.material.youngs", "1").unwrap();
    scene.set("body.0.mesh.cells", "[2, 2, 2]").unwrap();
    let settings = RunSettings { steps: Some(60), checkpoint_every: Some(7), ..settings() };
    let (whole, stopped) = (TempFolder::new("verdict-whole"), TempFolder::new("verdict-stopped"));
    let wanted = report(run_scene(&scene, whole.path(), &settings, &mut ()).unwrap());
    assert_eq!((&wanted["verdict"], &wanted["ok"]), (&"failed".into(), &false.into()));
    run_scene(&scene, stopped.path(), &settings, &mut StopAfter(50)).unwrap();
    let resumed = report(StoppedRun::open(stopped.path()).unwrap().resume(None, &mut ()).unwrap());
    assert_eq!(resumed["warnings"], wanted["warnings"]);
    assert_eq!(resumed["verdict"], wanted["verdict"]);
}

#[test]
fn a_directory_is_written_by_one_run_at_a_time() {
    let s = TempFolder::new("claimed");
    let scene = Scene::load("free_fall").unwrap();
    let job = |scene: &Scene| {
        let run = Run::new(scene.build().unwrap()).unwrap();
        pliant_output::Job::in_directory(scene, run, s.path(), &settings(), &mut ()).map(drop)
    };
    let run = Run::new(scene.build().unwrap()).unwrap();
    let first = pliant_output::Job::in_directory(&scene, run, s.path(), &settings(), &mut ()).unwrap();
    assert!(matches!(job(&scene), Err(Error::Busy { .. })));
    drop(first);
    job(&scene).unwrap();
}
