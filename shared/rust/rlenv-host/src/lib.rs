//! What Rust environments share: threads that survive a fork, and, with the feature `python`, the caller's NumPy
//! arrays as slices, errors as exceptions of `rlenv_shared.errors`, and panics that do not reach the interpreter.
#![forbid(unsafe_code)]

#[cfg(feature = "python")]
pub mod buffers;
#[cfg(feature = "python")]
pub mod errors;
pub mod threads;
