//! Memory and set-up time of many equal worlds: `cargo run --release -p pliant --example many_worlds -- 64 prepared`,
//! and with `alone` instead of `prepared` for worlds that share nothing.

use pliant::{Body, Law, Material, Model, Prepared, SolverConfig, World};
use pliant_mesh::Mesh;
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1);
    let count: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(64);
    let shared = args.next().is_none_or(|how| how != "alone");
    let mesh = pliant_mesh::block([0.1, 0.1, 0.2], [9, 9, 18]).expect("valid sizes");
    let vertices = mesh.vertices.len();
    let material = Material { law: Law::NeoHookean, youngs: 1e5, poisson: 0.3 };
    let model = Model { bodies: vec![Body::new("bar", Mesh::Tet(mesh), material)], ..Model::default() };
    let config = SolverConfig::default();
    let (before, start) = (resident_kib(), Instant::now());
    let mut worlds: Vec<World> = if shared {
        let prepared = Prepared::new(model, config).expect("a valid model");
        (0..count).map(|_| prepared.world()).collect()
    } else {
        (0..count).map(|_| World::new(model.clone(), config.clone()).expect("a valid model")).collect()
    };
    let set_up = start.elapsed().as_secs_f64() * 1e3;
    for world in &mut worlds {
        world.step().expect("a good step");
    }
    let how = if shared { "prepared once" } else { "alone" };
    println!("{count} worlds of {vertices} vertices, {how}: set up in {set_up:.1} ms");
    if let (Some(before), Some(after)) = (before, resident_kib()) {
        println!(
            "resident memory after a step of each: {} KiB more than before",
            after.saturating_sub(before)
        );
    }
}

/// Resident memory of this process where the system reports it.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok())
}
