//! The values that can be changed while a simulation runs.

use crate::protocol::Effect;
use pliant::solver::{Domain, Knob};
use pliant::{BodyId, Edit, Law, ObstacleId, SolverConfig, World};
use pliant_mesh::DVec3;
use serde::Serialize;
use serde_json::{Value, json};

/// A value with its range, as the page shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Control {
    /// How it is asked for.
    pub id: String,
    /// What it belongs to.
    pub group: String,
    /// What it is.
    pub label: String,
    /// Its unit; empty if it has none.
    pub unit: &'static str,
    /// A number, or three of them.
    pub value: Value,
    /// Smallest value of its slider.
    pub min: f64,
    /// Largest value of its slider.
    pub max: f64,
    /// Whether its slider is logarithmic.
    pub log: bool,
    /// Whether it is a whole number.
    pub integer: bool,
    /// What a change takes.
    pub effect: Effect,
}

/// What a slider can reach.
pub struct Range {
    min: f64,
    max: f64,
    log: bool,
}

impl Range {
    /// From a part of the value to a multiple of it.
    pub fn around(value: f64, factor: f64) -> Range {
        Range { min: value / factor, max: value * factor, log: true }
    }

    /// From one number to another.
    pub fn linear(min: f64, max: f64) -> Range {
        Range { min, max, log: false }
    }
}

/// All controls of a world.
pub fn controls(world: &World) -> Vec<Control> {
    let model = world.model();
    let mut all = vec![Control {
        value: json!(model.gravity.to_array()),
        ..control("gravity", "world", ("Gravity", "m/s²"), 0.0, Range::linear(-20.0, 20.0))
    }];
    all.extend(world.config().knobs().into_iter().filter_map(|knob| setting(world.config(), knob)));
    for (i, body) in model.bodies.iter().enumerate() {
        let id = |name: &str| format!("body.{i}.{name}");
        let group = body.name.as_str();
        let Some(material) = body.materials.first() else { continue };
        let rebuilding = |control| Control { effect: Effect::Rebuild, ..control };
        let (youngs, nu, density) = (material.youngs, material.poisson, body.density);
        let label = ("Young's modulus", "Pa");
        all.push(rebuilding(control(&id("youngs"), group, label, youngs, Range::around(youngs, 1e3))));
        // As rigid as possible knows no Poisson effect.
        if material.law != Law::Arap {
            let range = Range::linear(if material.law.allows_auxetic() { -0.9 } else { 0.0 }, 0.499);
            all.push(rebuilding(control(&id("poisson"), group, ("Poisson's ratio", ""), nu, range)));
        }
        let label = ("Density", "kg/m³");
        all.push(rebuilding(control(&id("density"), group, label, density, Range::around(density, 100.0))));
        let friction = Range::linear(0.0, 2.0);
        all.push(control(&id("friction"), group, ("Friction", ""), body.friction, friction));
    }
    for (i, obstacle) in model.obstacles.iter().enumerate() {
        if let Some(friction) = obstacle.friction {
            let id = format!("obstacle.{i}.friction");
            let range = Range::linear(0.0, 2.0);
            all.push(control(&id, &obstacle.name, ("Friction", ""), friction, range));
        }
    }
    all
}

/// The control of a setting of the solver, if it is a number that can change between two steps.
fn setting(config: &SolverConfig, knob: &Knob) -> Option<Control> {
    let ([min, max], value) = (knob.live?, config.get(knob.name)?);
    let (value, integer) = match (value, knob.domain) {
        (pliant::solver::Value::Count(n), _) => (json!(n), true),
        (pliant::solver::Value::Number(x), _) => (json!(x), false),
        (pliant::solver::Value::Word(_), Domain::CountOrWord(_, _, usual)) => (json!(usual), true),
        (pliant::solver::Value::Word(_), _) => return None,
    };
    let words = knob.name.replace('_', " ");
    let label = words[..1].to_uppercase() + &words[1..];
    let range = Range { min, max, log: min > 0.0 };
    Some(Control { value, integer, label, ..control(knob.name, "solver", ("", ""), 0.0, range) })
}

/// A control that is live and not a whole number.
pub fn control(
    id: &str,
    group: &str,
    (label, unit): (&'static str, &'static str),
    value: f64,
    range: Range,
) -> Control {
    Control {
        id: id.to_string(),
        group: group.to_string(),
        label: label.to_string(),
        unit,
        value: json!(value),
        min: range.min,
        max: range.max,
        log: range.log,
        integer: false,
        effect: Effect::Live,
    }
}

/// The change that a page asks for. The error is a cause with a remedy.
pub fn edit(config: &SolverConfig, id: &str, value: &Value) -> Result<Edit, String> {
    let number = || value.as_f64().ok_or_else(|| format!("{id} = {value} is not a number: write one"));
    let unknown = || format!("there is no control `{id}`: use one of the list");
    match id.split('.').collect::<Vec<_>>()[..] {
        ["gravity"] => serde_json::from_value(value.clone())
            .map(|gravity| Edit::Gravity(DVec3::from_array(gravity)))
            .map_err(|_| format!("gravity = {value} is not a vector: write three numbers")),
        [name] => {
            let knob = config.knob(name).filter(|knob| knob.live.is_some()).ok_or_else(unknown)?;
            let wanted = knob.domain.number(number()?).filter(|value| knob.domain.contains(*value));
            let wanted = wanted.ok_or_else(|| {
                let whole = if matches!(knob.domain, Domain::Count(..) | Domain::CountOrWord(..)) {
                    "a whole number, "
                } else {
                    ""
                };
                format!("{name} = {value} must be {whole}{}", knob.domain)
            })?;
            Ok(Edit::Setting(knob, wanted))
        }
        [owner, index, name] => {
            let index: u32 = index.parse().map_err(|_| unknown())?;
            let (body, obstacle) = (BodyId(index), ObstacleId(index));
            match (owner, name) {
                ("body", "youngs") => Ok(Edit::Youngs(body, number()?)),
                ("body", "poisson") => Ok(Edit::Poisson(body, number()?)),
                ("body", "density") => Ok(Edit::Density(body, number()?)),
                ("body", "friction") => Ok(Edit::BodyFriction(body, number()?)),
                ("obstacle", "friction") => Ok(Edit::ObstacleFriction(obstacle, number()?)),
                _ => Err(unknown()),
            }
        }
        _ => Err(unknown()),
    }
}
