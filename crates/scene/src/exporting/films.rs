//! Formats that are one file for the whole run: frames wait in a temporary file until all of them are known.

use super::color::Colors;
use super::film::{Film, Spool};
use super::format::Format;
use super::writer::Writer;
use super::{gltf, npz, usd};
use crate::error::OutputError;
use crate::running::Run;
use crate::view::lines;
use std::path::{Path, PathBuf};

/// Waits for the end of the run with the frames of all formats that need all frames at once.
#[derive(Debug)]
pub(super) struct Films {
    directory: PathBuf,
    formats: Vec<Format>,
    spool: Spool,
}

impl Films {
    /// Films of these formats under `directory`, after `frames` frames.
    pub fn open(
        directory: &Path,
        formats: Vec<Format>,
        run: &Run,
        frames: usize,
    ) -> Result<Films, OutputError> {
        let path = directory.join(".export.part");
        let spool = Spool::open(path, frame_numbers(run), frames)?;
        Ok(Films { directory: directory.to_path_buf(), formats, spool })
    }
}

impl Writer for Films {
    fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        let state = run.world().state();
        let points = state.positions.iter().chain(&state.velocities);
        let lines = lines(run.world());
        let numbers = points.chain(lines.iter().flat_map(|(_, points)| points)).flat_map(|p| p.to_array());
        self.spool.append(std::iter::once(state.time).chain(numbers))
    }

    fn finish(&mut self, run: &Run, colors: &Colors) -> Result<Vec<String>, OutputError> {
        let mut notes = Vec::new();
        for format in self.formats.clone() {
            let folder = self.directory.join(format.name());
            let mut film = Film::new(run, &mut self.spool, colors)?;
            match format {
                Format::Gltf => notes.extend(gltf::write(&mut film, &folder)?),
                Format::Usd => usd::write(&mut film, &folder)?,
                Format::Npz => npz::write(&mut film, &folder)?,
                Format::Vtu | Format::Obj | Format::Ply => {}
            }
        }
        Ok(notes)
    }

    fn clean_up(&mut self) {
        self.spool.remove();
    }
}

/// Numbers of a frame: its time, positions, velocities, points of lines.
fn frame_numbers(run: &Run) -> usize {
    let lines: usize = lines(run.world()).iter().map(|(_, points)| points.len()).sum();
    1 + 6 * run.world().state().positions.len() + 3 * lines
}
