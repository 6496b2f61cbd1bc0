//! Rust errors as the exceptions of `rlenv_shared.errors`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::types::PyType;

/// An exception of `rlenv_shared.errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any other error of an environment.
    Env,
    /// An action that the environment does not have.
    IllegalAction,
    /// A parameter or array it cannot work with.
    InvalidParams,
}

impl Kind {
    /// Whose fault a bad buffer is: bad actions are the caller's policy's, other arrays its own.
    #[must_use]
    pub fn of_buffer(name: &str) -> Self {
        if name == "actions" { Self::IllegalAction } else { Self::InvalidParams }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Env => "EnvError",
            Self::IllegalAction => "IllegalActionError",
            Self::InvalidParams => "InvalidParamsError",
        }
    }
}

/// The exception with that message.
pub fn exception(py: Python<'_>, kind: Kind, message: impl Into<String>) -> PyErr {
    let found = py.import("rlenv_shared.errors").and_then(|module| module.getattr(kind.class()));
    match found.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, message.into()),
        Err(error) => error,
    }
}

/// Run `body`; a panic becomes an exception that a program can catch and survive.
///
/// # Errors
/// `EnvError` with the panic's message.
pub fn guarded<T>(py: Python<'_>, body: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let message = format!(
            "internal error: got a panic ({}), expected none; discard this environment and report the message",
            text.unwrap_or("no message")
        );
        exception(py, Kind::Env, message)
    })
}
