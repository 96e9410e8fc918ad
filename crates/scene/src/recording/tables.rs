//! Tables of a run for spreadsheets and scripts: `probes.csv`, `energies.csv`, `forces.csv`.
//!
//! All have a heading with units, and start with the step and its time. A row is written at once, so that a run that is
//! killed leaves whole rows.

use crate::error::OutputError;
use crate::measuring::gravity_energy;
use crate::running::Run;
use crate::running::contacts::named_pairs;
use pliant::{AttachmentId, BodyId, NeedleId, PinId};
use pliant_mesh::DVec3;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The tables of a run in its directory.
#[derive(Debug)]
pub struct Tables {
    probes: Table,
    energies: Table,
    forces: Table,
}

impl Tables {
    /// Creates the tables with the rows of the start.
    pub fn create(directory: &Path, run: &Run) -> Result<Tables, OutputError> {
        let mut tables = Tables {
            probes: Table::create(directory.join("probes.csv"), &probe_heading(run))?,
            energies: Table::create(directory.join("energies.csv"), &energy_heading(run))?,
            forces: Table::create(directory.join("forces.csv"), FORCE_HEADING)?,
        };
        tables.step(run)?;
        tables.frame(run)?;
        Ok(tables)
    }

    /// Continues the tables of a run that was stopped after `steps` steps. Later rows are written again.
    pub fn resume(directory: &Path, steps: usize) -> Result<Tables, OutputError> {
        Ok(Tables {
            probes: Table::resume(directory.join("probes.csv"), steps)?,
            energies: Table::resume(directory.join("energies.csv"), steps)?,
            forces: Table::resume(directory.join("forces.csv"), steps)?,
        })
    }

    /// Adds what is written after every step: the probes.
    pub fn step(&mut self, run: &Run) -> Result<(), OutputError> {
        let values = run.probes().iter().flat_map(|probe| probe.last());
        let cells: String = values.map(|value| format!(",{}", number(*value))).collect();
        self.probes.write(&format!("{}{cells}\n", when(run)))
    }

    /// Adds what is written with every recorded frame, because it takes time: energies and forces.
    pub fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        self.energies.write(&energy_row(run))?;
        self.forces.write(&force_rows(run))
    }
}

/// Step and time, the first two cells of every row.
fn when(run: &Run) -> String {
    format!("{},{}", run.world().state().steps, number(run.world().state().time))
}

fn probe_heading(run: &Run) -> String {
    let mut heading = "step,time [s]".to_string();
    for (probe, history) in run.setup().probes.iter().zip(run.probes()) {
        let unit = probe.unit();
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        let axes: &[&str] = if history.last().len() == 3 { &[".x", ".y", ".z"] } else { &[""] };
        for axis in axes {
            heading += &format!(",{}", cell(&format!("{}{axis}{unit}", probe.name)));
        }
    }
    heading + "\n"
}

fn energy_heading(run: &Run) -> String {
    let mut heading = "step,time [s]".to_string();
    for body in &run.world().model().bodies {
        for kind in ["kinetic", "elastic", "gravity"] {
            heading += &format!(",{}", cell(&format!("{}.{kind} [J]", body.name)));
        }
    }
    heading + ",kinetic [J],elastic [J],gravity [J],total [J]\n"
}

fn energy_row(run: &Run) -> String {
    let world = run.world();
    let mut row = when(run);
    let mut sums = [0.0; 3];
    for body in (0..world.model().bodies.len()).map(BodyId::new) {
        let kinetic = world.motion(body).kinetic_energy;
        let elastic = world.elastic_energy_estimate(body);
        let energies = [kinetic, elastic, gravity_energy(world, body)];
        for (sum, energy) in sums.iter_mut().zip(energies) {
            *sum += energy;
            row += &format!(",{}", number(energy));
        }
    }
    let all: f64 = sums.iter().sum();
    let cells: String = sums.into_iter().chain([all]).map(|sum| format!(",{}", number(sum))).collect();
    row + &cells + "\n"
}

const FORCE_HEADING: &str =
    "step,time [s],kind,on,by,points,x [N],y [N],z [N],normal [N],friction [N],area [m^2],pressure [Pa]\n";

