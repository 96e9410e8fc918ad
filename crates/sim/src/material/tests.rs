//! The checks every law passes, on solids (3x3) and membranes (3x2): derivatives, invariance, rest state,
//! projection, proximal map, inversion.

use super::isotropic::{energy_of_stretches, hessian_of_stretches, prox_stretches, stress_of_stretches};
use super::*;
use crate::material::ElementMaterial;
use pliant_linalg::small::{Mat3, frobenius, svd3, symmetric_eigen};

const POISSON: [f64; 6] = [-0.5, -0.2, 0.0, 0.3, 0.45, 0.499];

/// A small deterministic generator (xorshift), enough to scatter test points.
struct Random(u64);

impl Random {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn rotation(&mut self) -> Mat3 {
        svd3(&std::array::from_fn(|_| std::array::from_fn(|_| self.range(-1.0, 1.0)))).u
    }

    fn planar_rotation(&mut self) -> [[f64; 2]; 2] {
        let (s, c) = self.range(-3.0, 3.0).sin_cos();
        [[c, -s], [s, c]]
    }
}

fn solid_material(law: Law, nu: f64) -> ElementMaterial {
    let (mu, lambda) = Material { law, youngs: 1e5, poisson: nu }.lame_solid();
    ElementMaterial { law, mu, lambda, damping: 0.0, tangent_damping: 0.0 }
}

fn membrane_material(law: Law, nu: f64) -> ElementMaterial {
    let (mu, lambda) = Material { law, youngs: 1e5, poisson: nu }.lame_membrane();
    ElementMaterial { law, mu, lambda, damping: 0.0, tangent_damping: 0.0 }
}

/// `R diag(s) Q^T` with random rotations.
fn solid_gradient(random: &mut Random, s: [f64; 3]) -> Mat3 {
    let (u, v) = (random.rotation(), random.rotation());
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| u[i][k] * s[k] * v[j][k]).sum()))
}

fn membrane_gradient(random: &mut Random, s: [f64; 2]) -> [[f64; 2]; 3] {
    let (u, v) = (random.rotation(), random.planar_rotation());
    std::array::from_fn(|i| std::array::from_fn(|j| (0..2).map(|k| u[i][k] * s[k] * v[j][k]).sum()))
}

fn stiffness(m: &ElementMaterial) -> f64 {
    2.0 * m.mu + m.lambda.abs()
}

fn rotated<const D: usize>(r: &Mat3, f: &[[f64; D]; 3]) -> [[f64; D]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| r[i][k] * f[k][j]).sum()))
}

fn minus<const D: usize>(a: &[[f64; D]; 3], b: &[[f64; D]; 3]) -> [[f64; D]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] - b[i][j]))
}

fn with_entry<const D: usize>(f: &[[f64; D]; 3], k: usize, change: f64) -> [[f64; D]; 3] {
    let mut f = *f;
    f[k / D][k % D] += change;
    f
}

/// The gradient of the proximal problem vanishes, up to what one unit in the last place of s is worth.
fn check_stationary<const D: usize>(m: &ElementMaterial, z: [f64; D], w: f64) {
    let s = prox_stretches(m, z, w);
    let (g, h) = (stress_of_stretches(m, &s), hessian_of_stretches(m, &s));
    // The co-rotational law alone may have its optimum in a kink of the energy, at s1 = -s2 or s1 = 0.
    if m.law == Law::Corotational && (s[D - 1] + if D == 3 { s[1] } else { 0.0 }).abs() < 1e-9 {
        return;
    }
    let size: f64 = s.iter().chain(&z).map(|x| x.abs()).sum();
    for i in 0..D {
        let residual = (g[i] + w * (s[i] - z[i])).abs();
        let rounding: f64 = (0..D).map(|j| (h[i][j] * s[j]).abs()).sum::<f64>() * 1e-14;
        assert!(residual <= 1e-9 * (w * size + m.mu) + rounding, "{m:?} z {z:?} w {w} s {s:?}: {residual}");
    }
}

/// All pairs of vertices and pairs of axes.
fn all_indices(vertices: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    (0..vertices * vertices * 9).map(move |n| (n / 9 / vertices, n / 9 % vertices, n % 9 / 3, n % 3))
}

