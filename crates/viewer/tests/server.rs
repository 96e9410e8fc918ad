//! The server, as pages and strangers meet it.

mod common;

use common::{Page, Server, get, get_as};
use serde_json::{Value, json};

#[test]
fn a_page_is_told_the_scene_and_sees_it_move() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut page = Page::open(&server);
    assert_eq!((&page.hello["mode"], &page.hello["client"]), (&json!("live"), &json!(1)));
    let scenes = page.hello["scenes"].as_array().expect("a list");
    assert!(
        scenes.iter().any(|s| s["name"] == "drop" && s["variants"].as_array().is_some_and(|v| v.len() == 3))
    );
    page.frames_until(|stats| stats["step"].as_u64() > Some(20));
    assert_eq!(page.scene["layout"]["name"], "drop");
    assert_eq!(page.scene["layout"]["variant"], "n6");
    let first = page.first_heights.clone();
    assert!(page.heights().iter().zip(&first).all(|(now, then)| now < then), "it falls");
}

#[test]
fn it_is_paused_stepped_reset_and_played() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut page = Page::open(&server);
    // The first frame may show it before it has started.
    page.frames_until(|stats| stats["playing"] == true);
    page.send(&json!({ "kind": "pause" }));
    let stats = page.frames_until(|stats| stats["playing"] == false);
    let step = stats["step"].as_u64().expect("a number");
    page.send(&json!({ "kind": "step", "count": 3 }));
    let stats = page.frames_until(|stats| stats["step"] == step + 3);
    assert!((stats["time"].as_f64().expect("a number") - 0.01 * (step + 3) as f64).abs() < 1e-9);
    page.send(&json!({ "kind": "speed", "factor": null }));
    page.send(&json!({ "kind": "play" }));
    let stats = page.frames_until(|stats| stats["finished"] == true && stats["playing"] == false);
    assert_eq!(stats["time"], page.scene["duration"], "it rests at the end of the scene");
    let generation = page.generation();
    page.send(&json!({ "kind": "reset" }));
    page.frames_until(|stats| stats["step"] == 0);
    assert_eq!(page.generation(), generation + 1);
}

#[test]
fn a_held_vertex_follows_and_every_page_sees_it() {
    let server = Server::of_scene("drop", Some("n6"));
    let (mut page, mut other) = (Page::open(&server), Page::open(&server));
    page.send(&json!({ "kind": "speed", "factor": null }));
    page.frames_until(|stats| stats["contacts"].as_u64() > Some(10));
    page.send(&json!({ "kind": "hold", "id": 5, "vertex": 0, "target": [0.0, 0.0, 0.9] }));
    page.send(&json!({ "kind": "play" }));
    let stats = page.frames_until(|stats| stats["holds"][0]["force"][2].as_f64() > Some(70.0));
    assert_eq!((&stats["holds"][0]["id"], &stats["holds"][0]["client"]), (&json!(5), &page.hello["client"]));
    page.send(&json!({ "kind": "play" }));
    page.frames_until_heights(|z| z[0] > 0.7);
    other.frames_until(|stats| stats["holds"].as_array().is_some_and(|h| h.len() == 1));
    assert_eq!(other.latest()["clients"], 2);
    // A page that goes lets go, unless it was asked to leave the hold.
    page.send(&json!({ "kind": "hold", "id": 6, "vertex": 1, "target": [0.0, 0.0, 0.9] }));
    page.send(&json!({ "kind": "keep", "id": 6 }));
    other.frames_until(|stats| {
        stats["holds"].as_array().is_some_and(|h| h.len() == 2 && h[1]["kept"] == true)
    });
    page.close();
    other.frames_until(|stats| stats["holds"].as_array().is_some_and(|h| h.len() == 1 && h[0]["id"] == 6));
    other.send(&json!({ "kind": "release_all" }));
    other.frames_until(|stats| stats["holds"] == json!([]));
}

#[test]
fn values_change_live_or_with_a_rebuild_and_parameters_start_anew() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut page = Page::open(&server);
    page.frames_until(|stats| stats["step"].as_u64() > Some(2));
    page.send(&json!({ "kind": "set", "control": "body.0.youngs", "value": 2e4 }));
    let applied = page.text_of("applied");
    assert_eq!((&applied["effect"], &applied["value"]), (&json!("rebuild"), &json!(2e4)));
    for (control, value) in
        [("gravity", json!([0, 0, 3])), ("body.0.friction", json!(0.1)), ("iterations", json!(7))]
    {
        page.send(&json!({ "kind": "set", "control": control, "value": value }));
        assert_eq!(page.text_of("applied")["effect"], "live", "{control}");
    }
    page.frames_until(|stats| stats["iterations"] == 7);
    // A page that comes later gets the present values.
    let mut other = Page::open(&server);
    other.frames_until(|_| true);
    let controls = other.scene["controls"].as_array().expect("a list").clone();
    let value = |id: &str| controls.iter().find(|c| c["id"] == id).map(|c| c["value"].clone());
    assert_eq!(value("body.0.youngs"), Some(json!(2e4)));
    assert_eq!(value("gravity"), Some(json!([0.0, 0.0, 3.0])));
    let generation = page.generation();
    page.send(&json!({ "kind": "parameter", "name": "friction", "value": 0.25 }));
    page.frames_until(|stats| stats["step"].as_u64() > Some(0));
    page.until_generation(generation + 1);
    let parameters = page.scene["parameters"].as_array().expect("a list");
    assert!(parameters.iter().any(|p| p["name"] == "friction" && p["value"] == 0.25), "{parameters:?}");
}

