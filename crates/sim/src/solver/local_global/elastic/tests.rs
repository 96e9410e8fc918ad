//! The f32 kernels against the f64 functions of the materials, and what a Newton iteration takes for granted.

use super::*;
use crate::Material;
use crate::material::ElementMaterial;
use crate::material::isotropic::{membrane, solid};
use pliant_linalg::small::{Mat3, mul, svd3};
use pliant_mesh::DVec3;

const H: f64 = 0.01;

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn matrix<const C: usize>(&mut self, size: f64) -> [[f64; C]; 3] {
        std::array::from_fn(|_| std::array::from_fn(|_| self.range(-size, size)))
    }

    fn rotation(&mut self) -> Mat3 {
        svd3(&self.matrix(1.0)).u
    }

    /// `U diag(stretches) V^T` with random rotations; membranes stand anywhere in space.
    fn turned<const D: usize>(&mut self, stretches: [f64; D]) -> [[f64; D]; 3] {
        let u = self.rotation();
        let v: Mat3 = if D == 3 {
            self.rotation()
        } else {
            let (sin, cos) = self.range(-3.0, 3.0).sin_cos();
            [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]
        };
        std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..D).map(|k| u[i][k] * stretches[k] * v[j][k]).sum())
        })
    }
}

/// The f64 functions and the chunks of elements with D edges.
trait Kind<const D: usize> {
    fn material(law: Law, youngs: f64, poisson: f64) -> ElementMaterial;
    fn stress(m: &ElementMaterial, f: &[[f64; D]; 3]) -> [[f64; D]; 3];
    fn derivative(m: &ElementMaterial, f: &[[f64; D]; 3], df: &[[f64; D]; 3]) -> ([[f64; D]; 3], f64);
    fn chunks(law: Law, elements: &[Element<D>]) -> Vec<Box<dyn ElasticChunk>>;
}

/// `H df` and the Frobenius norm of H.
fn apply<const D: usize, const N: usize>(h: &[[f64; N]; N], df: &[[f64; D]; 3]) -> ([[f64; D]; 3], f64) {
    let change = std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..N).map(|k| h[D * i + j][k] * df[k / D][k % D]).sum())
    });
    (change, h.iter().flatten().map(|x| x * x).sum::<f64>().sqrt())
}

struct Tets;

impl Kind<3> for Tets {
    fn material(law: Law, youngs: f64, poisson: f64) -> ElementMaterial {
        let (mu, lambda) = Material { law, youngs, poisson }.lame_solid();
        ElementMaterial { law, mu, lambda, damping: 0.0, tangent_damping: 0.0 }
    }
    fn stress(m: &ElementMaterial, f: &Mat3) -> Mat3 {
        solid::stress(m, f)
    }
    fn derivative(m: &ElementMaterial, f: &Mat3, df: &Mat3) -> (Mat3, f64) {
        apply(&solid::hessian(m, f), df)
    }
    fn chunks(law: Law, elements: &[Element<3>]) -> Vec<Box<dyn ElasticChunk>> {
        solid_chunks(law, elements, H)
    }
}

struct Triangles;

impl Kind<2> for Triangles {
    fn material(law: Law, youngs: f64, poisson: f64) -> ElementMaterial {
        let (mu, lambda) = Material { law, youngs, poisson }.lame_membrane();
        ElementMaterial { law, mu, lambda, damping: 0.0, tangent_damping: 0.0 }
    }
    fn stress(m: &ElementMaterial, f: &[[f64; 2]; 3]) -> [[f64; 2]; 3] {
        membrane::stress(m, f)
    }
    fn derivative(m: &ElementMaterial, f: &[[f64; 2]; 3], df: &[[f64; 2]; 3]) -> ([[f64; 2]; 3], f64) {
        apply(&membrane::hessian(m, f), df)
    }
    fn chunks(law: Law, elements: &[Element<2>]) -> Vec<Box<dyn ElasticChunk>> {
        membrane_chunks(law, elements, H)
    }
}

/// Elements that share no vertex, so that the sum on a vertex is the force of one element.
struct Loose<const D: usize> {
    chunks: Vec<Box<dyn ElasticChunk>>,
    elements: Vec<Element<D>>,
}

