//! Runs of small scenes: report, probes, expectations, recording, export.

use pliant::BodyId;
use pliant_scene::recording::{FrameWriter, Recording, load_state, save_state};
use pliant_scene::report::{Circumstances, report};
use pliant_scene::view::{Fields, Frame};
use pliant_scene::{Run, Scene, builtin, exporting};
use std::path::PathBuf;

fn free_fall(steps: usize) -> Run {
    let mut run = Run::new(Scene::load("free_fall").unwrap().build().unwrap()).unwrap();
    run.limit_steps(steps);
    while !run.is_done() {
        run.step().unwrap();
    }
    run
}

/// A directory that is removed at the end of a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pliant-scene-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_built_in_scene_builds_in_every_variant() {
    // Meshing takes a while: every core takes its part.
    let names: Vec<&str> = builtin::names().collect();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for first in 0..threads {
            let part = names.iter().skip(first).step_by(threads);
            scope.spawn(|| part.for_each(|name| builds_in_every_variant(name)));
        }
    });
}

fn builds_in_every_variant(name: &str) {
    let scene = Scene::load(name).unwrap();
    for variant in scene.variants().into_iter().filter(|v| Some(*v) != scene.variant()) {
        scene.clone().with_variant(variant).unwrap().build().unwrap();
    }
    let setup = scene.build().unwrap();
    assert_eq!(setup.name, name);
    let size = (setup.vertices(), setup.elements());
    assert_eq!(builtin::size(name), Some(size), "put the size of `{name}` into SIZES of builtin.rs");
    assert!(!setup.expectations.is_empty() && !setup.description.is_empty(), "{name}");
}

#[test]
fn the_promised_names_are_there() {
    for (scene, parameters, variants, probes) in [
        ("twisting_bar", vec!["youngs", "poisson", "turns_per_second"], vec!["5k", "11k", "21k"], vec![]),
        ("cloth_extension", vec!["youngs", "poisson", "material"], vec!["10k", "20k"], vec!["width"]),
        ("cantilever", vec!["youngs", "poisson", "material"], vec!["20x4x4", "40x8x8"], vec!["tip"]),
        (
            "stick_slide",
            vec!["friction", "angle", "youngs", "material", "yaw"],
            vec!["cloth"],
            vec!["slide", "slide_speed"],
        ),
        (
            "drop",
            vec!["friction", "youngs", "height"],
            vec!["n6", "n12", "n20"],
            vec!["lowest", "contact_force"],
        ),
    ] {
        let s = Scene::load(scene).unwrap();
        // The first size is the default; a block is no variant of itself.
        let default = variants.first().copied().filter(|_| scene != "stick_slide");
        assert_eq!((s.parameters(), s.variants(), s.variant()), (parameters, variants, default));
        let setup = s.build().unwrap();
        for probe in probes {
            assert!(setup.probes.iter().any(|p| p.name == probe));
        }
    }
}

#[test]
fn papers_sizes() {
    for (scene, variant, vertices, elements) in [
        ("twisting_bar", "5k", 5292, 26364),
        ("twisting_bar", "11k", 11340, 58956),
        ("twisting_bar", "21k", 20812, 111132),
        ("cloth_extension", "10k", 10225, 20164),
        ("cloth_extension", "20k", 20201, 40000),
    ] {
        let setup = Scene::load(scene).unwrap().with_variant(variant).unwrap().build().unwrap();
        assert_eq!((setup.vertices(), setup.elements()), (vertices, elements), "{scene} {variant}");
    }
}

