//! What passed through what in a run, by the exact test at moments.

use pliant::snapshot::{Reader, Writer};
use pliant::{BodyId, Inspected, Inspector, Model, ObstacleId, Side, SnapshotError, World};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Moments of a simulated second that are looked at, as many as a recording has frames.
const PER_SECOND: f64 = 30.0;
/// A depth between these moments must grow by this factor to be worth a look.
const DEEPER: f64 = 1.25;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inspection {
    /// Made at the first look.
    inspector: Option<Inspector>,
    /// Step of the last look.
    looked: Option<usize>,
    /// Whether something could not be tested.
    untested: bool,
    /// Most intersections at one moment.
    most: usize,
    /// Largest depth in m, also of what only touches.
    depth: f64,
    pairs: BTreeMap<[Side; 2], Pair>,
    /// Deepest penetration that contacts had at a look, or that asked for one.
    contact_depth: f64,
}

/// Two sides that passed through each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pair {
    /// Most intersections between them at one moment.
    count: usize,
    /// Deepest of all in m.
    depth: f64,
    /// Time of the deepest, s.
    time: f64,
    /// Moments at which there were any.
    moments: usize,
    /// Step and time in s of the first of them.
    first: (u64, f64),
}

/// Two sides that passed through each other, and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Passed {
    pub sides: [Side; 2],
    /// Deepest in m, and when that was, s.
    pub depth: f64,
    pub time: f64,
    /// Moments at which it was seen, and the first of them as step and time in s.
    pub moments: usize,
    pub first: (u64, f64),
}

impl Inspection {
    /// Takes in the state after step `step` if it is a moment to look: as often as a recording has frames, at the end, and where
    /// contacts are deeper than ever. Whether it was one.
    pub(crate) fn record(&mut self, world: &World, step: usize, is_last: bool) -> bool {
        let every = (1.0 / (PER_SECOND * world.model().dt)).round().max(1.0) as usize;
        let depth = world.contacts().penetration(&world.state().positions);
        let is_time = step.is_multiple_of(every) || is_last || depth > DEEPER * self.contact_depth;
        if is_time {
            self.look(world, step);
        }
        is_time
    }

    /// Takes in the state after step `step` if contacts are deeper than ever.
    pub(crate) fn record_deeper(&mut self, world: &World, step: usize) {
        if world.contacts().penetration(&world.state().positions) > DEEPER * self.contact_depth {
            self.look(world, step);
        }
    }

    /// Looks at the state after step `step`, unless that was done.
    pub(crate) fn look(&mut self, world: &World, step: usize) {
        if self.looked.replace(step) == Some(step) {
            return;
        }
        if self.inspector.is_none() {
            self.inspector = world.inspector().ok();
        }
        let depth = world.contacts().penetration(&world.state().positions);
        self.contact_depth = self.contact_depth.max(depth);
        let Some(inspector) = &self.inspector else {
            self.untested = true;
            return;
        };
        let Inspected { intersections: found, depth } = inspector.look(world);
        self.depth = self.depth.max(depth);
        self.untested |= found.unchecked > 0;
        self.most = self.most.max(found.count());
        for new in found.by_pair() {
            let pair = self.pairs.entry(new.sides).or_default();
            if pair.moments == 0 {
                pair.first = (world.state().steps, world.state().time);
            }
            pair.count = pair.count.max(new.count);
            pair.moments += 1;
            if new.depth > pair.depth {
                (pair.depth, pair.time) = (new.depth, world.state().time);
            }
        }
    }

    /// Most intersections at one moment; nothing if something could not be tested.
    pub(crate) fn most(&self) -> Option<usize> {
        (!self.untested).then_some(self.most)
    }

    /// All pairs that passed through each other.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Passed> {
        let each = self.pairs.iter();
        each.map(|(&sides, p)| Passed {
            sides,
            depth: p.depth,
            time: p.time,
            moments: p.moments,
            first: p.first,
        })
    }

    /// How deep any two surfaces were in each other, in m; also those that only touch.
    pub(crate) fn depth(&self) -> f64 {
        self.depth
    }

    /// All pairs with their depths.
    pub(crate) fn to_json(&self, model: &Model) -> Vec<Value> {
        let name = |side: Side| match side {
            Side::Body(b) => model.bodies.get(b.index()).map(|b| &b.name),
            Side::Obstacle(o) => model.obstacles.get(o.index()).map(|o| &o.name),
        };
        let each = self.pairs.iter();
        each.map(|(sides, p)| {
            let sides = sides.map(name);
            json!({ "sides": sides, "count": p.count, "depth": p.depth, "time": p.time, "moments": p.moments })
        })
        .collect()
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.bool(self.looked.is_some());
        out.u64(self.looked.unwrap_or(0) as u64);
        out.bool(self.untested);
        out.u64(self.most as u64);
        out.f64(self.depth);
        out.f64(self.contact_depth);
        let pairs: Vec<_> = self.pairs.iter().collect();
        out.list(&pairs, |out, (sides, pair)| {
            sides.iter().for_each(|side| save_side(*side, out));
            out.u64(pair.count as u64);
            out.f64(pair.depth);
            out.f64(pair.time);
            out.u64(pair.moments as u64);
            out.u64(pair.first.0);
            out.f64(pair.first.1);
        });
    }

    pub(crate) fn load(from: &mut Reader) -> Result<Inspection, SnapshotError> {
        let (known, step) = (from.bool()?, from.usize()?);
        let (untested, most) = (from.bool()?, from.usize()?);
        let (depth, contact_depth) = (from.f64()?, from.f64()?);
        let pairs = from.list(|from| {
            let sides = [load_side(from)?, load_side(from)?];
            let (count, depth, time, moments) = (from.usize()?, from.f64()?, from.f64()?, from.usize()?);
            let first = (from.u64()?, from.f64()?);
            Ok((sides, Pair { count, depth, time, moments, first }))
        })?;
        let (looked, pairs) = (known.then_some(step), pairs.into_iter().collect());
        Ok(Inspection { inspector: None, looked, untested, most, depth, pairs, contact_depth })
    }
}

fn save_side(side: Side, out: &mut Writer) {
    let (is_body, index) = match side {
        Side::Body(b) => (true, b.0),
        Side::Obstacle(o) => (false, o.0),
    };
    out.bool(is_body);
    out.u32(index);
}

fn load_side(from: &mut Reader) -> Result<Side, SnapshotError> {
    let (is_body, index) = (from.bool()?, from.u32()?);
    Ok(if is_body { Side::Body(BodyId(index)) } else { Side::Obstacle(ObstacleId(index)) })
}
