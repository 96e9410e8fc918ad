//! One page: its messages go to the simulation, frames go to it as fast as it acknowledges them.

use crate::protocol::{At, Command, Event, FRAMES_IN_FLIGHT};
use crate::shared::Shared;
use crate::simulation::{Notice, Published, Request};
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::time::timeout;

/// How long a client may take for one message before it is given up.
const PATIENCE: Duration = Duration::from_secs(20);

/// Messages of one client that are answered by an error; more of them are only dropped.
const MAX_COMPLAINTS: u32 = 100;

/// A connected page.
struct Client {
    id: u32,
    socket: WebSocket,
    shared: Arc<Shared>,
    published: watch::Receiver<Published>,
    notices: broadcast::Receiver<Notice>,
    /// Scene that it has, last frame that it was sent, and last one that it has drawn.
    generation: u32,
    sent: u32,
    drawn: u32,
    in_flight: u32,
    complaints: u32,
}

/// The connection is over.
struct Gone;

/// Talks to a page until it goes.
pub async fn serve(mut socket: WebSocket, shared: Arc<Shared>) {
    let id = shared.next_client.fetch_add(1, Ordering::Relaxed);
    let hello = shared.hello(id);
    if deliver(&mut socket, Message::Text(hello.into())).await.is_err() {
        return;
    }
    let Some(live) = &shared.live else { return stay(socket).await };
    let mut client = Client {
        id,
        socket,
        published: live.outlets.published.subscribe(),
        notices: live.outlets.notices.subscribe(),
        generation: 0,
        sent: 0,
        drawn: 0,
        in_flight: 0,
        complaints: 0,
        shared: shared.clone(),
    };
    // What is there is new to this client, even if nothing moves any more.
    client.published.mark_changed();
    client.ask(Request::Joined(id));
    while client.turn().await.is_ok() {}
    // A request that does not fit is better waited for than lost: the holds of this client must end.
    let requests = live.requests.clone();
    let _ = tokio::task::spawn_blocking(move || requests.send(Request::Left(id))).await;
}

/// Keeps the socket of a recording open, so that the page sees when the server ends.
async fn stay(mut socket: WebSocket) {
    while let Some(Ok(_)) = socket.recv().await {}
}

async fn deliver(socket: &mut WebSocket, message: Message) -> Result<(), Gone> {
    match timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Gone),
    }
}

impl Client {
    /// Waits for whatever comes first, and deals with it.
    async fn turn(&mut self) -> Result<(), Gone> {
        let can_take = self.in_flight < FRAMES_IN_FLIGHT;
        tokio::select! {
            message = self.socket.recv() => match message {
                Some(Ok(message)) => self.hear(message).await,
                Some(Err(e)) => {
                    self.shared.log(&format!("client {}: the connection was closed: {e}", self.id));
                    Err(Gone)
                }
                None => Err(Gone),
            },
            notice = self.notices.recv() => match notice {
                Ok(Notice { to, text }) if to.is_none_or(|to| to == self.id) => self.say(&text).await,
                // Notices that a slow client has missed are missed.
                Ok(_) | Err(RecvError::Lagged(_)) => Ok(()),
                Err(RecvError::Closed) => Err(Gone),
            },
            changed = self.published.changed(), if can_take => match changed {
                Ok(()) => self.show().await,
                Err(_) => Err(Gone),
            },
        }
    }

    async fn say(&mut self, text: &str) -> Result<(), Gone> {
        deliver(&mut self.socket, Message::Text(Utf8Bytes::from(text))).await
    }

    /// Sends the newest state, and the scene before it if that is new.
    async fn show(&mut self) -> Result<(), Gone> {
        let newest = self.published.borrow_and_update().clone();
        if newest.generation != self.generation {
            self.generation = newest.generation;
            self.say(&newest.scene).await?;
            deliver(&mut self.socket, Message::Binary(newest.geometry.clone())).await?;
        }
        if newest.frame == self.sent {
            return Ok(());
        }
        self.sent = newest.frame;
        self.in_flight += 1;
        self.say(&newest.stats).await?;
        deliver(&mut self.socket, Message::Binary(newest.bytes)).await?;
        self.want_more();
        Ok(())
    }

    /// Lets the simulation know that another frame could be taken.
    fn want_more(&self) {
        if self.in_flight < FRAMES_IN_FLIGHT
            && let Some(live) = &self.shared.live
            && !live.outlets.wanted.swap(true, Ordering::Relaxed)
        {
            self.ask(Request::Wake);
        }
    }

    async fn hear(&mut self, message: Message) -> Result<(), Gone> {
        let read = match &message {
            Message::Text(text) => Command::read(text.as_str()),
            Message::Binary(bytes) => Err(format!("a binary message of {} bytes", bytes.len())),
            Message::Close(_) => return Err(Gone),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
        };
        match read {
            Ok(Command::Ack { frame }) => self.acknowledge(frame),
            Ok(command) => {
                if !self.ask(Request::Command(self.id, command)) {
                    return self.complain("more messages than can be dealt with: some are dropped").await;
                }
            }
            Err(cause) => return self.complain(&cause).await,
        }
        Ok(())
    }

    fn acknowledge(&mut self, frame: u32) {
        // Frames that were drawn before, or were never sent, change nothing.
        if frame > self.drawn && frame <= self.sent {
            self.drawn = frame;
            self.in_flight = if frame == self.sent { 0 } else { self.in_flight.saturating_sub(1) };
            self.want_more();
        }
    }

    /// Logs a message that was dropped, and informs the page.
    async fn complain(&mut self, cause: &str) -> Result<(), Gone> {
        self.complaints += 1;
        if self.complaints > MAX_COMPLAINTS {
            return Ok(());
        }
        self.shared.log(&format!("client {}: dropped {cause}", self.id));
        let event = Event::Error { at: At::Message, text: format!("The server dropped {cause}.") };
        self.say(&event.to_text()).await
    }

    fn ask(&self, request: Request) -> bool {
        self.shared.live.as_ref().is_some_and(|live| live.requests.try_send(request).is_ok())
    }
}
