//! `memory[...]` as PyBoy has it: addresses, slices, banks, patches of ROM.
//!
//! Written here and not in Python because scripts read memory more often than anything else.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PySlice, PyString, PyTuple};

use emurust_core::{self as core, Cell, BOOT_BANK};

use crate::machine::Machine;

/// What a key names.
enum Key {
    One(i64),
    Many(Range),
}

/// As in PyBoy: as many bytes as whole steps fit, even where one more would.
struct Range {
    start: i64,
    stop: i64,
    step: i64,
}

impl Range {
    fn len(&self) -> usize {
        ((self.stop - self.start) / self.step) as usize
    }

    /// Every address before the end.
    fn addresses(&self) -> impl Iterator<Item = i64> {
        (self.start..self.stop).step_by(self.step as usize)
    }
}

/// The errors of `emurust.pyboy.errors`.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Input,
    Bounds,
    Index,
    Overflow,
    Type,
    Operation,
}

pub(crate) fn refuse(py: Python<'_>, kind: Kind, what: &str, got: &str, expected: &str) -> PyErr {
    let name = match kind {
        Kind::Input => "PyBoyInvalidInputException",
        Kind::Bounds => "PyBoyOutOfBoundsException",
        Kind::Index => "PyBoyIndexError",
        Kind::Overflow => "PyBoyOverflowError",
        Kind::Type => "PyBoyTypeError",
        Kind::Operation => "PyBoyInvalidOperationException",
    };
    let made = py
        .import("emurust.pyboy.errors")
        .and_then(|errors| errors.getattr("refused"))
        .and_then(|refused| refused.call1((name, what, got, expected)));
    made.map_or_else(|error| error, PyErr::from_value)
}

pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(
        |_| "something without a repr".into(),
        |text| text.to_string(),
    )
}

fn integer(what: &str, value: &Bound<'_, PyAny>) -> PyResult<i64> {
    value.extract::<i64>().map_err(|_| {
        let kind = if value.is_instance_of::<PyInt>() {
            Kind::Overflow
        } else {
            Kind::Type
        };
        let expected = "an integer from 0 to 0xFFFF, or a slice of them";
        refuse(value.py(), kind, what, &shown(value), expected)
    })
}

/// A byte to store; other numbers are cut to integers, as in PyBoy.
fn byte(value: &Bound<'_, PyAny>) -> PyResult<u8> {
    if let Ok(byte) = value.extract::<u8>() {
        return Ok(byte);
    }
    let py = value.py();
    let wrong = |kind| refuse(py, kind, "value", &shown(value), "an integer from 0 to 255");
    if value.is_instance_of::<PyInt>() {
        return Err(wrong(Kind::Overflow));
    }
    if value.is_instance_of::<PyString>() || !value.hasattr("__int__")? {
        return Err(wrong(Kind::Type));
    }
    let cut = py.get_type::<PyInt>().call1((value,));
    let cut = cut.map_err(|_| wrong(Kind::Type))?;
    cut.extract::<u8>().map_err(|_| wrong(Kind::Overflow))
}

fn bound(slice: &Bound<'_, PySlice>, name: &Bound<'_, PyString>) -> PyResult<Option<i64>> {
    let value = slice.getattr(name)?;
    if value.is_none() {
        return Ok(None);
    }
    let wrong = || {
        let (what, expected) = (format!("slice {name}"), "an integer");
        refuse(slice.py(), Kind::Input, &what, &shown(&value), expected)
    };
    value.extract::<i64>().map(Some).map_err(|_| wrong())
}

fn range(slice: &Bound<'_, PySlice>) -> PyResult<Range> {
    let py = slice.py();
    let missing = |what| refuse(py, Kind::Input, what, "none", "both ends of a slice");
    let start = bound(slice, intern!(py, "start"))?.ok_or_else(|| missing("start address"))?;
    let stop = bound(slice, intern!(py, "stop"))?.ok_or_else(|| missing("end address"))?;
    let step = bound(slice, intern!(py, "step"))?.unwrap_or(1);
    let got = || format!("{start}:{stop}:{step}");
    let wrong = |kind, expected| Err(refuse(py, kind, "slice", &got(), expected));
    if step <= 0 {
        return wrong(Kind::Input, "a positive step");
    }
    if start < 0 || start >= stop {
        return wrong(Kind::Input, "0 <= start < stop");
    }
    if start > 0xFFFF || stop > 0x1_0000 {
        return wrong(Kind::Bounds, "addresses up to 0x10000");
    }
    Ok(Range { start, stop, step })
}

