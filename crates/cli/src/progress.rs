//! The bar on a terminal: step, simulated time, real-time factor, remaining.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant_scene::Run;
use std::io::{IsTerminal, stderr};

/// A progress bar on stderr; shows nothing if stderr is not a terminal or `quiet`.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar over this many steps.
    pub fn new(steps: usize, quiet: bool) -> Progress {
        let visible = !quiet && stderr().is_terminal();
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        let style = ProgressStyle::with_template("{bar:30} step {pos}/{len}  {msg}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress(bar)
    }

    /// Shows where a run is.
    pub fn update(&self, run: &Run) {
        self.0.set_position(run.steps_taken() as u64);
        if self.0.is_hidden() {
            return;
        }
        let time = run.world().state().time;
        let factor = time / run.elapsed_s().max(1e-9);
        self.0.set_message(format!("t = {time:.2} s  {factor:.2} x real time"));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
