//! The contact problem solved directly: guess which contacts are open, stick or slide, solve the linear system that
//! follows, correct the guess, repeat.
//!
//! This is a non-smooth Newton method whose linear systems are solved by factorisation. Stiff bodies need it: their
//! contacts are coupled so strongly that sweeps from contact to contact take thousands of rounds to settle. Two facts
//! keep it small. Where the operator is scalar, sticking contacts need one scalar factor for all three directions; where
//! it has blocks, a factor of three rows each; where it is scalar but for few fields, these are further unknowns. A
//! sliding contact has a single unknown, as its force has a known direction on the cone of friction.

mod fields;

use super::one_contact::{OneContact, PointLaw, PointSolve};
use super::problem::{Problem, StopRule};
use crate::contact::operator::{Compliance, Entries, LowRank, long_dot};
use pliant_linalg::dense::{DenseCholesky, DenseLu, gram_into};
use pliant_mesh::DVec3;

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
    Slide(DVec3),
}

impl Mode {
    /// What a force of the cone says about its contact.
    fn of<C>(contact: &OneContact<C>, force: DVec3) -> Mode {
        if contact.law != PointLaw::Contact {
            return Mode::Stick;
        }
        let normal = contact.normal.dot(force);
        if normal <= 0.0 {
            return Mode::Open;
        }
        let tangent = force - normal * contact.normal;
        if contact.friction.size_sq(tangent).sqrt() < contact.friction.bound(normal) * (1.0 - ON_CONE) {
            Mode::Stick
        } else {
            let size = tangent.length();
            Mode::Slide(if size > 0.0 { tangent / size } else { DVec3::ZERO })
        }
    }

    fn is_like(&self, other: &Mode) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// Memory of the solver, and the factor of the last set of sticking contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveSet {
    modes: Vec<Mode>,
    stick: Vec<u32>,
    slide: Vec<u32>,
    /// Directions of the sliding forces, `normal + friction * tangent`.
    along: Vec<DVec3>,
    cholesky: DenseCholesky,
    /// The sticking contacts and the operator that `cholesky` belongs to.
    factored: Vec<u32>,
    factored_version: u64,
    lu: DenseLu,
    /// `L^-1 W` between sticking and sliding contacts, [`Compliance::ROWS`] columns for each of the latter; then `L^-1 U`
    /// of the fields, three columns for each.
    half: Vec<f64>,
    /// How sliding contacts and fields act on each other through sticking contacts.
    through: Vec<f64>,
    /// Rows of the fields in the system of sliding forces and amplitudes, column by column.
    field_rows: Vec<f64>,
    /// One number for each field, before S is applied.
    before: Vec<f64>,
    rhs: Vec<f64>,
    /// Sizes of the sliding forces, then amplitudes of the fields.
    unknown: Vec<f64>,
    /// Displacements of the contacts by changes of force.
    moved: Vec<DVec3>,
    /// The best forces so far.
    best: Vec<DVec3>,
}

