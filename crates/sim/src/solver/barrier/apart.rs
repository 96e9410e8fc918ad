//! Room for a barrier at a start where things merely touch: bodies are moved apart as wholes, by a hair's breadth.

use crate::contact::Contacts;
use crate::fem::System;
use crate::model::Model;
use pliant_collide::proximity::{Closest, Pair, PairKind, Proximity};
use pliant_collide::{Serial, Side};
use pliant_mesh::DVec3;
use std::collections::BTreeMap;

/// Gap in parts of the reach that bodies get.
const HAIR: f64 = 0.1;
/// Part of it that is enough: between many bodies it is found only nearly.
const ENOUGH: f64 = 0.5;
/// Part of the distance that a thickness asks for from which on it gives way, instead of what it is around.
const NEARLY: f64 = 0.9;
/// How much less a body with pins moves than one without.
const PINNED: f64 = 0.1;
/// Sweeps over all that touch.
const SWEEPS: usize = 2000;

/// What makes room at the start.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// How each body moves, m; empty if none does.
    pub(crate) ways: Vec<DVec3>,
    /// Distances in m that two sides keep in place of their thickness, because they start nearer.
    pub(crate) kept: Vec<([Side; 2], f64)>,
}

impl Room {
    pub(crate) fn is_empty(&self) -> bool {
        self.ways.is_empty() && self.kept.is_empty()
    }
}

/// Two sides that touch.
struct Touch {
    sides: [Side; 2],
    /// Unit direction in which the first gets away from the second.
    direction: DVec3,
    /// How far it must, m.
    need: f64,
}

/// What gives each pair of sides that touch at the start a gap. What it cannot help stays as it is.
pub(in super::super) fn room(model: &Model, system: &System, contacts: &mut Contacts) -> Room {
    let Some(mut proximity) = contacts.take_proximity() else { return Room::default() };
    let points = super::start::points_at_start(system, &proximity);
    let mut pairs = Vec::new();
    proximity.pairs(&Serial, [&points, &points], &mut pairs);
    let found = of_pairs(model, system, &proximity, &pairs, &points);
    contacts.give_proximity(Some(proximity));
    found
}

fn of_pairs(model: &Model, system: &System, proximity: &Proximity, pairs: &[Pair], points: &[DVec3]) -> Room {
    let (reach, hair) = (proximity.reach(), HAIR * proximity.reach());
    let mut groups: BTreeMap<[Side; 2], Vec<&Pair>> = BTreeMap::new();
    for pair in pairs.iter().filter(|p| p.sides[0] != p.sides[1] && gap(p, points).abs() < 2.0 * reach) {
        let [a, b] = pair.sides;
        groups.entry([a.min(b), a.max(b)]).or_default().push(pair);
    }
    let (mut room, mut touching) = (Room::default(), Vec::new());
    for (&sides, group) in &groups {
        let least = group.iter().map(|p| gap(p, points)).fold(f64::INFINITY, f64::min);
        let thickness = group[0].thickness;
        let bare = least + thickness;
        if least >= ENOUGH * hair && least < reach {
            // It stays as far as it is.
            touching.extend(direction(sides[0], group, points, hair).map(|d| Touch {
                sides,
                direction: d,
                need: 0.0,
            }));
        } else if least > -hair && least < ENOUGH * hair {
            if thickness > 0.0 && bare > NEARLY * thickness && !is_round(model, sides) {
                room.kept.push((sides, bare - HAIR * bare.min(reach)));
            } else if let Some(direction) = direction(sides[0], group, points, hair) {
                touching.push(Touch { sides, direction, need: hair - least });
            }
        }
    }
    if touching.iter().any(|t| t.need > 0.0) {
        room.ways = ways(system, &touching, hair);
    }
    room
}

/// Whether the thickness is the shape of an obstacle.
fn is_round(model: &Model, sides: [Side; 2]) -> bool {
    use pliant_collide::Shape;
    sides.into_iter().any(|side| match side {
        Side::Obstacle(o) => {
            matches!(model.obstacles[o.index()].shape, Shape::Sphere { .. } | Shape::Capsule { .. })
        }
        Side::Body(_) => false,
    })
}

fn gap(pair: &Pair, points: &[DVec3]) -> f64 {
    Closest::of(pair.kind, pair.places(points)).distance - pair.thickness
}

/// The direction that leaves the largest gap, out of those that the faces that touch and the distances have.
fn direction(first: Side, group: &[&Pair], points: &[DVec3], hair: f64) -> Option<DVec3> {
    let near: Vec<(&Pair, f64)> = group
        .iter()
        .map(|&p| (p, if p.sides[0] == first { 1.0 } else { -1.0 }))
        .filter(|(p, _)| gap(p, points) < 2.0 * hair)
        .collect();
    let mut candidates: Vec<(DVec3, f64)> = Vec::new();
    for (pair, sign) in &near {
        let x = pair.places(points);
        let normal = match pair.kind {
            PairKind::VertexTriangle if pair.thickness == 0.0 => (x[2] - x[1]).cross(x[3] - x[1]),
            _ => Closest::of(pair.kind, x).normal,
        };
        let normal = *sign * normal.normalize_or_zero();
        if normal == DVec3::ZERO {
            continue;
        }
        match candidates.iter_mut().find(|(sum, _)| sum.normalize_or_zero().dot(normal) > 0.99) {
            Some((sum, count)) => (*sum, *count) = (*sum + normal, *count + 1.0),
            None => candidates.push((normal, 1.0)),
        }
    }
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
    candidates.truncate(16);
    let all: DVec3 = candidates.iter().map(|c| c.0).sum();
    let directions = candidates.iter().map(|c| c.0).chain([all]).filter_map(DVec3::try_normalize);
    let left = |d: DVec3| {
        let moved = |(pair, sign): &(&Pair, f64)| {
            let mut x = pair.places(points);
            let own = if pair.kind == PairKind::EdgeEdge { 0..2 } else { 0..1 };
            x[own].iter_mut().for_each(|x| *x += *sign * hair * d);
            Closest::of(pair.kind, x).distance - pair.thickness
        };
        near.iter().map(moved).fold(f64::INFINITY, f64::min)
    };
    directions.map(|d| (d, left(d))).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(d, _)| d)
}

/// How bodies move so that all touches have what they need: each touch in turn moves both of its sides, again and again.
fn ways(system: &System, touching: &[Touch], hair: f64) -> Vec<DVec3> {
    let mobility = |side: Side| match side {
        Side::Obstacle(_) => 0.0,
        Side::Body(body) => {
            let mut own = system.bodies[body.index()].vertices.clone();
            let held = own.any(|v| system.pinned[v].is_some());
            if held { PINNED } else { 1.0 }
        }
    };
    let mut ways = vec![DVec3::ZERO; system.bodies.len()];
    for _ in 0..SWEEPS {
        let mut most = 0.0_f64;
        for touch in touching {
            let way = |side: Side| match side {
                Side::Body(body) => ways[body.index()],
                Side::Obstacle(_) => DVec3::ZERO,
            };
            let [first, second] = touch.sides;
            let missing = touch.need - (way(first) - way(second)).dot(touch.direction);
            let [a, b] = [mobility(first), mobility(second)];
            if missing <= 0.0 || a + b == 0.0 {
                continue;
            }
            most = most.max(missing / hair);
            for (side, part) in [(first, a / (a + b)), (second, -b / (a + b))] {
                if let Side::Body(body) = side {
                    ways[body.index()] += part * missing * touch.direction;
                }
            }
        }
        if most < 0.01 {
            break;
        }
    }
    ways
}
