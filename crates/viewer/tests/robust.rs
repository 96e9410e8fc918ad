//! What a page, or somebody who is none, can do to the server.

mod common;

use common::{Page, Server};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn long_steps_are_interrupted() {
    let server = Server::of_scene("drop", None);
    let mut page = Page::open(&server);
    page.send(&json!({ "kind": "pause" }));
    page.send(&json!({ "kind": "step", "count": 10_000 }));
    page.frames_until(|s| s["step"].as_u64() >= Some(3));
    page.send(&json!({ "kind": "pause" }));
    page.send(&json!({ "kind": "step", "count": 1 }));
    // It stands still long before the ten thousand.
    let mut last = 0;
    let start = Instant::now();
    loop {
        page.frames_waiting();
        let step = page.latest()["step"].as_u64().unwrap_or(0);
        if step > 0 && step == last {
            break;
        }
        last = step;
        assert!(start.elapsed() < Duration::from_secs(30));
    }
    assert!(last < 9_000, "{last}");
    page.send(&json!({ "kind": "step", "count": 10_000 }));
    page.send(&json!({ "kind": "load", "scene": "free_fall", "variant": null, "solver": null }));
    page.until_generation(2);
    assert_eq!(page.scene["layout"]["name"], "free_fall");
}

#[test]
fn silent_connections_are_closed() {
    let server = Server::of_scene("free_fall", None);
    let mut slow = TcpStream::connect(server.host()).expect("a connection");
    slow.set_read_timeout(Some(Duration::from_secs(40))).expect("a timeout");
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("written");
    let start = Instant::now();
    let mut answer = Vec::new();
    // The end of the stream, or a refusal before it: but not for ever.
    slow.read_to_end(&mut answer).expect("closed by the server");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    // Pages that wait are not closed.
    let mut page = Page::open(&server);
    page.send(&json!({ "kind": "pause" }));
    std::thread::sleep(Duration::from_secs(12));
    let before = page.latest()["step"].as_u64().unwrap_or(0);
    page.send(&json!({ "kind": "step", "count": 1 }));
    page.frames_until(|s| s["step"].as_u64() > Some(before));
}

#[test]
fn the_verdict_is_shown_and_far_drags_are_tame() {
    let server = Server::of_scene("drop", None);
    let mut page = Page::open(&server);
    page.send(&json!({ "kind": "pause" }));
    page.send(&json!({ "kind": "step", "count": 1 }));
    let stats = page.frames_until(|s| s["step"].as_u64() >= Some(1));
    assert_eq!((&stats["verdict"], &stats["warnings"]), (&json!("ok"), &json!([])));
    // To the horizon: the page keeps its target, the body is pulled no farther than its reach allows.
    page.send(&json!({ "kind": "hold", "id": 1, "vertex": 0, "target": [1000.0, 0.0, 0.5] }));
    let now = stats["step"].as_u64().unwrap_or(0);
    page.send(&json!({ "kind": "step", "count": 20 }));
    let stats = page.frames_until(|s| s["step"].as_u64() >= Some(now + 20));
    assert_eq!(stats["holds"][0]["target"][0], 1000.0);
    let force = stats["holds"][0]["force"][0].as_f64().expect("a force");
    // 1 kg cube, 5 Hz, two diagonals of 0.35 m at most.
    assert!(force.abs() < 1e4, "{force} N");
    assert!(stats["step_ms"].as_f64() < Some(1000.0), "{}", stats["step_ms"]);
}
