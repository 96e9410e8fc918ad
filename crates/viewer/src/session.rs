//! The scene that is shown, and what pages do to it.

use crate::controls::{self, Control, controls};
use crate::protocol::Effect;
use crate::steering::Steering;
use pliant::{BodyId, HoldId, MaterialPoint, Stage, StepError, StepOutcome, Sticking, World};
use pliant_mesh::DVec3;
use pliant_scene::view::{Fields, Frame, Geometry, Layout};
use pliant_scene::{Scene, SceneError, Setup, Watch};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

/// Frequency in Hz with which a body swings on a hold: firm, and slow against the time step.
const HOLD_FREQUENCY: f64 = 5.0;

/// Holds at most.
const MAX_HOLDS: usize = 64;

/// Sizes of a body that a hold reaches: what pulls from farther away is as if it were there. A spring to the horizon would
/// tear the body beyond what a step can solve.
const REACH: f64 = 2.0;

/// Part of the time that measuring energies may take: they visit every element.
const ENERGY_SHARE: f64 = 0.05;

/// A scene with the changes asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// Name of a built-in scene, or path of a file.
    pub scene: String,
    /// Variant instead of the default one.
    pub variant: Option<String>,
    /// Solver instead of the scene's own.
    pub solver: Option<String>,
    /// Values set by hand: parameters, or dotted paths.
    pub values: Vec<(String, String)>,
    /// The scene itself, where it is not one of a name: variant, solver and values change it.
    pub given: Option<GivenScene>,
}

/// A scene that is in no file. Two are the same if they are one.
#[derive(Clone, Debug)]
pub struct GivenScene(pub Arc<Scene>);

impl PartialEq for GivenScene {
    fn eq(&self, other: &GivenScene) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Choice {
    /// Reads the scene and makes the changes.
    pub fn load(&self) -> Result<Scene, SceneError> {
        let (variant, solver) = (self.variant.as_deref(), self.solver.as_deref());
        let scene = match &self.given {
            Some(GivenScene(scene)) => Scene::clone(scene),
            None => Scene::load(&self.scene)?,
        };
        scene.with_changes(variant, solver, &self.values)
    }
}

/// A running scene.
#[derive(Debug)]
pub struct Session {
    choice: Choice,
    scene: Scene,
    setup: Setup,
    world: World,
    holds: Vec<PageHold>,
    outcome: Option<StepOutcome>,
    energy: Energies,
    watch: Watch,
    steering: Steering,
}

/// A hold, as a page knows it.
#[derive(Clone, Copy, Debug)]
struct PageHold {
    client: u32,
    id: u32,
    vertex: u32,
    kept: bool,
    hold: HoldId,
    point: MaterialPoint,
    /// Where the page pulls to, and how far that may be from the point, m.
    wanted: DVec3,
    reach: f64,
}

impl PageHold {
    /// Where it pulls to now: where the page wants, as far as that is in reach.
    fn target(&self, world: &World) -> DVec3 {
        let place = self.point.place(world.positions(self.point.body));
        place + (self.wanted - place).clamp_length_max(self.reach)
    }
}

/// Energies in J, and when they are worth measuring again.
#[derive(Clone, Copy, Debug)]
struct Energies {
    kinetic: f64,
    elastic: f64,
    potential: f64,
    again: Instant,
}

impl Session {
    /// Reads, builds and assembles a scene.
    pub fn open(choice: Choice) -> Result<Session, SceneError> {
        let scene = choice.load()?;
        let setup = scene.build()?;
        let world = setup.world()?;
        Ok(Session::of_world(choice, scene, setup, world))
    }

    /// A scene whose world is somewhere already.
    pub fn of_world(choice: Choice, scene: Scene, setup: Setup, world: World) -> Session {
        let energy = Energies { kinetic: 0.0, elastic: 0.0, potential: 0.0, again: Instant::now() };
        let mut watch = Watch::new(&world, setup.tolerate);
        // Whoever drags, or changes values, gives energy.
        watch.forget_energy();
        let steering = Steering::new(&world);
        let holds = Vec::new();
        Session { choice, scene, setup, world, holds, outcome: None, energy, watch, steering }
    }

