//! Scenes at their settings, looked at in every tenth step.

use crate::paths::{Paths, Step};
use crate::survey::{Found, Survey};
use pliant::{BodyId, Model, Motion, Pose, Side, World};
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};

/// Part of a body's size that nothing may be deeper than.
pub const DEEP: f64 = 1e-3;

/// Rows of points on each triangle that are followed.
const ROWS: usize = 2;

/// Checks each of the scenes named; whether all are right.
pub fn check_all(args: &[&str]) -> Result<bool, String> {
    let mut options = Options { every: 10, seconds: None, changes: Vec::new() };
    let mut names = Vec::new();
    let mut words = args.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().copied().ok_or(format!("{word} needs a value"));
        match word {
            "--every" => options.every = value()?.parse().map_err(|_| "--every needs a number")?,
            "--seconds" => options.seconds = Some(value()?.parse().map_err(|_| "--seconds needs a number")?),
            "--set" => {
                let change = value()?.split_once('=').ok_or("--set needs key=value")?;
                options.changes.push(change);
            }
            name => names.push(name),
        }
    }
    let mut all_right = true;
    for name in names {
        all_right &= check(name, &options)?;
    }
    Ok(all_right)
}

struct Options<'a> {
    every: usize,
    seconds: Option<f64>,
    changes: Vec<(&'a str, &'a str)>,
}

fn check(name: &str, options: &Options) -> Result<bool, String> {
    let mut scene = Scene::load(name).map_err(|e| e.to_string())?;
    for (key, value) in &options.changes {
        scene.set(key, value).map_err(|e| e.to_string())?;
    }
    let mut run = Run::new(scene.build().map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    if let Some(seconds) = options.seconds {
        run.limit_steps((seconds / run.setup().model.dt).round() as usize);
    }
    let survey = Survey::new(&run.setup().model);
    let mut energy = Energy::new(run.world());
    let mut worst: Vec<(usize, Found)> = Vec::new();
    let (mut at_end, mut passed) = (0, 0);
    let mut paths = Paths::new(&run.setup().model, &survey, &run.world().state().positions, ROWS);
    while !run.is_done() {
        let before = (run.world().state().positions.clone(), run.world().state().time);
        if let Err(error) = run.step() {
            println!("{name}: {error}");
            return Ok(false);
        }
        energy.record(run.world());
        let state = run.world().state();
        let step = Step { x: [&before.0, &state.positions], times: [before.1, state.time] };
        passed += usize::from(paths.passed(&run.setup().model, &survey, &step) > 0);
        if run.steps_taken().is_multiple_of(options.every) || run.is_done() {
            let world = run.world();
            let found = survey.look(&world.state().positions, &poses(world.model(), world.state().time));
            at_end = found.iter().map(|f| f.triangles).sum();
            found.into_iter().for_each(|f| keep_worst(&mut worst, run.steps_taken(), f));
        }
    }
    let report = report(&run, &Circumstances::default());
    let deepest = worst.iter().map(|(_, f)| f.depth).fold(0.0, f64::max);
    let relative = worst.iter().map(|(_, f)| f.relative).fold(0.0, f64::max);
    println!(
        "{name}: deepest {deepest:.2e} m, {relative:.1e} of the size ({}), something passes through in {passed} steps; report: penetration {:.2e} m, \
         intersections {} (sampled at the end: {at_end}); {}",
        if relative > DEEP { "TOO DEEP" } else { "right" },
        report["penetration_max_m"].as_f64().unwrap_or(f64::NAN),
        report["intersections"],
        energy.summary(),
    );
    for (step, f) in worst.iter().filter(|(_, f)| f.relative > 0.1 * DEEP) {
        let [body, other] = &f.names;
        println!(
            "    {body} in {other}: {:.2e} m ({:.1e}) at {:.4} in step {step}, {} triangles",
            f.depth, f.relative, f.place, f.triangles
        );
    }
    Ok(relative <= DEEP && passed == 0 && energy.is_right())
}

fn keep_worst(worst: &mut Vec<(usize, Found)>, step: usize, found: Found) {
    match worst.iter_mut().find(|(_, w)| w.names == found.names) {
        Some(known) if known.1.depth >= found.depth => {}
        Some(known) => *known = (step, found),
        None => worst.push((step, found)),
    }
}

pub fn poses(model: &Model, time: f64) -> Vec<Pose> {
    model.obstacles.iter().map(|o| o.pose(time)).collect()
}

/// Kinetic, elastic and potential energy of all bodies in J.
pub fn total_energy(world: &World) -> f64 {
    let ids = (0..world.model().bodies.len()).map(BodyId::new);
    ids.map(|id| {
        let motion = world.motion(id);
        let height = motion.mass * world.model().gravity.dot(motion.center);
        motion.kinetic_energy + world.elastic_energy(id) - height
    })
    .sum()
}

/// The energy of a run, against its start and the work of what moves by a script.
struct Energy {
    start: f64,
    last_time: f64,
    work: f64,
    /// Largest growth beyond the work, and the scale it is compared with.
    growth: f64,
    scale: f64,
    /// Why the work is not known, if it is not.
    unknown: Option<&'static str>,
}

impl Energy {
    fn new(world: &World) -> Energy {
        let model = world.model();
        let turning = |m: &Motion| match m {
            Motion::Fixed | Motion::Velocity { .. } => false,
            Motion::Rotation { .. } | Motion::Poses(_) | Motion::Points(_) => true,
            Motion::Keyframes { frames, .. } => frames.iter().any(|f| f.angle != 0.0),
        };
        let unknown = if model.pins.iter().any(|p| turning(&p.motion)) {
            Some("pins turn")
        } else if !model.loads.is_empty() {
            Some("loads")
        } else if !(model.cables.is_empty() && model.needles.is_empty()) {
            Some("cables or needles")
        } else {
            None
        };
        let start = total_energy(world);
        Energy { start, last_time: world.state().time, work: 0.0, growth: 0.0, scale: 0.0, unknown }
    }

    fn record(&mut self, world: &World) {
        let (model, time) = (world.model(), world.state().time);
        for (k, pin) in model.pins.iter().enumerate() {
            let moved = |t| pin.motion.position(pliant::DVec3::ZERO, t);
            self.work += world.reaction(pliant::PinId::new(k)).dot(moved(time) - moved(self.last_time));
        }
        let contacts = world.contacts();
        for (contact, force) in contacts.contacts().iter().zip(contacts.forces()) {
            if matches!(contact.sides[1], Side::Obstacle(_)) {
                self.work += force.dot(contact.anchor_motion);
            }
        }
        self.last_time = time;
        let gained = total_energy(world) - self.start;
        self.growth = self.growth.max(gained - self.work);
        let moving: f64 = (0..model.bodies.len()).map(|b| world.motion(BodyId::new(b)).kinetic_energy).sum();
        self.scale = self.scale.max(moving).max(gained.abs()).max(self.work.abs());
    }

    fn is_right(&self) -> bool {
        self.unknown.is_some() || self.growth <= 1e-3 * self.scale
    }

    fn summary(&self) -> String {
        match self.unknown {
            Some(what) => format!("energy not checked: {what}"),
            None => format!(
                "energy grows by {:.1e} J beyond start and work ({:.1e} of what moves, {})",
                self.growth,
                self.growth / self.scale.max(f64::MIN_POSITIVE),
                if self.is_right() { "right" } else { "TOO MUCH" }
            ),
        }
    }
}
