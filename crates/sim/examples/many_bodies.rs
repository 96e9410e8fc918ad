//! Set-up time and memory of one world with many bodies: `cargo run --release -p pliant --example many_bodies -- 64
//! equal`, and with `different` instead of `equal` for blocks that differ slightly in size and share nothing.

use pliant::{Body, Law, Material, Model, SolverConfig, World};
use pliant_mesh::Mesh;
use std::time::Instant;

/// Distance of neighbouring blocks in m.
const SPACING: f64 = 0.2;

fn main() {
    let mut args = std::env::args().skip(1);
    let count: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(64);
    let equal = args.next().is_none_or(|how| how != "different");
    let model = Model { bodies: (0..count).map(|k| block(k, equal)).collect(), ..Model::default() };
    let vertices = model.bodies[0].mesh.vertices().len();
    let start = Instant::now();
    let mut world = World::new(model, SolverConfig::default()).expect("a valid model");
    let set_up = start.elapsed().as_secs_f64() * 1e3;
    world.step().expect("a good step");
    let how = if equal { "equal" } else { "different" };
    println!("{count} {how} bodies of {vertices} vertices: set up in {set_up:.1} ms");
    println!("factor: {} KiB", world.memory().factor_bytes / 1024);
    if let Some(peak) = peak_kib() {
        println!("peak of resident memory after a step: {peak} KiB");
    }
}

/// Block `k` of a row of blocks, 0.1 m wide; where they are not equal, each is a little longer than the last.
fn block(k: usize, equal: bool) -> Body {
    let length = if equal { 0.1 } else { 0.1 + 1e-4 * k as f64 };
    let mut mesh = pliant_mesh::block([0.1, 0.1, length], [9, 9, 9]).expect("valid sizes");
    for vertex in &mut mesh.vertices {
        vertex.x += SPACING * k as f64;
    }
    let material = Material { law: Law::NeoHookean, youngs: 1e5, poisson: 0.3 };
    Body::new(format!("block {k}"), Mesh::Tet(mesh), material)
}

/// Largest resident memory of this process so far, where the system says it.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}
