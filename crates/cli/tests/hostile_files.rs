//! Files that are none, and directories that somebody else uses: refused at once, without waiting, reading or writing elsewhere.
#![cfg(unix)]

use crate::support::{Scratch, err};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn hole(path: &Path) {
    std::fs::File::create(path).unwrap().set_len(10 << 30).unwrap();
}

#[test]
fn devices_pipes_and_holes_are_not_read() {
    let s = Scratch::new("devices");
    pipe(&s.0.join("pipe.obj"));
    pipe(&s.0.join("pipe.toml"));
    hole(&s.0.join("hole.obj"));
    hole(&s.0.join("hole.bin"));
    let start = Instant::now();
    for (arguments, says) in [
        (["resume", "/dev/zero"].as_slice(), "not a checkpoint"),
        (&["resume", "hole.bin"], "not a checkpoint"),
        (&["resume", "pipe.obj"], "not a checkpoint"),
        (&["mesh", "info", "/dev/zero"], "a pipe or a device"),
        (&["mesh", "info", "pipe.obj"], "a pipe or a device"),
        (&["mesh", "info", "hole.obj"], "holes"),
        (&["run", "pipe.toml"], "a pipe or a device"),
        (&["run", "/dev/zero"], "a pipe or a device"),
    ] {
        let o = s.pliant(arguments);
        assert_eq!(o.status.code(), Some(2), "{arguments:?}: {}", err(&o));
        assert!(err(&o).contains(says) && err(&o).lines().count() == 1, "{arguments:?}: {}", err(&o));
    }
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_checkpoint_that_claims_ten_gigabytes_takes_no_memory() {
    let s = Scratch::new("claims");
    let size = 10_u64 << 30;
    let header = [&b"PLIANTCP"[..], &1_u32.to_le_bytes(), &size.to_le_bytes(), &[0; 8]].concat();
    std::fs::write(s.0.join("short.bin"), &header).unwrap();
    let o = s.pliant(&["resume", "short.bin"]);
    assert!(err(&o).contains("cut off after 28 bytes"), "{}", err(&o));
}

#[test]
fn links_out_of_the_directory_are_not_followed() {
    let s = Scratch::new("links");
    s.file("precious.txt", "mine");
    for (name, target) in [
        ("log.txt", "../precious.txt"),
        ("report.json", "../nothing"),
        ("vtu", ".."),
        ("checkpoint.bin", "../precious.txt"),
    ] {
        let directory = s.0.join("d");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir(&directory).unwrap();
        std::os::unix::fs::symlink(target, directory.join(name)).unwrap();
        let o = s.pliant(&["run", "free_fall", "--out", "d", "--quiet", "--export", "vtu"]);
        assert_eq!(o.status.code(), Some(2), "{name}: {}", err(&o));
        assert!(err(&o).contains("leads out of the directory"), "{name}: {}", err(&o));
        assert!(!s.0.join("nothing").exists());
    }
    let o = s.pliant(&["resume", "d"]);
    assert!(err(&o).contains("leads out of the directory"), "{}", err(&o));
    assert_eq!(std::fs::read_to_string(s.0.join("precious.txt")).unwrap(), "mine");
    // Pipes would hang the run.
    std::fs::remove_dir_all(s.0.join("d")).unwrap();
    std::fs::create_dir(s.0.join("d")).unwrap();
    pipe(&s.0.join("d/frames.bin"));
    let o = s.pliant(&["run", "free_fall", "--out", "d", "--quiet"]);
    assert!(err(&o).contains("a pipe or a device"), "{}", err(&o));
}

#[test]
fn a_directory_belongs_to_one_run_until_it_ends_or_is_killed() {
    let s = Scratch::new("busy");
    let long = [
        "run",
        "drop",
        "--seconds",
        "1000",
        "--out",
        "d",
        "--quiet",
        "--threads",
        "1",
        "--checkpoint-every",
        "5",
    ];
    let mut first = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(long)
        .current_dir(&s.0)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !s.0.join("d/checkpoint.bin").is_file() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    for arguments in [["run", "free_fall", "--out", "d", "--quiet"].as_slice(), &["resume", "d", "--quiet"]] {
        let o = s.pliant(arguments);
        assert_eq!(o.status.code(), Some(2), "{arguments:?}: {}", err(&o));
        assert!(err(&o).contains("another run is writing here"), "{arguments:?}: {}", err(&o));
    }
    // Killed at once, as by the system: nothing is left that blocks the next.
    first.kill().unwrap();
    first.wait().unwrap();
    let o = s.pliant(&["run", "free_fall", "--out", "d", "--quiet"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
}
