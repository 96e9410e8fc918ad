//! Holding points of a running world, moving them and letting them go.

use crate::contact::{Hold, HoldId, check_point};
use crate::model::{MaterialPoint, ModelError};
use crate::world::World;
use pliant_mesh::Point;

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
        let hold = Hold::new(self.holds(), self.system(), point, target, stiffness);
        self.holds_mut().push(hold);
        Ok(hold.id)
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
