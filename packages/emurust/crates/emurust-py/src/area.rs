//! Tile maps as matrices of a user's numbers.

use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use emurust_core::EmuError;

use crate::raise;

fn refuse(text: String) -> PyErr {
    raise(EmuError::InvalidArgument(text))
}

/// A part of an object on the screen: row, column, tile.
pub(crate) type Part = (i32, i32, u32);

/// Where a game area begins on the screen (row, column), how wide it is, and what its tiles mean.
pub(crate) struct Legend<'a> {
    pub(crate) origin: (i32, i32),
    pub(crate) width: usize,
    pub(crate) mapping: &'a [u32],
    /// Added for objects.
    pub(crate) offset: u32,
}

impl Legend<'_> {
    fn value(&self, tile: u32) -> PyResult<u32> {
        let value = self.mapping.get(tile as usize).copied();
        value.ok_or_else(|| refuse(format!("tile {tile} has no entry in the mapping")))
    }

    /// Replaces tiles by what they mean, with the objects over them; those outside are left out.
    pub(crate) fn apply(&self, tiles: &mut [u32], objects: &[Part]) -> PyResult<()> {
        for tile in tiles.iter_mut() {
            *tile = self.value(*tile)?;
        }
        for &(row, column, tile) in objects {
            let (row, column) = (row - self.origin.0, column - self.origin.1);
            if row >= 0 && (0..self.width as i32).contains(&column) {
                let at = row as usize * self.width + column as usize;
                if let Some(slot) = tiles.get_mut(at) {
                    *slot = self.value(tile)?.wrapping_add(self.offset);
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn contiguous<'a>(mapping: &'a PyReadonlyArray1<'_, u32>) -> PyResult<&'a [u32]> {
    let slice = mapping.as_slice();
    slice.map_err(|_| refuse("the mapping is not contiguous".into()))
}

/// `mapping[tiles]`, with `mapping[tile] + offset` at the places of objects on the screen, of which the area begins at
/// `origin`.
#[pyfunction]
pub(crate) fn map_area<'py>(
    py: Python<'py>,
    tiles: PyReadonlyArray2<'py, u32>,
    mapping: PyReadonlyArray1<'py, u32>,
    objects: Vec<Part>,
    origin: (i32, i32),
    offset: u32,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let (height, width) = (tiles.shape()[0], tiles.shape()[1]);
    let mut area = tiles
        .as_slice()
        .map_err(|_| refuse("the tiles are not contiguous".into()))?
        .to_vec();
    let legend = Legend {
        origin,
        width,
        mapping: contiguous(&mapping)?,
        offset,
    };
    legend.apply(&mut area, &objects)?;
    PyArray1::from_vec(py, area).reshape([height, width])
}