const VOLUME: f64 = 3e-4;

/// A rest edge matrix of no special shape, and its inverse, a few centimetres in size.
fn rest<const D: usize>() -> ([[f64; D]; D], [[f64; D]; D]) {
    let (a, b, c) = (0.03, 0.02, 0.04);
    let edges = [[a, 0.01, -0.01], [0.0, b, 0.01], [0.0, 0.0, c]];
    let inverse = [
        [1.0 / a, -0.01 / (a * b), (0.01 * 0.01 / b + 0.01) / (a * c)],
        [0.0, 1.0 / b, -0.01 / (b * c)],
        [0.0, 0.0, 1.0 / c],
    ];
    let corner = |m: &Mat3| std::array::from_fn(|i| std::array::from_fn(|j| m[i][j]));
    (corner(&edges), corner(&inverse))
}

impl<const D: usize> Loose<D> {
    fn new<K: Kind<D>>(material: ElementMaterial, count: usize) -> Self {
        let weight = (2.0 * material.mu * (2.0 * material.mu + material.lambda.max(0.0))).sqrt();
        let element = |e: usize| Element {
            vertices: std::array::from_fn(|c| (e * (D + 1) + c.min(D)) as u32),
            inverse_rest: rest().1,
            volume: VOLUME,
            material: Weighted { elastic: material, weight },
        };
        let elements: Vec<_> = (0..count).map(element).collect();
        Loose { chunks: K::chunks(material.law, &elements), elements }
    }

    /// Positions (or directions) of which the elements have these gradients, a little away from the origin.
    fn positions(&self, gradients: &[[[f64; D]; 3]]) -> Vec<Vec4> {
        let mut x = vec![Vec4([0.7, -0.4, 0.2, 0.0]); self.elements.len() * (D + 1)];
        for (e, f) in gradients.iter().enumerate() {
            let edges = mul(f, &rest::<D>().0);
            for c in 0..D {
                for i in 0..3 {
                    x[e * (D + 1) + c + 1].0[i] += edges[i][c];
                }
            }
        }
        x
    }

    fn evaluate(&mut self, f: &[[[f64; D]; 3]], before: &[[[f64; D]; 3]]) -> (Vec<Vec4>, f64) {
        let (q, q_t) = (self.positions(f), self.positions(before));
        let least = self.chunks.iter_mut().map(|c| c.evaluate(&q, &q_t)).fold(f64::INFINITY, f64::min);
        (self.sums(), least)
    }

    fn product(&mut self, df: &[[[f64; D]; 3]]) -> Vec<Vec4> {
        let p = self.positions(df);
        self.chunks.iter_mut().for_each(|c| c.product(&p));
        self.sums()
    }

    fn sums(&self) -> Vec<Vec4> {
        let mut sums = vec![Vec4::default(); self.elements.len() * (D + 1)];
        for chunk in &self.chunks {
            for (&v, force) in chunk.vertices().iter().zip(chunk.forces()) {
                for k in 0..4 {
                    sums[v as usize].0[k] += force.0[k];
                }
            }
        }
        sums
    }

    /// The stress that element `e` has according to the sums on its vertices: pulls = h^2 V P G^T.
    fn stress(&self, sums: &[Vec4], e: usize) -> [[f64; D]; 3] {
        let edges = rest::<D>().0;
        let pull = |i: usize, c: usize| sums[e * (D + 1) + c + 1].0[i] / (H * H * VOLUME);
        std::array::from_fn(|i| std::array::from_fn(|j| (0..D).map(|c| pull(i, c) * edges[j][c]).sum()))
    }
}

fn norm<const D: usize>(a: &[[f64; D]; 3]) -> f64 {
    a.iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
}

fn combined<const D: usize>(a: &[[f64; D]; 3], factor: f64, b: &[[f64; D]; 3]) -> [[f64; D]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + factor * b[i][j]))
}

fn stiffness(m: &ElementMaterial) -> f64 {
    2.0 * m.mu + m.lambda.abs()
}

