//! Forces and Hessian products of a patch of neighbouring elements of one law, in SIMD batches of sixteen.

use super::ElasticChunk;
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::local_global::Vec4;
use crate::solver::local_global::chunk::{
    Batch, Element, Packed, Slots, empty_slots, gather_edges, gradient, load_matrix, scatter_pulls,
    store_pulls,
};
use crate::solver::local_global::projection::{Lame, Lanes, Stiffness};
use pliant_linalg::simd::{self, BATCH, Kernel, Simd};
use std::sync::Arc;

/// A law of elements with D edges. Stresses are divided by the weight w, so that f32 sees numbers near one.
///
/// Everything is finite for collapsed and inverted elements, as long as stretches are at most 1e5.
pub(super) trait Elasticity<const D: usize>: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// What is remembered for a batch: from `stress` to `derivative`, and from one step to the next.
    type State: Clone + std::fmt::Debug + Send + Sync;

    /// The state before the first `stress`.
    fn start() -> Self::State;

    /// First Piola-Kirchhoff stress P(F) / w of lanes `k..k + LANES`.
    fn stress<S: Simd>(
        s: S,
        m: &Lame<S>,
        f: &[[S::F; D]; 3],
        state: &mut Self::State,
        k: usize,
    ) -> [[S::F; D]; 3];

    /// The change dP / w with `df` at the F of the last `stress`.
    fn derivative<S: Simd>(
        s: S,
        m: &Lame<S>,
        df: &[[S::F; D]; 3],
        state: &Self::State,
        k: usize,
    ) -> [[S::F; D]; 3];

    /// J of the last `stress` and of the accepted positions, for laws that forbid inversion.
    fn volumes(_state: &Self::State) -> Option<&Volumes> {
        None
    }

    /// Accepts the J of the last `stress`.
    fn accept(_state: &mut Self::State) {}

    /// The part of the state that the next step depends on.
    fn lasting(_state: &Self::State) -> &[Lanes] {
        &[]
    }

    /// The same, to be replaced.
    fn lasting_mut(_state: &mut Self::State) -> &mut [Lanes] {
        &mut []
    }
}

/// What of J may be rounding.
const ROUNDING: f32 = 1e-6;

/// Volume ratios of a batch.
#[derive(Clone, Debug)]
pub(super) struct Volumes {
    /// At the last positions.
    pub last: Lanes,
    /// At the accepted positions; zero before there are any.
    pub accepted: Lanes,
}

impl Volumes {
    pub const START: Volumes = Volumes { last: [1.0; BATCH], accepted: [0.0; BATCH] };

    /// `J / min(J_accepted, 1)`, nothing where J may be rounding, infinite where the accepted J is not positive.
    #[inline(always)]
    fn ratio<S: Simd>(&self, s: S, k: usize) -> S::F {
        let (last, accepted) = (s.load(&self.last[k..]), s.load(&self.accepted[k..]));
        let ratio = s.div(last, s.min(accepted, s.splat(1.0)));
        let ratio = s.select(s.lt(last, s.splat(ROUNDING)), s.splat(0.0), ratio);
        s.select(s.lt(s.splat(0.0), accepted), ratio, s.splat(f32::INFINITY))
    }
}

/// Neighbouring elements of one law. Copies share what never changes, but for what lies between the moving numbers of a batch.
#[derive(Clone, Debug)]
pub(super) struct SingleChunk<const D: usize, P: Elasticity<D>> {
    batches: Vec<Batch<D, P::State>>,
    stiffness: Arc<[Stiffness]>,
    /// h beta 2 mu V of the stiffness-proportional damping; empty without damping.
    damping: Arc<[Lanes]>,
    /// The chunk's vertices, in solver order.
    vertices: Arc<[u32]>,
    /// Their positions or directions, and their displacements in this step if there is damping.
    positions: Box<Slots>,
    displacements: Option<Box<Slots>>,
    forces: Box<Slots>,
}

