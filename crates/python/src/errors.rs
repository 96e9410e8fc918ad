//! Errors of the engine as Python exceptions, with the same text. `pliant._errors` defines the classes.

use pyo3::{PyErr, PyTypeInfo};
use std::fmt::Display;

pyo3::import_exception!(pliant._errors, PliantError);
pyo3::import_exception!(pliant._errors, SceneError);
pyo3::import_exception!(pliant._errors, MeshError);
pyo3::import_exception!(pliant._errors, StepError);
pyo3::import_exception!(pliant._errors, BusyError);
pyo3::import_exception!(pliant._errors, ClosedError);
pyo3::import_exception!(pliant._errors, UnknownName);
pyo3::import_exception!(pliant._errors, ControlError);
pyo3::import_exception!(pliant._errors, SnapshotError);

/// Makes exceptions of a class from errors: `result.map_err(raise::<SceneError, _>)`.
pub fn raise<Exception: PyTypeInfo, E: Display>(error: E) -> PyErr {
    PyErr::new::<Exception, _>(error.to_string())
}

/// What a refused argument is called, why, and what to do instead.
pub fn value_error(what: &str, cause: impl Display, remedy: &str) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(format!("{what}: {cause}: {remedy}"))
}

/// The same for an argument of another type.
pub fn type_error(what: &str, cause: impl Display, remedy: &str) -> PyErr {
    pyo3::exceptions::PyTypeError::new_err(format!("{what}: {cause}: {remedy}"))
}
