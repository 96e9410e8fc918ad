//! The local step on a patch of neighbouring elements of one law, in SIMD batches of sixteen.
//!
//! A chunk copies the positions of its vertices next to each other, projects its elements, and sums the forces of its
//! elements per vertex, all inside the first-level cache. Chunks are independent; the order of the sums is fixed.

use super::projection::{Lanes, Stiffness};
use super::target::{Flat, Projection, Scalar};
use super::{Vec4, Weighted};
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_linalg::batch::mul;
use pliant_linalg::simd::{self, BATCH, Kernel, Simd};
use pliant_mesh::DMat3;
use std::collections::HashSet;
use std::sync::Arc;

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

/// Sixteen elements side by side.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Batch<const D: usize, T> {
    /// h^2 w V; zero for the padding behind the last element.
    pub weight: Lanes,
    /// Inverses of the rest edge matrices.
    pub inverse_rest: [[Lanes; D]; D],
    /// What the law remembers.
    pub state: T,
    /// Vertices, numbered within the chunk.
    pub vertices: [[u16; BATCH]; 4],
}

/// The elements of a chunk in batches.
pub(super) struct Packed<const D: usize, T> {
    /// The elements; lanes behind the last one repeat it with zero weight.
    pub batches: Vec<Batch<D, T>>,
    /// Lamé constants of each batch.
    pub stiffness: Arc<[Stiffness]>,
    /// h beta 2 mu V of the stiffness-proportional damping; empty without damping.
    pub damping: Arc<[Lanes]>,
    /// The material of each lane.
    pub materials: Arc<[Weighted]>,
    /// The chunk's vertices, in solver order.
    pub vertices: Arc<[u32]>,
}

/// Neighbouring elements of one law. Copies share what never changes, but for what lies between the moving numbers of a batch.
#[derive(Clone, Debug)]
pub struct Chunk<const D: usize, P: Projection<D>> {
    batches: Vec<Batch<D, P::State>>,
    stiffness: Arc<[Stiffness]>,
    /// h beta 2 mu V of the stiffness-proportional damping; empty without damping.
    damping: Arc<[Lanes]>,
    materials: Arc<[Weighted]>,
    /// The chunk's vertices, in solver order.
    vertices: Arc<[u32]>,
    /// Their positions, and their displacements in this step if there is damping.
    positions: Box<Slots>,
    displacements: Option<Box<Slots>>,
    /// Sum of h^2 times the forces of the chunk's elements on its vertices.
    forces: Box<Slots>,
}

/// Most elements in a chunk: their vertices and forces fit the first-level cache.
const CHUNK: usize = 512;

/// Most vertices in a chunk.
const SLOTS: usize = 512;

/// A vector for each vertex of a chunk. Of a fixed length, so that masked indices need no check in the inner loops.
pub(super) type Slots = [Vec4; SLOTS];

/// A zero for each vertex.
pub(super) fn empty_slots() -> Box<Slots> {
    Box::new([Vec4::default(); SLOTS])
}

/// Cuts elements, in their order, into runs that fit a chunk.
pub fn runs<const D: usize>(elements: &[Element<D>]) -> Vec<&[Element<D>]> {
    let (mut runs, mut rest) = (Vec::new(), elements);
    while !rest.is_empty() {
        let mut vertices = HashSet::<u32>::new();
        let fits = |e: &&Element<D>| {
            vertices.extend(&e.vertices[..=D]);
            vertices.len() <= SLOTS
        };
        let (run, others) = rest.split_at(rest.iter().take(CHUNK).take_while(fits).count());
        runs.push(run);
        rest = others;
    }
    runs
}

impl<const D: usize, P: Projection<D>> Chunk<D, P>
where
    [[f64; D]; 3]: Scalar<D>,
{
    /// Packs one of the [`runs`] of elements for time step `h`.
    pub fn new(elements: &[Element<D>], h: f64) -> Chunk<D, P> {
        let Packed { batches, stiffness, damping, materials, vertices } =
            Packed::new(elements, h, || P::start(&[], &[]));
        Chunk {
            batches,
            stiffness,
            materials,
            positions: empty_slots(),
            displacements: (!damping.is_empty()).then(empty_slots),
            forces: empty_slots(),
            damping,
            vertices,
        }
    }
}

