//! The local step on a patch of neighbouring elements of one law, in SIMD batches of sixteen.
//!
//! A chunk copies the positions of its vertices next to each other, projects its elements, and sums the forces of its
//! elements per vertex, all inside the first-level cache. Chunks are independent; the order of the sums is fixed.

use super::projection::{self as law, Lame, Lanes, Stiffness, StretchLaw};
use super::{Vec4, Weighted};
use crate::material::isotropic::{membrane, solid};
use pliant_linalg::batch::{mul, polar};
use pliant_linalg::simd::{self, BATCH, Kernel, Simd};
use pliant_linalg::small;

/// An element as the chunks need it: D edges from its first vertex.
#[derive(Clone, Copy, Debug)]
pub struct Element<const D: usize> {
    /// Vertices, in solver order; only the first D + 1 are used.
    pub vertices: [u32; 4],
    /// Inverse of the rest edge matrix.
    pub inverse_rest: [[f64; D]; D],
    /// Rest volume in m^3.
    pub volume: f64,
    /// Material.
    pub material: Weighted,
}

/// What the local step does with the elements of a chunk.
pub trait Projection<const D: usize>: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// What is remembered for a batch from one iteration to the next.
    type State: Clone + std::fmt::Debug + Send + Sync;

    /// The state at deformation gradients `f` of a batch: dual at the stress, rotation at the polar one.
    fn start(materials: &[Weighted], f: &[[[f64; D]; 3]]) -> Self::State;

    /// The target `p - u` that F is pulled to, from F; updates the state of lanes `k..k + LANES`.
    fn target<S: Simd>(
        s: S,
        f: &[[S::F; D]; 3],
        batch: &Stiffness,
        state: &mut Self::State,
        k: usize,
        materials: &[Weighted],
    ) -> [[S::F; D]; 3];
}

/// ARAP solids: the nearest rotation, from that of the last iteration.
#[derive(Clone, Copy, Debug)]
pub struct WarmRotation;

/// Every other law: its proximal map at F + u with the ADMM dual u (`ADMM` true), or without dual for the exact
/// projection of ARAP membranes (`ADMM` false).
#[derive(Clone, Copy, Debug)]
pub struct Proximal<L, const ADMM: bool>(std::marker::PhantomData<L>);

impl Projection<3> for WarmRotation {
    type State = [Lanes; 4];

    fn start(_: &[Weighted], f: &[[[f64; 3]; 3]]) -> [Lanes; 4] {
        let mut state = [[0.0; BATCH]; 4];
        for (lane, f) in f.iter().enumerate() {
            for (c, q) in quaternion(&small::polar3(f).0).into_iter().enumerate() {
                state[c][lane] = q as f32;
            }
        }
        state
    }

    #[inline(always)]
    fn target<S: Simd>(
        s: S,
        f: &[[S::F; 3]; 3],
        _: &Stiffness,
        state: &mut [Lanes; 4],
        k: usize,
        _: &[Weighted],
    ) -> [[S::F; 3]; 3] {
        let q =
            [s.load(&state[0][k..]), s.load(&state[1][k..]), s.load(&state[2][k..]), s.load(&state[3][k..])];
        let (mut r, q, failed) = polar(s, f, q);
        for c in 0..4 {
            s.store(q[c], &mut state[c][k..]);
        }
        if failed != 0 {
            repair(s, f, &mut r, failed, |lane, f| {
                let r = small::polar3(f).0;
                for (c, q) in quaternion(&r).into_iter().enumerate() {
                    state[c][k + lane] = q as f32;
                }
                r
            });
        }
        r
    }
}