impl ActiveSet {
    /// Improves the forces of `problem`, starting from the modes that they show. Returns whether, after at most that
    /// many rounds, the modes agree with the forces and no contact wants to be elsewhere by more than the tolerance:
    /// what slides must slide against its force. Otherwise the best forces are kept, which are those of a round if no
    /// contact is off by more than the coarsest tolerance or by less than with the forces that were given: these look
    /// settled contact by contact where they are not.
    pub(super) fn solve<W: Entries<Block: PointSolve>>(
        &mut self,
        w: &mut W,
        problem: &mut Problem<W::Block>,
        until: StopRule,
    ) -> bool {
        self.best.clone_from(&problem.forces);
        self.read_modes(problem);
        let mut least = self.correct_modes(w, problem).1.max(problem.coarsest);
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
    fn read_modes<C>(&mut self, problem: &Problem<C>) {
        self.modes.clear();
        self.modes.extend(problem.contacts.iter().zip(&problem.forces).map(|(c, f)| Mode::of(c, *f)));
    }

    /// Forces for the modes as they are; false if the system cannot be solved.
    fn solve_modes<W: Entries>(&mut self, w: &mut W, problem: &mut Problem<W::Block>) -> bool {
        self.list_modes(problem);
        self.release(w, problem);
        match w.split() {
            // A factor of one row for each contact costs a 27th of one with three, unless the fields are the more.
            Some((numbers, fields)) if fields.columns() <= self.stick.len() + self.slide.len() => {
                self.solve_system(numbers, fields, problem)
            }
            _ => self.solve_system(w, &LowRank::default(), problem),
        }
    }

    /// Solves the system of the modes, with the operator `w` and what `fields` add to it.
    fn solve_system<W: Entries, C>(&mut self, w: &W, fields: &LowRank, problem: &mut Problem<C>) -> bool {
        if !self.factor_sticking(w, problem) {
            return false;
        }
        self.right_hand_sides::<W::Block, C>(problem);
        self.cholesky.forward(&mut self.rhs);
        if self.slide.len() + fields.columns() > 0 && !self.solve_sliding(w, fields, problem) {
            return false;
        }
        let layout = Layout::of::<W::Block>(self.stick.len());
        // The sticking forces are L^-T (z - Y lambda a - V theta).
        for c in 0..3 {
            let z = &mut self.rhs[layout.column(c)];
            let sliding = self.along.iter().enumerate();
            let sliding = sliding.map(|(j, along)| (layout.half_column(j, c), self.unknown[j] * along[c]));
            let amplitudes = self.unknown[self.slide.len()..].iter().enumerate();
            let amplitudes =
                amplitudes.map(|(k, theta)| (layout.field_column(self.slide.len(), k, c), *theta));
            for (column, by) in sliding.chain(amplitudes) {
                z.iter_mut().zip(&self.half[column]).for_each(|(z, y)| *z -= y * by);
            }
        }
        self.cholesky.backward(&mut self.rhs);
        self.write_forces(&layout, problem);
        true
    }

    fn write_forces<C>(&self, layout: &Layout, problem: &mut Problem<C>) {
        for (k, &i) in self.stick.iter().enumerate() {
            let change = [0, 1, 2].map(|c| self.rhs[layout.place(k, c)]);
            problem.forces[i as usize] = problem.at_start[i as usize] + DVec3::from_array(change);
        }
        for (j, &i) in self.slide.iter().enumerate() {
            problem.forces[i as usize] = self.along[j] * self.unknown[j];
        }
        for (mode, force) in self.modes.iter().zip(&mut problem.forces) {
            if *mode == Mode::Open {
                *force = DVec3::ZERO;
            }
        }
    }

    fn list_modes<C>(&mut self, problem: &Problem<C>) {
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
                    self.along.push(c.normal + c.friction.coefficient_along(*t) * t);
                }
            }
        }
    }

    /// Factors the operator between the sticking contacts, unless it is the one of the last time.
    fn factor_sticking<W: Entries, C>(&mut self, w: &W, problem: &Problem<C>) -> bool {
        let is_this = self.factored_version == w.version() && self.factored == self.stick;
        if is_this && self.cholesky.n() == W::Block::ROWS * self.stick.len() {
            return true;
        }
        self.factored.clear();
        self.factored_version = 0;
        let mut softening = SOFTENING;
        let (stick, rows) = (&self.stick, W::Block::ROWS);
        loop {
            let done = self.cholesky.factor(rows * stick.len(), |column, below| {
                let (j, b) = (column / rows, column % rows);
                let own = stick[j] as usize;
                // From the diagonal down: the first block is cut off above it.
                let mut skipped = b;
                let mut rest = &mut *below;
                for &i in &stick[j..] {
                    let entry = w.entry(own, i as usize);
                    let (block, more) = rest.split_at_mut(rows - skipped);
                    for (k, a) in block.iter_mut().enumerate() {
                        *a = entry.component(b, skipped + k);
                    }
                    (rest, skipped) = (more, 0);
                }
                below[0] += softening * below[0] + soft(&problem.contacts[own]) / problem.h2;
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

    /// Takes the forces of open and sliding contacts away.
    fn release<W: Entries>(&mut self, w: &mut W, problem: &Problem<W::Block>) {
        let released = self.modes.iter().enumerate().filter(|(_, mode)| **mode != Mode::Stick);
        let released = released.map(|(i, _)| (i, -problem.at_start[i]));
        self.moved.resize(self.modes.len(), DVec3::ZERO);
        w.products_into(cable_changes(problem).chain(released), &mut self.moved);
    }

    /// What then remains to be closed, over h^2.
    fn right_hand_sides<B: Compliance, C>(&mut self, problem: &Problem<C>) {
        let layout = Layout::of::<B>(self.stick.len());
        self.rhs.clear();
        self.rhs.resize(3 * self.stick.len(), 0.0);
        for (k, &i) in self.stick.iter().enumerate() {
            let i = i as usize;
            let c = &problem.contacts[i];
            // Where it must be: on the surface, and where it was along it; or where it is held, less what the spring
            // already gives way under the old force.
            let held = c.law != PointLaw::Contact;
            let lift = if held { 0.0 } else { c.offset - c.normal.dot(c.start) };
            let target = c.start + lift * c.normal - soft(c) * problem.at_start[i];
            let left = (target - c.free) / problem.h2 - self.moved[i];
            for d in 0..3 {
                self.rhs[layout.place(k, d)] = left[d];
            }
        }
        self.unknown.clear();
        for &i in &self.slide {
            let i = i as usize;
            let c = &problem.contacts[i];
            let gap = c.offset - c.normal.dot(c.free);
            self.unknown.push(gap / problem.h2 - c.normal.dot(self.moved[i]));
        }
    }

    /// Sizes of the sliding forces and amplitudes of the fields, by the Schur complement of the sticking forces.
    fn solve_sliding<W: Entries, C>(&mut self, w: &W, fields: &LowRank, problem: &Problem<C>) -> bool {
        let (rows, l) = (W::Block::ROWS, self.slide.len());
        let layout = Layout::of::<W::Block>(self.stick.len());
        let width = rows * l + 3 * fields.columns();
        self.half.clear();
        self.half.resize(layout.length * width, 0.0);
        if layout.length > 0 {
            for (k, column) in self.half.chunks_exact_mut(layout.length).enumerate().take(rows * l) {
                let (j, b) = (self.slide[k / rows] as usize, k % rows);
                for (block, &i) in column.chunks_exact_mut(rows).zip(&self.stick) {
                    let entry = w.entry(j, i as usize);
                    block.iter_mut().enumerate().for_each(|(a, out)| *out = entry.component(b, a));
                }
            }
            self.fill_fields(fields, &layout);
            self.cholesky.forward(&mut self.half);
            for (k, &i) in self.slide.iter().enumerate() {
                let through = [0, 1, 2]
                    .map(|c| long_dot(&self.half[layout.half_column(k, c)], &self.rhs[layout.column(c)]));
                self.unknown[k] -= problem.contacts[i as usize].normal.dot(DVec3::from_array(through));
            }
        }
        self.through.resize(width * width, 0.0);
        gram_into(&self.half, layout.length, &mut self.through[..width * width]);
        self.write_field_rows(fields, &layout);
        let through = Through { width, values: &self.through };
        let (slide, along, field_rows) = (&self.slide, &self.along, &self.field_rows);
        let normal = |i: usize| problem.contacts[slide[i] as usize].normal;
        let done = self.lu.factor(l + fields.columns(), |j, column| {
            let (sliding, of_fields) = column.split_at_mut(l);
            of_fields.copy_from_slice(&field_rows[j * of_fields.len()..][..of_fields.len()]);
            if j >= l {
                fields::write_column(fields, &through, slide, normal, j - l, sliding);
                return;
            }
            for (i, a) in sliding.iter_mut().enumerate() {
                let mut direct = w.entry(slide[j] as usize, slide[i] as usize);
                if i == j {
                    direct = direct.scaled(1.0 + SOFTENING);
                }
                let through = W::Block::from_components(|r, c| through.between(rows * j + r, rows * i + c));
                *a = direct.minus(&through).between(along[j], normal(i));
            }
        });
        self.lu.solve(&mut self.unknown);
        done
    }

    /// Compares the modes with what each contact alone would do next, and takes these over. Returns whether they agree,
    /// and the longest displacement by which a contact is not where its own laws want it.
    fn correct_modes<W: Entries<Block: PointSolve>>(
        &mut self,
        w: &mut W,
        problem: &Problem<W::Block>,
    ) -> (bool, f64) {
        let between = |i: usize| (i, problem.forces[i] - problem.at_start[i]);
        let changes = cable_changes(problem).chain((0..self.modes.len()).map(between));
        self.moved.resize(self.modes.len(), DVec3::ZERO);
        w.products_into(changes, &mut self.moved);
        let (mut agrees, mut error) = (true, 0.0f64);
        for (i, contact) in problem.contacts.iter().enumerate() {
            let force = problem.forces[i];
            let own = contact.compliance.apply(force);
            let alone = OneContact { free: contact.free + problem.h2 * self.moved[i] - own, ..*contact };
            let wanted = alone.force();
            error = error.max(contact.compliance.displacement(wanted - force));
            let mode = Mode::of(contact, wanted);
            agrees &= mode.is_like(&self.modes[i]);
            self.modes[i] = mode;
        }
        (agrees, error)
    }
}

/// Where the three components of sticking forces are in columns of a factor: one column for each component if directions
/// do not mix, one for all three if they do.
#[derive(Clone, Copy)]
struct Layout {
    /// Rows of a contact.
    rows: usize,
    /// Length of a column.
    length: usize,
}

impl Layout {
    fn of<C: Compliance>(sticking: usize) -> Layout {
        Layout { rows: C::ROWS, length: C::ROWS * sticking }
    }

    /// The column that has a component.
    fn column(&self, component: usize) -> std::ops::Range<usize> {
        let column = component / self.rows;
        column * self.length..(column + 1) * self.length
    }

    /// Where in the columns a component of a sticking force is.
    fn place(&self, contact: usize, component: usize) -> usize {
        self.column(component).start + self.rows * contact + component % self.rows
    }

    /// The column of [`ActiveSet::half`] that belongs to a component of a sliding force.
    fn half_column(&self, sliding: usize, component: usize) -> std::ops::Range<usize> {
        let column = self.rows * sliding + component % self.rows;
        column * self.length..(column + 1) * self.length
    }

    /// The column of [`ActiveSet::half`] that belongs to a component of a field, behind those of `slides` contacts.
    fn field_column(&self, slides: usize, field: usize, component: usize) -> std::ops::Range<usize> {
        let column = self.rows * slides + 3 * field + component;
        column * self.length..(column + 1) * self.length
    }
}

/// Products of the columns of [`ActiveSet::half`].
struct Through<'a> {
    width: usize,
    values: &'a [f64],
}

impl Through<'_> {
    fn between(&self, a: usize, b: usize) -> f64 {
        // Only the lower triangle is known.
        self.values[a.min(b) * self.width + a.max(b)]
    }
}

/// What happened to the forces of the cables since the start.
fn cable_changes<C>(problem: &Problem<C>) -> impl Iterator<Item = (usize, DVec3)> {
    let cables = problem.contacts.len()..problem.forces.len();
    cables.map(|i| (i, problem.forces[i] - problem.at_start[i]))
}

/// Compliance of what holds a point, m/N.
fn soft<C>(contact: &OneContact<C>) -> f64 {
    match contact.law {
        PointLaw::Contact => 0.0,
        PointLaw::Held(soft) | PointLaw::Guided { soft, .. } => soft,
    }
}
