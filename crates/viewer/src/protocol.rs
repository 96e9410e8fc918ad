//! What server and page say to each other; `PROTOCOL.md` has the whole.

use pliant_scene::view::Fields;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Longest message of a page that is read.
pub const MAX_MESSAGE: usize = 64 << 10;

/// Frames that may be on the way to a client.
pub const FRAMES_IN_FLIGHT: u32 = 2;

/// First number of a binary message with geometry, and with a frame.
pub const GEOMETRY: u32 = 1;
/// See [`GEOMETRY`].
pub const FRAME: u32 = 2;

/// What a page asks for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Command {
    /// A frame was drawn.
    Ack {
        /// Its number.
        frame: u32,
    },
    /// Goes on.
    Play,
    /// Stops.
    Pause,
    /// Stops, and advances by some steps.
    Step {
        /// How many.
        #[serde(default = "one")]
        count: u32,
    },
    /// Starts the scene anew, from its file as it is now.
    Reset,
    /// How fast.
    Speed {
        /// Factor of real time; as fast as it can if there is none.
        factor: Option<f64>,
    },
    /// Shows another scene.
    Load {
        /// A name of the list of scenes.
        scene: String,
        /// Its variant.
        #[serde(default)]
        variant: Option<String>,
        /// Solver instead of the scene's own.
        #[serde(default)]
        solver: Option<String>,
    },
    /// Changes a control.
    Set {
        /// Its id.
        control: String,
        /// A number, or three of them.
        value: Value,
    },
    /// Changes a parameter of the scene, which starts anew.
    Parameter {
        /// Its name.
        name: String,
        /// A number, a text, true or false.
        value: Value,
    },
    /// Holds a vertex.
    Hold {
        /// The client's own number for it.
        id: u32,
        /// A shown vertex.
        vertex: u32,
        /// Where it is pulled to, m.
        target: [f64; 3],
    },
    /// Pulls a held vertex to another place.
    Move {
        /// The hold.
        id: u32,
        /// The place, m.
        target: [f64; 3],
    },
    /// Leaves a hold when the client goes.
    Keep {
        /// The hold.
        id: u32,
    },
    /// Lets a vertex go.
    Release {
        /// The hold.
        id: u32,
    },
    /// Lets all vertices go, also those of other clients.
    ReleaseAll,
    /// Which fields this client wants.
    Show {
        /// Von Mises stress.
        #[serde(default)]
        stress: bool,
        /// Equivalent strain.
        #[serde(default)]
        strain: bool,
        /// Contacts.
        #[serde(default)]
        contacts: bool,
    },
}

fn one() -> u32 {
    1
}

impl Command {
    /// Reads a message. The error is a cause.
    pub fn read(text: &str) -> Result<Command, String> {
        if text.len() > MAX_MESSAGE {
            return Err(format!("a message of {} bytes, more than {MAX_MESSAGE}", text.len()));
        }
        serde_json::from_str(text).map_err(|e| format!("a message that cannot be read ({e})"))
    }
}

/// What the fields of all clients add up to.
pub fn union(a: Fields, b: Fields) -> Fields {
    Fields { stress: a.stress || b.stress, strain: a.strain || b.strain, contacts: a.contacts || b.contacts }
}

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// A scene that was to be shown.
    Load,
    /// A time step.
    Step,
    /// A control or a parameter.
    Set,
    /// A hold.
    Hold,
    /// A message.
    Message,
}

/// What the server sends.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A control has a new value.
    Applied {
        /// Its id.
        control: String,
        /// The value.
        value: Value,
        /// Whether the system was rebuilt.
        effect: Effect,
        /// How long it took, ms.
        took_ms: f64,
    },
    /// Something takes time.
    Busy {
        /// What.
        text: String,
    },
    /// It is over.
    Ready,
    /// Something went wrong.
    Error {
        /// What it is about.
        at: At,
        /// Cause and remedy.
        text: String,
    },
}

impl Event {
    /// The message as JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|e| {
            json!({ "kind": "error", "at": "message", "text": e.to_string() }).to_string()
        })
    }
}

/// What a change takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    Live,
    /// The system is factorised anew, the motion continues.
    Rebuild,
}
