//! Points that are held from outside, as by a hand: springs that come and go while the simulation runs.
//!
//! A hold is a row of the contact problem, so the solver sees it implicitly and nothing is factorised anew.

use crate::contact::{WeightedPoint, check_point};
use crate::fem::System;
use crate::model::{MaterialPoint, ModelError};
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::world::World;
use pliant_mesh::Point;

/// Names a hold of a [`World`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HoldId(u64);

/// A point of a body that a spring pulls to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Its name.
    pub id: HoldId,
    /// The held point.
    pub point: MaterialPoint,
    /// Where it is pulled to, m.
    pub target: Point,
    /// Stiffness of the spring, N/m.
    pub stiffness: f64,
    /// Force on the body in the last step, N.
    pub force: Point,
    /// The point among the vertices of all bodies.
    pub(crate) at: WeightedPoint,
}

impl Hold {
    pub(crate) fn save(&self, out: &mut Writer) {
        out.u64(self.id.0);
        out.u64(self.point.body as u64);
        self.point.vertices.iter().for_each(|v| out.u32(*v));
        self.point.weights.iter().for_each(|w| out.f64(*w));
        out.point(&self.target);
        out.f64(self.stiffness);
        out.point(&self.force);
    }

    /// Reads what [`save`](Self::save) wrote, if there is such a point.
    pub(crate) fn load(system: &System, from: &mut Reader) -> Result<Hold, SnapshotError> {
        let id = HoldId(from.u64()?);
        let point = MaterialPoint {
            body: from.usize()?,
            vertices: [from.u32()?, from.u32()?, from.u32()?, from.u32()?],
            weights: [from.f64()?, from.f64()?, from.f64()?, from.f64()?],
        };
        let (target, stiffness, force) = (from.point()?, from.f64()?, from.point()?);
        let range = system.bodies.get(point.body).map(|b| b.vertices.clone()).unwrap_or_default();
        let exists = point.vertices.iter().all(|v| (*v as usize) < range.len());
        // The next hold has a higher number.
        let has_next = id.0 < u64::MAX;
        let is_spring = stiffness > 0.0 && stiffness.is_finite();
        if !(exists && is_spring && has_next) {
            return Err(SnapshotError::Impossible { what: "hold" });
        }
        let mut at = WeightedPoint::default();
        at.add(&point, range.start, 1.0);
        Ok(Hold { id, point, target, stiffness, force, at })
    }
}

impl World {
    /// Holds a point of a body by a spring of this `stiffness` in N/m, from the next step on.
    ///
    /// # Errors
    /// If there is no such point, a number is out of range, or the solver knows no holds.
    pub fn hold(
        &mut self,
        point: MaterialPoint,
        target: Point,
        stiffness: f64,
    ) -> Result<HoldId, ModelError> {
        let refuse = |message: String| ModelError::Hold { message };
        check_point(&point, self.model()).map_err(refuse)?;
        if !(stiffness > 0.0 && stiffness.is_finite()) {
            return Err(refuse(format!("stiffness = {stiffness} N/m must be positive and finite")));
        }
        check_target(&target).map_err(refuse)?;
        self.prepare_holds().map_err(|e| refuse(e.to_string()))?;
        let mut at = WeightedPoint::default();
        at.add(&point, self.system().bodies[point.body].vertices.start, 1.0);
        let holds = self.holds_mut();
        let id = HoldId(holds.last().map_or(0, |last| last.id.0 + 1));
        holds.push(Hold { id, point, target, stiffness, force: [0.0; 3], at });
        Ok(id)
    }

    /// Pulls a held point to another place.
    ///
    /// # Errors
    /// If there is no such hold or the place is not finite.
    pub fn move_hold(&mut self, id: HoldId, target: Point) -> Result<(), ModelError> {
        let refuse = |message: String| ModelError::Hold { message };
        check_target(&target).map_err(refuse)?;
        let hold = self.holds_mut().iter_mut().find(|h| h.id == id);
        hold.ok_or_else(|| refuse("it was released: hold the point again".into()))?.target = target;
        Ok(())
    }

    /// Lets a held point go; false if it is not held any more.
    pub fn release(&mut self, id: HoldId) -> bool {
        let holds = self.holds_mut();
        let before = holds.len();
        holds.retain(|h| h.id != id);
        holds.len() < before
    }

    /// All holds, the oldest first.
    pub fn holds(&self) -> &[Hold] {
        self.contacts().joints().holds()
    }
}

fn check_target(target: &Point) -> Result<(), String> {
    if target.iter().all(|c| c.is_finite()) {
        Ok(())
    } else {
        Err(format!("its target {target:?} is not finite"))
    }
}
