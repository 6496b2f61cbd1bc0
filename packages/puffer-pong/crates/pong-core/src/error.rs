//! What can go wrong.  Every message says what, what was got, what was expected, and the remedy.

use thiserror::Error;

/// An error of this crate; nothing has been changed when one is returned.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PongError {
    /// A parameter with which the game cannot be played.
    #[error("{name}: got {got}, expected {expected}; {remedy}")]
    InvalidParameter {
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        got: String,
        /// The values it may have.
        expected: &'static str,
        /// How to correct it.
        remedy: &'static str,
    },
    /// A buffer that is too short or too long for the number of environments.
    #[error("{name}: got length {got}, expected {expected}; pass one row per environment")]
    BufferLength {
        /// Name of the buffer.
        name: &'static str,
        /// Its length.
        got: usize,
        /// The length that fits.
        expected: usize,
    },
    /// An action that the game does not have.
    #[error("action of environment {index}: got {got}, expected {expected}; correct the policy's output")]
    IllegalAction {
        /// The first environment with an illegal action.
        index: usize,
        /// The action.
        got: String,
        /// The actions there are.
        expected: &'static str,
    },
    /// A state that no game reaches.
    #[error("state of environment {index}, {field}: got {got}, expected {expected}; restore a state that was saved")]
    InvalidState {
        /// The first environment with such a state.
        index: usize,
        /// The field that is wrong.
        field: &'static str,
        /// Its value.
        got: String,
        /// The values it may have.
        expected: &'static str,
    },
    /// The worker threads could not be started.
    #[error("num_threads: got {got}, expected a number of threads this system can start; pass num_threads=1 ({cause})")]
    Threads {
        /// Number of threads asked for.
        got: usize,
        /// What the system said.
        cause: String,
    },
}
