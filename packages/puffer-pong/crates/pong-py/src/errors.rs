//! Errors of the core as exceptions.

use pong_core::PongError;
use pyo3::prelude::*;
use rlenv_host::errors::{Kind, exception};

/// An error of the core.
pub fn to_python(py: Python<'_>, error: &PongError) -> PyErr {
    let kind = match error {
        PongError::IllegalAction { .. } => Kind::IllegalAction,
        PongError::BufferLength { name, .. } => Kind::of_buffer(name),
        PongError::InvalidParameter { .. } | PongError::InvalidState { .. } | PongError::Threads { .. } => {
            Kind::InvalidParams
        }
    };
    exception(py, kind, error.to_string())
}
