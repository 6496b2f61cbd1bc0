//! MBC5, optionally with a rumble motor.

use super::Banks;

#[derive(Debug, Clone)]
pub(crate) struct Mbc5 {
    pub(crate) has_rumble: bool,
    pub(crate) rumbling: bool,
}

impl Mbc5 {
    pub(super) fn write_control(&mut self, banks: &mut Banks, addr: u16, value: u8) {
        let value = usize::from(value);
        match addr >> 12 {
            0 | 1 => banks.ram_enabled = value == 0x0A,
            2 => banks.rom_high = ((banks.rom_high & 0x100) | value) % banks.rom_count,
            3 => banks.rom_high = (((value & 1) << 8) | (banks.rom_high & 0xFF)) % banks.rom_count,
            4 | 5 => {
                banks.ram_selected = (value & 0x0F) % banks.ram_count;
                if self.has_rumble {
                    self.rumbling = value & 8 != 0;
                }
            }
            _ => {}
        }
    }
}
