//! Ctrl-C, and the signal that asks a process to end: a run with checkpoints saves itself first.

use crate::output;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Notes the first signal, to be seen between two steps; the second one ends the program at once.
pub fn listen() {
    let heard = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::failure::INTERRUPTED));
        }
    });
    if let Err(e) = heard {
        output::warning(&format!("Ctrl-C will end the run without a last checkpoint ({e})"));
    }
}

/// Whether the user wants the run to stop.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
