//! Continuous collision on queries with known answers: `cargo run --release -p pliant-collide --example ccd_queries -- DIR`. By
//! inclusion, which finds the time of contact, and by the advancement that a barrier's steps are cut with.
//!
//! Below DIR are files `vertex-face/*.csv` and `edge-edge/*.csv` of the benchmark of Wang et al. (2021): eight lines a query, four
//! places at the start and four at the end, each coordinate as numerator and denominator, and the answer in the last column.

use pliant_collide::continuous::{edge_edge, vertex_triangle};
use pliant_collide::proximity::{PairKind, free_part};
use pliant_mesh::DVec3;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const TOLERANCE: f64 = 1e-6;

fn main() {
    let directory = std::env::args().nth(1).expect("a directory");
    let mut files = Vec::new();
    collect(Path::new(&directory), &mut files);
    files.sort();
    let queries: Vec<Query> = files.iter().flat_map(|file| read(file)).collect();
    measure("inclusion", &queries, |kind, start, end| match kind {
        PairKind::EdgeEdge => edge_edge(start, end, TOLERANCE).is_some(),
        _ => vertex_triangle(start, end, TOLERANCE).is_some(),
    });
    let advance = |kind, start, end, enough| free_part(kind, [start, end], 0.0, enough, 1.0) < 1.0;
    measure("advancement, a tenth kept", &queries, |kind, start, end| {
        advance(kind, start, end, f64::INFINITY)
    });
    for kept in [TOLERANCE, 1e-9] {
        let name = format!("advancement, {kept:e} kept");
        measure(&name, &queries, |kind, start, end| advance(kind, start, end, kept));
    }
}

/// Two features, their places at the start and the end, and whether they meet.
struct Query {
    kind: PairKind,
    x: [DVec3; 8],
    hit: bool,
}

fn measure(name: &str, queries: &[Query], meets: impl Fn(PairKind, [DVec3; 4], [DVec3; 4]) -> bool) {
    let (mut missed, mut false_hits) = (0, 0);
    let (mut total, mut longest) = (Duration::ZERO, Duration::ZERO);
    for Query { kind, x, hit } in queries {
        let (start, end) = ([x[0], x[1], x[2], x[3]], [x[4], x[5], x[6], x[7]]);
        let begin = Instant::now();
        let found = meets(*kind, start, end);
        let time = begin.elapsed();
        (total, longest) = (total + time, longest.max(time));
        missed += usize::from(*hit && !found);
        false_hits += usize::from(!*hit && found);
    }
    let (count, hits) = (queries.len(), queries.iter().filter(|q| q.hit).count());
    println!(
        "{name}: {count} queries, {hits} hits: {missed} missed, {false_hits} false, {:.2} us a query, {:.1} at most",
        total.as_secs_f64() * 1e6 / count as f64,
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

fn read(file: &Path) -> Vec<Query> {
    let is_triangle = file.parent().is_some_and(|p| p.ends_with("vertex-face"));
    let kind = if is_triangle { PairKind::VertexTriangle } else { PairKind::EdgeEdge };
    let text = std::fs::read_to_string(file).expect("a text");
    let line = |line: &str| -> (DVec3, bool) {
        let n: Vec<f64> = line.split(',').map(|n| n.trim().parse().expect("a number")).collect();
        (DVec3::new(n[0] / n[1], n[2] / n[3], n[4] / n[5]), n[6] == 1.0)
    };
    let lines: Vec<(DVec3, bool)> = text.lines().map(line).collect();
    let query = |q: &[(DVec3, bool)]| Query { kind, x: std::array::from_fn(|i| q[i].0), hit: q[0].1 };
    lines.chunks_exact(8).map(query).collect()
}
