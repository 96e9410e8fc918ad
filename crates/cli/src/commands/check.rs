//! `pliant check`: what is known about a scene before it runs.

use super::load;
use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::output::{self, Table, short};
use pliant::{Body, BodyId, DVec3, Motion, Overlap};
use pliant_mesh::Mesh;
use pliant_scene::{Run, Setup};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Elements worse than this (radius ratio) slow every solver down.
const POOR_SHAPE: f64 = 0.05;
/// Most lines of advice that say the same of different bodies.
const MOST_ALIKE: usize = 3;
/// Overlaps below this, in m, are rounding.
const OVERLAP: f64 = 1e-6;

/// Validates a scene: exit code 0 if it can run, 2 if not; advice does not fail.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let scene = load(&args.scene.scene, &args.scene.changes)?;
    let run = Run::new(scene.build()?)?;
    let setup = run.setup();
    let bodies: Vec<ElementQuality> =
        setup.model.bodies.iter().map(ElementQuality::of).collect::<Result<_, _>>()?;
    let mut advice = Vec::new();
    for (i, (body, quality)) in setup.model.bodies.iter().zip(&bodies).enumerate() {
        let id = BodyId::new(i);
        quality_advice(body, quality, &mut advice);
        step_advice(setup, id, quality, &mut advice);
        let out = setup.skins[id.index()].farthest();
        if out > 0.05 * quality.size {
            advice.push(format!(
                "the surface of body `{}` is up to {} m outside of its tets: both should be in the same place and units",
                body.name,
                short(out)
            ));
        }
        let start = run.world().shape(id);
        if start.inverted > 0 {
            advice.push(format!("body `{}` starts with {} inverted elements", body.name, start.inverted));
        }
    }
    attachment_advice(&run, &mut advice);
    if let Some(pushed) = &setup.pushed_apart {
        advice.push(format!(
            "{} overlapping pairs were pushed apart before the first step, by up to {} m",
            pushed.pairs,
            short(pushed.farthest)
        ));
    }
    let overlaps = overlaps(&run);
    match &overlaps {
        Some(found) => advice.extend(found.iter().map(Overlapping::advice)),
        None => advice.push("the surfaces cannot be tested for overlaps: see `pliant mesh info`".into()),
    }
    if args.json {
        output::print_json(&json!({
            "scene": setup.name, "ok": true, "solver": setup.solver.kind(), "steps": setup.steps,
            "vertices": setup.vertices(), "elements": setup.elements(),
            "bodies": setup.model.bodies.iter().zip(&bodies).map(|(b, s)| s.json(b)).collect::<Vec<_>>(),
            "overlaps": overlaps.map(|found| found.iter().map(Overlapping::json).collect::<Vec<_>>()),
            "advice": advice,
        }));
    } else {
        print(setup, &bodies, &advice);
    }
    Ok(())
}

/// Two things that overlap at the start.
#[derive(Debug)]
struct Overlapping {
    names: [String; 2],
    found: Overlap,
}

/// What overlaps at the start; `None` if the surfaces cannot be tested.
fn overlaps(run: &Run) -> Option<Vec<Overlapping>> {
    let model = &run.setup().model;
    let found = run.world().overlaps(OVERLAP).ok()?.into_iter();
    Some(found.map(|found| Overlapping { names: found.sides.map(|s| model.name_of(s)), found }).collect())
}

impl Overlapping {
    fn advice(&self) -> String {
        let [a, b] = &self.names;
        let pair = if a == b { format!("{a} passes through itself") } else { format!("{a} and {b} overlap") };
        let place = place(self.found.place);
        format!(
            "{pair} at the start, {} m deep at {place}, {} vertices and {} pairs of triangles: move them apart or set \
             push_apart = true in [scene], otherwise they jump apart in the first steps",
            short(self.found.depth),
            self.found.vertices,
            self.found.crossings
        )
    }

