//! The places at which the directions of contacts are taken.
//!
//! An iteration takes the normals at its places and then moves the bodies, which turns the normals. On an obstacle of radius R
//! a force f turns with its point by f/R: a stiffness that the metric does not know. Where it is as large as that of the body, the
//! bodies swing from one normal to another and back, for ever. So the places follow the bodies by the part of the way at
//! which the last two ways would have ended at the same place (docs/theory/contact.md, [Irons69]): where nothing swings, that is the
//! whole way.

use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Least part of its way that a place follows.
const LEAST: f64 = 0.1;

/// Vertices that one task looks at.
const PIECE: usize = 1024;

/// The place of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    at: DVec3,
    /// The whole way to where the body was when it got there, and the part of it that it went.
    way: DVec3,
    part: f64,
}

impl Place {
    /// Where it goes when its vertex is at `x`.
    fn following(&self, x: DVec3) -> Place {
        let way = x - self.at;
        let change = self.way - way;
        let swing = self.way.dot(change);
        let part = match swing > 0.0 {
            true => (self.part * swing / change.length_squared()).clamp(LEAST, 1.0),
            false => 1.0,
        };
        Place { at: self.at + part * way, way, part }
    }
}

/// The places of all vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Those of the last iteration that was accepted; none in the first one of a step.
    last: Vec<Place>,
    next: Vec<Place>,
    at: Vec<DVec3>,
}

impl Places {
    /// A new step begins.
    pub(crate) fn begin(&mut self) {
        self.last.clear();
        self.next.clear();
    }

    /// Follows the vertices to `x`, from the places of the last iteration that was accepted.
    pub(crate) fn follow(&mut self, team: &Team, x: &[DVec3]) -> &[DVec3] {
        let Places { last, next, at } = self;
        next.resize(x.len(), Place::default());
        at.clear();
        at.extend_from_slice(x);
        if last.is_empty() {
            next.iter_mut()
                .zip(x)
                .for_each(|(next, x)| *next = Place { at: *x, way: DVec3::ZERO, part: 1.0 });
        } else {
            team.for_each_piece(next, PIECE, |first, next| {
                for ((next, last), x) in next.iter_mut().zip(&last[first..]).zip(&x[first..]) {
                    *next = last.following(*x);
                }
            });
            at.iter_mut().zip(&*next).for_each(|(at, next)| *at = next.at);
        }
        at
    }

    /// The places that were followed to last are those of an iteration that was accepted.
    pub(crate) fn accept(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a vertex goes swings about its place ever wider if it is followed all the way.
    #[test]
    fn places_settle_where_the_whole_way_would_swing() {
        let mut places = Places::default();
        let goes = |y: DVec3| -1.5 * y;
        places.begin();
        let mut y = DVec3::new(1.0, 0.5, 0.0);
        for _ in 0..6 {
            y = places.follow(Team::alone(), &[goes(y)])[0];
            places.accept();
        }
        assert!(y.length() < 1e-6, "{y}");
    }

    #[test]
    fn what_does_not_swing_is_followed_all_the_way() {
        let mut places = Places::default();
        places.begin();
        for k in 0..5 {
            let x = [DVec3::new(f64::from(k * k), 1.0, 0.0)];
            assert_eq!(places.follow(Team::alone(), &x), x);
            places.accept();
        }
    }
}
