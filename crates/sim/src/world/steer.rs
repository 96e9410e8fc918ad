//! Control from outside while the simulation runs: obstacles, pins, cables, loads and wind, between any two steps. Nothing is assembled
//! or factorised for it.

use super::World;
use super::edit::{EditError, entry};
use crate::fem::script::ObstacleMotion;
use crate::model::{
    Air, CableDrive, CableId, EntryError, EntryKind, LoadId, LoadKind, Obstacle, PinId, Schedule,
};
use crate::motion::{Keyframe, Motion, axis_and_angle, is_pose};
use pliant_collide::{ObstacleId, Pose};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// # Control
///
/// What is set here counts from the next step on. Like edits, it is no part of a [`Snapshot`](crate::Snapshot).
impl World {
    /// Lets an obstacle follow another motion, from where it is now.
    ///
    /// # Errors
    /// If there is no such obstacle or the motion cannot be followed.
    pub fn set_obstacle_motion(&mut self, obstacle: ObstacleId, motion: Motion) -> Result<(), EditError> {
        let now = self.obstacle(obstacle)?.pose(self.state.time);
        let at = motion.pose(&Pose::IDENTITY, self.state.time);
        // The motion leads from the new placement to where the obstacle is.
        let back = at.rotation.transpose();
        let placement =
            Pose { rotation: back * now.rotation, translation: back * (now.translation - at.translation) };
        self.place_obstacle(obstacle, placement, motion)
    }

    /// Moves an obstacle in the next step to another place, where it stays. Bodies that touch it feel the velocity that it has on the
    /// way.
    ///
    /// # Errors
    /// If there is no such obstacle, or the pose is not one: its rotation must be a rotation.
    pub fn move_obstacle(&mut self, obstacle: ObstacleId, to: Pose) -> Result<(), EditError> {
        let (now, t) = (self.obstacle(obstacle)?.pose(self.state.time), self.state.time);
        if !is_pose(&to) {
            return Err(EditError::Pose(to));
        }
        let (axis, angle) = axis_and_angle(to.rotation * now.rotation.transpose());
        let end = Keyframe { time: t + self.system.dt, translation: to.translation - now.translation, angle };
        let frames = vec![Keyframe { time: t, ..Keyframe::default() }, end];
        self.place_obstacle(obstacle, now, Motion::Keyframes { point: now.translation, axis, frames })
    }

    /// Lets a pin follow another motion, from where its vertices are to be now.
    ///
    /// # Errors
    /// If there is no such pin or the motion cannot be followed.
    pub fn set_pin_motion(&mut self, pin: PinId, motion: Motion) -> Result<(), EditError> {
        let (pin, count) = (pin.index(), self.model.pins.len());
        let Some(held) = self.model.pins.get(pin) else {
            return Err(EditError::NoSuch { what: "pin", index: pin, count });
        };
        let refused = |e: EntryError| e.of(EntryKind::Pin, &held.name);
        motion.validate_for(held.vertices.len()).map_err(|e| refused(e.into()))?;
        let t = self.state.time;
        let first = self.system.bodies[held.body.index()].vertices.start;
        let system = Arc::make_mut(&mut self.system);
        for (k, v) in held.vertices.iter().map(|&v| first + v as usize).enumerate() {
            let place = system.script.pins[pin].position_of(k, system.origins[v], t);
            system.origins[v] = motion.origin_of(k, place, t);
        }
        system.script.pins[pin] = motion.clone();
        Arc::make_mut(&mut self.model).pins[pin].motion = motion;
        Ok(())
    }

    /// Moves a pin in the next step by so much, in m, where it stays.
    ///
    /// # Errors
    /// If there is no such pin or the way is not finite.
    pub fn move_pin(&mut self, pin: PinId, by: DVec3) -> Result<(), EditError> {
        let start = self.state.time;
        let velocity = by / self.system.dt;
        self.set_pin_motion(pin, Motion::Velocity { velocity, start, stop: start + self.system.dt })
    }

