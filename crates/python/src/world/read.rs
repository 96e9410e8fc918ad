//! What can be read from a world.

use super::contacts::Contacts;
use super::{Inner, World};
use crate::arrays::{from_corners, from_matrices, from_points, from_vector, points_into};
use crate::errors::{UnknownName, raise};
use crate::names;
use numpy::{PyArray1, PyArray2, PyArray3};
use pliant::{BodyId, DVec3, Side, State};
use pliant_mesh::Mesh as AnyMesh;
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Vectors<'py> = PyResult<Bound<'py, PyArray2<f64>>>;
type Vector<'py> = Bound<'py, PyArray1<f64>>;

impl World {
    /// Calls `look` with the open world.
    fn look<T>(&self, look: impl FnOnce(&Inner) -> PyResult<T>) -> PyResult<T> {
        look(self.hold()?.get()?)
    }

    /// The same with a body of it.
    fn of_body<T>(
        &self,
        name: Option<&str>,
        look: impl FnOnce(&pliant::World, BodyId) -> PyResult<T>,
    ) -> PyResult<T> {
        self.look(|inner| {
            let world = inner.simulated.world();
            look(world, names::body(world.model(), name)?)
        })
    }

    /// A vector of each vertex of a body, or of all bodies.
    fn per_vertex<'py>(
        &self,
        py: Python<'py>,
        body: Option<&str>,
        out: Option<&Bound<'py, PyAny>>,
        vectors: fn(&State) -> &[DVec3],
    ) -> PyResult<Bound<'py, PyAny>> {
        self.look(|inner| {
            let world = inner.simulated.world();
            points_into(py, &vectors(world.state())[names::vertices(world, body)?], out)
        })
    }
}

