//! PyBoy's `.state` files: read in every format that PyBoy 2.8.1 reads with sound, written in its own.

mod read;
mod write;

pub use write::SoundBuffer;

/// The format that PyBoy 2.8.1 writes.
const NEWEST: u8 = 29;
/// Older formats lack sound and clocks altogether.
const OLDEST: u8 = 14;
/// Border tiles, map and palettes of the Super Game Boy.
const BORDER_BYTES: usize = 0x2000 + 0x800 + 0x80;
/// Its other registers.
const SGB_REGISTERS: [u8; 11] = [0, 0, 1, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF];

/// Samples that a buffer of PyBoy's has room for, less one.
fn samples_per_frame(rate: u32) -> u64 {
    (u64::from(rate) * 70_224).div_ceil(4_194_304)
}
