//! `pliant view`: a scene or a recording in the browser.

use crate::args::ViewArgs;
use crate::failure::Failure;
use crate::output;
use pliant_viewer::{Choice, Log, Options, Viewer, ViewerError};
use std::path::Path;
use std::process::{Command, Stdio};

/// Port if none is asked for and this one is free.
const USUAL_PORT: u16 = 7420;

/// Serves the page until it is interrupted.
pub fn run(args: &ViewArgs) -> Result<(), Failure> {
    let directory = Path::new(&args.scene.scene);
    if directory.is_dir() && !directory.join("frames.bin").is_file() {
        return Err(Failure::input(format!(
            "{}: there is no recording here: give a directory made by `pliant run SCENE --out DIR`",
            directory.display()
        )));
    }
    let viewer = match args.port {
        Some(port) => start(args, port),
        None => start(args, USUAL_PORT).or_else(|e| match e {
            ViewerError::Listen { .. } => start(args, 0),
            other => Err(other),
        }),
    }?;
    let url = viewer.url();
    output::print(&url);
    if !args.listen.is_loopback() {
        output::warning(&format!(
            "listening at {}: everyone who reaches this machine can drive the simulation",
            args.listen
        ));
    }
    if !args.no_open && open_browser(&url).is_err() {
        output::warning("no browser could be started: open the address above");
    }
    viewer.wait();
    Ok(())
}

fn start(args: &ViewArgs, port: u16) -> Result<Viewer, ViewerError> {
    let options = Options {
        address: args.listen,
        port,
        threads: args.threads,
        paused: args.paused,
        framed: false,
        log: Log::new(output::warning),
    };
    let path = Path::new(&args.scene.scene);
    if path.is_dir() {
        return Viewer::of_recording(path, options);
    }
    let changes = &args.scene.changes;
    let choice = Choice {
        scene: args.scene.scene.clone(),
        variant: changes.variant.clone(),
        solver: changes.solver.clone(),
        values: changes.set.clone(),
        ..Choice::default()
    };
    Viewer::of_scene(choice, options)
}

/// Asks the system to open an address.
fn open_browser(url: &str) -> std::io::Result<()> {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let quiet = || Stdio::null();
    Command::new(program).args(arguments).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()?;
    Ok(())
}
