//! Points that are held from outside, as by a hand: springs that come and go while the simulation runs.
//!
//! A hold is a row of the contact problem, so the solver sees it implicitly and nothing is factorised anew.

use super::point::WeightedPoint;
use crate::fem::System;
use crate::model::MaterialPoint;
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_collide::BodyId;
use pliant_mesh::DVec3;

/// Names a hold of a [`World`](crate::World).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{DVec3, MaterialPoint};
///
/// let mut world = cube_on_floor();
/// let corner = MaterialPoint::vertex(world.body("cube").expect("it has this name"), 0);
/// let hold = world.hold(corner, DVec3::new(0.0, 0.0, 0.05), 200.0)?;
/// world.step()?;
/// world.move_hold(hold, DVec3::new(0.0, 0.0, 0.1))?;
/// assert!(world.release(hold) && !world.release(hold));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HoldId(u64);

/// A point of a body that a spring pulls to a place.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{DVec3, MaterialPoint};
///
/// let mut world = cube_on_floor();
/// let corner = MaterialPoint::vertex(world.body("cube").expect("it has this name"), 0);
/// world.hold(corner, DVec3::new(0.0, 0.0, 0.05), 200.0)?; // 200 N/m, 5 cm up
/// world.step()?;
/// let force = world.holds()[0].force;
/// assert!(force.z > 5.0 && force.z < 10.0, "{force}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Its name.
    pub id: HoldId,
    /// The held point.
    pub point: MaterialPoint,
    /// Where it is pulled to, m.
    pub target: DVec3,
    /// Stiffness of the spring, N/m.
    pub stiffness: f64,
    /// Force on the body in the last step, N.
    pub force: DVec3,
    /// The point among the vertices of all bodies.
    pub(crate) at: WeightedPoint,
}

impl Hold {
    /// A hold of a point that exists, which comes after all `others`.
    pub(crate) fn new(
        others: &[Hold],
        system: &System,
        point: MaterialPoint,
        target: DVec3,
        stiffness: f64,
    ) -> Hold {
        let id = HoldId(others.last().map_or(0, |last| last.id.0 + 1));
        let at = WeightedPoint::of(&point, system.bodies[point.body.index()].vertices.start);
        Hold { id, point, target, stiffness, force: DVec3::ZERO, at }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u64(self.id.0);
        out.u64(self.point.body.index() as u64);
        self.point.vertices.iter().for_each(|v| out.u32(*v));
        self.point.weights.iter().for_each(|w| out.f64(*w));
        out.point(self.target);
        out.f64(self.stiffness);
        out.point(self.force);
    }

    /// Reads what [`save`](Self::save) wrote, if there is such a point.
    pub(super) fn load(system: &System, from: &mut Reader) -> Result<Hold, SnapshotError> {
        let id = HoldId(from.u64()?);
        let index = from.usize()?;
        let body = system.bodies.get(index).ok_or(SnapshotError::Impossible { what: "hold" })?;
        let point = MaterialPoint {
            body: BodyId::new(index),
            vertices: [from.u32()?, from.u32()?, from.u32()?, from.u32()?],
            weights: [from.f64()?, from.f64()?, from.f64()?, from.f64()?],
        };
        let (target, stiffness, force) = (from.point()?, from.f64()?, from.point()?);
        let exists = point.vertices.iter().all(|v| (*v as usize) < body.vertices.len());
        // The next hold has a higher number.
        let has_next = id.0 < u64::MAX;
        let is_spring = stiffness > 0.0 && stiffness.is_finite();
        if !(exists && is_spring && has_next) {
            return Err(SnapshotError::Impossible { what: "hold" });
        }
        let at = WeightedPoint::of(&point, body.vertices.start);
        Ok(Hold { id, point, target, stiffness, force, at })
    }
}
