//! A straight needle in soft tissue: points of the tissue on its way are kept on its line and slide along it.

use super::point::{WeightedPoint, check_compliance, check_point};
use crate::fem::System;
use crate::model::{EntryError, Model, Needle};
use crate::motion::Motion;
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_mesh::DVec3;

/// A needle and the forces on the tissue.
#[derive(Clone, Debug)]
pub(crate) struct NeedleState {
    /// Points of the tissue on its way.
    pub(crate) points: Vec<WeightedPoint>,
    /// End and tip before any motion.
    ends: [DVec3; 2],
    motion: Motion,
    /// Across the needle, m/N.
    pub(crate) compliance: f64,
    /// Largest force along the needle on each point, N.
    pub(crate) grip: f64,
    /// For each point that the needle holds in this step, where it would be if it stuck to it.
    pub(crate) stuck: Vec<Option<DVec3>>,
    /// Force on each point, N.
    pub(crate) forces: Vec<DVec3>,
    /// Where the needle is at the end of the step.
    pub(crate) line: Line,
}

/// A straight piece in space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    from: DVec3,
    /// Unit vector.
    pub(crate) axis: DVec3,
    length: f64,
}

impl Line {
    fn between(from: DVec3, to: DVec3) -> Line {
        let d = to - from;
        let length = d.length();
        Line { from, axis: if length > 0.0 { d / length } else { d }, length }
    }

    /// How far along it a point is, m.
    fn along(&self, p: DVec3) -> f64 {
        self.axis.dot(p - self.from)
    }

    fn at(&self, along: f64) -> DVec3 {
        self.from + along * self.axis
    }

    /// Distance of a point from it, as if it had no ends, m.
    fn distance(&self, p: DVec3) -> f64 {
        p.distance(self.at(self.along(p)))
    }
}

impl NeedleState {
    pub(crate) fn new(needle: &Needle, model: &Model, system: &System) -> Result<NeedleState, EntryError> {
        check_compliance(needle.compliance)?;
        if !(needle.grip >= 0.0 && needle.grip.is_finite()) {
            return Err(EntryError::Value {
                what: "grip",
                value: needle.grip,
                unit: " N",
                must: "0 or more",
            });
        }
        let length = Line::between(needle.ends[0], needle.ends[1]).length;
        if !(length > 0.0 && length.is_finite()) {
            return Err(EntryError::NoLength);
        }
        needle.motion.validate()?;
        if needle.points.is_empty() {
            return Err(EntryError::NothingOnItsWay);
        }
        let mut points = Vec::with_capacity(needle.points.len());
        for point in &needle.points {
            check_point(point, model)?;
            points.push(WeightedPoint::of(point, system.bodies[point.body.index()].vertices.start));
        }
        Ok(NeedleState {
            stuck: vec![None; points.len()],
            forces: vec![DVec3::ZERO; points.len()],
            points,
            ends: needle.ends,
            motion: needle.motion.clone(),
            compliance: needle.compliance,
            grip: needle.grip,
            line: Line::default(),
        })
    }

    /// Where it is at time `t`.
    fn line_at(&self, t: f64) -> Line {
        let [from, to] = self.ends.map(|p| self.motion.position(p, t));
        Line::between(from, to)
    }

    /// Finds which points the needle holds in a step from `t[0]` to `t[1]`: those beside it at its end. `x` are the
    /// positions at the start.
    pub(crate) fn engage(&mut self, x: &[DVec3], t: [f64; 2]) {
        let (before, after) = (self.line_at(t[0]), self.line_at(t[1]));
        for ((point, stuck), force) in self.points.iter().zip(&mut self.stuck).zip(&mut self.forces) {
            let p = point.at(|v| x[v as usize]);
            let beside = (0.0..=after.length).contains(&after.along(p));
            // What the tip has just passed can only be dragged along from there on.
            *stuck = beside.then(|| after.at(before.along(p).clamp(0.0, after.length)));
            if !beside {
                *force = DVec3::ZERO;
            }
        }
        self.line = after;
    }

    /// Forgets all forces and what was held.
    pub(crate) fn reset(&mut self) {
        self.forces.fill(DVec3::ZERO);
        self.stuck.fill(None);
    }

    /// Writes the forces, and what is held where.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.points(&self.forces);
        for stuck in &self.stuck {
            out.bool(stuck.is_some());
            out.point(stuck.unwrap_or_default());
        }
        out.point(self.line.from);
        out.point(self.line.axis);
        out.f64(self.line.length);
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(crate) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.forces = from.points("points of a needle", self.points.len())?;
        for stuck in &mut self.stuck {
            let (is_held, place) = (from.bool()?, from.point()?);
            *stuck = is_held.then_some(place);
        }
        self.line = Line { from: from.point()?, axis: from.point()?, length: from.f64()? };
        Ok(())
    }

    /// What it does to the tissue at positions `x` at the end of the step.
    pub(crate) fn hold(&self, x: &[DVec3]) -> NeedleHold {
        let mut hold = NeedleHold::default();
        for ((point, _), force) in
            self.points.iter().zip(&self.stuck).zip(&self.forces).filter(|((_, stuck), _)| stuck.is_some())
        {
            hold.points += 1;
            hold.gap = hold.gap.max(self.line.distance(point.at(|v| x[v as usize])));
            hold.force += *force;
        }
        hold
    }
}

/// What a needle does to the tissue in a step.
///
/// ```
/// use pliant::{NeedleId, World};
///
/// fn print(world: &World, needle: NeedleId) {
///     let hold = world.needle(needle);
///     println!("{} points, {} N, {} m beside it at most", hold.points, hold.force, hold.gap);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeedleHold {
    /// Number of points that are on it.
    pub points: usize,
    /// Total force on them, N.
    pub force: DVec3,
    /// Largest distance of such a point from the line of the needle, m.
    pub gap: f64,
}
