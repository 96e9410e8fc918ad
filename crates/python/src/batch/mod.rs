//! Many worlds of one scene, stepped side by side. They share what is prepared; each is simulated by one thread.

mod control;
mod read;

use crate::errors::{BusyError, ClosedError, StepError, raise, value_error};
use crate::scene::{Built, NativeScene};
use crate::threads::{PATIENCE, singles, within};
use crate::world::{Simulated, World};
use numpy::PyArray1;
use pliant::Snapshot;
use pliant_scene::{Scene, SceneError as BadScene, Setup};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::ThreadPool;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Most worlds of a batch.
const MOST: usize = 1 << 20;

/// What a batch is while it is open.
struct Worlds {
    scene: Arc<Scene>,
    setup: Arc<Setup>,
    /// The world before its first step, from which others start.
    first: pliant::World,
    worlds: Vec<Mutex<Slot>>,
}

/// A world and why it stopped, if it did.
struct Slot {
    world: pliant::World,
    error: Option<String>,
}

/// `Batch(scene, n)`: n independent worlds of a scene, stepped side by side over the cores.
///
/// They start alike and share all that is prepared: the assembled system, the factor, the topology of detection. They also share the
/// memory that a solver needs during a step: there is as much of it as there are threads. Friction,
/// gravity, loads, poses and states can differ between them, and need no new factor. Arrays have one row for each world; a
/// single row counts for all. Each world ends with the same bits as if it were stepped alone.
#[pyclass(frozen, module = "pliant", weakref)]
pub struct Batch {
    inner: Mutex<Option<Worlds>>,
    /// Pools of one thread each: a world is stepped by one of them.
    pools: Vec<ThreadPool>,
}

struct Held<'a>(MutexGuard<'a, Option<Worlds>>);

impl Held<'_> {
    fn get(&self) -> PyResult<&Worlds> {
        self.0.as_ref().ok_or_else(|| raise::<ClosedError, _>("the batch is closed: make another one"))
    }
}

impl Worlds {
    fn len(&self) -> usize {
        self.worlds.len()
    }

    fn model(&self) -> &pliant::Model {
        self.first.model()
    }

    /// The world of this number, which nobody else uses: whoever is here holds the batch.
    fn slot(&self, index: usize) -> MutexGuard<'_, Slot> {
        self.worlds[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, index: usize) -> PyResult<usize> {
        if index < self.len() {
            return Ok(index);
        }
        let cause = format!("there is no world {index}, there are {}", self.len());
        Err(value_error("index", cause, "count worlds from 0"))
    }

    /// The worlds that are meant: those of `indices`, or all.
    fn rows(&self, indices: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
        let rows = indices.unwrap_or_else(|| (0..self.len()).collect());
        rows.iter().try_for_each(|i| self.check(*i).map(|_| ()))?;
        Ok(rows)
    }
}

impl Batch {
    fn hold(&self) -> PyResult<Held<'_>> {
        match self.inner.try_lock() {
            Ok(guard) => Ok(Held(guard)),
            Err(TryLockError::WouldBlock) => Err(raise::<BusyError, _>(
                "the batch is busy in another thread: wait for it, or make a batch for each thread",
            )),
            Err(TryLockError::Poisoned(_)) => {
                Err(raise::<ClosedError, _>("the batch broke down inside of a step: make another one"))
            }
        }
    }

    /// Does `work` for every index below `count` in the pools, each in one thread.
    fn spread(&self, count: usize, work: impl Fn(usize) + Sync) {
        let next = AtomicUsize::new(0);
        let all = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return;
                }
                work(index);
            }
        };
        nested(&self.pools, &all);
    }
}

/// Runs `work` in each of the pools, and waits for all.
fn nested(pools: &[ThreadPool], work: &(impl Fn() + Sync)) {
    if let Some((first, rest)) = pools.split_first() {
        first.in_place_scope(|scope| {
            scope.spawn(|_| work());
            nested(rest, work);
        });
    }
}

