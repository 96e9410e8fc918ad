//! `report.html`: complete, self-contained, and nothing in it is taken for markup.

use pliant_output::{Ended, Finished, RunSettings, run_scene};
use pliant_scene::Scene;
use pliant_testkit::TempFolder;

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "<script>alert('name')</script>"
description = "a <b>bold</b> \"claim\" & more"
duration = 0.1
dt = 0.01

[[body]]
name = "\"><img src=x onerror=alert(1)>"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
density = 1000
material = { kind = "arap", youngs = 1e5, poisson = 0.3 }

[[obstacle]]
name = "</table><h1>ground"
shape = { kind = "plane" }

[[probe]]
name = "</svg><script>probe()</script>"
what = "center"
body = 0

[[expect]]
what = "inverted_elements"
op = "=="
value = 0

# </pre><script>comment()</script>
"#;

/// Runs a scene with a changed value; how it ended, and its page.
fn run(name: &str, text: &str, path: &str, value: &str) -> (Finished, String) {
    let s = TempFolder::new(name);
    let mut scene = Scene::parse("odd.toml", text).unwrap();
    scene.set(path, value).unwrap();
    let ended = run_scene(&scene, s.path(), &RunSettings::default(), &mut ()).unwrap();
    let Ended::Finished(finished) = ended else { panic!("nobody stopped it") };
    (*finished, std::fs::read_to_string(s.join("report.html")).unwrap())
}

/// Nothing is loaded, nothing can run, every element is closed.
fn is_harmless(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let lower = page.to_lowercase();
    for bad in [
        "<script",
        "<link",
        "<iframe",
        "<object",
        "onerror=alert(1)>",
        "<img src=x",
        "href=",
        "url(",
        "@import",
    ] {
        assert!(!lower.contains(bad), "{bad}");
    }
    let addresses = page.split("src=\"").skip(1).filter(|rest| !rest.starts_with("data:image/png;base64,"));
    assert_eq!(addresses.count(), 0);
    for element in ["table", "svg", "dl", "pre", "figure", "style"] {
        let (opened, closed) = (format!("<{element}"), format!("</{element}>"));
        assert_eq!(page.matches(&opened).count(), page.matches(&closed).count(), "{element}");
    }
}

#[test]
fn names_are_texts_and_the_page_needs_nothing_else() {
    let (finished, page) = run("page", SCENE, "scene.seed", "3");
    assert_eq!(finished.report["ok"], true);
    is_harmless(&page);
    for text in [
        "<title>&lt;script&gt;alert(&#39;name&#39;)&lt;/script&gt;</title>",
        "finished, its expectation holds",
        "Time of a step and its stages",
        "Residual",
        "Energy of all bodies",
        "Probe &lt;/svg&gt;&lt;script&gt;",
        ">unit</th>",
        "&lt;/table&gt;&lt;h1&gt;ground",
        "pliant run odd.toml --set scene.seed=3",
        "# &lt;/pre&gt;&lt;script&gt;comment()",
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // The last state and a strip of five moments: frames 0 to 3 and the last.
    assert!(page.matches("data:image/png;base64,").count() >= 4);
}

#[test]
fn a_run_that_breaks_down_has_its_page_with_the_reason() {
    let force = "\n[[force]]\ntotal = [1e308, 1e308, 1e308]\nramp = 0.02\n";
    let (finished, page) = run("broken-page", &format!("{SCENE}{force}"), "body.0.velocity", "[0, 0, 1e300]");
    assert!(finished.error.is_some());
    is_harmless(&page);
    assert!(page.contains("<strong>the simulation broke down: step") && page.contains("broke down</p>"));
    assert!(page.contains("became non-finite") || page.contains("rolled back"), "the error itself");
}
