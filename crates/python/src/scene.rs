//! Scenes: read, changed, checked, built, run. The class `pliant.Scene` in Python adds entries to their text.

use crate::errors::{PliantError, SceneError, raise};
use crate::mesh::Mesh;
use crate::threads::{PATIENCE, pool, within};
use crate::world::{Simulated, World};
use pliant_output::{Ended, Observer, RunSettings, run_scene};
use pliant_scene::exporting::Format;
use pliant_scene::{Care, Run, Scene, SceneError as BadScene, Setup, builtin};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// A scene file with its changes.
#[pyclass(frozen, name = "NativeScene", module = "pliant._native")]
pub struct NativeScene {
    scene: Arc<Scene>,
}

/// A setup must have a world whose pool is the one that it will be stepped in.
pub struct Built {
    pub scene: Arc<Scene>,
    pub setup: Setup,
}

impl NativeScene {
    /// Checks the scene and builds all that a run needs.
    pub fn built(&self) -> Result<Built, BadScene> {
        Ok(Built { scene: self.scene.clone(), setup: self.scene.build()? })
    }
}

#[pymethods]
impl NativeScene {
    /// Reads a scene from text; meshes that are not in files come by name.
    #[staticmethod]
    #[pyo3(signature = (label, text, directory, meshes, variant=None, solver=None, values=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "they are the arguments of a method in Python")]
    fn parse(
        py: Python,
        label: &str,
        text: &str,
        directory: PathBuf,
        meshes: BTreeMap<String, Py<Mesh>>,
        variant: Option<&str>,
        solver: Option<&str>,
        values: Vec<(String, String)>,
    ) -> PyResult<NativeScene> {
        let meshes: Vec<_> = meshes.into_iter().map(|(name, mesh)| (name, mesh.get().shared())).collect();
        let read = || -> Result<Scene, BadScene> {
            let mut scene = Scene::parse(label, text)?.in_directory(directory);
            for (name, mesh) in meshes {
                scene = scene.with_mesh(name, mesh);
            }
            scene.with_changes(variant, solver, &values)
        };
        let scene = py.detach(read).map_err(raise::<SceneError, _>)?;
        Ok(NativeScene { scene: Arc::new(scene) })
    }

    /// Text and directory of a built-in scene or of a file.
    #[staticmethod]
    fn read(py: Python, path_or_name: &str) -> PyResult<(String, PathBuf)> {
        let scene = py.detach(|| Scene::load(path_or_name)).map_err(raise::<SceneError, _>)?;
        Ok((scene.text().to_string(), scene.directory().to_path_buf()))
    }

    /// Names of the variants.
    fn variants(&self) -> Vec<String> {
        self.scene.variants().into_iter().map(Into::into).collect()
    }

    /// The variant in use.
    fn variant(&self) -> Option<String> {
        self.scene.variant().map(Into::into)
    }

    /// The parameters and their values, as JSON.
    fn parameters(&self) -> PyResult<String> {
        let values = self.scene.parameter_values().map_err(raise::<SceneError, _>)?;
        let map: serde_json::Map<_, _> = values.into_iter().collect();
        Ok(serde_json::Value::Object(map).to_string())
    }

    /// What the scene says about itself, as JSON; no mesh is made.
    fn outline(&self, py: Python) -> PyResult<String> {
        let outline = py.detach(|| self.scene.outline()).map_err(raise::<SceneError, _>)?;
        let about = serde_json::json!({
            "description": outline.description,
            "source": outline.source,
            "solver": outline.solver,
            "probes": outline.probes,
        });
        Ok(about.to_string())
    }

    /// Checks everything short of running.
    fn check(&self, py: Python) -> PyResult<()> {
        py.detach(|| self.scene.validate()).map_err(raise::<SceneError, _>)
    }

    /// Time step in s.
    fn dt(&self, py: Python) -> PyResult<f64> {
        let setup = py.detach(|| self.scene.build()).map_err(raise::<SceneError, _>)?;
        Ok(setup.model.dt)
    }

