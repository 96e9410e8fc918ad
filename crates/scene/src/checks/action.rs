//! `[[pin]]`, `[[force]]`, `[[probe]]`, `[[expect]]`: ranges and keys that fit together.

use super::schedule::{acting, course, schedule};
use super::{direction, finite, not_negative, positive};
use crate::file::document::{Document, Problems};
use crate::file::spec::{ForceKind, MotionSpec, Op, PinSpec, ProbeSpec, ProbeWhat};

pub(super) fn pin(path: &str, p: &PinSpec, problems: &mut Problems) {
    if let Some(stiffness) = p.stiffness {
        positive(&format!("{path}.stiffness"), stiffness, problems);
    }
    if let Some(compliance) = p.compliance {
        let key = format!("{path}.compliance");
        not_negative(&key, compliance, problems);
        if p.stiffness.is_some() {
            problems.add(&key, format!("{key} is given beside a stiffness"), "leave one of them out");
        }
    }
    motion(path, &p.motion, problems);
    acting(path, p.start, p.stop, problems);
}

/// Checks the scripted motion of the entry at `path`.
pub(super) fn motion(path: &str, motion: &MotionSpec, problems: &mut Problems) {
    let at = |key: &str| format!("{path}.motion.{key}");
    match motion {
        MotionSpec::Fixed => {}
        MotionSpec::Velocity { velocity, start, stop } => {
            finite(&at("velocity"), velocity, problems);
            interval(&at("stop"), *start, *stop, problems);
        }
        MotionSpec::Rotation { axis, point, turns_per_second, degrees_per_second, start, stop } => {
            direction(&at("axis"), axis, problems);
            finite(&at("point"), point.as_ref().map_or(&[], |p| p), problems);
            let rates: Vec<f64> = turns_per_second.iter().chain(degrees_per_second).copied().collect();
            if rates.len() != 1 {
                let cause = format!("{path}.motion needs exactly one rate");
                problems.add(&at("kind"), cause, "write turns_per_second or degrees_per_second");
            }
            let key = if turns_per_second.is_some() { "turns_per_second" } else { "degrees_per_second" };
            finite(&at(key), &rates, problems);
            interval(&at("stop"), *start, *stop, problems);
        }
        MotionSpec::Keyframes { frames, axis, point } => {
            direction(&at("axis"), axis, problems);
            finite(&at("point"), point.as_ref().map_or(&[], |p| p), problems);
            for (i, f) in frames.iter().enumerate() {
                let numbers = [f.time, f.degrees, f.turns, f.translate[0], f.translate[1], f.translate[2]];
                finite(&at(&format!("frames.{i}")), &numbers, problems);
            }
            if frames.is_empty() || frames.windows(2).any(|w| w[0].time >= w[1].time) {
                let cause =
                    format!("{path}.motion.frames must be at least one keyframe with ascending times");
                problems.add(&at("frames"), cause, "sort the keyframes by time");
            }
        }
        MotionSpec::Animation(animation) => {
            positive(&at("fps"), animation.fps, problems);
            finite(&at("start"), &[animation.start], problems);
        }
    }
}

fn interval(path: &str, start: f64, stop: Option<f64>, problems: &mut Problems) {
    if !start.is_finite() || stop.is_some_and(|s| s.is_nan() || s < start) {
        problems.add(path, format!("{path}: the motion must start before it stops"), "set start < stop");
    }
}

pub(super) fn forces(d: &Document, problems: &mut Problems) {
    for (i, force) in d.forces.iter().enumerate() {
        let path = format!("force.{i}");
        not_negative(&format!("{path}.ramp"), force.ramp, problems);
        acting(&path, force.start, force.stop, problems);
        if let Some(total) = &force.total {
            course(&format!("{path}.total"), total, problems);
        }
        if let Some(value) = &force.value {
            schedule(&format!("{path}.value"), value, false, problems);
        }
        let (needs, refuses, remedy) = match force.kind {
            ForceKind::Force => {
                (force.total.is_some(), force.value.is_some(), "give `total = [x, y, z]` in N")
            }
            ForceKind::Pressure => (
                force.value.is_some(),
                force.total.is_some() || force.select.is_some(),
                "a pressure has `value` in Pa and acts on the whole surface",
            ),
        };
        if !needs || refuses {
            problems.add(&path, format!("{path}: the keys do not fit the kind of load"), remedy);
        }
    }
}

pub(super) fn probes(d: &Document, problems: &mut Problems) {
    for (i, probe) in d.probes.iter().enumerate() {
        let path = format!("probe.{i}");
        if let Some(axis) = &probe.axis {
            direction(&format!("{path}.axis"), &axis.0, problems);
        } else if probe.what == ProbeWhat::Extent {
            problems.add(&path, format!("{path}: an extent needs an axis"), "add for example axis = \"y\"");
        }
        references(&path, probe, problems);
        if probe.name.is_empty() || probe.name.contains('.') {
            let cause = format!("{path}.name = \"{}\" must not be empty nor have dots", probe.name);
            problems.add(&format!("{path}.name"), cause, "use letters, digits and underscores");
        }
    }
}