impl<L: StretchLaw, const ADMM: bool, const D: usize> Projection<D> for Proximal<L, ADMM>
where
    [[f64; D]; 3]: Scalar<D>,
{
    type State = [[Lanes; D]; 3];

    fn start(materials: &[Weighted], f: &[[[f64; D]; 3]]) -> Self::State {
        let mut dual = [[[0.0; BATCH]; D]; 3];
        if ADMM {
            for (lane, (m, f)) in materials.iter().zip(f).enumerate() {
                // u = stress / w; no dual where the stress is infinite.
                let stress = f.stress(m);
                for i in 0..3 {
                    for j in 0..D {
                        let u = stress[i][j] / m.weight;
                        dual[i][j][lane] = if u.is_finite() { u as f32 } else { 0.0 };
                    }
                }
            }
        }
        dual
    }

    #[inline(always)]
    fn target<S: Simd>(
        s: S,
        f: &[[S::F; D]; 3],
        batch: &Stiffness,
        dual: &mut Self::State,
        k: usize,
        materials: &[Weighted],
    ) -> [[S::F; D]; 3] {
        let lame = Lame::<S> { mu: s.load(&batch.mu[k..]), lambda: s.load(&batch.lambda[k..]) };
        let mut z = *f;
        if ADMM {
            for i in 0..3 {
                for j in 0..D {
                    z[i][j] = s.add(f[i][j], s.load(&dual[i][j][k..]));
                }
            }
        }
        let (mut p, failed) = law::project::<L, S, D>(s, &lame, &z);
        if failed != 0 {
            repair(s, &z, &mut p, failed, |lane, z| z.prox(&materials[k + lane]));
        }
        if ADMM {
            // u = z - p; the target p - u.
            for i in 0..3 {
                for j in 0..D {
                    let u = s.sub(z[i][j], p[i][j]);
                    s.store(u, &mut dual[i][j][k..]);
                    p[i][j] = s.sub(p[i][j], u);
                }
            }
        }
        p
    }
}

/// The scalar f64 functions of a deformation gradient.
pub trait Scalar<const D: usize> {
    /// First Piola-Kirchhoff stress.
    fn stress(&self, m: &Weighted) -> [[f64; D]; 3];
    /// Projection with the weight of the material.
    fn prox(&self, m: &Weighted) -> [[f64; D]; 3];
}

impl Scalar<3> for [[f64; 3]; 3] {
    fn stress(&self, m: &Weighted) -> [[f64; 3]; 3] {
        solid::stress(&m.elastic, self)
    }
    fn prox(&self, m: &Weighted) -> [[f64; 3]; 3] {
        match m.elastic.law {
            crate::Law::Arap => small::polar3(self).0,
            _ => solid::prox(&m.elastic, self, m.weight),
        }
    }
}

impl Scalar<2> for [[f64; 2]; 3] {
    fn stress(&self, m: &Weighted) -> [[f64; 2]; 3] {
        membrane::stress(&m.elastic, self)
    }
    fn prox(&self, m: &Weighted) -> [[f64; 2]; 3] {
        match m.elastic.law {
            crate::Law::Arap => {
                let d = small::svd32(self);
                std::array::from_fn(|i| {
                    std::array::from_fn(|j| d.u[i][0] * d.v[j][0] + d.u[i][1] * d.v[j][1])
                })
            }
            _ => membrane::prox(&m.elastic, self, m.weight),
        }
    }
}

/// Recomputes the lanes of `failed` in f64.
#[inline(always)]
fn repair<S: Simd, const D: usize>(
    s: S,
    z: &[[S::F; D]; 3],
    p: &mut [[S::F; D]; 3],
    failed: u32,
    mut solve: impl FnMut(usize, &[[f64; D]; 3]) -> [[f64; D]; 3],
) {
    let (mut z_lanes, mut p_lanes) = ([[[0.0; BATCH]; D]; 3], [[[0.0; BATCH]; D]; 3]);
    for i in 0..3 {
        for j in 0..D {
            s.store(z[i][j], &mut z_lanes[i][j]);
            s.store(p[i][j], &mut p_lanes[i][j]);
        }
    }
    for lane in (0..S::LANES).filter(|lane| (failed >> lane) & 1 == 1) {
        let z = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(z_lanes[i][j][lane])));
        let exact = solve(lane, &z);
        for i in 0..3 {
            for j in 0..D {
                p_lanes[i][j][lane] = exact[i][j] as f32;
            }
        }
    }
    for i in 0..3 {
        for j in 0..D {
            p[i][j] = s.load(&p_lanes[i][j]);
        }
    }
}

/// The unit quaternion of a rotation, by its largest component.
fn quaternion(r: &small::Mat3) -> [f64; 4] {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares =
        [1.0 + trace, 1.0 - trace + 2.0 * r[0][0], 1.0 - trace + 2.0 * r[1][1], 1.0 - trace + 2.0 * r[2][2]];
    let skew = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let k = (0..4).max_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap_or(0);
    let mut q = [0.0; 4];
    if k == 0 {
        q = [squares[0], skew[0], skew[1], skew[2]];
    } else {
        let i = k - 1;
        q[0] = skew[i];
        for j in 0..3 {
            q[j + 1] = if i == j { squares[k] } else { r[i][j] + r[j][i] };
        }
    }
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 0.0 { q.map(|c| c / length) } else { [1.0, 0.0, 0.0, 0.0] }
}

