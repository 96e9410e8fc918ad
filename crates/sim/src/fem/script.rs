//! What follows a script: the places of pins, the forces of dead loads, the poses of obstacles, as functions of time.

use crate::motion::Motion;
use pliant_collide::Pose;
use pliant_mesh::DVec3;

/// Everything of a model that moves or grows by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Motion of each pin of the model.
    pub pins: Vec<Motion>,
    /// Forces that do not depend on the positions.
    pub forces: Vec<DeadLoad>,
    /// Each obstacle of the model.
    pub obstacles: Vec<ObstacleMotion>,
}

/// A total force, shared equally by vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLoad {
    /// The vertices.
    pub vertices: Vec<u32>,
    /// Total force in N.
    pub total: DVec3,
    /// Time over which it grows from zero, s.
    pub ramp: f64,
}

/// Where an obstacle is placed, and how it moves from there.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleMotion {
    /// Where it is before any motion.
    pub placement: Pose,
    /// How it moves.
    pub motion: Motion,
}

impl Script {
    /// The poses of all obstacles at time `t`, into `poses`.
    pub(crate) fn poses_into(&self, t: f64, poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend(self.obstacles.iter().map(|o| o.motion.pose(&o.placement, t)));
    }
}

/// Fraction of a load that acts at time `t` if it grows from zero over `duration`.
pub(crate) fn ramp(t: f64, duration: f64) -> f64 {
    if t < duration { t / duration } else { 1.0 }
}