fn key(key: &Bound<'_, PyAny>) -> PyResult<Key> {
    match key.cast::<PySlice>() {
        Ok(slice) => Ok(Key::Many(range(slice)?)),
        Err(_) => Ok(Key::One(integer("address", key)?)),
    }
}

/// A bank and what it is asked for, if the key is a pair.
fn split<'py>(whole: &Bound<'py, PyAny>) -> PyResult<Option<(i64, Bound<'py, PyAny>)>> {
    let Ok(pair) = whole.cast::<PyTuple>() else {
        return Ok(None);
    };
    let py = whole.py();
    if pair.len() != 2 {
        let expected = "a bank and an address or slice";
        return Err(refuse(py, Kind::Input, "key", &shown(whole), expected));
    }
    let bank = pair.get_item(0)?;
    if !bank.is_instance_of::<PyInt>() {
        let expected = "an integer";
        return Err(refuse(py, Kind::Input, "bank", &shown(&bank), expected));
    }
    let bank = bank.extract::<i64>().unwrap_or(i64::MAX);
    Ok(Some((bank, pair.get_item(1)?)))
}

/// Where a bank's bytes are, and how many from the first of them on.
struct Place {
    bank: i32,
    address: u16,
    room: usize,
}

/// Checks bank and first address.
fn place(machine: &core::Machine, py: Python<'_>, bank: i64, first: i64) -> PyResult<Place> {
    let wrong =
        |kind, what: &str, got: String, expected: &str| Err(refuse(py, kind, what, &got, expected));
    let shown = format!("{bank}:{first:#06x}");
    if bank == i64::from(BOOT_BANK) && (0..0x8000).contains(&first) {
        let size = machine.boot_rom().map_or(0, <[u8]>::len).min(0x100);
        if size == 0 {
            let expected = "a console that was given one: PyBoy(..., bootrom=path)";
            return wrong(Kind::Input, "boot ROM", "none".into(), expected);
        }
        if first > 0xFF {
            return wrong(Kind::Bounds, "place", shown, "0 to 0xFF in the boot ROM");
        }
        return Ok(Place {
            bank: BOOT_BANK,
            address: first as u16,
            room: size - first as usize,
        });
    }
    let header = machine.rom().header();
    let color = machine.model() == core::Model::Color;
    let (size, banks) = match first {
        0..0x8000 => (0x4000, header.rom_banks),
        0x8000..0xA000 => (0x2000, 1 + usize::from(color)),
        0xA000..0xC000 => (0x2000, header.ram_banks),
        0xC000..0xE000 => (0x1000, if color { 8 } else { 1 }),
        0xE000.. => return wrong(Kind::Input, "place", shown, "an address below 0xE000"),
        _ => return wrong(Kind::Bounds, "place", shown, "an address from 0 on"),
    };
    if bank < 0 || bank >= banks as i64 {
        let selectable = (0x8000..0xA000).contains(&first) || first >= 0xC000;
        let kind = if selectable && !color {
            Kind::Input
        } else {
            Kind::Bounds
        };
        let last = banks - 1;
        return wrong(kind, "place", shown, &format!("banks 0 to {last} there"));
    }
    Ok(Place {
        bank: bank as i32,
        address: first as u16,
        room: (size - first % size) as usize,
    })
}

impl Place {
    fn cell(&self, offset: usize) -> Cell {
        Cell {
            bank: Some(self.stored_bank()),
            address: self.address.wrapping_add(offset as u16),
        }
    }

    fn stored_bank(&self) -> u16 {
        self.bank as u16
    }

