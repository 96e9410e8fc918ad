//! A server, and a page that talks to it like a browser.
#![allow(dead_code)] // each test file is a crate of its own and uses a part of this

use pliant_viewer::{Choice, Log, Options, Viewer};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::{HandshakeError, Message, WebSocket};

/// Longest wait for anything: a test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A viewer with what it logged.
pub struct Server {
    viewer: Viewer,
    log: Arc<Mutex<Vec<String>>>,
}

fn options() -> (Options, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = log.clone();
    let log_line = Log::new(move |line| lines.lock().expect("a log").push(line.to_string()));
    (Options { threads: Some(1), log: log_line, ..Options::default() }, log)
}

impl Server {
    pub fn of_scene(scene: &str, variant: Option<&str>) -> Server {
        let (options, log) = options();
        let choice =
            Choice { scene: scene.into(), variant: variant.map(str::to_string), ..Choice::default() };
        Server { viewer: Viewer::of_scene(choice, options).expect("a scene"), log }
    }

    pub fn of_recording(directory: &Path) -> Server {
        let (options, log) = options();
        Server { viewer: Viewer::of_recording(directory, options).expect("a recording"), log }
    }

    /// Address and port.
    pub fn host(&self) -> String {
        self.viewer.url().trim_start_matches("http://").trim_end_matches('/').to_string()
    }

    /// Forgets what was logged so far.
    pub fn forget_log(&self) {
        self.log.lock().expect("a log").clear();
    }

    pub fn log(&self) -> Vec<String> {
        self.log.lock().expect("a log").clone()
    }
}

/// Status, headers and body of a plain request.
pub fn get(server: &Server, path: &str) -> (u16, String, Vec<u8>) {
    let (status, head, body) = request(server, path, &server.host());
    (status, head, body)
}

/// The same under the name of another host.
pub fn get_as(server: &Server, path: &str, host: &str) -> (u16, String, Vec<u8>) {
    request(server, path, host)
}

fn request(server: &Server, path: &str, host: &str) -> (u16, String, Vec<u8>) {
    let mut stream = connect(server);
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("written");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("read");
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n").expect("headers") + 4;
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
    (status, head, answer[end..].to_vec())
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.host()).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// A page: it reads messages, and acknowledges frames.
pub struct Page {
    socket: WebSocket<TcpStream>,
    pub hello: Value,
    pub scene: Value,
    stats: Value,
    frame: Vec<u8>,
    number: u32,
    acknowledges: bool,
    pub first_heights: Vec<f32>,
}

impl Page {
    pub fn open(server: &Server) -> Page {
        let stream = connect(server);
        let url = format!("ws://{}/socket", server.host());
        let (socket, _) = tungstenite::client(url, stream).expect("a socket");
        let nothing = Value::Null;
        let mut page = Page {
            socket,
            hello: nothing.clone(),
            scene: nothing.clone(),
            stats: nothing,
            frame: Vec::new(),
            number: 0,
            acknowledges: true,
            first_heights: Vec::new(),
        };
        page.hello = page.text_of("hello");
        page
    }

