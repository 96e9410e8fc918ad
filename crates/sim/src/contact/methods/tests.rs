//! Every method finds forces that satisfy the laws, with numbers and with blocks; equal operators give equal forces.

use super::*;
use crate::contact::FrictionLaw;
use crate::contact::operator::{BlockEntries, Compliance, FactorEntries, ScalarEntries};
use crate::contact::test_systems::*;
use pliant_mesh::{DMat3, DVec3};

/// Size of the net, m: tolerances are parts of it.
const SIZE: f64 = 0.1;

/// What may be left of sinking by about a millimetre, m.
const LEFT: f64 = 1e-7;

/// Time step, s.
const H: f64 = 1.0;

/// A rough slope that all points have sunk into and slide on.
fn problem<W: Delassus>(w: &W) -> Problem<W::Block> {
    let count = points().len();
    let mut problem = Problem::new(H);
    for i in 0..count {
        let shake = |k: usize| (1.0 + 1.3 * (i * 3 + k) as f64).sin();
        let n = DVec3::new(0.1 * shake(0), 0.1 * shake(1), 1.0);
        problem.contacts.push(OneContact {
            free: DVec3::new(2e-3 * shake(0), 2e-3 + 1e-3 * shake(1), -1e-3 * (1.0 + 0.9 * shake(2))),
            normal: n / n.length(),
            offset: 0.0,
            start: DVec3::ZERO,
            compliance: w.own(i).scaled(H * H),
            friction: FrictionLaw::isotropic(0.15 * (i % 4) as f64),
            law: PointLaw::Contact,
        });
    }
    problem.contacts[3].free.z = 2e-3;
    problem.forces = vec![DVec3::ZERO; count];
    problem.at_start = vec![DVec3::ZERO; count];
    problem.by_mass = vec![1.0; count];
    problem.sharing = vec![1.0; count];
    problem.near = count;
    problem
}

fn scalar() -> ScalarEntries {
    let mut w = ScalarEntries::new(vertices());
    Team::with(|team| w.build(team, &panels(&scalar_matrix()), &points()));
    w
}

fn blocks(a: &pliant_linalg::SymmetricCsc) -> BlockEntries {
    let mut w = BlockEntries::new(vertices());
    Team::with(|team| w.build(team, &panels(a), &points(), |_| None));
    w
}

/// Solves, moves the points as the forces do, and starts again from there, as the iteration around does.
fn iterate<W: Entries<Block: PointSolve>>(
    w: &mut W,
    mut problem: Problem<W::Block>,
    method: ContactMethod,
    rounds: usize,
) -> Problem<W::Block> {
    let config = ContactConfig { method, sweeps: 2000, direct_up_to: 100 };
    let mut methods = Methods::new(config, SIZE);
    methods.begin();
    let mut moved = vec![DVec3::ZERO; problem.contacts.len()];
    for _ in 0..rounds {
        Team::with(|team| methods.solve(team, w, &mut problem, 0.0));
        w.products_into(problem.changes(), &mut moved);
        for (contact, moved) in problem.contacts.iter_mut().zip(&moved) {
            contact.free += problem.h2 * moved;
        }
        problem.at_start.clone_from(&problem.forces);
    }
    problem
}

/// How far a contact is at most from where its own laws want it, m.
fn violation<C: PointSolve>(problem: &Problem<C>) -> f64 {
    let mut largest = 0.0f64;
    for (contact, &force) in problem.contacts.iter().zip(&problem.forces) {
        let alone = OneContact { free: contact.free - contact.compliance.apply(force), ..*contact };
        largest = largest.max(contact.compliance.displacement(alone.force() - force));
    }
    largest
}

fn largest_difference(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs().max_element()).fold(0.0, f64::max)
}

/// The methods that solve the problem, and rounds in which they do.
const METHODS: [(ContactMethod, usize); 2] = [(ContactMethod::GaussSeidel, 3), (ContactMethod::Direct, 8)];

/// One step of the non-smooth Newton method.
fn newton(linear: LinearSolve) -> ContactMethod {
    ContactMethod::NonSmoothNewton(NonSmoothNewton { linear, ..NonSmoothNewton::default() })
}

