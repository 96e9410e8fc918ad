//! The command line of the mesh tools.

use super::{positive, thread_count, word};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use pliant_mesh_io::formats;
use pliant_meshing::bodies;
use pliant_output::mesh_picture::UpAxis;
use std::path::PathBuf;

/// The commands of `pliant mesh`.
#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Describes a mesh: size, quality, topology, and each defect with its place.
    Info(InfoArgs),
    /// Writes a mesh in another format.
    Convert(ConvertArgs),
    /// Fills a closed surface or a modelled body with tetrahedra.
    #[command(alias = "tetrahedralise", alias = "tet")]
    Tetrahedralize(TetrahedralizeArgs),
    /// Repairs a mesh and reports every change.
    Repair(RepairArgs),
    /// Makes a surface coarser.
    Simplify(SimplifyArgs),
    /// Lists the formats of mesh files.
    Formats(FormatsArgs),
}

/// The file a command reads.
#[derive(Debug, Args)]
pub struct InputArgs {
    /// Mesh file of any known format, packed with gzip or not.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub lengths: LengthArgs,
}

/// The unit of the lengths in a file.
#[derive(Debug, Args)]
pub struct LengthArgs {
    /// Unit of the lengths in FILE; they are scaled to metres.
    #[arg(long, value_name = "UNIT", default_value = "m")]
    pub unit: Unit,
}

/// The file a command writes.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// File to write; its ending names the format.
    #[arg(id = "output", short = 'o', long = "output", value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub how: WriteArgs,
}

/// How a file is written.
#[derive(Debug, Args)]
pub struct WriteArgs {
    /// Format of the output, see `pliant mesh formats`; by the ending of its name if absent.
    #[arg(long, value_name = "NAME", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(formats().map(|f| f.name)))]
    pub format: Option<String>,
    /// Allows to overwrite the input.
    #[arg(long)]
    pub force: bool,
}

/// What all mesh tools have in common.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Prints JSON and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Prints nothing but errors.
    #[arg(long)]
    pub quiet: bool,
    /// Threads; all cores if absent. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
}

/// A picture beside the result.
#[derive(Debug, Args)]
pub struct PictureArgs {
    /// Draws the mesh with its defects or worst elements.
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Axis of the mesh that points up in the picture.
    #[arg(long, value_name = "AXIS", default_value = "z", requires = "png", value_parser = word(UpAxis::ALL, UpAxis::name))]
    pub up: UpAxis,
}

/// Options of `mesh info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Vertices not farther apart than this, in metres, count as duplicates; only equal ones if absent.
    #[arg(long, value_name = "D", default_value_t = 0.0, value_parser = not_negative)]
    pub duplicates: f64,
    /// How many places of each defect are listed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pub places: u64,
    #[command(flatten)]
    pub picture: PictureArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// Options of `mesh convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// File to write; its ending names the format.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub how: WriteArgs,
    /// Writes the boundary of a tetrahedral mesh.
    #[arg(long)]
    pub surface: bool,
    #[command(flatten)]
    pub picture: PictureArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// Options of `mesh tetrahedralize`.
#[derive(Debug, Args)]
pub struct TetrahedralizeArgs {
    /// What to fill.
    #[arg(value_name = "FILE", help = input_help())]
    pub input: String,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub fineness: FinenessArgs,
    /// How many times longer the edges deep inside may be; 1 for a uniform mesh.
    #[arg(long, value_name = "F", default_value_t = 4.0, value_parser = positive)]
    pub coarsest: f64,
    /// Does not refine where the body is thinner than the edges.
    #[arg(long)]
    pub no_features: bool,
    #[command(flatten)]
    pub lengths: LengthArgs,
    /// Largest extent of a modelled body in metres; 1 if absent.
    #[arg(long, value_name = "L", value_parser = positive)]
    pub size: Option<f64>,
    #[command(flatten)]
    pub picture: PictureArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// How fine a mesh shall be: one of them, or 20,000 tets.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct FinenessArgs {
    /// Length of the edges at the surface, in metres.
    #[arg(long, value_name = "L", value_parser = positive, allow_negative_numbers = true)]
    pub edge: Option<f64>,
    /// About this many vertices.
    #[arg(long, value_name = "N", value_parser = element_count)]
    pub vertices: Option<usize>,
    /// About this many tetrahedra; 20000 if nothing is given.
    #[arg(long, value_name = "N", value_parser = element_count)]
    pub tets: Option<usize>,
}

/// Options of `mesh repair`.
#[derive(Debug, Args)]
pub struct RepairArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Welds vertices not farther apart than this, in metres; 1e-9 of the diagonal if absent.
    #[arg(long, value_name = "D", value_parser = not_negative)]
    pub weld: Option<f64>,
    /// Fills holes with at most this many edges; 0 fills none.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(0..=500))]
    pub holes: u64,
    /// Leaves edges where more than two triangles meet.
    #[arg(long)]
    pub keep_non_manifold: bool,
    #[command(flatten)]
    pub picture: PictureArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// Options of `mesh simplify`.
#[derive(Debug, Args)]
pub struct SimplifyArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub target: SimplifyTarget,
    /// Tries again where triangles come to intersect that did not before; takes longer.
    #[arg(long)]
    pub avoid_intersections: bool,
    #[command(flatten)]
    pub picture: PictureArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// When to stop simplifying.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct SimplifyTarget {
    /// Stops at this many triangles.
    #[arg(long, value_name = "N", value_parser = element_count)]
    pub triangles: Option<usize>,
    /// Stops before the surface moves by more than this, in metres.
    #[arg(long, value_name = "E", value_parser = positive, allow_negative_numbers = true)]
    pub error: Option<f64>,
}

/// Options of `mesh formats`.
#[derive(Debug, Args)]
pub struct FormatsArgs {
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
}

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    /// Metres.
    M,
    /// Centimetres.
    Cm,
    /// Millimetres.
    Mm,
    /// Inches.
    In,
}

impl Unit {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Unit::M => "m",
            Unit::Cm => "cm",
            Unit::Mm => "mm",
            Unit::In => "in",
        }
    }

    /// Its length in metres.
    pub fn metres(self) -> f64 {
        match self {
            Unit::M => 1.0,
            Unit::Cm => 0.01,
            Unit::Mm => 0.001,
            Unit::In => 0.0254,
        }
    }
}

fn input_help() -> String {
    let names: Vec<&str> = bodies::bodies().iter().map(|b| b.name).collect();
    format!("Surface file, or body:NAME for a modelled body: {}", names.join(", "))
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if v >= 0.0 && v.is_finite() => Ok(v),
        _ => Err("write a number that is not negative".into()),
    }
}

fn element_count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("write a whole number, for example 20000".into()),
    }
}
