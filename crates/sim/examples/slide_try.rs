use pliant::solver::ContactConfig;
use pliant::*;
use pliant_mesh::{Mesh, block};
fn main() {
    let a: Vec<f64> = std::env::args().skip(1).map(|s| s.parse().unwrap()).collect();
    let (youngs, iters, sweeps, cells) = (a[0], a[1] as usize, a[2] as usize, a[3] as usize);
    let deg: f64 = a[4];
    for &mu in &a[5..] {
        let mesh = block([0.2, 0.2, 0.1], [2 * cells, 2 * cells, cells]).unwrap();
        let mut body = Body::new("b", Mesh::Tet(mesh), Material { law: Law::Arap, youngs, poisson: 0.4 });
        body.friction = mu;
        let th = deg.to_radians();
        let g = 9.81;
        let model = Model {
            gravity: [g * th.sin(), 0.0, -g * th.cos()],
            bodies: vec![body],
            obstacles: vec![Obstacle {
                name: "f".into(),
                shape: Shape::Plane,
                placement: Pose::IDENTITY,
                motion: Motion::Fixed,
                friction: None,
            }],
            ..Model::default()
        };
        let cfg = LocalGlobalConfig {
            iterations: iters,
            contact: ContactConfig { sweeps, ..Default::default() },
            precision: if std::env::var("D").is_ok() {
                pliant::solver::Precision::Double
            } else {
                pliant::solver::Precision::Single
            },
            ..LocalGlobalConfig::default()
        };
        let mut w = World::new(model, SolverConfig::LocalGlobal(cfg)).unwrap();
        let x0 = w.motion(0).center[0];
        let mut creep = 0.0f64;
        let t0 = std::time::Instant::now();
        let mut ct = 0.0;
        for s in 0..100 {
            w.step().unwrap();
            ct += w.timings().stage_ms(Stage::Contact);
            if std::env::var("V").is_ok() && s < 60 {
                let f = w.contacts().force_on(Side::Body(0));
                let m = w.motion(0);
                println!(
                    "{s} fz {:.6} fx {:.6} v {:?}",
                    f[2] / (m.mass * g * th.cos()),
                    f[0] / (m.mass * g * th.sin()),
                    m.velocity
                );
            }
            if s >= 50 {
                creep = creep.max(w.motion(0).velocity[0].abs());
            }
        }
        let ms = t0.elapsed().as_secs_f64() * 10.0;
        let slide = w.motion(0).center[0] - x0;
        let want = (0.5 * g * (th.sin() - mu * th.cos()) * (1.0 + 0.01)).max(0.0);
        let m = w.motion(0);
        let f = w.contacts().force_on(Side::Body(0));
        println!(
            "mu {mu:.4} slide {slide:.6} want {want:.6} err {:.3}%  vmax(.5..1) {creep:.3e}  fz/weight {:.6} contacts {} ms {ms:.2} contact {:.2} pen {:.2e}",
            (slide / want - 1.0) * 100.0,
            f[2] / (m.mass * g * th.cos()),
            w.contacts().len(),
            ct / 100.0,
            w.contacts().penetration(&w.state().positions)
        );
    }
}
