//! What a throw came to: nothing may pass through, sink in, gain energy or break.

use crate::paths::{Paths, Step};
use crate::scenes::{DEEP, poses, total_energy};
use crate::survey::Survey;
use crate::throws::{OBSTACLES, Throw};
use pliant::{BodyId, Law, SolverConfig, World};
use pliant_mesh::Aabb;
use std::collections::BTreeMap;

/// Part of the energy of the throw that may be gained.
const GAIN: f64 = 0.01;
/// Rows of points into which the edges of a triangle are divided to follow its points.
const ROWS: usize = 4;
const BODY: BodyId = BodyId(0);

/// What is wrong with a throw, and how wrong.
#[derive(Default)]
struct Verdict {
    /// Steps in which points of the surface passed through the obstacle.
    passed: usize,
    /// Largest depth in parts of the body's size.
    depth: f64,
    /// Largest gain of energy in parts of that of the throw.
    gain: f64,
    broken: Option<String>,
    held_back: usize,
}

impl Verdict {
    fn faults(&self) -> Vec<&'static str> {
        let all = [
            (self.passed > 0, "passed"),
            (self.depth > DEEP, "deep"),
            (self.gain > GAIN, "energy"),
            (self.broken.is_some(), "broken"),
        ];
        all.into_iter().filter(|(wrong, _)| *wrong).map(|(_, name)| name).collect()
    }

    fn summary(&self) -> String {
        format!(
            "{}; passed in {} steps, depth {:.1e}, energy +{:.1e}, held back {}{}",
            self.faults().join(" "),
            self.passed,
            self.depth,
            self.gain,
            self.held_back,
            self.broken.as_ref().map(|b| format!(", {b}")).unwrap_or_default()
        )
    }
}

