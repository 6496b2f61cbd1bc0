//! Errors of loading and of running; each names its cause.

use std::fmt;

/// Everything that can go wrong in the core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmuError {
    /// The ROM image is empty, cut short, or has a wrong header.
    InvalidRom(String),
    /// The cartridge's mapper is not one of those supported.
    UnsupportedMapper(u8),
    /// The boot ROM has an unusable length.
    InvalidBootRom(usize),
    /// The program ran into an opcode that locks the CPU up (the reference hangs there).
    LockedUp { opcode: u8, pc: u16 },
    /// A saved state is damaged, foreign, newer than this code, or of another machine.
    InvalidState(String),
    /// An argument is outside its documented range.
    InvalidArgument(String),
}

impl fmt::Display for EmuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidRom(why) => write!(f, "invalid ROM: {why}"),
            Self::UnsupportedMapper(code) => write!(
                f,
                "unsupported cartridge type {code:#04x}: supported are ROM only, MBC1, MBC2, MBC3/MBC30 and MBC5"
            ),
            Self::InvalidBootRom(len) => {
                write!(f, "invalid boot ROM: got {len} bytes, expected 256 or 2304")
            }
            Self::LockedUp { opcode, pc } => write!(
                f,
                "CPU locked up: illegal opcode {opcode:#04x} (or code reaching before the ROM) at {pc:#06x}; \
                 restore a state or reset"
            ),
            Self::InvalidState(why) => write!(f, "invalid state: {why}"),
            Self::InvalidArgument(why) => write!(f, "invalid argument: {why}"),
        }
    }
}

impl std::error::Error for EmuError {}
