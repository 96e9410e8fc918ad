//! The rows of cables, laid anew for each iteration.

use super::{Origin, Rows};
use crate::contact::Contacts;
use crate::contact::joints::piece;
use crate::contact::methods::{CableRow, Problem};
use crate::contact::operator::Compliance;
use crate::model::CableDrive;
use pliant_mesh::DVec3;

impl Rows {
    /// Rows of the cables for where their points are now.
    pub(super) fn lay_cables<C: Compliance>(
        &self,
        problem: &mut Problem<C>,
        contacts: &Contacts,
        position: impl Fn(u32) -> DVec3,
        entry: impl Fn(usize, usize) -> C,
    ) {
        problem.cables.clear();
        problem.terms.clear();
        let mut point = self.held;
        for (k, cable) in contacts.joints().cables.iter().enumerate() {
            let place = |i: usize| cable.points[i].at(&position);
            let first = problem.terms.len();
            let (mut length, mut before) = (0.0, DVec3::ZERO);
            for i in 0..cable.points.len() {
                let mut next = DVec3::ZERO;
                if i + 1 < cable.points.len() {
                    let (size, along) = piece(place(i), place(i + 1));
                    length += size;
                    next = along;
                }
                let own = matches!(self.origins.get(point),
                    Some(Origin::Station(c, s)) if *c as usize == k && *s as usize == i);
                if own {
                    problem.terms.push((point as u32, next - before));
                    point += 1;
                }
                before = next;
            }
            let terms = first..problem.terms.len();
            let response = self.response_to_tension(&problem.terms[terms.clone()], &entry);
            let row = CableRow {
                terms,
                slack: 0.0,
                response,
                compliance: cable.compliance,
                tension: cable.tension,
                pulled: false,
            };
            let row = match &cable.drive {
                CableDrive::Length(l) => CableRow { slack: l.at(contacts.end_time()) - length, ..row },
                CableDrive::Pull(pull) => {
                    CableRow { tension: pull.at(contacts.end_time()), pulled: true, ..row }
                }
            };
            for (point, gradient) in &problem.terms[row.terms.clone()] {
                problem.forces[*point as usize] = gradient * row.tension;
            }
            problem.cables.push(row);
        }
        debug_assert_eq!(point, self.points.len(), "every point of a cable takes part in its row");
    }

    /// How the slack of a cable grows with its tension through its own points, m/N.
    fn response_to_tension<C: Compliance>(
        &self,
        terms: &[(u32, DVec3)],
        entry: &impl Fn(usize, usize) -> C,
    ) -> f64 {
        let mut response = 0.0;
        for (a, g) in terms {
            for (b, f) in terms {
                response += entry(*a as usize, *b as usize).scaled(self.h2).between(*g, *f);
            }
        }
        response
    }
}
