//! Messages that no page would send: the server answers, goes on and stays small. A long run, here of half an hour:
//! `FUZZ_SECONDS=1800 cargo test --release -p pliant-viewer --test socket -- --nocapture`.

mod common;

use common::{Page, Server};
use pliant_testkit::fuzz::{Random, damage, for_a_while};

/// One good message of each kind, and some at the edge.
const MESSAGES: &[&str] = &[
    r#"{"kind":"ack","frame":1}"#,
    r#"{"kind":"ack","frame":4294967295}"#,
    r#"{"kind":"play"}"#,
    r#"{"kind":"pause"}"#,
    r#"{"kind":"step","count":4}"#,
    r#"{"kind":"step","count":4294967295}"#,
    r#"{"kind":"reset"}"#,
    r#"{"kind":"speed","factor":2.0}"#,
    r#"{"kind":"speed","factor":-1e300}"#,
    r#"{"kind":"load","scene":"free_fall"}"#,
    r#"{"kind":"load","scene":"drop","variant":"n6","solver":"newton"}"#,
    r#"{"kind":"load","scene":"../../../etc/passwd"}"#,
    r#"{"kind":"set","control":"gravity","value":[0,0,-9.81]}"#,
    r#"{"kind":"set","control":"iterations","value":1e18}"#,
    r#"{"kind":"parameter","name":"youngs","value":1e5}"#,
    r#"{"kind":"parameter","name":"youngs","value":"2 * $youngs"}"#,
    r#"{"kind":"hold","id":1,"vertex":0,"target":[0,0,1]}"#,
    r#"{"kind":"hold","id":4294967295,"vertex":4294967295,"target":[1e300,0,0]}"#,
    r#"{"kind":"move","id":1,"target":[0.5,0,1]}"#,
    r#"{"kind":"keep","id":1}"#,
    r#"{"kind":"release","id":1}"#,
    r#"{"kind":"release_all"}"#,
    r#"{"kind":"show","stress":true,"strain":true,"contacts":true}"#,
    "{",
    "[]",
    "null",
    "",
];

fn message(random: &mut Random) -> Vec<u8> {
    let mut bytes = random.pick(MESSAGES).as_bytes().to_vec();
    match random.below(3) {
        0 => {}
        1 => damage(&mut bytes, random),
        // The tail of another message.
        _ => {
            let other = random.pick(MESSAGES).as_bytes();
            bytes.truncate(random.below(bytes.len() + 1));
            bytes.extend(&other[random.below(other.len() + 1)..]);
        }
    }
    bytes
}

/// A page that sends what it likes and reads a part of what comes.
fn visit(server: &Server, random: &mut Random) {
    let mut page = Page::open(server);
    for _ in 0..random.below(30) {
        let bytes = message(random);
        match String::from_utf8(bytes) {
            Ok(text) => page.send_text(&text),
            Err(error) => page.try_bytes(error.as_bytes()),
        }
        if random.below(8) == 0 {
            page.read_a_little();
        }
    }
    if random.below(2) == 0 {
        page.close();
    }
}

#[test]
fn messages() {
    let server = Server::of_scene("drop", Some("n6"));
    for_a_while("messages", 20, |random| {
        visit(&server, random);
        // What the test itself keeps must not look like growth.
        server.forget_log();
    });
    // It still serves: a new page gets a scene, and frames when it asks for them.
    let mut page = Page::open(&server);
    page.send_text(r#"{"kind":"load","scene":"free_fall"}"#);
    page.send_text(r#"{"kind":"step","count":2}"#);
    page.frames_until(|_| true);
}
