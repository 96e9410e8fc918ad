//! What ties points besides contact: attachments between bodies, cables through them, needles in them, holds.

mod attachment;
mod cable;
mod hold;
mod needle;
mod point;

use crate::fem::System;
use crate::model::{AttachmentId, CableId, EntryKind, Model, ModelError, NeedleId};
use crate::snapshot::{Reader, SnapshotError, Writer};
use attachment::Attachments;
use cable::CableState;
pub(crate) use cable::{CableStation, path_length, piece};
pub use hold::{Hold, HoldId};
pub use needle::NeedleHold;
use needle::NeedleState;
use pliant_mesh::DVec3;
pub(crate) use point::{WeightedPoint, check_point};

/// Attachments, cables, needles and holds with their forces.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    pub(crate) attachments: Attachments,
    pub(crate) cables: Vec<CableState>,
    pub(crate) needles: Vec<NeedleState>,
    pub(crate) holds: Vec<Hold>,
}

impl Joints {
    pub(crate) fn new(model: &Model, system: &System) -> Result<Joints, ModelError> {
        let attachments = Attachments::new(model, system)?;
        let cables = model
            .cables
            .iter()
            .map(|c| CableState::new(c, model, system).map_err(|e| e.of(EntryKind::Cable, &c.name)));
        let needles = model
            .needles
            .iter()
            .map(|n| NeedleState::new(n, model, system).map_err(|e| e.of(EntryKind::Needle, &n.name)));
        let (cables, needles) = (cables.collect::<Result<_, _>>()?, needles.collect::<Result<_, _>>()?);
        Ok(Joints { attachments, cables, needles, holds: Vec::new() })
    }

    /// Whether cables, needles or holds do work on bodies.
    pub(crate) fn are_driven(&self) -> bool {
        !(self.cables.is_empty() && self.needles.is_empty() && self.holds.is_empty())
    }

    /// Forgets all forces.
    pub(crate) fn reset(&mut self) {
        self.attachments.forces.fill(DVec3::ZERO);
        self.cables.iter_mut().for_each(CableState::reset);
        self.needles.iter_mut().for_each(NeedleState::reset);
        self.holds.iter_mut().for_each(|h| h.force = DVec3::ZERO);
    }

    /// Writes all forces, and where needles hold what.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.points(&self.attachments.forces);
        for cable in &self.cables {
            out.f64(cable.tension);
            out.points(&cable.forces);
        }
        self.needles.iter().for_each(|needle| needle.save(out));
        out.list(&self.holds, |out, hold| hold.save(out));
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(crate) fn load(&mut self, system: &System, from: &mut Reader) -> Result<(), SnapshotError> {
        self.attachments.forces = from.points("attached pairs", self.attachments.pairs.len())?;
        for cable in &mut self.cables {
            cable.tension = from.f64()?;
            cable.forces = from.points("points of a cable", cable.points.len())?;
        }
        self.needles.iter_mut().try_for_each(|needle| needle.load(from))?;
        self.holds = from.list(|from| Hold::load(system, from))?;
        Ok(())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.attachments.pairs.is_empty()
            && self.cables.is_empty()
            && self.needles.is_empty()
            && self.holds.is_empty()
    }

    /// Points that are held from outside.
    pub(crate) fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// Total force of an attachment on its first body, N.
    pub fn attachment_force(&self, attachment: AttachmentId) -> DVec3 {
        self.attachments.force(attachment.index())
    }

    /// Tension of a cable, N.
    pub fn tension(&self, cable: CableId) -> f64 {
        self.cables[cable.index()].tension
    }

    /// The places that a cable passes at positions `x` of all vertices, in order; none if there is no such cable.
    pub(crate) fn path(&self, cable: CableId, x: &[DVec3]) -> Vec<DVec3> {
        self.cables.get(cable.index()).map(|c| c.path(x)).unwrap_or_default()
    }

    /// What a needle does to its body at positions `x` at the end of the step; nothing if there is no such needle.
    pub(crate) fn needle_hold(&self, needle: NeedleId, x: &[DVec3]) -> NeedleHold {
        self.needles.get(needle.index()).map(|n| n.hold(x)).unwrap_or_default()
    }

    /// Share of the forces of all joints that acts on the wanted vertices at positions `x`, N.
    pub(crate) fn force_on_vertices(&self, x: &[DVec3], wanted: &dyn Fn(u32) -> bool) -> DVec3 {
        let pulls = self.cables.iter().flat_map(|c| c.pulls(x));
        self.loaded_without_cables().chain(pulls).map(|(point, force)| point.share(wanted) * force).sum()
    }

    /// Adds the forces on the vertices of each body to `total`, N.
    pub(crate) fn add_body_forces(&self, system: &System, total: &mut [DVec3]) {
        let cables = self.cables.iter().flat_map(CableState::loaded);
        for (point, force) in self.loaded_without_cables().chain(cables) {
            for (&v, &w) in point.vertices().iter().zip(point.weights()) {
                let body = system.bodies.partition_point(|b| b.vertices.end <= v as usize);
                total[body] += w * force;
            }
        }
    }

    /// Every point that an attachment, a needle or a hold acts on, and the force there.
    fn loaded_without_cables(&self) -> impl Iterator<Item = (&WeightedPoint, DVec3)> {
        let on_needles = self.needles.iter().flat_map(|n| n.points.iter().zip(n.forces.iter().copied()));
        let held = self.holds.iter().map(|h| (&h.at, h.force));
        self.attachments.loaded().chain(on_needles).chain(held)
    }
}
