//! `Tile`, `Sprite` and `TileMap` of PyBoy's interface.

use std::sync::atomic::{AtomicBool, Ordering};

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};

use emurust_core as core;

use crate::machine::{Locked, Machine};
use crate::memory::{refuse, Kind};

const TILES: u32 = 384;
const SPRITES: i64 = 40;
const SIDE: i64 = 32;
const LCDC: u16 = 0xFF40;

fn out_of(py: Python<'_>, what: &str, got: i64, last: i64) -> PyErr {
    refuse(
        py,
        Kind::Bounds,
        what,
        &got.to_string(),
        &format!("0 to {last}"),
    )
}

/// A tile by its number: 0 to 383, or 767 on colour consoles. Its pixels are read when they are asked for.
#[pyclass(frozen, module = "emurust.pyboy.api.tile")]
pub(crate) struct Tile {
    machine: Py<Machine>,
    #[pyo3(get)]
    tile_identifier: u32,
}

impl Tile {
    fn pixels(&self, py: Python<'_>) -> [u32; 64] {
        self.machine
            .get()
            .lock(py)
            .tile_pixels(self.tile_identifier)
    }

    fn made(machine: &Py<Machine>, py: Python<'_>, identifier: u32) -> Self {
        Self {
            machine: machine.clone_ref(py),
            tile_identifier: identifier,
        }
    }
}

#[pymethods]
impl Tile {
    #[new]
    fn new(py: Python<'_>, machine: Py<Machine>, identifier: i64) -> PyResult<Self> {
        let color = machine.get().lock(py).model() == core::Model::Color;
        let count = i64::from(if color { 2 * TILES } else { TILES });
        if !(0..count).contains(&identifier) {
            return Err(out_of(py, "tile", identifier, count - 1));
        }
        Ok(Self {
            machine,
            tile_identifier: identifier as u32,
        })
    }

    /// In which bank of video memory it is.
    #[getter]
    fn vram_bank(&self) -> u32 {
        u32::from(self.tile_identifier >= TILES)
    }

    /// Where its 16 bytes are.
    #[getter]
    fn data_address(&self) -> u32 {
        0x8000 + 16 * (self.tile_identifier % TILES)
    }

    /// Its size in pixels, (8, 8).
    #[getter]
    fn shape(&self) -> (u8, u8) {
        (8, 8)
    }

    /// "RGBA".
    #[getter]
    fn raw_buffer_format(&self) -> &'static str {
        "RGBA"
    }

    /// RGBA in the colours of the background palette, uint8 [8, 8, 4].
    fn ndarray<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let pixels = self.pixels(py);
        let bytes = pixels
            .iter()
            .flat_map(|pixel| pixel.to_le_bytes())
            .collect();
        PyArray1::from_vec(py, bytes).reshape([8, 8, 4])
    }

    /// Pixels as 32-bit values, [8, 8].
    fn _image_data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        PyArray1::from_slice(py, &self.pixels(py)).reshape([8, 8])
    }

    /// A `PIL.Image` of it, made as PyBoy makes it: Pillow reads the pixels as numbers; `ndarray` has their colours.
    fn image<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let module = py.import(intern!(py, "emurust.pyboy.api.tile"))?;
        module.call_method1(intern!(py, "image_of"), (self._image_data(py)?,))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| other.get().tile_identifier == self.tile_identifier)
    }

    fn __hash__(&self) -> u64 {
        self.tile_identifier.into()
    }

    fn __repr__(&self) -> String {
        format!("Tile: {}", self.tile_identifier)
    }
}

/// A sprite as it was when this object was made.
#[pyclass(frozen, get_all, module = "emurust.pyboy.api.sprite")]
pub(crate) struct Sprite {
    _sprite_index: u32,
    /// Where its four bytes are among those of all sprites.
    _offset: u32,
    /// 0: PyBoy declares it and never sets it.
    sprite_index: u32,
    /// Its upper left corner on the screen.
    x: i32,
    y: i32,
    /// Its (first) tile.
    tile_identifier: u32,
    attr_obj_bg_priority: bool,
    attr_y_flip: bool,
    attr_x_flip: bool,
    attr_palette_number: u8,
    attr_cgb_bank_number: bool,
    /// (8, 8) or (8, 16).
    shape: (u8, u8),
    /// One `Tile`, or two of tall sprites.
    tiles: Py<PyList>,
    /// A part of it is on the screen.
    on_screen: bool,
}

