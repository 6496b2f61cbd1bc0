//! The memory map.

use crate::cartridge::BANK;
use crate::cpu::attention::{BAIL, REMAPPED};
use crate::lcd::stat::{DRAWING, OAM_SCAN};
use crate::lcd::VRAM_BANK;
use crate::machine::Machine;

impl Machine {
    /// The byte a program reads at `addr` now.
    #[inline]
    pub(crate) fn read(&mut self, addr: u16) -> u8 {
        #[cfg(test)]
        if let Some(flat) = &self.flat {
            return flat[usize::from(addr)];
        }
        match addr >> 13 {
            0 | 1 => self.read_rom_low(addr),
            2 | 3 => self.rom_high_byte(addr),
            4 => self.read_vram(addr),
            5 => self.cartridge.read_ram(addr, self.cycles),
            6 => self.wram[self.wram_offset(addr)],
            _ => self.read_top(addr),
        }
    }

    #[inline]
    fn read_rom_low(&self, addr: u16) -> u8 {
        if self.boot_mapped {
            if let Some(byte) = self.boot.as_ref().and_then(|boot| boot.read(addr)) {
                return byte;
            }
        }
        self.rom_low_byte(addr)
    }

    pub(crate) fn rom_low_byte(&self, addr: u16) -> u8 {
        self.rom.data[self.cartridge.banks.rom_low * BANK + usize::from(addr)]
    }

    /// Also for addresses just below 4000h, where an instruction fetch reaches back into the bank before.
    #[inline]
    pub(crate) fn rom_high_byte(&self, addr: u16) -> u8 {
        let flat = (self.cartridge.banks.rom_high * BANK + usize::from(addr)).wrapping_sub(BANK);
        self.rom.data.get(flat).copied().unwrap_or(0xFF)
    }

    #[inline]
    pub(crate) fn wram_offset(&self, addr: u16) -> usize {
        usize::from(addr).wrapping_add(self.wram_shifts[usize::from(addr >> 12)])
    }

    /// Only a few instructions and fetches move the LCD clock for an access; only they can be locked out.
    fn advance_lcd_for_access(&mut self) {
        let now = self.cycles + u64::from(self.access_offset);
        self.cpu.pending |= self.lcd.advance(now);
        if now >= self.events.lcd {
            self.disturb();
        }
    }

    fn vram_offset(&self, addr: u16) -> usize {
        usize::from(addr & 0x1FFF) + usize::from(self.lcd.vram_bank) * VRAM_BANK
    }

    #[inline]
    fn read_vram(&mut self, addr: u16) -> u8 {
        if self.access_offset != 0 {
            self.advance_lcd_for_access();
            let mode = self.lcd.mode();
            let locked = mode == DRAWING || mode == OAM_SCAN && self.lcd.about_to_change();
            if self.lcd.on() && locked {
                return 0xFF;
            }
        }
        self.lcd.vram[self.vram_offset(addr)]
    }

    fn read_top(&mut self, addr: u16) -> u8 {
        match addr {
            0xE000..=0xFDFF => self.wram[self.wram_offset(addr - 0x2000)],
            0xFE00..=0xFE9F => self.read_oam(addr),
            0xFEA0..=0xFEFF => self.spare[usize::from(addr - 0xFEA0)],
            _ => self.read_port(addr as u8),
        }
    }

    fn read_oam(&mut self, addr: u16) -> u8 {
        if self.access_offset != 0 && !self.oam_dma.fetching {
            self.advance_lcd_for_access();
            let mode = self.lcd.mode();
            let locked = mode == OAM_SCAN || mode == DRAWING || self.lcd.startup_scan_pending();
            if self.lcd.on() && locked {
                return 0xFF;
            }
        }
        let offset = self.access_offset;
        self.sync_oam_dma(offset);
        if self.oam_dma_running(offset) && self.cpu.hl == addr {
            // an access through HL sees the transfer a cycle later
            self.sync_oam_dma(offset.max(4));
        }
        if self.oam_dma_running(offset) {
            return 0xFF;
        }
        self.lcd.oam[usize::from(addr - 0xFE00)]
    }

    /// A program writes `value` at `addr` now.
    #[inline]
    pub(crate) fn write(&mut self, addr: u16, value: u8) {
        #[cfg(test)]
        if let Some(flat) = &mut self.flat {
            flat[usize::from(addr)] = value;
            return;
        }
        match addr >> 13 {
            0..=3 => {
                self.cartridge.write_control(addr, value, self.cycles);
                self.cpu.attention |= BAIL;
            }
            4 => self.write_vram(addr, value),
            5 => {
                if self.cartridge.write_ram(addr, value, self.cycles) {
                    self.cpu.attention |= REMAPPED;
                }
            }
            6 => {
                let offset = self.wram_offset(addr);
                self.wram[offset] = value;
            }
            _ => self.write_top(addr, value),
        }
    }

    #[inline]
    fn write_vram(&mut self, addr: u16, value: u8) {
        if self.access_offset != 0 {
            self.advance_lcd_for_access();
            if self.lcd.on() && self.lcd.mode() == DRAWING {
                return;
            }
        }
        let offset = self.vram_offset(addr);
        self.lcd.write_vram_byte(offset, value);
    }

    fn write_top(&mut self, addr: u16, value: u8) {
        match addr {
            0xE000..=0xFDFF => {
                let offset = self.wram_offset(addr - 0x2000);
                self.wram[offset] = value;
            }
            0xFE00..=0xFE9F => self.write_oam(addr, value),
            0xFEA0..=0xFEFF => self.spare[usize::from(addr - 0xFEA0)] = value,
            _ => self.write_port(addr as u8, value),
        }
    }

    fn write_oam(&mut self, addr: u16, value: u8) {
        if self.access_offset != 0 {
            self.advance_lcd_for_access();
            let mode = self.lcd.mode();
            let opens_early = self.lcd.first_frame && self.lcd.about_to_change();
            if self.lcd.on() && (mode == DRAWING || mode == OAM_SCAN && !opens_early) {
                return;
            }
        }
        self.sync_oam_dma(self.access_offset);
        if !self.oam_dma.active {
            self.lcd.write_oam_byte(usize::from(addr - 0xFE00), value);
        }
    }
}
