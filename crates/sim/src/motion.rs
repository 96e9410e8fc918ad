//! Scripted motion of pins: where a vertex that starts at `rest` is at time `t`.

use pliant_collide::Pose;
use pliant_mesh::{DMat3, DVec3};

/// A rigid motion as a function of time. Times are in seconds, angles in radians, lengths in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// Stays at its place.
    #[default]
    Fixed,
    /// Moves with a constant velocity between `start` and `stop`, and rests outside of that interval.
    Velocity {
        /// Velocity in m/s.
        velocity: DVec3,
        /// When the motion starts.
        start: f64,
        /// When the motion stops (may be infinite).
        stop: f64,
    },
    /// Turns about an axis with a constant rate between `start` and `stop`.
    Rotation {
        /// A point on the axis.
        point: DVec3,
        /// Direction of the axis; normalised on use.
        axis: DVec3,
        /// Rate in rad/s, right-handed about `axis`.
        rate: f64,
        /// When the motion starts.
        start: f64,
        /// When the motion stops (may be infinite).
        stop: f64,
    },
    /// Passes through keyframes, linearly in translation and in angle; holds the first and the last.
    Keyframes {
        /// A point on the rotation axis.
        point: DVec3,
        /// Rotation axis; normalised on use.
        axis: DVec3,
        /// Keyframes in ascending time.
        frames: Vec<Keyframe>,
    },
}

/// One keyframe of [`Motion::Keyframes`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keyframe {
    /// Time in s.
    pub time: f64,
    /// Translation from the rest position in m.
    pub translation: DVec3,
    /// Rotation angle about the axis in rad.
    pub angle: f64,
}

/// Why a motion cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// Keyframes that go back in time.
    #[error("the times of its keyframes must ascend: sort them, one frame per time")]
    Unsorted,
    /// A number that is infinite or none.
    #[error("its motion has numbers that are not finite")]
    NotFinite,
}

impl Motion {
    /// Whether all numbers are usable.
    ///
    /// # Errors
    /// If one is not finite, or keyframes do not ascend in time.
    pub fn validate(&self) -> Result<(), MotionError> {
        let no_nan = |start: &f64, stop: &f64| start.is_finite() && !stop.is_nan();
        let usable = match self {
            Motion::Fixed => true,
            Motion::Velocity { velocity, start, stop } => velocity.is_finite() && no_nan(start, stop),
            Motion::Rotation { point, axis, rate, start, stop } => {
                point.is_finite() && axis.is_finite() && rate.is_finite() && no_nan(start, stop)
            }
            Motion::Keyframes { point, axis, frames } => {
                let frame =
                    |f: &Keyframe| f.translation.is_finite() && f.time.is_finite() && f.angle.is_finite();
                if frames.windows(2).any(|w| w[0].time >= w[1].time) {
                    return Err(MotionError::Unsorted);
                }
                point.is_finite() && axis.is_finite() && frames.iter().all(frame)
            }
        };
        if usable { Ok(()) } else { Err(MotionError::NotFinite) }
    }

    /// Position at time `t` of a point that is at `rest` before any motion.
    pub fn position(&self, rest: DVec3, t: f64) -> DVec3 {
        match self {
            Motion::Fixed => rest,
            Motion::Velocity { velocity, start, stop } => rest + active_time(t, *start, *stop) * velocity,
            Motion::Rotation { point, axis, rate, start, stop } => {
                rotate_about(rest, *point, *axis, rate * active_time(t, *start, *stop))
            }
            Motion::Keyframes { point, axis, frames } => {
                let (translation, angle) = interpolate(frames, t);
                rotate_about(rest, *point, *axis, angle) + translation
            }
        }
    }
}

impl Motion {
    /// Where a point that is at `place` at time `t` was before any motion.
    pub fn origin(&self, place: DVec3, t: f64) -> DVec3 {
        let Pose { rotation, translation } = self.pose(&Pose::IDENTITY, t);
        rotation.transpose() * (place - translation)
    }

    /// Where something rigid is at time `t` that is at `start` before any motion.
    pub fn pose(&self, start: &Pose, t: f64) -> Pose {
        let origin = self.position(start.translation, t);
        // A motion is rigid: it turns each axis of the start by how it moves the tip of that axis.
        let turned = |axis: DVec3| self.position(start.translation + axis, t) - origin;
        let DMat3 { x_axis, y_axis, z_axis } = start.rotation;
        let rotation = DMat3::from_cols(turned(x_axis), turned(y_axis), turned(z_axis));
        Pose { rotation, translation: origin }
    }
}

