//! The potential against finite differences; convergence of Newton for every law, also from an inverted start.

use super::*;
use crate::contact::Contacts;
use crate::fem::energy::{elastic_energy, elastic_forces_into};
use crate::fem::hessian::Batch;
use crate::fem::test_systems::{block, everything};
use crate::material::Law;
use crate::solver::Timings;
use pliant_linalg::Team;

/// Everything a potential borrows.
struct Case {
    system: System,
    x_t0: Vec<DVec3>,
    inertial: Vec<DVec3>,
    anchors: Vec<DVec3>,
    pressures: Vec<f64>,
}

impl Case {
    fn new(system: System) -> Case {
        let x_t0 = system.rest.clone();
        let inertial = x_t0.iter().map(|p| DVec3::new(p.x + 0.001, p.y, p.z - 0.002)).collect();
        let anchors = system.springs.iter().map(|_| DVec3::new(0.3, 0.1, -0.1)).collect();
        let pressures = system.script.pressures.iter().map(|p| p.value.at(0.0)).collect();
        Case { system, x_t0, inertial, anchors, pressures }
    }

    fn potential(&self) -> Potential<'_> {
        Potential {
            system: &self.system,
            materials: &self.system.materials,
            dt: 0.01,
            x_t0: &self.x_t0,
            inertial: &self.inertial,
            anchors: &self.anchors,
            pressures: &self.pressures,
            drags: &[],
        }
    }

    fn input(&self) -> StepInput<'_> {
        StepInput {
            team: Team::alone(),
            system: &self.system,
            dt: 0.01,
            x_t0: &self.x_t0,
            v_t0: &self.x_t0,
            inertial: &self.inertial,
            anchors: &self.anchors,
            pressures: &self.pressures,
            drags: &[],
            pin_targets: &[],
            poses: [&[], &[]],
            step: 1,
        }
    }
}

/// A smooth deformation that moves every vertex.
fn bent(x: &[DVec3], amount: f64) -> Vec<DVec3> {
    x.iter()
        .map(|p| {
            DVec3::new(
                p.x * (1.0 + amount) + amount * (7.0 * p.z).sin() * 0.1,
                p.y + amount * (9.0 * p.x).sin() * 0.1,
                p.z + amount * (8.0 * p.x + 3.0 * p.y).cos() * 0.1,
            )
        })
        .collect()
}

fn dense(potential: &Potential, x: &[DVec3], psd: bool) -> Vec<Vec<f64>> {
    let n = 3 * x.len();
    let mut h = vec![vec![0.0; n]; n];
    let mut blocks = Vec::new();
    for batch in Batch::all(potential.system) {
        Team::with(|team| potential.hessian_into(team, &batch, x, psd, &mut blocks));
        for ((i, j), block) in batch.places(potential.system).into_iter().zip(&blocks) {
            for r in 0..3 {
                for c in 0..3 {
                    h[3 * i as usize + r][3 * j as usize + c] += block[r][c];
                }
            }
        }
    }
    h
}

#[test]
fn gradient_and_hessian_match_finite_differences() {
    for law in Law::ALL {
        let mut case = Case::new(everything(law, 0.3, 0.0));
        // Damping by the stiffness where the step started, which is not where it is now.
        case.system.materials.iter_mut().for_each(|m| m.tangent_damping = 0.003);
        case.x_t0 = bent(&case.system.rest, 0.1);
        let potential = case.potential();
        let x = bent(&case.system.rest, 0.3);
        let n = x.len();
        let (mut g, mut plus, mut less) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
        potential.gradient_into(&x, &mut g);
        let h = dense(&potential, &x, false);
        let size = h.iter().flatten().fold(0.0, |m, a| f64::max(m, a.abs()));
        let e = 1e-6;
        for k in 0..3 * n {
            let shifted = |change: f64| {
                let mut x = x.clone();
                x[k / 3][k % 3] += change;
                x
            };
            let slope = (potential.value(&shifted(e)) - potential.value(&shifted(-e))) / (2.0 * e);
            assert!(
                (slope - g[k / 3][k % 3]).abs() < 1e-6 * size * 0.1,
                "{law:?} {k}: {slope} {:?}",
                g[k / 3]
            );
            potential.gradient_into(&shifted(e), &mut plus);
            potential.gradient_into(&shifted(-e), &mut less);
            for l in 0..3 * n {
                let slope = (plus[l / 3][l % 3] - less[l / 3][l % 3]) / (2.0 * e);
                assert!((slope - h[k][l]).abs() < 1e-7 * size, "{law:?} {k} {l}: {slope} {}", h[k][l]);
            }
        }
    }
}

