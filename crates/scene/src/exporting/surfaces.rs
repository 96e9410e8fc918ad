//! OBJ and PLY: what is seen of each body, one file per body and frame.

use super::color::Colors;
use super::files::replace;
use super::names::file_stem;
use super::writer::Writer;
use crate::error::OutputError;
use crate::running::Run;
use pliant::BodyId;
use pliant_mesh::DVec3;
use pliant_mesh_io::{write_obj, write_ply};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

type Write = fn(&mut BufWriter<File>, &[DVec3], &[[u32; 3]]) -> io::Result<()>;

/// Files of surfaces.
#[derive(Debug)]
pub(super) struct Surfaces {
    folder: PathBuf,
    ending: &'static str,
    write: Write,
    frames: usize,
}

/// Wavefront files in `folder`, after those of `frames` frames.
pub(super) fn obj(folder: PathBuf, frames: usize) -> Surfaces {
    Surfaces {
        folder,
        ending: "obj",
        write: |out, points, triangles| write_obj(out, points, triangles),
        frames,
    }
}

/// Stanford files in `folder`, after those of `frames` frames.
pub(super) fn ply(folder: PathBuf, frames: usize) -> Surfaces {
    Surfaces {
        folder,
        ending: "ply",
        write: |out, points, triangles| write_ply(out, points, triangles),
        frames,
    }
}

impl Writer for Surfaces {
    fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        let bodies = &run.world().model().bodies;
        for (i, (body, skin)) in bodies.iter().zip(&run.setup().skins).enumerate() {
            let id = BodyId::new(i);
            let name = format!("{}_{:06}.{}", file_stem(id, &body.name), self.frames, self.ending);
            let points = skin.positions(run.world().positions(id));
            replace(&self.folder.join(name), |out| (self.write)(out, &points, skin.triangles()))?;
        }
        self.frames += 1;
        Ok(())
    }

    fn finish(&mut self, _: &Run, _: &Colors) -> Result<Vec<String>, OutputError> {
        Ok(Vec::new())
    }
}
