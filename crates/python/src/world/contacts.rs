//! The contacts of a step as arrays.

use crate::arrays::from_points;
use crate::names::of_side;
use numpy::{PyArray1, PyArray2};
use pliant::{DVec3, Sticking};
use pyo3::prelude::*;

/// The contacts of the last step that carry a force, one row each.
#[pyclass(frozen, get_all, module = "pliant")]
pub struct Contacts {
    /// Where they are on the first side, m, shape (n, 3).
    points: Py<PyArray2<f64>>,
    /// Unit vectors from the second side to the first, shape (n, 3).
    normals: Py<PyArray2<f64>>,
    /// Forces on the first side, N, shape (n, 3).
    forces: Py<PyArray2<f64>>,
    /// Distances that are left, m, negative where they overlap, shape (n,).
    gaps: Py<PyArray1<f64>>,
    /// Whether they slide, shape (n,).
    sliding: Py<PyArray1<bool>>,
    /// Names of the first sides, which are bodies.
    first: Vec<String>,
    /// Names of the second sides, bodies or obstacles.
    second: Vec<String>,
}

impl Contacts {
    /// The contacts of a world.
    pub fn of(py: Python, world: &pliant::World) -> PyResult<Contacts> {
        let touches = py.detach(|| world.touches());
        let column = |value: fn(&pliant::Touch) -> DVec3| {
            let values: Vec<DVec3> = touches.iter().map(value).collect();
            from_points(py, &values).map(Bound::unbind)
        };
        let name =
            |k: usize| touches.iter().map(|t| of_side(world.model(), t.sides[k])).collect::<Vec<String>>();
        let slides = touches.iter().map(|t| t.sticking == Sticking::Slides);
        Ok(Contacts {
            points: column(|t| t.place)?,
            normals: column(|t| t.normal)?,
            forces: column(|t| t.force)?,
            gaps: PyArray1::from_iter(py, touches.iter().map(|t| t.gap)).unbind(),
            sliding: PyArray1::from_iter(py, slides).unbind(),
            first: name(0),
            second: name(1),
        })
    }
}

#[pymethods]
impl Contacts {
    fn __len__(&self) -> usize {
        self.first.len()
    }

    fn __repr__(&self) -> String {
        format!("<pliant.Contacts, {} points>", self.first.len())
    }
}
