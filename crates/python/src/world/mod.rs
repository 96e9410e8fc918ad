//! A running simulation: its life, its steps, its copies.

mod contacts;
mod control;
mod picture;
mod read;

pub use contacts::Contacts;
pub use control::{Hold, friction_edit};
pub use read::{contact_wrench, probe_in};

use crate::errors::{BusyError, ClosedError, SnapshotError, StepError, raise, value_error};
use crate::threads::{PATIENCE, within};
use crate::viewer::Viewer;
use pliant::{Snapshot, StepError as Breakdown, StepOutcome};
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene, Setup};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::ThreadPool;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Instant;

/// A world, with or without the measurements of a report.
#[derive(Clone)]
pub enum Simulated {
    /// With all that a report needs.
    Measured(Box<Run>),
    /// The simulation alone.
    Bare(Box<pliant::World>, Arc<Setup>),
}

impl Simulated {
    /// The simulation.
    pub fn world(&self) -> &pliant::World {
        match self {
            Simulated::Measured(run) => run.world(),
            Simulated::Bare(world, _) => world,
        }
    }

    /// The simulation, to be driven by hand.
    pub fn steer(&mut self) -> &mut pliant::World {
        match self {
            Simulated::Measured(run) => run.steer(),
            Simulated::Bare(world, _) => world,
        }
    }

    /// What it was built from.
    pub fn setup(&self) -> &Setup {
        match self {
            Simulated::Measured(run) => run.setup(),
            Simulated::Bare(_, setup) => setup,
        }
    }

    fn step(&mut self) -> Result<StepOutcome, Breakdown> {
        match self {
            Simulated::Measured(run) => run.step(),
            Simulated::Bare(world, _) => world.step(),
        }
    }
}

/// What a world is while it is open.
#[derive(Clone)]
pub struct Inner {
    /// The scene it was built from.
    pub scene: Arc<Scene>,
    /// The simulation.
    pub simulated: Simulated,
    /// Whether somebody has driven it by hand: then the scene's expectations for the file as written do not count.
    pub steered: bool,
    last: StepOutcome,
    error: Option<String>,
}

/// A running simulation. Made by `Scene.build()`.
///
/// While a thread steps it, other threads get a `BusyError`: each thread should have a world of its own, or wait.
#[pyclass(frozen, module = "pliant", weakref)]
pub struct World {
    inner: Mutex<Option<Inner>>,
    pool: Option<Arc<ThreadPool>>,
}

/// A world that is used by nobody else for the moment.
pub struct Held<'a>(MutexGuard<'a, Option<Inner>>);

impl Held<'_> {
    /// The world, which is open.
    pub fn get(&self) -> PyResult<&Inner> {
        self.0.as_ref().ok_or_else(closed)
    }

    /// The world, to be changed.
    pub fn get_mut(&mut self) -> PyResult<&mut Inner> {
        self.0.as_mut().ok_or_else(closed)
    }

    /// The simulation, to be driven by hand.
    pub fn steer(&mut self) -> PyResult<&mut pliant::World> {
        let inner = self.get_mut()?;
        inner.steered = true;
        Ok(inner.simulated.steer())
    }
}

fn closed() -> PyErr {
    raise::<ClosedError, _>("the world is closed: build another one with scene.build()")
}

impl World {
    /// A world before its first step.
    pub fn new(scene: Arc<Scene>, simulated: Simulated, pool: Option<Arc<ThreadPool>>) -> World {
        let inner = Inner { scene, simulated, steered: false, last: StepOutcome::default(), error: None };
        World { inner: Mutex::new(Some(inner)), pool }
    }

    /// The world, unless another thread is at it.
    pub fn hold(&self) -> PyResult<Held<'_>> {
        match self.inner.try_lock() {
            Ok(guard) => Ok(Held(guard)),
            Err(TryLockError::WouldBlock) => Err(raise::<BusyError, _>(
                "the world is busy in another thread: wait for it, or give each thread its own world.clone()",
            )),
            // Whoever panicked has left the world between two states.
            Err(TryLockError::Poisoned(_)) => Err(raise::<ClosedError, _>(
                "the world broke down inside of a step: build another one with scene.build()",
            )),
        }
    }

    /// The threads that simulate.
    pub fn pool(&self) -> Option<&ThreadPool> {
        self.pool.as_deref()
    }
}