#[test]
fn every_term_of_the_potential_is_exercised() {
    let case = Case::new(everything(Law::NeoHookean, 0.3, 0.0));
    let t = case.potential().terms(&bent(&case.system.rest, 0.3));
    for term in [t.inertia, t.elastic, t.bending, t.springs, t.pressure, t.damping] {
        assert!(term.abs() > 1e-6 && term.is_finite(), "{t:?}");
    }
    assert!(t.pressure < 0.0 && t.damping > 0.0);
}

#[test]
fn projected_hessian_is_positive_definite() {
    for law in Law::ALL {
        let case = Case::new(everything(law, 0.45, 0.0));
        let mut newton = Newton::new(&NewtonConfig::default(), &case.system);
        // Compressed and bent: the true Hessian is indefinite for most laws.
        let x: Vec<DVec3> =
            bent(&case.system.rest, 0.3).iter().map(|p| DVec3::new(0.3, 0.6, 0.6) * p).collect();
        newton.assembly.assemble(&case.potential(), &x, true);
        let gradient = vec![DVec3::ONE; x.len()];
        let mut step = gradient.clone();
        assert!(newton.assembly.solve(&gradient, &mut step).is_ok(), "{law:?}");
        assert!(sum_dot(&gradient, &step) < 0.0);
    }
}

#[test]
fn elastic_forces_are_minus_the_gradient_of_the_energy() {
    let system = everything(Law::StableNeoHookean, 0.3, 0.0);
    let x = bent(&system.rest, 0.2);
    let mut f = vec![DVec3::ZERO; x.len()];
    elastic_forces_into(&system, &x, &mut f);
    let total: DVec3 = f.iter().sum();
    // Neither elements nor stencils exert a net force.
    assert!(total.length() < 1e-9, "{total:?}");
    let moved: Vec<DVec3> = x.iter().zip(&f).map(|(x, f)| x + 1e-9 * f).collect();
    let drop = elastic_energy(&system, &x) - elastic_energy(&system, &moved);
    assert!((drop / (1e-9 * sum_dot(&f, &f)) - 1.0).abs() < 1e-3);
}

/// A block whose ends (x = 0 and x = length) are pinned and the second one is turned about x by `angle`.
fn twisted(law: Law, poisson: f64, angle: f64) -> (Case, Vec<DVec3>) {
    let mut system = block(law, poisson, [4, 1, 1]);
    for v in 0..system.rest.len() {
        let end = system.rest[v].x;
        system.pinned[v] = (!(0.05..=0.35).contains(&end)).then_some(0);
    }
    let case = Case::new(system);
    let (s, c) = angle.sin_cos();
    let mut x = case.inertial.clone();
    for (v, p) in case.system.rest.iter().enumerate() {
        if case.system.pinned[v].is_some() {
            let (y, z) = (p.y - 0.05, p.z - 0.05);
            x[v] = if p.x < 0.2 { *p } else { DVec3::new(p.x, 0.05 + c * y - s * z, 0.05 + s * y + c * z) };
        }
    }
    (case, x)
}

fn free_gradient(newton: &Newton, case: &Case, x: &[DVec3]) -> f64 {
    let mut g = vec![DVec3::ZERO; x.len()];
    case.potential().gradient_into(x, &mut g);
    newton.assembly.free_norm(&g)
}

#[test]
fn converges_for_every_law_in_few_iterations() {
    for law in Law::ALL {
        for (poisson, angle) in [(0.3, 0.5), (0.45, 1.0), (0.3, 3.0), (0.49, 3.0)] {
            let (case, mut x) = twisted(law, poisson, angle);
            let pins = x.clone();
            let mut newton = Newton::new(&NewtonConfig::default(), &case.system);
            let outcome = newton
                .solve(
                    &case.input(),
                    &mut Contacts::default(),
                    &mut x,
                    &mut Monitor::new(&mut Timings::default()),
                )
                .expect("solves");
            assert!(outcome.converged && outcome.iterations <= 25, "{law:?} {poisson}: {outcome:?}");
            // The mass of a vertex is about 0.2 kg: a force of 1e-8 N moves it by 1e-12 m in a step.
            assert!(
                free_gradient(&newton, &case, &x) < 1e-7,
                "{law:?}: {}",
                free_gradient(&newton, &case, &x)
            );
            for v in 0..x.len() {
                assert!(case.system.pinned[v].is_none() || x[v] == pins[v]);
            }
        }
    }
}

#[test]
fn converges_with_every_term() {
    // With a pressure on the open cloth too: a force without potential.
    for law in Law::ALL {
        let case = Case::new(everything(law, 0.3, 50.0));
        let mut x = case.inertial.clone();
        let mut newton = Newton::new(&NewtonConfig::default(), &case.system);
        let outcome = newton
            .solve(
                &case.input(),
                &mut Contacts::default(),
                &mut x,
                &mut Monitor::new(&mut Timings::default()),
            )
            .expect("solves");
        assert!(outcome.converged && outcome.iterations <= 25, "{law:?}: {outcome:?}");
        assert!(free_gradient(&newton, &case, &x) < 1e-7, "{law:?} {}", free_gradient(&newton, &case, &x));
    }
}

