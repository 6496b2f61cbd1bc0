//! Python module `emurust._core`: thin wrappers; arguments are checked here, meaning is added in Python.

mod area;
mod batch;
mod inputs;
mod live;
mod machine;
mod memory;
mod registers;
mod signals;
mod views;

use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use emurust_core::EmuError;

create_exception!(
    _core,
    CoreValueError,
    PyValueError,
    "A ROM, state or argument was refused."
);
create_exception!(
    _core,
    CoreLockedUp,
    PyRuntimeError,
    "The emulated CPU ran into an illegal opcode."
);

fn raise(error: EmuError) -> PyErr {
    match error {
        EmuError::LockedUp { .. } => CoreLockedUp::new_err(error.to_string()),
        EmuError::InvalidState(_) => CoreValueError::new_err(("state", error.to_string())),
        EmuError::InvalidArgument(_) => CoreValueError::new_err(("argument", error.to_string())),
        _ => CoreValueError::new_err(("rom", error.to_string())),
    }
}

/// Seconds since 1970.
fn host_time() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |time| time.as_secs_f64())
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CoreValueError", module.py().get_type::<CoreValueError>())?;
    module.add("CoreLockedUp", module.py().get_type::<CoreLockedUp>())?;
    module.add("BREAK", emurust_core::BREAK)?;
    module.add(
        "PYBOY_FORMATS",
        emurust_core::RELEASED_PYBOY_FORMATS.map(u32::from),
    )?;
    module.add_class::<machine::Machine>()?;
    module.add_class::<memory::MemoryView>()?;
    module.add_class::<registers::RegisterFile>()?;
    module.add_class::<inputs::Inputs>()?;
    module.add_class::<live::Live>()?;
    module.add_class::<live::LiveSound>()?;
    module.add_class::<views::Tile>()?;
    module.add_class::<views::Sprite>()?;
    module.add_class::<views::TileMapView>()?;
    module.add_class::<memory::LeanMemory>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<batch::Starts>()?;
    module.add_class::<signals::Signals>()?;
    module.add_function(wrap_pyfunction!(live::take_replaced, module)?)?;
    module.add_function(wrap_pyfunction!(live::samples_into, module)?)?;
    module.add_function(wrap_pyfunction!(live::line_lists, module)?)?;
    module.add_function(wrap_pyfunction!(area::map_area, module)?)
}
