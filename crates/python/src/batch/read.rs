//! What can be read from a batch: arrays with one row for each world.

use super::Batch;
use crate::arrays::shaped;
use crate::names;
use crate::world::{contact_wrench, probe_in};
use numpy::{PyArray1, PyArray2, PyArray3};
use pliant::{DVec3, State};
use pyo3::prelude::*;

type PerVertex<'py> = PyResult<Bound<'py, PyArray3<f64>>>;
type PerWorld<'py> = PyResult<Bound<'py, PyArray2<f64>>>;

impl Batch {
    /// A vector of each vertex of a body, or of all bodies, in every world.
    fn per_vertex<'py>(
        &self,
        py: Python<'py>,
        body: Option<&str>,
        vectors: fn(&State) -> &[DVec3],
    ) -> PerVertex<'py> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let vertices = names::vertices(&worlds.first, body)?;
        let mut flat: Vec<f64> = Vec::with_capacity(3 * vertices.len() * worlds.len());
        for index in 0..worlds.len() {
            let slot = worlds.slot(index);
            flat.extend_from_slice(bytemuck::cast_slice(&vectors(slot.world.state())[vertices.clone()]));
        }
        shaped(py, flat, [worlds.len(), vertices.len(), 3])
    }
}

#[pymethods]
impl Batch {
    /// Positions of the vertices of a body in m, shape (worlds, n, 3); of all bodies without a name.
    #[pyo3(signature = (body=None))]
    fn positions<'py>(&self, py: Python<'py>, body: Option<&str>) -> PerVertex<'py> {
        self.per_vertex(py, body, |state| &state.positions)
    }

    /// Velocities of the vertices of a body in m/s, shape (worlds, n, 3); of all bodies without a name.
    #[pyo3(signature = (body=None))]
    fn velocities<'py>(&self, py: Python<'py>, body: Option<&str>) -> PerVertex<'py> {
        self.per_vertex(py, body, |state| &state.velocities)
    }

    /// Centres of mass of a body in m, shape (worlds, 3).
    #[pyo3(signature = (body=None))]
    fn centers<'py>(&self, py: Python<'py>, body: Option<&str>) -> PerWorld<'py> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let body = names::body(worlds.model(), body)?;
        let center = |i| worlds.slot(i).world.motion(body).center.to_array();
        shaped(py, (0..worlds.len()).flat_map(center).collect(), [worlds.len(), 3])
    }

    /// Total contact forces in N on a body or an obstacle in the last step, shape (worlds, 3).
    fn contact_forces<'py>(&self, py: Python<'py>, name: &str) -> PerWorld<'py> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let side = names::side(worlds.model(), name)?;
        let force = |i| worlds.slot(i).world.contacts().force_on(side).to_array();
        shaped(py, (0..worlds.len()).flat_map(force).collect(), [worlds.len(), 3])
    }

    /// Total contact forces in N and torques in N m about the origin on a body or an obstacle, shape (worlds, 6).
    fn contact_wrenches<'py>(&self, py: Python<'py>, name: &str) -> PerWorld<'py> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let side = names::side(worlds.model(), name)?;
        let wrench = |i| {
            let [force, torque] = contact_wrench(&worlds.slot(i).world, side, DVec3::ZERO);
            [force.to_array(), torque.to_array()].concat()
        };
        shaped(py, (0..worlds.len()).flat_map(wrench).collect(), [worlds.len(), 6])
    }

    /// Values of a probe, shape (worlds, k): one column, or three for a vector.
    fn probe<'py>(&self, py: Python<'py>, name: &str) -> PerWorld<'py> {
        let held = self.hold()?;
        let worlds = held.get()?;
        let probe = probe_in(&worlds.setup.probes, name)?;
        let width = probe.measure(&worlds.first).len();
        let value = |i| probe.measure(&worlds.slot(i).world);
        shaped(py, (0..worlds.len()).flat_map(value).collect(), [worlds.len(), width])
    }

    /// Simulated times in s, shape (worlds,).
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let held = self.hold()?;
        let worlds = held.get()?;
        Ok(PyArray1::from_iter(py, (0..worlds.len()).map(|i| worlds.slot(i).world.state().time)))
    }

    /// Steps taken, shape (worlds,).
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let held = self.hold()?;
        let worlds = held.get()?;
        Ok(PyArray1::from_iter(py, (0..worlds.len()).map(|i| worlds.slot(i).world.state().steps)))
    }

    /// Hashes of positions and velocities, as in the report of a run.
    #[getter]
    fn state_hashes(&self) -> PyResult<Vec<String>> {
        let held = self.hold()?;
        let worlds = held.get()?;
        Ok((0..worlds.len()).map(|i| format!("{:016x}", worlds.slot(i).world.state().hash())).collect())
    }

    /// Time step in s.
    #[getter]
    fn dt(&self) -> PyResult<f64> {
        Ok(self.hold()?.get()?.model().dt)
    }
}
