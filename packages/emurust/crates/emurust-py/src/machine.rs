//! One console.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use emurust_core::{
    self as core, BootRom, Cell, Colors, EmuError, Model, Options, Place, Rom, Shortcuts,
    SoundBuffer, Stop,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};
use spinning_top::relax::Relax;
use spinning_top::RawSpinlock;

use crate::area::{contiguous, cut_out, object_parts, Area, Legend, Part};
use crate::{host_time, raise};

/// Threads that wait for a console sleep: that is rare, but frames may take long.
#[derive(Default)]
pub(crate) struct Sleep;

impl Relax for Sleep {
    fn relax(&mut self) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Letting go of it costs nothing, unlike a mutex: reading a byte of memory takes no longer than locking one.
type Turn = lock_api::Mutex<RawSpinlock<Sleep>, core::Machine>;
pub(crate) type Locked<'a> = lock_api::MutexGuard<'a, RawSpinlock<Sleep>, core::Machine>;

/// A console that several Python threads may hold: a call waits for the one that is running.
#[pyclass(frozen, module = "emurust._core")]
pub(crate) struct Machine {
    inner: Turn,
    /// A whole frame was run.
    ran: AtomicBool,
}

/// A breakpoint that was reached: frames left after this one, bank, address, opcode.
type Reached = Option<(u32, i32, u16, u8)>;

impl Machine {
    pub(crate) fn new_of(inner: core::Machine) -> Self {
        Self {
            inner: Turn::new(inner),
            ran: AtomicBool::new(false),
        }
    }

    pub(crate) fn lock(&self, py: Python<'_>) -> Locked<'_> {
        self.inner.lock_py_attached(py)
    }

    fn made(rom: Arc<Rom>, boot_rom: Option<Vec<u8>>, options: &Options) -> PyResult<Self> {
        let inner = match boot_rom {
            Some(data) => {
                let boot = Arc::new(BootRom::new(data).map_err(raise)?);
                core::Machine::with_boot_rom(rom, boot, options)
            }
            None => core::Machine::after_boot(rom, options),
        };
        Ok(Self::new_of(inner))
    }

    pub(crate) fn has_run(&self) -> bool {
        self.ran.load(Ordering::Relaxed)
    }

    /// Finishes the present frame and runs `left` more; only the last of them is drawn and sampled.
    fn finish(&self, py: Python<'_>, left: u32, render: bool, sound: bool) -> PyResult<Reached> {
        py.detach(|| {
            let mut machine = self.inner.lock();
            let mut left = left;
            loop {
                if let Stop::Hook(place, opcode) = machine.run_to_stop()? {
                    return Ok(Some((left, place.bank, place.address, opcode)));
                }
                self.ran.store(true, Ordering::Relaxed);
                let Some(rest) = left.checked_sub(1) else {
                    return Ok(None);
                };
                left = rest;
                machine.begin_frame(render && left == 0, sound && left == 0);
            }
        })
        .map_err(raise)
    }
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
    array.as_slice_mut().map_err(|_| not_contiguous())
}

pub(crate) fn not_contiguous() -> PyErr {
    raise(EmuError::InvalidArgument(
        "the buffer is not C-contiguous".into(),
    ))
}

/// A console by its parts: image and fingerprint of the ROM, boot ROM, colour or not, sound, colours, samples a
/// second, whether they are kept, state.
type Parts<'py> = (
    Bound<'py, PyBytes>,
    u64,
    Option<Bound<'py, PyBytes>>,
    bool,
    bool,
    [u32; 4],
    [[u32; 4]; 3],
    u32,
    bool,
    Bound<'py, PyBytes>,
);

fn model(color: Option<bool>) -> Option<Model> {
    color.map(|color| {
        if color {
            Model::Color
        } else {
            Model::Monochrome
        }
    })
}

/// The colours of consoles by kind.
fn colors(monochrome: [u32; 4], compatibility: [[u32; 4]; 3]) -> Colors {
    Colors {
        monochrome,
        compatibility,
    }
}

#[pymethods]
impl Machine {
    #[new]
    #[pyo3(signature = (rom, boot_rom, color, sound, monochrome, compatibility, sample_rate=48_000, record=false))]
    #[allow(clippy::too_many_arguments)] // they are Python's keywords
    fn new(
        rom: Vec<u8>,
        boot_rom: Option<Vec<u8>>,
        color: Option<bool>,
        sound: bool,
        monochrome: [u32; 4],
        compatibility: [[u32; 4]; 3],
        sample_rate: u32,
        record: bool,
    ) -> PyResult<Self> {
        let options = Options {
            model: model(color),
            sound,
            record_samples: record,
            sample_rate: sample_rate.max(1),
            colors: colors(monochrome, compatibility),
        };
        Self::made(Arc::new(Rom::new(rom).map_err(raise)?), boot_rom, &options)
    }

