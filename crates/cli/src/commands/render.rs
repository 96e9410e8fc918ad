//! `pliant render`: a picture or a film of a recording.

use crate::args::RenderArgs;
use crate::failure::Failure;
use crate::output;
use pliant_output::{Error, Mark, Overlays, PictureOptions, RecordingRenderer};
use pliant_render::{RenderError, write_png};
use pliant_viewer::write_shared;
use std::path::PathBuf;

/// Draws the recording of a run.
pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let kind = Kind::of(args)?;
    let mut renderer = RecordingRenderer::open(&args.directory, options(args))?;
    if !renderer.recording().is_complete() {
        output::warning("the recording was not finished; its whole frames are used");
    }
    let written = match kind {
        Kind::Png => {
            let image = renderer.picture(args.frame)?;
            write_png(&args.output, &image).map_err(Error::from)?;
            args.output.clone()
        }
        Kind::Gif => gif(args, &mut renderer)?,
        Kind::Mp4 => mp4(args, &mut renderer)?,
        Kind::Html => share(args)?,
    };
    if !args.quiet {
        output::print(&format!("{}", written.display()));
    }
    Ok(())
}

fn options(args: &RenderArgs) -> PictureOptions {
    let mut marks = args.show.clone();
    marks.extend(args.wireframe.then_some(Mark::Wireframe));
    let overlays = Overlays { field: args.color, range: args.range, marks };
    PictureOptions { size: args.size, overlays, eye_and_target: args.camera }
}

/// Draws all frames into a GIF, whatever the name of the output ends with.
fn gif(args: &RenderArgs, renderer: &mut RecordingRenderer) -> Result<PathBuf, Failure> {
    let path = args.output.with_extension("gif");
    renderer.write_gif(&path, args.fps)?;
    Ok(path)
}

/// Draws all frames into an MP4, or where ffmpeg is missing into a GIF.
fn mp4(args: &RenderArgs, renderer: &mut RecordingRenderer) -> Result<PathBuf, Failure> {
    match renderer.write_mp4(&args.output, args.fps) {
        Err(Error::Render(RenderError::FfmpegMissing)) => {
            output::warning(&format!(
                "ffmpeg was not found, so there is no MP4: writing {} instead (Debian and Ubuntu: apt-get install ffmpeg)",
                args.output.with_extension("gif").display()
            ));
            gif(args, renderer)
        }
        result => {
            result?;
            Ok(args.output.clone())
        }
    }
}

/// Writes a page that plays the recording.
fn share(args: &RenderArgs) -> Result<PathBuf, Failure> {
    let frames = args.directory.join("frames.bin");
    write_shared(&frames, &args.output).map_err(|e| {
        Failure::other(format!("{}: {e}: check space and permissions", args.output.display()))
    })?;
    Ok(args.output.clone())
}

/// What the name of the output asks for.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Png,
    Gif,
    Mp4,
    Html,
}

impl Kind {
    fn of(args: &RenderArgs) -> Result<Kind, Failure> {
        match args.output.extension().and_then(|e| e.to_str()) {
            Some("png") => Ok(Kind::Png),
            Some("gif") => Ok(Kind::Gif),
            Some("mp4") => Ok(Kind::Mp4),
            Some("html") => Ok(Kind::Html),
            _ => Err(Failure::input(format!(
                "-o {}: name a .png, .gif, .mp4 or .html file",
                args.output.display()
            ))),
        }
    }
}
