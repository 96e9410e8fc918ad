//! Each law in f32 against the f64 proximal map, on states that a simulation meets: moderate stretches, z = F + P/w.

use super::*;
use crate::fem::ElementMaterial;
use crate::material::isotropic::{prox_stretches, stress_of_stretches};
use crate::{Law, Material};
use pliant_linalg::simd::{Kernel, dispatch};

struct Stretches<'a, L, const D: usize> {
    law: std::marker::PhantomData<L>,
    lame: [f64; 2],
    z: &'a [[f64; D]],
    out: &'a mut Vec<([f64; D], bool)>,
}

impl<L: StretchLaw, const D: usize> Kernel for Stretches<'_, L, D> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let m = Lame::<S> { mu: s.splat(self.lame[0] as f32), lambda: s.splat(self.lame[1] as f32) };
        for group in self.z.chunks_exact(S::LANES) {
            let mut z = [s.splat(0.0); D];
            for j in 0..D {
                let mut lanes = [0.0; BATCH];
                for (lane, z) in lanes.iter_mut().zip(group) {
                    *lane = z[j] as f32;
                }
                z[j] = s.load(&lanes);
            }
            let (p, failed) = L::project(s, &m, &z);
            let mut lanes = [[0.0; BATCH]; D];
            for j in 0..D {
                s.store(p[j], &mut lanes[j]);
            }
            for lane in 0..S::LANES {
                let p = std::array::from_fn(|j| f64::from(lanes[j][lane]));
                self.out.push((p, (failed >> lane) & 1 == 1));
            }
        }
    }
}

/// Stretches from 0.6 to 1.6 in descending order, with volume ratios that differ from one by up to `spread`.
fn states<const D: usize>(spread: f64) -> Vec<[f64; D]> {
    let mut seed = 7u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        0.6 + (seed >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut states = Vec::new();
    while states.len() < 64 * BATCH {
        let mut f: [f64; D] = std::array::from_fn(|_| random());
        f.sort_by(|a, b| b.total_cmp(a));
        if (f.iter().product::<f64>() - 1.0).abs() < spread {
            states.push(f);
        }
    }
    states
}

/// The singular values of diag(z): positive and descending, in a solid the last with the sign of the product.
fn canonical<const D: usize>(z: [f64; D]) -> [f64; D] {
    let mut s = z.map(f64::abs);
    s.sort_by(|a, b| b.total_cmp(a));
    if D == 3 && z.iter().product::<f64>() < 0.0 {
        s[D - 1] = -s[D - 1];
    }
    s
}

/// Share of lanes that were given up.
fn check<L: StretchLaw, const D: usize>(law: Law, poisson: f64) -> f64 {
    let (mu, lambda) = Material { law, youngs: 1.0, poisson }.lame_solid();
    let weight = (2.0 * mu * (2.0 * mu + lambda)).sqrt();
    let material =
        ElementMaterial { law, mu: mu / weight, lambda: lambda / weight, damping: 0.0, tangent_damping: 0.0 };
    // The volume of nearly incompressible bodies hardly changes.
    let spread = if poisson > 0.45 { 0.04 } else { 0.2 };
    let z: Vec<[f64; D]> = states(spread)
        .iter()
        .map(|f: &[f64; D]| {
            let stress = stress_of_stretches(&material, f);
            canonical(std::array::from_fn(|j| f[j] + stress[j]))
        })
        .collect();
    let mut out = Vec::new();
    let lame = [material.mu, material.lambda];
    dispatch(Stretches::<L, D> { law: std::marker::PhantomData, lame, z: &z, out: &mut out });
    for (z, (p, failed)) in z.iter().zip(&out) {
        let want = prox_stretches(&material, *z, 1.0);
        let error = (0..D).map(|j| (p[j] - want[j]).abs()).fold(0.0, f64::max);
        assert!(*failed || error < 5e-5, "{law:?} nu {poisson}: {p:?} instead of {want:?} from {z:?}");
    }
    out.iter().filter(|o| o.1).count() as f64 / out.len() as f64
}

#[test]
fn projections_agree_with_the_oracle_and_are_rarely_given_up() {
    for poisson in [0.0, 0.3, 0.45, 0.49] {
        let given_up = [
            check::<Corotational, 3>(Law::Corotational, poisson),
            check::<Corotational, 2>(Law::Corotational, poisson),
            check::<NeoHookean, 3>(Law::NeoHookean, poisson),
            check::<NeoHookean, 2>(Law::NeoHookean, poisson),
            check::<StableNeoHookean, 3>(Law::StableNeoHookean, poisson),
            check::<StableNeoHookean, 2>(Law::StableNeoHookean, poisson),
            check::<FixedCorotated, 3>(Law::FixedCorotated, poisson),
            check::<FixedCorotated, 2>(Law::FixedCorotated, poisson),
            check::<StVenantKirchhoff, 3>(Law::StVenantKirchhoff, poisson),
            check::<StVenantKirchhoff, 2>(Law::StVenantKirchhoff, poisson),
        ];
        println!("nu {poisson}: given up {given_up:?}");
        assert!(given_up.iter().all(|share| *share < 0.05), "nu {poisson}: {given_up:?}");
    }
}
