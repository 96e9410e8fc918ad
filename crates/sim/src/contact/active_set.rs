//! The contact problem solved directly: guess which contacts are open, stick or slide, solve the linear system that
//! follows, correct the guess, repeat.
//!
//! This is a non-smooth Newton method whose linear systems are solved by factorisation. Stiff bodies need it: their
//! contacts are coupled so strongly that sweeps from contact to contact take thousands of rounds to settle. Two facts
//! keep it small. Sticking contacts need one scalar factor for all three directions, because the operator is scalar.
//! A sliding contact has a single unknown, as its force has a known direction on the cone of friction.

use super::Problem;
use super::Until;
use super::coulomb::{OneContact, PointLaw};
use super::delassus::{Change, Delassus};
use pliant_linalg::dense::{DenseCholesky, DenseLu, gram_into};
use pliant_linalg::small::dot;
use pliant_mesh::Point;

/// Relative compliance added to each contact, so that contacts which say nearly the same (at one vertex, or on both sides of
/// what is squeezed) share their load instead of pulling against each other. The iteration around this solver takes its
/// effect out again. A squeezed block needs more than 1e-6; from 1e-4 on a block that must stick begins to creep.
const SOFTENING: f64 = 1e-5;

/// Softening at which a factorisation is given up.
const SOFTEST: f64 = 1e-1;

/// A friction force this close to the cone is on it.
const ON_CONE: f64 = 1e-9;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Open,
    Stick,
    /// The force has the direction `normal + friction * .0`.
    Slide(Point),
}

impl Mode {
    /// What a force of the cone says about its contact.
    fn of(contact: &OneContact, force: &Point) -> Mode {
        if contact.law != PointLaw::Contact {
            return Mode::Stick;
        }
        let normal = dot(&contact.normal, force);
        if normal <= 0.0 {
            return Mode::Open;
        }
        let tangent: Point = std::array::from_fn(|k| force[k] - normal * contact.normal[k]);
        let size = dot(&tangent, &tangent).sqrt();
        if size < contact.friction * normal * (1.0 - ON_CONE) {
            Mode::Stick
        } else if size > 0.0 {
            Mode::Slide(tangent.map(|t| t / size))
        } else {
            Mode::Slide([0.0; 3])
        }
    }

    fn is_like(&self, other: &Mode) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// Memory of the solver, and the factor of the last set of sticking contacts.
#[derive(Debug, Default)]
pub struct ActiveSet {
    modes: Vec<Mode>,
    stick: Vec<u32>,
    slide: Vec<u32>,
    /// Directions of the sliding forces, `normal + friction * tangent`.
    along: Vec<Point>,
    cholesky: DenseCholesky,
    /// The sticking contacts and the operator that `cholesky` belongs to.
    factored: Vec<u32>,
    factored_version: u64,
    lu: DenseLu,
    /// `L^-1 W` between sticking and sliding contacts, a column for each of the latter.
    half: Vec<f64>,
    /// How sliding contacts act on each other through sticking ones.
    through: Vec<f64>,
    rhs: Vec<f64>,
    unknown: Vec<f64>,
    /// Changes of force since the start, and the displacements they lead to.
    change: Change,
    moved: Vec<[f32; 3]>,
    /// Forces at the start, and the best ones so far.
    start: Vec<Point>,
    best: Vec<Point>,
}

impl ActiveSet {
    /// Improves the forces of `problem`, starting from the modes that they show. `at_start` are the forces that led to
    /// the positions of the problem. Returns whether, after at most that many rounds, the modes agree with the forces
    /// and no contact wants to be elsewhere by more than the tolerance: what slides must slide against its force.
    /// Otherwise the best forces are kept, which are those of a round if no contact is off by more than `bearable` (m)
    /// or by less than with the forces that were given: these look settled contact by contact where they are not.
    pub fn solve(
        &mut self,
        w: &Delassus,
        problem: &mut Problem,
        at_start: &[Point],
        until: Until,
        bearable: f64,
    ) -> bool {
        self.start.clear();
        self.start.extend_from_slice(at_start);
        self.best.clone_from(&problem.forces);
        self.read_modes(problem);
        let mut least = self.correct_modes(w, problem).1.max(bearable);
        self.read_modes(problem);
        for _ in 0..until.rounds {
            if !self.solve_modes(w, problem) {
                break;
            }
            let (agrees, error) = self.correct_modes(w, problem);
            if agrees && error <= until.change {
                return true;
            }
            if error < least {
                least = error;
                self.best.clone_from(&problem.forces);
            }
        }
        problem.forces.clone_from(&self.best);
        false
    }

