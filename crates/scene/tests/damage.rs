//! Damaged checkpoints and snapshots: no panic, no hang, and nothing half restored. `FUZZ_SECONDS=1800` makes it long:
//! `FUZZ_SECONDS=1800 cargo test --release -p pliant-scene --test all checkpoints -- --nocapture`.

use crc::{CRC_64_XZ, Crc};
use pliant::{Snapshot, World};
use pliant_scene::checkpoint::{CHECKPOINT, Checkpoint, CheckpointWriter, RunFiles, RunOptions};
use pliant_scene::{Run, Scene, Setup};
use pliant_testkit::TempFolder;
use pliant_testkit::fuzz::{damage, for_a_while};

/// Magic, version, length, checksum.
const HEADER: usize = 28;

/// Small scenes that have between them all that is remembered: contacts, friction, pins, cables, wind, probes.
const SCENES: &[(&str, &[(&str, &str)])] = &[
    ("drop", &[("body.0.mesh.cells", "[2, 2, 2]")]),
    ("slope_box", &[]),
    ("grasp_hold", &[]),
    ("flag", &[("body.0.mesh.cells", "[9, 6]")]),
    ("released_cloth", &[("body.0.mesh.cells", "8")]),
];

fn scene(number: usize) -> Scene {
    let (name, set) = SCENES[number];
    let mut scene = Scene::load(name).unwrap();
    for (path, value) in set {
        scene.set(path, value).unwrap();
    }
    scene
}

/// A checkpoint after some steps.
fn checkpoint(folder: &TempFolder, scene: &Scene) -> Vec<u8> {
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    (0..20).for_each(|_| {
        run.step().unwrap();
    });
    let options = RunOptions { every: 1, checkpoint_every: 1, ..RunOptions::default() };
    let files = RunFiles { frames: 1, frame_bytes: 1 };
    CheckpointWriter::new(folder.path(), scene, &options, &run).write(&run, &files).unwrap();
    std::fs::read(folder.join(CHECKPOINT)).unwrap()
}

/// Makes length and checksum hold again: what comes after them must be refused for itself.
fn sign(file: &mut [u8]) {
    let length = (file.len() as u64).to_le_bytes();
    file[12..20].copy_from_slice(&length);
    let crc = Crc::<u64>::new(&CRC_64_XZ);
    let mut sum = crc.digest();
    sum.update(&file[..HEADER - 8]);
    sum.update(&file[HEADER..]);
    let sum = sum.finalize().to_le_bytes();
    file[HEADER - 8..HEADER].copy_from_slice(&sum);
}

#[test]
fn checkpoints() {
    let folder = TempFolder::new("damaged-checkpoints");
    let whole: Vec<Vec<u8>> = (0..SCENES.len()).map(|k| checkpoint(&folder, &scene(k))).collect();
    let mut signed = whole[0].clone();
    sign(&mut signed);
    assert!(signed == whole[0], "a file that is whole is signed as it is");
    let path = folder.join("damaged.bin");
    let mut resumed = 0;
    for_a_while("checkpoints", 60, |random| {
        let mut bytes = random.pick(&whole).clone();
        if random.below(4) == 0 {
            damage(&mut bytes, random);
        } else {
            let mut content = bytes.split_off(HEADER);
            damage(&mut content, random);
            bytes.append(&mut content);
            sign(&mut bytes);
        }
        std::fs::write(&path, &bytes).unwrap();
        // Another mesh may have been asked for, which is honest work of any size: small ones are built and go on.
        let Ok(checkpoint) = Checkpoint::read(&path) else { return };
        if let Ok(mut run) = checkpoint.run() {
            resumed += 1;
            let _ = run.step();
        }
    });
    println!("{resumed} went on");
}

#[test]
fn snapshots() {
    let setups: Vec<Setup> = (0..SCENES.len()).map(|k| scene(k).build().unwrap()).collect();
    let saved: Vec<Snapshot> = setups
        .iter()
        .map(|setup| {
            let mut world = setup.world().unwrap();
            (0..20).for_each(|_| {
                world.step().unwrap();
            });
            world.save()
        })
        .collect();
    let mut worlds: Vec<World> = setups.iter().map(|setup| setup.world().unwrap()).collect();
    let mut restored = 0;
    for_a_while("snapshots", 60, |random| {
        let k = random.below(worlds.len());
        let (world, setup) = (&mut worlds[k], &setups[k]);
        let mut bytes = saved[k].as_bytes().to_vec();
        damage(&mut bytes, random);
        let before = world.save();
        match world.restore(&Snapshot::from_bytes(bytes)) {
            Err(error) => {
                assert!(error.to_string().len() > 10, "{error}");
                assert!(world.save() == before, "a refused snapshot changes nothing");
            }
            Ok(()) => {
                restored += 1;
                assert!(world.state().positions.iter().all(|p| p.is_finite()));
                let _ = world.step();
                *world = setup.world().unwrap();
            }
        }
    });
    println!("{restored} were taken");
}