/// The tests of one law on one kind of element with D stretches.
macro_rules! suite {
    ($kind:ident, $law:ident, $d:literal, $material:ident, $gradient:ident) => {
        mod $kind {
            use super::super::*;
            use crate::material::isotropic::$kind::{blocks, energy, hessian, hessian_psd, prox, stress};

            const D: usize = $d;
            const LAW: Law = Law::$law;

            #[test]
            fn derivatives_match_finite_differences() {
                let mut random = Random(7);
                for nu in POISSON {
                    let m = $material(LAW, nu);
                    for _ in 0..20 {
                        let s = std::array::from_fn(|_| random.range(0.5, 1.8));
                        let f = $gradient(&mut random, s);
                        let (p, h) = (stress(&m, &f), hessian(&m, &f));
                        let scale = stiffness(&m) * 10.0;
                        let e = 1e-5;
                        for k in 0..3 * D {
                            let (plus, less) = (with_entry(&f, k, e), with_entry(&f, k, -e));
                            let slope = (energy(&m, &plus) - energy(&m, &less)) / (2.0 * e);
                            assert!((slope - p[k / D][k % D]).abs() < 1e-8 * scale);
                            let change = minus(&stress(&m, &plus), &stress(&m, &less));
                            for l in 0..3 * D {
                                let slope = change[l / D][l % D] / (2.0 * e);
                                assert!((slope - h[k][l]).abs() < 1e-7 * scale, "{slope} {}", h[k][l]);
                            }
                        }
                    }
                }
            }

            /// Block by block, by principal directions, the Hessian is what it is in F.
            #[test]
            fn blocks_are_the_hessian_between_shape_gradients() {
                let mut random = Random(23);
                for nu in POISSON {
                    let m = $material(LAW, nu);
                    for psd in [false, true] {
                        let s = std::array::from_fn(|_| random.range(0.5, 1.8));
                        let f = $gradient(&mut random, s);
                        let g: [[f64; D]; D + 1] =
                            std::array::from_fn(|_| std::array::from_fn(|_| random.range(-2.0, 2.0)));
                        let h = if psd { hessian_psd(&m, &f) } else { hessian(&m, &f) };
                        let found = blocks(&m, &f, &g, 0.3, psd);
                        for (a, b, i, k) in all_indices(D + 1) {
                            let entry = |j: usize, l: usize| g[a][j] * h[D * i + j][D * k + l] * g[b][l];
                            let wanted: f64 = (0..D * D).map(|jl| 0.3 * entry(jl / D, jl % D)).sum();
                            let error = (found[a][b][i][k] - wanted).abs();
                            assert!(error < 1e-12 * 9.0 * frobenius(&h), "{a} {b} {i} {k}: {error:.1e}");
                        }
                    }
                }
            }

            #[test]
            fn rotations_change_nothing() {
                let mut random = Random(11);
                for nu in POISSON {
                    let m = $material(LAW, nu);
                    let s = std::array::from_fn(|_| random.range(0.3, 2.0));
                    let f = $gradient(&mut random, s);
                    let r = random.rotation();
                    let g = rotated(&r, &f);
                    assert!((energy(&m, &f) - energy(&m, &g)).abs() < 1e-12 * stiffness(&m));
                    let error = minus(&stress(&m, &g), &rotated(&r, &stress(&m, &f)));
                    assert!(frobenius(&error) < 1e-11 * stiffness(&m));
                }
            }

            #[test]
            fn rest_state_and_small_strain() {
                let mut random = Random(13);
                for nu in POISSON {
                    let m = $material(LAW, nu);
                    let f = $gradient(&mut random, [1.0; D]);
                    assert!(energy(&m, &f).abs() < 1e-14 * stiffness(&m));
                    assert!(frobenius(&stress(&m, &f)) < 1e-13 * stiffness(&m));
                    // dP = 2 mu sym(dF) + lambda tr(dF) I, and nothing along the normal.
                    let identity =
                        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
                    let h = hessian(&m, &identity);
                    let lambda = if LAW == Law::Arap { 0.0 } else { m.lambda };
                    for k in 0..3 * D {
                        for l in 0..3 * D {
                            let ((i, j), (a, b)) = ((k / D, k % D), (l / D, l % D));
                            let mut expected = 0.0;
                            if i < D && a < D {
                                expected += if (i, j) == (a, b) { m.mu } else { 0.0 };
                                expected += if (i, j) == (b, a) { m.mu } else { 0.0 };
                                expected += if i == j && a == b { lambda } else { 0.0 };
                            }
                            assert!(
                                (h[k][l] - expected).abs() < 1e-12 * stiffness(&m),
                                "{k} {l} {}",
                                h[k][l]
                            );
                        }
                    }
                }
            }

            #[test]
            fn projected_hessian_is_semi_definite() {
                let mut random = Random(17);
                let mut equal = 0;
                for nu in POISSON {
                    let m = $material(LAW, nu);
                    for case in 0..60 {
                        let mut s = std::array::from_fn(|_| random.range(0.2, 2.5));
                        match case % 5 {
                            0 => s = [random.range(0.9, 1.1); D],
                            1 if LAW != Law::NeoHookean => s[D - 1] = -0.5 * s[0],
                            2 if LAW != Law::NeoHookean => s[D - 1] = 0.0,
                            3 => s[0] = s[1],
                            _ => {}
                        }
                        let f = $gradient(&mut random, s);
                        let (full, psd) = (hessian(&m, &f), hessian_psd(&m, &f));
                        let size = frobenius(&psd).max(frobenius(&full));
                        let values = symmetric_eigen(&psd).0;
                        assert!(values[3 * D - 1] >= -1e-12 * size, "{values:?}");
                        // Clamping the eigenvalues of the full matrix by brute force gives the same.
                        let (values, q) = symmetric_eigen(&full);
                        equal += usize::from(values[3 * D - 1] >= 0.0);
                        for i in 0..3 * D {
                            for j in 0..3 * D {
                                let clamped: f64 =
                                    (0..3 * D).map(|k| q[i][k] * values[k].max(0.0) * q[j][k]).sum();
                                assert!(
                                    (clamped - psd[i][j]).abs() < 1e-11 * size,
                                    "{clamped} {}",
                                    psd[i][j]
                                );
                            }
                        }
                    }
                }
                assert!(equal > 0, "no case with a definite Hessian");
            }

            #[test]
            fn prox_is_optimal() {
                let mut random = Random(19);
                for nu in POISSON.into_iter().filter(|&nu| nu >= 0.0 || LAW.allows_auxetic()) {
                    let m = $material(LAW, nu);
                    for case in 0..300 {
                        let z = awkward_stretches::<D>(&mut random, case);
                        let f = $gradient(&mut random, z);
                        let w = m.mu * 0.5 * (8.0 * (2.0 + m.lambda / m.mu)).powf(random.range(0.0, 1.0));
                        check_stationary(&m, z, w);
                        check_prox(&m, &f, w, &mut random);
                    }
                }
            }

            fn check_prox(m: &ElementMaterial, z: &[[f64; D]; 3], w: f64, random: &mut Random) {
                let p = prox(m, z, w);
                let value = |p: &[[f64; D]; 3]| energy(m, p) + 0.5 * w * frobenius(&minus(p, z)).powi(2);
                let best = value(&p);
                assert!(best.is_finite());
                let near = frobenius(&minus(&p, z)) + 1.0;
                let rounding = 1e-10 * (best.abs() + w * frobenius(z).powi(2) + m.mu);
                for k in 0..40 {
                    let size = near * 10f64.powi(-(k % 5));
                    let probe = std::array::from_fn(|i| {
                        std::array::from_fn(|j| p[i][j] + size * random.range(-1.0, 1.0))
                    });
                    let v = value(&probe);
                    assert!(v >= best - rounding, "{m:?} z {z:?} w {w} p {p:?} {best} probe {probe:?} {v}");
                }
            }

            #[test]
            fn energy_is_finite_unless_neo_hookean_is_inverted() {
                let mut random = Random(23);
                for nu in POISSON {
                    let m = $material(LAW, nu);
                    let mut s = [0.8; D];
                    s[D - 1] = if D == 3 { -0.3 } else { 0.0 };
                    assert_eq!(energy_of_stretches(&m, &s).is_finite(), LAW != Law::NeoHookean);
                    let f = $gradient(&mut random, s);
                    if LAW == Law::NeoHookean && D == 3 {
                        assert_eq!(energy(&m, &f), f64::INFINITY);
                    } else if LAW != Law::NeoHookean {
                        assert!(stress(&m, &f).iter().flatten().all(|x| x.is_finite()));
                        assert!(hessian_psd(&m, &f).iter().flatten().all(|x| x.is_finite()));
                    }
                    let recovered = prox_stretches(&m, s, 2.0 * m.mu);
                    assert!(recovered.iter().all(|x| x.is_finite()));
                    if LAW == Law::NeoHookean {
                        assert!(recovered.iter().all(|&x| x > 0.0), "{recovered:?}");
                    }
                }
            }
        }
    };
}

