//! Ways to break a run: each has the verdict and the exit code that the guide says, and nobody gets wrong results for good ones.

use crate::support;

use serde_json::Value;
use support::{Scratch, err, json};

/// A cube that falls by 2 cm on the floor.
const CUBE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "cube"
duration = 0.3

[[body]]
name = "cube"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
transform = { translate = [0, 0, 0.02] }
material = { kind = "stable_neo_hookean", youngs = 1e5, poisson = 0.3 }

[[obstacle]]
name = "floor"
shape = "plane"
"#;

/// One end of the cube is held, the other moves along x with this speed in m/s.
fn pulled(speed: &str) -> String {
    format!(
        "[[pin]]\nselect = {{ group = \"x_min\" }}\n[[pin]]\nselect = {{ group = \"x_max\" }}\n\
         motion = {{ kind = \"velocity\", velocity = [{speed}, 0, 0] }}\n"
    )
}

/// A plate that comes down with this speed in m/s.
fn press(speed: &str) -> String {
    format!(
        "[[obstacle]]\nname = \"press\"\nshape = {{ kind = \"box\", size = [1, 1, 0.1] }}\n\
         transform = {{ translate = [0, 0, 0.2] }}\nmotion = {{ kind = \"velocity\", velocity = [0, 0, -{speed}] }}\n"
    )
}

/// A second cube at this place.
fn another(place: &str) -> String {
    format!(
        "[[body]]\nname = \"other\"\nmesh = {{ kind = \"block\", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }}\n\
         transform = {{ translate = {place} }}\nmaterial = {{ kind = \"stable_neo_hookean\", youngs = 1e5, poisson = 0.3 }}\n"
    )
}

fn force(what: &str) -> String {
    format!("[[force]]\nbody = \"cube\"\n{what}\n")
}

/// A way to break a run: what the guide calls it, what is added to the scene, what is set, the verdict (`refused` if it does not
/// start), the exit code, and a kind of finding or a part of the message.
struct Way {
    name: &'static str,
    more: String,
    set: &'static [&'static str],
    verdict: &'static str,
    code: i32,
    says: &'static str,
}

fn way(
    name: &'static str,
    more: impl Into<String>,
    set: &'static [&'static str],
    (verdict, code, says): (&'static str, i32, &'static str),
) -> Way {
    Way { name, more: more.into(), set, verdict, code, says }
}