    /// Drives a cable otherwise.
    ///
    /// # Errors
    /// If there is no such cable or it cannot be driven so.
    pub fn set_cable(&mut self, cable: CableId, drive: CableDrive) -> Result<(), EditError> {
        let (CableDrive::Length(values) | CableDrive::Pull(values)) = &drive;
        let checked = values.validate();
        let described = entry(&mut Arc::make_mut(&mut self.model).cables, cable.index(), "cable")?;
        checked.map_err(|e| e.of(EntryKind::Cable, &described.name))?;
        described.drive = drive.clone();
        self.contacts.joints_mut().cables[cable.index()].drive = drive;
        Ok(())
    }

    /// Changes the total force of a load in N.
    ///
    /// # Errors
    /// If there is no such load, it is a pressure, or the force is not finite.
    pub fn set_force(&mut self, load: LoadId, total: impl Into<Schedule<DVec3>>) -> Result<(), EditError> {
        let new = total.into();
        let checked = new.validate_finite();
        let described = entry(&mut Arc::make_mut(&mut self.model).loads, load.index(), "load")?;
        let LoadKind::Force { total, .. } = &mut described.kind else {
            return Err(EditError::OtherLoad { name: described.name.clone(), is: "pressure" });
        };
        checked.map_err(|e| e.of(EntryKind::Load, &described.name))?;
        total.clone_from(&new);
        let forces = &mut Arc::make_mut(&mut self.system).script.forces;
        forces.iter_mut().filter(|f| f.total.load == load.0).for_each(|f| f.total.value.clone_from(&new));
        Ok(())
    }

    /// Changes a pressure in Pa.
    ///
    /// # Errors
    /// If there is no such load, it is a force, or the pressure is not finite.
    pub fn set_pressure(&mut self, load: LoadId, value: impl Into<Schedule>) -> Result<(), EditError> {
        let new = value.into();
        let checked = new.validate_finite();
        let described = entry(&mut Arc::make_mut(&mut self.model).loads, load.index(), "load")?;
        let LoadKind::Pressure { value } = &mut described.kind else {
            return Err(EditError::OtherLoad { name: described.name.clone(), is: "force" });
        };
        checked.map_err(|e| e.of(EntryKind::Load, &described.name))?;
        value.clone_from(&new);
        let pressures = &mut Arc::make_mut(&mut self.system).script.pressures;
        pressures.iter_mut().filter(|p| p.load == load.0).for_each(|p| p.value.clone_from(&new));
        Ok(())
    }

    /// Changes the wind in m/s; gusts, density and coefficients stay.
    ///
    /// # Errors
    /// If the model has no air or the wind is not finite.
    pub fn set_wind(&mut self, wind: impl Into<Schedule<DVec3>>) -> Result<(), EditError> {
        let air = self.model.air.as_ref().ok_or(EditError::NoAir)?;
        let air = Air { wind: wind.into(), ..air.clone() };
        air.validate()?;
        Arc::make_mut(&mut self.system).script.air = Some(air.clone());
        Arc::make_mut(&mut self.model).air = Some(air);
        Ok(())
    }

    fn obstacle(&self, obstacle: ObstacleId) -> Result<&Obstacle, EditError> {
        let (index, count) = (obstacle.index(), self.model.obstacles.len());
        self.model.obstacles.get(index).ok_or(EditError::NoSuch { what: "obstacle", index, count })
    }

    fn place_obstacle(
        &mut self,
        obstacle: ObstacleId,
        placement: Pose,
        motion: Motion,
    ) -> Result<(), EditError> {
        let described = entry(&mut Arc::make_mut(&mut self.model).obstacles, obstacle.index(), "obstacle")?;
        motion.validate().map_err(|e| EntryError::from(e).of(EntryKind::Obstacle, &described.name))?;
        (described.placement, described.motion) = (placement, motion.clone());
        Arc::make_mut(&mut self.system).script.obstacles[obstacle.index()] =
            ObstacleMotion { placement, motion };
        Ok(())
    }
}
