//! A solver that is a folder and a line in the table: everything else knows it. `./test` runs this with the feature.
#![cfg(feature = "dummy-solver")]

use crate::support::{Scratch, err, json, out};

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "dust"
duration = 0.2
dt = 0.01

[solver]
kind = "free_flight"
drag = 0.5
gust = 2

[[body]]
name = "speck"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
material = { kind = "arap", youngs = 1e5, poisson = 0.3 }
velocity = [1, 0, 3]

[[probe]]
name = "place"
what = "center"
"#;

#[test]
fn it_runs_a_scene_and_reports_its_stages_and_counters() {
    let s = Scratch::new("dummy-run");
    s.file("dust.toml", SCENE);
    let o = s.pliant(&["run", "dust.toml", "--json"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let report = json(&o);
    assert_eq!((report["solver"].as_str(), report["steps"].as_u64()), (Some("free_flight"), Some(20)));
    assert_eq!(report["counters"]["flown"]["max"], 27.0);
    assert!(report["stage_ms"]["flight"]["p50"].is_number() && report["stage_ms"]["local"]["max"] == 0.0);
    // Drag and gravity without gusts, against the recursion v = (v + h g) / (1 + h drag).
    let calm = json(&s.pliant(&["run", "dust.toml", "--json", "--set", "solver.gust=0"]));
    let (mut place, mut v) = ([0.0, 0.0], [1.0, 3.0]);
    for _ in 0..20 {
        v = [v[0] / 1.005, (v[1] - 0.01 * 9.81) / 1.005];
        place = [place[0] + 0.01 * v[0], place[1] + 0.01 * v[1]];
    }
    let probe = &calm["probes"]["place"];
    let moved = |k: usize| probe["last"][k].as_f64().unwrap() - probe["first"][k].as_f64().unwrap();
    assert!((moved(0) - place[0]).abs() < 1e-12 && (moved(2) - place[1]).abs() < 1e-12, "{probe}");
    let compared =
        json(&s.pliant(&["compare", "dust.toml", "--solvers", "free_flight", "--json", "--quiet"]));
    assert_eq!(compared["solvers"][1]["solver"], "free_flight");
}

#[test]
fn it_is_listed_and_its_settings_are_checked() {
    let s = Scratch::new("dummy-list");
    s.file("dust.toml", SCENE);
    let o = s.pliant(&["run", "dust.toml", "--solver", "nonsense"]);
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
    assert!(err(&o).contains("`free_flight`"), "{}", err(&o));
    let o = s.pliant(&["run", "dust.toml", "--solver", "free_fligt"]);
    assert!(err(&o).contains("did you mean `free_flight`?"), "{}", err(&o));
    assert!(out(&s.pliant(&["run", "--help"])).contains("free_flight"));
    let o = s.pliant(&["check", "dust.toml", "--set", "solver.gust=-1"]);
    assert!(err(&o).contains("solver.gust = -1 must be 0 or more"), "{}", err(&o));
    let o = s.pliant(&["check", "dust.toml", "--set", "solver.iterations=3"]);
    assert!(err(&o).contains("does not belong to solver `free_flight`"), "{}", err(&o));
    let o = s.pliant(&["check", "dust.toml", "--set", "solver.dragg=3"]);
    assert!(err(&o).contains("did you mean `drag`?"), "{}", err(&o));
    let schema = json(&s.pliant(&["schema"]));
    let solver = &schema["$defs"]["Solver"]["properties"];
    assert!(solver["kind"].to_string().contains("\"free_flight\""), "{solver}");
    assert!(solver["gust"].to_string().contains("\"minimum\":0"), "{solver}");
}

#[test]
fn it_is_saved_and_resumed_bit_for_bit() {
    let s = Scratch::new("dummy-save");
    s.file("dust.toml", SCENE);
    let whole = json(&s.pliant(&["run", "dust.toml", "--json"]));
    let calm = json(&s.pliant(&["run", "dust.toml", "--json", "--set", "solver.gust=0"]));
    assert_ne!(whole["state_hash"], calm["state_hash"], "the saved state matters");
    let o = s.pliant(&["run", "dust.toml", "--out", "a", "--checkpoint-every", "7", "--quiet"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    // As if it had been killed right before its end.
    std::fs::remove_file(s.0.join("a/report.json")).unwrap();
    let o = s.pliant(&["resume", "a", "--json"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    for key in ["state_hash", "steps", "probes", "counters"] {
        assert_eq!(json(&o)[key], whole[key], "{key}");
    }
}
