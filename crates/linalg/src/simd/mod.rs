//! f32 vectors whose width is chosen at run time: AVX-512 (16 lanes), AVX2 (8), otherwise portable code (4).
//!
//! A hot loop is written once as a [`Kernel`], generic over [`Simd`], and [`dispatch`] runs it with the widest vectors
//! of the machine. Everything a kernel calls must be `#[inline(always)]`, so that it is compiled for those vectors; what
//! cannot be marked so (a closure called in several places, `std::array::from_fn`, `map`) does not belong around vectors.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use portable::Portable;

/// Elements of a batch: data layouts use this width on every machine.
pub const BATCH: usize = 16;

/// Vector operations on `LANES` numbers. Masks select lanes.
pub trait Simd: Copy + Send + Sync + 'static {
    /// Numbers in a vector; divides [`BATCH`].
    const LANES: usize;
    /// A vector of numbers.
    type F: Copy;
    /// A vector of truth values.
    type M: Copy;

    /// All lanes `x`.
    fn splat(self, x: f32) -> Self::F;
    /// The first `LANES` values of `x`; panics if there are fewer.
    fn load(self, x: &[f32]) -> Self::F;
    /// Writes to the first `LANES` values of `x`; panics if there are fewer.
    fn store(self, v: Self::F, x: &mut [f32]);
    /// `a + b`
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a / b`
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once where the machine can.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `c - a * b`, rounded once where the machine can.
    fn fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The larger of each lane.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smaller of each lane.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// Square root.
    fn sqrt(self, a: Self::F) -> Self::F;
    /// `1 / sqrt(a)` to about 23 bits, for normal positive `a`.
    fn rsqrt(self, a: Self::F) -> Self::F;
    /// `a < b`
    fn lt(self, a: Self::F, b: Self::F) -> Self::M;
    /// Where `m`, `a`, elsewhere `b`.
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Bit i is lane i.
    fn bits(self, m: Self::M) -> u32;
    /// `(m, e)` with `a = m 2^e` and `1 <= m < 2`, for normal positive `a`.
    fn frexp(self, a: Self::F) -> (Self::F, Self::F);
    /// Writes `[x, y, z, 0]` of each lane to the first `LANES` entries of `out`; panics if there are fewer.
    fn store_xyz(self, v: [Self::F; 3], out: &mut [[f32; 4]]);
    /// The x, y and z of the first `LANES` entries of `data`; panics if there are fewer.
    fn load_xyz(self, data: &[[f32; 4]]) -> [Self::F; 3];

    /// Sum of the lanes, pairwise from the outer halves inwards on every machine.
    #[inline(always)]
    fn sum(self, a: Self::F) -> f32 {
        let mut lanes = [0.0; BATCH];
        self.store(a, &mut lanes);
        let mut width = Self::LANES / 2;
        while width > 0 {
            for k in 0..width {
                lanes[k] += lanes[k + width];
            }
            width /= 2;
        }
        lanes[0]
    }

    /// Asks for the cache line `ahead` numbers behind the start of `x`, which may lie outside of it.
    #[inline(always)]
    fn prefetch(self, _x: &[f32], _ahead: usize) {}

    /// `-a`
    #[inline(always)]
    fn neg(self, a: Self::F) -> Self::F {
        self.sub(self.splat(0.0), a)
    }

    /// `|a|`
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        self.max(a, self.neg(a))
    }

    /// Natural logarithm of normal positive numbers, relative error about 2e-7 (absolute near 1).
    #[inline(always)]
    fn ln(self, a: Self::F) -> Self::F {
        // m in [sqrt(1/2), sqrt(2)), so that ln m keeps its relative accuracy near 1.
        let (m, e) = self.frexp(a);
        let high = self.lt(self.splat(std::f32::consts::SQRT_2), m);
        let m = self.select(high, self.mul(m, self.splat(0.5)), m);
        let e = self.select(high, self.add(e, self.splat(1.0)), e);
        // ln m = 2 artanh(s), s = (m - 1)/(m + 1), |s| < 0.172: the odd series needs terms up to s^9.
        let one = self.splat(1.0);
        let s = self.div(self.sub(m, one), self.add(m, one));
        let s2 = self.mul(s, s);
        let mut p = self.splat(2.0 / 9.0);
        for c in [2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0] {
            p = self.fma(p, s2, self.splat(c));
        }
        self.fma(e, self.splat(std::f32::consts::LN_2), self.mul(p, s))
    }
}

/// A loop that runs with any vector width.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The loop; implementations must be `#[inline(always)]`.
    fn run<S: Simd>(self, s: S) -> Self::Output;
}

/// The instruction sets there is code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// 16 lanes.
    Avx512,
    /// 8 lanes.
    Avx2,
    /// 4 lanes in portable code (NEON on aarch64, SSE2 on x86-64).
    Portable,
}

/// The widest level of this machine.
pub fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        // The macro caches what it finds, so this costs a few loads.
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
            return if wide { Level::Avx512 } else { Level::Avx2 };
        }
    }
    Level::Portable
}

/// Runs a kernel with the widest vectors of this machine.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    match level() {
        // SAFETY: `level` has just found the features these functions are compiled for.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::run_avx512(kernel) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::run_avx2(kernel) },
        _ => kernel.run(Portable),
    }
}

/// Runs a kernel at a given level if the machine has it: lets tests compare the widths.
#[cfg(test)]
pub(crate) fn dispatch_at<K: Kernel>(at: Level, kernel: K) -> Option<K::Output> {
    match at {
        Level::Portable => Some(kernel.run(Portable)),
        // SAFETY: both levels above the portable one need AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if level() != Level::Portable => Some(unsafe { x86::run_avx2(kernel) }),
        // SAFETY: AVX-512 is found here.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if level() == Level::Avx512 => Some(unsafe { x86::run_avx512(kernel) }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