#[pymethods]
impl World {
    /// Positions of the vertices of a body in m, shape (n, 3); of all bodies, one after the other, without a name. A new
    /// array, or `out`, which must be float64, of this shape and in C order.
    #[pyo3(signature = (body=None, out=None))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        body: Option<&str>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.per_vertex(py, body, out, |state| &state.positions)
    }

    /// Velocities of the vertices of a body in m/s, like `positions`.
    #[pyo3(signature = (body=None, out=None))]
    fn velocities<'py>(
        &self,
        py: Python<'py>,
        body: Option<&str>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.per_vertex(py, body, out, |state| &state.velocities)
    }

    /// Positions of the vertices of a body at the start in m, shape (n, 3).
    #[pyo3(signature = (body=None))]
    fn start_positions<'py>(&self, py: Python<'py>, body: Option<&str>) -> Vectors<'py> {
        self.of_body(body, |world, body| from_points(py, world.start_positions(body)))
    }

    /// Vertices of the tets of a body, shape (m, 4), or of its triangles, shape (m, 3).
    #[pyo3(signature = (body=None))]
    fn elements<'py>(&self, py: Python<'py>, body: Option<&str>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        self.of_body(body, |world, body| match &*world.model().bodies[body.index()].mesh {
            AnyMesh::Tet(m) => from_corners(py, &m.tets),
            AnyMesh::Tri(m) => from_corners(py, &m.triangles),
        })
    }

    /// Triangles of the surface of a body, shape (k, 3).
    #[pyo3(signature = (body=None))]
    fn surface<'py>(&self, py: Python<'py>, body: Option<&str>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        self.of_body(body, |world, body| {
            from_corners(py, &world.model().bodies[body.index()].mesh.surface_triangles())
        })
    }

    /// Cauchy stress of each element of a body in Pa, shape (m, 3, 3). NaN where an inverted element has none.
    #[pyo3(signature = (body=None))]
    fn stress<'py>(&self, py: Python<'py>, body: Option<&str>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.of_body(body, |world, body| from_matrices(py, &py.detach(|| world.stress(body))))
    }

    /// Von Mises stress of each element of a body in Pa, shape (m,).
    #[pyo3(signature = (body=None))]
    fn von_mises<'py>(&self, py: Python<'py>, body: Option<&str>) -> PyResult<Vector<'py>> {
        self.of_body(body, |world, body| Ok(PyArray1::from_vec(py, py.detach(|| world.von_mises(body)))))
    }

    /// Equivalent strain of each element of a body, shape (m,).
    #[pyo3(signature = (body=None))]
    fn strain<'py>(&self, py: Python<'py>, body: Option<&str>) -> PyResult<Vector<'py>> {
        self.of_body(body, |world, body| Ok(PyArray1::from_vec(py, py.detach(|| world.strain(body)))))
    }

    /// Contact force on each vertex of a body in the last step in N, shape (n, 3).
    #[pyo3(signature = (body=None))]
    fn contact_forces<'py>(&self, py: Python<'py>, body: Option<&str>) -> Vectors<'py> {
        self.of_body(body, |world, body| {
            let forces: Vec<DVec3> = world.contact_forces(body).iter().map(|(force, _)| *force).collect();
            from_points(py, &forces)
        })
    }

    /// The contacts of the last step that carry a force.
    fn contacts(&self, py: Python) -> PyResult<Contacts> {
        self.look(|inner| Contacts::of(py, inner.simulated.world()))
    }

    /// Total contact force in N and torque in N m about `about` on a body or an obstacle in the last step.
    #[pyo3(signature = (name, about=None))]
    fn contact_wrench<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        about: Option<&Bound<PyAny>>,
    ) -> PyResult<(Vector<'py>, Vector<'py>)> {
        let about = about.map_or(Ok(DVec3::ZERO), |a| crate::arrays::vector(a, "about"))?;
        self.look(|inner| {
            let world = inner.simulated.world();
            let [force, torque] = contact_wrench(world, names::side(world.model(), name)?, about);
            Ok((from_vector(py, force), from_vector(py, torque)))
        })
    }

    /// Total force in N and torque in N m about `about` of a pin on its body in the last step; zero before the first step.
    #[pyo3(signature = (pin=None, about=None))]
    fn pin_wrench<'py>(
        &self,
        py: Python<'py>,
        pin: Option<&str>,
        about: Option<&Bound<PyAny>>,
    ) -> PyResult<(Vector<'py>, Vector<'py>)> {
        let about = about.map_or(Ok(DVec3::ZERO), |a| crate::arrays::vector(a, "about"))?;
        self.look(|inner| {
            let world = inner.simulated.world();
            let pin = names::pin(world.model(), pin)?;
            let [force, torque] = py.detach(|| world.pin_wrench(pin, about));
            Ok((from_vector(py, force), from_vector(py, torque)))
        })
    }

    /// Position in m, shape (3,), and rotation, shape (3, 3), of an obstacle now.
    #[pyo3(signature = (obstacle=None))]
    fn pose<'py>(
        &self,
        py: Python<'py>,
        obstacle: Option<&str>,
    ) -> PyResult<(Vector<'py>, Bound<'py, PyArray2<f64>>)> {
        self.look(|inner| {
            let world = inner.simulated.world();
            let index = names::obstacle_index(world.model(), obstacle)?;
            let pose = world.model().obstacles[index].pose(world.state().time);
            let rows = pose.rotation.transpose();
            let rotation = from_points(py, &[rows.x_axis, rows.y_axis, rows.z_axis])?;
            Ok((from_vector(py, pose.translation), rotation))
        })
    }

    /// The value of a probe now: a number, or an array of three.
    fn probe<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.look(|inner| {
            let probe = find_probe(inner, name)?;
            value(py, &probe.measure(inner.simulated.world()))
        })
    }

    /// The values of all probes now, by name.
    #[getter]
    fn probes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.look(|inner| {
            let all = PyDict::new(py);
            for probe in &inner.simulated.setup().probes {
                all.set_item(&probe.name, value(py, &probe.measure(inner.simulated.world()))?)?;
            }
            Ok(all)
        })
    }

    /// Length in m and tension in N of a cable.
    #[pyo3(signature = (cable=None))]
    fn cable(&self, cable: Option<&str>) -> PyResult<(f64, f64)> {
        self.look(|inner| {
            let world = inner.simulated.world();
            let cable = names::cable(world.model(), cable)?;
            Ok((world.cable_length(cable), world.contacts().joints().tension(cable)))
        })
    }

    /// Kinetic and elastic energy of a body in J.
    #[pyo3(signature = (body=None))]
    fn energy(&self, body: Option<&str>) -> PyResult<(f64, f64)> {
        self.of_body(body, |world, body| Ok((world.motion(body).kinetic_energy, world.elastic_energy(body))))
    }

    /// Mass in kg of a body.
    #[pyo3(signature = (body=None))]
    fn mass(&self, body: Option<&str>) -> PyResult<f64> {
        self.of_body(body, |world, body| Ok(world.motion(body).mass))
    }

    /// Centre of mass of a body in m, shape (3,).
    #[pyo3(signature = (body=None))]
    fn center<'py>(&self, py: Python<'py>, body: Option<&str>) -> PyResult<Vector<'py>> {
        self.of_body(body, |world, body| Ok(from_vector(py, world.motion(body).center)))
    }

    /// Simulated time in s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.look(|inner| Ok(inner.simulated.world().state().time))
    }

    /// Steps taken.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        self.look(|inner| Ok(inner.simulated.world().state().steps))
    }

    /// Steps of the whole scene, by its duration.
    #[getter]
    fn total_steps(&self) -> PyResult<usize> {
        self.look(|inner| Ok(inner.simulated.setup().steps))
    }

    /// Time step in s.
    #[getter]
    fn dt(&self) -> PyResult<f64> {
        self.look(|inner| Ok(inner.simulated.world().model().dt))
    }

    /// Kind of the solver.
    #[getter]
    fn solver(&self) -> PyResult<&'static str> {
        self.look(|inner| Ok(inner.simulated.world().config().kind()))
    }

    /// Hash of positions and velocities, as in the report of a run.
    #[getter]
    fn state_hash(&self) -> PyResult<String> {
        self.look(|inner| Ok(format!("{:016x}", inner.simulated.world().state().hash())))
    }

    /// How the last step was solved: iterations, residual, whether it converged, and its time in ms.
    #[getter]
    fn last_step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.look(|inner| {
            let all = PyDict::new(py);
            all.set_item("iterations", inner.last.iterations)?;
            all.set_item("residual", inner.last.residual_last)?;
            all.set_item("converged", inner.last.converged)?;
            all.set_item("ms", inner.simulated.world().timings().total_ms())?;
            Ok(all)
        })
    }

    /// Names of the bodies, in the order of their vertices in `positions()`.
    #[getter]
    fn bodies(&self) -> PyResult<Vec<String>> {
        self.look(|inner| Ok(inner.simulated.world().model().bodies.iter().map(|b| b.name.clone()).collect()))
    }

    /// Names of the obstacles.
    #[getter]
    fn obstacles(&self) -> PyResult<Vec<String>> {
        self.look(|inner| {
            Ok(inner.simulated.world().model().obstacles.iter().map(|o| o.name.clone()).collect())
        })
    }

    /// Names of the pins.
    #[getter]
    fn pins(&self) -> PyResult<Vec<String>> {
        self.look(|inner| Ok(inner.simulated.world().model().pins.iter().map(|p| p.name.clone()).collect()))
    }
}