    fn copy(&self, py: Python<'_>) -> Self {
        Self::new_of(self.lock(py).clone())
    }

    fn assign(&self, py: Python<'_>, other: &Self) {
        let source = other.lock(py).clone();
        *self.lock(py) = source;
    }

    fn run_frame(&self, py: Python<'_>, render: bool, sound: bool) -> PyResult<()> {
        py.detach(|| {
            let mut machine = self.inner.lock();
            machine.run_frame(render, sound)
        })
        .map_err(raise)
    }

    /// Everything a copy in another process is made from; breakpoints and kept samples are left out.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let machine = slf.get().lock(py);
        let options = machine.options();
        let parts = (
            PyBytes::new(py, machine.rom().bytes()),
            machine.rom().fingerprint(),
            machine.boot_rom().map(|boot| PyBytes::new(py, boot)),
            machine.model() == Model::Color,
            options.sound,
            options.colors.monochrome,
            options.colors.compatibility,
            options.sample_rate,
            options.record_samples,
            PyBytes::new(py, &machine.save_state()),
        );
        Ok((slf.get_type().getattr("from_parts")?, parts))
    }

    /// The console of such parts.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // they are the tuple's
    fn from_parts(
        py: Python<'_>,
        rom: Vec<u8>,
        fingerprint: u64,
        boot_rom: Option<Vec<u8>>,
        color: bool,
        sound: bool,
        monochrome: [u32; 4],
        compatibility: [[u32; 4]; 3],
        sample_rate: u32,
        record: bool,
        state: &[u8],
    ) -> PyResult<Self> {
        let rom = Rom::restored(rom, fingerprint).map_err(raise)?;
        let options = Options {
            model: model(Some(color)),
            sound,
            record_samples: record,
            sample_rate,
            colors: colors(monochrome, compatibility),
        };
        let machine = Self::made(Arc::new(rom), boot_rom, &options)?;
        machine.load_state(py, state)?;
        Ok(machine)
    }

    /// Runs frames up to the next breakpoint; None at the end.
    fn run(&self, py: Python<'_>, count: u32, render: bool, sound: bool) -> PyResult<Reached> {
        let Some(left) = count.checked_sub(1) else {
            return Ok(None);
        };
        let last = left == 0;
        self.lock(py).begin_frame(render && last, sound && last);
        self.finish(py, left, render, sound)
    }

    /// Goes on from a breakpoint, with as many frames left as it said.
    fn resume(&self, py: Python<'_>, left: u32, render: bool, sound: bool) -> PyResult<Reached> {
        self.finish(py, left, render, sound)
    }

    fn set_hook(&self, py: Python<'_>, bank: i32, address: u16) -> PyResult<()> {
        let place = Place { bank, address };
        self.lock(py).set_hook(place).map_err(raise)
    }

    /// The opcode under a breakpoint; None where there is none.
    fn hook(&self, py: Python<'_>, bank: i32, address: u16) -> Option<u8> {
        self.lock(py).hook(Place { bank, address })
    }

    fn remove_hook(&self, py: Python<'_>, bank: i32, address: u16) -> PyResult<u8> {
        let place = Place { bank, address };
        self.lock(py).remove_hook(place).map_err(raise)
    }

    fn set_button(&self, py: Python<'_>, button: u8, pressed: bool) {
        self.lock(py).set_button(button, pressed);
    }

    /// Holds exactly the buttons of a mask.
    fn set_buttons(&self, py: Python<'_>, mask: u8) {
        self.lock(py).set_buttons(mask);
    }

    fn read(&self, py: Python<'_>, address: u16) -> u8 {
        self.lock(py).read_memory(address)
    }

    fn write(&self, py: Python<'_>, address: u16, value: u8) {
        self.lock(py).write_memory(address, value);
    }

