//! Sweeps that need nothing but products with the operator: all contacts at once, each as if the others did not answer, and
//! on along their way \[Silcowitz10\].
//!
//! With the largest eigenvalue s of `D^-1 W`, D the largest response of each point to its own force, the update
//! `f_i <- law(free_i + (W f)_i - s D_i f_i)` leads to the same forces as block Gauss-Seidel: for a law without friction it is the projected
//! gradient in the metric of s D. A sweep of Gauss-Seidel would take a solve for each contact, this one takes one for all.

use super::momentum::Momentum;
use super::one_contact::PointSolve;
use super::problem::{Problem, StopRule};
use crate::contact::operator::{Compliance, Delassus};
use pliant_mesh::DVec3;

/// Products that find the largest eigenvalue. An estimate of more than half of it is good enough.
const POWERS: usize = 6;

/// A change that grows by this factor says that the eigenvalue was too small.
const GROWTH: f64 = 2.0;

/// Memory of the sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Projected {
    momentum: Momentum,
    moved: Vec<DVec3>,
    /// The largest response of each point to its own force.
    own: Vec<f64>,
    /// Forces that grow under the operator.
    power: Vec<DVec3>,
}

impl Projected {
    /// Improves the forces of `problem` until no change moves its point by more than the tolerance. Cables are left alone. Returns
    /// how far the last change moved a point, m, and the number of products that it took.
    pub(super) fn solve<W: Delassus<Block: PointSolve>>(
        &mut self,
        w: &mut W,
        problem: &mut Problem<W::Block>,
        until: StopRule,
    ) -> (f64, usize) {
        let count = problem.contacts.len();
        self.own.clear();
        self.own.extend(problem.contacts.iter().map(|c| c.compliance.largest()));
        self.moved.resize(count, DVec3::ZERO);
        let (mut scale, mut products) = self.largest_eigenvalue(w, problem);
        let (mut least, mut last) = (f64::INFINITY, 0.0);
        self.momentum.begin(&problem.forces, 0..count);
        for round in 0..until.rounds {
            w.products_into(problem.changes(), &mut self.moved);
            products += 1;
            let mut largest = 0.0f64;
            for (i, contact) in problem.contacts.iter().enumerate() {
                let (old, own) = (problem.forces[i], scale * self.own[i]);
                let at = contact.free + problem.h2 * self.moved[i];
                let new = contact.with(at - own * old, own).force();
                largest = largest.max(own * (new - old).length());
                problem.forces[i] = new;
            }
            // Without the caution of the scale, as a sweep of Gauss-Seidel would move it.
            last = largest / scale;
            if largest <= until.change || round + 1 == until.rounds {
                break;
            }
            if largest > GROWTH * least {
                scale *= GROWTH;
                least = f64::INFINITY;
                self.momentum.begin(&problem.forces, 0..count);
                continue;
            }
            least = least.min(largest);
            self.momentum.go_on(&mut problem.forces, &self.own, 0..count);
        }
        (last, products)
    }

    /// The largest eigenvalue of `D^-1 W` between the points that are pressed or would get into each other, at least 1, and the
    /// number of products that it took.
    fn largest_eigenvalue<W: Delassus>(&mut self, w: &mut W, problem: &Problem<W::Block>) -> (f64, usize) {
        let Projected { moved, own, power, .. } = self;
        if power.len() != problem.contacts.len() {
            power.clear();
            power.extend(problem.contacts.iter().map(|c| c.normal));
        }
        for (i, (power, c)) in power.iter_mut().zip(&problem.contacts).enumerate() {
            let is_open = problem.forces[i] == DVec3::ZERO && c.normal.dot(c.free) >= c.offset;
            if is_open {
                *power = DVec3::ZERO;
            } else if *power == DVec3::ZERO {
                *power = c.normal / own[i];
            }
        }
        let (mut found, mut products) = (1.0f64, 0);
        for _ in 0..POWERS {
            // With respect to the scalar product of D: |f|^2 = sum D_i f_i^2.
            let size: f64 = power.iter().zip(&*own).map(|(f, d)| d * f.length_squared()).sum();
            if !(size > 0.0 && size.is_finite()) {
                break;
            }
            let scale = 1.0 / size.sqrt();
            power.iter_mut().for_each(|f| *f *= scale);
            w.products_into(power.iter().copied().enumerate(), moved);
            products += 1;
            let quotient = power.iter().zip(&*moved).map(|(f, u)| f.dot(*u)).sum::<f64>() * problem.h2;
            found = found.max(quotient);
            for ((f, u), d) in power.iter_mut().zip(&*moved).zip(&*own) {
                if *f != DVec3::ZERO {
                    *f = *u * problem.h2 / *d;
                }
            }
        }
        (found, products)
    }
}
