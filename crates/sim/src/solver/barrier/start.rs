//! What a model must be like for a barrier: free at the start, and without joints.

use super::inversion::first_inverted;
use crate::contact::Contacts;
use crate::fem::System;
use crate::model::Model;
use crate::solver::SetupError;
use pliant_collide::Serial;
use pliant_collide::proximity::{Closest, Pair, Proximity};
use pliant_mesh::DVec3;

/// Checks that a model has no joints and no structured surfaces, which `others` know.
pub(in super::super) fn check_joints(model: &Model, others: Vec<&'static str>) -> Result<(), SetupError> {
    let plain = model.bodies.iter().all(|b| b.matchstick.is_none())
        && model.obstacles.iter().all(|o| o.matchstick.is_none());
    let joints = [
        ("attachments", model.attachments.is_empty()),
        ("cables", model.cables.is_empty()),
        ("needles", model.needles.is_empty()),
        ("matchsticks", plain),
    ];
    match joints.into_iter().find(|(_, none)| !none) {
        Some((what, _)) => Err(SetupError::NoJoints { what, others }),
        None => Ok(()),
    }
}

/// Part of the reach that a start must leave.
const LEAST: f64 = 0.01;

/// Checks that nothing touches and nothing is inverted at the start. Returns the smallest gap in m, if something is within reach.
pub(in super::super) fn check_start(
    model: &Model,
    system: &System,
    contacts: &mut Contacts,
) -> Result<Option<f64>, SetupError> {
    if let Some(tet) = first_inverted(system, &system.start) {
        let body = system.bodies.iter().find(|b| b.tets.contains(&tet));
        let (name, first) = body.map_or(("", 0), |b| (b.name.as_str(), b.tets.start));
        let what = format!("tetrahedron {} of body `{name}` is inverted", tet - first);
        let remedy = "start from a shape without inverted elements";
        return Err(SetupError::NotFree { what, remedy });
    }
    let mut proximity = contacts.take_proximity();
    let found = proximity.as_mut().map(|proximity| smallest_gap(model, system, proximity));
    contacts.give_proximity(proximity);
    found.unwrap_or(Ok(None))
}

/// The gap of what is nearest to each other at the start, if that is within its reach.
fn smallest_gap(
    model: &Model,
    system: &System,
    proximity: &mut Proximity,
) -> Result<Option<f64>, SetupError> {
    let points = points_at_start(system, proximity);
    let mut poses = Vec::new();
    system.script.poses_into(0.0, &mut poses);
    let mut pairs = Vec::new();
    proximity.pairs(&Serial, [&points, &points], &mut pairs);
    let gap = |pair: &Pair| Closest::of(pair.kind, pair.places(&points)).distance - pair.thickness;
    let is_near = |pair: &&Pair| gap(pair) < pair.reach && pair.points.iter().any(|&p| is_free(system, p));
    let nearest = pairs.iter().filter(is_near).min_by(|a, b| gap(a).total_cmp(&gap(b)));
    if let Some(pair) = nearest.filter(|pair| gap(pair) <= LEAST * pair.reach) {
        let [a, b] = pair.sides.map(|side| model.name_of(side));
        let at = points[pair.points[0] as usize];
        let (apart, kept) = (gap(pair) + pair.thickness, pair.thickness);
        return Err(SetupError::NotFree {
            what: format!(
                "{a} and {b} are {apart:.2e} m apart at [{:.4}, {:.4}, {:.4}], and they keep {kept:.2e} m and a gap",
                at.x, at.y, at.z
            ),
            remedy: "move them apart, by d_hat if possible: what merely touches is moved by itself where there is room, but these have none",
        });
    }
    let gap = nearest.map(gap);
    match crossing(model, system, proximity, &poses) {
        Some(what) => Err(SetupError::NotFree { what, remedy: "move them apart" }),
        None => Ok(gap),
    }
}

/// Where all points are at the start.
pub(super) fn points_at_start(system: &System, proximity: &Proximity) -> Vec<DVec3> {
    let mut points = system.start.clone();
    points.resize(proximity.point_count(), DVec3::ZERO);
    let mut poses = Vec::new();
    system.script.poses_into(0.0, &mut poses);
    proximity.place_obstacles(&poses, &mut points);
    points
}

fn is_free(system: &System, point: u32) -> bool {
    system.pinned.get(point as usize).is_some_and(|pin| pin.is_none())
}

/// What passes through each other although no two features are near, found by exact predicates.
fn crossing(
    model: &Model,
    system: &System,
    proximity: &Proximity,
    poses: &[pliant_collide::Pose],
) -> Option<String> {
    let surfaces = crate::contact::surfaces(model, system);
    let obstacles: Vec<_> = model
        .obstacles
        .iter()
        .map(|o| pliant_collide::Obstacle { shape: o.shape.clone(), radius: 0.0 })
        .collect();
    let options = pliant_collide::Options { margin: proximity.reach(), ..Default::default() };
    let detector = pliant_collide::Detector::new(&surfaces, &obstacles, &system.rest, options).ok()?;
    let found = detector.intersections(&Serial, &system.start, poses, 0.0);
    let pair = found.by_pair().into_iter().max_by(|a, b| a.depth.total_cmp(&b.depth))?;
    let [a, b] = pair.sides.map(|side| model.name_of(side));
    Some(format!("{a} and {b} pass through each other, by {:.2e} m", pair.depth))
}
