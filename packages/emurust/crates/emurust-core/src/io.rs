//! The ports FF00–FF7F, and FF80–FFFF, which share their entry.

use crate::cpu::attention::BAIL;
use crate::interrupts::{ALL, SERIAL, TIMER};
use crate::machine::Machine;

const KEY0_MONOCHROME: u8 = 0x04;

/// Whether a write to a port may change when something happens. Not so: the joypad, the interrupt flags,
/// what the LCD only shows, and memory.
fn changes_events(port: u8) -> bool {
    !matches!(
        port,
        0x00 | 0x0F | 0x42..=0x44 | 0x47..=0x4B | 0x4F | 0x51..=0x54 | 0x68..=0x6C | 0x70..
    )
}

impl Machine {
    fn advance_serial(&mut self) {
        if self.serial.advance(self.cycles) {
            self.cpu.pending |= SERIAL;
        }
    }

    fn advance_timer(&mut self) {
        if self.timer.advance(self.cycles) {
            self.cpu.pending |= TIMER;
        }
    }

    /// Brings the LCD up to date before one of its ports is accessed; before its next event nothing that
    /// ports show can change.
    pub(crate) fn advance_lcd(&mut self, offset: u8) {
        let now = self.cycles + u64::from(offset);
        if now >= self.events.lcd {
            self.cpu.pending |= self.lcd.advance(now);
            self.disturb();
        }
    }

    /// What some often polled ports read at the cycle `now`, if nothing has to be brought up to date for it.
    #[inline(always)]
    pub(crate) fn settled_port(&self, port: u8, now: u64) -> Option<u8> {
        if self.oam_dma.active || now >= self.events.lcd {
            return None;
        }
        match port {
            0x00 => Some(self.p1),
            0x41 if !self.lcd.stat_reads_mode0 => Some(self.lcd.stat.value),
            0x44 => Some(self.lcd.ly),
            _ => None,
        }
    }

    /// Writes the joypad's port, if nothing has to be brought up to date for it; that ends the slice.
    #[inline(always)]
    pub(crate) fn write_settled_port(&mut self, port: u8, value: u8) -> bool {
        let possible = port == 0 && !self.oam_dma.active;
        if possible {
            self.p1 = self.joypad.latch(value);
        }
        possible
    }

    /// The byte of high RAM at FF00h + `port`, unless a DMA has to be caught up with first.
    #[inline(always)]
    pub(crate) fn high_byte(&mut self, port: u8) -> Option<&mut u8> {
        #[cfg(test)]
        if self.flat.is_some() {
            return None;
        }
        if port < 0x80 || self.oam_dma.active {
            return None;
        }
        self.hram.get_mut(usize::from(port - 0x80))
    }

    /// Reads FF00h + `port`.
    pub(crate) fn read_port(&mut self, port: u8) -> u8 {
        #[cfg(test)]
        if self.flat.is_some() {
            return self.read(0xFF00 | u16::from(port));
        }
        self.sync_oam_dma(self.access_offset);
        match port {
            0x00 => self.p1,
            0x01 => {
                self.advance_serial();
                0xFF // nobody is at the other end
            }
            0x02 => {
                self.advance_serial();
                self.serial.control
            }
            0x04..=0x07 => {
                self.advance_timer();
                match port {
                    0x04 => self.timer.read_div(),
                    0x05 => self.timer.read_counter(),
                    0x06 => self.timer.modulo,
                    _ => self.timer.control | 0xF8,
                }
            }
            0x0F => self.cpu.pending | !ALL,
            0x10..=0x3F => {
                self.sync_apu();
                self.apu.read(port)
            }
            0x40..=0x4B => {
                self.advance_lcd(self.access_offset);
                self.read_lcd_port(port)
            }
            0x4C..=0x7F if self.model.is_color() => self.read_color_port(port),
            0x80..=0xFE => self.hram[usize::from(port - 0x80)],
            0xFF => self.cpu.enabled,
            _ => 0xFF,
        }
    }

    fn read_lcd_port(&mut self, port: u8) -> u8 {
        match port {
            0x40 => self.lcd.control,
            0x41 => self.lcd.read_stat(),
            0x42 => self.lcd.scy,
            0x43 => self.lcd.scx,
            0x44 => self.lcd.ly,
            0x45 => self.lcd.lyc,
            0x46 => self.oam_dma.source,
            0x47 => self.lcd.bgp,
            0x48 => self.lcd.obp[0],
            0x49 => self.lcd.obp[1],
            0x4A => self.lcd.wy,
            _ => self.lcd.wx,
        }
    }

    fn read_color_port(&mut self, port: u8) -> u8 {
        match port {
            0x4F => self.lcd.vram_bank | 0xFE,
            0x68 => self.lcd.bg_colors.spec | 0x40,
            0x6A => self.lcd.obj_colors.spec | 0x40,
            0x72 => self.undocumented[0],
            0x73 => self.undocumented[1],
            0x75 => self.undocumented[3],
            0x76 => {
                self.sync_apu();
                self.apu.pcm12()
            }
            0x77 => {
                self.sync_apu();
                self.apu.pcm34()
            }
            _ if !self.color_mode => 0xFF,
            0x4C => self.key0 | 0xFB,
            0x4D => self.key1,
            0x55 => self.hdma.control,
            0x69 => self.lcd.bg_colors.read_data(),
            0x6B => self.lcd.obj_colors.read_data(),
            0x6C => self.lcd.object_priority | 0xFE,
            0x70 => self.wram_bank | 0xF8,
            0x74 => self.undocumented[2],
            _ => 0xFF,
        }
    }