#[test]
fn the_report_has_every_promised_key() {
    let run = free_fall(3);
    let about = Circumstances { threads: 2, as_written: true, ..Circumstances::default() };
    let r = report(&run, &about);
    for key in [
        "scene",
        "solver",
        "repeatable",
        "pliant",
        "threads",
        "steps",
        "dt",
        "simulated_s",
        "wall_s",
        "vertices",
        "elements",
        "dofs",
        "step_ms/p50",
        "step_ms/p95",
        "step_ms/p99",
        "step_ms/max",
        "step_ms/mean",
        "stage_ms/detect/p50",
        "stage_ms/detect/max",
        "stage_ms/local/p50",
        "stage_ms/global/p50",
        "stage_ms/delassus/p50",
        "stage_ms/contact/p50",
        "stage_ms/advance/max",
        "contacts/max_points",
        "contacts/max_rows",
        "contacts/mean_rows",
        "penetration_max_m",
        "inverted_elements",
        "intersections",
        "intersection_pairs",
        "memory/factor_bytes",
        "memory/inverse_factor_bytes",
        "memory/delassus_bytes",
        "memory/peak_rss_bytes",
        "residual/first",
        "residual/last",
        "residual/iterations_mean",
        "bodies/0/name",
        "bodies/0/vertices",
        "bodies/0/elements",
        "bodies/0/mass",
        "bodies/0/center/2",
        "bodies/0/velocity/2",
        "bodies/0/momentum/2",
        "bodies/0/angular_momentum/2",
        "bodies/0/elastic_energy",
        "bodies/0/volume_ratio",
        "bodies/0/min_j",
        "probes/center/first/2",
        "probes/center/last/2",
        "probes/center/min/2",
        "probes/center/max/2",
        "state_hash",
        "expect",
        "ok",
    ] {
        assert!(r.pointer(&format!("/{key}")).is_some_and(|v| !v.is_null()), "{key}");
    }
    let hash = r["state_hash"].as_str().unwrap();
    assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()));
    assert_eq!((r["steps"].as_u64(), r["dofs"].as_u64(), r["dt"].as_f64()), (Some(3), Some(375), Some(0.01)));
    // A short run leaves out what belongs to the whole one.
    assert_eq!((r["expect"].as_array().unwrap().len(), r["expect_skipped"].as_u64()), (2, Some(2)));
    assert_eq!(r["ok"], true, "{:#}", r["expect"]);
}

#[test]
fn a_solver_adds_stages_and_counters_of_its_own_to_the_report() {
    let setup = Scene::load("free_fall").unwrap().with_solver("newton").unwrap().build().unwrap();
    let mut run = Run::new(setup).unwrap();
    run.step().unwrap();
    let r = report(&run, &Circumstances::default());
    assert!(r["stage_ms"]["line_search"]["p50"].is_number(), "{}", r["stage_ms"]);
    assert_eq!(r["stage_ms"]["contact"]["max"], 0.0, "the common stages are always there");
    assert!(r["counters"]["halvings"]["mean"].is_number() && r["counters"]["halvings"]["max"].is_number());
    let counters = report(&free_fall(1), &Circumstances::default())["counters"].clone();
    assert_eq!(counters, serde_json::json!({ "hessian_products": { "max": 1.0, "mean": 1.0 } }));
}

#[test]
fn free_fall_is_that_of_implicit_euler() {
    let run = free_fall(100);
    let r = report(&run, &Circumstances { as_written: true, ..Circumstances::default() });
    assert_eq!(r["expect"].as_array().unwrap().len(), 4);
    assert_eq!(r["ok"], true, "{:#}", r["expect"]);
    let z = r["probes"]["center"]["max"][2].as_f64().unwrap();
    assert!((z - 0.1 - 0.44).abs() < 0.02, "top of the flight {z}");
}

/// Runs a built-in scene in full and checks its own expectations.
fn holds(name: &str) {
    let mut run = Run::new(Scene::load(name).unwrap().build().unwrap()).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let r = report(&run, &Circumstances { as_written: true, ..Circumstances::default() });
    assert_eq!(r["expect_skipped"], 0);
    assert_eq!(r["ok"], true, "{name}: {:#}", r["expect"]);
}

#[test]
fn the_patch_test_holds() {
    holds("patch_test");
}

#[test]
fn the_spinning_body_holds() {
    holds("spinning_body");
}

#[test]
fn the_cantilever_holds() {
    holds("cantilever");
}

#[test]
fn the_hinged_bar_turns() {
    holds("hinged_bar");
}

#[test]
fn the_pressed_bar_holds() {
    holds("pressed_bar");
}

#[test]
fn the_inflated_sphere_holds() {
    holds("inflated_sphere");
}

#[test]
fn expectations_fail_and_are_left_out() {
    let mut scene = Scene::load("free_fall").unwrap();
    scene.set("expect.2.value", "-1").unwrap();
    assert!(scene.is_as_written());
    scene.set("scene.duration", "0.02").unwrap();
    assert!(!scene.is_as_written());
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let r = report(&run, &Circumstances { as_written: scene.is_as_written(), ..Circumstances::default() });
    assert_eq!(r["ok"], false);
    assert_eq!(r["expect"][0]["what"], "bodies.0.elastic_energy");
    assert_eq!(r["expect"][0]["ok"], false);
}