/// Selections, frames and obstacles only where they mean something.
fn references(path: &str, probe: &ProbeSpec, problems: &mut Problems) {
    use ProbeWhat::*;
    let of_vertices = matches!(probe.what, Position | Displacement | Extent | Speed | Lowest | Radius);
    if probe.select.is_some() && !of_vertices {
        let cause = format!("{path}: this probe is about the whole body");
        problems.add(&format!("{path}.select"), cause, "remove `select`, or use what = \"position\"");
    }
    let of_pairs = matches!(
        probe.what,
        ContactForce | NormalForce | FrictionForce | ContactArea | ContactPressure | Contacts | Sliding
    );
    let of_contacts = of_pairs || probe.what == ContactSpread;
    if probe.other.is_some() && (!of_pairs || probe.obstacle.is_some() || probe.body.is_none()) {
        let cause = format!("{path}.other is for contacts between `body` and another body");
        problems.add(
            &format!("{path}.other"),
            cause,
            "name a `body`, no `obstacle`, and what = \"contact_force\"",
        );
    }
    if probe.obstacle.is_some() && !of_contacts {
        let cause = format!("{path}: this probe is not about an obstacle");
        problems.add(
            &format!("{path}.obstacle"),
            cause,
            "remove `obstacle`, or use what = \"contact_force\"",
        );
    }
    joints(path, probe, problems);
    let has_place = matches!(
        probe.what,
        Center
            | Position
            | Displacement
            | Extent
            | Speed
            | Lowest
            | Momentum
            | ContactForce
            | AirForce
            | Reaction
            | AttachmentForce
            | NeedleForce
    );
    if probe.frame.is_some() && !has_place {
        let cause = format!("{path}: this probe has neither place nor direction");
        problems.add(&format!("{path}.frame"), cause, "remove `frame`");
    }
    if probe.what == Penetration && probe.body.is_some() {
        let cause = format!("{path}: the penetration is that of all surfaces");
        problems.add(&format!("{path}.body"), cause, "remove `body`");
    }
}

/// Pins, cables and attachments only where they mean something, and no body beside them.
fn joints(path: &str, probe: &ProbeSpec, problems: &mut Problems) {
    use ProbeWhat::*;
    let of_pin = probe.what == Reaction;
    let of_cable = matches!(probe.what, CableTension | CableLength);
    let of_attachment = probe.what == AttachmentForce;
    let of_needle = matches!(probe.what, NeedleForce | NeedlePoints | NeedleGap);
    for (key, given, fits, what) in [
        ("pin", probe.pin.is_some(), of_pin, "reaction"),
        ("cable", probe.cable.is_some(), of_cable, "cable_tension"),
        ("attachment", probe.attachment.is_some(), of_attachment, "attachment_force"),
        ("needle", probe.needle.is_some(), of_needle, "needle_force"),
    ] {
        if given && !fits {
            let remedy = format!("remove `{key}`, or use what = \"{what}\"");
            problems.add(
                &format!("{path}.{key}"),
                format!("{path}: this probe is not about a {key}"),
                remedy,
            );
        }
    }
    if probe.body.is_some() && (of_pin || of_cable || of_attachment || of_needle) {
        let cause = format!("{path}: this probe is not about a body");
        problems.add(
            &format!("{path}.body"),
            cause,
            "remove `body`, and name the pin, cable, attachment or needle",
        );
    }
}

pub(super) fn expectations(d: &Document, problems: &mut Problems) {
    let lists = [
        ("bodies", d.bodies.len()),
        ("obstacles", d.obstacles.len()),
        ("pins", d.pins.len()),
        ("attachments", d.attachments.len()),
        ("cables", d.cables.len()),
        ("needles", d.needles.len()),
    ];
    for (i, e) in d.expectations.iter().enumerate() {
        let path = format!("expect.{i}");
        finite(&format!("{path}.value"), &[e.value], problems);
        not_negative(&format!("{path}.tolerance"), e.tolerance, problems);
        if e.op == Op::Within && e.tolerance == 0.0 {
            let cause = format!("{path}: `within` needs a tolerance");
            problems.add(&path, cause, "add for example tolerance = 0.01 (and relative = true)");
        }
        let probes: Vec<&str> = d.probes.iter().map(|p| p.name.as_str()).collect();
        if let Err(remedy) = crate::measuring::expect::known(&e.what, &probes, &lists) {
            let cause = format!("{path}.what: there is no `{}` in the report", e.what);
            problems.add(&format!("{path}.what"), cause, remedy);
        }
    }
}
