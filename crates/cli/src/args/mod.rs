//! The command line, as clap reads it.

pub mod mesh;
pub mod sweep;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use pliant::solver::KINDS;
use pliant_output::{Field, Mark};
use pliant_scene::exporting::Format;
use std::path::PathBuf;

/// Real-time simulation of soft bodies and cloth.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, about, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists the built-in scenes.
    Scenes(ScenesArgs),
    /// Simulates a scene and checks its expectations.
    Run(RunArgs),
    /// Continues a run from its checkpoint, bit for bit as if it had never stopped.
    Resume(ResumeArgs),
    /// Validates a scene without running it.
    Check(CheckArgs),
    /// Runs a scene through several solvers and compares them.
    Compare(CompareArgs),
    /// Measures step times.
    Bench(BenchArgs),
    /// Runs a scene with every combination of several values, into one table.
    Sweep(sweep::SweepArgs),
    /// Makes a picture or a film of a recording.
    Render(RenderArgs),
    /// Writes the frames of a run for other programs, after the run.
    Export(sweep::ExportArgs),
    /// Shows a scene or a recording in the browser, where bodies can be grabbed.
    View(ViewArgs),
    /// Describes, converts, fills, repairs and simplifies meshes.
    Mesh(MeshArgs),
    /// Prints the JSON Schema of scene files.
    Schema,
}

/// Options of `mesh`.
#[derive(Debug, Args)]
pub struct MeshArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: mesh::MeshCommand,
}

/// Options of `scenes`.
#[derive(Debug, Args)]
pub struct ScenesArgs {
    /// Only this scene.
    pub name: Option<String>,
    /// Prints the file of the scene, to be changed and run.
    #[arg(long, requires = "name", conflicts_with = "json")]
    pub print: bool,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
}

/// Which scene, and what is changed in it.
#[derive(Debug, Args)]
pub struct SceneArgs {
    /// Name of a built-in scene or path of a .toml file.
    pub scene: String,
    #[command(flatten)]
    pub changes: Changes,
}

/// Changes of a scene.
#[derive(Debug, Args)]
pub struct Changes {
    /// Size or flavour of the scene, see `pliant scenes`.
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    #[arg(long, value_name = "KIND", help = solver_help("the scene's"))]
    pub solver: Option<String>,
    /// Sets a parameter (youngs=1e6) or a dotted path (body.0.density=500); repeatable.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
}

/// How long.
#[derive(Debug, Args)]
pub struct Length {
    /// Runs this many steps.
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub steps: Option<u64>,
    /// Runs this much simulated time.
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub length: Length,
    /// Threads; all cores if absent.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Directory for report, recording, picture and log.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Also writes frames for other programs under DIR: vtu, obj, ply, gltf, usd, npz.
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', requires = "out")]
    pub export: Vec<Format>,
    /// Records every K-th step; about 30 frames per simulated second if absent.
    #[arg(long, value_name = "K", requires = "out", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// Saves the run every K steps, so that `pliant resume DIR` can continue it.
    #[arg(long, value_name = "K", requires = "out", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Checks every state exactly, by a test that knows nothing of the solver: an error if anything intersects or is inverted.
    #[arg(long)]
    pub verify: bool,
    /// Prints the report as JSON and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Prints nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Options of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Directory of a run with checkpoints, or its checkpoint.bin.
    pub checkpoint: PathBuf,
    /// Threads; as many as the run was started with if absent. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Prints the report as JSON and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Prints nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
}