/// Whether two lists of forces are the same, up to a part of the largest.
fn assert_same(a: &[DVec3], b: &[DVec3], part: f64) {
    let largest = largest_difference(a, &vec![DVec3::ZERO; a.len()]);
    let error = largest_difference(a, b);
    assert!(error < part * largest, "{error} of {largest}");
}

#[test]
fn methods_satisfy_the_laws_with_numbers_and_with_blocks() {
    for (method, rounds) in METHODS {
        let one = iterate(&mut scalar(), problem(&scalar()), method, rounds);
        assert!(violation(&one) < LEFT, "{method:?}: {}", violation(&one));
        for a in [isotropic_matrix(), anisotropic_matrix()] {
            let mut w = blocks(&a);
            let start = problem(&w);
            assert!(violation(&start) > 1e3 * LEFT);
            let three = iterate(&mut w, start, method, rounds);
            assert!(violation(&three) < LEFT, "{method:?} with blocks: {}", violation(&three));
        }
    }
}

#[test]
fn blocks_of_one_number_give_the_forces_of_the_numbers() {
    let mut w = blocks(&isotropic_matrix());
    let steps = [LinearSolve::Direct, LinearSolve::ConjugateResiduals(8)].map(|linear| (newton(linear), 1));
    for (method, rounds) in METHODS.into_iter().chain(steps) {
        let one = iterate(&mut scalar(), problem(&scalar()), method, rounds);
        let start = problem(&w);
        let three = iterate(&mut w, start, method, rounds);
        assert_same(&one.forces, &three.forces, 1e-4);
    }
}

#[test]
fn all_methods_find_the_same_forces_with_blocks() {
    let mut w = blocks(&anisotropic_matrix());
    let [swept, direct] = METHODS.map(|(method, rounds)| {
        let start = problem(&w);
        iterate(&mut w, start, method, rounds).forces
    });
    assert_same(&swept, &direct, 1e-3);
}

/// By products alone, and from forces that are far off.
#[test]
fn sweeps_over_all_contacts_at_once_find_the_same_forces() {
    let mut w = blocks(&anisotropic_matrix());
    let start = problem(&w);
    let swept = iterate(&mut w, start, ContactMethod::GaussSeidel, 3).forces;
    for force in [0.0, 5.0] {
        let mut at_once = problem(&w);
        at_once.forces.iter_mut().for_each(|f| f.z = force);
        let until = StopRule { rounds: 2000, change: 1e-10 * SIZE };
        let (left, products) = Projected::default().solve(&mut w, &mut at_once, until);
        assert!(left <= until.change, "{left:.1e} after {products}");
        assert!(products < 300, "{products} products");
        assert_same(&swept, &at_once.forces, 1e-3);
    }
}

#[test]
fn a_newton_step_with_blocks_is_the_same_by_a_factor_and_by_conjugate_residuals() {
    let mut w = blocks(&anisotropic_matrix());
    let [factored, iterated] = [LinearSolve::Direct, LinearSolve::ConjugateResiduals(200)].map(|linear| {
        let start = problem(&w);
        iterate(&mut w, start, newton(linear), 1).forces
    });
    assert_same(&factored, &iterated, 1e-3);
}

#[test]
fn newton_steps_with_blocks_satisfy_the_law_of_contact() {
    let mut w = blocks(&anisotropic_matrix());
    let mut start = problem(&w);
    start.contacts.iter_mut().for_each(|c| c.friction = FrictionLaw::default());
    let solved = iterate(&mut w, start, newton(LinearSolve::Direct), 40);
    assert!(violation(&solved) < LEFT, "{}", violation(&solved));
}

#[test]
fn a_change_of_low_rank_gives_the_forces_of_its_blocks() {
    RANKS.into_iter().for_each(compare_with_blocks);
}