    fn bytes<'m>(&self, machine: &'m core::Machine) -> PyResult<&'m [u8]> {
        if self.bank == BOOT_BANK {
            let boot = machine.boot_rom().unwrap_or_default();
            return Ok(boot.get(usize::from(self.address)..).unwrap_or_default());
        }
        machine.bank_from(self.cell(0)).map_err(crate::raise)
    }

    fn write(&self, machine: &mut core::Machine, offset: usize, value: u8) -> PyResult<()> {
        if self.bank == BOOT_BANK {
            let at = usize::from(self.address) + offset;
            return machine.patch_boot_rom(at, value).map_err(crate::raise);
        }
        machine
            .write_cell(self.cell(offset), value)
            .map_err(crate::raise)
    }

    /// `wanted` bytes, less than the bank has: reading stops before the last one, as in PyBoy.
    fn check(&self, py: Python<'_>, wanted: usize, last: bool) -> PyResult<()> {
        let room = self.room - usize::from(!last);
        if wanted <= room {
            return Ok(());
        }
        let got = format!("{wanted} bytes from {:#06x}", self.address);
        let expected = format!("at most {room}: a slice of a bank ends before the bank does");
        Err(refuse(py, Kind::Bounds, "slice", &got, &expected))
    }
}

/// What is assigned to `count` addresses: a byte for each, or one for all.
fn values(value: &Bound<'_, PyAny>, range: &Range) -> PyResult<Vec<u8>> {
    let addresses = range.addresses().count();
    let given: Vec<u8> = if let Ok(list) = value.cast::<PyList>() {
        list.iter().map(|one| byte(&one)).collect::<PyResult<_>>()?
    } else if !value.hasattr(intern!(value.py(), "__iter__"))? {
        return Ok(vec![byte(value)?; addresses]);
    } else if let Ok(bytes) = value.extract::<Vec<u8>>() {
        bytes
    } else {
        let values = value.try_iter()?;
        values.map(|one| byte(&one?)).collect::<PyResult<_>>()?
    };
    if given.len() != addresses {
        let (got, expected) = (format!("{} values", given.len()), format!("{addresses}"));
        return Err(refuse(value.py(), Kind::Input, "slice", &got, &expected));
    }
    Ok(given)
}

/// `memory[address]`, `memory[start:stop:step]`, `memory[bank, address]`, `memory[bank, start:stop]`.
///
/// Assigning to a bank of ROM (or to bank −1, the boot ROM) patches it. A slice gives a new list. As in PyBoy, reading a
/// slice of a bank stops before the bank's last byte, and a slice with a step gives as many bytes as whole steps fit.
#[pyclass(frozen, module = "emurust.pyboy.memory", name = "PyBoyMemoryView")]
pub(crate) struct MemoryView {
    machine: Py<Machine>,
}

#[pymethods]
impl MemoryView {
    #[new]
    fn new(machine: Py<Machine>) -> Self {
        Self { machine }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let expected = "a slice: name the addresses, for some memory stands at several";
        Err(refuse(py, Kind::Operation, "memory", "len()", expected))
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let expected = "a slice: name the addresses";
        Err(refuse(py, Kind::Operation, "memory", "a loop", expected))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        whole: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(address) = number::<u16>(whole) {
            let value = self.machine.get().lock(py).read_memory(address);
            return Ok(value.into_pyobject(py)?.into_any());
        }
        if let Some(value) = self.bank_byte(py, whole) {
            return Ok(value.into_pyobject(py)?.into_any());
        }
        match split(whole)? {
            Some((bank, part)) => self.read_bank(py, bank, &part),
            None => self.read(py, whole),
        }
    }

    fn __setitem__<'py>(
        &self,
        py: Python<'py>,
        whole: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let Some((bank, part)) = split(whole)? else {
            return self.write(py, whole, value);
        };
        let key = key(&part)?;
        let (first, written) = match &key {
            Key::One(address) => (*address, vec![byte(value)?]),
            Key::Many(range) => (range.start, values(value, range)?),
        };
        let mut machine = self.machine.get().lock(py);
        let place = place(&machine, py, bank, first)?;
        let step = match &key {
            Key::One(_) => 1,
            Key::Many(range) => {
                place.check(py, (range.stop - range.start) as usize, true)?;
                range.step as usize
            }
        };
        for (number, &value) in written.iter().enumerate() {
            place.write(&mut machine, number * step, value)?;
        }
        Ok(())
    }
}