    fn json(&self) -> Value {
        json!({
            "pair": self.names, "depth_m": self.found.depth, "place": self.found.place.to_array(),
            "vertices": self.found.vertices, "crossings": self.found.crossings,
        })
    }
}

/// Quality and size of a body's elements.
#[derive(Debug)]
struct ElementQuality {
    radius_ratio: f64,
    smallest_angle: f64,
    shortest_edge: f64,
    size: f64,
}

impl ElementQuality {
    fn of(body: &Body) -> Result<ElementQuality, Failure> {
        let bad = |e: pliant_mesh::MeshError| Failure::input(format!("body `{}`: {e}", body.name));
        let (low, high) = body.mesh.bounds();
        let size = (high - low).max_element();
        Ok(match &*body.mesh {
            Mesh::Tet(m) => {
                let q = m.quality().map_err(bad)?;
                ElementQuality {
                    radius_ratio: q.min_radius_ratio,
                    smallest_angle: q.min_dihedral_degrees,
                    shortest_edge: q.shortest_edge,
                    size,
                }
            }
            Mesh::Tri(m) => {
                let q = m.quality().map_err(bad)?;
                ElementQuality {
                    radius_ratio: q.min_radius_ratio,
                    smallest_angle: q.min_angle_degrees,
                    shortest_edge: q.shortest_edge,
                    size,
                }
            }
        })
    }

    fn json(&self, body: &Body) -> Value {
        let (low, high) = body.mesh.bounds();
        json!({
            "name": body.name, "vertices": body.mesh.vertices().len(), "elements": body.mesh.element_count(),
            "min_radius_ratio": self.radius_ratio, "min_angle_degrees": self.smallest_angle,
            "shortest_edge_m": self.shortest_edge, "size_m": self.size,
            "from_m": low.to_array(), "to_m": high.to_array(),
            "wave_time_s": wave_time(body, self.size), "element_wave_time_s": wave_time(body, self.shortest_edge),
        })
    }
}

/// Time in which the fastest material's elastic wave passes a length.
fn wave_time(body: &Body, length: f64) -> f64 {
    let youngs = body.materials.iter().map(|m| m.youngs).fold(0.0, f64::max);
    length / (youngs / body.density).sqrt()
}

fn quality_advice(body: &Body, quality: &ElementQuality, advice: &mut Vec<String>) {
    if quality.radius_ratio < POOR_SHAPE {
        advice.push(format!(
            "body `{}` has badly shaped elements (radius ratio {}, 1 is best): re-mesh for accuracy",
            body.name,
            short(quality.radius_ratio)
        ));
    }
    if quality.shortest_edge < 1e-4 * quality.size {
        let (edge, size) = (short(quality.shortest_edge), short(quality.size));
        advice.push(format!(
            "body `{}` has a tiny edge ({edge} m in a body of {size} m): merge close vertices",
            body.name
        ));
    }
    if quality.size > 1e3 || quality.size < 1e-4 {
        advice.push(format!(
            "body `{}` is {} m large: lengths are metres, set transform.scale if the mesh is in mm",
            body.name,
            short(quality.size)
        ));
    }
}

/// Advice on the time step: implicit steps are stable, but may smear motion or move too far at once.
fn step_advice(setup: &Setup, id: BodyId, quality: &ElementQuality, advice: &mut Vec<String>) {
    let (dt, body) = (setup.model.dt, &setup.model.bodies[id.index()]);
    let wave = wave_time(body, quality.size);
    if dt > wave {
        advice.push(format!(
            "dt = {} s is longer than an elastic wave needs through `{}` ({} s): vibrations are damped out, \
             which is fine for slow motion; use dt below {} s to see them",
            short(dt),
            body.name,
            short(wave),
            short(wave / 10.0)
        ));
    }
    for pin in setup.model.pins.iter().filter(|p| p.body == id) {
        let speed = pin_speed(&pin.motion, quality.size);
        if speed * dt > quality.shortest_edge {
            advice.push(format!(
                "pin `{}` moves {} m in a step, more than the shortest edge ({} m): use dt below {} s",
                pin.name,
                short(speed * dt),
                short(quality.shortest_edge),
                short(quality.shortest_edge / speed)
            ));
        }
    }
}

