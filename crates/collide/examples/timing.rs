//! Times collision detection in typical situations: `cargo run --release -p pliant-collide --example timing [threads [part of a name]]`.

use pliant_collide::{BodyId, Contact, Detector, Obstacle, Options, Pose, Shape, Surface, Tasks};
use pliant_mesh::{DVec3, TriMesh, block, cloth};
use rayon::prelude::*;
use std::time::Instant;

/// Repetitions of each measurement; the median is printed.
const REPEATS: usize = 51;

struct Pool;

impl Tasks for Pool {
    fn for_each(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        if rayon::current_num_threads() == 1 {
            (0..count).for_each(task);
        } else {
            (0..count).into_par_iter().with_max_len(1).for_each(task);
        }
    }
}

struct Case {
    name: &'static str,
    surfaces: Vec<Surface>,
    obstacles: Vec<Obstacle>,
    rest: Vec<DVec3>,
    x0: Vec<DVec3>,
    x1: Vec<DVec3>,
    margin: f64,
}

impl Case {
    fn new(name: &'static str, margin: f64) -> Self {
        let empty = Vec::new;
        Self { name, surfaces: vec![], obstacles: vec![], rest: empty(), x0: empty(), x1: empty(), margin }
    }

    fn add(&mut self, mesh: &TriMesh, solid: bool, radius: f64, place: impl Fn(DVec3) -> DVec3) {
        let first = self.rest.len() as u32;
        self.rest.extend(&mesh.vertices);
        self.x0.extend(mesh.vertices.iter().map(|&p| place(p)));
        self.surfaces.push(Surface {
            body: BodyId::new(self.surfaces.len()),
            triangles: mesh.triangles.iter().map(|t| t.map(|v| v + first)).collect(),
            solid,
            radius,
            self_contact: !solid,
        });
        self.x1 = self.x0.iter().map(|&p| p - 1e-3 * DVec3::Z).collect();
    }

    fn run(&self) {
        let options = Options { margin: self.margin, ..Options::default() };
        let build = Instant::now();
        let detector = Detector::new(&self.surfaces, &self.obstacles, &self.rest, options);
        let mut detector = match detector {
            Ok(detector) => detector,
            Err(error) => return eprintln!("{}: {error}", self.name),
        };
        let build = build.elapsed();
        let poses = vec![Pose::IDENTITY; self.obstacles.len()];
        let mut contacts: Vec<Contact> = Vec::new();
        let mut times: Vec<f64> = (0..REPEATS)
            .map(|_| {
                let start = Instant::now();
                detector.detect(&Pool, &self.x0, &self.x1, &poses, &poses, &mut contacts);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_unstable_by(f64::total_cmp);
        let triangles: usize = self.surfaces.iter().map(|s| s.triangles.len()).sum();
        println!(
            "{:34} {triangles:6} triangles {:6} contacts  {:7.3} ms (fastest {:7.3}), prepared in {:.1} ms",
            self.name,
            contacts.len(),
            times[REPEATS / 2],
            times[0],
            build.as_secs_f64() * 1e3,
        );
    }
}

/// A cloth laid in three layers, `gap` apart, with round folds.
fn fold(p: DVec3, size: f64, gap: f64) -> DVec3 {
    let straight = size / 3.0;
    let turn = 0.5 * std::f64::consts::PI * gap;
    let r = 0.5 * gap;
    let mut s = p.x;
    for layer in 0..3 {
        let (z, forward) = (f64::from(layer) * gap, layer % 2 == 0);
        if s < straight || layer == 2 {
            return DVec3::new(if forward { s } else { straight - s }, p.y, z);
        }
        s -= straight;
        if s < turn {
            let angle = s / r;
            let end = if forward { straight } else { 0.0 };
            let out = if forward { 1.0 } else { -1.0 };
            return DVec3::new(end + out * r * angle.sin(), p.y, z + r * (1.0 - angle.cos()));
        }
        s -= turn;
    }
    DVec3::new(s, p.y, 2.0 * gap)
}

/// A vertical blade along y with its edge at z = 0.
fn blade(x: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..=40_u32 {
        let y = f64::from(i) / 40.0;
        mesh.vertices.extend([DVec3::new(x, y, 0.0), DVec3::new(x, y, -0.2)]);
        if i > 0 {
            let [a, b, c, d] = [2 * i - 2, 2 * i - 1, 2 * i, 2 * i + 1];
            mesh.triangles.extend([[a, b, c], [c, b, d]]);
        }
    }
    mesh
}

fn cases() -> Result<Vec<Case>, pliant_mesh::MeshError> {
    let sheet = cloth([1.0; 2], 71)?;
    let radius = 1e-3;
    let mut flat = Case::new("flat cloth, itself", 1e-3);
    flat.add(&sheet, false, radius, |p| p);

    let mut folded = Case::new("cloth in three layers, itself", 1e-3);
    folded.add(&sheet, false, radius, |p| fold(p, 1.0, 2.5e-3));

    let mut pair = Case::new("two cloths on each other", 1e-3);
    let half = cloth([1.0; 2], 50)?;
    pair.add(&half, false, radius, |p| p);
    pair.add(&half, false, radius, |p| DVec3::new(p.x * 0.9 + 0.05, p.y * 0.9 + 0.05, 2.2e-3));
    pair.surfaces.iter_mut().for_each(|s| s.self_contact = false);

    let mut plane = Case::new("cloth on a plane", 1e-3);
    plane.add(&sheet, false, radius, |p| p.with_z(1.5e-3));
    plane.surfaces[0].self_contact = false;
    plane.obstacles.push(Obstacle { shape: Shape::Plane, radius: 0.0 });

    let mut above = Case::new("cloth far above a plane", 1e-3);
    above.add(&sheet, false, radius, |p| p.with_z(1.0));
    above.surfaces[0].self_contact = false;
    above.obstacles.push(Obstacle { shape: Shape::Plane, radius: 0.0 });

    let mut knives = Case::new("cloth on eight blades", 1e-3);
    knives.add(&sheet, false, radius, |p| p.with_z(1.5e-3));
    for i in 0..8 {
        let mesh = blade(0.1 + 0.1 * f64::from(i));
        knives.obstacles.push(Obstacle { shape: Shape::Mesh(mesh), radius: 0.0 });
    }

    let mut stack = Case::new("four blocks of 20^3 on a plane", 1e-3);
    let cube = block([0.2; 3], [20; 3])?.surface();
    let low = cube.vertices.iter().map(|p| p.z).fold(f64::MAX, f64::min);
    for i in 0..4 {
        let shift = 0.003 * f64::from(i);
        stack.add(&cube, true, 0.0, |p| DVec3::new(p.x + shift, p.y - shift, p.z - low + 0.2 * f64::from(i)));
    }
    stack.obstacles.push(Obstacle { shape: Shape::Plane, radius: 0.0 });
    Ok(vec![flat, folded, pair, plane, above, knives, stack])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(2), |t| t.parse())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let cases = cases()?;
    println!("{threads} threads, median of {REPEATS}");
    let wanted = std::env::args().nth(2).unwrap_or_default();
    pool.install(|| cases.iter().filter(|case| case.name.contains(&wanted)).for_each(Case::run));
    Ok(())
}
