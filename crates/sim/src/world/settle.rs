//! The start in equilibrium: bodies take the shape in which they rest under the loads of the present time.
//!
//! Dynamic relaxation \[Day65\] with the clock stopped: whenever the kinetic energy has passed a peak, the motion is
//! taken away, so that stiff and soft bodies alike come to rest in few swings. Contacts do not slide at first. Then
//! friction acts as it will in the simulation, so that its forces spread as they will: where it cannot hold a body,
//! this ends when only the body as a whole gathers speed, and its shape does not change any more.

use crate::contact::Contacts;
use crate::fem::System;
use crate::solver::Timings;
use crate::state::State;
use crate::step::{self, Moving, StepError};
use pliant_mesh::DVec3;

/// A step from rest that moves no vertex by more than this part of the size is at rest.
const AT_REST: f64 = 1e-8;

/// Below this part of the size, bodies are at rest as well if they have not moved less in so many steps from rest: what
/// moves is rounding.
const NEARLY_AT_REST: f64 = 1e-6;
const PATIENCE: usize = 20;

/// Steps after which settling is given up.
const MOST_STEPS: usize = 5000;

/// How settling ended.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// let settled = world.settle()?;
/// assert!(settled.at_rest, "{settled:?}"); // the cube has sunk into itself under its weight
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// Steps it took.
    pub steps: usize,
    /// Longest way of a vertex in the last step from rest, m.
    pub last_move: f64,
    /// Whether the bodies came to rest.
    pub at_rest: bool,
}

/// Brings the bodies to rest at the present time; time and velocities are then as before.
pub(crate) fn settle(system: &System, gravity: DVec3, moving: Moving) -> Result<Settled, StepError> {
    let Moving { solver, state, contacts, work } = moving;
    let before = state.clone();
    contacts.glue(true);
    let mut run = |state: &mut State, contacts: &mut Contacts, as_a_whole| {
        relax(system, gravity, Moving { solver: &mut *solver, state, contacts, work: &mut *work }, as_a_whole)
    };
    let glued = run(state, contacts, false);
    contacts.glue(false);
    let settled = glued.and_then(|first| match first.at_rest {
        true => {
            run(state, contacts, true).map(|second| Settled { steps: first.steps + second.steps, ..second })
        }
        false => Ok(first),
    });
    match settled {
        Ok(_) => *state = State { positions: std::mem::take(&mut state.positions), ..before },
        Err(_) => *state = before,
    }
    settled
}

/// Steps until nothing moves; with `as_a_whole`, until no body moves but as a whole.
fn relax(system: &System, gravity: DVec3, moving: Moving, as_a_whole: bool) -> Result<Settled, StepError> {
    let Moving { solver, state, contacts, work } = moving;
    let (mut least, mut waited) = (f64::INFINITY, 0);
    let mut settled = Settled { steps: 0, last_move: f64::INFINITY, at_rest: false };
    let (mut energy, mut from_rest) = (0.0, true);
    let mut timings = Timings::default();
    work.span = [state.time; 2];
    stop(state);
    while !settled.at_rest && settled.steps < MOST_STEPS {
        let moving = Moving { solver: &mut *solver, state, contacts, work };
        step::step_within(system, gravity, moving, &mut timings)?;
        settled.steps += 1;
        let (now, fastest) = motion(system, state, as_a_whole);
        if from_rest {
            settled.last_move = system.dt * fastest;
            waited = if settled.last_move < 0.9 * least { 0 } else { waited + 1 };
            least = least.min(settled.last_move);
            let rounding = waited >= PATIENCE && settled.last_move <= NEARLY_AT_REST * system.size();
            settled.at_rest = settled.last_move <= AT_REST * system.size() || rounding;
        }
        from_rest = now <= energy;
        energy = if from_rest { 0.0 } else { now };
        if from_rest {
            stop(state);
        }
    }
    Ok(settled)
}

fn stop(state: &mut State) {
    state.velocities.fill(DVec3::ZERO);
}

/// Twice the kinetic energy in J and the largest speed in m/s; with `as_a_whole`, relative to the mean of each body.
fn motion(system: &System, state: &State, as_a_whole: bool) -> (f64, f64) {
    let (mut energy, mut fastest) = (0.0, 0.0f64);
    for body in &system.bodies {
        let (masses, velocities) =
            (&system.masses[body.vertices.clone()], &state.velocities[body.vertices.clone()]);
        let mut mean = DVec3::ZERO;
        if as_a_whole {
            let total: f64 = masses.iter().sum();
            for (m, v) in masses.iter().zip(velocities) {
                mean += m / total * v;
            }
        }
        for (m, v) in masses.iter().zip(velocities) {
            let square = (v - mean).length_squared();
            energy += m * square;
            fastest = fastest.max(square);
        }
    }
    (energy, fastest.sqrt())
}
