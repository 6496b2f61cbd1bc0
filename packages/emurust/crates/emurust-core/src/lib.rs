//! Game Boy and Game Boy Color emulation whose frames equal those of PyBoy 2.8.1.
//!
//! [`Machine`] is one console with a cartridge; [`batch`] runs many. Behaviour was matched by experiment
//! and from documentation; the tests compare every frame with the reference.
#![deny(unsafe_code)]

mod apu;
pub mod batch;
mod boot;
mod bus;
mod cartridge;
mod checksum;
mod cpu;
mod error;
mod events;
mod hdma;
mod hooks;
mod host;
mod interrupts;
mod io;
mod joypad;
mod lcd;
mod machine;
mod oam_dma;
mod pyboy_state;
mod serial;
mod snapshot;
#[cfg(test)]
mod test_rom;
mod timer;
mod view;

pub use boot::BootRom;
pub use cartridge::{Header, Rom};
pub use error::EmuError;
pub use hooks::{Place, Stop, BOOT_BANK, BREAK};
pub use lcd::palette::{Colors, Shades};
pub use machine::{Machine, Model, Options, Registers, Shortcuts};
pub use pyboy_state::{
    SoundBuffer, NEWEST as NEWEST_PYBOY_FORMAT, RELEASED as RELEASED_PYBOY_FORMATS,
};
pub use view::{Cell, CutOut, ScreenObject};

/// Distance of an event that is not going to happen.
pub(crate) const NEVER: i64 = 1 << 31;
/// Picture width in pixels.
pub const WIDTH: usize = lcd::renderer::WIDTH;
/// Picture height in pixels.
pub const HEIGHT: usize = lcd::renderer::HEIGHT;
