//! A small ROM for unit tests: counts in work RAM and in a port, with the VBlank interrupt.

use std::sync::Arc;

use crate::cartridge::Rom;

pub(crate) fn rom_from(program: &[u8]) -> Arc<Rom> {
    rom_with_color_flag(program, 0)
}

pub(crate) fn color_rom() -> Arc<Rom> {
    rom_with_color_flag(&[0x18, 0xFE], 0x80)
}

fn rom_with_color_flag(program: &[u8], color: u8) -> Arc<Rom> {
    let mut data = vec![0u8; 0x8000];
    data[0x143] = color;
    data[0x40] = 0xD9; // reti
    data[0x100..0x103].copy_from_slice(&[0xC3, 0x50, 0x01]); // jp 0150
    data[0x150..0x150 + program.len()].copy_from_slice(program);
    data[0x14D] = data[0x134..0x14D]
        .iter()
        .fold(0u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
    Arc::new(Rom::new(data).expect("a valid header"))
}

pub(crate) fn counting_rom() -> Arc<Rom> {
    rom_from(&[
        0x3E, 0x01, 0xE0, 0xFF, // ld a,1; ldh (ff),a
        0xFB, // ei
        0x21, 0x00, 0xC0, // ld hl,c000
        0x34, // inc (hl)
        0x2C, // inc l
        0xF0, 0x43, // ldh a,(43)
        0x3C, // inc a
        0xE0, 0x43, // ldh (43),a
        0x18, 0xF7, // jr back to inc (hl)
    ])
}
