//! Cartridge: the mapper's registers, its RAM, and what they map where.

mod header;
pub(crate) mod mbc1;
pub(crate) mod mbc2;
pub(crate) mod mbc3;
pub(crate) mod mbc5;
mod rom_only;
pub(crate) mod rtc;

use educe::Educe;
pub use header::{Header, Rom};
pub(crate) use header::{BANK, RAM_BANK};
use mbc1::Mbc1;
use mbc3::Mbc3;
use mbc5::Mbc5;
use rtc::Rtc;

use crate::EmuError;

/// What is mapped at the moment.
#[derive(Debug, Clone)]
pub(crate) struct Banks {
    pub(crate) rom_low: usize,
    pub(crate) rom_high: usize,
    pub(crate) rom_count: usize,
    pub(crate) ram_selected: usize,
    pub(crate) ram_count: usize,
    pub(crate) ram_enabled: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Mapper {
    RomOnly,
    Mbc1(Mbc1),
    Mbc2,
    Mbc3(Mbc3),
    Mbc5(Mbc5),
}

impl Mapper {
    pub(crate) fn for_type(code: u8, header: &Header, rom: &[u8]) -> Result<Self, EmuError> {
        let mbc3 = |clock: bool| {
            let large = header.ram_banks > 4 || header.rom_banks > 128;
            Self::Mbc3(Mbc3 {
                large,
                rtc: clock.then(Rtc::default),
            })
        };
        Ok(match code {
            0x00 | 0x08 | 0x09 => Self::RomOnly,
            0x01..=0x03 => Self::Mbc1(Mbc1::new(header, rom)),
            0x05 | 0x06 => Self::Mbc2,
            0x0F | 0x10 => mbc3(true),
            0x11..=0x13 => mbc3(false),
            0x19..=0x1B => Self::Mbc5(Mbc5 {
                has_rumble: false,
                rumbling: false,
            }),
            0x1C..=0x1E => Self::Mbc5(Mbc5 {
                has_rumble: true,
                rumbling: false,
            }),
            _ => return Err(EmuError::UnsupportedMapper(code)),
        })
    }
}

/// The mutable part of a cartridge; the ROM itself is shared.
#[derive(Debug, Educe)]
#[educe(Clone)]
pub(crate) struct Cartridge {
    pub(crate) banks: Banks,
    pub(crate) mapper: Mapper,
    pub(crate) ram: Vec<u8>,
}

impl Cartridge {
    pub(crate) fn new(rom: &Rom) -> Self {
        let header = rom.header();
        let mapper = Mapper::for_type(header.cartridge_type, &header, &rom.data)
            .expect("the mapper was checked when the ROM was loaded");
        let banks = Banks {
            rom_low: 0,
            rom_high: 1,
            rom_count: header.rom_banks,
            ram_selected: 0,
            ram_count: header.ram_banks,
            // Without a mapper there is nothing to enable; RAM is there if the type says so.
            ram_enabled: matches!(header.cartridge_type, 0x08 | 0x09),
        };
        Self {
            banks,
            mapper,
            ram: vec![0; header.ram_banks * RAM_BANK],
        }
    }

    /// A write to 0000–7FFF.
    pub(crate) fn write_control(&mut self, addr: u16, value: u8, now: u64) {
        let banks = &mut self.banks;
        match &mut self.mapper {
            Mapper::RomOnly => rom_only::write_control(banks, addr, value),
            Mapper::Mbc1(mbc) => mbc.write_control(banks, addr, value),
            Mapper::Mbc2 => mbc2::write_control(banks, addr, value),
            Mapper::Mbc3(mbc) => mbc.write_control(banks, addr, value, now),
            Mapper::Mbc5(mbc) => mbc.write_control(banks, addr, value),
        }
    }

    /// A read of A000–BFFF.
    pub(crate) fn read_ram(&mut self, addr: u16, now: u64) -> u8 {
        let offset = usize::from(addr) & (RAM_BANK - 1);
        if let Mapper::Mbc3(mbc) = &mut self.mapper {
            if let Some(rtc) = mbc.selected_clock(&self.banks) {
                rtc.advance(now);
                return if self.banks.ram_enabled {
                    rtc.read(self.banks.ram_selected)
                } else {
                    0xFF
                };
            }
        }
        if !self.banks.ram_enabled {
            return 0xFF;
        }
        match &self.mapper {
            Mapper::Mbc1(mbc) => {
                self.banks.ram_selected = mbc.ram_bank() % self.banks.ram_count;
                self.ram_byte(self.banks.ram_selected, offset)
            }
            Mapper::Mbc2 => self.ram[offset & mbc2::RAM_MASK] | 0xF0,
            _ => self.ram_byte(self.banks.ram_selected, offset),
        }
    }

    /// Banks that the header does not declare read as the zeroes they hold in the reference.
    fn ram_byte(&self, bank: usize, offset: usize) -> u8 {
        self.ram.get(bank * RAM_BANK + offset).copied().unwrap_or(0)
    }

    /// A write to A000–BFFF; true if it changed what ROM is mapped.
    pub(crate) fn write_ram(&mut self, addr: u16, value: u8, now: u64) -> bool {
        let offset = usize::from(addr) & (RAM_BANK - 1);
        let banks = &mut self.banks;
        match &mut self.mapper {
            // No enable gate here: the reference stores even on cartridges without RAM.
            Mapper::RomOnly => self.ram[banks.ram_selected * RAM_BANK + offset] = value,
            Mapper::Mbc1(mbc) => {
                if banks.ram_enabled {
                    banks.ram_selected = mbc.ram_bank();
                    self.ram[banks.ram_selected % banks.ram_count * RAM_BANK + offset] = value;
                }
                let before = (banks.rom_low, banks.rom_high);
                mbc.map(banks);
                return (banks.rom_low, banks.rom_high) != before;
            }
            Mapper::Mbc2 => {
                if banks.ram_enabled {
                    self.ram[offset & mbc2::RAM_MASK] = value | 0xF0;
                }
            }
            Mapper::Mbc3(mbc) => {
                let writable = mbc.writable_banks();
                if let Some(rtc) = mbc.selected_clock(banks) {
                    rtc.advance(now);
                    if banks.ram_enabled {
                        rtc.write(banks.ram_selected, value);
                    }
                } else if banks.ram_enabled && banks.ram_selected < writable {
                    self.ram[banks.ram_selected * RAM_BANK + offset] = value;
                }
            }
            Mapper::Mbc5(_) => {
                if banks.ram_enabled {
                    self.ram[banks.ram_selected * RAM_BANK + offset] = value;
                }
            }
        }
        false
    }
}