/// Deformation gradients with stretches of `1 - spread` to `1 + spread` (0.3 to 3 where it is negative).
fn gradients<const D: usize>(random: &mut Random, spread: f64, count: usize) -> Vec<[[f64; D]; 3]> {
    let (low, high) = if spread < 0.0 { (0.3, 3.0) } else { (1.0 - spread, 1.0 + spread) };
    (0..count)
        .map(|_| {
            let stretches = std::array::from_fn(|_| random.range(low, high));
            random.turned(stretches)
        })
        .collect()
}

/// The largest errors of stress and derivative. Both are relative to what the numbers that are added up amount to: the
/// stiffness and the stress, the norm of the Hessian and the direction.
fn errors<const D: usize, K: Kind<D>>(law: Law, youngs: f64, poisson: f64, spread: f64) -> [f64; 2] {
    const COUNT: usize = 300;
    let mut random = Random(17);
    let material = K::material(law, youngs, poisson);
    let mut loose = Loose::new::<K>(material, COUNT);
    let f = gradients::<D>(&mut random, spread, COUNT);
    let df: Vec<_> = (0..COUNT).map(|_| random.matrix(1.0)).collect();
    let forces = loose.evaluate(&f, &f).0;
    let products = loose.product(&df);
    let mut worst = [0.0f64; 2];
    for e in 0..COUNT {
        let stress = K::stress(&material, &f[e]);
        let error = norm(&combined(&stress, 1.0, &loose.stress(&forces, e)));
        worst[0] = worst[0].max(error / (stiffness(&material) + norm(&stress)));
        let (change, size) = K::derivative(&material, &f[e], &df[e]);
        let error = norm(&combined(&change, -1.0, &loose.stress(&products, e)));
        worst[1] = worst[1].max(error / ((stiffness(&material) + size) * norm(&df[e])));
    }
    worst
}

#[test]
fn forces_and_products_agree_with_the_oracle() {
    for law in Law::ALL {
        for spread in [0.0, 0.01, 0.3, -1.0] {
            for (youngs, poisson) in [(1e4, 0.0), (1e4, 0.3), (1e9, 0.3), (1e4, 0.49)] {
                let tets = errors::<3, Tets>(law, youngs, poisson, spread);
                let triangles = errors::<2, Triangles>(law, youngs, poisson, spread);
                let worst = tets.iter().chain(&triangles).fold(0.0, |a: f64, &b| a.max(b));
                assert!(worst < 2e-6, "{law:?} nu {poisson} spread {spread}: {tets:?} {triangles:?}");
            }
        }
    }
}

/// Stretches from a point to far beyond what a simulation meets, solids also inverted.
fn awkward<const D: usize>(random: &mut Random) -> Vec<[[f64; D]; 3]> {
    let sizes = [0.0, 1e-30, 1e-12, 1e-6, 1e-4, 1e-3, 0.05, 0.3, 1.0, 3.0, 100.0, 1e5];
    let mut all = Vec::new();
    for &a in &sizes {
        for &b in &sizes {
            for &c in sizes.iter().filter(|_| D == 3).chain(&[1.0]) {
                for sign in [1.0, -1.0] {
                    let stretches: [f64; D] = std::array::from_fn(|i| [a, sign * b, c][i]);
                    all.push(std::array::from_fn(|i| {
                        std::array::from_fn(|j| if i == j { stretches[i] } else { 0.0 })
                    }));
                    all.push(random.turned(stretches));
                }
            }
        }
    }
    all
}