#[pymethods]
impl World {
    /// Takes `n` steps. Other Python threads run meanwhile. If a step fails, the world stays at its last good state and
    /// `StepError` is raised.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python, n: i64) -> PyResult<()> {
        let mut left =
            u64::try_from(n).map_err(|_| value_error("step", format!("{n} steps"), "give 0 or more"))?;
        let mut held = self.hold()?;
        let inner = held.get_mut()?;
        while left > 0 {
            let stepped = py.detach(|| within(self.pool(), || step_for_a_while(inner, &mut left)));
            if let Err(breakdown) = stepped {
                inner.error = Some(breakdown.to_string());
                return Err(raise::<StepError, _>(breakdown));
            }
            py.check_signals()?;
        }
        Ok(())
    }

    /// Everything that the next steps depend on, as bytes. What was set by hand is no part of it.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let held = self.hold()?;
        let world = held.get()?.simulated.world();
        let snapshot = py.detach(|| world.save());
        Ok(PyBytes::new(py, snapshot.as_bytes()))
    }

    /// Goes back to where a world of the same scene and solver was when it was saved, bit for bit. What was set by hand stays
    /// as it is now, and the report counts all steps that were ever taken. If the bytes are of another world, nothing changes and
    /// `SnapshotError` is raised.
    fn restore(&self, py: Python, snapshot: Vec<u8>) -> PyResult<()> {
        let mut held = self.hold()?;
        let inner = held.get_mut()?;
        inner.error = None;
        inner.steered = true;
        let world = inner.simulated.steer();
        let pool = self.pool();
        let restored = py.detach(|| within(pool, || world.restore(&Snapshot::from_bytes(snapshot))));
        restored.map_err(raise::<SnapshotError, _>)
    }

    /// A copy that goes on by itself, bit for bit. What never changes is shared with it.
    fn clone(&self, py: Python) -> PyResult<World> {
        let held = self.hold()?;
        let inner = held.get()?;
        let copy = py.detach(|| Inner::clone(inner));
        Ok(World { inner: Mutex::new(Some(copy)), pool: self.pool.clone() })
    }

    fn __copy__(&self, py: Python) -> PyResult<World> {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python, _memo: &Bound<PyAny>) -> PyResult<World> {
        self.clone(py)
    }

    /// Gives its memory back. A closed world can do nothing.
    fn close(&self) -> PyResult<()> {
        self.hold()?.0.take();
        Ok(())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(&self, _kind: &Bound<PyAny>, _value: &Bound<PyAny>, _trace: &Bound<PyAny>) -> PyResult<()> {
        self.close()
    }

    /// The report so far, with the keys of `report.json`. A world that is not measured has none.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut held = self.hold()?;
        let inner = held.get_mut()?;
        let Simulated::Measured(run) = &mut inner.simulated else {
            return Err(raise::<crate::errors::PliantError, _>(
                "the world is not measured: build it with scene.build(), or scene.build(measure=True) to watch every step",
            ));
        };
        let pool = self.pool();
        let report = py.detach(|| {
            within(pool, || {
                run.look();
                let about = Circumstances {
                    threads: rayon::current_num_threads(),
                    variant: inner.scene.variant().map(str::to_string),
                    as_written: inner.scene.is_as_written() && !inner.steered,
                    set: inner.scene.overrides().to_vec(),
                    error: inner.error.clone(),
                };
                report(run, &about).to_string()
            })
        });
        from_json(py, &report)
    }

    /// Opens the viewer on a copy of the world, from where it is: in the browser, or inline in a notebook. What is done there
    /// does not change this world. The viewer ends with `close()`, or when nobody has it any more.
    #[pyo3(signature = (port=0, *, paused=false, open=true))]
    fn view<'py>(
        &self,
        py: Python<'py>,
        port: u16,
        paused: bool,
        open: bool,
    ) -> PyResult<Bound<'py, Viewer>> {
        let held = self.hold()?;
        let inner = held.get()?;
        let shown = || {
            let (setup, world) = (inner.simulated.setup().clone(), inner.simulated.world().clone());
            Viewer::of_world(&inner.scene, setup, world, port, paused)
        };
        let viewer = Bound::new(py, py.detach(shown)?)?;
        if open {
            py.import("pliant._view")?.call_method1("show", (&viewer,))?;
        }
        Ok(viewer)
    }

    fn __repr__(&self) -> String {
        match self.hold().as_ref().map(|held| held.get()) {
            Ok(Ok(inner)) => {
                let state = inner.simulated.world().state();
                format!(
                    "<pliant.World `{}` at step {}, {:.4} s>",
                    inner.simulated.setup().name,
                    state.steps,
                    state.time
                )
            }
            Ok(Err(_)) => "<pliant.World, closed>".into(),
            Err(_) => "<pliant.World, busy>".into(),
        }
    }
}

/// JSON as Python's own values.
pub fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// Steps until none is left or Python should look for an interrupt.
fn step_for_a_while(inner: &mut Inner, left: &mut u64) -> Result<(), Breakdown> {
    let start = Instant::now();
    while *left > 0 {
        inner.last = inner.simulated.step()?;
        inner.error = None;
        *left -= 1;
        if start.elapsed() > PATIENCE {
            break;
        }
    }
    Ok(())
}
