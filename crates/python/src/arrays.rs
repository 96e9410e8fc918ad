//! Numpy arrays in and out. What comes in is checked: type, shape, order, finite numbers.

use crate::errors::{type_error, value_error};
use numpy::{
    PyArray, PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pliant::{DMat3, DVec3};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Points as an array of n rows, a copy that nobody else holds.
pub fn from_points<'py>(py: Python<'py>, points: &[DVec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, bytemuck::cast_slice(points)).reshape([points.len(), 3])
}

/// One point or vector.
pub fn from_vector(py: Python<'_>, vector: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &vector.to_array())
}

/// Matrices as an array of shape (n, 3, 3), row by row.
pub fn from_matrices<'py>(py: Python<'py>, matrices: &[DMat3]) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let rows = matrices.iter().flat_map(|m| m.transpose().to_cols_array()).collect::<Vec<f64>>();
    PyArray1::from_vec(py, rows).reshape([matrices.len(), 3, 3])
}

/// Corners of elements as an array of n rows.
pub fn from_corners<'py, const N: usize>(
    py: Python<'py>,
    elements: &[[u32; N]],
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    PyArray1::from_slice(py, elements.as_flattened()).reshape([elements.len(), N])
}

/// Writes points to the array that is asked for, or to a new one.
pub fn points_into<'py>(
    py: Python<'py>,
    points: &[DVec3],
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else { return from_points(py, points).map(Bound::into_any) };
    let array = checked::<f64>(out, "out", &[Some(points.len()), Some(3)])?;
    let mut view = array.try_readwrite().map_err(|_| {
        let remedy = "give an array that can be written and that nothing else uses";
        value_error("out", "the array cannot be written", remedy)
    })?;
    let numbers = view.as_slice_mut().map_err(|_| not_contiguous("out"))?;
    numbers.copy_from_slice(bytemuck::cast_slice(points));
    Ok(out.clone())
}

fn not_contiguous(what: &str) -> PyErr {
    value_error(what, "the array is not contiguous in C order", "give numpy.ascontiguousarray(..)")
}

/// A shape for messages: `(n, 3)`.
fn shown(shape: &[Option<usize>]) -> String {
    let parts: Vec<String> = shape.iter().map(|n| n.map_or("n".into(), |n| n.to_string())).collect();
    if let [only] = parts.as_slice() { format!("({only},)") } else { format!("({})", parts.join(", ")) }
}

/// An array of this type and shape in C order; `None` is any length.
fn checked<'py, T: numpy::Element>(
    given: &Bound<'py, PyAny>,
    what: &str,
    shape: &[Option<usize>],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let wanted = T::get_dtype(given.py());
    let untyped = given.cast::<PyUntypedArray>().map_err(|_| {
        let kind = given.get_type().name().map_or_else(|_| "object".into(), |n| n.to_string());
        type_error(what, format!("a numpy array is wanted, not `{kind}`"), "give numpy.asarray(..)")
    })?;
    let array = given.cast::<PyArrayDyn<T>>().map_err(|_| {
        let cause = format!("the array has dtype {}, {wanted} is wanted", untyped.dtype());
        type_error(what, cause, &format!("give array.astype(numpy.{wanted})"))
    })?;
    let found: Vec<Option<usize>> = untyped.shape().iter().map(|n| Some(*n)).collect();
    let fits = found.len() == shape.len() && found.iter().zip(shape).all(|(f, s)| s.is_none() || f == s);
    if !fits {
        let cause = format!("the array has shape {}", shown(&found));
        return Err(value_error(what, cause, &format!("give one of shape {}", shown(shape))));
    }
    if !untyped.is_c_contiguous() {
        return Err(not_contiguous(what));
    }
    Ok(array.clone())
}

/// What is no array, such as a list, as one.
fn as_array<'py>(given: &Bound<'py, PyAny>, what: &str, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    if given.is_instance_of::<PyUntypedArray>() {
        return Ok(given.clone());
    }
    let py = given.py();
    let keywords = PyDict::new(py);
    keywords.set_item("order", "C")?;
    let made = py.import("numpy")?.call_method("asarray", (given, dtype), Some(&keywords));
    made.map_err(|e| match e.is_instance_of::<PyTypeError>(py) || e.is_instance_of::<PyValueError>(py) {
        true => type_error(what, e.value(py), "give numbers, as an array or as lists of one length"),
        false => e,
    })
}

