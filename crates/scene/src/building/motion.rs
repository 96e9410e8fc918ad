//! Scripted motions of pins, obstacles and needles.

use crate::file::spec::MotionSpec;
use pliant::{Keyframe, Motion};
use pliant_mesh::DVec3;
use std::f64::consts::TAU;

/// A scripted motion; rotations are about `center` unless the script names a point.
pub(super) fn motion(spec: &MotionSpec, center: impl Fn() -> DVec3) -> Motion {
    match spec {
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
    }
}