fn compare_with_blocks(rank: usize) {
    let mut w = updated_entries(rank);
    let mut blocks = BlockEntries::new(vertices());
    Team::with(|team| blocks.build_from(team, &points(), updated_inverse(rank)));
    let steps = [LinearSolve::Direct, LinearSolve::ConjugateResiduals(8)].map(|linear| (newton(linear), 1));
    for (method, rounds) in METHODS.into_iter().chain(steps) {
        let (start, known) = (problem(&w), problem(&blocks));
        let found = iterate(&mut w, start, method, rounds);
        if rounds > 1 {
            assert!(violation(&found) < LEFT, "{method:?}: {}", violation(&found));
        }
        assert_same(&found.forces, &iterate(&mut blocks, known, method, rounds).forces, 1e-4);
        let pressed = found.forces.iter().filter(|f| **f != DVec3::ZERO).count();
        let is_split = w.split().is_some_and(|(_, fields)| fields.columns() <= pressed);
        assert_eq!(is_split, rank == RANKS[0], "both systems are to be seen: {pressed} {method:?}");
    }
}

/// A cable through two points, one point that is held and one that is guided, besides contacts.
#[test]
fn joints_obey_their_laws_with_numbers_and_with_blocks() {
    fn solve<W: Entries<Block: PointSolve>>(w: &mut W) -> (Vec<DVec3>, f64, f64) {
        let mut problem = problem(w);
        problem.contacts[1].law = PointLaw::Held(0.3);
        problem.contacts[2].law = PointLaw::Guided { soft: 0.1, grip: 2e-4 };
        // The last two points are those of a cable that is 3 mm too long.
        problem.contacts.truncate(points().len() - 2);
        let [a, b] = [points().len() - 2, points().len() - 1];
        problem.terms = vec![(a as u32, DVec3::X), (b as u32, DVec3::new(-0.6, 0.8, 0.0))];
        let terms = problem.terms.clone();
        let mut response = 0.0;
        for (i, g) in &terms {
            for (j, f) in &terms {
                response += w.entry(*i as usize, *j as usize).between(*g, *f);
            }
        }
        problem.cables = vec![CableRow {
            terms: 0..2,
            slack: -3e-3,
            response,
            compliance: 0.05,
            tension: 0.0,
            pulled: false,
        }];
        let at_start = problem.at_start.clone();
        let (slack, compliance) = (problem.cables[0].slack, problem.cables[0].compliance);
        let config = ContactConfig { method: ContactMethod::GaussSeidel, sweeps: 2000, direct_up_to: 0 };
        Team::with(|team| Methods::new(config, SIZE).solve(team, w, &mut problem, 0.0));
        // The change of the slack by all forces, and what the compliance gives.
        let mut moved = vec![DVec3::ZERO; points().len()];
        assert_eq!(at_start, problem.at_start);
        w.products_into(problem.changes(), &mut moved);
        let tension = problem.cables[0].tension;
        let grown: f64 = terms.iter().map(|(i, g)| g.dot(moved[*i as usize])).sum();
        for (contact, moved) in problem.contacts.iter_mut().zip(&moved) {
            contact.free += *moved;
        }
        assert!(violation(&problem) < LEFT, "{}", violation(&problem));
        (problem.forces, tension, slack + grown + compliance * tension)
    }
    let (forces, tension, left) = solve(&mut scalar());
    assert!(tension > 0.0 && left.abs() < LEFT, "{tension} {left}");
    let (same, same_tension, left) = solve(&mut blocks(&isotropic_matrix()));
    assert!(
        left.abs() < LEFT && (tension / same_tension - 1.0).abs() < 1e-5,
        "{tension} {same_tension} {left}"
    );
    let largest = largest_difference(&forces, &vec![DVec3::ZERO; forces.len()]);
    assert!(largest_difference(&forces, &same) < 1e-5 * largest);
    let (_, tension, left) = solve(&mut blocks(&anisotropic_matrix()));
    assert!(tension > 0.0 && left.abs() < LEFT, "{tension} {left}");
    let (_, tension, left) = solve(&mut updated_entries(RANKS[0]));
    assert!(tension > 0.0 && left.abs() < LEFT, "{tension} {left}");
}

#[test]
fn the_first_guess_stops_the_mass_of_what_closes() {
    let mut problem = problem(&scalar());
    problem.guess_new_forces();
    for (c, f) in problem.contacts.iter().zip(&problem.forces) {
        let expected = c.normal * (-c.normal.dot(c.free)).max(0.0);
        assert!(largest_difference(&[expected], &[*f]) < 1e-15);
    }
    assert_eq!(DMat3::IDENTITY.along(DVec3::new(0.0, 0.6, 0.8)), 1.0);
}
