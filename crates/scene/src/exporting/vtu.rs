//! VTU: what is simulated of each body with its stresses, and the contacts; one file each per frame, and an index of all
//! for ParaView.

use super::color::Colors;
use super::files::replace;
use super::names::file_stem;
use super::writer::Writer;
use crate::error::OutputError;
use crate::running::Run;
use pliant::{BodyId, Side, Sticking, Touch, World};
use pliant_mesh::DVec3;
use pliant_mesh_io::{Cells, VtuData, VtuGrid, write_vtu};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Files of grids with their index.
#[derive(Debug)]
pub(super) struct Grids {
    folder: PathBuf,
    index: Index,
    frames: usize,
}

/// What a file of a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// A body as it is simulated.
    Body(BodyId),
    /// A fine surface that hangs on a body.
    Surface(BodyId),
    /// The points where anything touches.
    Contacts,
}

impl Content {
    /// All files of a frame, the same in every frame.
    fn all(run: &Run) -> Vec<Content> {
        let skins = &run.setup().skins;
        let ids = (0..skins.len()).map(BodyId::new);
        let is_fine = |id: &BodyId| skins[id.index()].own_vertices().is_none();
        let surfaces = ids.clone().filter(is_fine).map(Content::Surface);
        let contacts = run.world().contacts().is_active().then_some(Content::Contacts);
        ids.map(Content::Body).chain(surfaces).chain(contacts).collect()
    }

    /// The start of its file name.
    fn stem(self, run: &Run) -> String {
        let of_body = |id: BodyId| file_stem(id, &run.world().model().bodies[id.index()].name);
        match self {
            Content::Body(id) => of_body(id),
            Content::Surface(id) => format!("{}_surface", of_body(id)),
            Content::Contacts => "contacts".to_string(),
        }
    }

    fn write(self, run: &Run, out: &mut BufWriter<File>) -> io::Result<()> {
        match self {
            Content::Body(id) => write_body(run.world(), id, out),
            Content::Surface(id) => write_surface(run, id, out),
            Content::Contacts => write_contacts(run.world(), out),
        }
    }
}

impl Grids {
    /// Creates the index, or continues that of `frames` frames.
    pub fn open(folder: PathBuf, run: &Run, frames: usize) -> Result<Grids, OutputError> {
        let path = folder.join("scene.pvd");
        let entries = frames * Content::all(run).len();
        let index = Index::open(&path, entries).map_err(OutputError::io(&path))?;
        Ok(Grids { folder, index, frames })
    }
}

impl Writer for Grids {
    fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        let time = run.world().state().time;
        let mut entries = String::new();
        for (part, content) in Content::all(run).into_iter().enumerate() {
            let stem = content.stem(run);
            let name = format!("{stem}_{:06}.vtu", self.frames);
            replace(&self.folder.join(&name), |out| content.write(run, out))?;
            entries += &entry(time, part, &stem, &name);
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

fn write_body(world: &World, id: BodyId, out: &mut BufWriter<File>) -> io::Result<()> {
    let (body, positions) = (&world.model().bodies[id.index()], world.positions(id));
    let displacement: Vec<DVec3> =
        positions.iter().zip(body.mesh.vertices()).map(|(x, rest)| x - rest).collect();
    let stress = world.stress(id);
    let equivalent = world.von_mises(id);
    let at_vertices = single(&world.at_vertices(id, &equivalent));
    let contacts = world.contact_forces(id);
    let forces: Vec<[f32; 3]> = contacts.iter().map(|(force, _)| force.as_vec3().to_array()).collect();
    let states: Vec<u8> = contacts.iter().map(|(_, sticking)| code(*sticking)).collect();
    let tensors: Vec<[f32; 9]> = stress.iter().map(|s| s.to_rows_array().map(|c| c as f32)).collect();
    let count = body.mesh.element_count();
    let material = |e: usize| body.material_of.get(e).map_or(0, |m| u32::from(*m));
    let materials: Vec<u32> = (0..count).map(material).collect();
    let grid = VtuGrid {
        points: positions,
        cells: Cells::from(&*body.mesh),
        point_data: &[
            ("velocity", VtuData::Vectors(world.velocities(id))),
            ("displacement", VtuData::Vectors(&displacement)),
            ("von_mises", VtuData::Scalars(&at_vertices)),
            ("contact_force", VtuData::SingleVectors(&forces)),
            ("contact_state", VtuData::Codes(&states)),
        ],
        cell_data: &[
            ("stress", VtuData::Tensors(&tensors)),
            ("von_mises", VtuData::Scalars(&single(&equivalent))),
            ("strain", VtuData::Scalars(&single(&world.strain(id)))),
            ("body", VtuData::Numbers(&vec![id.0; count])),
            ("material", VtuData::Numbers(&materials)),
        ],
    };
    write_vtu(out, &grid)
}

fn write_surface(run: &Run, body: BodyId, out: &mut BufWriter<File>) -> io::Result<()> {
    let (world, skin) = (run.world(), &run.setup().skins[body.index()]);
    let triangles = skin.triangles();
    let grid = VtuGrid {
        points: &skin.positions(world.positions(body)),
        cells: Cells::Tri(triangles),
        // It hangs on the body by constant weights, so that velocities follow like places.
        point_data: &[("velocity", VtuData::Vectors(&skin.positions(world.velocities(body))))],
        cell_data: &[("body", VtuData::Numbers(&vec![body.0; triangles.len()]))],
    };
    write_vtu(out, &grid)
}

fn write_contacts(world: &World, out: &mut BufWriter<File>) -> io::Result<()> {
    let touches = world.touches();
    let vectors = |get: fn(&Touch) -> DVec3| -> Vec<DVec3> { touches.iter().map(get).collect() };
    // Obstacles are numbered after the bodies.
    let number = |side: Side| match side {
        Side::Body(b) => b.0,
        Side::Obstacle(o) => world.model().bodies.len() as u32 + o.0,
    };
    let numbers = |side: usize| -> Vec<u32> { touches.iter().map(|t| number(t.sides[side])).collect() };
    let gaps: Vec<f32> = touches.iter().map(|t| t.gap as f32).collect();
    let states: Vec<u8> = touches.iter().map(|t| code(t.sticking)).collect();
    let all: Vec<u32> = (0..touches.len() as u32).collect();
    let grid = VtuGrid {
        points: &vectors(|t| t.place),
        cells: Cells::Points(&all),
        point_data: &[
            ("force", VtuData::Vectors(&vectors(|t| t.force))),
            ("normal", VtuData::Vectors(&vectors(|t| t.normal))),
            ("gap", VtuData::Scalars(&gaps)),
            ("contact_state", VtuData::Codes(&states)),
            ("on", VtuData::Numbers(&numbers(0))),
            ("by", VtuData::Numbers(&numbers(1))),
        ],
        cell_data: &[],
    };
    write_vtu(out, &grid)
}

/// 0 open, 1 sticks, 2 slides.
fn code(sticking: Sticking) -> u8 {
    match sticking {
        Sticking::Open => 0,
        Sticking::Sticks => 1,
        Sticking::Slides => 2,
    }
}

fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
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
