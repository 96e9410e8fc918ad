//! Sweeps that are killed and go on, and exports and pictures after the run.

use crate::support::{Scratch, err, json, out};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SWEEP: [&str; 8] = [
    "sweep",
    "falling_sheet",
    "--set",
    "drag=0.5,1,1.5,2,2.5",
    "--set",
    "weight=50,100,150,200",
    "--steps",
    "60",
];

fn sweep(scratch: &Scratch, directory: &str) -> Vec<String> {
    let mut arguments = SWEEP.to_vec();
    arguments.extend(["--out", directory, "--quiet"]);
    let output = scratch.pliant(&arguments);
    assert!(output.status.success(), "{}", err(&output));
    let table = std::fs::read_to_string(scratch.0.join(directory).join("table.csv")).unwrap();
    // All but the time of a step.
    table.lines().map(|line| line.rsplit_once(',').unwrap().0.to_string()).collect()
}

#[test]
fn a_sweep_that_is_killed_goes_on_to_the_same_table() {
    let scratch = Scratch::new("sweep");
    let whole = sweep(&scratch, "whole");
    assert_eq!(whole.len(), 21);
    assert_eq!(whole[0], "drag,weight,ok,verdict,air,fall");
    assert!(whole[1].starts_with("0.5,50,true,ok,") && whole[20].starts_with("2.5,200,true,ok,"));
    let mut arguments = SWEEP.to_vec();
    arguments.extend(["--out", "killed", "--jobs", "1"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(&arguments)
        .current_dir(&scratch.0)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let runs = scratch.0.join("killed/runs");
    let started = Instant::now();
    let reports = || std::fs::read_dir(&runs).map_or(0, Iterator::count);
    while reports() < 3 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(reports() >= 3 && !scratch.0.join("killed/table.csv").exists(), "killed in the middle");
    assert_eq!(sweep(&scratch, "killed"), whole);
    let page = std::fs::read_to_string(scratch.0.join("killed/sweep.html")).unwrap();
    assert!(page.contains("fall over drag") && page.contains("<svg"), "curves");
    let report = std::fs::read_to_string(scratch.0.join("killed/runs/00019.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["set"], serde_json::json!({ "drag": 2.5, "weight": 200.0 }));
}

#[test]
fn a_sweep_says_what_is_wrong() {
    let scratch = Scratch::new("bad-sweep");
    let output = scratch.pliant(&["sweep", "falling_sheet", "--set", "darg=1,2", "--out", "a"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("did you mean `drag`"), "{}", err(&output));
    assert!(!scratch.0.join("a").exists());
    let refused = ["sweep", "falling_sheet", "--steps", "2", "--set", "drag=1,-1", "--out", "a"];
    let output = scratch.pliant(&refused);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        err(&output).contains("1 of 2 runs") && err(&output).contains("air.drag = -1"),
        "{}",
        err(&output)
    );
    let unmet = "expect.0={ what = \"bodies.0.mass\", op = \">\", value = 1e9 }";
    let output = scratch.pliant(&["sweep", "falling_sheet", "--steps", "2", "--set", unmet, "--out", "b"]);
    let table = std::fs::read_to_string(scratch.0.join("b/table.csv")).unwrap();
    assert!(
        err(&output).contains("`bodies.0.mass > ") && table.contains("did not hold"),
        "{}: {table}",
        err(&output)
    );
    let output = scratch.pliant(&["sweep", "falling_sheet", "--set", "drag=3", "--out", "a"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("another sweep"), "{}", err(&output));
}

#[test]
fn a_run_is_exported_and_drawn_after_the_fact() {
    let scratch = Scratch::new("export");
    let run = ["run", "released_cloth", "--steps", "12", "--set", "first=0.05", "--every", "4", "--out", "a"];
    let report = json(&scratch.pliant(&[&run[..], &["--export", "vtu,npz", "--json"]].concat()));
    assert_eq!(report["set"]["first"], 0.05);
    let files = |folder: &str| {
        let mut all: Vec<(String, Vec<u8>)> = std::fs::read_dir(scratch.0.join(folder))
            .unwrap()
            .map(|e| e.unwrap())
            .map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap()))
            .collect();
        all.sort();
        all
    };
    let (vtu, npz) = (files("a/vtu"), files("a/npz"));
    std::fs::remove_dir_all(scratch.0.join("a/vtu")).unwrap();
    std::fs::remove_dir_all(scratch.0.join("a/npz")).unwrap();
    let output = scratch.pliant(&["export", "a", "--format", "vtu,npz,obj"]);
    assert!(output.status.success() && err(&output).is_empty(), "{}", err(&output));
    assert!(out(&output).contains("obj"));
    assert!(files("a/vtu") == vtu && files("a/npz") == npz, "the same bytes");
    assert_eq!(files("a/obj").len(), 4);
    let output = scratch.pliant(&["export", "b", "--format", "obj"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("finished run"), "{}", err(&output));

    let render = |name: &str, more: &[&str]| {
        let output = scratch.pliant(&[&["render", "a", "-o", name, "--size", "160x90"], more].concat());
        assert!(output.status.success(), "{}", err(&output));
        std::fs::read(scratch.0.join(name)).unwrap()
    };
    let (own, other) = (render("own.png", &[]), render("other.png", &["--camera", "-3,0,0.5 -> 0,0,0.5"]));
    assert_ne!(own, other);
    let output = scratch.pliant(&["render", "a", "-o", "c.png", "--camera", "1,2,3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("EYE -> TARGET"), "{}", err(&output));
}
