//! Times steps of the twisting bar.
use pliant::*;
use pliant_mesh::*;
fn main() {
    let threads: usize = std::env::args().nth(1).map_or(2, |s| s.parse().unwrap());
    let law = std::env::args().nth(2).unwrap_or("arap".into());
    let steps: usize = std::env::args().nth(3).map_or(200, |s| s.parse().unwrap());
    let e: f64 = std::env::args().nth(4).map_or(1e9, |s| s.parse().unwrap());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for c in [13, 17, 21] {
        let mesh = block([0.1, 0.1, 0.2], [c, c, 2 * c]).unwrap();
        let (lo, hi) = (mesh.groups["z_min"].vertices.clone(), mesh.groups["z_max"].vertices.clone());
        let body =
            Body::new("bar", Mesh::Tet(mesh), Material::new(Law::from_name(&law).unwrap(), e, 0.45).unwrap());
        let rot = |rate| Motion::Rotation {
            point: [0.05, 0.05, 0.0],
            axis: [0.0, 0.0, 1.0],
            rate,
            start: 0.0,
            stop: f64::INFINITY,
        };
        let w = std::f64::consts::TAU * 0.25;
        let pins = vec![
            Pin { name: "a".into(), body: 0, vertices: lo, motion: rot(-w), kind: PinKind::Hard },
            Pin { name: "b".into(), body: 0, vertices: hi, motion: rot(w), kind: PinKind::Hard },
        ];
        let model = Model { gravity: [0.0; 3], bodies: vec![body], pins, ..Default::default() };
        let t = std::time::Instant::now();
        let mut world = World::new(model, SolverConfig::default()).unwrap();
        let build = t.elapsed().as_secs_f64() * 1e3;
        pool.install(|| {
            let (mut total, mut local, mut global) = (vec![], vec![], vec![]);
            for _ in 0..steps {
                let o = world.step().unwrap();
                total.push(world.timings().total_ms());
                local.push(world.timings().stage_ms(Stage::Local));
                global.push(world.timings().stage_ms(Stage::Global));
                if world.state().steps % 100 == 0 { let s = world.summary(0); println!("  step {} res {:.2e} -> {:.2e} min_j {:.3} inverted {} energy {:.3e}", world.state().steps, o.residual_first, o.residual_last, s.min_j, s.inverted, s.elastic_energy); }
            }
            let p50 = |v: &mut Vec<f64>| { v.sort_by(f64::total_cmp); v[v.len() / 2] };
            println!("{} vertices: build {build:.0} ms; step p50 {:.3} ms min {:.3}, local {:.3}, global {:.3}; hash {:x}", world.system().rest.len(), p50(&mut total), total[0], p50(&mut local), p50(&mut global), world.state().hash());
        });
    }
}
