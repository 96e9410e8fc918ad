//! Four lanes in plain Rust: the compiler turns these loops into NEON or SSE2.

use super::Simd;

/// Portable vectors of four.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

const N: usize = 4;

#[inline(always)]
fn map2(a: [f32; N], b: [f32; N], f: impl Fn(f32, f32) -> f32) -> [f32; N] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Simd for Portable {
    const LANES: usize = N;
    type F = [f32; N];
    type M = [bool; N];

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [x; N]
    }
    #[inline(always)]
    fn load(self, x: &[f32]) -> Self::F {
        let x = &x[..N];
        std::array::from_fn(|i| x[i])
    }
    #[inline(always)]
    fn store(self, v: Self::F, x: &mut [f32]) {
        x[..N].copy_from_slice(&v);
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |x, y| x + y)
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |x, y| x - y)
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |x, y| x * y)
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |x, y| x / y)
    }
    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        // Without hardware FMA `mul_add` is a slow library call.
        std::array::from_fn(|i| {
            if cfg!(target_arch = "aarch64") { a[i].mul_add(b[i], c[i]) } else { a[i] * b[i] + c[i] }
        })
    }
    #[inline(always)]
    fn fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        self.fma(self.neg(a), b, c)
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        map2(a, b, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    fn sqrt(self, a: Self::F) -> Self::F {
        a.map(f32::sqrt)
    }
    #[inline(always)]
    fn rsqrt(self, a: Self::F) -> Self::F {
        a.map(|x| 1.0 / x.sqrt())
    }
    #[inline(always)]
    fn lt(self, a: Self::F, b: Self::F) -> Self::M {
        std::array::from_fn(|i| a[i] < b[i])
    }
    #[inline(always)]
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| if m[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn bits(self, m: Self::M) -> u32 {
        m.iter().enumerate().map(|(i, &b)| u32::from(b) << i).sum()
    }
    #[inline(always)]
    fn frexp(self, a: Self::F) -> (Self::F, Self::F) {
        let mantissa = a.map(|x| f32::from_bits((x.to_bits() & 0x007f_ffff) | 0x3f80_0000));
        let exponent = a.map(|x| ((x.to_bits() >> 23) as i32 - 127) as f32);
        (mantissa, exponent)
    }
    #[inline(always)]
    fn store_xyz(self, v: [Self::F; 3], out: &mut [[f32; 4]]) {
        for (i, o) in out[..N].iter_mut().enumerate() {
            *o = [v[0][i], v[1][i], v[2][i], 0.0];
        }
    }
    #[inline(always)]
    fn load_xyz(self, data: &[[f32; 4]]) -> [Self::F; 3] {
        let data = &data[..N];
        std::array::from_fn(|c| std::array::from_fn(|i| data[i][c]))
    }
}
