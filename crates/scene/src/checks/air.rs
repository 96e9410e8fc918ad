//! `[air]`: ranges.

use super::schedule::course;
use super::{not_negative, positive};
use crate::file::document::{Document, Problems};

pub(super) fn air(d: &Document, problems: &mut Problems) {
    let Some(air) = &d.air else {
        for (i, body) in d.bodies.iter().enumerate() {
            for (key, given) in [("drag", body.drag.is_some()), ("lift", body.lift.is_some())] {
                if given {
                    let path = format!("body.{i}.{key}");
                    problems.add(&path, format!("{path} in a scene without air"), "add [air], or remove it");
                }
            }
        }
        return;
    };
    not_negative("air.density", air.density, problems);
    coefficients("air", air.drag, air.lift, problems);
    for (i, body) in d.bodies.iter().enumerate() {
        coefficients(&format!("body.{i}"), body.drag.unwrap_or(air.drag), body.lift, problems);
    }
    if let Some(wind) = &air.wind {
        course("air.wind", wind, problems);
    }
    if let Some(gusts) = &air.gusts {
        not_negative("air.gusts.speed", gusts.speed, problems);
        positive("air.gusts.period", gusts.period, problems);
    }
}

fn coefficients(path: &str, drag: f64, lift: Option<f64>, problems: &mut Problems) {
    not_negative(&format!("{path}.drag"), drag, problems);
    if let Some(lift) = lift.filter(|lift| !(0.0..=drag).contains(lift)) {
        let at = format!("{path}.lift");
        let cause = format!("{at} = {lift} must be from 0 to the drag, {drag}");
        problems.add(&at, cause, "a flat sheet has about as much lift as drag; leave it out for that");
    }
}
