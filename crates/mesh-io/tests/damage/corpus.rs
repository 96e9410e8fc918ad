//! The files that are damaged: small ones of every format, and others from a folder.

use super::common::{Folder, plain_tets, plain_triangles, tricky_tets, tricky_triangles};
use pliant_mesh_io::{Source, formats, write_mesh};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A file; what belongs to it lies beside `path`.
pub struct Sample {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// The sizes of the files beside it.
    pub beside: usize,
}

impl Sample {
    pub fn name(&self) -> &str {
        self.path.to_str().unwrap_or_default()
    }
}

/// Files larger than this make the trials slow and find nothing more.
const LARGEST: u64 = 40_000;

/// Small files of every format, or of those that `FUZZ_FORMAT` names, and those in the folder `FUZZ_FILES`.
pub fn corpus() -> &'static [Sample] {
    static CORPUS: OnceLock<(Vec<Sample>, Folder)> = OnceLock::new();
    let (samples, _) = CORPUS.get_or_init(|| {
        let folder = Folder::new();
        write_all(&folder.0);
        let mut samples = Vec::new();
        for number in 0.. {
            let Ok(entries) = fs::read_dir(folder.0.join(number.to_string())) else { break };
            add(&mut samples, entries.map(|entry| entry.unwrap().path()).collect());
        }
        if let Some(files) = std::env::var_os("FUZZ_FILES") {
            for entry in fs::read_dir(files).unwrap() {
                add(&mut samples, vec![entry.unwrap().path()]);
            }
        }
        // Starts the threads, whose memory is not the readers'.
        samples.iter().for_each(|s| drop(Source::from_bytes(s.bytes.clone(), Some(s.name())).read()));
        (samples, folder)
    });
    samples
}

/// Writes each mesh in each format, into a folder of its own with a number.
fn write_all(folder: &Path) {
    let wanted = std::env::var("FUZZ_FORMAT").ok();
    let is_wanted =
        |name: &str| wanted.as_ref().is_none_or(|list| list.split(',').any(|start| name.starts_with(start)));
    let mut number = 0;
    for format in formats().filter(|format| is_wanted(format.name)) {
        for mesh in [plain_tets(), plain_triangles(), tricky_tets(), tricky_triangles()] {
            let place = folder.join(number.to_string());
            fs::create_dir_all(&place).unwrap();
            let path = place.join(format!("mesh.{}", format.endings()[0]));
            // A folder stays empty if the format cannot hold the mesh.
            let _ = write_mesh(&path, &mesh, Some(format));
            number += 1;
        }
    }
}

/// Adds the files of one mesh.
fn add(samples: &mut Vec<Sample>, mut paths: Vec<PathBuf>) {
    paths.retain(|path| path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST));
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let total: usize = files.iter().map(Vec::len).sum();
    for (path, bytes) in paths.into_iter().zip(files) {
        let beside = total - bytes.len();
        samples.push(Sample { path, bytes, beside });
    }
}