impl<const D: usize, P: Elasticity<D>> SingleChunk<D, P> {
    /// Packs one of the [`runs`](crate::solver::local_global::chunk::runs) of elements for time step `h`.
    pub fn new(elements: &[Element<D>], h: f64) -> Self {
        let Packed { batches, stiffness, damping, vertices, .. } = Packed::new(elements, h, P::start);
        SingleChunk {
            batches,
            stiffness,
            positions: empty_slots(),
            displacements: (!damping.is_empty()).then(empty_slots),
            forces: empty_slots(),
            damping,
            vertices,
        }
    }

    fn gather(&mut self, x: &[Vec4]) {
        for (to, &v) in self.positions.iter_mut().zip(self.vertices.iter()) {
            *to = x[v as usize];
        }
        self.forces[..self.vertices.len()].fill(Vec4::default());
    }
}

impl<const D: usize, P: Elasticity<D>> ElasticChunk for SingleChunk<D, P> {
    fn duplicate(&self) -> Box<dyn ElasticChunk> {
        Box::new(self.clone())
    }

    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn forces(&self) -> &[Vec4] {
        &self.forces[..self.vertices.len()]
    }

    fn evaluate(&mut self, q: &[Vec4], q_t: &[Vec4]) -> f64 {
        self.gather(q);
        for (d, &v) in self.displacements.iter_mut().flat_map(|d| d.iter_mut()).zip(self.vertices.iter()) {
            *d = q[v as usize] - q_t[v as usize];
        }
        simd::dispatch(Evaluate(self))
    }

    fn accept(&mut self) {
        self.batches.iter_mut().for_each(|b| P::accept(&mut b.state));
    }

    fn product(&mut self, p: &[Vec4]) {
        self.gather(p);
        simd::dispatch(Product(self));
    }

    fn save(&self, out: &mut Writer) {
        self.batches.iter().for_each(|b| out.f32s(P::lasting(&b.state).as_flattened()));
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        let mut each = self.batches.iter_mut();
        each.try_for_each(|b| {
            from.f32s_into("numbers of a batch", P::lasting_mut(&mut b.state).as_flattened_mut())
        })
    }
}

/// The kernel of [`ElasticChunk::evaluate`].
struct Evaluate<'a, const D: usize, P: Elasticity<D>>(&'a mut SingleChunk<D, P>);

impl<const D: usize, P: Elasticity<D>> Kernel for Evaluate<'_, D, P> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f64 {
        let chunk = self.0;
        let mut edges = [[[0.0f32; 4]; BATCH]; 3];
        let mut rates = [[[0.0f32; 4]; BATCH]; 3];
        let mut pulls = [[[0.0f32; 4]; BATCH]; 3];
        let mut least = s.splat(f32::INFINITY);
        for (b, batch) in chunk.batches.iter_mut().enumerate() {
            gather_edges::<D>(&batch.vertices, &chunk.positions, &mut edges);
            if let Some(displacements) = &chunk.displacements {
                gather_edges::<D>(&batch.vertices, displacements, &mut rates);
            }
            for k in (0..BATCH).step_by(S::LANES) {
                let inverse_rest = load_matrix(s, &batch.inverse_rest, k);
                let f = gradient::<S, D>(s, &edges, &inverse_rest, k);
                let m = load_lame(s, &chunk.stiffness[b], k);
                let mut stress = P::stress(s, &m, &f, &mut batch.state, k);
                if let Some(volumes) = P::volumes(&batch.state) {
                    least = s.min(volumes.ratio(s, k), least);
                }
                scale(s, s.neg(s.load(&batch.weight[k..])), &mut stress);
                if let Some(damping) = chunk.damping.get(b) {
                    let rate = gradient::<S, D>(s, &rates, &inverse_rest, k);
                    add(s, &mut stress, s.neg(s.load(&damping[k..])), &rate);
                }
                store_pulls::<S, D>(s, &stress, &inverse_rest, &mut pulls, k);
            }
            scatter_pulls::<D>(&batch.vertices, &pulls, &mut chunk.forces);
        }
        let mut lanes = [f32::INFINITY; BATCH];
        s.store(least, &mut lanes);
        f64::from(lanes.into_iter().fold(f32::INFINITY, f32::min))
    }
}

