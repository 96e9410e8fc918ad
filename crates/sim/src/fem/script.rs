//! What follows a script: the places of pins, the forces of dead loads, the poses of obstacles, the wind, as functions of time.

use crate::model::{Air, Interval, Schedule};
use crate::motion::Motion;
use pliant_collide::Pose;
use pliant_mesh::DVec3;

/// Everything of a model that moves or grows by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Motion of each pin of the model.
    pub pins: Vec<Motion>,
    /// When each of them holds.
    pub holding: Vec<Interval>,
    /// Forces that do not depend on the positions.
    pub forces: Vec<DeadLoad>,
    /// How the pressures of the system change.
    pub pressures: Vec<Course<f64>>,
    /// Each obstacle of the model.
    pub obstacles: Vec<ObstacleMotion>,
    /// What blows.
    pub air: Option<Air>,
}

/// A value over time, from when until when it is not zero, and how it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Course<T> {
    /// Index of the load in the model.
    pub load: u32,
    /// The value.
    pub value: Schedule<T>,
    /// Time over which it grows from zero, s.
    pub ramp: f64,
    /// When it acts.
    pub during: Interval,
}

/// A total force in N, shared equally by vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLoad {
    /// The vertices.
    pub vertices: Vec<u32>,
    /// Total force in N.
    pub total: Course<DVec3>,
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

    /// Whether the pins that hold in a step of this span are those of `active`.
    pub(crate) fn holds_as(&self, active: &[bool], span: [f64; 2]) -> bool {
        self.holding.iter().zip(active).all(|(during, active)| during.covers(span) == *active)
    }
}

impl<T> Course<T> {
    /// The part of the value that acts in a step, which is that of its end.
    pub(crate) fn share(&self, span: [f64; 2]) -> f64 {
        let since = span[1] - self.during.from;
        match self.during.covers(span) {
            true if since < self.ramp => since / self.ramp,
            true => 1.0,
            false => 0.0,
        }
    }
}
