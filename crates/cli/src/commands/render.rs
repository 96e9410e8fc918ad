//! `pliant render`: a picture or a film of a recording.

use crate::args::RenderArgs;
use crate::failure::Failure;
use crate::output;
use crate::picture::{Mark, Stage, Wanted};
use pliant_render::{GifPalette, GifWriter, Image, Mp4Writer, RenderError, Settings, write_png};
use pliant_scene::recording::Recording;
use pliant_viewer::write_shared;
use std::path::PathBuf;

/// Frames that are looked at to find a camera that sees everything.
const CAMERA_FRAMES: usize = 64;

/// Directions in which the sky is tested in films.
const FILM_SKY: u32 = 16;

/// Draws the recording of a run.
pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let kind = Kind::of(args)?;
    let recording = Recording::open(&args.directory.join("frames.bin")).map_err(|e| {
        let damaged = matches!(e, pliant_scene::OutputError::Damaged { .. });
        let remedy = if damaged { "" } else { ": give a directory made by `pliant run SCENE --out DIR`" };
        Failure::input(format!("{e}{remedy}"))
    })?;
    if recording.frames() == 0 {
        return Err(Failure::input(format!("{}: the recording has no frame", args.directory.display())));
    }
    if !recording.is_complete() {
        output::warning("the recording was not finished; its whole frames are used");
    }
    let written = match kind {
        Kind::Png => picture(args, recording)?,
        Kind::Gif => film(args, recording)?,
        Kind::Mp4 => film_by_ffmpeg(args, recording)?,
        Kind::Html => share(args)?,
    };
    if !args.quiet {
        output::print(&format!("{}", written.display()));
    }
    Ok(())
}

/// Draws one frame.
fn picture(args: &RenderArgs, mut recording: Recording) -> Result<PathBuf, Failure> {
    let last = recording.frames() - 1;
    let index = args.frame.unwrap_or(last);
    if index > last {
        return Err(Failure::input(format!("--frame {index}: the recording ends with frame {last}")));
    }
    let stage = stage(args, Settings::default(), &mut recording)?;
    write_png(&args.output, &stage.draw(&recording.frame(index)?))?;
    Ok(args.output.clone())
}

/// Draws all frames into a GIF, whatever the name of the output ends with.
fn film(args: &RenderArgs, mut recording: Recording) -> Result<PathBuf, Failure> {
    let written = args.output.with_extension("gif");
    let (width, height) = args.size;
    let mut film = GifWriter::new(&written, width, height, fps(args, &recording), GifPalette::Shared)?;
    draw_all(args, &mut recording, |image| film.frame(image))?;
    film.finish()?;
    Ok(written)
}

/// Draws all frames into an MP4, or where ffmpeg is missing into a GIF.
fn film_by_ffmpeg(args: &RenderArgs, mut recording: Recording) -> Result<PathBuf, Failure> {
    let (width, height) = args.size;
    let mut film = match Mp4Writer::new(&args.output, width, height, fps(args, &recording)) {
        Err(RenderError::FfmpegMissing) => {
            output::warning(&format!(
                "ffmpeg was not found, so there is no MP4: writing {} instead (Debian and Ubuntu: apt-get install ffmpeg)",
                args.output.with_extension("gif").display()
            ));
            return self::film(args, recording);
        }
        result => result?,
    };
    draw_all(args, &mut recording, |image| film.frame(image))?;
    film.finish()?;
    Ok(args.output.clone())
}

/// Draws all frames of a film. It has many, and motion hides the grain of a coarser sky.
fn draw_all(
    args: &RenderArgs,
    recording: &mut Recording,
    mut write: impl FnMut(&Image) -> Result<(), RenderError>,
) -> Result<(), Failure> {
    let settings = Settings { ambient_samples: FILM_SKY, ..Settings::default() };
    let stage = stage(args, settings, recording)?;
    for index in 0..recording.frames() {
        write(&stage.draw(&recording.frame(index)?))?;
    }
    Ok(())
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

fn stage(args: &RenderArgs, settings: Settings, recording: &mut Recording) -> Result<Stage, Failure> {
    let stride = recording.frames().div_ceil(CAMERA_FRAMES);
    let looked_at = (0..recording.frames()).step_by(stride).map(|index| recording.frame(index));
    let frames = looked_at.collect::<Result<Vec<_>, _>>()?;
    let settings = Settings { width: args.size.0, height: args.size.1, ..settings };
    let mut marks = args.show.clone();
    marks.extend(args.wireframe.then_some(Mark::Wireframe));
    let wanted = Wanted { field: args.color, range: args.range, marks };
    Ok(Stage::new(recording.layout(), recording.geometry(), &frames, settings, wanted))
}

/// Frames per second, at which a film runs as fast as the simulated world if none are asked for.
fn fps(args: &RenderArgs, recording: &Recording) -> f64 {
    if let Some(fps) = args.fps {
        return fps;
    }
    let mut times = recording.times();
    let first = times.next().unwrap_or(0.0);
    let span = times.last().unwrap_or(first) - first;
    let last = recording.frames().saturating_sub(1);
    if span > 0.0 { (last as f64 / span).clamp(1.0, 120.0) } else { 30.0 }
}
