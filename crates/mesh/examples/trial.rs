//! Trial.
use pliant_mesh::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let tets: usize = args[1].parse().unwrap();
    for path in &args[2..] {
        let name = path.rsplit('/').next().unwrap();
        let t0 = Instant::now();
        let mesh = match read_mesh(std::path::Path::new(path)) {
            Ok(Mesh::Tri(m)) => m,
            Ok(_) => {
                println!("{name}: tets");
                continue;
            }
            Err(e) => {
                println!("{e}");
                continue;
            }
        };
        let t1 = t0.elapsed();
        let solid = SurfaceSolid::new(mesh).unwrap();
        let t2 = t0.elapsed();
        let s = solid.surface();
        let v: f64 = s
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| s.vertices[i as usize]);
                (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                    + a[2] * (b[0] * c[1] - b[1] * c[0]))
                    / 6.0
            })
            .sum();
        match tetrahedralize(&solid, &MesherOptions::new(MeshSize::Tets(tets))) {
            Ok(m) => {
                let q = m.mesh.quality().unwrap();
                let minq = m
                    .mesh
                    .tets
                    .iter()
                    .map(|t| {
                        let p = t.map(|i| m.mesh.vertices[i as usize]);
                        let mut l = 0.0;
                        for i in 0..4 {
                            for j in 0..i {
                                l += (0..3).map(|k| (p[i][k] - p[j][k]).powi(2)).sum::<f64>() / 6.0;
                            }
                        }
                        let d = |i: usize, k: usize| p[i][k] - p[0][k];
                        let det = d(1, 0) * (d(2, 1) * d(3, 2) - d(2, 2) * d(3, 1))
                            - d(1, 1) * (d(2, 0) * d(3, 2) - d(2, 2) * d(3, 0))
                            + d(1, 2) * (d(2, 0) * d(3, 1) - d(2, 1) * d(3, 0));
                        2f64.sqrt() * det / l.powf(1.5)
                    })
                    .fold(1.0, f64::min);
                println!(
                    "{name:32} closed {} {:6} v {:6} t  angles {:6.2} {:6.2} minq {:.3} dev/edge {:.3} vol {:+.3}% ({:+.3}) halv {} valid {} | read {:.2?} solid {:.2?} all {:.2?}",
                    solid.is_closed(),
                    m.mesh.vertices.len(),
                    m.mesh.tets.len(),
                    q.min_dihedral_degrees,
                    q.max_dihedral_degrees,
                    minq,
                    m.deviation / m.edge,
                    100.0 * (m.mesh.volume() / v - 1.0),
                    100.0 * (m.body_volume / v - 1.0),
                    m.halvings,
                    m.mesh.validate().is_ok(),
                    t1,
                    t2 - t1,
                    t0.elapsed()
                );
            }
            Err(e) => println!("{name}: {e}"),
        }
    }
}
