//! Text for people: colours on terminals, and printing that survives a closed pipe.

pub use pliant_output::text::{Table, short, short_list};

use std::io::{IsTerminal, Write, stderr, stdout};

/// Prints to stdout. A reader that went away is not our problem.
pub fn print(text: &str) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// Prints a JSON value to stdout, readable.
pub fn print_json(value: &serde_json::Value) {
    print(&format!("{value:#}"));
}

/// Prints `error: line` to stderr.
pub fn error(line: &str) {
    let head = if colored(&stderr()) { "\x1b[1;31merror\x1b[0m" } else { "error" };
    let _ = writeln!(stderr(), "{head}: {line}");
}

/// Prints `note: line` to stderr.
pub fn note(line: &str) {
    let _ = writeln!(stderr(), "note: {line}");
}

/// Prints `warning: line` to stderr.
pub fn warning(line: &str) {
    let head = if colored(&stderr()) { "\x1b[1;33mwarning\x1b[0m" } else { "warning" };
    let _ = writeln!(stderr(), "{head}: {line}");
}

/// Whether a stream shows colours: a terminal, and the user did not object.
fn colored(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// A word for good or bad on stdout.
pub fn verdict(ok: bool) -> String {
    let word = if ok { "ok" } else { "FAILED" };
    if !colored(&stdout()) {
        return word.to_string();
    }
    let color = if ok { 32 } else { 31 };
    format!("\x1b[1;{color}m{word}\x1b[0m")
}
