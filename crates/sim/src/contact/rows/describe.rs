//! The problem of an iteration: what is constant while the points stay the same, and what moves with the positions.

use super::{Origin, Rows, force_of};
use crate::contact::methods::{OneContact, PointLaw, Problem};
use crate::contact::operator::{Compliance, Entries, PointRows};
use crate::contact::{Contacts, FrictionLaw};
use pliant_mesh::DVec3;

/// Part of the margin to which the contact problem is solved at least, however far the bodies still are from settled:
/// errors of contact must not feed on those of the iteration.
const COARSEST: f64 = 0.01;

impl Rows {
    /// What is constant about the points for as long as they stay the same. `own` is the response of a point to its own
    /// force over h^2, `x_t0` are the positions at the start of the step.
    pub(crate) fn describe<C: Compliance>(
        &mut self,
        problem: &mut Problem<C>,
        contacts: &Contacts,
        own: impl Fn(usize) -> C,
        x_t0: &[DVec3],
    ) {
        self.changed = false;
        problem.near = self.touching.len();
        problem.has_folds = contacts.has_folds();
        problem.coarsest = COARSEST * contacts.margin();
        self.weigh(problem);
        problem.contacts.clear();
        for (i, origin) in self.origins[..self.held].iter().enumerate() {
            let compliance = own(i).scaled(self.h2);
            problem.contacts.push(describe_point(*origin, contacts, compliance, x_t0));
        }
    }

    /// Responses of the points to their own forces, over h^2, where they have changed and the points have not.
    pub(crate) fn describe_responses<C: Compliance>(
        &self,
        problem: &mut Problem<C>,
        own: impl Fn(usize) -> C,
    ) {
        debug_assert!(!self.changed, "the points have been described");
        for (i, one) in problem.contacts.iter_mut().enumerate() {
            one.compliance = own(i).scaled(self.h2);
        }
    }

    /// What the masses of their vertices say about the points.
    fn weigh<C>(&mut self, problem: &mut Problem<C>) {
        problem.by_mass.clear();
        problem.by_mass.extend(self.points.iter().map(|p| {
            let terms = p.terms().map(|(row, w)| w * w / self.masses[row as usize]);
            self.h2 * terms.sum::<f64>()
        }));
        self.points_at.clear();
        self.points_at.resize(self.masses.len(), 0);
        for row in self.points.iter().flat_map(PointRows::rows) {
            self.points_at[*row as usize] += 1;
        }
        let most = |p: &PointRows| p.rows().iter().map(|&r| self.points_at[r as usize]).max();
        problem.sharing.clear();
        problem.sharing.extend(self.points.iter().map(|p| f64::from(most(p).unwrap_or(1))));
    }

    /// What moves with the positions `x` of all vertices, which the present forces have led to.
    pub(crate) fn update<W: Entries>(
        &self,
        problem: &mut Problem<W::Block>,
        contacts: &Contacts,
        x: &[DVec3],
        w: &W,
    ) {
        self.update_with(problem, contacts, x, |a, b| w.entry(a, b));
    }

    /// The same with the displacement of one point by a force on another, over h^2.
    pub(crate) fn update_with<C: Compliance>(
        &self,
        problem: &mut Problem<C>,
        contacts: &Contacts,
        x: &[DVec3],
        entry: impl Fn(usize, usize) -> C,
    ) {
        problem.at_start.clear();
        problem.at_start.extend(self.origins.iter().map(|o| force_of(*o, contacts)));
        problem.forces.clone_from(&problem.at_start);
        let position = |v: u32| x[v as usize];
        let joints = contacts.joints();
        for (origin, one) in self.origins.iter().zip(&mut problem.contacts) {
            match *origin {
                Origin::Contact(k) => {
                    let c = &contacts.contacts()[k as usize];
                    one.free = c.point(x);
                    one.normal = c.normal;
                    one.offset = c.normal.dot(c.anchor) + c.thickness;
                }
                Origin::Pair(k) => one.free = joints.attachments.pairs[k as usize].difference.at(position),
                Origin::Hold(k) => one.free = joints.holds()[k as usize].at.at(position),
                Origin::Guided(n, i) => one.free = joints.needles[n as usize].points[i as usize].at(position),
                Origin::Station(..) => {}
            }
        }
        self.lay_cables(problem, contacts, position, entry);
    }
}

/// A contact, an attached pair, a hold or a point on a needle.
fn describe_point<C>(origin: Origin, contacts: &Contacts, compliance: C, x_t0: &[DVec3]) -> OneContact<C> {
    let mut one = OneContact {
        free: DVec3::ZERO,
        normal: DVec3::Z,
        offset: 0.0,
        start: DVec3::ZERO,
        compliance,
        friction: FrictionLaw::default(),
        law: PointLaw::Contact,
    };
    match origin {
        Origin::Contact(k) => {
            let c = &contacts.contacts()[k as usize];
            for (&v, &w) in c.vertices.iter().zip(&c.weights).take(c.count as usize) {
                one.start += w * x_t0[v as usize];
            }
            one.start += c.anchor_motion;
            one.friction = contacts.friction()[k as usize];
        }
        Origin::Pair(k) => {
            one.law = PointLaw::Held(contacts.joints().attachments.pairs[k as usize].compliance);
        }
        Origin::Hold(k) => {
            let hold = &contacts.joints().holds()[k as usize];
            one.start = hold.target;
            one.law = PointLaw::Held(1.0 / hold.stiffness);
        }
        Origin::Guided(n, i) => {
            let needle = &contacts.joints().needles[n as usize];
            one.normal = needle.line.axis;
            one.start = needle.stuck[i as usize].expect("only points that a needle holds are listed");
            one.law = PointLaw::Guided { soft: needle.compliance, grip: needle.grip };
        }
        Origin::Station(..) => unreachable!("points of cables come after those that are described"),
    }
    one
}
