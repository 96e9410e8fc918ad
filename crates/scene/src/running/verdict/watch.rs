//! What is looked at after each step.

use super::limits::{DOUBTFUL, HELD_VERTICES, Limits, STRETCH};
use super::sign::{Moment, Sign};
use crate::file::spec::Tolerate;
use pliant::snapshot::{Reader, Writer};
use pliant::{BodyId, SnapshotError, StepOutcome, World};

/// What has gone wrong in the steps so far. It costs far less than a step, and its memory does not grow.
#[derive(Clone, Debug)]
pub struct Watch {
    pub(super) limits: Limits,
    /// Steps that were watched, and the last of them.
    pub(super) steps: u64,
    pub(super) now: Moment,
    /// Steps after which elements were looked at, and the last of them.
    pub(super) looks: u64,
    pub(super) looked: Moment,
    pub(super) signs: Signs,
    /// Energies, where nothing but gravity may change them.
    pub(super) budget: Option<Budget>,
}

/// All kinds of trouble.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Signs {
    /// Inverted tets of all bodies.
    pub inverted: Sign,
    /// The least volume ratio, negated.
    pub least_j: Sign,
    /// The largest volume ratio.
    pub stretched: Sign,
    /// Speed in m/s.
    pub fast: Sign,
    /// Distance from the origin in m.
    pub far: Sign,
    /// Depth of contacts over the size of the smallest body.
    pub deep: Sign,
    /// Vertices that were held back.
    pub held_back: Sign,
    /// Residual above [`DOUBTFUL`].
    pub residual: Sign,
    /// Energy over what there can be.
    pub energy: Sign,
    /// Sizes of a body that it falls in a step, where things touch.
    pub leap: Sign,
}

impl Signs {
    fn all(&mut self) -> [&mut Sign; 10] {
        let Signs { inverted, least_j, stretched, fast, far, deep, held_back, residual, energy, leap } = self;
        [inverted, least_j, stretched, fast, far, deep, held_back, residual, energy, leap]
    }
}

/// Energies of all bodies in J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Budget {
    /// Kinetic and elastic at the start.
    start: f64,
    /// Potential at the start.
    height: f64,
    /// Most that gravity has given so far.
    given: f64,
    /// What the measurement itself may be off by.
    noise: f64,
}

impl Watch {
    /// Watches a world from where it is.
    pub fn new(world: &World, tolerate: Tolerate) -> Watch {
        let limits = Limits::new(world.model(), tolerate);
        let budget = limits.is_passive.then(|| {
            let (moving, height) = energies(world);
            Budget { start: moving, height, given: 0.0, noise: noise(world, height) }
        });
        let now = Moment { step: world.state().steps, time: world.state().time };
        Watch { limits, steps: 0, now, looks: 0, looked: now, signs: Signs::default(), budget }
    }

    /// Stops comparing energies: somebody drives the bodies by hand.
    pub fn forget_energy(&mut self) {
        self.budget = None;
    }

    /// Takes in the step that led to the present state.
    pub fn record(&mut self, world: &World, outcome: &StepOutcome) {
        self.record_motion(world, outcome);
        self.look(world);
    }

    /// Looks at the elements of the present state, unless that was done.
    pub fn look(&mut self, world: &World) {
        let now = Moment { step: world.state().steps, time: world.state().time };
        if self.looks > 0 && self.looked == now {
            return;
        }
        (self.looked, self.looks) = (now, self.looks + 1);
        let signs = &mut self.signs;
        let (mut inverted, mut most) = (0, (0, 0));
        for body in 0..world.model().bodies.len() {
            let worst = world.extremes(BodyId::new(body));
            inverted += worst.inverted;
            if worst.inverted > most.0 {
                most = (worst.inverted, body);
            }
            if worst.inverted > 0 {
                signs.least_j.add(now, -worst.min_j, body);
            }
            if !within(worst.max_j, STRETCH) {
                signs.stretched.add(now, worst.max_j, body);
            }
        }
        if inverted > 0 {
            signs.inverted.add(now, inverted as f64, most.1);
        }
    }

