//! Separates what overlaps at the start, before the first step and without giving it a velocity.

use super::World;
use crate::model::{Damping, Model, ModelError};
use crate::motion::Motion;
use crate::solver::SolverConfig;
use crate::step::StepError;
use pliant_collide::{BodyId, CollideError, Overlap};
use pliant_mesh::DVec3;

/// Overlaps up to this, in m, are rounding.
const TOLERANCE: f64 = 1e-6;
/// Steps after which it is given up.
const MAX_STEPS: usize = 300;
/// Mass damping times the time step: what is pushed comes to rest at once.
const STOPPING: f64 = 10.0;
/// Gap in m that is left beyond the distance to be kept, so that rounding does not close it.
const CLEARANCE: f64 = 1e-5;
/// Movement in a step, as a fraction of the size of the bodies, at which they are at rest.
const AT_REST: f64 = 1e-5;

/// How far things were pushed.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{Model, push_apart};
///
/// let mut model: Model = cube_on_floor().model().clone();
/// assert_eq!(push_apart(&mut model)?, None); // nothing overlaps
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pushed {
    /// Pairs that overlapped.
    pub pairs: usize,
    /// Longest way of a vertex, m.
    pub farthest: f64,
}

/// Why overlaps could not be removed.
///
/// ```
/// use pliant::{Model, PushError, push_apart};
///
/// fn free(model: &mut Model) -> Result<(), String> {
///     match push_apart(model) {
///         Err(PushError::Remains { pair, depth }) => Err(format!("{pair} are still {depth} m in each other")),
///         other => other.map(|_| ()).map_err(|error| error.to_string()),
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PushError {
    /// The model cannot be simulated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A step failed.
    #[error("pushing apart what overlaps failed in {0}")]
    Step(#[from] StepError),
    /// The surfaces cannot be tested.
    #[error("the surfaces cannot be tested for overlaps, {0}: check the meshes with `pliant mesh info`")]
    Untestable(#[from] CollideError),
    /// Something is left.
    #[error(
        "{pair} still overlap by {depth:.2e} m after they were pushed: they overlap too deeply or have no room, move them apart by hand"
    )]
    Remains {
        /// The worst pair.
        pair: String,
        /// How deep, m.
        depth: f64,
    },
    /// A body was turned inside out.
    #[error(
        "pushing apart what overlaps turns {count} elements of body `{body}` inside out: move it by hand"
    )]
    Inverted {
        /// Name of the body.
        body: String,
        /// Elements.
        count: usize,
    },
}

/// Moves the start of the bodies so that nothing overlaps, by steps without gravity, loads and velocities in which only
/// contact and elasticity act; hard-pinned vertices stay. The start velocities of the bodies are untouched.
/// `None` if nothing overlaps.
///
/// # Errors
/// If the overlaps cannot be tested or do not go away; then the model is as it was.
pub fn push_apart(model: &mut Model) -> Result<Option<Pushed>, PushError> {
    let pairs = World::new(model.clone(), SolverConfig::default())?.overlaps(TOLERANCE)?.len();
    if pairs == 0 {
        return Ok(None);
    }
    let mut world = World::new(at_rest(model), SolverConfig::default())?;
    let size = extent(&world.state().positions);
    // The clearance need not be kept in full.
    let overlaps = |world: &World| world.overlaps(TOLERANCE + CLEARANCE);
    let mut is_clear = false;
    for _ in 0..MAX_STEPS {
        world.step()?;
        let fastest = world.state().velocities.iter().fold(0.0, |m: f64, v| m.max(v.abs().max_element()));
        is_clear = fastest * model.dt < AT_REST * size && overlaps(&world)?.is_empty();
        if is_clear {
            break;
        }
    }
    let left = if is_clear { None } else { worst(overlaps(&world)?) };
    if let Some(o) = left {
        let pair = o.sides.map(|side| model.name_of(side)).join(" and ");
        return Err(PushError::Remains { pair, depth: o.depth });
    }
    take_over(model, &world, pairs)
}

/// Takes the positions of the world over as those of the start.
fn take_over(model: &mut Model, world: &World, pairs: usize) -> Result<Option<Pushed>, PushError> {
    for (index, body) in model.bodies.iter().enumerate() {
        let count = world.shape(BodyId::new(index)).inverted;
        if count > 0 {
            return Err(PushError::Inverted { body: body.name.clone(), count });
        }
    }
    let mut farthest = 0.0f64;
    for (index, body) in model.bodies.iter_mut().enumerate() {
        let id = BodyId::new(index);
        for (x, start) in world.positions(id).iter().zip(world.start_positions(id)) {
            farthest = farthest.max(x.distance(*start));
        }
        body.start = Some(world.positions(id).to_vec());
    }
    Ok(Some(Pushed { pairs, farthest }))
}

/// The model with nothing that moves it but contact and elasticity.
fn at_rest(model: &Model) -> Model {
    let mut still = model.clone();
    still.gravity = DVec3::ZERO;
    still.loads.clear();
    still.cables.clear();
    still.needles.clear();
    for obstacle in &mut still.obstacles {
        obstacle.placement = obstacle.pose(0.0);
        obstacle.motion = Motion::Fixed;
    }
    for pin in &mut still.pins {
        pin.motion = Motion::Fixed;
    }
    for body in &mut still.bodies {
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        body.damping = Damping { mass: STOPPING / model.dt, ..Damping::default() };
        body.contact_radius += CLEARANCE;
    }
    still
}

fn worst(overlaps: Vec<Overlap>) -> Option<Overlap> {
    overlaps.into_iter().max_by(|a, b| a.depth.total_cmp(&b.depth))
}

/// Longest side of the box around points.
fn extent(x: &[DVec3]) -> f64 {
    let low = x.iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = x.iter().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    (high - low).max_element().max(0.0)
}