/// A row for each pair that touches and for each pin, attachment and needle.
fn force_rows(run: &Run) -> String {
    let (world, model) = (run.world(), run.world().model());
    let when = when(run);
    let row = |kind: &str, on: &str, by: &str, points: &str, f: DVec3| {
        let [x, y, z] = f.to_array().map(number);
        format!("{when},{kind},{},{},{points},{x},{y},{z}", cell(on), cell(by))
    };
    let mut rows = String::new();
    for ([on, by], pair) in named_pairs(world) {
        let own = [pair.normal, pair.friction, pair.area, pair.pressure()].map(number);
        rows +=
            &format!("{},{}\n", row("contact", on, by, &pair.points.to_string(), pair.force), own.join(","));
    }
    // Only contacts have the last four.
    let row =
        |kind: &str, on: &str, by: &str, points: &str, f: DVec3| row(kind, on, by, points, f) + ",,,,\n";
    for (i, pin) in model.pins.iter().enumerate() {
        rows +=
            &row("pin", &model.bodies[pin.body.index()].name, &pin.name, "", world.reaction(PinId::new(i)));
    }
    for (i, attachment) in model.attachments.iter().enumerate() {
        let body = attachment.pairs.first().map_or("", |pair| &model.bodies[pair[0].body.index()].name);
        rows += &row(
            "attachment",
            body,
            &attachment.name,
            "",
            world.contacts().joints().attachment_force(AttachmentId::new(i)),
        );
    }
    for (i, needle) in model.needles.iter().enumerate() {
        let body = needle.points.first().map_or("", |point| &model.bodies[point.body.index()].name);
        let hold = world.needle(NeedleId::new(i));
        rows += &row("needle", body, &needle.name, &hold.points.to_string(), hold.force);
    }
    rows
}

/// A number with the digits that give the same bits again, without the sign of zero.
fn number(value: f64) -> String {
    format!("{:?}", value + 0.0)
}

/// A text as a cell: in quotes if it has to be.
fn cell(text: &str) -> String {
    let special = |c: char| c == ',' || c == '"' || c.is_control();
    if text.contains(special) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

/// A file of rows.
#[derive(Debug)]
struct Table {
    path: PathBuf,
    file: File,
}

impl Table {
    fn create(path: PathBuf, heading: &str) -> Result<Table, OutputError> {
        let file = File::create(&path).map_err(OutputError::io(&path))?;
        let mut table = Table { path, file };
        table.write(heading)?;
        Ok(table)
    }

    fn resume(path: PathBuf, steps: usize) -> Result<Table, OutputError> {
        let open = || -> io::Result<File> {
            let text = fs::read_to_string(&path)?;
            let mut file = OpenOptions::new().write(true).open(&path)?;
            file.set_len(rows_until(&text, steps) as u64)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(OutputError::io(&path))?;
        Ok(Table { path, file })
    }

    fn write(&mut self, rows: &str) -> Result<(), OutputError> {
        self.file.write_all(rows.as_bytes()).map_err(OutputError::io(&self.path))
    }
}

/// Bytes of the heading and of the whole rows up to a step.
fn rows_until(text: &str, steps: usize) -> usize {
    let mut rows = text.split_inclusive('\n').filter(|row| row.ends_with('\n'));
    let heading = rows.next().map_or(0, str::len);
    let step = |row: &str| row.split(',').next().and_then(|cell| cell.parse::<usize>().ok());
    heading + rows.take_while(|row| step(row).is_some_and(|s| s <= steps)).map(str::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_a_row() {
        assert_eq!(cell("soft ball"), "soft ball");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("a\"b\n"), "\"a\"\"b\n\"");
    }

    #[test]
    fn rows_after_a_step_are_dropped() {
        let text = "step,time\n0,0\n1,0.1\n1,0.1\n2,0.2\n3,0.";
        assert_eq!(rows_until(text, 1), "step,time\n0,0\n1,0.1\n1,0.1\n".len());
        assert_eq!(rows_until(text, 9), text.len() - "3,0.".len());
        assert_eq!(rows_until("step", 9), 0);
    }
}
