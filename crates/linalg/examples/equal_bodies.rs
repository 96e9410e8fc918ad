//! Memory and time to factor 64 soft blocks of 1000 vertices, equal up to rounding and all different.
//!
//!     cargo run --release -p pliant-linalg --example equal_bodies

use pliant_linalg::SymmetricCsc;
use pliant_linalg::ordering::nested_dissection;
use pliant_linalg::panels::PanelFactor;
use std::time::Instant;

const BODIES: usize = 64;
const SIDE: u32 = 10;

/// Vertices of a cube, each coupled to all vertices of the cells around it; in elimination order.
fn block() -> SymmetricCsc {
    let index = |x: u32, y: u32, z: u32| x + SIDE * (y + SIDE * z);
    let mut triplets = Vec::new();
    for i in 0..SIDE.pow(3) {
        let [x, y, z] = [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE];
        triplets.push((i, i, 0.1));
        for (dx, dy, dz) in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)] {
            if x + dx < SIDE && y + dy < SIDE && z + dz < SIDE {
                let j = index(x + dx, y + dy, z + dz);
                triplets.extend([(i, i, 1.0), (j, j, 1.0), (i, j, -1.0)]);
            }
        }
    }
    let a = SymmetricCsc::from_triplets(SIDE.pow(3) as usize, &triplets);
    a.permuted(&nested_dissection(&a, None))
}

/// Copies of a block along the diagonal, each scaled a little more than the one before.
fn bodies(block: &SymmetricCsc, scale: f64) -> SymmetricCsc {
    let n = block.n() as u32;
    let mut triplets = Vec::new();
    for body in 0..BODIES as u32 {
        let by = 1.0 + scale * f64::from(body);
        for j in 0..block.n() {
            triplets.extend(block.column(j).map(|(i, v)| (body * n + i as u32, body * n + j as u32, v * by)));
        }
    }
    SymmetricCsc::from_triplets(BODIES * block.n(), &triplets)
}

fn main() {
    let block = block();
    for (name, scale) in [("equal", 1e-15), ("different", 1e-6)] {
        let a = bodies(&block, scale);
        let start = Instant::now();
        let factor = match PanelFactor::new(&a) {
            Ok(factor) => factor,
            Err(e) => return eprintln!("{e}"),
        };
        let (time, mb) = (start.elapsed().as_secs_f64() * 1e3, factor.bytes() as f64 / f64::from(1 << 20));
        let (all, distinct) = factor.components();
        println!(
            "{all} {name} bodies of {} vertices: {distinct} factors, {mb:.2} MB, {time:.1} ms",
            block.n()
        );
    }
}