#[test]
fn pressure_on_an_open_cloth_is_a_force_along_its_normal() {
    let case = Case::new(everything(Law::Arap, 0.3, 50.0));
    let potential = case.potential();
    let x = &case.system.rest;
    let mut with = vec![DVec3::ZERO; x.len()];
    potential.gradient_into(x, &mut with);
    let mut without = with.clone();
    Potential { pressures: &[3e3, 0.0], ..potential }.gradient_into(x, &mut without);
    let net: DVec3 = with.iter().zip(&without).map(|(a, b)| b - a).sum();
    // The cloth's shadow on the xy plane is 0.2 m x 0.1 m, whatever its shape.
    assert!((net.z - 50.0 * 0.02).abs() < 1e-12, "{net:?}");
    let mut excess = vec![DVec3::ZERO; x.len()];
    potential.excess_gradient_into(x, &mut excess);
    let solid = case.system.bodies[0].vertices.clone();
    assert!(excess[solid].iter().all(|e| e.abs().max_element() < 1e-12));
}

#[test]
fn neo_hookean_recovers_from_an_inverted_start() {
    // A half turn in one step folds the elements at the pinned ends.
    let (case, mut x) = twisted(Law::NeoHookean, 0.4, 2.5);
    let folded =
        x.iter().enumerate().map(|(v, p)| if v % 3 == 0 { DVec3::new(p.x, -p.y, p.z) } else { *p }).collect();
    let pinned: Vec<bool> = case.system.pinned.iter().map(Option::is_some).collect();
    let start: Vec<DVec3> = x.clone();
    x = folded;
    for v in 0..x.len() {
        if pinned[v] {
            x[v] = start[v];
        }
    }
    assert!(case.potential().value(&x).is_infinite());
    let mut newton = Newton::new(&NewtonConfig::default(), &case.system);
    let outcome = newton
        .solve(&case.input(), &mut Contacts::default(), &mut x, &mut Monitor::new(&mut Timings::default()))
        .expect("solves");
    assert!(outcome.converged, "{outcome:?}");
    assert!(case.potential().value(&x).is_finite());
}

#[test]
fn free_flight_is_the_inertial_prediction_slowed_by_mass_damping() {
    // (v1 - v0)/h = -alpha v1, and no stiffness-proportional damping of a translation.
    for (rate, law) in [(0.0, Law::NeoHookean), (25.0, Law::Corotational)] {
        let mut system = block(law, 0.3, [2, 1, 1]);
        system.mass_damping.fill(rate);
        system.materials[0].damping = 0.1;
        let case = Case::new(system);
        let mut x = case.inertial.clone();
        let mut newton = Newton::new(&NewtonConfig::default(), &case.system);
        newton
            .solve(
                &case.input(),
                &mut Contacts::default(),
                &mut x,
                &mut Monitor::new(&mut Timings::default()),
            )
            .expect("solves");
        for ((x, x_t0), inertial) in x.iter().zip(&case.x_t0).zip(&case.inertial) {
            let expected = (inertial - x_t0) / (1.0 + 0.01 * rate);
            assert!((x - x_t0).abs_diff_eq(expected, 1e-14));
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let (case, mut x) = twisted(Law::FixedCorotated, 0.4, 1.0);
            let mut newton = Newton::new(&NewtonConfig::default(), &case.system);
            newton
                .solve(
                    &case.input(),
                    &mut Contacts::default(),
                    &mut x,
                    &mut Monitor::new(&mut Timings::default()),
                )
                .expect("solves");
            x
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_fully_pinned_or_empty_system_is_solved_at_once() {
    let mut system = block(Law::Arap, 0.3, [1, 1, 1]);
    system.pinned.fill(Some(0));
    let case = Case::new(system);
    let mut x = case.x_t0.clone();
    let mut newton = Newton::new(&NewtonConfig::default(), &case.system);
    let outcome = newton
        .solve(&case.input(), &mut Contacts::default(), &mut x, &mut Monitor::new(&mut Timings::default()))
        .expect("solves");
    assert!(outcome.converged && x == case.x_t0);
}

#[test]
fn settings_are_checked() {
    let check =
        |iterations, tolerance| crate::SolverConfig::Newton(NewtonConfig { iterations, tolerance }).check();
    assert!(check(0, 1e-10).is_err());
    assert!(check(10, f64::NAN).is_err());
    assert!(check(10, 1e-10).is_ok());
}
