//! Cartridges without a mapper. The reference still lets bit 0 of a bank write through.

use super::Banks;

pub(super) fn write_control(banks: &mut Banks, addr: u16, value: u8) {
    if (0x2000..0x4000).contains(&addr) {
        banks.rom_high = usize::from(if value == 0 { 1 } else { value & 1 });
    }
}