/// The numbers of an array of float64 of this shape, all finite.
pub fn numbers(given: &Bound<PyAny>, what: &str, shape: &[Option<usize>]) -> PyResult<Vec<f64>> {
    let array = checked::<f64>(&as_array(given, what, "float64")?, what, shape)?;
    let view = array.try_readonly().map_err(|e| value_error(what, e, "wait until it is written"))?;
    let numbers = view.as_slice().map_err(|_| not_contiguous(what))?;
    if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
        let width = shape.iter().skip(1).map(|n| n.unwrap_or(1)).product::<usize>().max(1);
        let cause = format!("the number {} in row {} is not finite", numbers[at], at / width);
        return Err(value_error(what, cause, "give finite numbers"));
    }
    Ok(numbers.to_vec())
}

/// Points from an array of shape (n, 3).
pub fn points(given: &Bound<PyAny>, what: &str, count: Option<usize>) -> PyResult<Vec<DVec3>> {
    let flat = numbers(given, what, &[count, Some(3)])?;
    Ok(flat.as_chunks::<3>().0.iter().map(|p| DVec3::from_array(*p)).collect())
}

/// A vector of three numbers of any kind.
pub fn vector(given: &Bound<PyAny>, what: &str) -> PyResult<DVec3> {
    let wrong = |cause: String| value_error(what, cause, "give three finite numbers");
    let parts: Vec<f64> =
        given.extract().map_err(|_| type_error(what, "this is no vector", "give three numbers"))?;
    match <[f64; 3]>::try_from(parts) {
        Ok(v) if v.iter().all(|x| x.is_finite()) => Ok(DVec3::from_array(v)),
        Ok(v) => Err(wrong(format!("the vector {v:?} is not finite"))),
        Err(parts) => Err(wrong(format!("the vector has {} components", parts.len()))),
    }
}

/// A finite number.
pub fn number(given: f64, what: &str) -> PyResult<f64> {
    if given.is_finite() {
        Ok(given)
    } else {
        Err(value_error(what, format!("{given} is not finite"), "give a finite number"))
    }
}

/// A rotation: 3x3 row by row, or a unit quaternion (w, x, y, z).
pub fn rotation(given: &Bound<PyAny>, what: &str) -> PyResult<DMat3> {
    let flat = if given.len().is_ok_and(|n| n == 4) {
        let q = numbers(given, what, &[Some(4)])?;
        return Ok(of_quaternion([q[0], q[1], q[2], q[3]]));
    } else {
        numbers(given, what, &[Some(3), Some(3)])?
    };
    Ok(DMat3::from_cols_slice(&flat).transpose())
}

/// The rotation of a quaternion (w, x, y, z), which is scaled to length 1.
pub fn of_quaternion(q: [f64; 4]) -> DMat3 {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|c| c / length);
    DMat3::from_cols(
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
}

/// Corners of elements from an array of whole numbers of any type, each below `vertices`.
pub fn corners<const N: usize>(given: &Bound<PyAny>, what: &str, vertices: usize) -> PyResult<Vec<[u32; N]>> {
    let array = as_array(given, what, "int64")?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind != "i" && kind != "u" {
        let cause = format!("the array has dtype {}", array.getattr("dtype")?);
        return Err(type_error(what, cause, "give whole numbers, such as array.astype(numpy.int64)"));
    }
    let whole = array.call_method1("astype", ("int64", "C"))?;
    let whole = checked::<i64>(&whole, what, &[None, Some(N)])?;
    let view = whole.try_readonly().map_err(|e| value_error(what, e, "wait until it is written"))?;
    let flat = view.as_slice().map_err(|_| not_contiguous(what))?;
    if let Some(at) = flat.iter().position(|&v| v < 0 || v as u64 >= vertices as u64) {
        let cause = format!("element {} has the vertex {}, there are {vertices}", at / N, flat[at]);
        return Err(value_error(what, cause, "count vertices from 0"));
    }
    Ok(flat.as_chunks::<N>().0.iter().map(|e| e.map(|v| v as u32)).collect())
}

/// An array of any element type from a flat list.
pub fn shaped<'py, T: numpy::Element, D: numpy::ndarray::Dimension>(
    py: Python<'py>,
    flat: Vec<T>,
    shape: impl numpy::ndarray::IntoDimension<Dim = D>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    PyArray1::from_vec(py, flat).reshape(shape)
}
