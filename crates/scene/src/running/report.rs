//! The JSON report of a run. Its keys are a promise: scripts depend on them.

use super::Run;
use super::contacts::named_pairs;
use super::verdict::{Finding, Level};
use pliant::{AttachmentId, BodyId, CableId, NeedleId, ObstacleId, PinId, Side};
use serde_json::{Map, Value, json};

/// What the report says about the circumstances of a run.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// Threads of the pool.
    pub threads: usize,
    /// Variant of the scene, if it has any.
    pub variant: Option<String>,
    /// Whether no value of the scene was set by hand.
    pub as_written: bool,
    /// The values that were set by hand, in order.
    pub set: Vec<(String, String)>,
    /// Why the run ended early, if it did.
    pub error: Option<String>,
}

/// The report of a run so far, with the expectations checked.
pub fn report(run: &Run, about: &Circumstances) -> Value {
    let mut report = measured(run, about);
    let as_written = about.as_written && run.is_full_length();
    let mut all_hold = true;
    let mut checked = Vec::new();
    let mut skipped = 0;
    for expect in &run.setup().expectations {
        if !expect.applies(as_written) {
            skipped += 1;
            continue;
        }
        let (ok, got) = expect.check(&report);
        all_hold &= ok;
        checked.push(json!({ "what": expect.what, "want": expect.want(), "got": got, "ok": ok }));
    }
    report["expect"] = Value::Array(checked);
    report["expect_skipped"] = json!(skipped);
    let trusted = report["verdict"] == Level::Ok.name();
    report["ok"] = json!(all_hold && trusted && about.error.is_none() && run.is_done());
    report
}

/// A value as it was set: a number or true or false where it is one.
fn typed(text: &str) -> Value {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| json!(x));
    number.or_else(|| text.parse::<bool>().ok().map(|b| json!(b))).unwrap_or_else(|| json!(text))
}

/// Everything that is measured, without expectations.
fn measured(run: &Run, about: &Circumstances) -> Value {
    let world = run.world();
    let setup = run.setup();
    let memory = world.memory();
    let vertices = setup.vertices();
    let stages: Map<String, Value> =
        run.stage_times().iter().map(|(stage, times)| (stage.name().to_string(), times.to_json())).collect();
    let counters: Map<String, Value> = run
        .counters()
        .iter()
        .map(|(counter, c)| (counter.name().to_string(), json!({ "mean": c.mean(), "max": c.max() })))
        .collect();
    let probes: Map<String, Value> = run.probes().iter().map(|p| (p.name.clone(), p.to_json())).collect();
    let (bodies, inverted) = bodies(run);
    // The end counts, also of a run that was not to end here.
    let mut inspection = run.inspection.clone();
    inspection.look(world, run.steps_taken());
    let mut verdict = run.watch.with_inspection(&setup.model, Some(&inspection));
    if let Some(error) = &about.error {
        verdict.findings.insert(0, breakdown(run, error));
    }
    json!({
        "scene": setup.name,
        "variant": about.variant,
        "set": about.set.iter().map(|(name, value)| (name.clone(), typed(value))).collect::<Map<_, _>>(),
        "solver": setup.solver.kind(),
        "repeatable": setup.solver.is_repeatable(),
        "pliant": env!("CARGO_PKG_VERSION"),
        "threads": about.threads,
        "steps": run.steps_taken(),
        "dt": setup.model.dt,
        "simulated_s": world.state().time,
        "wall_s": run.elapsed_s(),
        "setup_s": run.setup_s,
        "vertices": vertices,
        "elements": setup.elements(),
        "dofs": 3 * vertices,
        "step_ms": run.step_ms.to_json(),
        "stage_ms": stages,
        "counters": counters,
        "contacts": run.contact.to_json(),
        "penetration_max_m": inspection.depth(),
        "inverted_elements": inverted,
        "intersections": inspection.most(),
        "intersection_pairs": inspection.to_json(&setup.model),
        "memory": {
            "factor_bytes": memory.factor_bytes,
            "inverse_factor_bytes": memory.inverse_factor_bytes,
            "delassus_bytes": memory.delassus_bytes,
            "peak_rss_bytes": peak_rss_bytes(),
        },
        "residual": {
            "first": run.last_outcome.residual_first,
            "last": run.last_outcome.residual_last,
            "last_max": run.worst_residual,
            "doubtful_steps": run.watch.doubtful_steps(),
            "iterations_mean": run.iterations.mean(),
        },
        "verdict": verdict.level().name(),
        "warnings": verdict.to_json(),
        "bodies": bodies,
        "obstacles": obstacles(run),
        "contact_pairs": contact_pairs(run),
        "pins": pins(run),
        "attachments": attachments(run),
        "cables": cables(run),
        "needles": needles(run),
        "pushed_apart_m": setup.pushed_apart.map_or(0.0, |p| p.farthest).max(world.moved_apart()),
        "probes": probes,
        "state_hash": format!("{:016x}", world.state().hash()),
        "error": about.error,
    })
}