/// Sixteen elements side by side.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Batch<const D: usize, T> {
    /// h^2 w V; zero for the padding behind the last element.
    weight: Lanes,
    inverse_rest: [[Lanes; D]; D],
    state: T,
    /// Vertices, numbered within the chunk.
    vertices: [[u16; BATCH]; 4],
}

/// Neighbouring elements of one law.
#[derive(Clone, Debug)]
pub struct Chunk<const D: usize, P: Projection<D>> {
    batches: Vec<Batch<D, P::State>>,
    stiffness: Vec<Stiffness>,
    /// h beta 2 mu V of the stiffness-proportional damping; empty without damping.
    damping: Vec<Lanes>,
    materials: Vec<Weighted>,
    /// The chunk's vertices, in solver order.
    vertices: Vec<u32>,
    /// Their positions, and their displacements in this step.
    positions: Vec<Vec4>,
    displacements: Vec<Vec4>,
    /// Sum of h^2 times the forces of the chunk's elements on its vertices.
    forces: Vec<Vec4>,
}

/// Elements in a chunk: their vertices and forces fit the first-level cache.
pub const CHUNK: usize = 512;

impl<const D: usize, P: Projection<D>> Chunk<D, P>
where
    [[f64; D]; 3]: Scalar<D>,
{
    /// Packs up to [`CHUNK`] elements for time step `h`.
    pub fn new(elements: &[Element<D>], h: f64) -> Chunk<D, P> {
        let mut vertices: Vec<u32> = elements.iter().flat_map(|e| e.vertices[..=D].iter().copied()).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let local = |v: u32| vertices.binary_search(&v).unwrap_or(0) as u16;
        let (mut batches, mut stiffness, mut damping, mut materials) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let damped = elements.iter().any(|e| e.material.elastic.damping > 0.0);
        let elements = spread(elements);
        for group in elements.chunks(BATCH) {
            // Lanes behind the last element repeat it with zero weight.
            let element = |lane: usize| &group[lane.min(group.len() - 1)];
            let lanes =
                |f: &dyn Fn(&Element<D>) -> f64| -> Lanes { std::array::from_fn(|k| f(element(k)) as f32) };
            let mut weight = lanes(&|e| h * h * e.material.weight * e.volume);
            weight[group.len()..].fill(0.0);
            batches.push(Batch {
                weight,
                inverse_rest: std::array::from_fn(|i| {
                    std::array::from_fn(|j| lanes(&|e| e.inverse_rest[i][j]))
                }),
                state: P::start(&[], &[]),
                vertices: std::array::from_fn(|c| {
                    std::array::from_fn(|k| if c <= D { local(element(k).vertices[c]) } else { 0 })
                }),
            });
            stiffness.push(Stiffness {
                mu: lanes(&|e| e.material.elastic.mu / e.material.weight),
                lambda: lanes(&|e| e.material.elastic.lambda / e.material.weight),
            });
            if damped {
                let mut d =
                    lanes(&|e| h * e.material.elastic.damping * 2.0 * e.material.elastic.mu * e.volume);
                d[group.len()..].fill(0.0);
                damping.push(d);
            }
            materials.extend((0..BATCH).map(|k| element(k).material));
        }
        let n = vertices.len();
        Chunk {
            batches,
            stiffness,
            materials,
            positions: vec![Vec4::default(); n],
            displacements: vec![Vec4::default(); if damped { n } else { 0 }],
            forces: vec![Vec4::default(); n],
            damping,
            vertices,
        }
    }
}

/// Deals the elements out to the batches like cards: neighbours, which share vertices, come to different batches, so
/// that the sums of forces do not wait for each other.
fn spread<const D: usize>(elements: &[Element<D>]) -> Vec<Element<D>> {
    let batches = elements.len().div_ceil(BATCH);
    (0..batches).flat_map(|b| elements.iter().skip(b).step_by(batches).copied()).collect()
}