/// Stretches of every sort in the order of a singular value decomposition.
fn awkward_stretches<const D: usize>(random: &mut Random, case: usize) -> [f64; D] {
    let spread = [0.2, 1.0, 3.0, 8.0][case % 4];
    let mut z: [f64; D] = std::array::from_fn(|_| random.range(-spread, spread).exp());
    match case / 4 % 8 {
        0 => z[1] = z[0],
        1 => z = [z[0]; D],
        2 => z[D - 1] = 0.0,
        3 => z = [0.0; D],
        _ => {}
    }
    z.sort_by(|a, b| b.total_cmp(a));
    if D == 3 && case.is_multiple_of(3) {
        z[2] = -z[2];
    }
    z
}

macro_rules! laws {
    ($($name:ident: $law:ident,)*) => {
        $(mod $name {
            suite!(solid, $law, 3, solid_material, solid_gradient);
            suite!(membrane, $law, 2, membrane_material, membrane_gradient);
        })*
    };
}
laws! {
    arap: Arap,
    corotational: Corotational,
    neo_hookean: NeoHookean,
    stable_neo_hookean: StableNeoHookean,
    fixed_corotated: FixedCorotated,
    st_venant_kirchhoff: StVenantKirchhoff,
}

#[test]
fn prox_is_finite_even_for_laws_without_a_minimum() {
    let mut random = Random(29);
    for law in Law::ALL {
        let m = solid_material(law, -0.5);
        for case in 0..200 {
            let z = awkward_stretches::<3>(&mut random, case);
            let s = prox_stretches(&m, z, m.mu);
            assert!(s.iter().all(|x| x.is_finite()), "{law:?} {z:?} {s:?}");
        }
    }
}

