//! PufferLib's Pong: the same arithmetic as the C original, bit for bit, over blocks of environments.
//!
//! Read in this order: [`params`] (what can be configured), [`state`] (what one environment is), [`physics`]
//! (the rules of one frame), [`block`] (one step of a few environments side by side), [`vector`] (all of them,
//! on all threads).
#![forbid(unsafe_code)]

pub mod action;
pub mod block;
pub mod error;
pub mod observation;
pub mod params;
pub mod physics;
pub mod rng;
pub mod state;
pub mod vector;

pub use error::PongError;
pub use params::{Field, Params};
pub use vector::{Generator, Log, Outputs, VecPong};
