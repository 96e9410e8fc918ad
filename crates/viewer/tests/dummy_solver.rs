//! A solver that is a folder and a line in the table has its controls in the viewer.
#![cfg(feature = "dummy-solver")]

mod common;

use common::{Page, Server};
use serde_json::json;

#[test]
fn its_controls_are_shown_and_act() {
    let server = Server::of_scene("cantilever", None);
    let mut page = Page::open(&server);
    let listed = page.hello["solvers"].as_array().expect("a list").clone();
    assert!(listed.contains(&json!({ "kind": "free_flight", "available": true })), "{listed:?}");
    page.frames_until(|_| true);
    let generation = page.generation();
    page.send(&json!({ "kind": "load", "scene": "cantilever", "solver": "free_flight" }));
    page.until_generation(generation + 1);
    page.frames_until(|stats| stats["step"].as_u64() > Some(2) && stats["stages"]["flight"].is_number());
    assert_eq!(page.scene["layout"]["solver"], "free_flight");
    let controls = page.scene["controls"].as_array().expect("a list").clone();
    let control = |id: &str| controls.iter().find(|c| c["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    assert_eq!(control("drag")["label"], "Drag");
    assert_eq!((&control("gust")["group"], &control("gust")["max"]), (&json!("solver"), &json!(20.0)));
    assert!(controls.iter().all(|c| c["id"] != "iterations"), "it knows no iterations");
    page.send(&json!({ "kind": "set", "control": "drag", "value": 3 }));
    assert_eq!(page.text_of("applied")["effect"], "live");
    page.send(&json!({ "kind": "set", "control": "drag", "value": -3 }));
    assert!(page.text_of("error").to_string().contains("drag = -3 must be 0 or more"));
}
