//! The rows of cables, laid anew for each iteration.

use super::{ContactStep, Origin};
use crate::contact::{CableRow, Contacts, piece};
use crate::model::CableDrive;
use pliant_linalg::small::dot;
use pliant_mesh::Point;

impl ContactStep {
    /// Rows of the cables for where their points are now.
    pub(super) fn lay_cables(&mut self, contacts: &Contacts, position: impl Fn(u32) -> Point) {
        self.problem.cables.clear();
        self.problem.terms.clear();
        let mut point = self.problem.contacts.len();
        for (k, cable) in contacts.joints().cables.iter().enumerate() {
            let place = |i: usize| cable.points[i].at(&position);
            let first = self.problem.terms.len();
            let (mut length, mut before) = (0.0, [0.0; 3]);
            for i in 0..cable.points.len() {
                let mut next = [0.0; 3];
                if i + 1 < cable.points.len() {
                    let (size, along) = piece(&place(i), &place(i + 1));
                    length += size;
                    next = along;
                }
                let own = matches!(self.origins.get(point),
                    Some(Origin::Station(c, s)) if *c as usize == k && *s as usize == i);
                if own {
                    let gradient = std::array::from_fn(|c| next[c] - before[c]);
                    self.problem.terms.push((point as u32, gradient));
                    point += 1;
                }
                before = next;
            }
            let terms = first..self.problem.terms.len();
            let row = self.cable_row(terms, length, &cable.drive, contacts.end_time(), cable.compliance);
            let tension = if row.pulled { row.tension } else { cable.tension };
            for (point, gradient) in &self.problem.terms[row.terms.clone()] {
                self.problem.forces[*point as usize] = gradient.map(|g| g * tension);
            }
            self.problem.cables.push(CableRow { tension, ..row });
        }
    }

    fn cable_row(
        &self,
        terms: std::ops::Range<usize>,
        length: f64,
        drive: &CableDrive,
        t: f64,
        compliance: f64,
    ) -> CableRow {
        let mut response = 0.0;
        for (a, g) in &self.problem.terms[terms.clone()] {
            for (b, f) in &self.problem.terms[terms.clone()] {
                response += self.h2 * self.delassus.entry(*a as usize, *b as usize) * dot(g, f);
            }
        }
        let row = CableRow { terms, slack: 0.0, response, compliance, tension: 0.0, pulled: false };
        match drive {
            CableDrive::Length(l) => CableRow { slack: l.at(t) - length, ..row },
            CableDrive::Pull(pull) => CableRow { tension: pull.at(t), pulled: true, ..row },
        }
    }
}
