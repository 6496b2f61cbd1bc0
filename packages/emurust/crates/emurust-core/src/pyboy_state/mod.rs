//! PyBoy's `.state` files: read in every format that PyBoy ever wrote, written in its newest one or an older one.

mod layout;
mod read;
mod read_sound;
mod reader;
mod write;

pub use write::SoundBuffer;

/// The format that PyBoy 2.8.1 writes.
pub const NEWEST: u8 = 29;
/// The formats of PyBoy's releases: those that [`crate::Machine::save_pyboy_state`] writes.
pub const RELEASED: [u8; 13] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, NEWEST];
/// The first format that knows colour consoles.
const COLOR: u8 = 8;
/// Border tiles, map and palettes of the Super Game Boy.
const BORDER_BYTES: usize = 0x2000 + 0x800 + 0x80;
/// Its other registers.
const SGB_REGISTERS: [u8; 11] = [0, 0, 1, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF];
/// Memory above the ports that was kept as plain bytes up to format 15, and two registers in it.
const UPPER_BYTES: usize = 0x34;
const OBJECT_PRIORITY: usize = 0x20;
const WRAM_BANK: usize = 0x24;

/// Samples that a buffer of PyBoy's has room for, less one.
fn samples_per_frame(rate: u32) -> u64 {
    (u64::from(rate) * 70_224).div_ceil(4_194_304)
}
