//! Tile maps as matrices of a user's numbers.

use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use emurust_core::EmuError;

use crate::raise;

fn refuse(text: String) -> PyErr {
    raise(EmuError::InvalidArgument(text))
}

/// `mapping[tiles]`, with `mapping[tile] + offset` at the places of objects, given as (row, column, tile) on the
/// screen, of which the area begins at `origin` (row, column); those outside are left out.
#[pyfunction]
pub(crate) fn map_area<'py>(
    py: Python<'py>,
    tiles: PyReadonlyArray2<'py, u32>,
    mapping: PyReadonlyArray1<'py, u32>,
    objects: Vec<(i64, i64, usize)>,
    origin: (i64, i64),
    offset: u32,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let missing = |tile: usize| refuse(format!("tile {tile} has no entry in the mapping"));
    let mapping = mapping
        .as_slice()
        .map_err(|_| refuse("the mapping is not contiguous".into()))?;
    let (height, width) = (tiles.shape()[0], tiles.shape()[1]);
    let area = PyArray2::<u32>::zeros(py, [height, width], false);
    let mut writer = area.readwrite();
    let out = writer
        .as_slice_mut()
        .map_err(|_| refuse("the area is not contiguous".into()))?;
    let tiles = tiles
        .as_slice()
        .map_err(|_| refuse("the tiles are not contiguous".into()))?;
    for (slot, &tile) in out.iter_mut().zip(tiles) {
        *slot = *mapping
            .get(tile as usize)
            .ok_or_else(|| missing(tile as usize))?;
    }
    for (row, column, tile) in objects {
        let (row, column) = (row - origin.0, column - origin.1);
        if (0..height as i64).contains(&row) && (0..width as i64).contains(&column) {
            let value = *mapping.get(tile).ok_or_else(|| missing(tile))?;
            out[row as usize * width + column as usize] = value.wrapping_add(offset);
        }
    }
    drop(writer);
    Ok(area)
}