    /// Writes FF00h + `port`. Most port writes end the CPU's slice, also ones without effect.
    pub(crate) fn write_port(&mut self, port: u8, value: u8) {
        #[cfg(test)]
        if self.flat.is_some() {
            return self.write(0xFF00 | u16::from(port), value);
        }
        self.sync_oam_dma(self.access_offset);
        if changes_events(port) {
            self.catch_up();
            self.disturb();
        }
        match port {
            0x44 => {
                self.advance_lcd(0);
                return; // read-only, and leaves before the slice is ended
            }
            0x4C..=0x7F => {
                self.write_color_port(port, value);
                return;
            }
            0x80..=0xFE => {
                self.hram[usize::from(port - 0x80)] = value;
                return;
            }
            0xFF => self.cpu.enabled = value,
            0x00 => self.p1 = self.joypad.latch(value),
            0x01 => self.advance_serial(),
            0x02 => {
                self.advance_serial();
                self.serial.write_control(value);
            }
            0x04..=0x07 => self.write_timer_port(port, value),
            0x0F => self.cpu.pending = value & ALL,
            0x10..=0x3F => {
                self.sync_apu();
                self.apu.write(port, value, self.timer.divider);
            }
            0x40..=0x4B => self.write_lcd_port(port, value),
            _ => {}
        }
        self.cpu.attention |= BAIL;
    }

    fn write_timer_port(&mut self, port: u8, value: u8) {
        self.advance_timer();
        match port {
            0x04 => {
                let bit_was_high = self.timer.read_div() & (0x10 << self.apu.speed_shift) != 0;
                self.sync_apu();
                self.apu.div_written(bit_was_high);
                self.timer.reset_div();
            }
            0x05 => self.timer.write_counter(value),
            0x06 => self.timer.write_modulo(value),
            _ => self.timer.write_control(value),
        }
    }

    fn write_lcd_port(&mut self, port: u8, value: u8) {
        self.advance_lcd(0);
        match port {
            0x40 => {
                let raised = self.lcd.write_control(value);
                self.cpu.pending |= raised;
            }
            0x41 => {
                if self.lcd.stat.write(value) {
                    self.cpu.pending |= crate::interrupts::LCD;
                }
            }
            0x42 => self.lcd.scy = value,
            0x43 => self.lcd.scx = value,
            0x45 => {
                let raised = self.lcd.write_lyc(value);
                self.cpu.pending |= raised;
            }
            0x46 => self.start_oam_dma(value),
            0x47 => self.lcd.bgp = value,
            0x48 => self.lcd.obp[0] = value,
            0x49 => self.lcd.obp[1] = value,
            0x4A => self.lcd.wy = value,
            _ => self.lcd.wx = value,
        }
    }

    fn write_color_port(&mut self, port: u8, value: u8) {
        if port == 0x50 && self.boot_mapped && matches!(value, 0x01 | 0x11) {
            self.boot_mapped = false;
            self.cpu.attention |= BAIL;
            return;
        }
        if !self.model.is_color() {
            return;
        }
        match port {
            0x4C if self.boot_mapped => {
                self.key0 = value & KEY0_MONOCHROME;
                if self.key0 != 0 {
                    self.lcd.color = false;
                }
            }
            0x4D => {
                self.key1 = value;
                self.cpu.attention |= BAIL;
            }
            0x4F => self.lcd.vram_bank = value & 1,
            0x68 => self.lcd.bg_colors.write_spec(value),
            0x69 => {
                self.lcd.bg_colors.write_data(value);
                self.lcd.changes.note_palettes();
            }
            0x6A => self.lcd.obj_colors.write_spec(value),
            0x72 => self.undocumented[0] = value,
            0x73 => self.undocumented[1] = value,
            0x75 => self.undocumented[3] = value | 0x8F,
            _ if !self.color_mode => {}
            0x51..=0x54 => self.hdma.write_address(port, value),
            0x55 => {
                self.write_hdma_control(value);
                self.cpu.attention |= BAIL;
            }
            0x6B => {
                self.lcd.obj_colors.write_data(value);
                self.lcd.changes.note_palettes();
            }
            0x6C => self.lcd.object_priority = value & 1,
            0x70 => self.set_wram_bank(value & 7),
            0x74 => self.undocumented[2] = value,
            _ => {}
        }
    }

    /// KEY1 bit 0 armed a speed switch: STOP carries it out. Interrupts of the clock update are lost.
    pub(crate) fn switch_speed(&mut self) {
        if self.key1 & 1 == 0 {
            return;
        }
        self.double_speed = !self.double_speed;
        let shift = u8::from(self.double_speed);
        self.lcd.advance(self.cycles);
        self.lcd.speed_shift = shift;
        self.sync_apu();
        self.apu.set_speed(shift);
        self.key1 ^= 0x81;
    }
}
