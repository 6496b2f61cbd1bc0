//! MBC2: address bit 8 tells RAM enable from bank select; 512 nibbles of RAM inside the chip.

use super::Banks;

pub(crate) const RAM_MASK: usize = 0x1FF;

pub(super) fn write_control(banks: &mut Banks, addr: u16, value: u8) {
    if addr >= 0x4000 {
        return;
    }
    let value = value & 0x0F;
    if addr & 0x100 == 0 {
        banks.ram_enabled = value == 0x0A;
    } else {
        banks.rom_high = usize::from(value.max(1)) % banks.rom_count;
    }
}