#[test]
fn scenes_and_solvers_are_switched_and_mistakes_are_told() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut page = Page::open(&server);
    page.frames_until(|_| true);
    page.send(&json!({ "kind": "load", "scene": "cantilever", "solver": "newton" }));
    page.until_generation(2);
    assert_eq!(
        (&page.scene["layout"]["name"], &page.scene["layout"]["solver"]),
        (&json!("cantilever"), &json!("newton"))
    );
    assert!(page.scene["layout"]["pins"].as_array().is_some_and(|p| !p.is_empty()));
    let mistakes = [
        (json!({ "kind": "load", "scene": "cantilver" }), "load", "`cantilever`"),
        (json!({ "kind": "load", "scene": "../../etc/passwd" }), "load", "in the list"),
        (json!({ "kind": "load", "scene": "drop", "variant": "n7" }), "load", "n7"),
        (json!({ "kind": "load", "scene": "drop", "solver": "newton" }), "load", "contact"),
        (json!({ "kind": "set", "control": "body.0.youngs", "value": -1 }), "set", "Young's modulus"),
        (json!({ "kind": "set", "control": "body.9.youngs", "value": 1e5 }), "set", "body 9"),
        (json!({ "kind": "set", "control": "nothing", "value": 1 }), "set", "no control"),
        (json!({ "kind": "set", "control": "gravity", "value": "down" }), "set", "three numbers"),
        (json!({ "kind": "parameter", "name": "body.0.density", "value": 1 }), "set", "no parameter"),
        (json!({ "kind": "parameter", "name": "nothing", "value": 1 }), "set", "nothing"),
        (json!({ "kind": "speed", "factor": 0 }), "set", "positive"),
        (json!({ "kind": "hold", "id": 1, "vertex": 0, "target": [0, 0, 1] }), "hold", "newton"),
        (json!({ "kind": "hold", "id": 1, "vertex": 99999999, "target": [0, 0, 1] }), "hold", "no vertex"),
    ];
    for (message, at, text) in mistakes {
        page.send(&message);
        let error = page.text_of("error");
        assert_eq!(error["at"], at, "{message}: {error}");
        assert!(error["text"].as_str().is_some_and(|t| t.contains(text)), "{message}: {error}");
    }
    assert_eq!(page.generation(), 2, "the old scene stays");
}

#[test]
fn what_cannot_be_read_is_dropped_with_a_line_in_the_log() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut page = Page::open(&server);
    let bad = ["", "{", "[]", "null", r#"{"kind":"fly"}"#, r#"{"kind":"hold","id":-1}"#, "\u{1F}"];
    for text in bad {
        page.send_text(text);
        assert_eq!(page.text_of("error")["at"], "message", "{text}");
    }
    page.send_text(&format!(r#"{{"kind":"pause","padding":"{}"}}"#, "x".repeat(100_000)));
    let error = page.text_of("error");
    assert!(error["text"].as_str().is_some_and(|t| t.contains("more than 65536")), "{error}");
    page.send_bytes(&[2, 0, 0, 0]);
    assert_eq!(page.text_of("error")["at"], "message");
    let log = server.log();
    assert!(log.len() >= bad.len() + 2 && log.iter().all(|l| l.contains("client 1: dropped")), "{log:?}");
    // Nothing of it was obeyed, and the page is still served.
    page.frames_until(|stats| stats["playing"] == true);
    // Beyond any reason the connection ends, and nothing else.
    page.send_text(&"x".repeat(3 << 20));
    page.wait_for_end();
    assert!(server.log().iter().any(|l| l.contains("closed")), "{:?}", server.log());
    Page::open(&server).frames_until(|_| true);
}

#[test]
fn strangers_are_refused() {
    let server = Server::of_scene("drop", Some("n6"));
    for origin in ["http://evil.example", "http://127.0.0.1:1", "null"] {
        assert_eq!(Page::refusal(&server, origin), 403, "{origin}");
    }
    assert!(server.log().iter().any(|l| l.contains("refused a socket") && l.contains("evil.example")));
    assert_eq!(get_as(&server, "/", "evil.example").0, 403);
    let own = format!("http://{}", server.host());
    assert_eq!(Page::refusal(&server, &own), 101);
}

#[test]
fn the_page_is_served_and_nothing_else() {
    let server = Server::of_scene("drop", Some("n6"));
    for (path, kind) in [("/", "text/html"), ("/viewer.js", "text/javascript"), ("/viewer.css", "text/css")] {
        let (status, head, body) = get(&server, path);
        assert_eq!(status, 200, "{path}");
        assert!(
            head.contains(kind) && head.contains("content-security-policy") && !body.is_empty(),
            "{head}"
        );
    }
    let others = [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/recording/head",
        "/recording/frame/0",
        "/recording/frame/../../state.bin",
        "/viewer.js/..",
    ];
    for path in others {
        assert!(matches!(get(&server, path).0, 400 | 404), "{path}");
    }
}

#[test]
fn a_page_that_stalls_is_sent_no_more_than_two_frames_and_slows_nobody() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut stalled = Page::open(&server);
    stalled.stop_acknowledging();
    let mut page = Page::open(&server);
    page.send(&json!({ "kind": "speed", "factor": null }));
    page.frames_until(|stats| stats["step"].as_u64() > Some(100));
    assert_eq!(stalled.frames_waiting(), 2);
    // It is shown the newest state when it continues, not what it missed.
    stalled.acknowledge();
    assert!(stalled.frames_until(|_| true)["step"].as_u64() > Some(100));
}

#[test]
fn a_page_that_comes_to_a_pause_is_shown_it_although_the_last_one_went_without_a_word() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut first = Page::open(&server);
    first.send(&json!({ "kind": "pause" }));
    first.frames_until(|stats| stats["playing"] == false);
    first.stop_acknowledging();
    // Each change is a frame; after two of them nothing is sent until one is acknowledged.
    first.send(&json!({ "kind": "show", "contacts": true }));
    first.send(&json!({ "kind": "show", "contacts": false }));
    first.frames_waiting();
    first.send(&json!({ "kind": "show", "contacts": true }));
    first.frames_waiting();
    first.close();
    let mut second = Page::open(&server);
    assert_eq!(second.frames_until(|_| true)["playing"], false);
}

