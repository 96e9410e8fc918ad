//! Scripted motions of pins, obstacles and needles.

use super::animation;
use crate::error::Fault;
use crate::file::spec::{MotionSpec, TransformSpec};
use pliant::{Keyframe, Motion};
use pliant_mesh::DVec3;
use pliant_mesh_io::Animation;
use std::f64::consts::TAU;
use std::path::Path;

/// A scripted motion of something rigid; rotations are about `center` unless the script names a point. What is read from a file
/// lies beside `directory` and is placed by `own` unless it has a place.
pub(super) fn motion(
    spec: &MotionSpec,
    center: impl Fn() -> DVec3,
    (own, directory): (&TransformSpec, &Path),
) -> Result<Motion, Fault> {
    motion_with(spec, center, (own, directory), |a| Ok(Motion::Poses(animation::poses(a)?)))
}

/// The same for what makes a motion of an animation itself.
pub(super) fn motion_with(
    spec: &MotionSpec,
    center: impl Fn() -> DVec3,
    (own, directory): (&TransformSpec, &Path),
    follow: impl Fn(&Animation) -> Result<Motion, Fault>,
) -> Result<Motion, Fault> {
    Ok(match spec {
        MotionSpec::Animation(spec) => follow(&animation::read(spec, own, directory)?)?,
        MotionSpec::Fixed => Motion::Fixed,
        MotionSpec::Velocity { velocity, start, stop } => Motion::Velocity {
            velocity: DVec3::from(*velocity),
            start: *start,
            stop: stop.unwrap_or(f64::INFINITY),
        },
        MotionSpec::Rotation { axis, point, turns_per_second, degrees_per_second, start, stop } => {
            Motion::Rotation {
                point: point.map_or_else(&center, DVec3::from),
                axis: DVec3::from(*axis),
                rate: turns_per_second.map_or(0.0, |t| t * TAU)
                    + degrees_per_second.map_or(0.0, f64::to_radians),
                start: *start,
                stop: stop.unwrap_or(f64::INFINITY),
            }
        }
        MotionSpec::Keyframes { frames, axis, point } => Motion::Keyframes {
            point: point.map_or_else(&center, DVec3::from),
            axis: DVec3::from(*axis),
            frames: frames
                .iter()
                .map(|f| Keyframe {
                    time: f.time,
                    translation: f.translate.into(),
                    angle: f.degrees.to_radians() + f.turns * TAU,
                })
                .collect(),
        },
    })
}
