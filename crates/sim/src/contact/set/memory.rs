//! What contacts carry over to the next step, as bytes.

use super::{Contacts, FrictionLaw};
use crate::fem::System;
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_collide::{BodyId, Contact, ContactKey, DetectorMemory, HeldBack, ObstacleId, Side};

impl Contacts {
    /// Writes forces, directions, and what reports say about the last step.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.list(&self.found, save_contact);
        out.list(&self.friction_of, |out, law| {
            out.f64(law.coefficient());
            out.point(law.slippery());
        });
        out.points(&self.forces);
        out.u64(self.held_back.vertices as u64);
        out.u64(self.held_back.left as u64);
        out.f64(self.t1);
        let memory = self.detector.as_ref().map(|d| d.memory()).unwrap_or_default();
        out.list(&memory.directions, |out, (key, normal)| {
            save_key(out, key);
            out.point(*normal);
        });
        out.list(&memory.kept, save_key);
        out.u32s(&memory.tangled);
        self.joints.save(out);
    }

    /// Takes over what [`save`](Self::save) wrote, if it fits the system.
    pub(crate) fn load(&mut self, system: &System, from: &mut Reader) -> Result<(), SnapshotError> {
        let found = from.list(load_contact)?;
        // Forces are handed over in the order of the keys.
        if found.iter().any(|c| !self.is_possible(c, system)) || !found.is_sorted_by_key(|c| c.key) {
            return Err(SnapshotError::Impossible { what: "contact" });
        }
        let friction_of = from.list(|from| Ok(FrictionLaw::from_parts(from.f64()?, from.point()?)))?;
        let forces = from.points("forces of contacts", found.len())?;
        if friction_of.len() != found.len() {
            return Err(SnapshotError::Impossible { what: "number of coefficients of friction" });
        }
        self.held_back = HeldBack { vertices: from.usize()?, left: from.usize()? };
        self.t1 = from.f64()?;
        let memory = DetectorMemory {
            directions: from.list(|r| Ok((load_key(r)?, r.point()?)))?,
            kept: from.list(load_key)?,
            tangled: from.u32s()?,
        };
        let is_known = match &mut self.detector {
            Some(detector) => detector.recall(&memory),
            None => memory == DetectorMemory::default() && (found.is_empty() || self.proximity.is_some()),
        };
        if !is_known {
            return Err(SnapshotError::Impossible { what: "pair of surfaces" });
        }
        (self.found, self.friction_of, self.forces) = (found, friction_of, forces);
        self.joints.load(system, from)
    }

    fn is_possible(&self, c: &Contact, system: &System) -> bool {
        let exists = |side: &Side| match *side {
            Side::Body(b) => b.index() < system.bodies.len(),
            Side::Obstacle(o) => o.index() < system.script.obstacles.len(),
        };
        let used = c.vertices.get(..c.count as usize);
        c.sides.iter().all(exists)
            && used.is_some_and(|v| v.iter().all(|&v| (v as usize) < self.pinned.len()))
    }
}

fn save_key(out: &mut Writer, key: &ContactKey) {
    key.0.iter().for_each(|word| out.u32(*word));
}

fn load_key(from: &mut Reader) -> Result<ContactKey, SnapshotError> {
    Ok(ContactKey([from.u32()?, from.u32()?, from.u32()?, from.u32()?]))
}

fn save_contact(out: &mut Writer, c: &Contact) {
    save_key(out, &c.key);
    for side in c.sides {
        let (is_body, index) = match side {
            Side::Body(b) => (true, b.0),
            Side::Obstacle(o) => (false, o.0),
        };
        out.bool(is_body);
        out.u32(index);
    }
    c.vertices.iter().for_each(|v| out.u32(*v));
    c.weights.iter().for_each(|w| out.f64(*w));
    out.u32(c.count);
    [c.normal, c.found_normal, c.anchor, c.anchor_motion].into_iter().for_each(|p| out.point(p));
    out.f64(c.thickness);
}

fn load_contact(from: &mut Reader) -> Result<Contact, SnapshotError> {
    let side = |from: &mut Reader| {
        let is_body = from.bool()?;
        let index = from.u32()?;
        let side = if is_body { Side::Body(BodyId(index)) } else { Side::Obstacle(ObstacleId(index)) };
        Ok::<Side, SnapshotError>(side)
    };
    Ok(Contact {
        key: load_key(from)?,
        sides: [side(from)?, side(from)?],
        vertices: [from.u32()?, from.u32()?, from.u32()?, from.u32()?],
        weights: [from.f64()?, from.f64()?, from.f64()?, from.f64()?],
        count: from.u32()?,
        normal: from.point()?,
        found_normal: from.point()?,
        anchor: from.point()?,
        anchor_motion: from.point()?,
        thickness: from.f64()?,
        time: 1.0,
    })
}