    /// The modes that the forces show.
    fn read_modes(&mut self, problem: &Problem) {
        self.modes.clear();
        self.modes.extend(problem.contacts.iter().zip(&problem.forces).map(|(c, f)| Mode::of(c, f)));
    }

    /// Forces for the modes as they are; false if the system cannot be solved.
    fn solve_modes(&mut self, w: &Delassus, problem: &mut Problem) -> bool {
        self.list_modes(problem);
        if !self.factor_sticking(w, problem) {
            return false;
        }
        self.right_hand_sides(w, problem);
        let (s, l) = (self.stick.len(), self.slide.len());
        self.cholesky.forward(&mut self.rhs);
        if l > 0 && !self.solve_sliding(w, problem) {
            return false;
        }
        // The sticking forces are L^-T (z - Y lambda a).
        for c in 0..3 {
            let z = &mut self.rhs[c * s..(c + 1) * s];
            for (j, y) in self.half.chunks_exact(s.max(1)).take(l).enumerate() {
                let f = self.unknown[j] * self.along[j][c];
                z.iter_mut().zip(y).for_each(|(z, y)| *z -= y * f);
            }
        }
        self.cholesky.backward(&mut self.rhs);
        for (k, &i) in self.stick.iter().enumerate() {
            problem.forces[i as usize] =
                std::array::from_fn(|c| self.start[i as usize][c] + self.rhs[c * s + k]);
        }
        for (j, &i) in self.slide.iter().enumerate() {
            problem.forces[i as usize] = self.along[j].map(|a| a * self.unknown[j]);
        }
        for (mode, force) in self.modes.iter().zip(&mut problem.forces) {
            if *mode == Mode::Open {
                *force = [0.0; 3];
            }
        }
        true
    }

    fn list_modes(&mut self, problem: &Problem) {
        self.stick.clear();
        self.slide.clear();
        self.along.clear();
        for (i, mode) in self.modes.iter().enumerate() {
            match mode {
                Mode::Open => {}
                Mode::Stick => self.stick.push(i as u32),
                Mode::Slide(t) => {
                    let c = &problem.contacts[i];
                    self.slide.push(i as u32);
                    self.along.push(std::array::from_fn(|k| c.normal[k] + c.friction * t[k]));
                }
            }
        }
    }

    /// Factors the operator between the sticking contacts, unless it is the one of the last time.
    fn factor_sticking(&mut self, w: &Delassus, problem: &Problem) -> bool {
        if self.factored_version == w.version() && self.factored == self.stick {
            return true;
        }
        self.factored.clear();
        self.factored_version = 0;
        let mut softening = SOFTENING;
        let stick = &self.stick;
        loop {
            let done = self.cholesky.factor(stick.len(), |j, rows| {
                let own = stick[j] as usize;
                for (a, &i) in rows.iter_mut().zip(&stick[j..]) {
                    *a = w.entry(own, i as usize);
                }
                rows[0] += softening * rows[0] + soft(&problem.contacts[own]) / problem.h2;
            });
            if done {
                self.factored.extend_from_slice(stick);
                self.factored_version = w.version();
                return true;
            }
            softening *= 10.0;
            if softening > SOFTEST {
                return false;
            }
        }
    }

    /// What remains to be closed, over h^2, with the forces of open and sliding contacts taken away.
    fn right_hand_sides(&mut self, w: &Delassus, problem: &Problem) {
        self.clear_changes(w, problem);
        for (i, mode) in self.modes.iter().enumerate() {
            if *mode != Mode::Stick {
                self.change.add(w, i, &self.start[i].map(|f| -f));
            }
        }
        self.move_points(w);
        let s = self.stick.len();
        self.rhs.clear();
        self.rhs.resize(3 * s, 0.0);
        for (k, &i) in self.stick.iter().enumerate() {
            let i = i as usize;
            let c = &problem.contacts[i];
            // Where it must be: on the surface, and where it was along it; or where it is held, less what the spring
            // already gives way under the old force.
            let held = c.law != PointLaw::Contact;
            let lift = if held { 0.0 } else { c.offset - dot(&c.normal, &c.start) };
            for d in 0..3 {
                let target = c.start[d] + lift * c.normal[d] - soft(c) * self.start[i][d];
                self.rhs[d * s + k] = (target - c.free[d]) / problem.h2 - f64::from(self.moved[i][d]);
            }
        }
        self.unknown.clear();
        for &i in &self.slide {
            let i = i as usize;
            let c = &problem.contacts[i];
            let moved = self.moved[i].map(f64::from);
            let gap = c.offset - dot(&c.normal, &c.free);
            self.unknown.push(gap / problem.h2 - dot(&c.normal, &moved));
        }
    }

