//! What the server and all its clients share.

use crate::guard::Guard;
use crate::recording::Shelf;
use crate::simulation::{Outlets, Request};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::mpsc::SyncSender;

/// Where the server writes a line about what it refused.
#[derive(Clone)]
pub struct Log(Arc<dyn Fn(&str) + Send + Sync>);

impl Log {
    /// Lines go to `write`.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Log {
        Log(Arc::new(write))
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

/// What all clients share.
#[derive(Debug)]
pub struct Shared {
    /// Who may connect.
    pub guard: Guard,
    /// Whether other pages of this machine may show the page in a frame.
    pub framed: bool,
    /// First message to every client.
    pub hello: Value,
    /// Where refusals are logged.
    pub log: Log,
    /// Number of the next client.
    pub next_client: AtomicU32,
    /// The simulation, unless a recording is shown.
    pub live: Option<Live>,
    /// The recording, if one is shown.
    pub shelf: Option<Shelf>,
}

/// How to reach the simulation.
#[derive(Debug)]
pub struct Live {
    /// What it says.
    pub outlets: Outlets,
    /// Its requests.
    pub requests: SyncSender<Request>,
}

impl Shared {
    /// First message to a client.
    pub fn hello(&self, client: u32) -> String {
        let mut hello = self.hello.clone();
        hello["client"] = json!(client);
        hello.to_string()
    }

    /// Writes a line to the log.
    pub fn log(&self, line: &str) {
        (self.log.0)(line);
    }
}
