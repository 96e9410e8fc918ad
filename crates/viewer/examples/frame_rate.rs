//! Measures how many frames a page gets while a scene is simulated, alone and beside a page that stalls.
//!
//! `cargo run --release -p pliant-viewer --example frame_rate -- [SCENE] [VARIANT] [SECONDS]`

use pliant_viewer::{Choice, Options, Viewer};
use serde_json::Value;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |k: usize, usual: &str| arguments.get(k).map_or(usual, String::as_str).to_string();
    let (scene, variant) = (argument(0, "twisting_bar"), argument(1, "21k"));
    let seconds: f64 = argument(2, "8").parse().expect("seconds");
    let choice = Choice { scene, variant: Some(variant), ..Choice::default() };
    let viewer = Viewer::of_scene(choice, Options::default()).expect("a scene");
    let mut page = open(&viewer);
    send(&mut page, r#"{"kind":"speed","factor":null}"#);
    for fields in ["", r#","contacts":true"#, r#","stress":true,"strain":true,"contacts":true"#] {
        send(&mut page, &format!(r#"{{"kind":"show"{fields}}}"#));
        println!("fields {{{fields}}}: {}", measure(&mut page, seconds));
    }
    send(&mut page, r#"{"kind":"show"}"#);
    let mut stalled = open(&viewer);
    stalled.read().expect("hello");
    for _ in 0..2 {
        println!("beside a page that stalls: {}", measure(&mut page, seconds));
    }
}

fn open(viewer: &Viewer) -> WebSocket<TcpStream> {
    let host = viewer.url().trim_start_matches("http://").trim_end_matches('/').to_string();
    let stream = TcpStream::connect(&host).expect("a connection");
    tungstenite::client(format!("ws://{host}/socket"), stream).expect("a socket").0
}

fn send(page: &mut WebSocket<TcpStream>, text: &str) {
    page.send(Message::text(text)).expect("sent");
}

/// Frames and steps per second, bytes per frame, and memory of this process.
fn measure(page: &mut WebSocket<TcpStream>, seconds: f64) -> String {
    let (mut frames, mut bytes, mut steps, mut step_ms) = (0u32, 0, Vec::new(), Vec::new());
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        match page.read().expect("a message") {
            Message::Binary(message) if message[0] == 2 => {
                let number = u32::from_le_bytes(message[8..12].try_into().expect("four"));
                send(page, &format!(r#"{{"kind":"ack","frame":{number}}}"#));
                frames += 1;
                bytes = message.len();
            }
            Message::Text(text) => {
                let value: Value = serde_json::from_str(&text).expect("JSON");
                if value["kind"] == "stats" {
                    steps.extend(value["step"].as_u64());
                    step_ms.extend(value["step_ms"].as_f64());
                    if value["playing"] == false {
                        send(page, r#"{"kind":"play"}"#);
                    }
                }
            }
            _ => {}
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    step_ms.sort_by(f64::total_cmp);
    let taken = steps.last().unwrap_or(&0) - steps.first().unwrap_or(&0);
    format!(
        "{:.1} frames/s of {bytes} bytes, {:.1} steps/s, step p50 {:.1} ms, memory {} MB",
        f64::from(frames) / elapsed,
        taken as f64 / elapsed,
        step_ms.get(step_ms.len() / 2).unwrap_or(&0.0),
        resident() >> 20,
    )
}

/// Memory of this process in bytes; 0 where it is not known.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}
