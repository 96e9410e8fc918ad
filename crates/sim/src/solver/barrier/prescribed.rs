//! What moves by itself: pins and obstacles go from where they are to their targets, as far as there is room.

use crate::solver::StepInput;
use pliant_collide::Pose;
use pliant_collide::proximity::Proximity;
use pliant_mesh::DVec3;

/// The way of pins and obstacles in a step.
#[derive(Clone, Debug)]
pub(super) struct Prescribed {
    /// Part of the way that is done.
    pub(super) done: f64,
    /// Whether an obstacle turns: then a part of its way is not a part of the straight way of its points.
    pub(super) turns: bool,
    poses: Vec<Pose>,
}

impl Prescribed {
    /// At the start; done at once if nothing moves.
    pub(super) fn new(input: &StepInput) -> Prescribed {
        let pins = input.system.held.iter().zip(input.pin_targets);
        let still = pins.clone().all(|((v, _), target)| input.x_t0[*v as usize] == *target);
        let [from, to] = input.poses;
        let turns = from.iter().zip(to).any(|(a, b)| a.rotation != b.rotation);
        Prescribed { done: if still && from == to { 1.0 } else { 0.0 }, turns, poses: from.to_vec() }
    }

    pub(super) fn is_done(&self) -> bool {
        self.done >= 1.0
    }

    /// Puts pins and points of obstacles to their places after a part of the way.
    pub(super) fn place(
        &mut self,
        part: f64,
        input: &StepInput,
        proximity: Option<&Proximity>,
        points: &mut [DVec3],
    ) {
        for (&(v, _), target) in input.system.held.iter().zip(input.pin_targets) {
            let from = input.x_t0[v as usize];
            points[v as usize] = if part >= 1.0 { *target } else { from + part * (*target - from) };
        }
        let poses = self.poses(part, input);
        if let Some(proximity) = proximity {
            proximity.place_obstacles(poses, points);
        }
    }

    /// Where the obstacles are after a part of the way.
    pub(super) fn poses(&mut self, part: f64, input: &StepInput) -> &[Pose] {
        let [from, to] = input.poses;
        for ((pose, a), b) in self.poses.iter_mut().zip(from).zip(to) {
            *pose = if part >= 1.0 { *b } else { between(a, b, part) };
        }
        &self.poses
    }
}

/// A pose on the way from one to another: it turns about a fixed axis.
fn between(a: &Pose, b: &Pose, part: f64) -> Pose {
    let translation = a.translation.lerp(b.translation, part);
    if a.rotation == b.rotation {
        return Pose { translation, ..*a };
    }
    let turn = b.rotation * a.rotation.transpose();
    let [x, y, z] = turn.to_cols_array_2d().map(DVec3::from);
    let axis = DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
    let cosine = 0.5 * (x.x + y.y + z.z - 1.0);
    let angle = (0.5 * axis.length()).atan2(cosine);
    // Half a turn has no axis here; then it turns at the end at once, if there is room.
    Pose { rotation: Pose::turned(axis, part * angle).rotation * a.rotation, translation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_between_two_turns_about_their_axis() {
        let a = Pose::turned(DVec3::new(1.0, 2.0, -1.0), 0.4).then_moved(DVec3::X);
        for angle in [0.3, -1.2, 2.9] {
            let turn = |part: f64| Pose::turned(DVec3::new(0.3, -1.0, 2.0), part * angle).rotation;
            let b = Pose { rotation: turn(1.0) * a.rotation, translation: DVec3::Y };
            for part in [0.0, 0.3, 0.8] {
                let pose = between(&a, &b, part);
                let want = turn(part) * a.rotation;
                let off = pose.rotation - want;
                assert!(off.to_cols_array().iter().all(|e| e.abs() < 1e-12), "{angle} {part}");
                assert!(pose.translation.distance(DVec3::X.lerp(DVec3::Y, part)) < 1e-15);
            }
        }
    }
}
