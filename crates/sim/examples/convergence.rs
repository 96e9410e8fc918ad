//! Convergence study of weights.
use pliant::solver::convergence::trace;
use pliant::*;
use pliant_mesh::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let law = Law::from_name(&a[1]).unwrap();
    let e: f64 = a[2].parse().unwrap();
    let nu: f64 = a[3].parse().unwrap();
    let iters: usize = a[4].parse().unwrap();
    let c: usize = a.get(5).map_or(6, |s| s.parse().unwrap());
    let presteps: usize = a.get(6).map_or(30, |s| s.parse().unwrap());
    let mesh = block([0.1, 0.1, 0.2], [c, c, 2 * c]).unwrap();
    let (lo, hi) = (mesh.groups["z_min"].vertices.clone(), mesh.groups["z_max"].vertices.clone());
    let body = Body::new("bar", Mesh::Tet(mesh), Material::new(law, e, nu).unwrap());
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
    let lg = |f: &dyn Fn(&mut LocalGlobalConfig)| {
        let mut c = LocalGlobalConfig::default();
        f(&mut c);
        SolverConfig::LocalGlobal(c)
    };
    let mut world = World::new(model, lg(&|c| c.iterations = 20)).unwrap();
    for _ in 0..presteps {
        world.step().unwrap();
    }
    let mut settings = vec![];
    for w in [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0] {
        settings.push((format!("w x{w}"), lg(&|c| c.weight_scale = w)));
    }
    settings.push(("double".into(), lg(&|c| c.precision = pliant::solver::Precision::Double)));
    settings.push(("anderson 5".into(), lg(&|c| c.anderson = 5)));
    settings.push(("jacobi".into(), lg(&|c| c.global = pliant::solver::GlobalSolve::Jacobi)));
    settings.push(("chebyshev".into(), lg(&|c| c.global = pliant::solver::GlobalSolve::Chebyshev(0.999))));
    for t in trace(&world, &settings, iters).unwrap() {
        let pick = |k: usize| t.errors.get(k - 1).copied().unwrap_or(f64::NAN);
        println!(
            "{:12} 1:{:8.1e} 3:{:8.1e} 5:{:8.1e} 10:{:8.1e} 20:{:8.1e} 50:{:8.1e} last:{:8.1e} dist {:8.1e} ms {:.1}",
            t.label,
            pick(1),
            pick(3),
            pick(5),
            pick(10),
            pick(20),
            pick(50),
            t.errors.last().unwrap(),
            t.distances.last().unwrap(),
            t.times_ms.last().unwrap()
        );
    }
}
