//! Scripted motion of pins: where a vertex that starts at `rest` is at time `t`.

use pliant_collide::Pose;
use pliant_mesh::Point;

/// A rigid motion as a function of time. Times are in seconds, angles in radians, lengths in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// Stays at its place.
    #[default]
    Fixed,
    /// Moves with a constant velocity between `start` and `stop`, and rests outside of that interval.
    Velocity {
        /// Velocity in m/s.
        velocity: Point,
        /// When the motion starts.
        start: f64,
        /// When the motion stops (may be infinite).
        stop: f64,
    },
    /// Turns about an axis with a constant rate between `start` and `stop`.
    Rotation {
        /// A point on the axis.
        point: Point,
        /// Direction of the axis; normalised on use.
        axis: Point,
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
        point: Point,
        /// Rotation axis; normalised on use.
        axis: Point,
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
    pub translation: Point,
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
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let no_nan = |start: &f64, stop: &f64| start.is_finite() && !stop.is_nan();
        let usable = match self {
            Motion::Fixed => true,
            Motion::Velocity { velocity, start, stop } => finite(velocity) && no_nan(start, stop),
            Motion::Rotation { point, axis, rate, start, stop } => {
                finite(point) && finite(axis) && rate.is_finite() && no_nan(start, stop)
            }
            Motion::Keyframes { point, axis, frames } => {
                let frame = |f: &Keyframe| finite(&f.translation) && finite(&[f.time, f.angle]);
                if frames.windows(2).any(|w| w[0].time >= w[1].time) {
                    return Err(MotionError::Unsorted);
                }
                finite(point) && finite(axis) && frames.iter().all(frame)
            }
        };
        if usable { Ok(()) } else { Err(MotionError::NotFinite) }
    }

    /// Position at time `t` of a point that is at `rest` before any motion.
    pub fn position(&self, rest: Point, t: f64) -> Point {
        match self {
            Motion::Fixed => rest,
            Motion::Velocity { velocity, start, stop } => {
                let s = active_time(t, *start, *stop);
                std::array::from_fn(|k| rest[k] + s * velocity[k])
            }
            Motion::Rotation { point, axis, rate, start, stop } => {
                rotate_about(rest, *point, *axis, rate * active_time(t, *start, *stop))
            }
            Motion::Keyframes { point, axis, frames } => {
                let (translation, angle) = interpolate(frames, t);
                let turned = rotate_about(rest, *point, *axis, angle);
                std::array::from_fn(|k| turned[k] + translation[k])
            }
        }
    }
}

impl Motion {
    /// Where something rigid is at time `t` that is at `start` before any motion.
    pub fn pose(&self, start: &Pose, t: f64) -> Pose {
        let origin = self.position(start.translation, t);
        // A motion is rigid: it turns each axis of the start by how it moves the tip of that axis.
        let mut rotation = [[0.0; 3]; 3];
        for axis in 0..3 {
            let tip = std::array::from_fn(|k| start.translation[k] + start.rotation[k][axis]);
            let moved = self.position(tip, t);
            for k in 0..3 {
                rotation[k][axis] = moved[k] - origin[k];
            }
        }
        Pose { rotation, translation: origin }
    }
}

/// Time spent inside `[start, stop]` up to `t`.
fn active_time(t: f64, start: f64, stop: f64) -> f64 {
    (t.min(stop) - start).max(0.0)
}

fn interpolate(frames: &[Keyframe], t: f64) -> (Point, f64) {
    let Some(first) = frames.first() else { return ([0.0; 3], 0.0) };
    let after = frames.partition_point(|k| k.time <= t);
    if after == 0 {
        return (first.translation, first.angle);
    }
    let a = &frames[after - 1];
    let Some(b) = frames.get(after) else { return (a.translation, a.angle) };
    let s = (t - a.time) / (b.time - a.time);
    let mix = |x: f64, y: f64| x + s * (y - x);
    (std::array::from_fn(|k| mix(a.translation[k], b.translation[k])), mix(a.angle, b.angle))
}

/// Rodrigues' formula. An axis of zero length leaves the point where it is.
fn rotate_about(x: Point, point: Point, axis: Point, angle: f64) -> Point {
    let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
    if length == 0.0 || angle == 0.0 {
        return x;
    }
    let n: Point = std::array::from_fn(|k| axis[k] / length);
    let r: Point = std::array::from_fn(|k| x[k] - point[k]);
    let (sin, cos) = angle.sin_cos();
    let along = n[0] * r[0] + n[1] * r[1] + n[2] * r[2];
    let cross = [n[1] * r[2] - n[2] * r[1], n[2] * r[0] - n[0] * r[2], n[0] * r[1] - n[1] * r[0]];
    std::array::from_fn(|k| point[k] + cos * r[k] + sin * cross[k] + (1.0 - cos) * along * n[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocity_acts_only_inside_its_interval() {
        let m = Motion::Velocity { velocity: [2.0, 0.0, 0.0], start: 1.0, stop: 3.0 };
        assert_eq!(m.position([0.0; 3], 0.5), [0.0; 3]);
        assert_eq!(m.position([0.0; 3], 2.0), [2.0, 0.0, 0.0]);
        assert_eq!(m.position([0.0; 3], 9.0), [4.0, 0.0, 0.0]);
    }

    #[test]
    fn a_quarter_turn_about_z() {
        let m = Motion::Rotation {
            point: [1.0, 0.0, 0.0],
            axis: [0.0, 0.0, 2.0],
            rate: std::f64::consts::FRAC_PI_2,
            start: 0.0,
            stop: f64::INFINITY,
        };
        let p = m.position([2.0, 0.0, 5.0], 1.0);
        assert!((p[0] - 1.0).abs() < 1e-14 && (p[1] - 1.0).abs() < 1e-14 && (p[2] - 5.0).abs() < 1e-14);
    }

    #[test]
    fn keyframes_interpolate_and_hold() {
        let frame = |time, x| Keyframe { time, translation: [x, 0.0, 0.0], angle: 0.0 };
        let m = Motion::Keyframes {
            point: [0.0; 3],
            axis: [0.0, 0.0, 1.0],
            frames: vec![frame(1.0, 0.0), frame(2.0, 4.0)],
        };
        assert_eq!(m.position([0.0; 3], 0.0)[0], 0.0);
        assert_eq!(m.position([0.0; 3], 1.25)[0], 1.0);
        assert_eq!(m.position([0.0; 3], 7.0)[0], 4.0);
    }

    #[test]
    fn motions_that_cannot_be_followed_are_refused() {
        let frame = |time, angle| Keyframe { time, translation: [0.0; 3], angle };
        let turn = |frames| Motion::Keyframes { point: [0.0; 3], axis: [0.0, 0.0, 1.0], frames };
        assert!(turn(vec![frame(0.0, 0.0), frame(1.0, 2.0)]).validate().is_ok());
        let unsorted = turn(vec![frame(1.0, 0.0), frame(0.5, 0.0)]);
        assert_eq!(unsorted.validate(), Err(MotionError::Unsorted));
        assert_eq!(turn(vec![frame(0.0, f64::NAN)]).validate(), Err(MotionError::NotFinite));
        let fast = Motion::Velocity { velocity: [f64::INFINITY, 0.0, 0.0], start: 0.0, stop: f64::INFINITY };
        assert!(fast.validate().is_err());
    }
}