#[test]
fn probes_measure_what_they_say() {
    let text = builtin::text("free_fall").unwrap().to_string()
        + r#"
[[probe]]
name = "height"
what = "extent"
axis = "z"

[[probe]]
name = "top"
what = "position"
select = { group = "z_max" }

[[probe]]
name = "speed_up"
what = "speed"
axis = [0, 0, 2]

[[probe]]
name = "speed"
what = "speed"

[[probe]]
name = "kinetic"
what = "kinetic_energy"

[[probe]]
name = "push"
what = "momentum"
axis = "x"
"#;
    let run = Run::new(Scene::parse("t", &text).unwrap().build().unwrap()).unwrap();
    let value = |name: &str| run.probes().iter().find(|p| p.name == name).unwrap().last().to_vec();
    let close =
        |a: &[f64], b: &[f64]| assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-9), "{a:?} {b:?}");
    close(&value("center"), &[0.1, 0.1, 0.1]);
    close(&value("height"), &[0.2]);
    close(&value("top"), &[0.1, 0.1, 0.2]);
    close(&value("speed_up"), &[3.0]);
    close(&value("speed"), &[10f64.sqrt()]);
    close(&value("kinetic"), &[0.5 * 8.0 * 10.0]);
    close(&value("push"), &[8.0]);
}

#[test]
fn a_recording_comes_back() {
    let scratch = Scratch::new("recording");
    let path = scratch.0.join("frames.bin");
    let mut run = free_fall(0);
    let mut writer = FrameWriter::create(&path, &run).unwrap();
    writer.frame(&run).unwrap();
    run.step().unwrap();
    writer.frame(&run).unwrap();
    let unfinished = std::fs::read(&path).unwrap();
    writer.finish().unwrap();
    let mut recording = Recording::open(&path).unwrap();
    assert_eq!((recording.frames(), recording.is_complete(), recording.layout().dt), (2, true, 0.01));
    // Of 5 x 5 x 5 vertices the 27 inside are not seen.
    let block = recording.layout().bodies[0].clone();
    assert_eq!((block.name.as_str(), block.vertices, block.triangles), ("block", 98, 6 * 16 * 2));
    assert_eq!(recording.geometry().triangles.len(), 6 * 16 * 2);
    let frame = recording.frame(1).unwrap();
    assert_eq!(frame.time, 0.01);
    let seen = run.setup().skins[0].positions(run.world().positions(BodyId(0)));
    assert_eq!(frame.positions, seen.iter().map(|p| p.as_vec3().to_array()).collect::<Vec<_>>());
    assert_eq!(frame, Frame::of(run.setup(), run.world(), Fields::ALL));
    assert!(frame.stress.is_some_and(|s| s.len() == 98 && s.iter().all(|s| s.is_finite())));
    assert!(recording.frame(2).is_err());
    // A run that was killed leaves whole frames behind, perhaps none.
    std::fs::write(&path, unfinished).unwrap();
    assert!(Recording::open(&path).map_or(true, |r| !r.is_complete()));
}

#[test]
fn a_recording_has_the_obstacles_where_they_were() {
    let scratch = Scratch::new("obstacles");
    let path = scratch.0.join("frames.bin");
    let mut scene = Scene::load("drop").unwrap();
    scene.set("obstacle.ground.motion", "{ kind = \"velocity\", velocity = [0, 0, -1] }").unwrap();
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    let mut writer = FrameWriter::create(&path, &run).unwrap();
    run.step().unwrap();
    writer.frame(&run).unwrap();
    writer.finish().unwrap();
    let mut recording = Recording::open(&path).unwrap();
    let ground = &recording.layout().obstacles[0];
    assert_eq!((ground.name.as_str(), ground.plane), ("ground", true));
    let pose = recording.frame(0).unwrap().poses[0];
    assert!((pose.translation.z + 0.01).abs() < 1e-8 && pose.rotation.z_axis.z == 1.0, "{pose:?}");
}

#[test]
fn damaged_recordings_are_errors() {
    let scratch = Scratch::new("damaged");
    let path = scratch.0.join("frames.bin");
    let mut run = Run::new(Scene::load("drop").unwrap().build().unwrap()).unwrap();
    run.step().unwrap();
    let mut writer = FrameWriter::create(&path, &run).unwrap();
    writer.frame(&run).unwrap();
    writer.finish().unwrap();
    let good = std::fs::read(&path).unwrap();
    for length in (0..good.len()).step_by(7) {
        std::fs::write(&path, &good[..length]).unwrap();
        let error = Recording::open(&path).unwrap_err().to_string();
        assert!(error.contains("frames.bin") && error.contains("record it again"), "{error}");
    }
    for byte in 0..good.len().min(2000) {
        let mut bad = good.clone();
        bad[byte] ^= 0xff;
        std::fs::write(&path, &bad).unwrap();
        if let Ok(mut recording) = Recording::open(&path) {
            let _ = recording.frame(0);
        }
    }
}