fn ways() -> Vec<Way> {
    let refused = |says| ("refused", 2, says);
    let failed = |says| ("failed", 1, says);
    vec![
        way("nothing is wrong", "", &[], ("ok", 0, "")),
        way("density 1e-15", "", &["body.0.density=1e-15"], refused("at least 6.3e-9 kg/m^3")),
        way("Young's modulus 1e24", "", &["body.0.material.youngs=1e24"], refused("at most 1.6e16 Pa")),
        way("Young's modulus nan", "", &["body.0.material.youngs=nan"], refused("positive and finite")),
        way("Poisson's ratio 0.5", "", &["body.0.material.poisson=0.5"], refused("below 0.5")),
        way("a body of 1e-12 m", "", &["body.0.transform.scale=1e-11"], refused("1e-24 to 1e24 kg")),
        way("mirrored by its scale", "", &["body.0.transform.scale=-1"], refused("positive")),
        way("dt 1e-13", "", &["scene.dt=1e-13", "scene.duration=1e-12"], refused("1e-12 to 1e6 s")),
        way("dt above the duration", "", &["scene.dt=1"], refused("longer than the duration")),
        way("dt 1", "", &["scene.dt=1", "scene.duration=30"], failed("time_step")),
        way("gravity 1e7", "", &["scene.gravity=[0, 0, -1e7]"], failed("time_step")),
        way("gravity 1e300", "", &["scene.gravity=[0, 0, -1e300]"], ("failed", 3, "breakdown")),
        way("too soft for its weight", "", &["body.0.material.youngs=1"], failed("inverted_elements")),
        way("density 1e9", "", &["body.0.density=1e9"], failed("inverted_elements")),
        way("thrown at 10 km/s", "", &["body.0.velocity=[1e4, 0, 0]"], failed("speed")),
        way("lost in space", "", &["body.0.velocity=[0, 0, 1e6]"], failed("distance")),
        way("velocity 1e300", "", &["body.0.velocity=[0, 0, 1e300]"], ("failed", 3, "breakdown")),
        way("spun until it bursts", "", &["body.0.angular_velocity=[1e5, 0, 0]"], failed("stretch")),
        way("pins that pull at 100 m/s", pulled("100"), &[], failed("stretch")),
        way("pins that pass each other", pulled("-2"), &[], failed("inverted_elements")),
        way("pins that pass each other at 100 m/s", pulled("-100"), &[], failed("residual")),
        way("a pin to nowhere", pulled("1e300"), &[], ("failed", 3, "breakdown")),
        way(
            "one iteration for a stiff body",
            pulled("1"),
            &["solver.iterations=1", "body.0.material.youngs=1e8"],
            ("doubtful", 1, "residual"),
        ),
        way("starts in the floor", "", &["body.0.transform.translate=[0, 0, -0.05]"], failed("energy")),
        way("two bodies in one place", another("[0.01, 0.01, 0.03]"), &[], failed("penetration")),
        way("pressed flat", press("1"), &[], failed("inverted_elements")),
        way("hit by a plate at 20 m/s", press("20"), &[], failed("penetration")),
        way(
            "a force of 1e7 N",
            force("select = { group = \"z_max\" }\ntotal = [0, 0, -1e7]"),
            &[],
            failed("inverted_elements"),
        ),
        way(
            "a force of 1e9 N",
            force("select = { all = true }\ntotal = [0, 0, 1e9]"),
            &[],
            failed("distance"),
        ),
        way("blown up", force("kind = \"pressure\"\nvalue = 1e7"), &[], failed("stretch")),
        way("sucked empty", force("kind = \"pressure\"\nvalue = -1e6"), &[], failed("inverted_elements")),
        way(
            "an expectation that does not hold",
            "[[expect]]\nwhat = \"steps\"\nop = \"==\"\nvalue = 1\n",
            &[],
            ("ok", 1, "expectation `steps == 1`"),
        ),
    ]
}

fn run(s: &Scratch, way: &Way) -> (i32, Option<Value>, String) {
    s.file("broken.toml", &format!("{CUBE}{}", way.more));
    let mut arguments = vec!["run", "broken.toml", "--json", "--quiet", "--threads", "1"];
    way.set.iter().for_each(|set| arguments.extend(["--set", set]));
    let output = s.pliant(&arguments);
    let report = serde_json::from_slice(&output.stdout).ok();
    (output.status.code().unwrap_or(-1), report, err(&output))
}

#[test]
fn every_way_to_break_a_run_is_seen() {
    let s = Scratch::new("broken");
    let ways = ways();
    assert!(ways.len() > 30);
    for way in &ways {
        let (code, report, messages) = run(&s, way);
        let verdict = report.as_ref().map_or("refused", |r| r["verdict"].as_str().unwrap_or("?"));
        assert_eq!((verdict, code), (way.verdict, way.code), "{}: {messages}", way.name);
        let Some(report) = report else {
            assert!(messages.contains(way.says), "{}: {messages}", way.name);
            continue;
        };
        assert_eq!(report["ok"], code == 0, "{}", way.name);
        let warnings = report["warnings"].as_array().unwrap();
        let kinds: Vec<&str> = warnings.iter().map(|w| w["kind"].as_str().unwrap()).collect();
        assert!(
            way.says.is_empty() || kinds.contains(&way.says) || messages.contains(way.says),
            "{}: {kinds:?}",
            way.name
        );
        for key in ["what", "where", "remedy"] {
            assert!(warnings.iter().all(|w| !w[key].as_str().unwrap().is_empty()), "{}: {key}", way.name);
        }
    }
}