#[test]
fn input_that_is_not_a_number_does_not_panic() {
    for law in Law::ALL {
        let m = solid_material(law, 0.3);
        let f = [[f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, f64::INFINITY, 1.0]];
        isotropic::solid::hessian_psd(&m, &f);
        isotropic::solid::prox(&m, &f, m.mu);
        prox_stretches(&m, [f64::INFINITY, 1.0, f64::NAN], m.mu);
    }
}

#[test]
fn prox_keeps_a_permutation_of_the_stretches() {
    for law in Law::ALL {
        let m = solid_material(law, 0.4);
        let sorted = prox_stretches(&m, [1.5, 1.1, 0.3], 2.0 * m.mu);
        let swapped = prox_stretches(&m, [0.3, 1.5, 1.1], 2.0 * m.mu);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            assert!((sorted[i] - swapped[j]).abs() < 1e-12, "{law:?} {sorted:?} {swapped:?}");
        }
    }
}

#[test]
fn uniaxial_tension_gives_youngs_modulus_and_poisson_ratio() {
    // Linearised: stress (E e, 0, 0) for strains (e, -nu e, -nu e); in plane stress the same with two stretches.
    for law in Law::ALL.into_iter().filter(|&law| law != Law::Arap) {
        let (nu, e) = (0.3, 1e-7);
        let s = [1.0 + e, 1.0 - nu * e, 1.0 - nu * e];
        let g = stress_of_stretches(&solid_material(law, nu), &s);
        let p = stress_of_stretches(&membrane_material(law, nu), &[s[0], s[1]]);
        for stress in [&g[..], &p[..]] {
            assert!((stress[0] / (1e5 * e) - 1.0).abs() < 1e-6, "{law:?} {stress:?}");
            assert!(stress[1..].iter().all(|x| x.abs() < 1e-6 * 1e5 * e), "{law:?} {stress:?}");
        }
    }
}

#[test]
fn parameters_are_checked() {
    assert!(Material::new(Law::NeoHookean, 1e6, 0.49).is_ok());
    assert_eq!(Material::new(Law::Arap, 0.0, 0.3), Err(MaterialError::Youngs(0.0)));
    assert!(matches!(Material::new(Law::Arap, f64::NAN, 0.3), Err(MaterialError::Youngs(_))));
    assert_eq!(Material::new(Law::Arap, 1.0, 0.5), Err(MaterialError::Poisson(0.5)));
    assert_eq!(Material::new(Law::Arap, 1.0, -1.0), Err(MaterialError::Poisson(-1.0)));
    let auxetic = MaterialError::Auxetic { law: "neo_hookean", poisson: -0.1 };
    assert_eq!(Material::new(Law::NeoHookean, 1.0, -0.1), Err(auxetic));
    assert!(Material::new(Law::StVenantKirchhoff, 1.0, -0.1).is_ok());
}

#[test]
fn names_go_both_ways() {
    for law in Law::ALL {
        assert_eq!(Law::from_name(law.name()), Some(law));
    }
    assert_eq!(Law::from_name("rubber"), None);
}
