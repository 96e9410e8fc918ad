//! How long the kernels take, next to the projections of the local step: `cargo test --release -p pliant --lib
//! elastic::timing -- --ignored --nocapture`.

use super::*;
use crate::fem::test_systems::block;
use crate::solver::local_global::chunk::{Chunk, LocalStep};
use crate::solver::local_global::projection as law;
use crate::solver::local_global::target::{Proximal, WarmRotation};
use std::time::Instant;

/// The fastest of many calls, in nanoseconds per element.
fn fastest(elements: usize, mut call: impl FnMut(usize)) -> f64 {
    let mut best = f64::INFINITY;
    for k in 0..60 {
        let start = Instant::now();
        call(k);
        best = best.min(start.elapsed().as_secs_f64());
    }
    1e9 * best / elements as f64
}

/// Two deformed states near each other, as in the iterations of a step.
fn states(system: &System) -> [Vec<Vec4>; 2] {
    [0.0, 2e-4].map(|shift| {
        let bent = |p: &pliant_mesh::DVec3| {
            let twist = 0.6 * p.z;
            let (sin, cos) = twist.sin_cos();
            Vec4([
                1.1 * (cos * p.x - sin * p.y) + (shift + 0.004) * (31.0 * p.y).sin(),
                sin * p.x + cos * p.y + 0.004 * (47.0 * p.z).sin(),
                p.z + (shift - 0.003) * (39.0 * p.x).cos(),
                0.0,
            ])
        };
        system.rest.iter().map(bent).collect()
    })
}

#[test]
#[ignore = "measures time"]
fn nanoseconds_per_tet() {
    // The larger one does not fit the second-level cache of a core.
    for (law, cells) in Law::ALL.into_iter().flat_map(|law| [(law, 8), (law, 16)]) {
        let system = block(law, 0.3, [cells; 3]);
        let materials = Weighted::all(&system, 1.0);
        let index: Vec<u32> = (0..system.rest.len() as u32).collect();
        let q = states(&system);
        let mut chunks = single_chunks(&system, &materials, &index, 0.01);
        let n = system.tets.len();
        let evaluate = fastest(n, |k| chunks.iter_mut().for_each(|c| _ = c.evaluate(&q[k % 2], &q[0])));
        let product = fastest(n, |k| chunks.iter_mut().for_each(|c| c.product(&q[k % 2])));
        println!("{law:?}: {n} tets, evaluate {evaluate:.2} ns, product {product:.2} ns");
        let tets = elements(&system, &materials, &index).0;
        let mut local: Vec<Box<dyn LocalStep>> = match law {
            Law::Arap => {
                runs(&tets).iter().map(|e| Box::new(Chunk::<3, WarmRotation>::new(e, 0.01)) as _).collect()
            }
            Law::NeoHookean => runs(&tets)
                .iter()
                .map(|e| Box::new(Chunk::<3, Proximal<law::NeoHookean, true>>::new(e, 0.01)) as _)
                .collect(),
            _ => continue,
        };
        local.iter_mut().for_each(|c| c.start(&q[0]));
        let project = fastest(n, |k| local.iter_mut().for_each(|c| c.project(&q[k % 2], &q[0])));
        println!("{law:?}: projection {project:.2} ns");
    }
}

#[test]
#[ignore = "measures time"]
fn nanoseconds_per_triangle() {
    let n = 110u32;
    let row = |j: u32| j * (n + 1);
    let q: Vec<Vec4> = (0..(n + 1) * (n + 1))
        .map(|v| {
            let (x, y) = (f64::from(v % (n + 1)), f64::from(v / (n + 1)));
            Vec4([1.1 * x, 0.9 * y + 0.1 * x, (0.2 * x + 0.1 * y).sin(), 0.0])
        })
        .collect();
    for law in Law::ALL {
        let (mu, lambda) = crate::Material { law, youngs: 1e5, poisson: 0.3 }.lame_membrane();
        let elastic = crate::fem::ElementMaterial { law, mu, lambda, damping: 0.0, tangent_damping: 0.0 };
        let triangles: Vec<Element<2>> = (0..n * n)
            .flat_map(|c| {
                let a = row(c / n) + c % n;
                [[a, a + 1, a + n + 1, a], [a + n + 2, a + n + 1, a + 1, a]]
            })
            .zip([1.0, -1.0].into_iter().cycle())
            .map(|(vertices, side)| Element {
                vertices,
                inverse_rest: [[side, 0.0], [0.0, side]],
                volume: 0.5,
                material: Weighted { elastic, weight: 2.0 * mu },
            })
            .collect();
        let mut chunks = membrane_chunks(law, &triangles, 0.01);
        let evaluate = fastest(triangles.len(), |_| chunks.iter_mut().for_each(|c| _ = c.evaluate(&q, &q)));
        let product = fastest(triangles.len(), |_| chunks.iter_mut().for_each(|c| c.product(&q)));
        println!(
            "{law:?}: {} triangles, evaluate {evaluate:.2} ns, product {product:.2} ns",
            triangles.len()
        );
    }
}