/// Advice on ties whose points start apart: they are pulled together at once.
fn attachment_advice(run: &Run, advice: &mut Vec<String>) {
    let world = run.world();
    for attachment in &run.setup().model.attachments {
        let farthest = attachment
            .pairs
            .iter()
            .map(|[a, b]| a.place(world.positions(a.body)).distance(b.place(world.positions(b.body))));
        let farthest = farthest.fold(0.0, f64::max);
        if farthest > OVERLAP {
            advice.push(format!(
                "attachment `{}` ties points that are up to {} m apart, they are pulled together in the first step: move \
                 the bodies together, or leave points out by `reach`",
                attachment.name,
                short(farthest)
            ));
        }
    }
}

/// Largest speed that a motion can give to a body of this size, m/s.
fn pin_speed(motion: &Motion, size: f64) -> f64 {
    match motion {
        Motion::Fixed => 0.0,
        Motion::Velocity { velocity, .. } => velocity.length(),
        Motion::Rotation { rate, .. } => rate.abs() * 0.5 * size,
        Motion::Keyframes { frames, .. } => frames
            .windows(2)
            .map(|w| {
                let moved = w[1].translation.distance(w[0].translation);
                (moved + (w[1].angle - w[0].angle).abs() * 0.5 * size) / (w[1].time - w[0].time)
            })
            .fold(0.0, f64::max),
        // Pins of scenes have none.
        Motion::Poses(_) => 0.0,
        Motion::Points(paths) => {
            let times = paths.times.windows(2).map(|w| w[1] - w[0]);
            let moved = paths
                .displacements
                .windows(2)
                .map(|w| w[0].iter().zip(&w[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max));
            moved.zip(times).map(|(moved, time)| moved / time).fold(0.0, f64::max)
        }
    }
}

fn print(setup: &Setup, bodies: &[ElementQuality], advice: &[String]) {
    let mut table = Table::new(&[
        "body",
        "vertices",
        "elements",
        "from m",
        "to m",
        "size m",
        "shortest edge m",
        "radius ratio",
        "angle",
    ]);
    for (body, quality) in setup.model.bodies.iter().zip(bodies) {
        let (low, high) = body.mesh.bounds();
        table.row(vec![
            body.name.clone(),
            body.mesh.vertices().len().to_string(),
            body.mesh.element_count().to_string(),
            place(low),
            place(high),
            short(quality.size),
            short(quality.shortest_edge),
            short(quality.radius_ratio),
            short(quality.smallest_angle),
        ]);
    }
    let mut lines = vec![
        format!(
            "{}: {} steps of {} s with {}",
            setup.name,
            setup.steps,
            short(setup.model.dt),
            setup.solver.kind()
        ),
        table.text(),
    ];
    lines.extend(shortened(advice));
    lines.push("the scene can run".into());
    output::print(&lines.join("\n"));
}

fn place(point: DVec3) -> String {
    format!("({})", point.to_array().map(short).join(", "))
}

/// The advice as lines; of many that say the same of other bodies only the first ones.
fn shortened(advice: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for text in advice {
        let count = counts.entry(topic(text)).or_default();
        *count += 1;
        if *count <= MOST_ALIKE {
            lines.push(format!("advice: {text}"));
        }
    }
    let hidden: usize = counts.values().map(|count| count.saturating_sub(MOST_ALIKE)).sum();
    if hidden > 0 {
        lines.push(format!("advice: the same of others, {hidden} times (`--json` has all)"));
    }
    lines
}

/// What an advice is about: its text without names and numbers.
fn topic(text: &str) -> String {
    let sentence: Vec<&str> = text.split('`').step_by(2).collect();
    sentence.join("").chars().filter(|c| c.is_alphabetic()).collect()
}
