//! Continuous collision on queries with known answers: `cargo run --release -p pliant-collide --example ccd_queries -- DIR`.
//!
//! Below DIR are files `vertex-face/*.csv` and `edge-edge/*.csv` of the benchmark of Wang et al. (2021): eight lines a query, four
//! places at the start and four at the end, each coordinate as numerator and denominator, and the answer in the last column.

use pliant_collide::continuous::{edge_edge, vertex_triangle};
use pliant_mesh::DVec3;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const TOLERANCE: f64 = 1e-6;

fn main() {
    let directory = std::env::args().nth(1).expect("a directory");
    let mut files = Vec::new();
    collect(Path::new(&directory), &mut files);
    files.sort();
    let (mut queries, mut hits, mut missed, mut false_hits) = (0, 0, 0, 0);
    let (mut total, mut longest) = (Duration::ZERO, Duration::ZERO);
    for file in &files {
        let is_triangle = file.parent().is_some_and(|p| p.ends_with("vertex-face"));
        for (x, hit) in read(file) {
            let (start, end) = ([x[0], x[1], x[2], x[3]], [x[4], x[5], x[6], x[7]]);
            let begin = Instant::now();
            let found = match is_triangle {
                true => vertex_triangle(start, end, TOLERANCE),
                false => edge_edge(start, end, TOLERANCE),
            };
            let time = begin.elapsed();
            (total, longest) = (total + time, longest.max(time));
            queries += 1;
            hits += usize::from(hit);
            missed += usize::from(hit && found.is_none());
            false_hits += usize::from(!hit && found.is_some());
        }
    }
    println!("{queries} queries, {hits} hits: {missed} missed, {false_hits} false");
    println!(
        "{:.2} us a query, {:.1} at most",
        total.as_secs_f64() * 1e6 / f64::from(queries),
        longest.as_secs_f64() * 1e6
    );
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path if path.extension().is_some_and(|e| e == "csv") => files.push(path),
            _ => {}
        }
    }
}

fn read(file: &Path) -> Vec<([DVec3; 8], bool)> {
    let text = std::fs::read_to_string(file).expect("a text");
    let line = |line: &str| -> (DVec3, bool) {
        let n: Vec<f64> = line.split(',').map(|n| n.trim().parse().expect("a number")).collect();
        (DVec3::new(n[0] / n[1], n[2] / n[3], n[4] / n[5]), n[6] == 1.0)
    };
    let lines: Vec<(DVec3, bool)> = text.lines().map(line).collect();
    lines.chunks_exact(8).map(|q| (std::array::from_fn(|i| q[i].0), q[0].1)).collect()
}