fn check_finite_and_symmetric<const D: usize, K: Kind<D>>(law: Law, poisson: f64) {
    let mut random = Random(31);
    let f = awkward::<D>(&mut random);
    let material = K::material(law, 1e5, poisson);
    let mut loose = Loose::new::<K>(material, f.len());
    let (p, r): (Vec<_>, Vec<_>) = f.iter().map(|_| (random.matrix(1.0), random.matrix(1.0))).unzip();
    // A second time from the rotations that the first one left.
    loose.evaluate(&f, &f);
    let forces = loose.evaluate(&f, &f).0;
    let products = [loose.product(&p), loose.product(&r)];
    for sums in [&forces, &products[0], &products[1]] {
        for (v, sum) in sums.iter().enumerate() {
            assert!(sum.0.iter().all(|x| x.is_finite()), "{law:?} {:?}: {sum:?}", f[v / (D + 1)]);
        }
    }
    for e in 0..f.len() {
        let [hp, hr] = [0, 1].map(|k| loose.stress(&products[k], e));
        let dot = |a: &[[f64; D]; 3], b: &[[f64; D]; 3]| -> f64 {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
        };
        let size = norm(&r[e]) * norm(&hp) + norm(&p[e]) * norm(&hr);
        let error = (dot(&r[e], &hp) - dot(&p[e], &hr)).abs();
        assert!(error <= 1e-5 * size, "{law:?} {:?}: {} of {size}", f[e], error / size);
    }
}

#[test]
fn any_deformation_gives_finite_forces_and_symmetric_products() {
    for law in Law::ALL {
        for poisson in [0.0, 0.3, 0.49] {
            check_finite_and_symmetric::<3, Tets>(law, poisson);
            check_finite_and_symmetric::<2, Triangles>(law, poisson);
        }
    }
}

/// `mu F + (lambda L - mu) L' cof F` with the continued logarithm, in f64.
fn continued_stress(m: &ElementMaterial, f: &Mat3) -> Mat3 {
    let least = f64::from(laws::LEAST_VOLUME);
    let cofactor: Mat3 = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let at = |r: usize, c: usize| f[(i + r) % 3][(j + c) % 3];
            at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
        })
    });
    let j: f64 = (0..3).map(|c| f[0][c] * cofactor[0][c]).sum();
    let x = (j - least) / least;
    let (log, slope) =
        if j > least { (j.ln(), 1.0 / j) } else { (least.ln() + x - 0.5 * x * x, (1.0 - x) / least) };
    combined(&f.map(|row| row.map(|x| m.mu * x)), (m.lambda * log - m.mu) * slope, &cofactor)
}

#[test]
fn neo_hookean_goes_on_smoothly_below_the_least_volume() {
    const COUNT: usize = 100;
    let mut random = Random(5);
    let material = Tets::material(Law::NeoHookean, 1e5, 0.4);
    let mut loose = Loose::new::<Tets>(material, COUNT);
    // J from -0.3 to 0.3.
    let f: Vec<Mat3> = (0..COUNT)
        .map(|e| {
            let stretches = [random.range(0.8, 1.2), random.range(0.8, 1.2), (e as f64 - 50.0) / 160.0];
            random.turned(stretches)
        })
        .collect();
    let df: Vec<Mat3> = (0..COUNT).map(|_| random.matrix(1.0)).collect();
    let forces = loose.evaluate(&f, &f).0;
    let products = loose.product(&df);
    for e in 0..COUNT {
        let want = continued_stress(&material, &f[e]);
        let error = norm(&combined(&want, 1.0, &loose.stress(&forces, e)));
        assert!(error < 2e-6 * norm(&want), "{:?}", f[e]);
        let side = |step: f64| continued_stress(&material, &combined(&f[e], step, &df[e]));
        let want = combined(&side(1e-7), -1.0, &side(-1e-7)).map(|row| row.map(|x| x / 2e-7));
        let error = norm(&combined(&want, -1.0, &loose.stress(&products, e)));
        assert!(error < 1e-5 * norm(&want), "{:?}: {}", f[e], error / norm(&want));
    }
}

