//! Rust errors as the exceptions of `rlenv_shared.errors`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pong_core::PongError;
use pyo3::prelude::*;
use pyo3::types::PyType;

fn exception(py: Python<'_>, class: &str, message: String) -> PyErr {
    let found = py.import("rlenv_shared.errors").and_then(|module| module.getattr(class));
    match found.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, message),
        Err(error) => error,
    }
}

/// An error of the core.
pub fn to_python(py: Python<'_>, error: &PongError) -> PyErr {
    let class = match error {
        PongError::IllegalAction { .. } => "IllegalActionError",
        PongError::InvalidParameter { .. } | PongError::InvalidState { .. } | PongError::Threads { .. } => {
            "InvalidParamsError"
        }
        PongError::BufferLength { name, .. } => {
            if *name == "actions" {
                "IllegalActionError"
            } else {
                "InvalidParamsError"
            }
        }
    };
    exception(py, class, error.to_string())
}

/// A buffer that the environments cannot use; bad actions are the caller's policy's fault, other arrays its own.
pub fn invalid(py: Python<'_>, name: &str, message: String) -> PyErr {
    exception(py, if name == "actions" { "IllegalActionError" } else { "InvalidParamsError" }, message)
}

/// An error without a more special type.
pub fn env_error(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "EnvError", message.to_owned())
}

/// Run `body`; a panic becomes an exception that a program can catch and survive.
pub fn guarded<T>(py: Python<'_>, body: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let message = format!(
            "internal error: got a panic ({}), expected none; discard this environment and report the message",
            text.unwrap_or("no message")
        );
        env_error(py, &message)
    })
}
