//! What can be moved while a simulation runs: obstacles, pins, cables, loads and wind. Nothing is rebuilt for it.

use crate::controls::{Control, Range, control};
use pliant::{
    CableDrive, CableId, DVec3, EditError, Keyframe, LoadId, LoadKind, Motion, ObstacleId, PinId, Schedule,
    World,
};
use serde_json::{Value, json};

/// Time over which obstacles and pins go to where they are sent, s: nobody sees a jump, and contact can follow.
const GLIDE: f64 = 0.25;

/// What has been moved so far.
#[derive(Clone, Debug)]
pub struct Steering {
    /// How far each pin was sent from its script, m.
    offsets: Vec<DVec3>,
}

impl Steering {
    /// Nothing yet.
    pub fn new(world: &World) -> Steering {
        Steering { offsets: vec![DVec3::ZERO; world.model().pins.len()] }
    }

    /// All that can be steered, with its present values.
    pub fn controls(&self, world: &World) -> Vec<Control> {
        let (model, t) = (world.model(), world.state().time);
        let mut all = Vec::new();
        let vector = |id: String, group: &str, label: (&'static str, &'static str), value: DVec3| Control {
            value: json!(value.to_array()),
            ..control(&id, group, label, 0.0, Range::linear(-1.0, 1.0))
        };
        if let Some(air) = &model.air {
            all.push(vector("wind".into(), "world", ("Wind", "m/s"), air.wind.at(t)));
        }
        for (i, load) in model.loads.iter().enumerate() {
            all.push(match &load.kind {
                LoadKind::Force { total, .. } => {
                    vector(format!("load.{i}.force"), &load.name, ("Force", "N"), total.at(t))
                }
                LoadKind::Pressure { value } => {
                    let (id, now) = (format!("load.{i}.pressure"), value.at(t));
                    let range = Range::linear(-3.0 * now.abs().max(1.0), 3.0 * now.abs().max(1.0));
                    control(&id, &load.name, ("Pressure", "Pa"), now, range)
                }
                _ => continue,
            });
        }
        for (i, cable) in model.cables.iter().enumerate() {
            let (name, label, now) = match &cable.drive {
                CableDrive::Length(values) => ("length", ("Length", "m"), values.at(t)),
                CableDrive::Pull(values) => ("pull", ("Tension", "N"), values.at(t)),
                _ => continue,
            };
            let range = Range::linear(0.0, if now > 0.0 { 2.0 * now } else { 1.0 });
            all.push(control(&format!("cable.{i}.{name}"), &cable.name, label, now, range));
        }
        for (i, obstacle) in model.obstacles.iter().enumerate() {
            let place = obstacle.pose(t + GLIDE).translation;
            all.push(vector(format!("obstacle.{i}.position"), &obstacle.name, ("Position", "m"), place));
        }
        for (i, pin) in model.pins.iter().enumerate() {
            all.push(vector(format!("pin.{i}.offset"), &pin.name, ("Offset", "m"), self.offsets[i]));
        }
        all
    }

    /// Steers what `id` names; `None` if that is not for steering.
    pub fn set(&mut self, world: &mut World, id: &str, value: &Value) -> Option<Result<(), String>> {
        let parts: Vec<&str> = id.split('.').collect();
        let index = parts.get(1).and_then(|k| k.parse::<usize>().ok()).unwrap_or(usize::MAX);
        let vector = || {
            serde_json::from_value::<[f64; 3]>(value.clone())
                .map(DVec3::from_array)
                .map_err(|_| format!("{id} = {value} is not a vector: write three numbers"))
        };
        let number = || value.as_f64().ok_or_else(|| format!("{id} = {value} is not a number: write one"));
        let told = |done: Result<(), EditError>| done.map_err(|e| e.to_string());
        let schedule = |x: f64| Schedule::from(x);
        Some(match (parts[0], parts.get(2).copied()) {
            ("wind", None) => vector().and_then(|v| told(world.set_wind(v))),
            ("load", Some("force")) => vector().and_then(|v| told(world.set_force(LoadId::new(index), v))),
            ("load", Some("pressure")) => {
                number().and_then(|x| told(world.set_pressure(LoadId::new(index), x)))
            }
            ("cable", Some("length")) => number()
                .and_then(|x| told(world.set_cable(CableId::new(index), CableDrive::Length(schedule(x))))),
            ("cable", Some("pull")) => number()
                .and_then(|x| told(world.set_cable(CableId::new(index), CableDrive::Pull(schedule(x))))),
            ("obstacle", Some("position")) => vector().and_then(|v| told(move_obstacle(world, index, v))),
            ("pin", Some("offset")) => vector().and_then(|v| told(self.move_pin(world, index, v))),
            _ => return None,
        })
    }

    fn move_pin(&mut self, world: &mut World, pin: usize, offset: DVec3) -> Result<(), EditError> {
        let so_far = self.offsets.get(pin).copied().unwrap_or_default();
        world.set_pin_motion(PinId::new(pin), glide(world.state().time, offset - so_far))?;
        self.offsets[pin] = offset;
        Ok(())
    }
}

/// Sends an obstacle to a place.
fn move_obstacle(world: &mut World, index: usize, to: DVec3) -> Result<(), EditError> {
    let t = world.state().time;
    let now = world.model().obstacles.get(index).map_or(to, |o| o.pose(t).translation);
    let id = ObstacleId(u32::try_from(index).unwrap_or(u32::MAX));
    world.set_obstacle_motion(id, glide(t, to - now))
}

/// A motion by so much, from now on.
fn glide(t: f64, by: DVec3) -> Motion {
    let frame = |time, translation| Keyframe { time, translation, angle: 0.0 };
    let frames = vec![frame(t, DVec3::ZERO), frame(t + GLIDE, by)];
    Motion::Keyframes { point: DVec3::ZERO, axis: DVec3::Z, frames }
}