impl<const D: usize, T> Packed<D, T> {
    /// Packs one of the [`runs`] of elements for time step `h`, each batch with the state that `start` gives.
    pub fn new(elements: &[Element<D>], h: f64, start: impl Fn() -> T) -> Packed<D, T> {
        let mut vertices: Vec<u32> = elements.iter().flat_map(|e| e.vertices[..=D].iter().copied()).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let local = |v: u32| vertices.binary_search(&v).expect("a vertex of the run") as u16;
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
                state: start(),
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
        Packed {
            batches,
            stiffness: stiffness.into(),
            damping: damping.into(),
            materials: materials.into(),
            vertices: vertices.into(),
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
pub(super) trait LocalStep: std::fmt::Debug + Send + Sync {
    /// A copy that continues as this one would.
    fn duplicate(&self) -> Box<dyn LocalStep>;
    /// Vertices this chunk acts on, in solver order.
    fn vertices(&self) -> &[u32];
    /// h^2 times the forces on [`vertices`](Self::vertices) of the last [`project`](Self::project).
    fn forces(&self) -> &[Vec4];
    /// Starts duals and rotations at positions `q`.
    fn start(&mut self, q: &[Vec4]);
    /// Projects all elements at positions `q` and sums `h^2 w V G^T (p - u - G q)`, less damping of `q - q_t`.
    fn project(&mut self, q: &[Vec4], q_t: &[Vec4]);
    /// Writes everything that an iteration leaves to the next one.
    fn save(&self, out: &mut Writer);
    /// Takes over what [`save`](Self::save) wrote.
    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError>;
    /// Turns the duals of each element by the rotation that `of_row` gives for one of its vertices, if there is one.
    /// Rotations that are remembered are guesses, and stay.
    fn turn(&mut self, _of_row: &dyn Fn(u32) -> Option<DMat3>) {}
    /// Appends the duals to `out` (for the acceleration).
    fn save_duals(&self, out: &mut Vec<f32>);
    /// Takes duals back from the front of `from` and returns the rest.
    fn load_duals<'a>(&mut self, from: &'a [f32]) -> &'a [f32];
}

impl Clone for Box<dyn LocalStep> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}

impl<const D: usize, P: Projection<D>> LocalStep for Chunk<D, P>
where
    P::State: Flat,
    [[f64; D]; 3]: Scalar<D>,
{
    fn duplicate(&self) -> Box<dyn LocalStep> {
        Box::new(self.clone())
    }

    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn forces(&self) -> &[Vec4] {
        &self.forces[..self.vertices.len()]
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
        for (x, &v) in self.positions.iter_mut().zip(self.vertices.iter()) {
            *x = q[v as usize];
        }
        for (d, &v) in self.displacements.iter_mut().flat_map(|d| d.iter_mut()).zip(self.vertices.iter()) {
            *d = q[v as usize] - q_t[v as usize];
        }
        self.forces[..self.vertices.len()].fill(Vec4::default());
        simd::dispatch(ProjectChunk(self));
    }

    fn save(&self, out: &mut Writer) {
        self.batches.iter().for_each(|b| out.f32s(b.state.lanes().as_flattened()));
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        let mut each = self.batches.iter_mut();
        each.try_for_each(|b| from.f32s_into("numbers of a batch", b.state.lanes_mut().as_flattened_mut()))
    }

    fn turn(&mut self, of_row: &dyn Fn(u32) -> Option<DMat3>) {
        for batch in &mut self.batches {
            for lane in 0..BATCH {
                let rows = (0..=D).map(|c| self.vertices[batch.vertices[c][lane] as usize]);
                if let Some(rotation) = rows.into_iter().find_map(of_row) {
                    batch.state.turn(lane, &rotation);
                }
            }
        }
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
                let inverse_rest = load_matrix(s, &batch.inverse_rest, k);
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
        let Some(displacements) = &chunk.displacements else { return };
        for (batch, damping) in chunk.batches.iter().zip(chunk.damping.iter()) {
            gather_edges::<D>(&batch.vertices, displacements, &mut edges);
            for k in (0..BATCH).step_by(S::LANES) {
                let inverse_rest = load_matrix(s, &batch.inverse_rest, k);
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

/// The index of a vertex within its chunk, in a form that the compiler knows to be below [`SLOTS`].
#[inline(always)]
fn slot(v: u16) -> usize {
    v as usize % SLOTS
}

/// Edges from the first vertex of each element: subtracted in f64, so that f32 sees their full precision.
#[inline(always)]
pub(super) fn gather_edges<const D: usize>(
    vertices: &[[u16; BATCH]; 4],
    x: &Slots,
    edges: &mut [[[f32; 4]; BATCH]; 3],
) {
    for lane in 0..BATCH {
        let origin = x[slot(vertices[0][lane])].0;
        for c in 0..D {
            let end = x[slot(vertices[c + 1][lane])].0;
            for k in 0..4 {
                edges[c][lane][k] = (end[k] - origin[k]) as f32;
            }
        }
    }
}

/// Lanes `k..k + LANES` of the matrices of a batch.
#[inline(always)]
pub(super) fn load_matrix<S: Simd, const R: usize, const C: usize>(
    s: S,
    m: &[[Lanes; C]; R],
    k: usize,
) -> [[S::F; C]; R] {
    let mut out = [[s.splat(0.0); C]; R];
    for i in 0..R {
        for j in 0..C {
            out[i][j] = s.load(&m[i][j][k..]);
        }
    }
    out
}

/// F = edges inverse_rest.
#[inline(always)]
pub(super) fn gradient<S: Simd, const D: usize>(
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
pub(super) fn store_pulls<S: Simd, const D: usize>(
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
pub(super) fn scatter_pulls<const D: usize>(
    vertices: &[[u16; BATCH]; 4],
    pulls: &[[[f32; 4]; BATCH]; 3],
    forces: &mut Slots,
) {
    for lane in 0..BATCH {
        let mut sum = [0.0f64; 4];
        for c in 0..D {
            let force = &mut forces[slot(vertices[c + 1][lane])].0;
            for k in 0..4 {
                let pull = f64::from(pulls[c][lane][k]);
                force[k] += pull;
                sum[k] += pull;
            }
        }
        let origin = &mut forces[slot(vertices[0][lane])].0;
        for k in 0..4 {
            origin[k] -= sum[k];
        }
    }
}
