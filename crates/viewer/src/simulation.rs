//! The thread that simulates: it takes requests of clients, advances at its own pace, and publishes what is seen.

use crate::catalogue::Catalogue;
use crate::pace::Pace;
use crate::protocol::{At, Command, Event, FRAME, GEOMETRY, union};
use crate::session::{Choice, Session};
use axum::body::Bytes;
use pliant_mesh::DVec3;
use pliant_scene::view::Fields;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};

/// Shortest time between two frames: browsers draw no faster.
const FRAME_INTERVAL: Duration = Duration::from_micros(16_000);

/// Steps that one message may ask for.
const MAX_STEPS: u32 = 10_000;

/// What the simulation is asked for.
#[derive(Debug)]
pub enum Request {
    /// A client has come.
    Joined(u32),
    /// A client has gone.
    Left(u32),
    /// A client could take a frame.
    Wake,
    /// A client asks for something.
    Command(u32, Command),
    /// Ends the thread.
    Stop,
}

/// What clients see.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Which scene, counted from 1; 0 before the first.
    pub generation: u32,
    /// Message `scene`.
    pub scene: Arc<str>,
    /// Message with the geometry.
    pub geometry: Bytes,
    /// Number of the frame.
    pub frame: u32,
    /// Message `stats`.
    pub stats: Arc<str>,
    /// Message with the frame.
    pub bytes: Bytes,
}

/// A message to one client, or to all.
#[derive(Clone, Debug)]
pub struct Notice {
    /// To whom; to all if there is none.
    pub to: Option<u32>,
    /// The message.
    pub text: Arc<str>,
}

/// Where the simulation puts frames and messages.
#[derive(Clone, Debug)]
pub struct Outlets {
    /// The newest state.
    pub published: watch::Sender<Published>,
    /// Messages.
    pub notices: broadcast::Sender<Notice>,
    /// Whether a client could take a frame.
    pub wanted: Arc<AtomicBool>,
}

impl Outlets {
    /// Sends a message.
    pub fn send(&self, to: Option<u32>, event: &Event) {
        let text = event.to_text();
        // Without clients nobody listens.
        let _ = self.notices.send(Notice { to, text: text.into() });
    }
}

/// The simulation of a viewer.
#[derive(Debug)]
pub struct Simulation {
    session: Session,
    catalogue: Catalogue,
    outlets: Outlets,
    pace: Pace,
    playing: bool,
    /// Whether it stopped by itself, at the end of its scene.
    rests: bool,
    /// Single steps that are still to be taken.
    steps_left: u32,
    /// Whether it starts by itself when the first client comes.
    starts: bool,
    /// Clients, and the fields that they want.
    clients: BTreeMap<u32, Fields>,
    generation: u32,
    frame: u32,
    /// Whether something is new since the last frame.
    changed: bool,
    published_at: Instant,
}

impl Simulation {
    /// Shows a session. It starts by itself when the first client comes, unless it is `paused`.
    pub fn new(session: Session, catalogue: Catalogue, outlets: Outlets, paused: bool) -> Simulation {
        let now = Instant::now();
        let mut simulation = Simulation {
            session,
            catalogue,
            outlets,
            pace: Pace::new(now),
            playing: false,
            rests: false,
            steps_left: 0,
            starts: !paused,
            clients: BTreeMap::new(),
            generation: 0,
            frame: 0,
            changed: true,
            published_at: now,
        };
        simulation.present();
        simulation
    }

