//! AVX2 and AVX-512 vectors.
//!
//! SAFETY of every intrinsic below: the types [`Avx2`] and [`Avx512`] are only handed to kernels by `run_avx2` and
//! `run_avx512`, which are compiled for, and only called on, machines with these instructions. Loads and stores check
//! the length of their slice first; unaligned addresses are allowed for the `loadu`/`storeu` forms used.

use super::{Kernel, Simd};
use std::arch::x86_64::*;

/// Sixteen lanes of AVX-512 F and DQ.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

/// Eight lanes of AVX2 with FMA.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// # Safety
/// The machine must have AVX-512 F and DQ (and with them AVX2 and FMA).
#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
pub(super) unsafe fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

/// # Safety
/// The machine must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

/// Sum of the lanes, pairwise from the outer halves inwards.
///
/// # Safety
/// The machine must have AVX2.
#[inline(always)]
unsafe fn sum_256(a: __m256) -> f32 {
    // SAFETY: the caller's promise.
    unsafe {
        let four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }
}

impl Simd for Avx512 {
    const LANES: usize = 16;
    type F = __m512;
    type M = __mmask16;

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        unsafe { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, x: &[f32]) -> __m512 {
        let x = &x[..16];
        unsafe { _mm512_loadu_ps(x.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: __m512, x: &mut [f32]) {
        let x = &mut x[..16];
        unsafe { _mm512_storeu_ps(x.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_div_ps(a, b) }
    }
    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn fnma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fnmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_max_ps(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_min_ps(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        unsafe { _mm512_sqrt_ps(a) }
    }
    #[inline(always)]
    fn rsqrt(self, a: __m512) -> __m512 {
        // 14 bits, then one Newton step y (3 - a y^2) / 2.
        let y = unsafe { _mm512_rsqrt14_ps(a) };
        let half = self.mul(self.splat(0.5), y);
        self.mul(half, self.fnma(self.mul(a, y), y, self.splat(3.0)))
    }
    #[inline(always)]
    fn lt(self, a: __m512, b: __m512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) }
    }
    #[inline(always)]
    fn select(self, m: __mmask16, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mask_blend_ps(m, b, a) }
    }
    #[inline(always)]
    fn bits(self, m: __mmask16) -> u32 {
        u32::from(m)
    }
    #[inline(always)]
    fn sum(self, a: __m512) -> f32 {
        unsafe {
            let halves = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps::<1>(a));
            sum_256(halves)
        }
    }
    #[inline(always)]
    fn prefetch(self, x: &[f32], ahead: usize) {
        // A prefetch never faults, wherever it points; `wrapping_add` keeps the address arithmetic defined.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(x.as_ptr().wrapping_add(ahead).cast()) }
    }
    #[inline(always)]
    fn frexp(self, a: __m512) -> (__m512, __m512) {
        unsafe { (_mm512_getmant_ps::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_ZERO>(a), _mm512_getexp_ps(a)) }
    }
    #[inline(always)]
    fn store_xyz(self, v: [__m512; 3], out: &mut [[f32; 4]]) {
        let out = out[..16].as_mut_ptr().cast::<f32>();
        unsafe {
            let zero = _mm512_setzero_ps();
            // Within each 128-bit lane L: rows 4L, 4L+1, 4L+2, 4L+3.
            let (xy0, xy1) = (_mm512_unpacklo_ps(v[0], v[1]), _mm512_unpackhi_ps(v[0], v[1]));
            let (z0, z1) = (_mm512_unpacklo_ps(v[2], zero), _mm512_unpackhi_ps(v[2], zero));
            let r0 = _mm512_shuffle_ps::<0b01_00_01_00>(xy0, z0);
            let r1 = _mm512_shuffle_ps::<0b11_10_11_10>(xy0, z0);
            let r2 = _mm512_shuffle_ps::<0b01_00_01_00>(xy1, z1);
            let r3 = _mm512_shuffle_ps::<0b11_10_11_10>(xy1, z1);
            let [s0, s1, s2, s3] = transpose_lanes([r0, r1, r2, r3]);
            _mm512_storeu_ps(out, s0);
            _mm512_storeu_ps(out.add(16), s1);
            _mm512_storeu_ps(out.add(32), s2);
            _mm512_storeu_ps(out.add(48), s3);
        }
    }
    #[inline(always)]
    fn load_xyz(self, data: &[[f32; 4]]) -> [__m512; 3] {
        let data = data[..16].as_ptr().cast::<f32>();
        unsafe {
            let rows = [
                _mm512_loadu_ps(data),
                _mm512_loadu_ps(data.add(16)),
                _mm512_loadu_ps(data.add(32)),
                _mm512_loadu_ps(data.add(48)),
            ];
            let [r0, r1, r2, r3] = transpose_lanes(rows);
            let (xy0, xy1) = (_mm512_unpacklo_ps(r0, r1), _mm512_unpacklo_ps(r2, r3));
            let (zw0, zw1) = (_mm512_unpackhi_ps(r0, r1), _mm512_unpackhi_ps(r2, r3));
            [
                _mm512_shuffle_ps::<0b01_00_01_00>(xy0, xy1),
                _mm512_shuffle_ps::<0b11_10_11_10>(xy0, xy1),
                _mm512_shuffle_ps::<0b01_00_01_00>(zw0, zw1),
            ]
        }
    }
}