/// The kernel of [`ElasticChunk::product`].
struct Product<'a, const D: usize, P: Elasticity<D>>(&'a mut SingleChunk<D, P>);

impl<const D: usize, P: Elasticity<D>> Kernel for Product<'_, D, P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let chunk = self.0;
        let mut edges = [[[0.0f32; 4]; BATCH]; 3];
        let mut pulls = [[[0.0f32; 4]; BATCH]; 3];
        for (b, batch) in chunk.batches.iter().enumerate() {
            gather_edges::<D>(&batch.vertices, &chunk.positions, &mut edges);
            for k in (0..BATCH).step_by(S::LANES) {
                let inverse_rest = load_matrix(s, &batch.inverse_rest, k);
                let df = gradient::<S, D>(s, &edges, &inverse_rest, k);
                let m = load_lame(s, &chunk.stiffness[b], k);
                let mut stress = P::derivative(s, &m, &df, &batch.state, k);
                scale(s, s.load(&batch.weight[k..]), &mut stress);
                if let Some(damping) = chunk.damping.get(b) {
                    add(s, &mut stress, s.load(&damping[k..]), &df);
                }
                store_pulls::<S, D>(s, &stress, &inverse_rest, &mut pulls, k);
            }
            scatter_pulls::<D>(&batch.vertices, &pulls, &mut chunk.forces);
        }
    }
}

#[inline(always)]
fn load_lame<S: Simd>(s: S, stiffness: &Stiffness, k: usize) -> Lame<S> {
    Lame { mu: s.load(&stiffness.mu[k..]), lambda: s.load(&stiffness.lambda[k..]) }
}

/// `a <- factor a`
#[inline(always)]
pub(super) fn scale<S: Simd, const R: usize, const C: usize>(s: S, factor: S::F, a: &mut [[S::F; C]; R]) {
    for row in a {
        for x in row {
            *x = s.mul(factor, *x);
        }
    }
}

/// `a <- a + factor b`
#[inline(always)]
pub(super) fn add<S: Simd, const R: usize, const C: usize>(
    s: S,
    a: &mut [[S::F; C]; R],
    factor: S::F,
    b: &[[S::F; C]; R],
) {
    for i in 0..R {
        for j in 0..C {
            a[i][j] = s.fma(factor, b[i][j], a[i][j]);
        }
    }
}

/// Takes out of the stress P what turns its element: `P F^T` is symmetric but for rounding, which is relative to the
/// stiffness, not to P. Nothing else resists that torque where a body can turn or a cloth can bend: a stiff one would spin.
///
/// `P <- P - [w]x F` with `K w = axial(P F^T - F P^T)`, K = tr(S) I - S, S = F F^T.
#[inline(always)]
pub(super) fn balance<S: Simd, const D: usize>(s: S, f: &[[S::F; D]; 3], stress: &mut [[S::F; D]; 3]) {
    let axial = [
        s.sub(dot(s, &stress[2], &f[1]), dot(s, &stress[1], &f[2])),
        s.sub(dot(s, &stress[0], &f[2]), dot(s, &stress[2], &f[0])),
        s.sub(dot(s, &stress[1], &f[0]), dot(s, &stress[0], &f[1])),
    ];
    let [s00, s11, s22] = [dot(s, &f[0], &f[0]), dot(s, &f[1], &f[1]), dot(s, &f[2], &f[2])];
    let k = [
        s.add(s11, s22),
        s.add(s00, s22),
        s.add(s00, s11),
        s.neg(dot(s, &f[0], &f[1])),
        s.neg(dot(s, &f[0], &f[2])),
        s.neg(dot(s, &f[1], &f[2])),
    ];
    let [k00, k11, k22, k01, k02, k12] = inverse(s, k);
    let [x, y, z] = [
        dot(s, &[k00, k01, k02], &axial),
        dot(s, &[k01, k11, k12], &axial),
        dot(s, &[k02, k12, k22], &axial),
    ];
    for j in 0..D {
        stress[0][j] = s.fnma(y, f[2][j], s.fma(z, f[1][j], stress[0][j]));
        stress[1][j] = s.fnma(z, f[0][j], s.fma(x, f[2][j], stress[1][j]));
        stress[2][j] = s.fnma(x, f[1][j], s.fma(y, f[0][j], stress[2][j]));
    }
}