#[test]
fn volume_is_compared_with_that_of_the_accepted_positions() {
    let diagonal = |x: f64| [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, x]];
    let [first, second] = [[0.5, 2.0, -0.1].map(diagonal), [0.25, 0.9, -7.0].map(diagonal)];
    for law in Law::ALL {
        let mut loose = Loose::new::<Tets>(Tets::material(law, 1e5, 0.3), 3);
        assert_eq!(loose.evaluate(&first, &first).1, f64::INFINITY, "nothing is accepted yet");
        loose.chunks.iter_mut().for_each(|c| c.accept());
        let mut saved = Writer::default();
        loose.chunks.iter().for_each(|c| c.save(&mut saved));
        let want = if law == Law::NeoHookean { 0.5 } else { f64::INFINITY };
        assert_eq!(loose.evaluate(&second, &first).1, want);
        let mut restored = Loose::new::<Tets>(Tets::material(law, 1e5, 0.3), 3);
        let bytes = saved.into_bytes();
        let mut from = Reader::new(&bytes);
        restored.chunks.iter_mut().for_each(|c| c.load(&mut from).expect("the same chunks"));
        assert_eq!(restored.evaluate(&second, &first), (loose.sums(), want));
    }
    let flat = |x: f64| [[1.0, 0.0], [0.0, 0.0], [0.0, x]];
    let mut loose = Loose::new::<Triangles>(Triangles::material(Law::NeoHookean, 1e5, 0.3), 2);
    loose.evaluate(&[flat(0.5), flat(0.0)], &[flat(1.0); 2]);
    loose.chunks.iter_mut().for_each(|c| c.accept());
    assert_eq!(loose.evaluate(&[flat(0.4), flat(0.1)], &[flat(1.0); 2]).1 as f32, 0.8);
}

/// The sums of all chunks on the vertices of a system.
fn total(chunks: &[Box<dyn ElasticChunk>], n: usize) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; n];
    for chunk in chunks {
        for (&v, force) in chunk.vertices().iter().zip(chunk.forces()) {
            sums[v as usize] += force.point();
        }
    }
    sums
}

fn largest(a: impl Iterator<Item = DVec3>) -> f64 {
    a.map(|x| x.length()).fold(0.0, f64::max)
}

#[test]
fn meshes_with_damping_sum_the_forces_of_their_elements() {
    for law in Law::ALL {
        let mut system = crate::fem::test_systems::everything(law, 0.3, 0.0);
        system.stencils = Default::default();
        let n = system.rest.len();
        let index: Vec<u32> = (0..n as u32).collect();
        let x: Vec<DVec3> = (system.rest.iter())
            .map(|p| DVec3::new(1.1 * p.x - 0.2 * p.z, p.y + 0.05 * (9.0 * p.x).sin(), p.z - 0.1 * p.x))
            .collect();
        let [q, q_t] = [&x, &system.rest].map(|x| x.iter().map(|&p| Vec4::new(p)).collect::<Vec<_>>());
        let moved: Vec<Vec4> = q.iter().zip(&q_t).map(|(&a, &b)| a - b).collect();
        let mut damped = single_chunks(&system, &Weighted::all(&system, 1.0), &index, H);
        assert!(damped.iter_mut().all(|c| c.evaluate(&q, &q) == f64::INFINITY));
        let elastic = total(&damped, n);
        let mut want = vec![DVec3::ZERO; n];
        crate::fem::energy::elastic_forces_into(&system, &x, &mut want);
        let size = largest(want.iter().map(|&f| H * H * f));
        let error = largest(elastic.iter().zip(&want).map(|(&f, &want)| f - H * H * want));
        assert!(error < 1e-5 * size, "{law:?}: {error} of {size}");

        // h K_d (q - q_t), from the forces and from the products.
        damped.iter_mut().for_each(|c| _ = c.evaluate(&q, &q_t));
        let from_forces: Vec<DVec3> = elastic.iter().zip(total(&damped, n)).map(|(&a, b)| a - b).collect();
        damped.iter_mut().for_each(|c| c.product(&moved));
        let mut free = system.clone();
        free.materials.iter_mut().for_each(|m| m.damping = 0.0);
        let mut undamped = single_chunks(&free, &Weighted::all(&free, 1.0), &index, H);
        for chunk in &mut undamped {
            chunk.evaluate(&q, &q_t);
            chunk.product(&moved);
        }
        let from_products = total(&damped, n).into_iter().zip(total(&undamped, n)).map(|(a, b)| a - b);
        let size = largest(from_forces.iter().copied());
        let error = largest(from_products.zip(&from_forces).map(|(a, &b)| a - b));
        assert!(size > 0.0 && error < 1e-5 * size, "{law:?}: {error} of {size}");
    }
}
