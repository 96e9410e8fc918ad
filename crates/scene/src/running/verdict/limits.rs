//! From which value on something speaks against a run.

use crate::file::spec::Tolerate;
use pliant::{CableDrive, DVec3, Model, Motion, Schedule};
use pliant_mesh::Mesh;

/// Largest volume (area) of an element over that at rest: an element that has exploded.
pub(super) const STRETCH: f64 = 100.0;
/// Fastest vertex, m/s: ten times what leaves the earth for good.
const SPEED: f64 = 1e5;
/// Most sizes of a body that it moves in a step.
const SIZES_PER_STEP: f64 = 100.0;
/// Most sizes that a body that nothing holds may fall in a step where things touch: impacts are not found beyond that.
const SIZES_FALLEN: f64 = 10.0;
/// Sizes of the scene from which on a body is lost.
const FAR: f64 = 1e6;
/// Energy over what was there or came in.
const ENERGY: f64 = 2.0;

/// Depth of penetration over the size of the smaller body: doubtful, failed.
pub(super) const PENETRATION: [f64; 2] = [0.01, 0.05];
/// Part of the steps with vertices that were held back: doubtful, failed.
pub(super) const HELD_BACK: [f64; 2] = [0.1, 0.5];
/// Part of the vertices from which on a step counts as held back.
pub(super) const HELD_VERTICES: f64 = 0.01;
/// Residual of a step, relative to the size of the bodies, above which it cannot be trusted: where nothing touches, and where
/// something does. Errors of free steps add up: in 279 random scenes all that were more than 0.3 % off had one above 1e-4, and no
/// others. Contact leaves its longest correction, which is more than the error.
pub const DOUBTFUL: [f64; 2] = [1e-4, 1e-3];
/// Residual of a step that is no solution at all.
pub(super) const LOST: f64 = 0.1;
/// Part of the steps that an impact may leave doubtful.
pub(super) const RARE: f64 = 0.05;

/// Part of the steps from which on inverted tets have not recovered at once.
pub(super) const LONG: f64 = 0.1;
/// Part of the tets that may be inverted for a moment, as where an impact folds a corner.
pub(super) const FEW: f64 = 0.01;

/// The limits of a scene.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// Size of each body, the diagonal of its box at rest, m.
    pub sizes: Vec<f64>,
    pub speed: f64,
    pub distance: f64,
    pub energy: f64,
    pub dt: f64,
    pub tolerate: Tolerate,
    /// Whether nothing but gravity gives energy to the bodies.
    pub is_passive: bool,
    /// Tets of all bodies.
    pub tets: usize,
    /// Sizes that a free body falls in a step, and which one, if they are too many.
    pub leap: Option<(f64, usize)>,
}

impl Limits {
    pub(super) fn new(model: &Model, tolerate: Tolerate) -> Limits {
        let sizes: Vec<f64> = model
            .bodies
            .iter()
            .map(|b| {
                let (low, high) = b.mesh.bounds();
                (high - low).length()
            })
            .collect();
        let starts = model.bodies.iter().flat_map(|b| b.start.as_deref().unwrap_or(b.mesh.vertices()));
        let reach = starts.map(|x| x.length()).fold(0.0, f64::max);
        let obstacles = model.obstacles.iter().map(|o| o.placement.translation.length());
        let scene = sizes.iter().copied().chain(obstacles).fold(reach, f64::max);
        let leap = leap(model, &sizes);
        Limits {
            sizes,
            speed: SPEED,
            distance: FAR * scene,
            energy: ENERGY,
            dt: model.dt,
            tolerate,
            is_passive: is_passive(model),
            leap,
            tets: model.bodies.iter().map(|b| tets(&b.mesh)).sum(),
        }
    }

    /// The usual limit of the speed of a body in m/s.
    pub(super) fn speed_of(&self, body: usize) -> f64 {
        self.speed.min(SIZES_PER_STEP * self.sizes[body] / self.dt)
    }
}

fn leap(model: &Model, sizes: &[f64]) -> Option<(f64, usize)> {
    let way = model.gravity.length() * model.dt * model.dt;
    let held = |body: usize| model.pins.iter().any(|p| p.body.index() == body);
    let free = sizes.iter().enumerate().filter(|(body, _)| !held(*body));
    let (most, body) = free.map(|(body, size)| (way / size, body)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (most > SIZES_FALLEN).then_some((most, body))
}

fn tets(mesh: &Mesh) -> usize {
    match mesh {
        Mesh::Tet(mesh) => mesh.tets.len(),
        Mesh::Tri(_) => 0,
    }
}

/// Whether nothing but gravity gives energy to the bodies.
fn is_passive(model: &Model) -> bool {
    let rests = |motion: &Motion| match motion {
        Motion::Fixed => true,
        Motion::Velocity { velocity, .. } => *velocity == DVec3::ZERO,
        Motion::Rotation { rate, .. } => *rate == 0.0,
        Motion::Keyframes { .. } | Motion::Poses(_) | Motion::Points(_) => false,
    };
    let constant = |schedule: &Schedule| schedule.0.len() == 1;
    let slack = |drive: &CableDrive| matches!(drive, CableDrive::Length(length) if constant(length));
    let still_air = model
        .air
        .as_ref()
        .is_none_or(|air| air.gusts.is_none() && air.wind.0.iter().all(|(_, wind)| *wind == DVec3::ZERO));
    still_air
        && model.loads.is_empty()
        && model.needles.is_empty()
        && model.attachments.is_empty()
        && model.pins.iter().all(|p| rests(&p.motion))
        && model.obstacles.iter().all(|o| rests(&o.motion))
        && model.cables.iter().all(|c| slack(&c.drive))
}