    /// What was chosen.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Time step in s.
    pub fn dt(&self) -> f64 {
        self.world.model().dt
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.world.state().steps
    }

    /// Whether the scene has been shown to its end.
    pub fn is_finished(&self) -> bool {
        self.steps() >= self.setup.steps as u64
    }

    /// Advances by one step. On an error the state is the last good one.
    pub fn step(&mut self) -> Result<(), StepError> {
        for held in &self.holds {
            let target = held.target(&self.world);
            // A hold of the list is one of the world.
            let _ = self.world.move_hold(held.hold, target);
        }
        let outcome = self.world.step()?;
        self.watch.record(&self.world, &outcome);
        self.outcome = Some(outcome);
        Ok(())
    }

    /// Changes a control: its new value, and what it took.
    pub fn set(&mut self, id: &str, value: &Value) -> Result<Effect, String> {
        if let Some(steered) = self.steering.set(&mut self.world, id, value) {
            return steered.map(|()| Effect::Live);
        }
        let edit = controls::edit(self.world.config(), id, value)?;
        self.world.edit(&edit).map_err(|e| e.to_string())?;
        Ok(if edit.rebuilds() { Effect::Rebuild } else { Effect::Live })
    }

    /// Holds a shown vertex.
    pub fn hold(&mut self, client: u32, id: u32, vertex: u32, target: DVec3) -> Result<(), String> {
        if self.holds.len() >= MAX_HOLDS {
            return Err(format!("there are {MAX_HOLDS} holds already: release some"));
        }
        let point = self.point(vertex).ok_or_else(|| format!("there is no vertex {vertex} to hold"))?;
        let stiffness = self.world.motion(point.body).mass * (TAU * HOLD_FREQUENCY).powi(2);
        let (low, high) = self.world.model().bodies[point.body.index()].mesh.bounds();
        let reach = REACH * low.distance(high);
        let hold = self.world.hold(point, target, stiffness).map_err(|e| e.to_string())?;
        self.release(client, id);
        self.holds.push(PageHold { client, id, vertex, kept: false, hold, point, wanted: target, reach });
        Ok(())
    }

    /// The point of a body at a shown vertex.
    fn point(&self, vertex: u32) -> Option<MaterialPoint> {
        let mut first = 0;
        for (body, skin) in self.setup.skins.iter().enumerate() {
            let count = skin.vertex_count() as u32;
            if vertex < first + count {
                return skin.point(BodyId::new(body), vertex - first);
            }
            first += count;
        }
        None
    }

    /// Pulls a held vertex to another place. A hold that is gone is no error: the message was on its way.
    pub fn pull(&mut self, client: u32, id: u32, target: DVec3) -> Result<(), String> {
        if !target.is_finite() {
            return Err(format!("hold: its target {:?} is not finite", target.to_array()));
        }
        if let Some(held) = self.holds.iter_mut().find(|h| (h.client, h.id) == (client, id)) {
            held.wanted = target;
        }
        Ok(())
    }

    /// Leaves a hold when its client goes.
    pub fn keep(&mut self, client: u32, id: u32) {
        if let Some(held) = self.holds.iter_mut().find(|h| (h.client, h.id) == (client, id)) {
            held.kept = true;
        }
    }

    /// Ends a hold.
    pub fn release(&mut self, client: u32, id: u32) {
        self.release_where(|h| (h.client, h.id) == (client, id));
    }

    /// Ends all holds.
    pub fn release_all(&mut self) {
        self.release_where(|_| true);
    }

    /// Ends the holds of a client that has gone.
    pub fn leave(&mut self, client: u32) {
        self.release_where(|h| h.client == client && !h.kept);
    }

    fn release_where(&mut self, ends: impl Fn(&PageHold) -> bool) {
        let (holds, world) = (&mut self.holds, &mut self.world);
        holds.retain(|held| {
            let ends = ends(held);
            if ends {
                world.release(held.hold);
            }
            !ends
        });
    }

    /// The surfaces that do not change.
    pub fn geometry(&self) -> Geometry {
        Geometry::of(&self.setup, &self.world)
    }

