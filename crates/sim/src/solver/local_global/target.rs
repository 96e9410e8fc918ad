//! Where the local step pulls the deformation gradients of a batch: to the nearest rotation, or to the proximal map with
//! its dual. Lanes that the f32 kernels give up are repaired in scalar f64.

use super::Weighted;
use super::projection::{self as law, Lame, Lanes, Stiffness, StretchLaw};
use crate::material::isotropic::{membrane, solid};
use pliant_linalg::batch::polar;
use pliant_linalg::simd::{BATCH, Simd};
use pliant_linalg::small;
use pliant_mesh::{DMat3, DVec3};

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
        warm_rotation(s, f, state, k)
    }
}

/// The nearest rotations to `f`, found from the quaternions of lanes `k..k + LANES`, which are replaced.
#[inline(always)]
pub(super) fn warm_rotation<S: Simd>(
    s: S,
    f: &[[S::F; 3]; 3],
    state: &mut [Lanes; 4],
    k: usize,
) -> [[S::F; 3]; 3] {
    let q = [s.load(&state[0][k..]), s.load(&state[1][k..]), s.load(&state[2][k..]), s.load(&state[3][k..])];
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

/// A state as a row of numbers.
pub trait Flat {
    /// All numbers.
    fn lanes(&self) -> &[Lanes];
    /// The same, to be replaced.
    fn lanes_mut(&mut self) -> &mut [Lanes];
    /// Turns the dual of a lane.
    fn turn(&mut self, lane: usize, rotation: &DMat3);
    /// Appends the duals.
    fn save(&self, out: &mut Vec<f32>);
    /// Takes them from the front and returns the rest.
    fn load<'a>(&mut self, from: &'a [f32]) -> &'a [f32];
}

/// Rotations are found anew from any guess: there is no dual to save.
impl Flat for [Lanes; 4] {
    fn lanes(&self) -> &[Lanes] {
        self
    }
    fn lanes_mut(&mut self) -> &mut [Lanes] {
        self
    }
    fn turn(&mut self, _: usize, _: &DMat3) {}
    fn save(&self, _: &mut Vec<f32>) {}
    fn load<'a>(&mut self, from: &'a [f32]) -> &'a [f32] {
        from
    }
}

impl<const D: usize> Flat for [[Lanes; D]; 3] {
    fn lanes(&self) -> &[Lanes] {
        self.as_flattened()
    }
    fn lanes_mut(&mut self) -> &mut [Lanes] {
        self.as_flattened_mut()
    }
    fn turn(&mut self, lane: usize, rotation: &DMat3) {
        for column in 0..D {
            let [x, y, z] = std::array::from_fn(|i| f64::from(self[i][column][lane]));
            let turned = (*rotation * DVec3::new(x, y, z)).to_array();
            for (row, turned) in self.iter_mut().zip(turned) {
                row[column][lane] = turned as f32;
            }
        }
    }
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