    /// Takes in all of a step but its elements. Whether something was out of the ordinary.
    pub fn record_motion(&mut self, world: &World, outcome: &StepOutcome) -> bool {
        let now = Moment { step: world.state().steps, time: world.state().time };
        (self.now, self.steps) = (now, self.steps + 1);
        let signs = &mut self.signs;
        for body in 0..world.model().bodies.len() {
            let reach = world.reach(BodyId::new(body));
            for (sign, value, limit) in [
                (&mut signs.fast, reach.fastest, self.limits.speed_of(body)),
                (&mut signs.far, reach.farthest, self.limits.distance),
            ] {
                if !within(value, limit) {
                    sign.add(now, value, body);
                }
            }
        }
        let held = world.contacts().held_back().vertices;
        if held as f64 > HELD_VERTICES * world.state().positions.len() as f64 {
            signs.held_back.add(now, held as f64, 0);
        }
        if !within(outcome.residual_last, DOUBTFUL[usize::from(!world.contacts().is_empty())]) {
            signs.residual.add(now, outcome.residual_last, 0);
        }
        if let Some((sizes, body)) = self.limits.leap
            && !world.contacts().is_empty()
        {
            signs.leap.add(now, sizes, body);
        }
        let smallest = self.limits.sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let depth = world.contacts().penetration(&world.state().positions);
        if depth > super::limits::PENETRATION[0] * smallest {
            signs.deep.add(now, depth, 0);
        }
        let Signs { fast, far, deep, held_back, residual, leap, .. } = signs;
        [fast, far, deep, held_back, residual, leap]
            .into_iter()
            .any(|sign| sign.steps > 0 && sign.last == now)
    }

    /// Takes in the energies of the present state, which take longer than all else here.
    pub fn record_energies(&mut self, world: &World) {
        let Some(budget) = &mut self.budget else { return };
        let (moving, height) = energies(world);
        budget.given = budget.given.max(budget.height - height);
        let most = budget.start + budget.given;
        if !within(moving, self.limits.energy * most + budget.noise) {
            let now = Moment { step: world.state().steps, time: world.state().time };
            self.signs.energy.add(now, moving / (most + budget.noise).max(f64::MIN_POSITIVE), 0);
        }
    }

    /// Steps that ended far from their solution.
    pub(crate) fn doubtful_steps(&self) -> u64 {
        self.signs.residual.steps
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        out.u64(self.now.step);
        out.f64(self.now.time);
        let mut signs = self.signs;
        signs.all().into_iter().for_each(|sign| sign.save(out));
        let budget = self.budget.map(|b| [b.start, b.height, b.given, b.noise]);
        out.bool(budget.is_some());
        budget.unwrap_or_default().into_iter().for_each(|x| out.f64(x));
    }

    /// Takes over what [`save`](Self::save) of a watch of the same scene wrote.
    pub(crate) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.steps = from.u64()?;
        self.now = Moment { step: from.u64()?, time: from.f64()? };
        // A run that is saved looks at every step.
        (self.looks, self.looked) = (self.steps, self.now);
        for sign in self.signs.all() {
            *sign = Sign::load(from)?;
            sign.body = sign.body.min(self.limits.sizes.len().saturating_sub(1));
        }
        let known = from.bool()?;
        let (start, height, given, noise) = (from.f64()?, from.f64()?, from.f64()?, from.f64()?);
        self.budget = known.then_some(Budget { start, height, given, noise });
        Ok(())
    }
}

/// Whether a value is a number and not above its limit.
fn within(value: f64, limit: f64) -> bool {
    value <= limit
}

/// Kinetic and elastic energy, and potential energy in gravity, in J.
fn energies(world: &World) -> (f64, f64) {
    let gravity = world.model().gravity;
    let (mut moving, mut height) = (0.0, 0.0);
    for body in (0..world.model().bodies.len()).map(BodyId::new) {
        let motion = world.motion(body);
        moving += motion.kinetic_energy + world.elastic_energy_estimate(body);
        height -= motion.mass * gravity.dot(motion.center);
    }
    (moving, height)
}

/// What energies are off by at most in J: heights by the last digits of the potential, strains by those of lengths.
fn noise(world: &World, height: f64) -> f64 {
    let stiffness = |(body, b): (usize, &pliant::Body)| {
        let youngs = b.materials.iter().map(|m| m.youngs).fold(0.0, f64::max);
        youngs * world.motion(BodyId::new(body)).mass / b.density
    };
    1e-9 * height.abs() + 1e-12 * world.model().bodies.iter().enumerate().map(stiffness).sum::<f64>()
}