/// Transposes the 4x4 matrix of 128-bit lanes: lane j of vector i goes to lane i of vector j.
#[inline(always)]
unsafe fn transpose_lanes(r: [__m512; 4]) -> [__m512; 4] {
    unsafe {
        let a = _mm512_shuffle_f32x4::<0b01_00_01_00>(r[0], r[1]);
        let b = _mm512_shuffle_f32x4::<0b11_10_11_10>(r[0], r[1]);
        let c = _mm512_shuffle_f32x4::<0b01_00_01_00>(r[2], r[3]);
        let d = _mm512_shuffle_f32x4::<0b11_10_11_10>(r[2], r[3]);
        [
            _mm512_shuffle_f32x4::<0b10_00_10_00>(a, c),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(a, c),
            _mm512_shuffle_f32x4::<0b10_00_10_00>(b, d),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(b, d),
        ]
    }
}

impl Simd for Avx2 {
    const LANES: usize = 8;
    type F = __m256;
    type M = __m256;

    #[inline(always)]
    fn splat(self, x: f32) -> __m256 {
        unsafe { _mm256_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, x: &[f32]) -> __m256 {
        let x = &x[..8];
        unsafe { _mm256_loadu_ps(x.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: __m256, x: &mut [f32]) {
        let x = &mut x[..8];
        unsafe { _mm256_storeu_ps(x.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_div_ps(a, b) }
    }
    #[inline(always)]
    fn fma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn fnma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        unsafe { _mm256_fnmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_max_ps(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_min_ps(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        unsafe { _mm256_sqrt_ps(a) }
    }
    #[inline(always)]
    fn rsqrt(self, a: __m256) -> __m256 {
        // The estimate has 12 bits. Two Newton steps y (3 - a y^2) / 2: one alone leaves a bias of some 2e-7, and with it
        // rotations that are not quite rotations.
        let mut y = unsafe { _mm256_rsqrt_ps(a) };
        for _ in 0..2 {
            let half = self.mul(self.splat(0.5), y);
            y = self.mul(half, self.fnma(self.mul(a, y), y, self.splat(3.0)));
        }
        y
    }
    #[inline(always)]
    fn lt(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(a, b) }
    }
    #[inline(always)]
    fn select(self, m: __m256, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_blendv_ps(b, a, m) }
    }
    #[inline(always)]
    fn bits(self, m: __m256) -> u32 {
        unsafe { _mm256_movemask_ps(m) as u32 }
    }
    #[inline(always)]
    fn sum(self, a: __m256) -> f32 {
        unsafe { sum_256(a) }
    }
    #[inline(always)]
    fn prefetch(self, x: &[f32], ahead: usize) {
        // A prefetch never faults, wherever it points; `wrapping_add` keeps the address arithmetic defined.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(x.as_ptr().wrapping_add(ahead).cast()) }
    }
    #[inline(always)]
    fn frexp(self, a: __m256) -> (__m256, __m256) {
        unsafe {
            let bits = _mm256_castps_si256(a);
            let fraction = _mm256_and_si256(bits, _mm256_set1_epi32(0x007f_ffff));
            let mantissa = _mm256_or_si256(fraction, _mm256_set1_epi32(0x3f80_0000));
            let exponent = _mm256_sub_epi32(_mm256_srli_epi32::<23>(bits), _mm256_set1_epi32(127));
            (_mm256_castsi256_ps(mantissa), _mm256_cvtepi32_ps(exponent))
        }
    }
    #[inline(always)]
    fn store_xyz(self, v: [__m256; 3], out: &mut [[f32; 4]]) {
        let out = out[..8].as_mut_ptr().cast::<f32>();
        unsafe {
            let zero = _mm256_setzero_ps();
            let (xy0, xy1) = (_mm256_unpacklo_ps(v[0], v[1]), _mm256_unpackhi_ps(v[0], v[1]));
            let (z0, z1) = (_mm256_unpacklo_ps(v[2], zero), _mm256_unpackhi_ps(v[2], zero));
            let r0 = _mm256_shuffle_ps::<0b01_00_01_00>(xy0, z0);
            let r1 = _mm256_shuffle_ps::<0b11_10_11_10>(xy0, z0);
            let r2 = _mm256_shuffle_ps::<0b01_00_01_00>(xy1, z1);
            let r3 = _mm256_shuffle_ps::<0b11_10_11_10>(xy1, z1);
            _mm256_storeu_ps(out, _mm256_permute2f128_ps::<0x20>(r0, r1));
            _mm256_storeu_ps(out.add(8), _mm256_permute2f128_ps::<0x20>(r2, r3));
            _mm256_storeu_ps(out.add(16), _mm256_permute2f128_ps::<0x31>(r0, r1));
            _mm256_storeu_ps(out.add(24), _mm256_permute2f128_ps::<0x31>(r2, r3));
        }
    }
    #[inline(always)]
    fn load_xyz(self, data: &[[f32; 4]]) -> [__m256; 3] {
        let data = data[..8].as_ptr().cast::<f32>();
        unsafe {
            let (a, b) = (_mm256_loadu_ps(data), _mm256_loadu_ps(data.add(8)));
            let (c, d) = (_mm256_loadu_ps(data.add(16)), _mm256_loadu_ps(data.add(24)));
            let (r0, r1) = (_mm256_permute2f128_ps::<0x20>(a, c), _mm256_permute2f128_ps::<0x31>(a, c));
            let (r2, r3) = (_mm256_permute2f128_ps::<0x20>(b, d), _mm256_permute2f128_ps::<0x31>(b, d));
            let (xy0, xy1) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpacklo_ps(r2, r3));
            let (zw0, zw1) = (_mm256_unpackhi_ps(r0, r1), _mm256_unpackhi_ps(r2, r3));
            [
                _mm256_shuffle_ps::<0b01_00_01_00>(xy0, xy1),
                _mm256_shuffle_ps::<0b11_10_11_10>(xy0, xy1),
                _mm256_shuffle_ps::<0b01_00_01_00>(zw0, zw1),
            ]
        }
    }
}
