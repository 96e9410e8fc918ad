//! What passes through what: exact, and slow enough that no step does it.

use super::World;
use crate::contact::surfaces;
use crate::fem::measure::{diagonal, is_upright};
use pliant_collide::{CollideError, Detector, Intersections, Obstacle, Options, Overlap, Pose, Serial, Side};

/// Part of a body's size below which it only touches: ten times what a step is accurate to.
const TOUCHING: f64 = 1e-5;
/// Part of a body's size below which a depth is rounding.
const ROUNDING: f64 = 1e-9;

/// Looks for intersections again and again; what does not change from step to step is kept.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// let inspector = world.inspector()?; // once
/// for _ in 0..5 {
///     world.step()?;
///     assert!(inspector.look(&world).depth < 1e-3);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Inspector {
    detector: Detector,
    /// Size of each body in m.
    sizes: Vec<f64>,
}

/// What an [`Inspector`] found.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let world = cube_on_floor();
/// let found = world.inspector()?.look(&world);
/// assert!(found.intersections.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Inspected {
    /// What passes through what by more than touching: by more than 1e-5 of the smaller body's size.
    pub intersections: Intersections,
    /// The largest depth in m, also of what only touches.
    pub depth: f64,
}

/// What a state must be free of, whatever the solver says of it.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// What intersects or touches.
    pub intersections: Intersections,
    /// Tetrahedra whose volume is not surely positive.
    pub inverted: usize,
}

impl Verified {
    /// Whether there is nothing of it.
    pub fn is_free(&self) -> bool {
        self.inverted == 0 && self.intersections.is_empty()
    }
}

impl Inspector {
    /// All that intersects now in a world of the model it was made for, whether the solver looks for contact or not.
    pub fn look(&self, world: &World) -> Inspected {
        let smallest = self.sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let tolerance = if smallest.is_finite() { ROUNDING * smallest } else { 0.0 };
        let positions = &world.state().positions;
        let mut found = self.detector.intersections(&Serial, positions, &world.poses(), tolerance);
        let depth = found.depth();
        found.retain_deeper(|sides| TOUCHING * self.smaller(sides));
        Inspected { intersections: found, depth }
    }

    /// All that intersects or only touches now, by exact predicates and without any tolerance, and all that may be inverted.
    pub fn verify(&self, world: &World) -> Verified {
        let positions = &world.state().positions;
        let tets = world.system().tets.iter();
        Verified {
            intersections: self.detector.intersections(&Serial, positions, &world.poses(), 0.0),
            inverted: tets.filter(|t| !is_upright(t.vertices.map(|v| positions[v as usize]))).count(),
        }
    }

    /// Size of the smaller body of two sides in m.
    fn smaller(&self, sides: [Side; 2]) -> f64 {
        let sizes = sides.into_iter().filter_map(|side| match side {
            Side::Body(body) => self.sizes.get(body.index()).copied(),
            Side::Obstacle(_) => None,
        });
        sizes.fold(f64::INFINITY, f64::min)
    }
}

impl World {
    /// All that intersects now by more than touching, whether the solver looks for contact or not. For many steps see [`World::inspector`].
    ///
    /// # Errors
    /// If the surfaces cannot be tested.
    pub fn intersections(&self) -> Result<Intersections, CollideError> {
        Ok(self.inspector()?.look(self).intersections)
    }

    /// What looks for intersections in this world, now and later.
    ///
    /// # Errors
    /// If the surfaces cannot be tested.
    pub fn inspector(&self) -> Result<Inspector, CollideError> {
        let system = self.system();
        let sizes = system.bodies.iter().map(|b| diagonal(&system.rest[b.vertices.clone()])).collect();
        Ok(Inspector { detector: self.detector()?, sizes })
    }

    /// Pairs of bodies and obstacles that overlap now by more than `tolerance` in m, or are nearer to each other than
    /// they are kept.
    ///
    /// # Errors
    /// If the surfaces cannot be tested.
    pub fn overlaps(&self, tolerance: f64) -> Result<Vec<Overlap>, CollideError> {
        Ok(self.detector()?.overlaps(&Serial, &self.state().positions, &self.poses(), tolerance))
    }

    fn detector(&self) -> Result<Detector, CollideError> {
        let model = self.model();
        let surfaces = surfaces(model, self.system());
        let obstacle = |o: &crate::Obstacle| Obstacle { shape: o.shape.clone(), radius: 0.0 };
        let obstacles: Vec<Obstacle> = model.obstacles.iter().map(obstacle).collect();
        Detector::new(&surfaces, &obstacles, &self.system().rest, Options::default())
    }

    /// Where the obstacles are now.
    fn poses(&self) -> Vec<Pose> {
        let mut poses = Vec::new();
        self.system().script.poses_into(self.state().time, &mut poses);
        poses
    }
}