/// The run could not go on.
fn breakdown(run: &Run, error: &str) -> Finding {
    let state = run.world().state();
    Finding {
        kind: "breakdown",
        level: Level::Failed,
        tolerated: false,
        what: format!("the simulation broke down: {error}"),
        place: format!("in step {} ({:.4} s)", state.steps + 1, state.time),
        remedy: "use a smaller dt, slower motions or smaller forces".into(),
        first: (state.steps + 1, state.time),
    }
}

fn bodies(run: &Run) -> (Vec<Value>, usize) {
    let mut inverted = 0;
    let list = run.setup().model.bodies.iter().enumerate().map(|(i, body)| {
        let (world, id) = (run.world(), BodyId::new(i));
        let (s, shape) = (world.motion(id), world.shape(id));
        inverted += shape.inverted;
        json!({
            "name": body.name,
            "vertices": body.mesh.vertices().len(),
            "elements": body.mesh.element_count(),
            "mass": s.mass,
            "center": s.center.to_array(),
            "velocity": s.velocity.to_array(),
            "momentum": s.momentum.to_array(),
            "angular_momentum": s.angular_momentum.to_array(),
            "kinetic_energy": s.kinetic_energy,
            "elastic_energy": world.elastic_energy(id),
            "contact_force": world.contacts().force_on(Side::Body(id)).to_array(),
            "volume_ratio": shape.volume_ratio,
            "min_j": shape.min_j,
        })
    });
    (list.collect(), inverted)
}

/// What touches what in the last step: points that carry a force, their total force on the first side, sums of normal and friction
/// forces in N, area in m^2 and mean pressure in Pa.
fn contact_pairs(run: &Run) -> Vec<Value> {
    let each = named_pairs(run.world()).into_iter();
    each.map(|(sides, pair)| {
        json!({
            "sides": sides,
            "points": pair.points,
            "force": pair.force.to_array(),
            "normal": pair.normal,
            "friction": pair.friction,
            "area": pair.area,
            "pressure": pair.pressure(),
        })
    })
    .collect()
}

/// Obstacles with the total force of the last step on them in N.
fn obstacles(run: &Run) -> Vec<Value> {
    let contacts = run.world().contacts();
    let each = run.setup().model.obstacles.iter().enumerate();
    each.map(|(i, o)| {
        let force = contacts.force_on(Side::Obstacle(ObstacleId::new(i)));
        json!({ "name": o.name, "force": force.to_array() })
    })
    .collect()
}

/// Pins with the total force of each on its body in the last step in N.
fn pins(run: &Run) -> Vec<Value> {
    let each = run.setup().model.pins.iter().enumerate();
    each.map(|(i, p)| json!({ "name": p.name, "reaction": run.world().reaction(PinId::new(i)).to_array() }))
        .collect()
}

/// Attachments with the force of each on its first body in N.
fn attachments(run: &Run) -> Vec<Value> {
    let joints = run.world().contacts().joints();
    let each = run.setup().model.attachments.iter().enumerate();
    each.map(
        |(i, a)| json!({ "name": a.name, "force": joints.attachment_force(AttachmentId::new(i)).to_array() }),
    )
    .collect()
}

/// Needles with the force of each on its body in N, the number of points on it and how far they are off its line in m.
fn needles(run: &Run) -> Vec<Value> {
    let each = run.setup().model.needles.iter().enumerate();
    each.map(|(i, n)| {
        let hold = run.world().needle(NeedleId::new(i));
        json!({ "name": n.name, "force": hold.force.to_array(), "points": hold.points, "gap": hold.gap })
    })
    .collect()
}

/// Cables with their tension in N and their length in m.
fn cables(run: &Run) -> Vec<Value> {
    let world = run.world();
    let each = run.setup().model.cables.iter().enumerate();
    each.map(|(i, c)| {
        let tension = world.contacts().joints().tension(CableId::new(i));
        json!({ "name": c.name, "tension": tension, "length": world.cable_length(CableId::new(i)) })
    })
    .collect()
}

/// Largest resident memory of this process in bytes; 0 where the system does not know.
pub fn peak_rss_bytes() -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().nth(1)).and_then(|n| n.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
