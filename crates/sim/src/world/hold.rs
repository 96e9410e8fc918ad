//! Holding points of bodies while the simulation runs.

use super::World;
use crate::contact::{Hold, HoldId, check_point};
use crate::model::{MaterialPoint, PointError};
use crate::solver::HoldError;
use pliant_mesh::DVec3;

/// Why a point is not held.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::{DVec3, HoldRefused, MaterialPoint};
///
/// let mut world = cube_on_floor();
/// let corner = MaterialPoint::vertex(world.body("cube").expect("it has this name"), 0);
/// assert_eq!(world.hold(corner, DVec3::ZERO, -1.0), Err(HoldRefused::Stiffness(-1.0)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HoldRefused {
    /// There is no such point.
    #[error("hold: {0}")]
    Point(#[from] PointError),
    /// The spring is none.
    #[error("hold: stiffness = {0} N/m must be positive and finite")]
    Stiffness(f64),
    /// It is pulled to nowhere.
    #[error("hold: its target {:?} is not finite", .0.to_array())]
    Target(DVec3),
    /// The solver cannot hold points.
    #[error("hold: {0}")]
    Solver(#[from] HoldError),
    /// It is not held any more.
    #[error("hold: it was released: hold the point again")]
    Released,
}

impl World {
    /// Holds a point of a body by a spring of this `stiffness` in N/m, from the next step on.
    ///
    /// # Errors
    /// If there is no such point, a number is out of range, or the solver knows no holds.
    pub fn hold(
        &mut self,
        point: MaterialPoint,
        target: DVec3,
        stiffness: f64,
    ) -> Result<HoldId, HoldRefused> {
        check_point(&point, self.model())?;
        if !(stiffness > 0.0 && stiffness.is_finite()) {
            return Err(HoldRefused::Stiffness(stiffness));
        }
        check_target(target)?;
        self.prepare_holds()?;
        let hold = Hold::new(self.holds(), self.system(), point, target, stiffness);
        self.holds_mut().push(hold);
        Ok(hold.id)
    }

    /// Pulls a held point to another place.
    ///
    /// # Errors
    /// If there is no such hold or the place is not finite.
    pub fn move_hold(&mut self, id: HoldId, target: DVec3) -> Result<(), HoldRefused> {
        check_target(target)?;
        let hold = self.holds_mut().iter_mut().find(|h| h.id == id);
        hold.ok_or(HoldRefused::Released)?.target = target;
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

fn check_target(target: DVec3) -> Result<(), HoldRefused> {
    if target.is_finite() { Ok(()) } else { Err(HoldRefused::Target(target)) }
}
