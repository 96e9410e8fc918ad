//! Block Gauss-Seidel: one contact after the other is solved exactly, with the forces of all others as they are.

use super::Problem;
use super::delassus::{Change, Delassus, row_product};
use pliant_linalg::simd::{self, Kernel, Simd};
use pliant_mesh::Point;

/// Sweeps over the cables where they are solved alone: there are few.
const CABLE_SWEEPS: usize = 8;

/// One in this many sweeps visits all contacts; the others leave out those without a force, which are most where many
/// points are near.
const FULL_EVERY: usize = 5;

/// Memory of the sweeps.
#[derive(Debug, Default)]
pub struct GaussSeidel {
    /// Changes of force since the start.
    change: Change,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swept {
    /// Sweeps done.
    pub sweeps: usize,
    /// Longest displacement that a contact was given by its own force in the last sweep, m.
    pub change: f64,
}

impl GaussSeidel {
    /// Sweeps up to `sweeps` times over the contacts, forwards and backwards in turn, until no change of force moves its
    /// point by more than `tolerance` (m). The positions of the problem are those of the forces `at_start`.
    pub fn solve(
        &mut self,
        w: &Delassus,
        problem: &mut Problem,
        at_start: &[Point],
        sweeps: usize,
        tolerance: f64,
    ) -> Swept {
        self.collect_changes(w, problem, at_start);
        simd::dispatch(Sweeps { w, problem, change: &mut self.change, contacts: true, sweeps, tolerance })
    }

    /// Solves the cables alone, with all other forces as they are.
    pub fn pull_cables(&mut self, w: &Delassus, problem: &mut Problem, at_start: &[Point]) {
        self.collect_changes(w, problem, at_start);
        let change = &mut self.change;
        simd::dispatch(Sweeps { w, problem, change, contacts: false, sweeps: CABLE_SWEEPS, tolerance: 0.0 });
    }

    fn collect_changes(&mut self, w: &Delassus, problem: &Problem, at_start: &[Point]) {
        self.change.clear(w);
        self.change.add_between(w, 0..problem.forces.len(), at_start, &problem.forces);
    }
}

struct Sweeps<'a> {
    w: &'a Delassus,
    problem: &'a mut Problem,
    change: &'a mut Change,
    /// Whether contacts are visited too, or only cables.
    contacts: bool,
    sweeps: usize,
    tolerance: f64,
}

impl Kernel for Sweeps<'_> {
    type Output = Swept;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Swept {
        let Sweeps { w, problem, change, contacts, sweeps, tolerance } = self;
        let count = if contacts { problem.contacts.len() } else { 0 };
        let mut result = Swept::default();
        let mut full = true;
        for sweep in 0..sweeps {
            let mut largest = 0.0f64;
            for k in 0..count {
                let i = if sweep % 2 == 0 { k } else { count - 1 - k };
                if full || problem.forces[i] != [0.0; 3] {
                    largest = largest.max(visit(s, w, problem, change, i));
                }
            }
            for cable in 0..problem.cables.len() {
                largest = largest.max(pull(s, w, problem, change, cable));
            }
            result = Swept { sweeps: sweep + 1, change: largest.sqrt() };
            let settled = result.change <= tolerance;
            if full && settled {
                break;
            }
            full = settled || (sweep + 1) % FULL_EVERY == 0;
        }
        result
    }
}

/// Solves a cable with the forces of all others as they are; returns the square of the change of its slack.
#[inline(always)]
fn pull<S: Simd>(s: S, w: &Delassus, problem: &mut Problem, change: &mut Change, cable: usize) -> f64 {
    let row = &problem.cables[cable];
    if row.pulled {
        return 0.0;
    }
    let mut slack = row.slack;
    for (point, gradient) in &problem.terms[row.terms.clone()] {
        let moved = row_product(s, w.row(w.index(*point as usize)), change);
        slack += problem.h2 * (0..3).map(|k| gradient[k] * f64::from(moved[k])).sum::<f64>();
    }
    let stiffness = 1.0 / (row.response + row.compliance);
    let tension = (row.tension - (slack + row.compliance * row.tension) * stiffness).max(0.0);
    let (step, response) = (tension - row.tension, row.response);
    for (point, gradient) in &problem.terms[row.terms.clone()] {
        let point = *point as usize;
        let by = gradient.map(|g| step * g);
        change.add(w, point, &by);
        problem.forces[point] = std::array::from_fn(|k| problem.forces[point][k] + by[k]);
    }
    problem.cables[cable].tension = tension;
    (step * response).powi(2)
}

/// Solves contact `i`; returns the square of the displacement its change of force gives it.
#[inline(always)]
fn visit<S: Simd>(s: S, w: &Delassus, problem: &mut Problem, change: &mut Change, i: usize) -> f64 {
    let moved = row_product(s, w.row(w.index(i)), change);
    let (mut contact, old) = (problem.contacts[i], problem.forces[i]);
    contact.free = std::array::from_fn(|k| {
        contact.free[k] + problem.h2 * f64::from(moved[k]) - contact.compliance * old[k]
    });
    let new = contact.force();
    let step: Point = std::array::from_fn(|k| new[k] - old[k]);
    change.add(w, i, &step);
    problem.forces[i] = new;
    let size: f64 = step.iter().map(|x| x * x).sum();
    size * contact.compliance * contact.compliance
}