/// The chunks of all laws and element kinds, seen alike.
pub trait LocalStep: std::fmt::Debug + Send + Sync {
    /// Vertices this chunk acts on, in solver order.
    fn vertices(&self) -> &[u32];
    /// h^2 times the forces on [`vertices`](Self::vertices) of the last [`project`](Self::project).
    fn forces(&self) -> &[Vec4];
    /// Starts duals and rotations at positions `q`.
    fn start(&mut self, q: &[Vec4]);
    /// Projects all elements at positions `q` and sums `h^2 w V G^T (p - u - G q)`, less damping of `q - q_t`.
    fn project(&mut self, q: &[Vec4], q_t: &[Vec4]);
    /// Appends the duals to `out` (for the acceleration).
    fn save_duals(&self, out: &mut Vec<f32>);
    /// Takes duals back from the front of `from` and returns the rest.
    fn load_duals<'a>(&mut self, from: &'a [f32]) -> &'a [f32];
}

impl<const D: usize, P: Projection<D>> LocalStep for Chunk<D, P>
where
    P::State: Flat,
    [[f64; D]; 3]: Scalar<D>,
{
    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn forces(&self) -> &[Vec4] {
        &self.forces
    }

    fn start(&mut self, q: &[Vec4]) {
        for (b, batch) in self.batches.iter_mut().enumerate() {
            let f: [[[f64; D]; 3]; BATCH] = std::array::from_fn(|lane| {
                let x = |c: usize| q[self.vertices[batch.vertices[c][lane] as usize] as usize].0;
                let edge = |i: usize, c: usize| x(c + 1)[i] - x(0)[i];
                let inverse = |c: usize, j: usize| f64::from(batch.inverse_rest[c][j][lane]);
                std::array::from_fn(|i| {
                    std::array::from_fn(|j| (0..D).map(|c| edge(i, c) * inverse(c, j)).sum())
                })
            });
            batch.state = P::start(&self.materials[b * BATCH..(b + 1) * BATCH], &f);
        }
    }

    fn project(&mut self, q: &[Vec4], q_t: &[Vec4]) {
        for (x, &v) in self.positions.iter_mut().zip(&self.vertices) {
            *x = q[v as usize];
        }
        for (d, &v) in self.displacements.iter_mut().zip(&self.vertices) {
            *d = q[v as usize].minus(&q_t[v as usize]);
        }
        self.forces.fill(Vec4::default());
        simd::dispatch(ProjectChunk(self));
    }

    fn save_duals(&self, out: &mut Vec<f32>) {
        for b in &self.batches {
            b.state.save(out);
        }
    }

    fn load_duals<'a>(&mut self, mut from: &'a [f32]) -> &'a [f32] {
        for b in &mut self.batches {
            from = b.state.load(from);
        }
        from
    }
}

/// A state as a row of numbers.
pub trait Flat {
    /// Appends the numbers.
    fn save(&self, out: &mut Vec<f32>);
    /// Takes them from the front and returns the rest.
    fn load<'a>(&mut self, from: &'a [f32]) -> &'a [f32];
}

/// Rotations are found anew from any guess: there is nothing to save.
impl Flat for [Lanes; 4] {
    fn save(&self, _: &mut Vec<f32>) {}
    fn load<'a>(&mut self, from: &'a [f32]) -> &'a [f32] {
        from
    }
}

impl<const D: usize> Flat for [[Lanes; D]; 3] {
    fn save(&self, out: &mut Vec<f32>) {
        out.extend(self.iter().flatten().flatten());
    }
    fn load<'a>(&mut self, from: &'a [f32]) -> &'a [f32] {
        let (own, rest) = from.split_at(3 * D * BATCH);
        for (to, &from) in self.iter_mut().flatten().flatten().zip(own) {
            *to = from;
        }
        rest
    }
}

/// The kernel of [`LocalStep::project`].
struct ProjectChunk<'a, const D: usize, P: Projection<D>>(&'a mut Chunk<D, P>);