/// Judges the throws of these seeds, of one kind of obstacle or all; whether all are right.
pub fn many(seeds: std::ops::Range<u64>, kind: Option<&str>) -> Result<bool, String> {
    if let Some(kind) = kind.filter(|k| !OBSTACLES.contains(k)) {
        return Err(format!("`{kind}` is no kind of obstacle; there are {}", OBSTACLES.join(", ")));
    }
    let mut tally: BTreeMap<(&str, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    let mut depths = Vec::new();
    let mut wrong = 0;
    for seed in seeds {
        let throw = Throw::new(seed);
        if kind.is_some_and(|kind| kind != throw.obstacle) {
            continue;
        }
        let verdict = judge(&throw, false);
        let faults = verdict.faults();
        if !faults.is_empty() {
            println!("{}\n    {}", throw.what, verdict.summary());
            wrong += 1;
        }
        depths.push(verdict.depth);
        for key in [("obstacle", throw.obstacle), ("body", throw.body), ("all", "")] {
            let row = tally.entry(key).or_default();
            *row.entry("throws").or_default() += 1;
            *row.entry("wrong").or_default() += usize::from(!faults.is_empty());
            faults.iter().for_each(|f| *row.entry(f).or_default() += 1);
        }
    }
    println!();
    for ((what, name), row) in &tally {
        let of = |k: &str| row.get(k).copied().unwrap_or(0);
        println!(
            "{what:8} {name:10} {:4} throws, {:4} wrong: passed {:3}, deep {:3}, energy {:3}, broken {:3}",
            of("throws"),
            of("wrong"),
            of("passed"),
            of("deep"),
            of("energy"),
            of("broken")
        );
    }
    depths.sort_by(f64::total_cmp);
    let part =
        |p: f64| depths.get((p * depths.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(0.0);
    println!(
        "depth in parts of the size: median {:.1e}, 90 % {:.1e}, 99 % {:.1e}, largest {:.1e}",
        part(0.5),
        part(0.9),
        part(0.99),
        part(1.0)
    );
    println!("{wrong} of {} throws are wrong", depths.len());
    Ok(wrong == 0)
}

/// Shows one throw step by step.
pub fn one(seed: u64) -> bool {
    let throw = Throw::new(seed);
    println!("{}", throw.what);
    let verdict = judge(&throw, true);
    println!("{}", verdict.summary());
    verdict.faults().is_empty()
}

fn judge(throw: &Throw, aloud: bool) -> Verdict {
    let mut verdict = Verdict::default();
    let mut world = match World::new(throw.model.clone(), SolverConfig::default()) {
        Ok(world) => world,
        Err(error) => return Verdict { broken: Some(error.to_string()), ..verdict },
    };
    let survey = Survey::new(&throw.model);
    let mut paths = Paths::new(&throw.model, &survey, &world.state().positions, ROWS);
    let energy = Energy::new(throw, &world);
    for step in 1..=throw.steps {
        let before = (world.state().positions.clone(), world.state().time);
        if let Err(error) = world.step() {
            verdict.broken = Some(error.to_string());
            break;
        }
        let state = world.state();
        let found = survey.look(&state.positions, &poses(&throw.model, state.time));
        let depth = found.iter().map(|f| f.relative).fold(0.0, f64::max);
        let gain = energy.gain(throw, &world);
        let step_taken = Step { x: [&before.0, &state.positions], times: [before.1, state.time] };
        let passed = paths.passed(&throw.model, &survey, &step_taken);
        let held = world.contacts().held_back().vertices;
        if aloud {
            show(step, &world, (depth, gain, passed, held));
        }
        verdict.depth = verdict.depth.max(depth);
        verdict.gain = verdict.gain.max(gain);
        verdict.passed += usize::from(passed > 0);
        verdict.held_back += held;
        verdict.broken = verdict.broken.or_else(|| broken(throw, &world, survey.surfaces[0].size));
    }
    verdict
}

fn show(step: usize, world: &World, (depth, gain, passed, held): (f64, f64, usize, usize)) {
    let (motion, shape) = (world.motion(BODY), world.shape(BODY));
    println!(
        "{step:3} at {:.4} speed {:8.2} contacts {:4} held {held:3} depth {depth:.1e} energy {gain:+.1e} min J {:.2} \
         volume {:.2} passed {passed}",
        motion.center,
        motion.velocity.length(),
        world.contacts().len(),
        shape.min_j,
        shape.volume_ratio,
    );
}

/// Why the body is no body any more, if it is not.
fn broken(throw: &Throw, world: &World, size: f64) -> Option<String> {
    let (x, shape) = (world.positions(BODY), world.shape(BODY));
    let extent = Aabb::around(x).diagonal() / size;
    let is_solid = throw.body != "cloth";
    // A body that strikes with less energy than it can hold keeps its shape.
    let mild = 0.5 * throw.model.bodies[0].density * throw.speed * throw.speed < 0.1 * throw.youngs;
    if !x.iter().all(|p| p.is_finite()) {
        Some("not finite".into())
    } else if is_solid && throw.law == Law::NeoHookean && shape.min_j <= 0.0 {
        Some(format!("inverted, min J {:.1e}", shape.min_j))
    } else if mild && (extent > 2.0 || is_solid && !(0.5..2.0).contains(&shape.volume_ratio)) {
        Some(format!("extent {extent:.1}, volume {:.2}", shape.volume_ratio))
    } else {
        None
    }
}

/// The energy that a body cannot gain: that seen by who moves with the obstacle.
struct Energy {
    start: f64,
    scale: f64,
}

impl Energy {
    fn new(throw: &Throw, world: &World) -> Energy {
        let motion = world.motion(BODY);
        let speed = throw.speed + throw.turning.length() * motion.center.length();
        Energy { start: Self::seen(throw, world), scale: 0.5 * motion.mass * speed * speed }
    }

    /// Kinetic, elastic and potential energy in the frame of the obstacle, apart from constants. In a frame that turns
    /// it is E - omega . L.
    fn seen(throw: &Throw, world: &World) -> f64 {
        let motion = world.motion(BODY);
        let fallen = world.state().time * motion.mass * world.model().gravity.dot(throw.velocity);
        total_energy(world) - throw.velocity.dot(motion.momentum) + fallen
            - throw.turning.dot(motion.angular_momentum)
    }

    fn gain(&self, throw: &Throw, world: &World) -> f64 {
        (Self::seen(throw, world) - self.start) / self.scale
    }
}
