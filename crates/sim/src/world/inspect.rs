//! What passes through what: exact, and slow enough that no step does it.

use super::World;
use crate::contact::surfaces;
use pliant_collide::{CollideError, Detector, Intersections, Obstacle, Options, Overlap, Pose, Serial};

/// Depth in m below which a vertex is not inside of an analytic obstacle: contact keeps it there to its own tolerance.
const TOUCHING: f64 = 1e-6;

impl World {
    /// All that intersects now, whether the solver looks for contact or not.
    ///
    /// # Errors
    /// If the surfaces cannot be tested.
    pub fn intersections(&self) -> Result<Intersections, CollideError> {
        let (detector, poses) = self.detector()?;
        Ok(detector.intersections(&Serial, &self.state().positions, &poses, TOUCHING))
    }

    /// Pairs of bodies and obstacles that overlap now by more than `tolerance` in m, or are nearer to each other than
    /// they are kept.
    ///
    /// # Errors
    /// If the surfaces cannot be tested.
    pub fn overlaps(&self, tolerance: f64) -> Result<Vec<Overlap>, CollideError> {
        let (detector, poses) = self.detector()?;
        Ok(detector.overlaps(&Serial, &self.state().positions, &poses, tolerance))
    }

    fn detector(&self) -> Result<(Detector, Vec<Pose>), CollideError> {
        let model = self.model();
        let surfaces = surfaces(model, self.system());
        let obstacle = |o: &crate::Obstacle| Obstacle { shape: o.shape.clone(), radius: 0.0 };
        let obstacles: Vec<Obstacle> = model.obstacles.iter().map(obstacle).collect();
        let mut poses = Vec::new();
        self.system().script.poses_into(self.state().time, &mut poses);
        let rest = &self.system().rest;
        Ok((Detector::new(&surfaces, &obstacles, rest, Options::default())?, poses))
    }
}
