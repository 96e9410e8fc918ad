//! The binary from outside: exit codes, streams, files.

use crate::support::{Scratch, err, json, out};
use serde_json::Value;
use std::path::Path;

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "small"
duration = 0.05
dt = 0.01

[parameters]
youngs = 1e5

[variants.two]
"body.0.mesh.cells" = [2, 2, 2]

[solver]
kind = "local_global"

[[body]]
name = "block"
mesh = { kind = "block", size = [1, 1, 1], cells = [1, 1, 1] }
density = 1000
material = { kind = "arap", youngs = "$youngs", poisson = 0.3 }

[[pin]]
select = { group = "x_min" }

[[probe]]
name = "tip"
what = "position"
select = { group = "x_max" }

[[expect]]
what = "bodies.0.mass"
op = "within"
value = 1000
tolerance = 1e-6
"#;

#[test]
fn a_run_reports_and_succeeds() {
    let s = Scratch::new("run");
    s.file("small.toml", SCENE);
    let o = s.pliant(&["run", "small.toml", "--json", "--threads", "1"]);
    let report = json(&o);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    assert_eq!((report["scene"].as_str(), report["steps"].as_u64()), (Some("small"), Some(5)));
    assert_eq!((report["threads"].as_u64(), report["ok"].as_bool()), (Some(1), Some(true)));
    assert!(report["probes"]["tip"]["last"][2].as_f64().unwrap() < 0.5);
    assert_eq!(report["expect"][0]["ok"], true);
    let text = s.pliant(&["run", "small.toml"]);
    assert!(out(&text).contains("expect bodies.0.mass") && !out(&text).contains('\x1b'), "{}", out(&text));
    let quiet = s.pliant(&["run", "small.toml", "--quiet"]);
    assert_eq!((out(&quiet).as_str(), err(&quiet).as_str(), quiet.status.code()), ("", "", Some(0)));
    assert_eq!(s.entries(), 1, "a run without --out writes nothing");
}

