//! The batched kernels against the scalar f64 ones, at every vector width, well-behaved and not.

use super::*;
use crate::simd::{BATCH, Kernel, Level, dispatch_at};
use crate::small;

/// Test matrices `Q1 diag(sigma) Q2` with rotations from a fixed sequence.
fn matrices(stretches: &[[f64; 3]]) -> Vec<small::Mat3> {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let mut rotation = move || {
        let m: small::Mat3 = std::array::from_fn(|_| std::array::from_fn(|_| random()));
        small::polar3(&m).0
    };
    let mut all = Vec::new();
    for sigma in stretches {
        for _ in 0..BATCH {
            let (a, b) = (rotation(), rotation());
            let scaled: small::Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] * sigma[j]));
            all.push(small::mul(&scaled, &b));
        }
    }
    all
}

struct Decompose<'a>(&'a [small::Mat3], &'a mut Vec<(small::Mat3, [f64; 3], bool)>);

impl Kernel for Decompose<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for group in self.0.chunks(S::LANES) {
            let f = load(s, group);
            let d = svd(s, &f);
            let mut scaled = d.u;
            for row in &mut scaled {
                for j in 0..3 {
                    row[j] = s.mul(row[j], d.sigma[j]);
                }
            }
            let back = store(s, &mul_transposed(s, &scaled, &d.v));
            let sigma = store(s, &[d.sigma; 3]);
            for lane in 0..group.len() {
                self.1.push((back[lane], sigma[lane][0], (d.degenerate >> lane) & 1 == 1));
            }
        }
    }
}

struct Polar<'a>(&'a [small::Mat3], &'a mut Vec<(small::Mat3, bool)>);

impl Kernel for Polar<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for group in self.0.chunks(S::LANES) {
            let zero = s.splat(0.0);
            let (r, _, failed) = polar(s, &load(s, group), [s.splat(1.0), zero, zero, zero]);
            let r = store(s, &r);
            self.1.extend((0..group.len()).map(|lane| (r[lane], (failed >> lane) & 1 == 1)));
        }
    }
}

#[inline(always)]
fn load<S: Simd>(s: S, group: &[small::Mat3]) -> Mat3<S> {
    let mut f = [[s.splat(0.0); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let mut lanes = [0.0; BATCH];
            for (lane, m) in lanes.iter_mut().zip(group) {
                *lane = m[i][j] as f32;
            }
            f[i][j] = s.load(&lanes);
        }
    }
    f
}

#[inline(always)]
fn store<S: Simd>(s: S, m: &Mat3<S>) -> [small::Mat3; BATCH] {
    let mut out = [[[0.0; 3]; 3]; BATCH];
    for i in 0..3 {
        for j in 0..3 {
            let mut lanes = [0.0; BATCH];
            s.store(m[i][j], &mut lanes);
            for (o, lane) in out.iter_mut().zip(lanes) {
                o[i][j] = f64::from(lane);
            }
        }
    }
    out
}

fn distance(a: &small::Mat3, b: &small::Mat3) -> f64 {
    (0..9).map(|k| (a[k / 3][k % 3] - b[k / 3][k % 3]).abs()).fold(0.0, f64::max)
}

const LEVELS: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

#[test]
fn svd_reconstructs_and_orders() {
    let stretches = [
        [1.0, 1.0, 1.0],
        [1.3, 1.0, 0.7],
        [3.0, 0.5, 0.2],
        [1.1, 0.9, -0.4],
        [2.0, 1.0, 0.0],
        [1.0, 1.0, -1.0],
        [5.0, 0.1, 0.05],
    ];
    let f = matrices(&stretches);
    for level in LEVELS {
        let mut out = Vec::new();
        let Some(()) = dispatch_at(level, Decompose(&f, &mut out)) else { continue };
        for (k, (back, sigma, degenerate)) in out.iter().enumerate() {
            let want = small::svd3(&f[k]).sigma;
            assert!(!degenerate, "{level:?} {want:?}");
            assert!(distance(back, &f[k]) < 4e-6 * want[0], "{level:?} {want:?}: {}", distance(back, &f[k]));
            for j in 0..3 {
                assert!(
                    (sigma[j] - want[j]).abs() < 4e-6 * want[0],
                    "{level:?}: {sigma:?} instead of {want:?}"
                );
            }
        }
    }
}

#[test]
fn svd_flags_collapsed_matrices() {
    let f = matrices(&[[1.0, 1e-5, 0.0], [0.0, 0.0, 0.0]]);
    for level in LEVELS {
        let mut out = Vec::new();
        if dispatch_at(level, Decompose(&f, &mut out)).is_some() {
            assert!(out.iter().all(|o| o.2));
        }
    }
}

/// `f` with its rotation replaced by one of half a radian about an axis that depends on it.
fn slightly_turned(f: &small::Mat3) -> small::Mat3 {
    let (r, stretch) = small::polar3(f);
    let axis = r[0];
    let (sin, cos) = 0.5f64.sin_cos();
    let cross = [[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]];
    let turn: small::Mat3 = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let unit = if i == j { cos } else { 0.0 };
            unit + sin * cross[i][j] + (1.0 - cos) * axis[i] * axis[j]
        })
    });
    small::mul(&turn, &stretch)
}

#[test]
fn polar_finds_the_rotation_or_says_that_it_did_not() {
    let regular = [[1.0, 1.0, 1.0], [1.5, 1.0, 0.6], [2.0, 0.7, 0.3]];
    let singular = [[1.0, 0.8, -0.8], [1.0, 0.0, 0.0]];
    let near: Vec<_> = matrices(&regular).iter().map(slightly_turned).collect();
    let all: Vec<_> = near.iter().copied().chain(matrices(&regular)).chain(matrices(&singular)).collect();
    for level in LEVELS {
        let mut out = Vec::new();
        let Some(()) = dispatch_at(level, Polar(&all, &mut out)) else { continue };
        for (k, (r, failed)) in out.iter().enumerate() {
            if k < near.len() {
                assert!(!failed, "{level:?}: matrix {k} is close to the guess");
            }
            if k >= all.len() - singular.len() * BATCH {
                assert!(failed, "{level:?}: matrix {k} has no unique rotation");
            }
            let error = distance(r, &small::polar3(&all[k]).0);
            assert!(*failed || error < 3e-6, "{level:?}: matrix {k} is off by {error}");
        }
    }
}
