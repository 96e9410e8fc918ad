//! Block Gauss-Seidel: one contact after the other is solved exactly, with the forces of all others as they are.

use super::Problem;
use super::delassus::Delassus;
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
    /// point by more than `tolerance` (m).
    pub fn solve(&mut self, w: &Delassus, problem: &mut Problem, sweeps: usize, tolerance: f64) -> Swept {
        for c in &mut self.change {
            c.clear();
            c.resize(w.len(), 0.0);
        }
        simd::dispatch(Sweeps { w, problem, change: &mut self.change, sweeps, tolerance })
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
    let moved = product(s, w.row(index), change);
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

/// Products of a row of the operator with the three components.
#[inline(always)]
fn product<S: Simd>(s: S, row: &[f32], change: &[Vec<f32>; 3]) -> [f32; 3] {
    let [x, y, z] = change.each_ref().map(|c| &c[..row.len()]);
    // Two sums for each component hide the latency of the FMA.
    let mut sums = [[s.splat(0.0); 3]; 2];
    let mut at = 0;
    while at + 2 * S::LANES <= row.len() {
        for half in 0..2 {
            let from = at + half * S::LANES;
            let a = s.load(&row[from..]);
            for (sum, part) in sums[half].iter_mut().zip([x, y, z]) {
                *sum = s.fma(a, s.load(&part[from..]), *sum);
            }
        }
        at += 2 * S::LANES;
    }
    if at < row.len() {
        let a = s.load(&row[at..]);
        for (sum, part) in sums[0].iter_mut().zip([x, y, z]) {
            *sum = s.fma(a, s.load(&part[at..]), *sum);
        }
    }
    std::array::from_fn(|c| s.sum(s.add(sums[0][c], sums[1][c])))
}