/// `a . b`
#[inline(always)]
fn dot<S: Simd, const N: usize>(s: S, a: &[S::F; N], b: &[S::F; N]) -> S::F {
    let mut sum = s.mul(a[0], b[0]);
    for j in 1..N {
        sum = s.fma(a[j], b[j], sum);
    }
    sum
}

/// det K has at least this ratio to (tr K)^3 where K is inverted.
const SINGULAR: f32 = 1e-5;

/// The inverse of a symmetric positive K, entries 00, 11, 22, 01, 02, 12; finite where it is singular.
#[inline(always)]
pub(super) fn inverse<S: Simd>(s: S, [k00, k11, k22, k01, k02, k12]: [S::F; 6]) -> [S::F; 6] {
    let adjugate = [
        s.fnma(k12, k12, s.mul(k11, k22)),
        s.fnma(k02, k02, s.mul(k00, k22)),
        s.fnma(k01, k01, s.mul(k00, k11)),
        s.fnma(k01, k22, s.mul(k02, k12)),
        s.fnma(k02, k11, s.mul(k01, k12)),
        s.fnma(k00, k12, s.mul(k01, k02)),
    ];
    let det = s.fma(k00, adjugate[0], s.fma(k01, adjugate[3], s.mul(k02, adjugate[4])));
    let trace = s.add(k00, s.add(k11, k22));
    let least = s.fma(s.splat(SINGULAR), s.mul(trace, s.mul(trace, trace)), s.splat(1e-9));
    let inverse = s.div(s.splat(1.0), s.max(det, least));
    let mut result = adjugate;
    for entry in &mut result {
        *entry = s.mul(*entry, inverse);
    }
    result
}

/// `a : b`, the sum of the products of the entries, row by row.
#[inline(always)]
pub(super) fn contract<S: Simd, const R: usize, const C: usize>(
    s: S,
    a: &[[S::F; C]; R],
    b: &[[S::F; C]; R],
) -> S::F {
    // A sum per column: R short chains instead of one long one.
    let mut total = s.splat(0.0);
    for j in 0..C {
        let mut sum = s.mul(a[0][j], b[0][j]);
        for i in 1..R {
            sum = s.fma(a[i][j], b[i][j], sum);
        }
        total = if j == 0 { sum } else { s.add(total, sum) };
    }
    total
}

/// `a^T b`
#[inline(always)]
pub(super) fn transposed_mul<S: Simd, const D: usize>(
    s: S,
    a: &[[S::F; D]; 3],
    b: &[[S::F; D]; 3],
) -> [[S::F; D]; D] {
    let mut out = [[s.splat(0.0); D]; D];
    for i in 0..D {
        for j in 0..D {
            out[i][j] = s.fma(a[2][i], b[2][j], s.fma(a[1][i], b[1][j], s.mul(a[0][i], b[0][j])));
        }
    }
    out
}

/// Writes matrices to lanes `k..k + LANES` of a batch.
#[inline(always)]
pub(super) fn store_matrix<S: Simd, const R: usize, const C: usize>(
    s: S,
    a: &[[S::F; C]; R],
    to: &mut [[Lanes; C]; R],
    k: usize,
) {
    for i in 0..R {
        for j in 0..C {
            s.store(a[i][j], &mut to[i][j][k..]);
        }
    }
}
