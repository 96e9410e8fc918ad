//! `pliant render`: a picture or a film of a recording.

use crate::args::RenderArgs;
use crate::failure::Failure;
use crate::output;
use crate::picture::{Mark, Stage, Wanted};
use pliant_render::{GifPalette, GifWriter, Image, Mp4Writer, RenderError, Settings, write_png};
use pliant_scene::OutputError;
use pliant_scene::record::Recording;
use pliant_viewer::write_shared;
use std::path::Path;

/// Frames that are looked at to find a camera that sees everything.
const CAMERA_FRAMES: usize = 64;

/// Draws the recording of a run.
pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let kind = Kind::of(args)?;
    let mut recording = Recording::open(&args.directory.join("frames.bin")).map_err(|e| {
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
    let stage = stage(args, &mut recording)?;
    match kind {
        Kind::Png => {
            let last = recording.frames() - 1;
            let index = args.frame.unwrap_or(last);
            if index > last {
                return Err(Failure::input(format!("--frame {index}: the recording ends with frame {last}")));
            }
            write_png(&args.output, &stage.draw(&recording.frame(index)?))?;
        }
        Kind::Gif => film(&args.output, args, &stage, &mut recording, Film::gif)?,
        Kind::Mp4 => return mp4_or_gif(args, &stage, recording),
        Kind::Html => share(args)?,
    }
    say(args, &args.output);
    Ok(())
}

fn say(args: &RenderArgs, written: &Path) {
    if !args.quiet {
        output::print(&format!("{}", written.display()));
    }
}

/// A film by ffmpeg, or where that is missing a GIF of the same name.
fn mp4_or_gif(args: &RenderArgs, stage: &Stage, mut recording: Recording) -> Result<(), Failure> {
    let mut written = args.output.clone();
    match film(&written, args, stage, &mut recording, Film::mp4) {
        Err(FilmError::Render(RenderError::FfmpegMissing)) => {
            written.set_extension("gif");
            output::warning(&format!(
                "ffmpeg was not found, so there is no MP4: writing {} instead (Debian and Ubuntu: apt-get install ffmpeg)",
                written.display()
            ));
            film(&written, args, stage, &mut recording, Film::gif)?;
        }
        result => result?,
    }
    say(args, &written);
    Ok(())
}

/// Writes a page that plays the recording.
fn share(args: &RenderArgs) -> Result<(), Failure> {
    let frames = args.directory.join("frames.bin");
    write_shared(&frames, &args.output)
        .map_err(|e| Failure::other(format!("{}: {e}: check space and permissions", args.output.display())))
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

fn stage(args: &RenderArgs, recording: &mut Recording) -> Result<Stage, Failure> {
    let stride = recording.frames().div_ceil(CAMERA_FRAMES);
    let looked_at = (0..recording.frames()).step_by(stride).map(|index| recording.frame(index));
    let frames = looked_at.collect::<Result<Vec<_>, _>>()?;
    let settings = Settings { width: args.size.0, height: args.size.1, ..Settings::default() };
    let mut marks = args.show.clone();
    marks.extend(args.wireframe.then_some(Mark::Wireframe));
    let wanted = Wanted { field: args.color, range: args.range, marks };
    Ok(Stage::new(recording.layout(), recording.geometry(), &frames, settings, wanted))
}

/// Either kind of film.
enum Film {
    Gif(Box<GifWriter>),
    Mp4(Box<Mp4Writer>),
}

impl Film {
    fn gif(path: &Path, args: &RenderArgs, fps: f64) -> Result<Film, RenderError> {
        let writer = GifWriter::new(path, args.size.0, args.size.1, fps, GifPalette::Shared)?;
        Ok(Film::Gif(Box::new(writer)))
    }

    fn mp4(path: &Path, args: &RenderArgs, fps: f64) -> Result<Film, RenderError> {
        Ok(Film::Mp4(Box::new(Mp4Writer::new(path, args.size.0, args.size.1, fps)?)))
    }

    fn frame(&mut self, image: &Image) -> Result<(), RenderError> {
        match self {
            Film::Gif(w) => w.frame(image),
            Film::Mp4(w) => w.frame(image),
        }
    }

    fn finish(self) -> Result<(), RenderError> {
        match self {
            Film::Gif(w) => w.finish(),
            Film::Mp4(w) => w.finish(),
        }
    }
}

/// Why there is no film.
#[derive(Debug)]
enum FilmError {
    Render(RenderError),
    Recording(OutputError),
}

impl From<RenderError> for FilmError {
    fn from(e: RenderError) -> FilmError {
        FilmError::Render(e)
    }
}

impl From<OutputError> for FilmError {
    fn from(e: OutputError) -> FilmError {
        FilmError::Recording(e)
    }
}

impl From<FilmError> for Failure {
    fn from(e: FilmError) -> Failure {
        match e {
            FilmError::Render(e) => e.into(),
            FilmError::Recording(e) => e.into(),
        }
    }
}

fn film(
    path: &Path,
    args: &RenderArgs,
    stage: &Stage,
    recording: &mut Recording,
    open: impl FnOnce(&Path, &RenderArgs, f64) -> Result<Film, RenderError>,
) -> Result<(), FilmError> {
    let mut film = open(path, args, args.fps.unwrap_or_else(|| real_time(recording)))?;
    for index in 0..recording.frames() {
        film.frame(&stage.draw(&recording.frame(index)?))?;
    }
    Ok(film.finish()?)
}

/// Frames per second at which a film runs as fast as the simulated world.
fn real_time(recording: &Recording) -> f64 {
    let mut times = recording.times();
    let first = times.next().unwrap_or(0.0);
    let span = times.last().unwrap_or(first) - first;
    let last = recording.frames().saturating_sub(1);
    if span > 0.0 { (last as f64 / span).clamp(1.0, 120.0) } else { 30.0 }
}
