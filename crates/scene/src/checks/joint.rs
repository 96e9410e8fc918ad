//! `[[attachment]]`, `[[cable]]` and `[[needle]]`: ranges and keys that fit together.

use super::schedule::{acting, schedule};
use super::{finite, not_negative};
use crate::file::document::{Document, Problems};
use crate::file::spec::{AnchorSpec, CableSpec, NeedleSpec, StationSpec};

/// Most places of a line: a cable is meant to have tens.
const MAX_PLACES: usize = 10_000;

pub(super) fn joints(d: &Document, problems: &mut Problems) {
    for (i, attachment) in d.attachments.iter().enumerate() {
        let path = format!("attachment.{i}");
        not_negative(&format!("{path}.compliance"), attachment.compliance, problems);
        acting(&path, attachment.start, attachment.stop, problems);
        if let Some(reach) = attachment.reach {
            not_negative(&format!("{path}.reach"), reach, problems);
        }
        anchor(&format!("{path}.from"), &attachment.from, problems);
        anchor(&format!("{path}.to"), &attachment.to, problems);
        if attachment.from.select.is_none() && attachment.from.point.is_none() {
            let cause = format!("{path}.from names no points of its body");
            problems.add(
                &format!("{path}.from"),
                cause,
                "add `select = { group = \"...\" }` or `point = [x, y, z]`",
            );
        }
    }
    for (i, spec) in d.cables.iter().enumerate() {
        cable(&format!("cable.{i}"), spec, problems);
    }
    for (i, spec) in d.needles.iter().enumerate() {
        needle(&format!("needle.{i}"), spec, problems);
    }
}

fn anchor(path: &str, anchor: &AnchorSpec, problems: &mut Problems) {
    finite(&format!("{path}.point"), anchor.point.as_ref().map_or(&[], |p| p), problems);
}

fn cable(path: &str, cable: &CableSpec, problems: &mut Problems) {
    not_negative(&format!("{path}.compliance"), cable.compliance, problems);
    for (k, point) in cable.points.iter().enumerate() {
        station(&format!("{path}.points.{k}"), point, problems);
    }
    let has_line = cable.points.iter().any(|p| p.line.is_some() || p.along.is_some());
    if cable.points.len() < 2 && !has_line {
        let cause = format!("{path}.points has {} entries, a cable needs two or more", cable.points.len());
        problems.add(&format!("{path}.points"), cause, "add where it ends");
    } else if !cable.points.is_empty() && cable.points.iter().all(|p| p.fixed.is_some()) {
        let cause = format!("{path}.points has no point of a body");
        problems.add(
            &format!("{path}.points"),
            cause,
            "add for example { body = \"...\", point = [x, y, z] }",
        );
    }
    let drives = [("length", &cable.length), ("shorten", &cable.shorten), ("pull", &cable.pull)];
    let mut given = None;
    for (key, values) in drives {
        let Some(values) = values else { continue };
        let at = format!("{path}.{key}");
        schedule(&at, values, key != "shorten", problems);
        if let Some(other) = given.replace(key) {
            let cause = format!("{at} is given beside `{other}`");
            problems.add(&at, cause, "drive a cable by one of length, shorten and pull");
        }
    }
}

fn needle(path: &str, needle: &NeedleSpec, problems: &mut Problems) {
    not_negative(&format!("{path}.compliance"), needle.compliance, problems);
    not_negative(&format!("{path}.grip"), needle.grip, problems);
    finite(&format!("{path}.end"), &needle.end, problems);
    finite(&format!("{path}.tip"), &needle.tip, problems);
    finite(&format!("{path}.path"), needle.path.as_flattened(), problems);
    if needle.end == needle.tip {
        let cause = format!("{path}: its end and its tip are in the same place");
        problems.add(&format!("{path}.tip"), cause, "a needle has a length");
    }
    places(path, needle.count, problems);
    super::action::motion(path, &needle.motion, problems);
}

/// Checks the `count` of the entry at `path`.
fn places(path: &str, count: usize, problems: &mut Problems) {
    if !(2..=MAX_PLACES).contains(&count) {
        let cause = format!("{path}.count must be from 2 to {MAX_PLACES}");
        problems.add(&format!("{path}.count"), cause, "count the ends of the line too");
    }
}

fn station(path: &str, s: &StationSpec, problems: &mut Problems) {
    for (key, place) in [("point", &s.point), ("fixed", &s.fixed)] {
        finite(&format!("{path}.{key}"), place.as_ref().map_or(&[], |p| p), problems);
    }
    finite(&format!("{path}.line"), s.line.as_ref().map_or(&[], |l| l.as_flattened()), problems);
    let in_world = s.fixed.is_some();
    let placed = s.point.is_some() || s.select.is_some();
    let in_body = placed || s.line.is_some() || s.along.is_some();
    let mixed = [placed, s.line.is_some(), s.along.is_some()].into_iter().filter(|given| *given).count() > 1;
    if in_world == in_body || (in_world && s.body.is_some()) || mixed {
        let cause = format!("{path} must be one place");
        problems.add(
            path,
            cause,
            "write { fixed = [x, y, z] }, or a `body` with `point`, `select`, `line` or `along`",
        );
    }
    if s.local && s.point.is_none() && s.line.is_none() {
        let at = format!("{path}.local");
        problems.add(&at, format!("{at} belongs to a `point` or a `line`"), "remove it, or add one of them");
    }
    if s.count.is_some() && s.line.is_none() {
        problems.add(
            &format!("{path}.count"),
            format!("{path}.count belongs to a `line`"),
            "remove it, or add a `line`",
        );
    } else if let Some(count) = s.count {
        places(path, count, problems);
    }
}