/// Time spent inside `[start, stop]` up to `t`.
fn active_time(t: f64, start: f64, stop: f64) -> f64 {
    (t.min(stop) - start).max(0.0)
}

fn interpolate(frames: &[Keyframe], t: f64) -> (DVec3, f64) {
    let Some(first) = frames.first() else { return (DVec3::ZERO, 0.0) };
    let after = frames.partition_point(|k| k.time <= t);
    if after == 0 {
        return (first.translation, first.angle);
    }
    let a = &frames[after - 1];
    let Some(b) = frames.get(after) else { return (a.translation, a.angle) };
    let s = (t - a.time) / (b.time - a.time);
    (a.translation + s * (b.translation - a.translation), a.angle + s * (b.angle - a.angle))
}

/// Rodrigues' formula. An axis of zero length leaves the point where it is.
fn rotate_about(x: DVec3, point: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    let length = axis.length();
    if length == 0.0 || angle == 0.0 {
        return x;
    }
    let (n, r) = (axis / length, x - point);
    let (sin, cos) = angle.sin_cos();
    point + cos * r + sin * n.cross(r) + (1.0 - cos) * n.dot(r) * n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocity_acts_only_inside_its_interval() {
        let m = Motion::Velocity { velocity: DVec3::new(2.0, 0.0, 0.0), start: 1.0, stop: 3.0 };
        assert_eq!(m.position(DVec3::ZERO, 0.5), DVec3::ZERO);
        assert_eq!(m.position(DVec3::ZERO, 2.0), DVec3::new(2.0, 0.0, 0.0));
        assert_eq!(m.position(DVec3::ZERO, 9.0), DVec3::new(4.0, 0.0, 0.0));
    }

    #[test]
    fn a_quarter_turn_about_z() {
        let m = Motion::Rotation {
            point: DVec3::X,
            axis: DVec3::new(0.0, 0.0, 2.0),
            rate: std::f64::consts::FRAC_PI_2,
            start: 0.0,
            stop: f64::INFINITY,
        };
        let p = m.position(DVec3::new(2.0, 0.0, 5.0), 1.0);
        assert!(p.abs_diff_eq(DVec3::new(1.0, 1.0, 5.0), 1e-14), "{p}");
    }

    #[test]
    fn keyframes_interpolate_and_hold() {
        let frame = |time, x| Keyframe { time, translation: x * DVec3::X, angle: 0.0 };
        let m = Motion::Keyframes {
            point: DVec3::ZERO,
            axis: DVec3::Z,
            frames: vec![frame(1.0, 0.0), frame(2.0, 4.0)],
        };
        assert_eq!(m.position(DVec3::ZERO, 0.0).x, 0.0);
        assert_eq!(m.position(DVec3::ZERO, 1.25).x, 1.0);
        assert_eq!(m.position(DVec3::ZERO, 7.0).x, 4.0);
    }

    #[test]
    fn a_motion_leads_from_the_origin_of_a_place_to_that_place() {
        let m = Motion::Keyframes {
            point: DVec3::new(0.3, -0.2, 0.7),
            axis: DVec3::new(1.0, 2.0, 3.0),
            frames: vec![Keyframe::default(), Keyframe { time: 2.0, translation: DVec3::X, angle: 3.0 }],
        };
        let place = DVec3::new(4.0, 5.0, -6.0);
        assert!(m.position(m.origin(place, 1.3), 1.3).abs_diff_eq(place, 1e-12));
    }

    #[test]
    fn motions_that_cannot_be_followed_are_refused() {
        let frame = |time, angle| Keyframe { time, translation: DVec3::ZERO, angle };
        let turn = |frames| Motion::Keyframes { point: DVec3::ZERO, axis: DVec3::Z, frames };
        assert!(turn(vec![frame(0.0, 0.0), frame(1.0, 2.0)]).validate().is_ok());
        let unsorted = turn(vec![frame(1.0, 0.0), frame(0.5, 0.0)]);
        assert_eq!(unsorted.validate(), Err(MotionError::Unsorted));
        assert_eq!(turn(vec![frame(0.0, f64::NAN)]).validate(), Err(MotionError::NotFinite));
        let velocity = DVec3::new(f64::INFINITY, 0.0, 0.0);
        let fast = Motion::Velocity { velocity, start: 0.0, stop: f64::INFINITY };
        assert!(fast.validate().is_err());
    }
}
