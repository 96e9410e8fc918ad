//! How fast large meshes are written and read, beside a plain copy of the same bytes.
//!
//! `cargo run --release -p pliant-mesh-io --example io_speed -- [CELLS] [FORMAT...]` makes a block with CELLS^3 cells
//! (119: ten million tets), writes and reads it in each format, and prints a table. Times are the best of three.
//! Each phase runs in a process of its own, so that its peak of memory is known. Files are in the folder for
//! temporary files; everything happens in the page cache if there is memory for it.

use pliant_mesh::{Mesh, block};
use pliant_mesh_io::{formats, read_contents, read_mesh, write_mesh};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const RUNS: usize = 3;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["phase", name, format, path, cells] => phase(name, format, Path::new(path), cells.parse()?),
        [] => table(119, &["vtu", "gmsh41"]),
        [cells] => table(cells.parse()?, &["vtu", "gmsh41"]),
        [cells, names @ ..] => table(cells.parse()?, names),
    }
}

/// Runs all phases and prints the table.
fn table(cells: usize, names: &[&str]) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("pliant-io-speed-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    println!(
        "{} tets; times in seconds, speeds in MB/s, peak of memory over the size of the file",
        6 * cells.pow(3)
    );
    println!(
        "{:14} {:>7} | {:>6} {:>6} | {:>6} {:>6} {:>5} {:>5} | {:>6} {:>6} {:>5} {:>5} | {:>6} {:>8}",
        "format",
        "MB",
        "copy",
        "MB/s",
        "write",
        "MB/s",
        "ratio",
        "mem",
        "read",
        "MB/s",
        "ratio",
        "mem",
        "tidied",
        "validate"
    );
    for name in names {
        let ending = formats().find(|f| f.name == *name).ok_or("no such format")?.endings()[0];
        let path = folder.join(format!("mesh.{ending}"));
        let (write, write_peak) = run("write", name, &path, cells)?;
        let size = fs::metadata(&path)?.len() as f64;
        let copy = copy_time(&path, &folder.join("copy"))?;
        let (read, read_peak) = run("read", name, &path, cells)?;
        let (tidied, _) = run("tidied", name, &path, cells)?;
        let (validate, _) = run("validate", name, &path, cells)?;
        let speed = |seconds: f64| size / 1e6 / seconds;
        println!(
            "{name:14} {:7.1} | {copy:6.3} {:6.0} | {write:6.3} {:6.0} {:5.2} {:5.2} | {read:6.3} {:6.0} {:5.2} {:5.2} | {tidied:6.3} {validate:8.3}",
            size / 1e6,
            speed(copy),
            speed(write),
            copy / write,
            write_peak / size,
            speed(read),
            copy / read,
            read_peak / size,
        );
        fs::remove_file(&path)?;
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

fn copy_time(from: &Path, to: &Path) -> Result<f64, Failure> {
    best(|| {
        let start = Instant::now();
        fs::copy(from, to)?;
        let time = start.elapsed().as_secs_f64();
        fs::remove_file(to)?;
        Ok(time)
    })
}

fn best(mut run: impl FnMut() -> Result<f64, Failure>) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        best = best.min(run()?);
    }
    Ok(best)
}

/// Runs a phase in a process of its own; returns seconds and the peak of memory in bytes.
fn run(phase: &str, format: &str, path: &Path, cells: usize) -> Result<(f64, f64), Failure> {
    let mut seconds = f64::INFINITY;
    let mut peak = 0.0;
    for _ in 0..RUNS {
        let program: PathBuf = std::env::current_exe()?;
        let output =
            Command::new(program).args(["phase", phase, format]).arg(path).arg(cells.to_string()).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let mut numbers = text.split_whitespace().map(str::parse::<f64>);
        seconds = numbers.next().ok_or("no time")??.min(seconds);
        peak = numbers.next().ok_or("no memory")??.max(peak);
    }
    Ok((seconds, peak))
}

fn phase(name: &str, format: &str, path: &Path, cells: usize) -> Result<(), Failure> {
    let seconds = match name {
        "write" => {
            let mesh = Mesh::Tet(block([1.0; 3], [cells; 3])?);
            let format = formats().find(|f| f.name == format);
            // A new file each time, as for the copy.
            let _ = fs::remove_file(path);
            let start = Instant::now();
            write_mesh(path, &mesh, format)?;
            start.elapsed().as_secs_f64()
        }
        "read" => {
            let start = Instant::now();
            let contents = read_contents(path)?;
            let seconds = start.elapsed().as_secs_f64();
            assert_eq!(contents.mesh.element_count(), 6 * cells.pow(3));
            seconds
        }
        "tidied" => {
            let start = Instant::now();
            let mesh = read_mesh(path)?;
            let seconds = start.elapsed().as_secs_f64();
            drop(mesh);
            seconds
        }
        _ => {
            let mesh = read_mesh(path)?;
            let start = Instant::now();
            mesh.validate()?;
            start.elapsed().as_secs_f64()
        }
    };
    println!("{seconds} {}", peak_memory());
    Ok(())
}

/// The most memory that this process had, in bytes; zero where the system does not tell.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