#[test]
fn states_come_back_bit_for_bit() {
    let scratch = Scratch::new("state");
    let path = scratch.0.join("state.bin");
    let run = free_fall(5);
    save_state(&path, run.world().state()).unwrap();
    assert_eq!(&load_state(&path).unwrap(), run.world().state());
    let good = std::fs::read(&path).unwrap();
    for length in [0, 8, 31, 32, good.len() - 1] {
        std::fs::write(&path, &good[..length]).unwrap();
        assert!(load_state(&path).is_err());
    }
}

#[test]
fn exports_are_files_with_an_index() {
    let scratch = Scratch::new("export");
    let run = free_fall(1);
    let formats: Vec<exporting::Format> = ["vtu", "obj", "ply"].iter().map(|f| f.parse().unwrap()).collect();
    let mut exporter = exporting::Exporter::create(&scratch.0, &formats, &run).unwrap();
    exporter.frame(&run).unwrap();
    exporter.frame(&run).unwrap();
    exporter.finish(&run, &exporting::Colors::default()).unwrap();
    for file in [
        "vtu/0_block_000000.vtu",
        "vtu/0_block_000001.vtu",
        "obj/0_block_000001.obj",
        "ply/0_block_000000.ply",
    ] {
        assert!(scratch.0.join(file).is_file(), "{file}");
    }
    let index = std::fs::read_to_string(scratch.0.join("vtu/scene.pvd")).unwrap();
    assert_eq!(index.matches("0_block_").count(), 2);
    let vtu = std::fs::read_to_string(scratch.0.join("vtu/0_block_000000.vtu")).unwrap();
    assert!(vtu.contains("velocity") && vtu.contains("displacement"));
    assert!("vtuu".parse::<exporting::Format>().unwrap_err().to_string().contains("`vtu`"));
}

#[test]
fn regions_have_materials_of_their_own() {
    let mut scene = Scene::load("free_fall").unwrap();
    let region = "[{ select = { box = { min = [0, 0, 0.1], max = [1, 1, 1] } }, \
                  material = { kind = \"arap\", youngs = 5, poisson = 0 } }]";
    scene.set("body.0.regions", region).unwrap();
    let setup = scene.build().unwrap();
    let body = &setup.model.bodies[0];
    assert_eq!(body.materials.len(), 2);
    assert_eq!(body.material_of.iter().filter(|m| **m == 1).count(), setup.elements() / 2);
    scene.set("body.0.regions.0.select", "{ box = { min = [0, 0, 0], max = [0.01, 1, 1] } }").unwrap();
    let error = scene.build().unwrap_err().to_string();
    assert!(error.contains("no element has all its vertices"), "{error}");
}

#[test]
fn compliance_is_the_inverse_of_stiffness() {
    let kind = |key: &str, value: &str| {
        let mut scene = Scene::load("cantilever").unwrap();
        scene.set(&format!("pin.0.{key}"), value).unwrap();
        scene.build().map(|setup| setup.model.pins[0].kind)
    };
    assert_eq!(kind("compliance", "0.002").unwrap(), pliant::PinKind::Soft(500.0));
    assert_eq!(kind("stiffness", "500").unwrap(), pliant::PinKind::Soft(500.0));
    assert_eq!(kind("compliance", "0").unwrap(), pliant::PinKind::Hard);
    assert!(kind("compliance", "-1").unwrap_err().to_string().contains("compliance"));
}

#[test]
fn a_recording_has_the_contacts_and_the_pins() {
    let scratch = Scratch::new("contacts");
    let path = scratch.0.join("frames.bin");
    let mut run = Run::new(Scene::load("drop").unwrap().build().unwrap()).unwrap();
    let mut writer = FrameWriter::create(&path, &run).unwrap();
    while run.world().touches().is_empty() {
        run.step().unwrap();
        writer.frame(&run).unwrap();
    }
    writer.finish().unwrap();
    let mut recording = Recording::open(&path).unwrap();
    let last = recording.frames() - 1;
    assert!(recording.frame(0).unwrap().contacts.is_empty());
    let (frame, touches) = (recording.frame(last).unwrap(), run.world().touches());
    assert_eq!(frame.contacts.len(), touches.len());
    assert_eq!(frame.contacts[0].force, touches[0].force.as_vec3().to_array());
    assert_eq!(frame, Frame::of(run.setup(), run.world(), Fields::ALL));
    assert!(recording.layout().pins.is_empty());
    let bar = Run::new(Scene::load("cantilever").unwrap().build().unwrap()).unwrap();
    let layout = pliant_scene::view::Layout::of(bar.setup(), bar.world());
    assert_eq!(layout.pins.len(), 25, "5 x 5 at the wall");
}
