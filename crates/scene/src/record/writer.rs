//! Writing `frames.bin`.

use super::{FRAMES_OFFSET, MAGIC, UNFINISHED, VERSION};
use crate::error::OutputError;
use crate::run::Run;
use crate::tessellate::tessellate;
use pliant::{Obstacle, Shape};
use pliant_mesh::Point;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writes `frames.bin`.
#[derive(Debug)]
pub struct FrameWriter {
    path: PathBuf,
    out: BufWriter<File>,
    frames: u32,
}

impl FrameWriter {
    /// Creates the file with its header.
    pub fn create(path: &Path, run: &Run) -> Result<FrameWriter, OutputError> {
        let file = File::create(path).map_err(OutputError::io(path))?;
        let mut out = BufWriter::new(file);
        write_header(&mut out, run).map_err(OutputError::io(path))?;
        Ok(FrameWriter { path: path.to_path_buf(), out, frames: 0 })
    }

    /// Goes on with a file where it was when [`mark`](Self::mark) told this number of frames and bytes: what was written
    /// later is dropped.
    ///
    /// # Errors
    /// If the file is shorter than that, or of another run.
    pub fn resume(path: &Path, run: &Run, (frames, bytes): (u32, u64)) -> Result<FrameWriter, OutputError> {
        let mut header = Vec::new();
        write_header(&mut header, run).map_err(OutputError::io(path))?;
        let mut file =
            OpenOptions::new().read(true).write(true).open(path).map_err(OutputError::io(path))?;
        let length = file.metadata().map_err(OutputError::io(path))?.len();
        let damaged = |cause: String| OutputError::Damaged { path: path.to_path_buf(), cause };
        if length < bytes.max(header.len() as u64) {
            return Err(damaged(format!("the recording has {length} bytes, the checkpoint goes on after {bytes}")));
        }
        let mut found = vec![0; header.len()];
        file.read_exact(&mut found).map_err(OutputError::io(path))?;
        // A run that came to its end has written its number of frames.
        let count = FRAMES_OFFSET as usize..FRAMES_OFFSET as usize + 4;
        found[count.clone()].copy_from_slice(&header[count]);
        if found != header {
            return Err(damaged("this is the recording of another run".into()));
        }
        let cut = |file: &mut File| -> io::Result<()> {
            file.set_len(bytes)?;
            file.seek(SeekFrom::Start(FRAMES_OFFSET))?;
            file.write_all(&UNFINISHED.to_le_bytes())?;
            file.seek(SeekFrom::End(0)).map(|_| ())
        };
        cut(&mut file).map_err(OutputError::io(path))?;
        Ok(FrameWriter { path: path.to_path_buf(), out: BufWriter::new(file), frames })
    }

    /// Brings all frames so far to the disk; returns their number and the bytes of the file.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn mark(&mut self) -> Result<(u32, u64), OutputError> {
        let mut flush = || -> io::Result<u64> {
            self.out.flush()?;
            self.out.get_ref().sync_data()?;
            self.out.stream_position()
        };
        let bytes = flush().map_err(OutputError::io(&self.path))?;
        Ok((self.frames, bytes))
    }

    /// Appends the present state.
    pub fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        let (world, state) = (run.world(), run.world().state());
        let write = |out: &mut BufWriter<File>| -> io::Result<()> {
            out.write_all(&state.time.to_le_bytes())?;
            for obstacle in &world.model().obstacles {
                let pose = obstacle.pose(state.time);
                let numbers = pose.rotation.iter().flatten().chain(&pose.translation);
                for x in numbers {
                    out.write_all(&(*x as f32).to_le_bytes())?;
                }
            }
            for (body, skin) in run.setup().skins.iter().enumerate() {
                for x in skin.positions(world.positions(body)).iter().flatten() {
                    out.write_all(&(*x as f32).to_le_bytes())?;
                }
            }
            for x in run.lines().iter().flat_map(|(_, points)| points).flatten() {
                out.write_all(&(*x as f32).to_le_bytes())?;
            }
            Ok(())
        };
        write(&mut self.out).map_err(OutputError::io(&self.path))?;
        self.frames += 1;
        Ok(())
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let frames = self.frames;
        let end = |out: &mut BufWriter<File>| -> io::Result<()> {
            out.seek(SeekFrom::Start(FRAMES_OFFSET))?;
            out.write_all(&frames.to_le_bytes())?;
            out.flush()
        };
        end(&mut self.out).map_err(OutputError::io(&self.path))
    }
}

fn write_header(out: &mut impl Write, run: &Run) -> io::Result<()> {
    let (world, skins) = (run.world(), &run.setup().skins);
    let bodies = &world.model().bodies;
    let vertices: Vec<usize> =
        bodies.iter().zip(skins).map(|(b, s)| s.vertex_count(b.mesh.vertices().len())).collect();
    let too_many = || io::Error::new(io::ErrorKind::InvalidInput, "more than 2^32 entries");
    let count = |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_| too_many());
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&count(bodies.len())?)?;
    out.write_all(&count(vertices.iter().sum())?)?;
    out.write_all(&count(skins.iter().map(|s| s.triangles().len()).sum())?)?;
    out.write_all(&count(world.model().obstacles.len())?)?;
    out.write_all(&UNFINISHED.to_le_bytes())?;
    out.write_all(&world.model().dt.to_le_bytes())?;
    for c in run.setup().camera {
        out.write_all(&(c as f32).to_le_bytes())?;
    }
    for ((body, skin), &vertices) in bodies.iter().zip(skins).zip(&vertices) {
        out.write_all(&count(body.name.len())?)?;
        out.write_all(body.name.as_bytes())?;
        out.write_all(&count(vertices)?)?;
        out.write_all(&count(skin.triangles().len())?)?;
    }
    let mut first = 0u32;
    for (skin, &vertices) in skins.iter().zip(&vertices) {
        for v in skin.triangles().iter().flatten() {
            out.write_all(&(v + first).to_le_bytes())?;
        }
        first += vertices as u32;
    }
    world.model().obstacles.iter().try_for_each(|o| write_obstacle(out, o))?;
    let lines = run.lines();
    out.write_all(&count(lines.len())?)?;
    for (name, points) in &lines {
        out.write_all(&count(name.len())?)?;
        out.write_all(name.as_bytes())?;
        out.write_all(&count(points.len())?)?;
    }
    Ok(())
}

/// Name, whether it is a plane, surface in its own coordinates.
fn write_obstacle(out: &mut impl Write, obstacle: &Obstacle) -> io::Result<()> {
    let is_plane = matches!(obstacle.shape, Shape::Plane);
    let (points, triangles): (Vec<Point>, Vec<[u32; 3]>) = tessellate(&obstacle.shape);
    let counts =
        [obstacle.name.len(), usize::from(is_plane), points.len(), triangles.len()].map(|n| n as u32);
    out.write_all(&counts[0].to_le_bytes())?;
    out.write_all(obstacle.name.as_bytes())?;
    for count in &counts[1..] {
        out.write_all(&count.to_le_bytes())?;
    }
    for x in points.iter().flatten() {
        out.write_all(&(*x as f32).to_le_bytes())?;
    }
    for v in triangles.iter().flatten() {
        out.write_all(&v.to_le_bytes())?;
    }
    Ok(())
}
