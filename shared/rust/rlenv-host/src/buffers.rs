//! NumPy arrays of the caller as slices: element type, shape, memory order and writability are checked.

use numpy::{
    Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadwriteArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::prelude::*;

use crate::errors::{Kind, exception};

/// The error for an object that is not the array it should be.
pub fn wrong_array(object: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyErr {
    let got = match object.cast::<PyUntypedArray>() {
        Ok(array) => {
            let order = if array.is_c_contiguous() { "" } else { ", not contiguous" };
            format!("{:?} of {}{order}", array.shape(), array.dtype())
        }
        Err(_) => object.get_type().to_string(),
    };
    let message = format!("{name}: got {got}, expected {expected}; pass a C-contiguous NumPy array");
    exception(object.py(), Kind::of_buffer(name), message)
}

/// Borrow a contiguous vector for reading.
///
/// # Errors
/// It is not contiguous, or borrowed for writing.
pub fn read<'py, T: Element>(name: &str, array: &Bound<'py, PyArray1<T>>) -> PyResult<PyReadonlyArray1<'py, T>> {
    if !array.is_c_contiguous() {
        return Err(wrong_array(array.as_any(), name, "a contiguous vector"));
    }
    array.try_readonly().map_err(|error| unavailable(array.py(), name, &error.to_string()))
}

/// Borrow a contiguous array of exactly this shape for writing.
///
/// # Errors
/// It is no array, of other elements or shape, not contiguous, read-only, or borrowed already.
pub fn write<'py, T: Element>(
    name: &str,
    object: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let py = object.py();
    let wrong = || wrong_array(object, name, &format!("{shape:?} of {}", dtype::<T>(py)));
    let array = object.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?;
    if array.shape() != shape || !array.is_c_contiguous() {
        return Err(wrong());
    }
    array.try_readwrite().map_err(|error| unavailable(py, name, &error.to_string()))
}

fn unavailable(py: Python<'_>, name: &str, cause: &str) -> PyErr {
    let message = format!(
        "{name}: got an array that is {cause}, expected a writable array of its own; allocate one per argument"
    );
    exception(py, Kind::of_buffer(name), message)
}