#[test]
fn lengths_variants_and_values() {
    let s = Scratch::new("lengths");
    s.file("small.toml", SCENE);
    let run = |more: &[&str]| json(&s.pliant(&[&["run", "small.toml", "--json"], more].concat()));
    assert_eq!(run(&["--steps", "2"])["steps"], 2);
    assert_eq!(run(&["--seconds", "0.08"])["steps"], 8);
    assert_eq!(run(&["--variant", "two"])["vertices"], 27);
    assert_eq!(run(&["--solver", "newton", "--steps", "1"])["solver"], "newton");
    let mass = |r: Value| r["bodies"][0]["mass"].as_f64().unwrap();
    assert!((mass(run(&["--set", "body.block.density=2"])) - 2.0).abs() < 1e-9);
    assert_ne!(run(&["--set", "youngs=2e4"])["state_hash"], run(&[])["state_hash"]);
    assert_eq!(run(&["--threads", "2"])["state_hash"], run(&["--threads", "1"])["state_hash"]);
    let both = s.pliant(&["run", "small.toml", "--steps", "1", "--seconds", "1"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn a_budget_that_is_too_small_is_warned_of() {
    let s = Scratch::new("budget");
    let run = |more: &[&str]| s.pliant(&[&["run", "pressed_bar", "--json", "--quiet"], more].concat());
    let good = run(&[]);
    assert_eq!(err(&good), "");
    assert_eq!(json(&good)["residual"]["doubtful_steps"], 0);
    let bad = run(&["--set", "solver.iteration=admm"]);
    let doubtful = json(&bad)["residual"]["doubtful_steps"].as_u64().unwrap();
    assert!(doubtful > 10, "{doubtful}");
    let message = format!(
        "error: the results are doubtful: {doubtful} of 120 steps ended more than 0.0001 of the size"
    );
    assert!(err(&bad).contains(&message) || err(&bad).contains("cannot be trusted"), "{}", err(&bad));
    assert_eq!((bad.status.code(), json(&bad)["ok"].as_bool()), (Some(1), Some(false)));
}

#[test]
fn an_expectation_that_fails_is_exit_code_1() {
    let s = Scratch::new("expect");
    s.file("small.toml", SCENE);
    let o = s.pliant(&["run", "small.toml", "--json", "--set", "expect.0.value=7", "--out", "d"]);
    assert_eq!(o.status.code(), Some(1));
    assert_eq!(json(&o)["ok"], false);
    assert!(err(&o).contains("expectation `bodies.0.mass within 0.000001 of 7` did not hold"), "{}", err(&o));
    assert!(s.0.join("d/report.json").is_file());
}

#[test]
fn a_run_leaves_its_files_and_can_be_drawn() {
    let s = Scratch::new("files");
    s.file("small.toml", SCENE);
    // What a run that was killed has left behind.
    std::fs::create_dir(s.0.join("d")).unwrap();
    s.file("d/.preview.png.7-0.partial", "");
    let o = s.pliant(&[
        "run",
        "small.toml",
        "--out",
        "d",
        "--every",
        "2",
        "--export",
        "vtu,obj,ply,gltf,usd,npz",
        "--quiet",
    ]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    for file in [
        "scene.toml",
        "report.json",
        "log.txt",
        "frames.bin",
        "state.bin",
        "preview.png",
        "vtu/scene.pvd",
        "gltf/scene.glb",
        "usd/scene.usda",
        "npz/scene.npz",
        "probes.csv",
        "energies.csv",
        "forces.csv",
    ] {
        assert!(s.0.join("d").join(file).is_file(), "{file}");
    }
    assert!(!s.0.join("d/.preview.png.7-0.partial").exists());
    // Steps 0, 2, 4 and the last.
    assert_eq!(std::fs::read_dir(s.0.join("d/obj")).unwrap().count(), 4);
    let again = s.pliant(&["run", "d/scene.toml", "--quiet"]);
    assert_eq!(again.status.code(), Some(0), "{}", err(&again));
    for picture in ["a.png", "a.gif"] {
        let o = s.pliant(&["render", "d", "-o", picture, "--size", "64x48"]);
        assert_eq!(o.status.code(), Some(0), "{}", err(&o));
        assert!(std::fs::metadata(s.0.join(picture)).unwrap().len() > 100);
    }
    for (arguments, cause) in [
        (["render", "d", "-o", "a.bmp"], ".png, .gif, .mp4 or .html"),
        (["render", "gone", "-o", "a.png"], "pliant run SCENE --out DIR"),
    ] {
        let o = s.pliant(&arguments);
        assert_eq!(o.status.code(), Some(2));
        assert!(err(&o).contains(cause), "{}", err(&o));
    }
    std::fs::write(s.0.join("d/frames.bin"), b"PLIANTFR").unwrap();
    let o = s.pliant(&["render", "d", "-o", "b.png"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).contains("cut off") && !s.0.join("b.png").exists(), "{}", err(&o));
}

/// Bad input: exit code 2, one line with the cause on stderr, nothing on stdout, nothing written.
#[track_caller]
fn refused(s: &Scratch, from: &str, to: &str, more: &[&str], parts: &[&str]) {
    assert!(SCENE.contains(from));
    s.file("bad.toml", &SCENE.replacen(from, to, 1));
    let before = s.entries();
    for command in [["run", "bad.toml", "--out", "d"].as_slice(), &["check", "bad.toml"]] {
        let o = s.pliant(&[command, more].concat());
        assert_eq!(o.status.code(), Some(2), "{}", err(&o));
        assert_eq!(out(&o), "");
        assert_eq!(err(&o).lines().count(), 1, "{}", err(&o));
        for part in parts {
            assert!(err(&o).contains(part), "`{part}` is not in: {}", err(&o));
        }
    }
    assert_eq!(s.entries(), before, "something was written");
}

#[test]
fn bad_input_is_exit_code_2_and_writes_nothing() {
    let s = Scratch::new("bad");
    let same = ("version = 1", "version = 1");
    refused(
        &s,
        "density =",
        "densty =",
        &[],
        &["bad.toml:21:1:", "unknown key `densty` in body.0", "`density`"],
    );
    refused(&s, "density = 1000", "density = true", &[], &["bad.toml:21:11:", "expected a number"]);
    refused(
        &s,
        "youngs = 1e5",
        "youngs = -1e5",
        &[],
        &["bad.toml:22:38:", "youngs = -100000 must be positive"],
    );
    refused(&s, "youngs = 1e5", "youngs = nan", &[], &["youngs = NaN"]);
    refused(&s, "poisson = 0.3", "poisson = 0.5", &[], &["bad.toml:22:", "below 0.5"]);
    refused(&s, "poisson = 0.3", "poisson = -1", &[], &["above -1"]);
    refused(&s, "density = 1000", "density = 0", &[], &["bad.toml:21:11:", "body.0.density = 0"]);
    refused(
        &s,
        "{ kind = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }",
        "\"gtwo.msh\"",
        &[],
        &["bad.toml:20:8:", "gtwo.msh"],
    );
    refused(&s, "\"x_min\"", "\"x_mid\"", &[], &["bad.toml:25:", "no group `x_mid`"]);
    refused(&s, "group = \"x_min\"", "index = [99]", &[], &["bad.toml:25:", "99"]);
    refused(&s, "dt = 0.01", "dt = 0", &[], &["bad.toml:7:6:", "scene.dt = 0"]);
    refused(&s, "version = 1", "version = 9", &[], &["bad.toml:2:11:", "version 9", "newer pliant"]);
    refused(&s, "\"$youngs\"", "\"$yougs\"", &[], &["bad.toml:22:", "unknown parameter", "`youngs`"]);
    refused(
        &s,
        "\"local_global\"",
        "\"newtn\"",
        &[],
        &["bad.toml:16:8:", "unknown solver `newtn`", "`newton`"],
    );
    refused(&s, "[[pin]]", "[[cable]]", &[], &["in cable.0"]);
    refused(&s, "[scene]", "[scene", &[], &["bad.toml:4:", "not valid TOML"]);
    refused(&s, "cells = [1, 1, 1]", "cells = [99999, 99999, 99999]", &[], &["more than 2000000:"]);
    refused(&s, same.0, same.1, &["--variant", "tow"], &["--variant tow: ", "`two`"]);
    refused(&s, same.0, same.1, &["--set", "yougns=1"], &["--set yougns: ", "`youngs`"]);
    refused(&s, same.0, same.1, &["--set", "body.0.density=-1"], &["--set body.0.density: "]);
}

#[test]
fn an_inverted_tet_is_refused() {
    let s = Scratch::new("inverted");
    // The second tet agrees with the first about their common face but lies on the same side of it.
    let mesh = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n\
                0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 0.5\n$EndNodes\n\
                $Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 1 3 2 5\n$EndElements\n";
    s.file("two.msh", mesh);
    let generator = "{ kind = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }";
    refused(&s, generator, "\"two.msh\"", &[], &["bad.toml:20:8:", "tets are inverted"]);
}

#[test]
fn missing_scenes_and_options() {
    let s = Scratch::new("missing");
    for (arguments, cause) in [
        (vec!["run", "cantilevr"], "did you mean `cantilever`?"),
        (vec!["run", "gone.toml"], "cannot be read"),
        (vec!["run", "cantilever", "--threads", "0"], "1 to 1024"),
        (vec!["run", "cantilever", "--set", "nothing"], "NAME=VALUE"),
        (vec!["run", "cantilever", "--export", "csv", "--out", "d"], "always in --out"),
        (vec!["run", "cantilever", "--export", "vtu"], "--out"),
        (vec!["run", "cantilever", "--seconds", "-1"], "positive number"),
        (vec!["compare", "free_fall", "--solvers", "magic"], "unknown solver `magic`"),
        (vec!["bench", "cantilever:9x9"], "unknown variant `9x9`"),
        (vec!["fly"], "unrecognized subcommand"),
    ] {
        let o = s.pliant(&arguments);
        assert_eq!(o.status.code(), Some(2), "{arguments:?} {}", err(&o));
        assert!(err(&o).contains(cause), "{}", err(&o));
    }
    assert_eq!(s.entries(), 0);
    s.file("d", "a file");
    let o = s.pliant(&["run", "free_fall", "--steps", "1", "--out", "d"]);
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
}

#[test]
fn a_simulation_that_breaks_down_is_exit_code_3_and_keeps_the_last_good_state() {
    let s = Scratch::new("breakdown");
    // A force beyond all numbers.
    s.file("small.toml", &format!("{SCENE}\n[[force]]\ntotal = [1e308, 1e308, 1e308]\nramp = 0.02\n"));
    let o = s.pliant(&["run", "small.toml", "--out", "d", "--json", "--set", "body.0.density=1e-9"]);
    assert_eq!(o.status.code(), Some(3), "{}{}", out(&o), err(&o));
    assert!(err(&o).contains("rolled back"), "{}", err(&o));
    let report = json(&o);
    assert_eq!(report["ok"], false);
    assert!(report["error"].as_str().is_some());
    let state = pliant_scene::recording::load_state(&s.0.join("d/state.bin")).unwrap();
    assert!(state.positions.iter().all(|p| p.is_finite()));
}

#[test]
fn listings() {
    let s = Scratch::new("listings");
    let scenes = json(&s.pliant(&["scenes", "--json"]));
    let bar = scenes.as_array().unwrap().iter().find(|x| x["name"] == "twisting_bar").unwrap();
    assert_eq!((bar["source"].as_str(), bar["vertices"].as_u64()), (Some("Zeng25"), Some(5292)));
    assert_eq!(bar["variants"], serde_json::json!(["5k", "11k", "21k"]));
    assert!(out(&s.pliant(&["scenes"])).contains("cantilever"));
    let schema = json(&s.pliant(&["schema"]));
    assert!(schema["$defs"]["Body"]["properties"]["density"].is_object());
}

#[test]
fn checks_advise() {
    let s = Scratch::new("check");
    s.file("small.toml", SCENE);
    let o = s.pliant(&["check", "small.toml"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(out(&o).contains("the scene can run"), "{}", out(&o));
    // Where each body is, so that a generator that starts at the origin surprises nobody.
    assert!(out(&o).contains("from m") && out(&o).contains("(0, 0, 0)"), "{}", out(&o));
    let stiff = json(&s.pliant(&["check", "small.toml", "--set", "youngs=1e9", "--json"]));
    assert!(stiff["advice"][0].as_str().unwrap().contains("dt = 0.0100 s is longer"), "{stiff}");
    let fast = "pin.0.motion={ kind = \"velocity\", velocity = [500, 0, 0] }";
    let fast = json(&s.pliant(&["check", "small.toml", "--set", fast, "--json"]));
    assert!(fast["advice"][0].as_str().unwrap().contains("more than the shortest edge"), "{fast}");
}

#[test]
fn the_same_advice_for_many_bodies_is_shortened() {
    let s = Scratch::new("check-many");
    let grid = "instances = { grid = [3, 3, 1], spacing = [2, 2, 2] }\n\n[[pin]]\nbody = \"block_0\"";
    let probe = "what = \"position\"\nbody = \"block_0\"";
    s.file("many.toml", &SCENE.replace("\n[[pin]]", grid).replace("what = \"position\"", probe));
    let o = s.pliant(&["check", "many.toml", "--set", "youngs=1e9"]);
    let text = out(&o);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    assert_eq!(text.matches("advice: dt = ").count(), 3, "{text}");
    assert!(text.contains("the same of others, 6 times"), "{text}");
    let all = json(&s.pliant(&["check", "many.toml", "--set", "youngs=1e9", "--json"]));
    assert_eq!(all["advice"].as_array().unwrap().len(), 9, "{all}");
}

#[test]
fn checks_tell_what_overlaps() {
    let s = Scratch::new("overlap");
    let ball = "[[obstacle]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.1 }\n\n[[probe]]";
    s.file("overlap.toml", &SCENE.replacen("[[probe]]", ball, 1));
    let report = json(&s.pliant(&["check", "overlap.toml", "--json"]));
    let overlap = &report["overlaps"][0];
    assert_eq!(overlap["pair"][1], "obstacle `ball`", "{report}");
    // A corner of the body is at the centre of the ball.
    assert!((overlap["depth_m"].as_f64().unwrap() - 0.1).abs() < 1e-9, "{report}");
    let text = out(&s.pliant(&["check", "overlap.toml"]));
    assert!(text.contains("and obstacle `ball` overlap at the start"), "{text}");
}

#[test]
fn bench_and_compare_measure() {
    let s = Scratch::new("bench");
    s.file("small.toml", SCENE);
    let o = s.pliant(&["bench", "small.toml", "free_fall", "--steps", "3", "--json", "--out", "b"]);
    let bench = json(&o);
    assert_eq!(bench["results"].as_array().unwrap().len(), 2);
    for key in [
        "/step_ms/p50",
        "/step_ms/p99",
        "/stage_ms/local/max",
        "/residual/iterations_mean",
        "/threads",
        "/state_hash",
    ] {
        assert!(bench["results"][0].pointer(key).is_some(), "{key}");
    }
    assert_eq!(bench["results"][0]["steps"], 3);
    assert!(is_svg(&s.0.join("b/bench.svg")) && s.0.join("b/bench.json").is_file());
    let o = s.pliant(&[
        "compare",
        "small.toml",
        "--solvers",
        "local_global,jacobi",
        "--steps",
        "2",
        "--json",
        "--out",
        "c",
    ]);
    let compare = json(&o);
    assert_eq!(compare["solvers"].as_array().unwrap().len(), 3);
    assert_eq!(compare["solvers"][0]["solver"], "newton");
    assert!(compare["solvers"][1]["distance_to_newton_m"]["max"].is_number());
    assert!(is_svg(&s.0.join("c/compare.svg")));
}

fn is_svg(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.contains("<svg"))
}

#[test]
fn scenes_are_listed_at_once_and_printed() {
    let s = Scratch::new("scenes");
    let start = std::time::Instant::now();
    let list = json(&s.pliant(&["scenes", "--json"]));
    assert!(start.elapsed().as_secs_f64() < 5.0, "no mesh is made");
    let drop = list.as_array().unwrap().iter().find(|scene| scene["name"] == "drop").unwrap().clone();
    assert_eq!((&drop["vertices"], &drop["solver"]), (&343.into(), &"local_global".into()));
    let printed = out(&s.pliant(&["scenes", "drop", "--print"]));
    s.file("mine.toml", &printed);
    assert_eq!(s.pliant(&["run", "mine.toml", "--steps", "2", "--quiet"]).status.code(), Some(0));
    assert!(out(&s.pliant(&["scenes", "drop"])).contains("parameters: friction youngs height"));
    let typo = s.pliant(&["scenes", "dorp", "--print"]);
    assert_eq!(typo.status.code(), Some(2));
    assert!(err(&typo).contains("did you mean `drop`?"), "{}", err(&typo));
}
