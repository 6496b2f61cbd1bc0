//! MBC1, with the multicart wiring (ten address bits instead of eleven).

use super::{Banks, Header, BANK};

#[derive(Debug, Clone)]
pub(crate) struct Mbc1 {
    pub(crate) low: u8,
    pub(crate) high: u8,
    pub(crate) advanced: bool,
    multicart: bool,
}

impl Mbc1 {
    pub(crate) fn new(header: &Header, rom: &[u8]) -> Self {
        // A multicart repeats the logo area in each of its 64 banks.
        let multicart = header.rom_banks == 64
            && rom
                .chunks_exact(BANK)
                .all(|bank| bank[0x104..0x134] == rom[0x104..0x134]);
        Self {
            low: 1,
            high: 0,
            advanced: false,
            multicart,
        }
    }

    pub(super) fn write_control(&mut self, banks: &mut Banks, addr: u16, value: u8) {
        match addr >> 13 {
            0 => banks.ram_enabled = value & 0x0F == 0x0A,
            1 => self.low = (value & 0x1F).max(1),
            2 => self.high = value & 3,
            _ => self.advanced = value & 1 != 0,
        }
        self.map(banks);
    }

    /// Recomputes the visible banks; the reference does this on every write, also one to RAM.
    pub(super) fn map(&self, banks: &mut Banks) {
        let high = usize::from(self.high);
        let shift = if self.multicart { 4 } else { 5 };
        banks.rom_low = if self.advanced {
            (high << shift) % banks.rom_count
        } else {
            0
        };
        let low = usize::from(self.low);
        let bank = if self.multicart {
            let zero_guard = usize::from(low == 0);
            (high << 4) | (low & 0x0F) | zero_guard
        } else {
            (high << 5) | low
        };
        banks.rom_high = bank % banks.rom_count;
    }

    pub(super) fn ram_bank(&self) -> usize {
        if self.advanced {
            usize::from(self.high)
        } else {
            0
        }
    }
}
