//! Every operation, at every level the machine has, against plain f32 arithmetic.

use super::*;

struct Operations<'a> {
    a: &'a [f32],
    b: &'a [f32],
    out: &'a mut Vec<(&'static str, f32)>,
}

impl Kernel for Operations<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for k in (0..BATCH).step_by(S::LANES) {
            let (a, b) = (s.load(&self.a[k..]), s.load(&self.b[k..]));
            let less = s.lt(a, b);
            let (mantissa, exponent) = s.frexp(a);
            let results = [
                ("add", s.add(a, b)),
                ("sub", s.sub(a, b)),
                ("mul", s.mul(a, b)),
                ("div", s.div(a, b)),
                ("fma", s.fma(a, b, b)),
                ("fnma", s.fnma(a, b, b)),
                ("max", s.max(a, b)),
                ("min", s.min(a, b)),
                ("sqrt", s.sqrt(a)),
                ("rsqrt", s.rsqrt(a)),
                ("select", s.select(less, a, b)),
                ("neg", s.neg(a)),
                ("abs", s.abs(s.neg(a))),
                ("ln", s.ln(a)),
                ("mantissa", mantissa),
                ("exponent", exponent),
            ];
            for (name, v) in results {
                let mut lanes = [0.0; BATCH];
                s.store(v, &mut lanes);
                self.out.extend(lanes[..S::LANES].iter().map(|&x| (name, x)));
            }
            for lane in 0..S::LANES {
                self.out.push(("bits", ((s.bits(less) >> lane) & 1) as f32));
            }
        }
    }
}

fn expected(name: &str, a: f32, b: f32) -> f32 {
    match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "div" => a / b,
        "fma" => a * b + b,
        "fnma" => b - a * b,
        "max" => a.max(b),
        "min" | "select" => a.min(b),
        "sqrt" => a.sqrt(),
        "rsqrt" => 1.0 / a.sqrt(),
        "neg" => -a,
        "abs" => a,
        "ln" => a.ln(),
        "mantissa" => a / 2f32.powf(a.log2().floor()),
        "exponent" => a.log2().floor(),
        "bits" => f32::from(a < b),
        _ => unreachable!(),
    }
}

#[test]
fn operations_agree_with_scalar_arithmetic_at_every_level() {
    let a: Vec<f32> = (0..BATCH).map(|i| 0.013 * 2.1f32.powi(i as i32)).collect();
    let b: Vec<f32> = (0..BATCH).map(|i| 1.7 - 0.1 * i as f32).collect();
    for at in [Level::Portable, Level::Avx2, Level::Avx512] {
        let mut out = Vec::new();
        let Some(()) = dispatch_at(at, Operations { a: &a, b: &b, out: &mut out }) else { continue };
        let mut seen = std::collections::HashMap::new();
        for (name, got) in out {
            let i = seen.entry(name).or_insert(0usize);
            let want = expected(name, a[*i], b[*i]);
            assert!(
                (got - want).abs() <= 4e-7 * (1.0 + want.abs()),
                "{at:?} {name}[{i}]: {got} instead of {want}"
            );
            *i += 1;
        }
    }
}

struct Transpose<'a>(&'a [[f32; 4]], &'a mut [[f32; 4]]);

impl Kernel for Transpose<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for k in (0..BATCH).step_by(S::LANES) {
            let mut v = s.load_xyz(&self.0[k..]);
            v.swap(0, 2);
            s.store_xyz(v, &mut self.1[k..]);
        }
    }
}

#[test]
fn transposes_are_exact_at_every_level() {
    let data: Vec<[f32; 4]> = (0..BATCH).map(|i| std::array::from_fn(|c| (4 * i + c) as f32)).collect();
    for at in [Level::Portable, Level::Avx2, Level::Avx512] {
        let mut out = vec![[9.0; 4]; BATCH];
        if dispatch_at(at, Transpose(&data, &mut out)).is_some() {
            for (d, o) in data.iter().zip(&out) {
                assert_eq!(*o, [d[2], d[1], d[0], 0.0], "{at:?}");
            }
        }
    }
}
