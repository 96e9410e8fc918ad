//! Block Gauss-Seidel: one contact after the other is solved exactly, with the forces of all others as they are.

use super::Problem;
use super::delassus::{Delassus, row_product};
use pliant_linalg::simd::{self, Kernel, Simd};
use pliant_mesh::Point;

/// Memory of the sweeps.
#[derive(Debug, Default)]
pub struct GaussSeidel {
    /// Changes of force since the start, by component, in the places of the operator.
    change: [Vec<f32>; 3],
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
    /// point by more than `tolerance` (m). The positions of the problem are those of the forces it has.
    pub fn solve(&mut self, w: &Delassus, problem: &mut Problem, sweeps: usize, tolerance: f64) -> Swept {
        self.clear(w);
        simd::dispatch(Sweeps { w, problem, change: &mut self.change, sweeps, tolerance })
    }

    /// As [`solve`](Self::solve), where the positions of the problem are those of the forces `at_start`.
    pub fn go_on(
        &mut self,
        w: &Delassus,
        problem: &mut Problem,
        at_start: &[Point],
        sweeps: usize,
        tolerance: f64,
    ) -> Swept {
        self.clear(w);
        for (i, (now, then)) in problem.forces.iter().zip(at_start).enumerate() {
            for c in 0..3 {
                self.change[c][w.index(i)] += (now[c] - then[c]) as f32;
            }
        }
        simd::dispatch(Sweeps { w, problem, change: &mut self.change, sweeps, tolerance })
    }

    fn clear(&mut self, w: &Delassus) {
        for c in &mut self.change {
            c.clear();
            c.resize(w.len(), 0.0);
        }
    }
}

struct Sweeps<'a> {
    w: &'a Delassus,
    problem: &'a mut Problem,
    change: &'a mut [Vec<f32>; 3],
    sweeps: usize,
    tolerance: f64,
}

impl Kernel for Sweeps<'_> {
    type Output = Swept;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Swept {
        let Sweeps { w, problem, change, sweeps, tolerance } = self;
        let count = problem.contacts.len();
        let mut result = Swept::default();
        for sweep in 0..sweeps {
            let mut largest = 0.0f64;
            for k in 0..count {
                let i = if sweep % 2 == 0 { k } else { count - 1 - k };
                let moved = visit(s, w, problem, change, i);
                largest = largest.max(moved);
            }
            result = Swept { sweeps: sweep + 1, change: largest.sqrt() };
            if result.change <= tolerance {
                break;
            }
        }
        result
    }
}

/// Solves contact `i`; returns the square of the displacement its change of force gives it.
#[inline(always)]
fn visit<S: Simd>(s: S, w: &Delassus, problem: &mut Problem, change: &mut [Vec<f32>; 3], i: usize) -> f64 {
    let index = w.index(i);
    let moved = row_product(s, w.row(index), change);
    let (mut contact, old) = (problem.contacts[i], problem.forces[i]);
    contact.free = std::array::from_fn(|k| {
        contact.free[k] + problem.h2 * f64::from(moved[k]) - contact.compliance * old[k]
    });
    let new = contact.force();
    let step: Point = std::array::from_fn(|k| new[k] - old[k]);
    for k in 0..3 {
        change[k][index] += step[k] as f32;
    }
    problem.forces[i] = new;
    let size: f64 = step.iter().map(|x| x * x).sum();
    size * contact.compliance * contact.compliance
}
