//! What `PyBoy.screen` and `PyBoy.sound` show.

use numpy::PyReadwriteArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::machine::{not_contiguous, Machine};

/// Something that shows the last frame: brought up to date by `_refresh` of a class below when it is looked at.
#[pyclass(subclass)]
pub(crate) struct Live {
    /// The frame is another one than what is shown.
    #[pyo3(get, set)]
    _stale: bool,
    /// What `ndarray` gives.
    #[pyo3(get, set)]
    _shown: Py<PyAny>,
    /// The whole buffer as an array.
    #[pyo3(get, set)]
    _whole: Py<PyAny>,
    /// What `raw_buffer` gives.
    #[pyo3(get, set)]
    _buffer: Py<PyAny>,
    /// `raw_buffer` was given away, so that anybody may hold a part of it.
    #[pyo3(get)]
    _given: bool,
    /// How much of the buffer is of the last frame.
    #[pyo3(get, set)]
    _head: usize,
}

/// The object with the present frame in its buffers.
fn fresh<'py>(slf: &Bound<'py, Live>) -> PyResult<PyRef<'py, Live>> {
    if slf.borrow()._stale {
        slf.call_method0(intern!(slf.py(), "_refresh"))?;
    }
    Ok(slf.borrow())
}

#[pymethods]
impl Live {
    #[new]
    #[pyo3(signature = (*_args))]
    fn new(py: Python<'_>, _args: &Bound<'_, PyTuple>) -> Self {
        Self {
            _stale: false,
            _shown: py.None(),
            _whole: py.None(),
            _buffer: py.None(),
            _given: false,
            _head: 0,
        }
    }

    /// The picture, RGBA uint8 [144, 160, 4]; or the samples of the last frame, int8 [n, 2]: left, right.
    ///
    /// Raises:
    ///     PyBoyFeatureDisabledError: Samples of a console that was made without sound.
    #[getter]
    fn ndarray(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let shown = fresh(slf)?._shown.clone_ref(slf.py());
        if shown.is_none(slf.py()) {
            return Ok(slf.call_method0(intern!(slf.py(), "_refuse"))?.unbind());
        }
        Ok(shown)
    }

    /// The same memory as a buffer: rows of 32-bit pixels, or left and right samples in turns.
    #[getter]
    fn raw_buffer(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let buffer = fresh(slf)?._buffer.clone_ref(slf.py());
        slf.borrow_mut()._given = true;
        Ok(buffer)
    }
}

/// Live samples.
#[pyclass(subclass, extends = Live)]
pub(crate) struct LiveSound;

#[pymethods]
impl LiveSound {
    #[new]
    #[pyo3(signature = (*args))]
    fn new(py: Python<'_>, args: &Bound<'_, PyTuple>) -> (Self, Live) {
        (Self, Live::new(py, args))
    }

    /// How many values of `raw_buffer` are of the last frame.
    #[getter]
    fn raw_buffer_head(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(fresh(slf.as_super())?._head)
    }

    /// The whole buffer, int8 [n, 2].
    #[getter]
    fn raw_ndarray(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(fresh(slf.as_super())?._whole.clone_ref(slf.py()))
    }
}

/// Whether the picture was replaced without being drawn, since this was last asked.
#[pyfunction]
pub(crate) fn take_replaced(py: Python<'_>, machine: &Machine) -> bool {
    machine.lock(py).take_replaced()
}

/// Copies the samples of the last frame to the front of an array; gives their number.
#[pyfunction]
pub(crate) fn samples_into(
    py: Python<'_>,
    machine: &Machine,
    mut samples: PyReadwriteArray1<'_, i8>,
) -> PyResult<usize> {
    let out = samples.as_slice_mut().map_err(|_| not_contiguous())?;
    let mut machine = machine.lock(py);
    let made = machine.samples();
    let count = made.len().min(out.len());
    out[..count].copy_from_slice(&made[..count]);
    Ok(count)
}

/// Per line `[SCX, SCY, WX - 7, WY]`; zeroes while the LCD is off.
#[pyfunction]
pub(crate) fn line_lists<'py>(py: Python<'py>, machine: &Machine) -> PyResult<Bound<'py, PyList>> {
    let mut machine = machine.lock(py);
    let on = machine.read_memory(0xFF40) & 0x80 != 0;
    let lines = machine.line_positions();
    drop(machine);
    let rows = lines.into_iter().map(|[scx, scy, wx, wy]| {
        let row = if on {
            [
                i32::from(scx),
                i32::from(scy),
                i32::from(wx) - 7,
                i32::from(wy),
            ]
        } else {
            [0; 4]
        };
        PyList::new(py, row)
    });
    PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
}