    /// Sizes of the sliding forces, by the Schur complement of the sticking ones.
    fn solve_sliding(&mut self, w: &Delassus, problem: &Problem) -> bool {
        let (s, l) = (self.stick.len(), self.slide.len());
        self.half.clear();
        self.half.resize(s * l, 0.0);
        if s > 0 {
            for (column, &j) in self.half.chunks_exact_mut(s).zip(&self.slide) {
                for (a, &i) in column.iter_mut().zip(&self.stick) {
                    *a = w.entry(j as usize, i as usize);
                }
            }
            self.cholesky.forward(&mut self.half);
            for (k, y) in self.half.chunks_exact(s).enumerate() {
                let n = &problem.contacts[self.slide[k] as usize].normal;
                let through: Point = std::array::from_fn(|c| product(y, &self.rhs[c * s..(c + 1) * s]));
                self.unknown[k] -= dot(n, &through);
            }
        }
        self.through.resize(l * l, 0.0);
        gram_into(&self.half, s, &mut self.through[..l * l]);
        let (slide, along, through) = (&self.slide, &self.along, &self.through);
        let done = self.lu.factor(l, |j, rows| {
            for (i, a) in rows.iter_mut().enumerate() {
                let mut direct = w.entry(slide[j] as usize, slide[i] as usize);
                if i == j {
                    direct *= 1.0 + SOFTENING;
                }
                // Only the lower triangle is known.
                let through = through[i.min(j) * l + i.max(j)];
                *a = (direct - through) * dot(&problem.contacts[slide[i] as usize].normal, &along[j]);
            }
        });
        self.lu.solve(&mut self.unknown);
        done
    }

    /// Compares the modes with what each contact alone would do next, and takes these over. Returns whether they agree,
    /// and the longest displacement by which a contact is not where its own laws want it.
    fn correct_modes(&mut self, w: &Delassus, problem: &Problem) -> (bool, f64) {
        self.clear_changes(w, problem);
        self.change.add_between(w, 0..self.modes.len(), &self.start, &problem.forces);
        self.move_points(w);
        let (mut agrees, mut error) = (true, 0.0f64);
        for (i, contact) in problem.contacts.iter().enumerate() {
            let force = &problem.forces[i];
            let mut alone = *contact;
            alone.free = std::array::from_fn(|c| {
                contact.free[c] + problem.h2 * f64::from(self.moved[i][c]) - contact.compliance * force[c]
            });
            let wanted = alone.force();
            let difference: Point = std::array::from_fn(|c| wanted[c] - force[c]);
            error = error.max(dot(&difference, &difference).sqrt() * contact.compliance);
            let mode = Mode::of(contact, &wanted);
            agrees &= mode.is_like(&self.modes[i]);
            self.modes[i] = mode;
        }
        (agrees, error)
    }

    /// No change of force but those of the cables.
    fn clear_changes(&mut self, w: &Delassus, problem: &Problem) {
        self.change.clear(w);
        self.change.add_between(w, self.modes.len()..problem.forces.len(), &self.start, &problem.forces);
    }

    /// `W change` at every contact.
    fn move_points(&mut self, w: &Delassus) {
        self.moved.clear();
        self.moved.resize(self.modes.len(), [0.0; 3]);
        w.products_into(&self.change, &mut self.moved);
    }
}

/// Compliance of what holds a point, m/N.
fn soft(contact: &OneContact) -> f64 {
    match contact.law {
        PointLaw::Contact => 0.0,
        PointLaw::Held(soft) | PointLaw::Guided { soft, .. } => soft,
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    // Four sums, so that the compiler can use vectors.
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}
