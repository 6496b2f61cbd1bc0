//! What `PyBoy.screen` and `PyBoy.sound` show.

use numpy::PyReadwriteArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::machine::{not_contiguous, Machine};

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
