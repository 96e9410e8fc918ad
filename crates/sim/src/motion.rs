//! Scripted motion of pins: where a vertex that starts at `rest` is at time `t`.

use pliant_collide::Pose;
use pliant_mesh::{DMat3, DVec3};
use std::sync::Arc;

/// A motion as a function of time, rigid but for [`Motion::Points`]. Times are in seconds, angles in radians, lengths in metres.
///
/// ```
/// use pliant::{DVec3, Keyframe, Motion, Pose};
///
/// let lift = Motion::Velocity { velocity: 0.1 * DVec3::Z, start: 0.5, stop: 1.5 };
/// assert_eq!(lift.pose(&Pose::IDENTITY, 1.0).translation.z, 0.05);
/// let turn = Motion::Rotation { point: DVec3::ZERO, axis: DVec3::Z, rate: 1.0, start: 0.0, stop: f64::INFINITY };
/// # let _ = turn;
/// ```
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
    /// Passes through poses: turns evenly from one to the next, the short way, and moves linearly; holds the first and the last.
    Poses(Vec<(f64, Pose)>),
    /// Each vertex goes its own way. For pins only.
    Points(Arc<Paths>),
}

/// Ways of single vertices: those of a pin, in its order.
///
/// ```
/// use pliant::{DVec3, Paths};
///
/// // One vertex that goes 10 cm along x in a second.
/// let paths = Paths { times: vec![0.0, 1.0], displacements: vec![vec![DVec3::ZERO], vec![0.1 * DVec3::X]] };
/// assert_eq!(paths.displacement(0, 0.5), 0.05 * DVec3::X);
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Paths {
    /// Times in s, ascending.
    pub times: Vec<f64>,
    /// At each of them, how far each vertex is from its rest position, in m; linear in between.
    pub displacements: Vec<Vec<DVec3>>,
}

impl Paths {
    /// How far a vertex is from its rest position at time `t`. Zero for a vertex that there is no way for.
    pub fn displacement(&self, vertex: usize, t: f64) -> DVec3 {
        let at = |frame: usize| self.displacements.get(frame).and_then(|d| d.get(vertex));
        let of = |frame: usize| at(frame).copied().unwrap_or(DVec3::ZERO);
        let (a, b, s) = between(&self.times, |t| *t, t);
        of(a) + s * (of(b) - of(a))
    }
}

/// Only its size and a sum over all its bits: there may be millions of numbers.
impl std::fmt::Debug for Paths {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        let numbers =
            self.times.iter().copied().chain(self.displacements.iter().flatten().flat_map(|d| d.to_array()));
        let sum = numbers
            .fold(0u64, |sum, x| (sum.rotate_left(5) ^ x.to_bits()).wrapping_mul(0x517c_c1b7_2722_0a95));
        write!(out, "Paths({} frames, {sum:016x})", self.times.len())
    }
}