    /// The mesh of a body as it is placed; that of the first without a name.
    #[pyo3(signature = (body=None))]
    fn mesh(&self, py: Python, body: Option<&str>) -> PyResult<Mesh> {
        let setup = py.detach(|| self.scene.build()).map_err(raise::<SceneError, _>)?;
        let index = crate::names::body_index(&setup.model, body)?;
        Ok(Mesh::sharing(setup.model.bodies[index].mesh.clone()))
    }

    /// Builds the world.
    fn build(&self, py: Python, threads: Option<usize>, measure: Option<bool>) -> PyResult<World> {
        let pool = pool(threads)?;
        let build = || -> Result<(Arc<Scene>, Simulated), BadScene> {
            let Built { scene, setup } = self.built()?;
            let simulated = match measure {
                Some(false) => Simulated::Bare(Box::new(setup.world()?), Arc::new(setup)),
                closely => {
                    let mut run = Run::new(setup)?;
                    run.set_care(if closely.is_some() { Care::EveryStep } else { Care::NowAndThen });
                    Simulated::Measured(Box::new(run))
                }
            };
            Ok((scene, simulated))
        };
        let built = py.detach(|| within(pool.as_deref(), build));
        let (scene, simulated) = built.map_err(raise::<SceneError, _>)?;
        Ok(World::new(scene, simulated, pool))
    }

    /// Runs the scene to its end into a directory; gives the report as JSON.
    #[pyo3(signature = (out, steps, every, checkpoint_every, export, threads))]
    #[expect(clippy::too_many_arguments, reason = "they are the arguments of a method in Python")]
    fn run(
        &self,
        py: Python,
        out: PathBuf,
        steps: Option<usize>,
        every: Option<u64>,
        checkpoint_every: Option<u64>,
        export: Vec<String>,
        threads: Option<usize>,
    ) -> PyResult<String> {
        for (what, number) in [("every", every), ("checkpoint_every", checkpoint_every)] {
            if number == Some(0) {
                return Err(crate::errors::value_error(what, "0 steps", "give 1 or more"));
            }
        }
        let formats = export.iter().map(|name| name.parse()).collect::<Result<Vec<Format>, _>>();
        let export = formats.map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))?;
        let settings = RunSettings { steps, every, checkpoint_every, export, threads };
        let mut watching = Interrupts { asked: Instant::now(), found: None };
        let ended = py.detach(|| run_scene(&self.scene, &out, &settings, &mut watching));
        if let Some(interrupt) = watching.found {
            return Err(interrupt);
        }
        match ended.map_err(raise::<PliantError, _>)? {
            Ended::Finished(finished) => Ok(finished.report.to_string()),
            Ended::Stopped { .. } => Err(PyKeyboardInterrupt::new_err("the run was stopped")),
        }
    }
}

/// Stops a run when Python was interrupted.
struct Interrupts {
    asked: Instant,
    found: Option<PyErr>,
}

impl Observer for Interrupts {
    fn should_stop(&mut self) -> bool {
        if self.found.is_none() && self.asked.elapsed() > PATIENCE {
            self.asked = Instant::now();
            self.found = Python::attach(|py| py.check_signals().err());
        }
        self.found.is_some()
    }
}

/// Names of the built-in scenes.
#[pyfunction]
pub fn scenes() -> Vec<&'static str> {
    builtin::names().collect()
}

/// Kinds of solvers, as the table of solvers has them.
#[pyfunction]
pub fn solvers() -> Vec<&'static str> {
    pliant_scene::solver_kinds()
        .into_iter()
        .filter(|(_, available)| *available)
        .map(|(kind, _)| kind)
        .collect()
}

/// Names of the formats that runs are exported to.
#[pyfunction]
pub fn formats() -> Vec<&'static str> {
    pliant_scene::exporting::Format::ALL.iter().map(|f| f.name()).collect()
}

/// The JSON Schema of scene files.
#[pyfunction]
pub fn schema() -> String {
    pliant_scene::schema().to_string()
}
