//! A checkpoint that is not whole is refused with a reason, whatever happened to it.

use pliant_scene::checkpoint::{CHECKPOINT, Checkpoint, CheckpointWriter, RunFiles, RunOptions};
use pliant_scene::{Run, Scene};
use std::path::PathBuf;

/// A checkpoint of a scene with contact after some steps, in a directory of its own.
fn checkpoint(name: &str) -> (PathBuf, Vec<u8>) {
    let directory = std::env::temp_dir().join(format!("pliant-checkpoint-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let scene = Scene::load("drop").unwrap();
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    (0..20).for_each(|_| {
        run.step().unwrap();
    });
    let options = RunOptions { every: 1, checkpoint_every: 1, ..RunOptions::default() };
    let files = RunFiles { frames: 1, frame_bytes: 1 };
    CheckpointWriter::new(&directory, &scene, &options, &run).write(&run, &files).unwrap();
    let bytes = std::fs::read(directory.join(CHECKPOINT)).unwrap();
    assert_eq!(Checkpoint::read(&directory.join(CHECKPOINT)).unwrap().run().unwrap().steps_taken(), 20);
    (directory, bytes)
}

/// The reason why these bytes are not taken for a checkpoint.
fn reason(directory: &std::path::Path, bytes: &[u8]) -> String {
    let path = directory.join("changed.bin");
    std::fs::write(&path, bytes).unwrap();
    let refused = Checkpoint::read(&path).expect_err("a changed checkpoint is refused").to_string();
    assert!(refused.len() > 20 && !refused.contains('\n'), "{refused}");
    refused
}

#[test]
fn every_changed_byte_is_found() {
    let (directory, whole) = checkpoint("bytes");
    let header = 0..28;
    let content = (28..whole.len()).step_by(whole.len() / 200);
    for at in header.chain(content).chain([whole.len() - 1]) {
        for change in [0x01, 0x10, 0xff] {
            let mut changed = whole.clone();
            changed[at] ^= change;
            let why = reason(&directory, &changed);
            let about = match at {
                0..8 => "not a checkpoint",
                8..12 => "format",
                12..20 if why.contains("cut off") => "cut off",
                _ => "damaged",
            };
            assert!(why.contains(about), "byte {at}: {why}");
        }
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn cut_lengthened_and_shuffled_files_are_refused() {
    let (directory, whole) = checkpoint("lengths");
    for length in (0..28).chain((28..whole.len()).step_by(whole.len() / 200)).chain([whole.len() - 1]) {
        let why = reason(&directory, &whole[..length]);
        let about = if length < 8 { "not a checkpoint" } else { "cut off" };
        assert!(why.contains(about), "{length} bytes: {why}");
    }
    for more in [vec![0], vec![0; 4096], whole.clone()] {
        assert!(reason(&directory, &[&whole[..], &more].concat()).contains("damaged"));
    }
    let block = whole.len() / 10;
    for (a, b) in [(1, 2), (1, 8), (4, 7)] {
        let mut swapped = whole.clone();
        swapped[a * block..(a + 1) * block].copy_from_slice(&whole[b * block..(b + 1) * block]);
        swapped[b * block..(b + 1) * block].copy_from_slice(&whole[a * block..(a + 1) * block]);
        assert!(reason(&directory, &swapped).contains("damaged"));
    }
    assert!(reason(&directory, b"").contains("not a checkpoint"));
    assert!(reason(&directory, b"solid\n").contains("not a checkpoint"));
    assert!(
        Checkpoint::read(&directory.join("gone")).unwrap_err().to_string().contains("--checkpoint-every")
    );
    std::fs::remove_dir_all(directory).unwrap();
}