    /// The message `scene`.
    pub fn describe(&self, generation: u32) -> Value {
        let mut notes = Vec::new();
        let parameters = self.scene.parameter_values().unwrap_or_else(|e| {
            notes.push(format!("The parameters cannot be shown: {e}"));
            Vec::new()
        });
        let parameters: Vec<Value> =
            parameters.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        if self.world.ignores_contact() {
            notes.push("This solver does not see contact between bodies.".to_string());
        }
        json!({
            "kind": "scene",
            "generation": generation,
            "layout": Layout::of(&self.setup, &self.world),
            "controls": self.controls(),
            "probes": self.probes(),
            "parameters": parameters,
            "variants": self.scene.variants(),
            "vertices": self.setup.vertices(),
            "elements": self.setup.elements(),
            "duration": self.setup.steps as f64 * self.dt(),
            "notes": notes,
        })
    }

    /// Names of the probes, how many numbers each has, and their unit.
    fn probes(&self) -> Vec<Value> {
        let each = self.setup.probes.iter();
        each.map(|p| json!({ "name": p.name, "size": p.measure(&self.world).len(), "unit": p.unit() }))
            .collect()
    }

    fn controls(&self) -> Vec<Control> {
        let mut all = controls(&self.world);
        all.extend(self.steering.controls(&self.world));
        all
    }

    /// The present state.
    pub fn frame(&self, fields: Fields) -> Frame {
        Frame::of(&self.setup, &self.world, fields)
    }

    /// The numbers of the message `stats` that the world knows.
    pub fn stats(&mut self) -> Value {
        self.measure_energies();
        let (world, energy) = (&self.world, &self.energy);
        let (contacts, timings) = (world.contacts(), world.timings());
        let stage = |(stage, ms): &(Stage, f64)| (stage.name().to_string(), json!(ms));
        let count =
            |wanted: Sticking| (0..contacts.len()).filter(|&k| contacts.sticking(k) == wanted).count();
        let (sticking, sliding) = (count(Sticking::Sticks), count(Sticking::Slides));
        let (stages, step_ms) = match self.outcome {
            Some(_) => (timings.stages().iter().map(stage).collect(), json!(timings.total_ms())),
            None => (serde_json::Map::new(), Value::Null),
        };
        let verdict = self.watch.verdict(world.model());
        json!({
            "kind": "stats",
            "step": self.steps(),
            "time": world.state().time,
            "finished": self.is_finished(),
            "step_ms": step_ms,
            "stages": stages,
            "contacts": sticking + sliding,
            "rows": 3 * contacts.len(),
            "sticking": sticking,
            "sliding": sliding,
            "residual": self.outcome.map(|o| o.residual_last),
            "iterations": self.outcome.map(|o| o.iterations),
            "penetration": contacts.penetration(&world.state().positions),
            "energy": { "kinetic": energy.kinetic, "elastic": energy.elastic, "potential": energy.potential },
            "probes": self.setup.probes.iter().map(|probe| probe.measure(world)).collect::<Vec<_>>(),
            "holds": self.listed_holds(),
            "verdict": verdict.level().name(),
            "warnings": verdict.to_json(),
        })
    }

    fn listed_holds(&self) -> Vec<Value> {
        let each = self.holds.iter().filter_map(|held| {
            let hold = self.world.holds().iter().find(|h| h.id == held.hold)?;
            Some(json!({
                "id": held.id,
                "client": held.client,
                "vertex": held.vertex,
                "kept": held.kept,
                "target": held.wanted.to_array(),
                "force": hold.force.to_array(),
            }))
        });
        each.collect()
    }

    /// Measures the energies, but not so often that it would slow the simulation.
    fn measure_energies(&mut self) {
        let start = Instant::now();
        if start < self.energy.again {
            return;
        }
        let (world, gravity) = (&self.world, self.world.model().gravity);
        let (mut kinetic, mut elastic, mut potential) = (0.0, 0.0, 0.0);
        for body in (0..world.model().bodies.len()).map(BodyId::new) {
            let motion = world.motion(body);
            kinetic += motion.kinetic_energy;
            elastic += world.elastic_energy_estimate(body);
            potential -= motion.mass * gravity.dot(motion.center);
        }
        let again = Instant::now() + start.elapsed().div_f64(ENERGY_SHARE);
        self.energy = Energies { kinetic, elastic, potential, again };
    }
}
