//! A restored world takes the same steps as the one that was saved, whatever it has to remember.

use pliant::{Snapshot, SnapshotError, World};
use pliant_scene::{Scene, Setup, builtin};

/// A scene with values set that keep it small.
fn setup(name: &str, set: &[(&str, &str)]) -> Setup {
    let mut scene = Scene::load(name).unwrap();
    for (path, value) in set {
        scene.set(path, value).unwrap();
    }
    scene.build().unwrap()
}

/// Takes steps and saves at some moments; then restores a fresh world at each of them and takes the steps again.
fn goes_on_alike(setup: &Setup, steps: usize, moments: &[usize]) {
    let mut world = setup.world().unwrap();
    let mut saved: Vec<(usize, Snapshot)> = Vec::new();
    let mut hashes = vec![world.state().hash()];
    for step in 0..steps {
        if moments.contains(&step) {
            saved.push((step, world.save()));
        }
        world.step().unwrap();
        hashes.push(world.state().hash());
    }
    let end = world.save();
    for (moment, snapshot) in saved {
        let mut again = World::new(setup.model.clone(), setup.solver.clone()).unwrap();
        again.restore(&snapshot).unwrap();
        assert!(again.save() == snapshot, "{}: what is restored at {moment} is what was saved", setup.name);
        for step in moment..steps {
            again.step().unwrap();
            let (there, here) = (hashes[step + 1], again.state().hash());
            assert_eq!(there, here, "{}: step {} after going on from {moment}", setup.name, step + 1);
        }
        assert!(again.save() == end, "{}: the whole memory at the end", setup.name);
    }
}

#[test]
#[ignore = "takes minutes: all built-in scenes in full length"]
fn every_builtin_scene_goes_on_alike() {
    let only = std::env::var("SCENES").unwrap_or_default();
    for name in builtin::names().filter(|n| only.is_empty() || only.split(',').any(|o| o == *n)) {
        let setup = setup(name, &[]);
        let steps = setup.steps.min(150);
        let begin = std::time::Instant::now();
        goes_on_alike(&setup, steps, &[0, 1, steps / 3, steps / 2 + 7, steps - 2]);
        eprintln!("{name}: {steps} steps, {:.1} s", begin.elapsed().as_secs_f64());
    }
}