#[pymethods]
impl Sprite {
    #[new]
    fn new(py: Python<'_>, machine: Py<Machine>, index: i64) -> PyResult<Self> {
        if !(0..SPRITES).contains(&index) {
            return Err(out_of(py, "sprite", index, SPRITES - 1));
        }
        let mut locked = machine.get().lock(py);
        let first = 0xFE00 + 4 * index as u16;
        let [y, x, tile, attributes] = [0, 1, 2, 3].map(|at| locked.read_memory(first + at));
        let color = locked.model() == core::Model::Color;
        let tall = locked.read_memory(LCDC) & 4 != 0;
        drop(locked);
        let bank = color && attributes & 8 != 0;
        let identifier = u32::from(tile) + if bank { TILES } else { 0 };
        let height = if tall { 16 } else { 8 };
        let (x, y) = (i32::from(x) - 8, i32::from(y) - 16);
        let parts =
            (0..u32::from(height) / 8).map(|part| Tile::made(&machine, py, identifier + part));
        let tiles = parts
            .map(|tile| Py::new(py, tile))
            .collect::<PyResult<Vec<_>>>()?;
        Ok(Self {
            _sprite_index: index as u32,
            _offset: 4 * index as u32,
            sprite_index: 0,
            x,
            y,
            tile_identifier: identifier,
            attr_obj_bg_priority: attributes & 0x80 != 0,
            attr_y_flip: attributes & 0x40 != 0,
            attr_x_flip: attributes & 0x20 != 0,
            attr_palette_number: if color {
                attributes & 7
            } else {
                attributes >> 4 & 1
            },
            attr_cgb_bank_number: bank,
            shape: (8, height),
            tiles: PyList::new(py, tiles)?.unbind(),
            on_screen: -i32::from(height) < y && y < 144 && -8 < x && x < 160,
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| other.get()._sprite_index == self._sprite_index)
    }

    fn __hash__(&self) -> u64 {
        self._sprite_index.into()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let tiles: Vec<String> = self
            .tiles
            .bind(py)
            .iter()
            .map(|tile| Ok(tile.str()?.to_string()))
            .collect::<PyResult<_>>()?;
        let shown = if self.on_screen { "True" } else { "False" };
        Ok(format!(
            "Sprite [{}]: Position: ({}, {}), Shape: (8, {}), Tiles: ({}), On screen: {shown}",
            self._sprite_index,
            self.x,
            self.y,
            self.shape.1,
            tiles.join(", "),
        ))
    }
}

/// A tile map: single places here, `_get` of a class below for slices and what is wrong.
#[pyclass(subclass, frozen)]
pub(crate) struct TileMapView {
    machine: Py<Machine>,
    window: bool,
    first_control: u8,
    tile_objects: AtomicBool,
}

impl TileMapView {
    /// LCDC; before the first frame that of the construction, as in PyBoy.
    fn control(&self, machine: &mut Locked<'_>) -> u8 {
        if self.machine.get().has_run() {
            machine.read_memory(LCDC)
        } else {
            self.first_control
        }
    }

    fn map(&self, control: u8) -> u16 {
        let selected = control & if self.window { 0x40 } else { 0x08 };
        if selected == 0 {
            0x9800
        } else {
            0x9C00
        }
    }

    fn identifier(&self, py: Python<'_>, column: i64, row: i64) -> u32 {
        let mut machine = self.machine.get().lock(py);
        let control = self.control(&mut machine);
        let tile = machine.read_memory(self.map(control) + (SIDE * row + column) as u16);
        if control & 0x10 == 0 {
            u32::from(tile ^ 0x80) + 128
        } else {
            tile.into()
        }
    }

    fn check(&self, py: Python<'_>, column: i64, row: i64) -> PyResult<()> {
        for (name, value) in [("column", column), ("row", row)] {
            if !(0..SIDE).contains(&value) {
                let expected = format!("0 to {}", SIDE - 1);
                return Err(refuse(py, Kind::Index, name, &value.to_string(), &expected));
            }
        }
        Ok(())
    }
}

/// A pair of plain integers on the map.
fn place(key: &Bound<'_, PyAny>) -> Option<(i64, i64)> {
    let pair = key.cast_exact::<PyTuple>().ok()?;
    let [x, y] = [pair.get_item(0).ok()?, pair.get_item(1).ok()?];
    let [x, y] = [x.cast_exact::<PyInt>().ok()?, y.cast_exact::<PyInt>().ok()?];
    let (x, y) = (x.extract().ok()?, y.extract().ok()?);
    let inside = (0..SIDE).contains(&x) && (0..SIDE).contains(&y) && pair.len() == 2;
    inside.then_some((x, y))
}

#[pymethods]
impl TileMapView {
    #[new]
    fn new(py: Python<'_>, machine: Py<Machine>, window: bool) -> Self {
        let first_control = machine.get().lock(py).read_memory(LCDC);
        Self {
            machine,
            window,
            first_control,
            tile_objects: AtomicBool::new(false),
        }
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let map = slf.get();
        if let Some((x, y)) = place(key) {
            let tile = map.identifier(py, x, y);
            return if map.tile_objects.load(Ordering::Relaxed) {
                Ok(Bound::new(py, Tile::made(&map.machine, py, tile))?.into_any())
            } else {
                Ok(tile.into_pyobject(py)?.into_any())
            };
        }
        slf.call_method1(intern!(py, "_get"), (key,))
    }

    /// Number of the tile at a place, 0 to 383.
    fn tile_identifier(&self, py: Python<'_>, column: i64, row: i64) -> PyResult<u32> {
        self.check(py, column, row)?;
        Ok(self.identifier(py, column, row))
    }

    /// The tile at a place.
    fn tile(&self, py: Python<'_>, column: i64, row: i64) -> PyResult<Tile> {
        self.check(py, column, row)?;
        let tile = self.identifier(py, column, row);
        Ok(Tile::made(&self.machine, py, tile))
    }

    /// Whether indexing gives `Tile`s instead of numbers.
    fn use_tile_objects(&self, switch: bool) {
        self.tile_objects.store(switch, Ordering::Relaxed);
    }

    #[getter]
    fn _use_tile_objects(&self) -> bool {
        self.tile_objects.load(Ordering::Relaxed)
    }

    #[getter]
    fn _machine(&self, py: Python<'_>) -> Py<Machine> {
        self.machine.clone_ref(py)
    }

    #[getter]
    fn _window(&self) -> bool {
        self.window
    }

    #[getter]
    fn _control(&self, py: Python<'_>) -> u8 {
        self.control(&mut self.machine.get().lock(py))
    }

    /// Address of the map that is shown.
    #[getter]
    fn map_offset(&self, py: Python<'_>) -> u16 {
        self.map(self._control(py))
    }

    /// Map entries count from the middle of the tile data.
    #[getter]
    fn signed_tile_data(&self, py: Python<'_>) -> bool {
        self._control(py) & 0x10 == 0
    }
}
