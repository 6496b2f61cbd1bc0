//! `PyBoy.register_file`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::machine::Machine;
use crate::memory::{refuse, shown, Kind};
use crate::raise;

/// The CPU's registers, best looked at in a hook: `tick` stops at no particular instruction.
///
/// What is assigned is cut to the register's bits.
#[pyclass(frozen, module = "emurust.pyboy.memory", name = "PyBoyRegisterFile")]
pub(crate) struct RegisterFile {
    machine: Py<Machine>,
}

impl RegisterFile {
    fn get(&self, py: Python<'_>, name: &str) -> PyResult<u16> {
        self.machine.get().lock(py).register(name).map_err(raise)
    }

    fn set(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>, mask: u16) -> PyResult<()> {
        let small = value
            .cast::<PyInt>()
            .ok()
            .and_then(|value| value.extract::<i64>().ok());
        let cut = match small {
            Some(value) => (value & i64::from(mask)) as u16,
            None => value
                .call_method1(intern!(py, "__and__"), (mask,))
                .and_then(|value| value.extract())
                .map_err(|_| {
                    let what = format!("register {name}");
                    refuse(py, Kind::Type, &what, &shown(value), "an integer")
                })?,
        };
        self.machine
            .get()
            .lock(py)
            .set_register(name, cut)
            .map_err(raise)
    }
}

macro_rules! registers {
    ($($get:ident $set:ident $name:ident $mask:literal),*) => {
        #[pymethods]
        impl RegisterFile {
            #[new]
            fn new(machine: Py<Machine>) -> Self {
                Self { machine }
            }

            $(
                #[getter($name)]
                fn $get(&self, py: Python<'_>) -> PyResult<u16> {
                    self.get(py, stringify!($name))
                }

                #[setter($name)]
                fn $set(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
                    self.set(py, stringify!($name), value, $mask)
                }
            )*
        }
    };
}

registers!(
    get_a set_a A 0xFF,
    get_f set_f F 0xF0,
    get_b set_b B 0xFF,
    get_c set_c C 0xFF,
    get_d set_d D 0xFF,
    get_e set_e E 0xFF,
    get_hl set_hl HL 0xFFFF,
    get_sp set_sp SP 0xFFFF,
    get_pc set_pc PC 0xFFFF
);