/// Options of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub length: Length,
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help = solvers_help())]
    pub solvers: Vec<String>,
    /// Iterations per solver where a single step is compared.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub iterations: u64,
    /// Threads; all cores if absent.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Directory for compare.json and compare.svg.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Prints JSON and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Prints nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Scenes, as NAME or NAME:VARIANT; the main ones if absent.
    pub scenes: Vec<String>,
    /// Measures the inner kernels instead of scenes.
    #[arg(long, conflicts_with = "scenes")]
    pub kernels: bool,
    /// Measures the sparse inverse factor of the paper's bars and cloths instead of scenes.
    #[arg(long, conflicts_with_all = ["scenes", "kernels"])]
    pub memory: bool,
    /// Compares how the contact solvers resolve friction on a slope instead of measuring scenes.
    #[arg(long, conflicts_with_all = ["scenes", "kernels", "memory"])]
    pub friction: bool,
    /// Measured steps per scene.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub steps: u64,
    #[arg(long, value_name = "KIND", help = solver_help("the scenes'"))]
    pub solver: Option<String>,
    /// Sets a parameter or a dotted path in every scene; repeatable.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Threads; all cores if absent.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
    /// Directory for bench.json and bench.svg, or friction.json and friction.svg.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Prints JSON and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// Options of `render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// What `pliant run SCENE --out DIR` wrote.
    pub directory: PathBuf,
    /// Picture or film: .png, .gif or .mp4; .html is a page that plays it without a network.
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub output: PathBuf,
    /// Size in pixels.
    #[arg(long, value_name = "WxH", default_value = "960x540", value_parser = picture_size)]
    pub size: (u32, u32),
    /// Frame of a picture, counted from 0; the last one if absent.
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
    /// Frames per second of a film; real time if absent.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub fps: Option<f64>,
    /// Colours the bodies by von Mises stress or equivalent strain, with a legend.
    #[arg(long, value_name = "FIELD", value_parser = word(Field::ALL, Field::name))]
    pub color: Option<Field>,
    /// Values at the ends of the colours; found from the recording if absent.
    #[arg(long, value_name = "LOW,HIGH", requires = "color", value_parser = value_range, allow_hyphen_values = true)]
    pub range: Option<(f32, f32)>,
    /// Also draws these: contacts, forces, pins, rest, wireframe.
    #[arg(long, value_name = "MARKS", value_delimiter = ',', value_parser = word(Mark::ALL, Mark::name))]
    pub show: Vec<Mark>,
    /// Draws the edges of the triangles: short for --show wireframe.
    #[arg(long)]
    pub wireframe: bool,
    /// From where it is seen: the place of the eye and the point in the middle, m; that of the scene if absent.
    #[arg(long, value_name = "X,Y,Z -> X,Y,Z", value_parser = eye_and_target, allow_hyphen_values = true)]
    pub camera: Option<[[f64; 3]; 2]>,
    /// Prints nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Options of `view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// A scene as for `run`, or a directory made by `pliant run SCENE --out DIR`.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Port of the page; 7420, or a free one if that is taken or 0 is given.
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Address to listen at; others than loopback let other machines in.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// Does not open a browser.
    #[arg(long)]
    pub no_open: bool,
    /// Waits to be played.
    #[arg(long)]
    pub paused: bool,
    /// Threads; all cores if absent.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
}

/// One of a closed list of things by its name.
fn word<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name))
        .try_map(move |given| all.into_iter().find(|thing| name(*thing) == given).ok_or("unknown name"))
}

/// The kinds of solvers, one line each.
fn solver_help(whose: &str) -> String {
    let kinds: Vec<String> = KINDS.iter().map(|kind| format!("{} ({})", kind.name, kind.about)).collect();
    format!("Solver instead of {whose} own: {}", kinds.join(", "))
}

fn solvers_help() -> String {
    format!("Solvers: {}", solver_names().join(", "))
}

/// Names that `--solvers` takes: the kinds of solvers, and settings of theirs that have a name.
pub fn solver_names() -> Vec<&'static str> {
    let presets = KINDS.iter().flat_map(|kind| kind.presets).map(|preset| preset.name);
    KINDS.iter().map(|kind| kind.name).chain(presets).collect()
}

/// `NAME=VALUE`.
fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("write NAME=VALUE, for example youngs=1e6".into()),
    }
}

fn value_range(text: &str) -> Result<(f32, f32), String> {
    let ends = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    match ends {
        Some((low, high)) if f32::is_finite(low) && f32::is_finite(high) && low < high => Ok((low, high)),
        _ => Err("write LOW,HIGH, for example 0,5e4".into()),
    }
}

/// `X,Y,Z -> X,Y,Z`, two different places.
fn eye_and_target(text: &str) -> Result<[[f64; 3]; 2], String> {
    let place = |text: &str| -> Option<[f64; 3]> {
        let numbers: Vec<f64> = text.split(',').map(|x| x.trim().parse().ok()).collect::<Option<_>>()?;
        <[f64; 3]>::try_from(numbers).ok().filter(|p| p.iter().all(|x| x.is_finite()))
    };
    let ends = text.split_once("->").and_then(|(eye, target)| Some([place(eye)?, place(target)?]));
    ends.filter(|[eye, target]| eye != target)
        .ok_or_else(|| "write EYE -> TARGET, for example \"2,-3,1 -> 0,0,0.5\"".into())
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if v > 0.0 && v.is_finite() => Ok(v),
        _ => Err("write a positive number".into()),
    }
}

fn thread_count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (1..=1024).contains(&n) => Ok(n),
        _ => Err("write a number from 1 to 1024".into()),
    }
}

fn picture_size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parts {
        Some((w, h)) if (16..=8192).contains(&w) && (16..=8192).contains(&h) => Ok((w, h)),
        _ => Err("write WIDTHxHEIGHT, from 16 to 8192 pixels, for example 960x540".into()),
    }
}