    fn read_range<'py>(&self, py: Python<'py>, start: u16, count: usize) -> Bound<'py, PyBytes> {
        let mut machine = self.lock(py);
        let bytes: Vec<u8> = (0..count)
            .map(|i| machine.read_memory(start.wrapping_add(i as u16)))
            .collect();
        PyBytes::new(py, &bytes)
    }

    /// Writes to `start`, `start + step` and so on.
    fn write_range(&self, py: Python<'_>, start: u16, step: u16, values: Vec<u8>) {
        let mut machine = self.lock(py);
        for (number, value) in values.into_iter().enumerate() {
            let offset = (number as u16).wrapping_mul(step);
            machine.write_memory(start.wrapping_add(offset), value);
        }
    }

    fn read_bank(&self, py: Python<'_>, bank: u16, address: u16) -> PyResult<u8> {
        let cell = Cell {
            bank: Some(bank),
            address,
        };
        let mut machine = self.lock(py);
        machine.check_cell(cell).map_err(raise)?;
        Ok(machine.read_cell(cell))
    }

    /// Bytes of one bank, as they are stored.
    fn read_bank_range<'py>(
        &self,
        py: Python<'py>,
        bank: u16,
        start: u16,
        count: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let cell = Cell {
            bank: Some(bank),
            address: start,
        };
        let machine = self.lock(py);
        let bytes = machine.bank_from(cell).map_err(raise)?;
        let wanted = bytes.get(..count).ok_or_else(|| {
            let text = format!(
                "{count} bytes from {start:#06x}: the bank ends after {}",
                bytes.len()
            );
            raise(EmuError::InvalidArgument(text))
        })?;
        Ok(PyBytes::new(py, wanted))
    }

    fn write_bank(&self, py: Python<'_>, bank: u16, address: u16, value: u8) -> PyResult<()> {
        self.lock(py)
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
    fn picture_rgba(&self, py: Python<'_>, mut out: PyReadwriteArrayDyn<'_, u8>) -> PyResult<()> {
        self.lock(py)
            .picture_rgba(writable(&mut out, &[core::HEIGHT, core::WIDTH, 4])?);
        Ok(())
    }

    fn wram<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock(py).wram())
    }

    fn vram<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock(py).vram())
    }

    fn oam<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock(py).oam())
    }

    fn cartridge_ram<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock(py).cartridge_ram())
    }

    fn tile_map(&self, py: Python<'_>, window: bool) -> Vec<u16> {
        let mut map = vec![0; 1024];
        self.lock(py).tile_map(window, &mut map);
        map
    }

    /// Tile numbers of a part of a tile map, (height, width).
    fn tile_area<'py>(
        &self,
        py: Python<'py>,
        window: bool,
        control: u8,
        area: Area,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let cut = cut_out(area);
        let mut machine = self.lock(py);
        let tiles = machine.tile_area(window, control, cut).map_err(raise)?;
        PyArray1::from_vec(py, tiles).reshape([cut.height, cut.width])
    }

    /// Parts of objects on the screen as (row, column, tile), in tiles.
    fn object_tiles(&self, py: Python<'_>) -> Vec<Part> {
        object_parts(&mut self.lock(py))
    }

    /// A part of the background with the objects over it, by what a mapping makes of the tiles.
    fn game_area<'py>(
        &self,
        py: Python<'py>,
        area: Area,
        mapping: PyReadonlyArray1<'py, u32>,
        offset: u32,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let cut = cut_out(area);
        let legend = Legend {
            origin: (cut.y as i32, cut.x as i32),
            width: cut.width,
            mapping: contiguous(&mapping)?,
            offset,
        };
        let mut machine = self.lock(py);
        let control = machine.read_memory(0xFF40);
        let mut tiles = machine.tile_area(false, control, cut).map_err(raise)?;
        legend.apply(&mut tiles, &object_parts(&mut machine))?;
        PyArray1::from_vec(py, tiles).reshape([cut.height, cut.width])
    }

    fn line_positions(&self, py: Python<'_>) -> Vec<[u8; 4]> {
        self.lock(py).line_positions()
    }

    fn object_height(&self, py: Python<'_>) -> u8 {
        self.lock(py).object_height()
    }

    fn save_state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).save_state())
    }

    /// Loads an emurust or a PyBoy state.
    fn load_state(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut machine = self.lock(py);
        if state.starts_with(b"EMURUST\0") {
            machine.load_state(state).map_err(raise)
        } else {
            machine.load_pyboy_state(state, host_time()).map_err(raise)
        }
    }

    fn registers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let r = self.lock(py).registers();
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
    fn set_shortcuts(&self, py: Python<'_>, on: bool) {
        self.lock(py)
            .set_shortcuts(if on { Shortcuts::ALL } else { Shortcuts::NONE });
    }

    /// Interrupts entered since power on, as bits of IF.
    #[getter]
    fn interrupts_taken(&self, py: Python<'_>) -> u8 {
        self.lock(py).interrupts_taken()
    }

    #[getter]
    fn color(&self, py: Python<'_>) -> bool {
        self.lock(py).model() == Model::Color
    }

    #[getter]
    fn title(&self, py: Python<'_>) -> String {
        self.lock(py).rom().title()
    }

    /// Cartridge type, ROM banks, RAM code, RAM banks, colour flag.
    #[getter]
    fn header(&self, py: Python<'_>) -> (u8, usize, u8, usize, bool) {
        let h = self.lock(py).rom().header();
        (
            h.cartridge_type,
            h.rom_banks,
            h.ram_code,
            h.ram_banks,
            h.color,
        )
    }

    #[pyo3(signature = (sound, head, host_time, format=core::NEWEST_PYBOY_FORMAT))]
    /// The state in one of PyBoy's formats; `sound` is its sample buffer, `head` how much of it is of the last frame.
    fn save_pyboy_state<'py>(
        &self,
        py: Python<'py>,
        sound: PyReadonlyArray1<'_, u8>,
        head: u64,
        host_time: f64,
        format: u8,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let samples = sound.as_slice().map_err(|_| not_contiguous())?;
        let sound = SoundBuffer { samples, head };
        let machine = self.lock(py);
        let state = machine.save_pyboy_state(sound, host_time, format);
        Ok(PyBytes::new(py, &state.map_err(raise)?))
    }

    /// Loads a PyBoy state as a running PyBoy does.
    fn load_pyboy_state_running(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut machine = self.lock(py);
        machine
            .load_pyboy_state_running(state, host_time())
            .map_err(raise)
    }

    fn set_register(&self, py: Python<'_>, name: &str, value: u16) -> PyResult<()> {
        self.lock(py).set_register(name, value).map_err(raise)
    }

    fn register(&self, py: Python<'_>, name: &str) -> PyResult<u16> {
        self.lock(py).register(name).map_err(raise)
    }

    fn set_divider(&self, py: Python<'_>, value: u8) {
        self.lock(py).set_divider(value);
    }

    fn set_monochrome(&self, py: Python<'_>, shades: [u32; 4]) {
        self.lock(py).set_monochrome(shades);
    }

    fn set_cartridge_ram(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        self.lock(py).set_cartridge_ram(bytes).map_err(raise)
    }

    /// The clock as in PyBoy's `.rtc` files; None without a clock.
    fn clock_file<'py>(&self, py: Python<'py>, host_time: f64) -> Option<Bound<'py, PyBytes>> {
        let file = self.lock(py).clock_file(host_time)?;
        Some(PyBytes::new(py, &file))
    }

    fn set_clock(&self, py: Python<'_>, file: &[u8]) -> PyResult<()> {
        self.lock(py).set_clock(file).map_err(raise)
    }

    /// False without a clock.
    fn lock_clock(&self, py: Python<'_>, locked: bool) -> bool {
        self.lock(py).lock_clock(locked)
    }

    /// The ROM as it is now, patches and breakpoints included.
    fn rom<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lock(py).rom().bytes())
    }

    fn boot_rom<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let machine = self.lock(py);
        Some(PyBytes::new(py, machine.boot_rom()?))
    }

    #[getter]
    fn buttons(&self, py: Python<'_>) -> u8 {
        self.lock(py).buttons()
    }

    /// Whether there is a rumble motor, and whether it runs.
    #[getter]
    fn rumble(&self, py: Python<'_>) -> (bool, bool) {
        self.lock(py).rumble()
    }

    #[getter]
    fn sound(&self, py: Python<'_>) -> bool {
        self.lock(py).has_sound()
    }
}