impl MemoryView {
    fn read<'py>(&self, py: Python<'py>, whole: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let key = key(whole)?;
        let mut machine = self.machine.get().lock(py);
        match key {
            Key::One(address) => {
                let value = machine.read_memory(address as u16);
                Ok(value.into_pyobject(py)?.into_any())
            }
            Key::Many(range) => {
                // all are read, even one that is not given: reading may change something
                let mut bytes: Vec<u8> = range
                    .addresses()
                    .map(|address| machine.read_memory(address as u16))
                    .collect();
                bytes.truncate(range.len());
                Ok(PyList::new(py, bytes)?.into_any())
            }
        }
    }

    /// One byte of a bank, if the key is a pair of plain numbers that name one.
    fn bank_byte(&self, py: Python<'_>, whole: &Bound<'_, PyAny>) -> Option<u8> {
        let pair = whole.cast_exact::<PyTuple>().ok()?;
        if pair.len() != 2 {
            return None;
        }
        let bank = number::<u16>(&pair.get_item(0).ok()?)?;
        let address = number::<u16>(&pair.get_item(1).ok()?)?;
        let cell = Cell {
            bank: Some(bank),
            address,
        };
        let mut machine = self.machine.get().lock(py);
        let stored = address < 0xA000; // the rest has rules of its own
        (stored && machine.check_cell(cell).is_ok()).then(|| machine.read_cell(cell))
    }

    fn read_bank<'py>(
        &self,
        py: Python<'py>,
        bank: i64,
        part: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let key = key(part)?;
        let machine = self.machine.get().lock(py);
        match key {
            Key::One(address) => {
                let place = place(&machine, py, bank, address)?;
                let value = place.bytes(&machine)?[0];
                Ok(value.into_pyobject(py)?.into_any())
            }
            Key::Many(range) => {
                let place = place(&machine, py, bank, range.start)?;
                place.check(py, (range.stop - range.start) as usize, false)?;
                let bytes = place.bytes(&machine)?;
                let chosen = bytes.iter().step_by(range.step as usize);
                let chosen: Vec<u8> = chosen.take(range.len()).copied().collect();
                Ok(PyList::new(py, chosen)?.into_any())
            }
        }
    }

    fn write<'py>(
        &self,
        py: Python<'py>,
        whole: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        match key(whole)? {
            Key::One(address) => {
                let value = byte(value)?;
                let mut machine = self.machine.get().lock(py);
                machine.write_memory(address as u16, value);
            }
            Key::Many(range) => {
                let values = values(value, &range)?;
                let mut machine = self.machine.get().lock(py);
                for (address, value) in range.addresses().zip(values) {
                    machine.write_memory(address as u16, value);
                }
            }
        }
        Ok(())
    }
}

/// The memory of a lean console: single addresses here, `_get` and `_set` of a class below for all else.
#[pyclass(subclass, frozen)]
pub(crate) struct LeanMemory {
    machine: Py<Machine>,
}

#[pymethods]
impl LeanMemory {
    #[new]
    fn new(machine: Py<Machine>) -> Self {
        Self { machine }
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(address) = number::<u16>(key) {
            let value = slf.get().machine.get().lock(py).read_memory(address);
            return Ok(value.into_pyobject(py)?.into_any());
        }
        slf.call_method1(intern!(py, "_get"), (key,))
    }

    fn __setitem__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        if let (Some(address), Some(byte)) = (number::<u16>(key), number::<u8>(value)) {
            let mut machine = slf.get().machine.get().lock(py);
            machine.write_memory(address, byte);
            return Ok(());
        }
        slf.call_method1(intern!(py, "_set"), (key, value))?;
        Ok(())
    }
}

/// An `int` that fits.
fn number<'py, T: FromPyObjectOwned<'py>>(value: &Bound<'py, PyAny>) -> Option<T> {
    let number = value.cast::<PyInt>().ok()?;
    number.extract().ok()
}
