//! Sets up a few bodies and obstacles and detects their contacts.
#![allow(dead_code)] // Each test file uses a part of it.

use pliant_collide::{BodyId, Contact, Detector, Obstacle, Options, Pose, Serial, Shape, Surface, Tasks};
use pliant_mesh::{DVec3, TriMesh, block, cloth};

/// Bodies and obstacles, in the making.
#[derive(Clone, Default)]
pub struct Setup {
    pub surfaces: Vec<Surface>,
    pub obstacles: Vec<Obstacle>,
    pub x: Vec<DVec3>,
}

impl Setup {
    /// Adds a body; returns the range of its vertices.
    pub fn add(&mut self, mesh: &TriMesh, offset: DVec3, solid: bool, radius: f64) -> std::ops::Range<usize> {
        let first = self.x.len();
        self.x.extend(mesh.vertices.iter().map(|&p| p + offset));
        self.surfaces.push(Surface {
            body: BodyId::new(self.surfaces.len()),
            triangles: mesh.triangles.iter().map(|t| t.map(|v| v + first as u32)).collect(),
            solid,
            radius,
            self_contact: false,
        });
        first..self.x.len()
    }

    /// A solid block with its lowest corner at `offset`.
    pub fn block(&mut self, size: [f64; 3], cells: [usize; 3], offset: DVec3) -> std::ops::Range<usize> {
        let surface = block(size, cells).unwrap().surface();
        let (low, _) = surface.bounds();
        self.add(&surface, offset - low, true, 0.0)
    }

    /// A horizontal cloth with its lowest corner at `offset`.
    pub fn cloth(&mut self, size: f64, cells: usize, offset: DVec3, radius: f64) -> std::ops::Range<usize> {
        self.add(&cloth([size; 2], cells).unwrap(), offset, false, radius)
    }

    pub fn obstacle(&mut self, shape: Shape) {
        self.obstacles.push(Obstacle { shape, radius: 0.0 });
    }

    pub fn detector(&self, margin: f64) -> Detector {
        let options = Options { margin, ..Options::default() };
        Detector::new(&self.surfaces, &self.obstacles, &self.x, options).unwrap()
    }

    /// Contacts of a step in which the obstacles stay at the origin.
    pub fn contacts(&self, margin: f64, x0: &[DVec3], x1: &[DVec3]) -> Vec<Contact> {
        let poses = vec![Pose::IDENTITY; self.obstacles.len()];
        run(&mut self.detector(margin), &Serial, [x0, x1], [&poses, &poses])
    }
}

pub fn run(d: &mut Detector, tasks: &dyn Tasks, x: [&[DVec3]; 2], poses: [&[Pose]; 2]) -> Vec<Contact> {
    let mut out = Vec::new();
    d.detect(tasks, x[0], x[1], poses[0], poses[1], &mut out);
    check(&out, x[1].len());
    out
}

/// What holds for every contact.
pub fn check(contacts: &[Contact], vertices: usize) {
    assert!(contacts.windows(2).all(|w| w[0].key < w[1].key), "sorted and unique");
    for c in contacts {
        let n = c.count as usize;
        assert!((1..=4).contains(&n));
        assert!(c.vertices[..n].iter().all(|&v| (v as usize) < vertices));
        assert!((c.normal.length_squared() - 1.0).abs() < 1e-9, "{c:?}");
        assert!(c.anchor.is_finite() && c.anchor_motion.is_finite());
        assert!(c.weights.iter().all(|w| w.is_finite()));
        let positive: f64 = c.weights.iter().filter(|w| **w > 0.0).sum();
        let negative: f64 = c.weights.iter().filter(|w| **w < 0.0).sum();
        assert!((positive - 1.0).abs() < 1e-9);
        assert!(
            (negative + 1.0).abs() < 1e-9
                || (negative == 0.0 && matches!(c.sides[1], pliant_collide::Side::Obstacle(_)))
        );
    }
}

/// All vertices of a range moved by `by`.
pub fn shifted(x: &[DVec3], range: std::ops::Range<usize>, by: DVec3) -> Vec<DVec3> {
    let mut x = x.to_vec();
    x[range].iter_mut().for_each(|p| *p += by);
    x
}

/// Threads that take tasks in any order.
pub struct Threads(pub usize);

impl Tasks for Threads {
    fn for_each(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        let next = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| {
                    loop {
                        let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if i >= count {
                            break;
                        }
                        task(i);
                    }
                });
            }
        });
    }
}

/// Numbers between -1 and 1 that look random, always the same.
pub fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Vectors of such numbers.
pub fn noise_vectors(seed: u64) -> impl FnMut() -> DVec3 {
    let mut random = noise(seed);
    move || DVec3::new(random(), random(), random())
}

/// A vertical blade in the plane x = 0 with its edge on the y axis: `cells` quads along it.
pub fn blade(cells: u32, half_length: f64, height: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..=cells {
        let y = half_length * (2.0 * f64::from(i) / f64::from(cells) - 1.0);
        mesh.vertices.extend([DVec3::new(0.0, y, 0.0), DVec3::new(0.0, y, -height)]);
    }
    for i in 0..cells {
        let [a, b, c, d] = [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3];
        mesh.triangles.extend([[a, b, c], [c, b, d]]);
    }
    mesh
}