/// One keyframe of [`Motion::Keyframes`].
///
/// ```
/// use pliant::{DVec3, Keyframe, Motion, Pose};
///
/// let frames = vec![
///     Keyframe::default(),
///     Keyframe { time: 1.0, translation: 0.2 * DVec3::X, ..Keyframe::default() },
/// ];
/// let motion = Motion::Keyframes { frames, point: DVec3::ZERO, axis: DVec3::Z };
/// assert_eq!(motion.pose(&Pose::IDENTITY, 0.5).translation.x, 0.1);
/// ```
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
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{DVec3, Motion};
///
/// let mut world = cube_on_floor();
/// let floor = world.model().obstacle("floor").expect("it has this name");
/// let nowhere = Motion::Velocity { velocity: f64::NAN * DVec3::X, start: 0.0, stop: 1.0 };
/// let refused = world.set_obstacle_motion(floor, nowhere).unwrap_err();
/// println!("{refused}"); // its motion has numbers that are not finite
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// Keyframes that go back in time.
    #[error("the times of its keyframes must ascend: sort them, one frame per time")]
    Unsorted,
    /// A number that is infinite or none.
    #[error("its motion has numbers that are not finite")]
    NotFinite,
    /// Ways of single vertices for something that has none.
    #[error("something rigid cannot follow the ways of single vertices: give it poses")]
    NotRigid,
    /// Ways of another number of vertices or times.
    #[error("the ways of its vertices do not fit: {vertices} vertices and {times} times are needed in each")]
    OtherCount {
        /// Vertices that there are.
        vertices: usize,
        /// Times that there are.
        times: usize,
    },
    /// A pose that is not one.
    #[error("a pose of its motion is not a rotation and a place")]
    Pose,
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
            Motion::Poses(poses) => {
                if poses.windows(2).any(|w| w[0].0 >= w[1].0) {
                    return Err(MotionError::Unsorted);
                }
                if !poses.iter().all(|(_, pose)| is_pose(pose)) {
                    return Err(MotionError::Pose);
                }
                poses.iter().all(|(time, _)| time.is_finite())
            }
            Motion::Points(_) => return Err(MotionError::NotRigid),
        };
        if usable { Ok(()) } else { Err(MotionError::NotFinite) }
    }

    /// The same for a pin of so many vertices, each of which may have its own way.
    ///
    /// # Errors
    /// See [`validate`](Self::validate); also if there are not as many ways as vertices.
    pub fn validate_for(&self, vertices: usize) -> Result<(), MotionError> {
        let Motion::Points(paths) = self else { return self.validate() };
        let times = paths.times.len();
        if paths.displacements.len() != times || paths.displacements.iter().any(|d| d.len() != vertices) {
            return Err(MotionError::OtherCount { vertices, times });
        }
        if paths.times.windows(2).any(|w| w[0] >= w[1]) {
            return Err(MotionError::Unsorted);
        }
        let finite = |d: &DVec3| d.is_finite();
        let usable =
            paths.times.iter().all(|t| t.is_finite()) && paths.displacements.iter().flatten().all(finite);
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
            Motion::Poses(poses) => pose_between(poses, t).place(rest),
            Motion::Points(_) => rest,
        }
    }

    /// The same for the vertex with this number in its pin.
    pub fn position_of(&self, vertex: usize, rest: DVec3, t: f64) -> DVec3 {
        match self {
            Motion::Points(paths) => rest + paths.displacement(vertex, t),
            rigid => rigid.position(rest, t),
        }
    }

    /// Where the vertex with this number in its pin, which is at `place` at time `t`, was before any motion.
    pub fn origin_of(&self, vertex: usize, place: DVec3, t: f64) -> DVec3 {
        match self {
            Motion::Points(paths) => place - paths.displacement(vertex, t),
            rigid => rigid.origin(place, t),
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

/// The entries before and after time `t`, and the part of the way between them; the first or the last where there is no other.
fn between<T>(entries: &[T], time: impl Fn(&T) -> f64, t: f64) -> (usize, usize, f64) {
    let after = entries.partition_point(|entry| time(entry) <= t);
    if after == 0 || after == entries.len() {
        let only = after.saturating_sub(1);
        return (only, only, 0.0);
    }
    let (a, b) = (time(&entries[after - 1]), time(&entries[after]));
    (after - 1, after, (t - a) / (b - a))
}

fn interpolate(frames: &[Keyframe], t: f64) -> (DVec3, f64) {
    if frames.is_empty() {
        return (DVec3::ZERO, 0.0);
    }
    let (a, b, s) = between(frames, |k| k.time, t);
    let (a, b) = (&frames[a], &frames[b]);
    (a.translation + s * (b.translation - a.translation), a.angle + s * (b.angle - a.angle))
}

fn pose_between(poses: &[(f64, Pose)], t: f64) -> Pose {
    if poses.is_empty() {
        return Pose::IDENTITY;
    }
    let (a, b, s) = between(poses, |(time, _)| *time, t);
    let (a, b) = (&poses[a].1, &poses[b].1);
    if s == 0.0 {
        return *a;
    }
    let (axis, angle) = axis_and_angle(b.rotation * a.rotation.transpose());
    let turned = |column: DVec3| rotate_about(column, DVec3::ZERO, axis, s * angle);
    let DMat3 { x_axis, y_axis, z_axis } = a.rotation;
    Pose {
        rotation: DMat3::from_cols(turned(x_axis), turned(y_axis), turned(z_axis)),
        translation: a.translation + s * (b.translation - a.translation),
    }
}

/// Largest difference of a rotation from one that is rounding.
const ROUNDING: f64 = 1e-6;

/// Whether its rotation is one, and its place is finite.
pub(crate) fn is_pose(pose: &Pose) -> bool {
    let rotation = pose.rotation;
    let square = rotation.transpose() * rotation;
    let is_rotation = square.abs_diff_eq(DMat3::IDENTITY, ROUNDING) && rotation.determinant() > 0.0;
    pose.translation.is_finite() && is_rotation
}

/// Axis and angle in rad of a rotation.
pub(crate) fn axis_and_angle(rotation: DMat3) -> (DVec3, f64) {
    let m = rotation;
    let twice_sine = DVec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x);
    let twice_cosine = m.x_axis.x + m.y_axis.y + m.z_axis.z - 1.0;
    let angle = twice_sine.length().atan2(twice_cosine);
    if twice_sine.length() > ROUNDING || twice_cosine > 0.0 {
        return (twice_sine, angle);
    }
    // About half a turn: the longest column of R + 1 is along the axis.
    let columns = [m.x_axis + DVec3::X, m.y_axis + DVec3::Y, m.z_axis + DVec3::Z];
    let axis = columns.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    (axis.unwrap_or(DVec3::X), angle)
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
