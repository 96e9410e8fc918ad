//! The contacts of a step: which pairs they are, how stiff, what they remember from iteration to iteration, and what they say at the end.

use super::config::Augmentation;
use super::prescribed::Prescribed;
use super::terms::Term;
use super::{Barrier, Problem};
use crate::contact::Contacts;
use crate::solver::SolveError;
use pliant_collide::Side;
use pliant_collide::proximity::{Pair, PairKind};
use pliant_mesh::DVec3;

/// Part of the reach below which the gap of a contact is small.
const SMALL: f64 = 0.01;

impl Barrier {
    /// Whether a pair has a free vertex.
    pub(super) fn moves(&self, pair: &Pair) -> bool {
        pair.points.iter().any(|&p| self.system.is_free(p))
    }

    /// The pairs as contacts, in ascending order, with what those of them that are known have.
    pub(super) fn terms_of(&self, pairs: Vec<Pair>, inertial: &[DVec3]) -> Vec<Term> {
        let mut terms: Vec<Term> = pairs
            .into_iter()
            .map(|pair| Term { sigma: self.sigma(&pair, inertial), multiplier: None, friction: None, pair })
            .collect();
        terms.sort_unstable_by_key(|t| (t.pair.kind, t.pair.points));
        let mut known = self.terms.iter().peekable();
        for term in &mut terms {
            let key = |t: &Term| (t.pair.kind, t.pair.points);
            while known.next_if(|old| key(old) < key(term)).is_some() {}
            if let Some(old) = known.next_if(|old| key(old) == key(term)) {
                *term = *old;
            }
        }
        // What still has a multiplier stays, also beyond the reach.
        let key = |t: &Term| (t.pair.kind, t.pair.points);
        let augmented = self.terms.iter().filter(|t| t.multiplier.is_some_and(|mu| mu > 0.0));
        let missing: Vec<Term> =
            augmented.filter(|t| terms.binary_search_by_key(&key(t), key).is_err()).copied().collect();
        if !missing.is_empty() {
            terms.extend(missing);
            terms.sort_unstable_by_key(key);
        }
        terms
    }

    /// Stiffness of the barrier of a pair in N/m: that of its vertices, between two bodies the geometric mean of both; more where
    /// they are predicted to go farther than it reaches, so that the barrier can stop them.
    pub(super) fn sigma(&self, pair: &Pair, inertial: &[DVec3]) -> f64 {
        let side = |points: &[u32]| {
            let free = points.iter().filter(|p| self.system.is_free(**p));
            let (sum, count) = free.fold((0.0, 0), |(sum, n), &p| (sum + self.stiffness[p as usize], n + 1));
            sum / f64::from(count.max(1))
        };
        let [first, second] = match pair.kind {
            PairKind::EdgeEdge => [side(&pair.points[..2]), side(&pair.points[2..])],
            _ => [side(&pair.points[..1]), side(&pair.points[1..])],
        };
        let own = if first > 0.0 && second > 0.0 { (first * second).sqrt() } else { first.max(second) };
        let way = |p: &u32| Some(*inertial.get(*p as usize)? - *self.points_t0.get(*p as usize)?);
        let ways = pair.points.map(|p| way(&p).unwrap_or_default());
        let farthest = ways
            .iter()
            .fold(0.0, |most: f64, way| most.max(way.distance(ways[0])).max(way.distance(ways[3])));
        self.config.stiffness * own * (farthest / (2.0 * pair.reach)).max(1.0)
    }

    /// Leaves out what is beyond its reach and has no multiplier.
    pub(super) fn keep_near(&mut self) {
        let points = &self.points;
        self.terms.retain(|t| t.gap(points) < t.pair.reach || t.multiplier.is_some_and(|mu| mu > 0.0));
    }

    /// Friction from the forces and directions of this iterate.
    pub(super) fn refresh_friction(&mut self, problem: &Problem, prescribed: &mut Prescribed) {
        let eps = self.config.eps_v * problem.input.dt;
        let poses = [problem.input.poses[0], prescribed.poses(prescribed.done, problem.input)];
        let n = self.gradient.len();
        for term in &mut self.terms {
            let coefficient = problem.contacts.law_between(term.pair.sides).coefficient();
            if coefficient > 0.0 && term.sigma > 0.0 {
                term.slide((&self.points, n), poses, coefficient, (eps, self.careful));
            }
        }
    }

    /// Takes new multipliers from the forces, and gives one to each contact whose gap is small.
    pub(super) fn update_multipliers(&mut self) {
        if self.config.augmentation == Augmentation::Off {
            return;
        }
        for term in self.terms.iter_mut().filter(|t| t.sigma > 0.0) {
            match term.updated_multiplier(&self.points) {
                Some(0.0) => term.multiplier = None,
                Some(mu) => term.multiplier = Some(mu),
                None if term.gap(&self.points) < SMALL * term.pair.reach => term.multiplier = Some(0.0),
                None => {}
            }
        }
    }

    /// What leaves no room: the pair with the least part of its reach left.
    pub(super) fn no_room(&self, problem: &Problem, part: f64) -> SolveError {
        let left = |t: &Term| t.gap(&self.points) / t.pair.reach;
        let nearest = self.terms.iter().min_by(|a, b| left(a).total_cmp(&left(b)));
        let between =
            nearest.map_or("elements that would invert".to_string(), |t| self.between(problem, &t.pair));
        SolveError::NoRoom { part, between, gap: nearest.map_or(0.0, |t| t.gap(&self.points)) }
    }

    /// The two sides of a pair, and where they meet.
    pub(super) fn between(&self, problem: &Problem, pair: &Pair) -> String {
        let [a, b] = pair.sides.map(|side| match side {
            Side::Body(body) => format!("body `{}`", problem.input.system.bodies[body.index()].name),
            Side::Obstacle(obstacle) => format!("obstacle {obstacle}"),
        });
        let at = self.points[pair.points[0] as usize];
        format!("{a} and {b} at [{:.4}, {:.4}, {:.4}]", at.x, at.y, at.z)
    }

    /// The contacts of the step and their forces.
    pub(super) fn hand_over(&self, contacts: &mut Contacts) {
        let both = [&self.points_t0[..], &self.points[..]];
        let n = self.gradient.len();
        let mut all: Vec<_> = self
            .terms
            .iter()
            .filter(|t| t.sigma > 0.0)
            .filter_map(|term| {
                let contact = term.pair.contact(both, n)?;
                let friction = term.friction_force(both);
                // The contact may be told from the second side.
                let sign = if contact.sides[0] == term.pair.sides[0] { 1.0 } else { -1.0 };
                Some((contact, term.normal_force(&self.points) * contact.normal + sign * friction))
            })
            .collect();
        all.sort_unstable_by_key(|(contact, _)| contact.key);
        let (found, forces) = all.into_iter().unzip();
        contacts.take_over(found, forces);
    }
}