/// The guide lists the same ways with the same ends.
#[test]
fn the_guide_has_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/verdict.md");
    let page = std::fs::read_to_string(path).unwrap();
    for way in ways() {
        let row = format!("| {} | {} | {} |", way.name, way.verdict, way.code);
        assert!(page.contains(&row), "docs/book/verdict.md lacks the row\n{row}");
    }
}

#[test]
fn a_scene_says_what_it_tolerates() {
    let s = Scratch::new("tolerate");
    s.file("soft.toml", &format!("{CUBE}{}", pulled("-0.45")));
    let run = |more: &[&str]| {
        s.pliant(&[&["run", "soft.toml", "--json", "--quiet", "--threads", "1"], more].concat())
    };
    let strict = run(&[]);
    assert_eq!(
        (strict.status.code(), &json(&strict)["verdict"]),
        (Some(1), &Value::from("failed")),
        "{}",
        err(&strict)
    );
    assert!(err(&strict).starts_with("error: the results cannot be trusted: "), "{}", err(&strict));
    let mut limits = vec!["--set", "tolerate.inverted_elements=162", "--set", "tolerate.doubtful_steps=1"];
    limits.extend([
        "--set",
        "tolerate.penetration=1",
        "--set",
        "tolerate.held_back=1",
        "--set",
        "tolerate.stretch=1e9",
    ]);
    let tolerant = run(&limits);
    let report = json(&tolerant);
    assert_eq!(
        (tolerant.status.code(), &report["verdict"]),
        (Some(0), &Value::from("ok")),
        "{}",
        err(&tolerant)
    );
    let warnings = report["warnings"].as_array().unwrap();
    assert!(!warnings.is_empty() && warnings.iter().all(|w| w["tolerated"] == true), "{warnings:?}");
}

#[test]
fn the_page_and_the_terminal_say_what_is_wrong() {
    let s = Scratch::new("page");
    s.file("soft.toml", CUBE);
    let o =
        s.pliant(&["run", "soft.toml", "--set", "body.0.material.youngs=1", "--out", "d", "--threads", "1"]);
    assert_eq!(o.status.code(), Some(1));
    let printed = support::out(&o);
    assert!(printed.contains("verdict: failed") && printed.contains("tets were inverted"), "{printed}");
    let page = std::fs::read_to_string(s.0.join("d/report.html")).unwrap();
    assert!(page.contains("class=\"verdict failed\">finished, but its results cannot be trusted"));
    assert!(page.contains("class=\"finding failed\"") && page.contains("What to do: use a smaller dt"));
    // A run that has ended is left alone, and ends again as it did.
    let log = std::fs::read_to_string(s.0.join("d/log.txt")).unwrap();
    assert!(log.contains("verdict: failed"), "{log}");
}

/// A sheet that hangs by one side and hardly stretches: long steps of it take Newton's method thirty iterations. The default takes them;
/// where a scene allows fewer, the run says that it is not solved.
#[test]
fn a_stiff_sheet_in_long_steps_is_solved_or_doubtful() {
    let s = Scratch::new("stiff_sheet");
    s.file(
        "sheet.toml",
        r#"format = "pliant-scene"
version = 1

[scene]
name = "sheet"
duration = 0.3

[[body]]
name = "sheet"
mesh = { kind = "cloth", size = [0.5, 0.5], cells = 6 }
density = 200
thickness = 1e-3
material = { kind = "arap", youngs = 3e8, poisson = 0.3 }

[[pin]]
select = { group = "x_min" }
"#,
    );
    for (dt, iterations, verdict) in
        [("0.0333", "real_time", "ok"), ("0.0333", "20", "doubtful"), ("0.002", "20", "ok")]
    {
        let changes = [format!("scene.dt={dt}"), format!("solver.iterations={iterations}")];
        let [dt, iterations] = changes.each_ref().map(String::as_str);
        let run =
            ["run", "sheet.toml", "--json", "--quiet", "--threads", "1", "--set", dt, "--set", iterations];
        let o = s.pliant(&run);
        assert_eq!(json(&o)["verdict"], verdict, "{changes:?}: {}", err(&o));
    }
}