/// Total force in N and torque in N m about a point of all contacts on one side.
pub fn contact_wrench(world: &pliant::World, side: Side, about: DVec3) -> [DVec3; 2] {
    let [mut force, mut torque] = [DVec3::ZERO; 2];
    for touch in world.touches() {
        let sign = f64::from(u8::from(touch.sides[0] == side)) - f64::from(u8::from(touch.sides[1] == side));
        force += sign * touch.force;
        torque += (touch.place - about).cross(sign * touch.force);
    }
    [force, torque]
}

/// The probe of this name.
pub fn find_probe<'a>(inner: &'a Inner, name: &str) -> PyResult<&'a pliant_scene::Probe> {
    probe_in(&inner.simulated.setup().probes, name)
}

/// The probe of this name among these.
pub fn probe_in<'a>(probes: &'a [pliant_scene::Probe], name: &str) -> PyResult<&'a pliant_scene::Probe> {
    probes.iter().find(|p| p.name == name).ok_or_else(|| {
        let known: Vec<&str> = probes.iter().map(|p| p.name.as_str()).collect();
        let remedy = pliant_scene::suggest(name, &known, "probes");
        raise::<UnknownName, _>(format!("there is no probe `{name}`: {remedy}"))
    })
}

/// A number, or an array of several.
fn value<'py>(py: Python<'py>, values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    match values {
        [only] => Ok(only.into_pyobject(py)?.into_any()),
        several => Ok(PyArray1::from_slice(py, several).into_any()),
    }
}
