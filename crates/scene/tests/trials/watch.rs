//! A run that is watched: its energy, the way of its bodies, and how it ended.

use pliant::{BodyId, DVec3, World};
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};
use serde_json::Value;

/// Random numbers that are the same everywhere: SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed);
        Random(random.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two positive numbers, small ones as often as large ones.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }
}

/// A finished run.
pub struct Watched {
    pub run: Run,
    pub report: Value,
    /// Where the centre of the first body was after each step.
    pub way: Vec<DVec3>,
    /// Most total energy above that of the start, in parts of the most that moved.
    pub gain: f64,
}

impl Watched {
    /// Runs a scene to its end.
    pub fn new(text: &str) -> Result<Watched, String> {
        let scene = Scene::parse("trial.toml", text).map_err(|e| e.to_string())?;
        let mut run = Run::new(scene.build().map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
        let (start, _) = energy(run.world());
        let (mut gained, mut moved, mut way) = (0.0_f64, 0.0_f64, Vec::new());
        while !run.is_done() {
            run.step().map_err(|e| e.to_string())?;
            let (total, kinetic) = energy(run.world());
            (gained, moved) = (gained.max(total - start), moved.max(kinetic));
            way.push(run.world().motion(BodyId(0)).center);
        }
        let report = report(&run, &Circumstances::default());
        Ok(Watched { run, report, way, gain: gained / moved.max(f64::MIN_POSITIVE) })
    }

    /// Lowest and highest vertex of all bodies at the end.
    pub fn heights(&self) -> (f64, f64) {
        let x = &self.run.world().state().positions;
        x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.z), high.max(p.z)))
    }

    /// No energy came from nowhere.
    pub fn keeps_energy(&self) -> Result<(), String> {
        want(self.gain <= 1e-3, || format!("energy grows by {:.1e} of what moves", self.gain))
    }

    /// No surface was deeper than 0.1 % of the size of the smallest body.
    pub fn is_apart(&self) -> Result<(), String> {
        let bodies = &self.run.world().model().bodies;
        let sizes = bodies.iter().map(|b| pliant_mesh::Aabb::around(b.mesh.vertices()).diagonal());
        let (size, pairs) = (sizes.fold(f64::INFINITY, f64::min), &self.report["intersection_pairs"]);
        let depth = self.report["penetration_max_m"].as_f64().unwrap_or(f64::INFINITY);
        want(depth <= 1e-3 * size, || format!("{depth:.1e} m deep: {pairs}"))
    }

    pub fn is_higher_than(&self, z: f64) -> Result<(), String> {
        let (_, high) = self.heights();
        want(high > z, || format!("has fallen to {high:.4}"))
    }

    pub fn is_not_below(&self, z: f64) -> Result<(), String> {
        let (low, _) = self.heights();
        want(low >= z, || format!("is down at {low:.4}"))
    }
}

/// An error unless something holds.
pub fn want(holds: bool, or: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(or()) }
}

/// Total and kinetic energy of all bodies in J.
fn energy(world: &World) -> (f64, f64) {
    let (mut total, mut kinetic) = (0.0, 0.0);
    for body in (0..world.model().bodies.len()).map(BodyId::new) {
        let motion = world.motion(body);
        kinetic += motion.kinetic_energy;
        let height = motion.mass * world.model().gravity.dot(motion.center);
        total += motion.kinetic_energy + world.elastic_energy(body) - height;
    }
    (total, kinetic)
}