impl<const D: usize, P: Projection<D>> Kernel for ProjectChunk<'_, D, P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let chunk = self.0;
        let mut edges = [[[0.0f32; 4]; BATCH]; 3];
        let mut pulls = [[[0.0f32; 4]; BATCH]; 3];
        for (b, batch) in chunk.batches.iter_mut().enumerate() {
            gather_edges::<D>(&batch.vertices, &chunk.positions, &mut edges);
            let materials = &chunk.materials[b * BATCH..(b + 1) * BATCH];
            for k in (0..BATCH).step_by(S::LANES) {
                let inverse_rest = load_square(s, &batch.inverse_rest, k);
                let f = gradient::<S, D>(s, &edges, &inverse_rest, k);
                let target = P::target(s, &f, &chunk.stiffness[b], &mut batch.state, k, materials);
                let weight = s.load(&batch.weight[k..]);
                let mut stress = target;
                for i in 0..3 {
                    for j in 0..D {
                        stress[i][j] = s.mul(weight, s.sub(target[i][j], f[i][j]));
                    }
                }
                store_pulls::<S, D>(s, &stress, &inverse_rest, &mut pulls, k);
            }
            scatter_pulls::<D>(&batch.vertices, &pulls, &mut chunk.forces);
        }
        for (b, damping) in chunk.damping.iter().enumerate() {
            let batch = &chunk.batches[b];
            gather_edges::<D>(&batch.vertices, &chunk.displacements, &mut edges);
            for k in (0..BATCH).step_by(S::LANES) {
                let inverse_rest = load_square(s, &batch.inverse_rest, k);
                let mut stress = gradient::<S, D>(s, &edges, &inverse_rest, k);
                let weight = s.neg(s.load(&damping[k..]));
                for i in 0..3 {
                    for j in 0..D {
                        stress[i][j] = s.mul(weight, stress[i][j]);
                    }
                }
                store_pulls::<S, D>(s, &stress, &inverse_rest, &mut pulls, k);
            }
            scatter_pulls::<D>(&batch.vertices, &pulls, &mut chunk.forces);
        }
    }
}

/// Edges from the first vertex of each element: subtracted in f64, so that f32 sees their full precision.
#[inline(always)]
fn gather_edges<const D: usize>(
    vertices: &[[u16; BATCH]; 4],
    x: &[Vec4],
    edges: &mut [[[f32; 4]; BATCH]; 3],
) {
    for lane in 0..BATCH {
        let origin = x[vertices[0][lane] as usize].0;
        for c in 0..D {
            let end = x[vertices[c + 1][lane] as usize].0;
            for k in 0..4 {
                edges[c][lane][k] = (end[k] - origin[k]) as f32;
            }
        }
    }
}

#[inline(always)]
fn load_square<S: Simd, const D: usize>(s: S, m: &[[Lanes; D]; D], k: usize) -> [[S::F; D]; D] {
    let mut out = [[s.splat(0.0); D]; D];
    for i in 0..D {
        for j in 0..D {
            out[i][j] = s.load(&m[i][j][k..]);
        }
    }
    out
}

/// F = edges inverse_rest.
#[inline(always)]
fn gradient<S: Simd, const D: usize>(
    s: S,
    edges: &[[[f32; 4]; BATCH]; 3],
    inverse_rest: &[[S::F; D]; D],
    k: usize,
) -> [[S::F; D]; 3] {
    let mut matrix = [[s.splat(0.0); D]; 3];
    for c in 0..D {
        let edge = s.load_xyz(&edges[c][k..]);
        for i in 0..3 {
            matrix[i][c] = edge[i];
        }
    }
    mul(s, &matrix, inverse_rest)
}

/// The force on the end of each edge: stress inverse_rest^T.
#[inline(always)]
fn store_pulls<S: Simd, const D: usize>(
    s: S,
    stress: &[[S::F; D]; 3],
    inverse_rest: &[[S::F; D]; D],
    pulls: &mut [[[f32; 4]; BATCH]; 3],
    k: usize,
) {
    let pull = pliant_linalg::batch::mul_transposed(s, stress, inverse_rest);
    for c in 0..D {
        s.store_xyz([pull[0][c], pull[1][c], pull[2][c]], &mut pulls[c][k..]);
    }
}

/// Adds the pulls to the ends of the edges and takes them from the first vertex: in f64, so momentum is exact.
#[inline(always)]
fn scatter_pulls<const D: usize>(
    vertices: &[[u16; BATCH]; 4],
    pulls: &[[[f32; 4]; BATCH]; 3],
    forces: &mut [Vec4],
) {
    for lane in 0..BATCH {
        let mut sum = [0.0f64; 4];
        for c in 0..D {
            let force = &mut forces[vertices[c + 1][lane] as usize].0;
            for k in 0..4 {
                let pull = f64::from(pulls[c][lane][k]);
                force[k] += pull;
                sum[k] += pull;
            }
        }
        let origin = &mut forces[vertices[0][lane] as usize].0;
        for k in 0..4 {
            origin[k] -= sum[k];
        }
    }
}