#[test]
fn what_is_steered_moves_and_probes_are_told() {
    let server = Server::of_scene("grasp_hold", None);
    let mut page = Page::open(&server);
    page.send(&json!({ "kind": "pause" }));
    page.frames_until(|_| true);
    let probes = page.scene["probes"].as_array().expect("a list").clone();
    let controls = page.scene["controls"].as_array().expect("a list").clone();
    let plate = controls.iter().find(|c| c["id"] == "obstacle.1.position").expect("obstacles can be moved");
    let [x, y, z] = [0, 1, 2].map(|k| plate["value"][k].as_f64().expect("a number"));
    let command = json!({ "kind": "set", "control": "obstacle.1.position", "value": [x - 0.05, y, z] });
    page.send(&command);
    let applied = page.text_of("applied");
    assert_eq!((&applied["effect"], &applied["control"]), (&json!("live"), &json!("obstacle.1.position")));
    page.send(&json!({ "kind": "step", "count": 30 }));
    let stats = page.frames_until(|s| s["step"].as_u64() >= Some(30));
    // One list of values for each probe, as many as were announced.
    for (values, probe) in stats["probes"].as_array().expect("values").iter().zip(&probes) {
        assert_eq!(values.as_array().map(Vec::len), probe["size"].as_u64().map(|n| n as usize), "{probe}");
    }
    let units: Vec<&Value> = probes.iter().map(|probe| &probe["unit"]).collect();
    assert!(units.contains(&&json!("N")), "{units:?}");
    // Another page hears where the plate is now.
    let mut other = Page::open(&server);
    other.frames_until(|_| true);
    let controls = other.scene["controls"].as_array().expect("a list");
    assert!(controls.iter().any(|c| c["id"] == "obstacle.1.position"));
    page.send(&json!({ "kind": "set", "control": "obstacle.99.position", "value": [0, 0, 0] }));
    assert!(page.text_of("error")["text"].as_str().is_some_and(|t| t.contains("obstacle")));
    page.send(&json!({ "kind": "set", "control": "pin.0.offset", "value": "up" }));
    assert!(page.text_of("error")["text"].as_str().is_some_and(|t| t.contains("three numbers")));
}

#[test]
fn dragging_goes_on_after_the_end() {
    let server = Server::of_scene("drop", Some("n6"));
    let mut page = Page::open(&server);
    page.send(&json!({ "kind": "speed", "factor": null }));
    let end = page.frames_until(|s| s["finished"] == true && s["playing"] == false);
    page.send(&json!({ "kind": "hold", "id": 1, "vertex": 0, "target": [0.0, 0.0, 0.6] }));
    let last = end["step"].as_u64();
    page.frames_until(|s| s["playing"] == true && s["step"].as_u64() > last.map(|n| n + 3));
    // Who pauses it means it.
    page.send(&json!({ "kind": "pause" }));
    page.send(&json!({ "kind": "hold", "id": 2, "vertex": 1, "target": [0.0, 0.0, 0.6] }));
    let stats = page.frames_until(|s| s["holds"].as_array().is_some_and(|h| h.len() == 2));
    assert_eq!(stats["playing"], false);
}
