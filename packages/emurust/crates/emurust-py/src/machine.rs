//! One console.

use std::sync::Arc;

use emurust_core::{self as core, BootRom, Cell, Colors, EmuError, Model, Options, Rom, Shortcuts};
use numpy::PyReadwriteArrayDyn;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::raise;

#[pyclass]
pub(crate) struct Machine {
    pub(crate) inner: core::Machine,
}

/// The array's memory, if it is contiguous and of the wanted shape.
pub(crate) fn writable<'a>(
    array: &'a mut PyReadwriteArrayDyn<'_, u8>,
    shape: &[usize],
) -> PyResult<&'a mut [u8]> {
    use numpy::PyUntypedArrayMethods;
    if array.shape() != shape {
        let text = format!("buffer of shape {:?}: expected {shape:?}", array.shape());
        return Err(raise(EmuError::InvalidArgument(text)));
    }
    array.as_slice_mut().map_err(|_| {
        raise(EmuError::InvalidArgument(
            "the buffer is not C-contiguous".into(),
        ))
    })
}

#[pymethods]
impl Machine {
    #[new]
    #[pyo3(signature = (rom, boot_rom, color, sound, monochrome, compatibility))]
    fn new(
        rom: Vec<u8>,
        boot_rom: Option<Vec<u8>>,
        color: Option<bool>,
        sound: bool,
        monochrome: [u32; 4],
        compatibility: [[u32; 4]; 3],
    ) -> PyResult<Self> {
        let rom = Arc::new(Rom::new(rom).map_err(raise)?);
        let options = Options {
            model: color.map(|color| {
                if color {
                    Model::Color
                } else {
                    Model::Monochrome
                }
            }),
            sound,
            colors: Colors {
                monochrome,
                compatibility,
            },
            ..Options::default()
        };
        let inner = match boot_rom {
            Some(data) => {
                let boot = Arc::new(BootRom::new(data).map_err(raise)?);
                core::Machine::with_boot_rom(rom, boot, &options)
            }
            None => core::Machine::after_boot(rom, &options),
        };
        Ok(Self { inner })
    }

    fn copy(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }

    fn assign(&mut self, other: &Self) {
        self.inner.clone_from(&other.inner);
    }

    fn run_frame(&mut self, py: Python<'_>, render: bool, sound: bool) -> PyResult<()> {
        let inner = &mut self.inner;
        py.detach(|| inner.run_frame(render, sound)).map_err(raise)
    }

    fn set_button(&mut self, button: u8, pressed: bool) {
        self.inner.set_button(button, pressed);
    }

    /// Holds exactly the buttons of a mask.
    fn set_buttons(&mut self, mask: u8) {
        self.inner.set_buttons(mask);
    }

    fn read(&mut self, address: u16) -> u8 {
        self.inner.read_memory(address)
    }

    fn write(&mut self, address: u16, value: u8) {
        self.inner.write_memory(address, value);
    }

    fn read_range<'py>(
        &mut self,
        py: Python<'py>,
        start: u16,
        count: usize,
    ) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = (0..count)
            .map(|i| self.inner.read_memory(start.wrapping_add(i as u16)))
            .collect();
        PyBytes::new(py, &bytes)
    }

    fn read_bank(&mut self, bank: u16, address: u16) -> PyResult<u8> {
        let cell = Cell {
            bank: Some(bank),
            address,
        };
        self.inner.check_cell(cell).map_err(raise)?;
        Ok(self.inner.read_cell(cell))
    }

    fn write_bank(&mut self, bank: u16, address: u16, value: u8) -> PyResult<()> {
        self.inner
            .write_cell(
                Cell {
                    bank: Some(bank),
                    address,
                },
                value,
            )
            .map_err(raise)
    }

    /// Copies the RGBA picture into an array (144, 160, 4).
    fn picture_rgba(&self, mut out: PyReadwriteArrayDyn<'_, u8>) -> PyResult<()> {
        self.inner
            .picture_rgba(writable(&mut out, &[core::HEIGHT, core::WIDTH, 4])?);
        Ok(())
    }

    fn wram<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.wram())
    }

    fn vram<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.vram())
    }

    fn oam<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.oam())
    }

    fn cartridge_ram<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.cartridge_ram())
    }

    fn tile_map(&self, window: bool) -> Vec<u16> {
        let mut map = vec![0; 1024];
        self.inner.tile_map(window, &mut map);
        map
    }

    fn line_positions(&self) -> Vec<[u8; 4]> {
        self.inner.line_positions()
    }

    fn object_height(&self) -> u8 {
        self.inner.object_height()
    }

    fn save_state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.save_state())
    }

    /// Loads an emurust or a PyBoy state.
    fn load_state(&mut self, state: &[u8]) -> PyResult<()> {
        if state.starts_with(b"EMURUST\0") {
            self.inner.load_state(state).map_err(raise)
        } else {
            self.inner.load_pyboy_state(state).map_err(raise)
        }
    }

    fn registers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let r = self.inner.registers();
        let dict = PyDict::new(py);
        for (name, value) in [
            ("AF", u64::from(r.af)),
            ("BC", u64::from(r.bc)),
            ("DE", u64::from(r.de)),
            ("HL", u64::from(r.hl)),
            ("SP", u64::from(r.sp)),
            ("PC", u64::from(r.pc)),
            ("IME", u64::from(r.ime)),
            ("halted", u64::from(r.halted)),
            ("IE", u64::from(r.ie)),
            ("IF", u64::from(r.interrupt_flags)),
            ("cycles", r.cycles),
        ] {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// Takes all shortcuts (the default) or none; for tests.
    fn set_shortcuts(&mut self, on: bool) {
        self.inner
            .set_shortcuts(if on { Shortcuts::ALL } else { Shortcuts::NONE });
    }

    /// Interrupts entered since power on, as bits of IF.
    #[getter]
    fn interrupts_taken(&self) -> u8 {
        self.inner.interrupts_taken()
    }

    #[getter]
    fn color(&self) -> bool {
        self.inner.model() == Model::Color
    }

    #[getter]
    fn title(&self) -> String {
        self.inner.rom().title()
    }

    /// Cartridge type, ROM banks, RAM code, RAM banks, colour flag.
    #[getter]
    fn header(&self) -> (u8, usize, u8, usize, bool) {
        let h = self.inner.rom().header();
        (
            h.cartridge_type,
            h.rom_banks,
            h.ram_code,
            h.ram_banks,
            h.color,
        )
    }
}