    /// Goes on until it is stopped.
    pub fn run(mut self, requests: Receiver<Request>) {
        loop {
            let received = match self.patience() {
                Some(wait) => requests.recv_timeout(wait),
                None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(Request::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(request) => self.take(request),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // One step at a time: whatever comes in between is heard.
            if self.steps_left > 0 {
                self.steps_left -= 1;
                self.advance();
            } else if self.is_running() && self.pace.wait(Instant::now()).is_zero() {
                self.advance();
            }
            if self.changed && self.published_at.elapsed() >= FRAME_INTERVAL {
                self.publish();
            }
        }
    }

    /// Nobody looks at a simulation without clients.
    fn is_running(&self) -> bool {
        self.playing && !self.clients.is_empty()
    }

    /// How long to wait for a request; for ever if there is nothing else to do.
    fn patience(&self) -> Option<Duration> {
        let step = match self.steps_left {
            0 => self.is_running().then(|| self.pace.wait(Instant::now())),
            _ => Some(Duration::ZERO),
        };
        let can_publish = self.changed && self.outlets.wanted.load(Ordering::Relaxed);
        let frame = can_publish.then(|| FRAME_INTERVAL.saturating_sub(self.published_at.elapsed()));
        step.into_iter().chain(frame).min()
    }

    fn take(&mut self, request: Request) {
        match request {
            Request::Joined(client) => {
                self.clients.insert(client, Fields::default());
                self.playing |= std::mem::take(&mut self.starts);
                self.pace.begin(Instant::now());
                self.changed = true;
            }
            Request::Left(client) => {
                self.clients.remove(&client);
                self.session.leave(client);
                self.changed = true;
            }
            Request::Command(client, command) => {
                self.obey(client, command);
                self.changed = true;
            }
            Request::Wake | Request::Stop => {}
        }
    }

    fn obey(&mut self, client: u32, command: Command) {
        // What has come to the end of its scene goes on for whoever takes hold of it.
        let is_hold = matches!(command, Command::Hold { .. });
        if is_hold && std::mem::take(&mut self.rests) {
            self.playing = true;
            self.pace.begin(Instant::now());
        }
        let session = &mut self.session;
        let held = match command {
            Command::Hold { id, vertex, target } => {
                session.hold(client, id, vertex, DVec3::from_array(target))
            }
            Command::Move { id, target } => session.pull(client, id, DVec3::from_array(target)),
            other => {
                self.steer(client, other);
                Ok(())
            }
        };
        if let Err(text) = held {
            self.outlets.send(Some(client), &Event::Error { at: At::Hold, text });
        }
    }

    fn steer(&mut self, client: u32, command: Command) {
        match command {
            Command::Play => {
                (self.playing, self.steps_left, self.rests) = (true, 0, false);
                self.pace.begin(Instant::now());
            }
            Command::Pause => (self.playing, self.steps_left, self.rests) = (false, 0, false),
            Command::Step { count } => {
                self.playing = false;
                self.steps_left = self.steps_left.saturating_add(count).min(MAX_STEPS);
            }
            Command::Speed { factor: Some(f) } if !(f > 0.0 && f.is_finite()) => {
                let text = format!("speed {f} must be positive: 1 is real time");
                self.outlets.send(Some(client), &Event::Error { at: At::Set, text });
            }
            Command::Speed { factor } => self.pace.set(factor, Instant::now()),
            Command::Set { control, value } => self.set(client, control, value),
            Command::Parameter { name, value } => self.set_parameter(client, name, &value),
            Command::Reset => self.load(self.session.choice().clone(), At::Load),
            Command::Load { scene, variant, solver } => match self.catalogue.place(&scene) {
                Ok(place) => {
                    let choice = Choice { scene: place.to_string(), variant, solver, ..Choice::default() };
                    self.load(choice, At::Load);
                }
                Err(text) => self.outlets.send(Some(client), &Event::Error { at: At::Load, text }),
            },
            Command::Keep { id } => self.session.keep(client, id),
            Command::Release { id } => self.session.release(client, id),
            Command::ReleaseAll => self.session.release_all(),
            Command::Show { stress, strain, contacts } => {
                self.clients.insert(client, Fields { stress, strain, contacts });
            }
            // Clients count their own frames; holds are dealt with before.
            Command::Ack { .. } | Command::Hold { .. } | Command::Move { .. } => {}
        }
    }

    fn advance(&mut self) {
        let was_finished = self.session.is_finished();
        if let Err(e) = self.session.step() {
            (self.playing, self.steps_left) = (false, 0);
            self.outlets.send(None, &Event::Error { at: At::Step, text: e.to_string() });
        }
        self.pace.stepped(self.session.dt(), Instant::now());
        // It rests at the end of the scene, and continues if it is asked to.
        if self.playing && !was_finished && self.session.is_finished() {
            (self.playing, self.rests) = (false, true);
        }
        self.changed = true;
    }

    fn set(&mut self, client: u32, control: String, value: Value) {
        let start = Instant::now();
        match self.session.set(&control, &value) {
            Ok(effect) => {
                let took_ms = start.elapsed().as_secs_f64() * 1e3;
                self.outlets.send(None, &Event::Applied { control, value, effect, took_ms });
                // Clients that come later get the new value.
                self.refresh_scene();
            }
            Err(text) => self.outlets.send(Some(client), &Event::Error { at: At::Set, text }),
        }
        self.pace.begin(Instant::now());
    }

    fn set_parameter(&mut self, client: u32, name: String, value: &Value) {
        if name.contains('.') || value.is_object() || value.is_null() {
            let text = format!("`{name}` = {value} is no parameter of this scene: use one of the list");
            self.outlets.send(Some(client), &Event::Error { at: At::Set, text });
            return;
        }
        let mut choice = self.session.choice().clone();
        choice.values.retain(|(other, _)| *other != name);
        // JSON of a number, a text, a list, true or false is TOML as well.
        choice.values.push((name, value.to_string()));
        self.load(choice, At::Set);
    }

    /// Shows a scene from its start; the old one stays if it cannot be.
    fn load(&mut self, choice: Choice, at: At) {
        let variant = choice.variant.as_ref().map_or(String::new(), |v| format!(" ({v})"));
        self.outlets.send(None, &Event::Busy { text: format!("Building {}{variant} ...", choice.scene) });
        match Session::open(choice) {
            Ok(session) => {
                self.session = session;
                (self.steps_left, self.rests) = (0, false);
                self.pace.begin(Instant::now());
                self.present();
            }
            Err(e) => self.outlets.send(None, &Event::Error { at, text: e.to_string() }),
        }
        self.outlets.send(None, &Event::Ready);
    }

    /// Publishes a scene that is new.
    fn present(&mut self) {
        self.generation += 1;
        let scene = self.session.describe(self.generation);
        let mut bytes = [GEOMETRY, self.generation].map(u32::to_le_bytes).concat();
        self.session.geometry().encode(&mut bytes);
        let message = self.frame_message();
        self.outlets.published.send_replace(Published {
            generation: self.generation,
            scene: scene.to_string().into(),
            geometry: bytes.into(),
            ..message
        });
        self.changed = false;
    }

    /// The message `scene` with the present values, for clients to come.
    fn refresh_scene(&self) {
        let scene = self.session.describe(self.generation);
        self.outlets.published.send_modify(|p| p.scene = scene.to_string().into());
    }

    /// Publishes the present state, if a client could take it.
    fn publish(&mut self) {
        if !self.outlets.wanted.swap(false, Ordering::Relaxed) {
            return;
        }
        let message = self.frame_message();
        self.outlets.published.send_modify(|p| {
            (p.frame, p.stats, p.bytes) = (message.frame, message.stats, message.bytes);
        });
        self.changed = false;
    }

    fn frame_message(&mut self) -> Published {
        self.published_at = Instant::now();
        self.frame += 1;
        let fields = self.clients.values().fold(Fields::default(), |all, f| union(all, *f));
        let mut bytes = [FRAME, self.generation, self.frame, 0].map(u32::to_le_bytes).concat();
        self.session.frame(fields).encode(&mut bytes);
        let mut stats = self.session.stats();
        stats["playing"] = json!(self.playing);
        stats["speed"] = json!(self.pace.factor());
        stats["real_time_factor"] = json!(self.pace.reached());
        stats["clients"] = json!(self.clients.len());
        Published {
            frame: self.frame,
            stats: stats.to_string().into(),
            bytes: bytes.into(),
            ..Published::default()
        }
    }
}
