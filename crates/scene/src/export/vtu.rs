//! VTU: what is simulated of each body, one file per body and frame, and an index of all for ParaView.

use super::files::replace;
use super::names::file_stem;
use super::{Colors, Writer};
use crate::error::OutputError;
use crate::run::Run;
use pliant_mesh::{Cells, Point, write_vtu};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Files of grids with their index.
#[derive(Debug)]
pub(super) struct Grids {
    folder: PathBuf,
    index: Index,
    frames: usize,
}

impl Grids {
    /// Creates the index, or goes on with that of `frames` frames.
    pub fn open(folder: PathBuf, run: &Run, frames: usize) -> Result<Grids, OutputError> {
        let path = folder.join("scene.pvd");
        let entries = frames * run.world().model().bodies.len();
        let index = Index::open(&path, entries).map_err(OutputError::io(&path))?;
        Ok(Grids { folder, index, frames })
    }
}

impl Writer for Grids {
    fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        let time = run.world().state().time;
        let mut entries = String::new();
        for (i, body) in run.world().model().bodies.iter().enumerate() {
            let stem = file_stem(i, &body.name);
            let name = format!("{stem}_{:06}.vtu", self.frames);
            replace(&self.folder.join(&name), |out| write_body(run, i, out))?;
            entries += &entry(time, i, &stem, &name);
        }
        // Only now are all files there that the index is to name.
        self.index.append(&entries).map_err(OutputError::io(self.folder.join("scene.pvd")))?;
        self.frames += 1;
        Ok(())
    }

    fn finish(&mut self, _: &Run, _: &Colors) -> Result<Vec<String>, OutputError> {
        Ok(Vec::new())
    }
}

fn entry(time: f64, part: usize, block: &str, file: &str) -> String {
    format!("<DataSet timestep=\"{time}\" part=\"{part}\" name=\"{block}\" file=\"{file}\"/>\n")
}

fn write_body(run: &Run, body: usize, out: &mut impl Write) -> io::Result<()> {
    let world = run.world();
    let (mesh, positions) = (&world.model().bodies[body].mesh, world.positions(body));
    let moved = |(x, rest): (&Point, &Point)| std::array::from_fn(|k| x[k] - rest[k]);
    let displacement: Vec<Point> = positions.iter().zip(mesh.vertices()).map(moved).collect();
    let data = [("velocity", world.velocities(body)), ("displacement", displacement.as_slice())];
    write_vtu(out, positions, Cells::from(mesh), &data)
}

const HEAD: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
const FOOT: &str = "</Collection>\n</VTKFile>\n";

/// The list of files with their times. It is whole after every frame.
#[derive(Debug)]
struct Index {
    file: File,
    /// Where the foot starts, and the next entry goes.
    end: u64,
}

impl Index {
    /// An index with the first `entries` entries of the file that may be there already.
    fn open(path: &Path, entries: usize) -> io::Result<Index> {
        let mut text = HEAD.to_string();
        if entries > 0 {
            let older = std::fs::read_to_string(path)?;
            let known: Vec<&str> =
                older.split_inclusive('\n').filter(|line| line.starts_with("<DataSet ")).collect();
            if known.len() < entries {
                let cause = format!("it has {} entries, the run had {entries}", known.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
            }
            text.push_str(&known[..entries].concat());
        }
        let end = text.len() as u64;
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
        file.write_all((text + FOOT).as_bytes())?;
        Ok(Index { file, end })
    }

    /// Puts entries before the foot, by a single write: whoever reads finds the old index or the new one.
    fn append(&mut self, entries: &str) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(format!("{entries}{FOOT}").as_bytes())?;
        self.end += entries.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_whole_after_every_frame_and_goes_on() {
        let path = std::env::temp_dir().join(format!("pliant-index-{}.pvd", std::process::id()));
        let mut index = Index::open(&path, 0).unwrap();
        let mut want = HEAD.to_string();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{want}{FOOT}"));
        for i in 0..3 {
            let line = entry(0.1 * f64::from(i), 0, "a", &format!("a_{i}.vtu"));
            index.append(&line).unwrap();
            want += &line;
            assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{want}{FOOT}"));
        }
        let mut index = Index::open(&path, 2).unwrap();
        index.append(&entry(0.2, 0, "a", "b.vtu")).unwrap();
        let again = std::fs::read_to_string(&path).unwrap();
        assert!(again.ends_with(FOOT) && !again.contains("a_2.vtu") && again.contains("b.vtu"), "{again}");
        assert!(Index::open(&path, 9).unwrap_err().to_string().contains("3 entries"));
        std::fs::remove_file(&path).unwrap();
    }
}