#[pymethods]
impl Batch {
    /// With `threads` so many worlds are stepped at once; as many as there are cores if absent.
    #[new]
    #[pyo3(signature = (scene, n, *, threads=None))]
    fn new(scene: &Bound<PyAny>, n: usize, threads: Option<usize>) -> PyResult<Batch> {
        let py = scene.py();
        if !scene.is_instance(&py.import("pliant._scene")?.getattr("Scene")?)? {
            let cause = format!("a {} is no scene", scene.get_type().name()?);
            return Err(crate::errors::type_error("Batch", cause, "give a pliant.Scene"));
        }
        let scene: Py<NativeScene> = scene.call_method0("_native")?.extract()?;
        if !(1..=MOST).contains(&n) {
            return Err(value_error("n", format!("{n} worlds"), "give a number from 1 to 1048576"));
        }
        let pools = singles(threads)?;
        let native = scene.get();
        let build = || -> Result<Worlds, BadScene> {
            let Built { scene, setup } = native.built()?;
            let mut first = setup.world()?;
            first.share_solver();
            let slot = |_| Mutex::new(Slot { world: first.clone(), error: None });
            let worlds = (0..n).map(slot).collect();
            Ok(Worlds { scene, setup: Arc::new(setup), first, worlds })
        };
        let built = py.detach(|| within(pools.first(), build));
        let worlds = built.map_err(raise::<crate::errors::SceneError, _>)?;
        Ok(Batch { inner: Mutex::new(Some(worlds)), pools })
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.hold()?.get()?.len())
    }

    /// Takes `n` steps with every world. Other Python threads run meanwhile.
    ///
    /// A world whose step fails stays at its last good state, and the others go on. Then `StepError` is raised, or with
    /// `strict=False` an array of shape (worlds,) says which have taken all steps; `errors` says why.
    #[pyo3(signature = (n=1, strict=true))]
    fn step<'py>(&self, py: Python<'py>, n: i64, strict: bool) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mut left =
            usize::try_from(n).map_err(|_| value_error("step", format!("{n} steps"), "give 0 or more"))?;
        let held = self.hold()?;
        let worlds = held.get()?;
        for index in 0..worlds.len() {
            worlds.slot(index).error = None;
        }
        let mut chunk = 1;
        while left > 0 {
            let (steps, start) = (chunk.min(left), Instant::now());
            py.detach(|| self.spread(worlds.len(), |index| advance(&mut worlds.slot(index), steps)));
            left -= steps;
            // As many steps as Python is patient for.
            let each = start.elapsed().max(Duration::from_nanos(1)) / steps as u32;
            chunk = ((PATIENCE.as_nanos() / each.as_nanos().max(1)) as usize).clamp(1, 1 << 20);
            py.check_signals()?;
        }
        let failed: Vec<(usize, String)> =
            (0..worlds.len()).filter_map(|i| worlds.slot(i).error.clone().map(|e| (i, e))).collect();
        if let (true, Some((index, error))) = (strict, failed.first()) {
            let more = failed.len() - 1;
            let message =
                format!("world {index}: {error} (and {more} more: see batch.errors, or step(strict=False))");
            return Err(raise::<StepError, _>(message));
        }
        let mut good = vec![true; worlds.len()];
        failed.iter().for_each(|(index, _)| good[*index] = false);
        Ok(PyArray1::from_vec(py, good))
    }

    /// Why worlds failed in the last call of `step`, by their numbers.
    #[getter]
    fn errors(&self) -> PyResult<std::collections::BTreeMap<usize, String>> {
        let held = self.hold()?;
        let worlds = held.get()?;
        Ok((0..worlds.len()).filter_map(|i| worlds.slot(i).error.clone().map(|e| (i, e))).collect())
    }

    /// Puts worlds back to the start, all of them without `indices`. What was set by hand is forgotten with it.
    #[pyo3(signature = (indices=None))]
    fn reset(&self, py: Python, indices: Option<Vec<usize>>) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let rows = worlds.rows(indices)?;
        py.detach(|| {
            for index in rows {
                let mut slot = worlds.slot(index);
                slot.world.clone_from(&worlds.first);
                slot.error = None;
            }
        });
        Ok(())
    }

    /// A copy of one world, to look at closely. It goes on by itself.
    fn world(&self, index: usize) -> PyResult<World> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let copy = worlds.slot(worlds.check(index)?).world.clone();
        let simulated = Simulated::Bare(Box::new(copy), worlds.setup.clone());
        Ok(World::new(worlds.scene.clone(), simulated, None))
    }

    /// Everything that the next steps of a world depend on, as bytes.
    fn save<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let snapshot = worlds.slot(worlds.check(index)?).world.save();
        Ok(PyBytes::new(py, snapshot.as_bytes()))
    }

    /// Puts a world to where another one of the same scene was when it was saved.
    fn restore(&self, index: usize, snapshot: Vec<u8>) -> PyResult<()> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let mut slot = worlds.slot(worlds.check(index)?);
        slot.error = None;
        slot.world.restore(&Snapshot::from_bytes(snapshot)).map_err(raise::<crate::errors::SnapshotError, _>)
    }

    /// Gives its memory back.
    fn close(&self) -> PyResult<()> {
        self.hold()?.0.take();
        Ok(())
    }

    fn __repr__(&self) -> String {
        match self.hold().as_ref().map(|held| held.get().map(|w| (w.len(), w.setup.name.clone()))) {
            Ok(Ok((n, name))) => format!("<pliant.Batch of {n} worlds `{name}`>"),
            Ok(Err(_)) => "<pliant.Batch, closed>".into(),
            Err(_) => "<pliant.Batch, busy>".into(),
        }
    }
}

/// Steps a world until it has taken all steps or fails.
fn advance(slot: &mut Slot, steps: usize) {
    for _ in 0..steps {
        if slot.error.is_some() {
            return;
        }
        if let Err(error) = slot.world.step() {
            slot.error = Some(error.to_string());
        }
    }
}
