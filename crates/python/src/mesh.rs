//! Meshes: from arrays and files, to arrays and files.

use crate::arrays::{corners, from_corners, from_points, points};
use crate::errors::{MeshError, raise, type_error, value_error};
use numpy::{PyArray1, PyArray2};
use pliant_mesh::{Groups, Mesh as AnyMesh, TetMesh, TriMesh};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Numbers of vertices or elements by the names of their groups.
type Members = BTreeMap<String, Vec<u32>>;

/// A mesh of tets (a solid) or of triangles (a cloth), with named groups of vertices.
#[pyclass(frozen, module = "pliant")]
pub struct Mesh {
    mesh: Arc<AnyMesh>,
}

impl Mesh {
    /// A mesh that others use too; nobody changes it.
    pub fn sharing(mesh: Arc<AnyMesh>) -> Mesh {
        Mesh { mesh }
    }

    /// The mesh itself.
    pub fn shared(&self) -> Arc<AnyMesh> {
        self.mesh.clone()
    }
}

#[pymethods]
impl Mesh {
    /// A mesh from arrays: `vertices` of shape (n, 3), and either `tets` of shape (m, 4) or `triangles` of shape (m, 3), counted
    /// from 0. Tets are turned to positive orientation; vertices keep their numbers. `groups` names lists of vertices,
    /// `element_groups` lists of elements.
    #[new]
    #[pyo3(signature = (vertices, tets=None, triangles=None, groups=None, element_groups=None))]
    fn new(
        vertices: &Bound<PyAny>,
        tets: Option<&Bound<PyAny>>,
        triangles: Option<&Bound<PyAny>>,
        groups: Option<Members>,
        element_groups: Option<Members>,
    ) -> PyResult<Mesh> {
        let vertices = points(vertices, "vertices", None)?;
        let groups = grouped(groups.unwrap_or_default(), element_groups.unwrap_or_default());
        let mut mesh = match (tets, triangles) {
            (Some(tets), None) => {
                let tets = corners::<4>(tets, "tets", vertices.len())?;
                AnyMesh::Tet(TetMesh { vertices, tets, groups })
            }
            (None, Some(triangles)) => {
                let triangles = corners::<3>(triangles, "triangles", vertices.len())?;
                AnyMesh::Tri(TriMesh { vertices, triangles, groups })
            }
            (Some(_), Some(_)) => {
                return Err(type_error("Mesh", "both tets and triangles", "give one of them"));
            }
            (None, None) => return Err(type_error("Mesh", "neither tets nor triangles", "give one of them")),
        };
        orient(&mut mesh);
        check_groups(&mesh)?;
        mesh.validate().map_err(raise::<MeshError, _>)?;
        Ok(Mesh { mesh: Arc::new(mesh) })
    }

    /// Reads a mesh file of any known format; unused vertices are left out.
    #[staticmethod]
    fn read(py: Python, path: PathBuf) -> PyResult<Mesh> {
        let mesh = py.detach(|| pliant_mesh_io::read_mesh(&path)).map_err(raise::<MeshError, _>)?;
        mesh.validate().map_err(raise::<MeshError, _>)?;
        Ok(Mesh { mesh: Arc::new(mesh) })
    }

    /// Writes the mesh to a file; its ending decides on the format. Returns notes about what the format could not keep.
    fn write(&self, py: Python, path: PathBuf) -> PyResult<Vec<String>> {
        let written = py.detach(|| pliant_mesh_io::write_mesh(&path, &self.mesh, None));
        written.map_err(raise::<MeshError, _>)
    }

    /// Positions of the vertices in m, shape (n, 3).
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        from_points(py, self.mesh.vertices())
    }

    /// Vertices of the tets, shape (m, 4), or of the triangles, shape (m, 3).
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        match &*self.mesh {
            AnyMesh::Tet(m) => from_corners(py, &m.tets),
            AnyMesh::Tri(m) => from_corners(py, &m.triangles),
        }
    }

    /// Triangles of the surface, shape (k, 3).
    #[getter]
    fn surface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        from_corners(py, &py.detach(|| self.mesh.surface_triangles()))
    }

    /// Vertices of each named group.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, group) in self.mesh.groups() {
            all.set_item(name, PyArray1::from_slice(py, &group.vertices))?;
        }
        Ok(all)
    }

    /// Elements of each named group.
    #[getter]
    fn element_groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, group) in self.mesh.groups() {
            all.set_item(name, PyArray1::from_slice(py, &group.elements))?;
        }
        Ok(all)
    }

    /// Whether it is a solid of tets.
    #[getter]
    fn is_solid(&self) -> bool {
        matches!(&*self.mesh, AnyMesh::Tet(_))
    }

    /// Everything there is to say about it: sizes, quality, defects with their places.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = py.detach(|| pliant_meshing::inspect::inspect(&self.mesh, &Default::default()));
        let report = report.map_err(raise::<MeshError, _>)?;
        crate::world::from_json(py, &serde_json::to_string(&report).map_err(raise::<MeshError, _>)?)
    }

    fn __repr__(&self) -> String {
        let kind = if self.is_solid() { "tets" } else { "triangles" };
        let (n, m) = (self.mesh.vertices().len(), self.mesh.element_count());
        format!("<pliant.Mesh of {n} vertices and {m} {kind}>")
    }

    /// For pickles: a mesh is made again from its arrays.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, pyo3::types::PyTuple>)> {
        let (py, mesh) = (slf.py(), slf.get());
        let (vertices, elements) = (mesh.vertices(py)?, mesh.elements(py)?);
        let (groups, regions) = (mesh.groups(py)?, mesh.element_groups(py)?);
        let none = py.None();
        let arguments = match mesh.is_solid() {
            true => (vertices, elements, none, groups, regions).into_pyobject(py)?,
            false => (vertices, none, elements, groups, regions).into_pyobject(py)?,
        };
        Ok((slf.get_type().into_any(), arguments))
    }
}

/// Turns tets that are written in the other orientation. Nothing is renumbered.
fn orient(mesh: &mut AnyMesh) {
    let AnyMesh::Tet(solid) = mesh else { return };
    for tet in &mut solid.tets {
        let [a, b, c, d] = tet.map(|v| solid.vertices[v as usize]);
        if (b - a).cross(c - a).dot(d - a) < 0.0 {
            tet.swap(2, 3);
        }
    }
}

/// Groups by name, sorted.
fn grouped(vertices: Members, elements: Members) -> Groups {
    let mut all = Groups::new();
    let sorted = |mut members: Vec<u32>| {
        members.sort_unstable();
        members.dedup();
        members
    };
    for (name, members) in vertices {
        all.entry(name).or_default().vertices = sorted(members);
    }
    for (name, members) in elements {
        all.entry(name).or_default().elements = sorted(members);
    }
    all
}

/// Refuses groups of what is not there.
fn check_groups(mesh: &AnyMesh) -> PyResult<()> {
    let (vertices, elements) = (mesh.vertices().len(), mesh.element_count());
    for (name, group) in mesh.groups() {
        for (what, members, count) in
            [("vertex", &group.vertices, vertices), ("element", &group.elements, elements)]
        {
            if let Some(member) = members.last().filter(|m| **m as usize >= count) {
                let cause = format!("group `{name}` has the {what} {member}, there are {count}");
                return Err(value_error("groups", cause, "count from 0"));
            }
        }
    }
    Ok(())
}