    /// Status with which a socket of this origin is answered.
    pub fn refusal(server: &Server, origin: &str) -> u16 {
        let url = format!("ws://{}/socket", server.host());
        let mut request = url.into_client_request().expect("a request");
        request.headers_mut().insert("origin", origin.parse().expect("a header"));
        match tungstenite::client(request, connect(server)) {
            Ok((_, response)) => response.status().as_u16(),
            Err(HandshakeError::Failure(tungstenite::Error::Http(response))) => response.status().as_u16(),
            Err(e) => panic!("{e}"),
        }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub fn send_text(&mut self, text: &str) {
        // The server may have closed the connection.
        let _ = self.socket.send(Message::text(text));
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.socket.send(Message::binary(bytes.to_vec())).expect("sent");
    }

    /// The same for bytes, of which the server may think what it likes.
    pub fn try_bytes(&mut self, bytes: &[u8]) {
        let _ = self.socket.send(Message::binary(bytes.to_vec()));
    }

    /// Takes a few messages, if there are any, whatever they are.
    pub fn read_a_little(&mut self) {
        self.socket.get_ref().set_read_timeout(Some(Duration::from_millis(2))).expect("a timeout");
        for _ in 0..8 {
            if self.socket.read().is_err() {
                break;
            }
        }
    }

    /// Reads one message: its kind.
    fn read(&mut self) -> (String, Value) {
        match self.socket.read().expect("a message in time") {
            Message::Text(text) => {
                let value: Value = serde_json::from_str(&text).expect("JSON");
                let kind = value["kind"].as_str().expect("a kind").to_string();
                match kind.as_str() {
                    "scene" => self.scene = value.clone(),
                    "stats" => self.stats = value.clone(),
                    _ => {}
                }
                (kind, value)
            }
            Message::Binary(bytes) => (self.take_bytes(&bytes), Value::Null),
            other => panic!("{other:?}"),
        }
    }

    fn take_bytes(&mut self, bytes: &[u8]) -> String {
        let number = |k: usize| u32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().expect("four"));
        assert_eq!(u64::from(number(1)), self.scene["generation"].as_u64().expect("a scene before"));
        if number(0) == 1 {
            return "geometry".into();
        }
        assert_eq!((number(0), number(3)), (2, 0));
        assert!(number(2) > self.number, "frames are newer and newer");
        self.number = number(2);
        self.frame = bytes[16..].to_vec();
        if self.first_heights.is_empty() {
            self.first_heights = self.heights();
        }
        if self.acknowledges {
            self.acknowledge();
        }
        "frame".into()
    }

    pub fn acknowledge(&mut self) {
        self.acknowledges = true;
        self.send(&json!({ "kind": "ack", "frame": self.number }));
    }

    pub fn stop_acknowledging(&mut self) {
        self.acknowledges = false;
    }

    /// Frames that were sent and not read yet.
    pub fn frames_waiting(&mut self) -> usize {
        let short = Some(Duration::from_millis(300));
        self.socket.get_ref().set_read_timeout(short).expect("a timeout");
        let mut count = 0;
        loop {
            match self.socket.read() {
                Ok(Message::Binary(bytes)) => count += usize::from(self.take_bytes(&bytes) == "frame"),
                Ok(Message::Text(text)) => {
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    if value["kind"] == "scene" {
                        self.scene = value;
                    }
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.socket.get_ref().set_read_timeout(Some(PATIENCE)).expect("a timeout");
        count
    }

    /// Reads until a frame comes whose numbers are as wanted.
    pub fn frames_until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if self.read().0 == "frame" && wanted(&self.stats) {
                return self.stats.clone();
            }
        }
    }

    pub fn frames_until_heights(&mut self, wanted: impl Fn(&[f32]) -> bool) {
        loop {
            if self.read().0 == "frame" && wanted(&self.heights()) {
                return;
            }
        }
    }

    pub fn until_generation(&mut self, generation: u64) {
        while self.generation() < generation {
            self.read();
        }
        self.frames_until(|_| true);
    }

    /// The next message of this kind.
    pub fn text_of(&mut self, kind: &str) -> Value {
        loop {
            let (read, value) = self.read();
            if read == kind {
                return value;
            }
        }
    }

    pub fn latest(&self) -> &Value {
        &self.stats
    }

    pub fn generation(&self) -> u64 {
        self.scene["generation"].as_u64().unwrap_or(0)
    }

    /// Heights of the shown vertices in the last frame, m.
    pub fn heights(&self) -> Vec<f32> {
        let obstacles = self.scene["layout"]["obstacles"].as_array().map_or(0, Vec::len);
        let bodies = self.scene["layout"]["bodies"].as_array().expect("bodies");
        let vertices: u64 = bodies.iter().map(|b| b["vertices"].as_u64().expect("a number")).sum();
        let positions = &self.frame[24 + 48 * obstacles..][..12 * vertices as usize];
        let height = |p: &[u8]| f32::from_le_bytes(p[8..12].try_into().expect("four"));
        positions.chunks_exact(12).map(height).collect()
    }

    pub fn close(mut self) {
        let _ = self.socket.close(None);
        let _ = self.socket.flush();
    }

    /// Reads until the server ends the connection.
    pub fn wait_for_end(&mut self) {
        while self.socket.read().is_ok() {}
    }
}
