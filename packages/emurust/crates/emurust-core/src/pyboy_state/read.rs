//! Reading PyBoy's states.
//!
//! Fields that the format lacks keep their values, as in PyBoy: those of power on in a fresh machine.

use super::layout::Layout;
use super::read_sound::{read_apu, read_channels};
use super::reader::{wrong, Reader};
use super::{BORDER_BYTES, NEWEST, OBJECT_PRIORITY, SGB_REGISTERS, UPPER_BYTES, WRAM_BANK};
use crate::cartridge::{Mapper, RAM_BANK};
use crate::error::EmuError;
use crate::lcd::palette::ColorRam;
use crate::lcd::{stat, Step, FRAME_DOTS, VRAM_BANK};
use crate::machine::Machine;
use crate::oam_dma::OamDma;
use crate::timer::Reload;
use crate::{HEIGHT, WIDTH};

/// KEY0 of a colour console that plays a monochrome cartridge.
const COMPATIBILITY: u8 = 4;

/// The first format that has all of sound; older ones leave what the console has.
const WHOLE_SOUND: u8 = 14;

impl Machine {
    /// Loads a PyBoy state; the machine becomes what a freshly constructed PyBoy becomes by loading it. It keeps
    /// its ROM, model, sound setting, colours and breakpoints.
    ///
    /// `host_time` (seconds since 1970) is what clocks are counted up to of which a format before 21 keeps only when
    /// they were started.
    ///
    /// # Errors
    /// `InvalidState` (too new, cut short, of another model or cartridge); the machine is
    /// unchanged then. The format does not name the ROM: a state of another ROM with the same RAM size
    /// cannot be told apart.
    pub fn load_pyboy_state(&mut self, state: &[u8], host_time: f64) -> Result<(), EmuError> {
        let format = state.first().copied().unwrap_or(NEWEST);
        // what the newer formats lack does not show, and a console without a boot ROM never was at power on
        let mut fresh = if format < WHOLE_SOUND {
            self.unpowered()
        } else {
            self.powered_on()
        };
        fresh.hooks = self.hooks.clone();
        *self = fresh.with_pyboy_state(state, host_time)?;
        Ok(())
    }

    /// Loads a PyBoy state as the running PyBoy does: what the format lacks stays as it is.
    ///
    /// # Errors
    /// As for [`Self::load_pyboy_state`].
    pub fn load_pyboy_state_running(
        &mut self,
        state: &[u8],
        host_time: f64,
    ) -> Result<(), EmuError> {
        let mut loaded = self.clone();
        loaded.cpu.locked = None;
        loaded.cpu.attention = 0;
        if state.first().is_some_and(|&format| format < WHOLE_SOUND) {
            loaded.samples(); // they stay
        }
        let loaded = loaded.with_pyboy_state(state, host_time)?;
        self.clone_from(&loaded);
        Ok(())
    }

    /// This machine after loading a state: in the layout of the format that fits.
    fn with_pyboy_state(&self, state: &[u8], host_time: f64) -> Result<Self, EmuError> {
        let (&version, data) = state
            .split_first()
            .ok_or_else(|| wrong("the state is empty"))?;
        if version > NEWEST {
            return Err(EmuError::InvalidState(format!(
                "PyBoy state format {version} is newer than {NEWEST}, the newest one that is known"
            )));
        }
        let mut first = None;
        for layout in Layout::candidates(version) {
            let mut machine = self.clone();
            let input = Reader {
                data,
                version: layout.format,
                layout,
                host_time,
            };
            match machine.read_pyboy(input).and_then(|()| machine.adopt()) {
                Ok(()) => return Ok(machine),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| wrong("no layout is known")))
    }

    fn read_pyboy(&mut self, mut reader: Reader) -> Result<(), EmuError> {
        let input = &mut reader;
        let version = input.version;
        // formats 0 and 1 are no numbers but this flag
        self.boot_mapped = if version >= 2 {
            input.flag()?
        } else {
            version == 1
        };
        if version >= 8 {
            if version >= 16 {
                self.key0 = input.u8()?;
            }
            self.key1 = input.u8()?;
            self.double_speed = input.flag()?;
            if input.flag()? != self.model.is_color() {
                return Err(wrong(
                    "the state is of the other model (monochrome or colour)",
                ));
            }
            if self.model.is_color() {
                self.read_hdma(input)?;
            }
        } else if self.model.is_color() {
            return Err(wrong(
                "the state is of a monochrome console, as all are of formats before 8",
            ));
        }
        let before = self.cycles;
        self.read_cpu(input)?;
        self.oam_dma = OamDma::default();
        if version >= 19 {
            self.oam_dma.active = input.flag()?;
            input.u8()?; // only set inside a transfer step
            self.oam_dma.source = input.u8()?;
            self.oam_dma.index = input.u8()?;
            self.oam_dma.start = input.u64()?;
        }
        self.read_lcd(input)?;
        match version {
            ..13 => {}
            13 => {
                input.slice(16)?; // two cycle counters; nothing in it tells what is due next
                read_channels(&mut self.apu, input)?;
            }
            _ => read_apu(&mut self.apu, input)?,
        }
        self.read_picture(input)?;
        input.fill(&mut self.wram)?;
        input.fill(&mut self.spare)?;
        let ports: [u8; 0x4C] = input.array()?;
        self.p1 = ports[0];
        input.fill(&mut self.hram)?;
        if version <= 15 {
            let upper: [u8; UPPER_BYTES] = input.array()?;
            self.lcd.object_priority = upper[OBJECT_PRIORITY];
            self.wram_bank = upper[WRAM_BANK] & 7;
        } else {
            self.wram_bank = input.u8()? & 7;
        }
        if !input.layout.stat {
            self.cpu.enabled = input.u8()?;
        }
        if version >= 5 {
            self.read_timer(input)?;
        }
        self.read_cartridge(input)?;
        let (directions, actions) = match version {
            7.. => (input.u8()?, input.u8()?),
            _ => (0x0F, 0x0F),
        };
        self.joypad.set_rows(directions, actions);
        if version >= 15 {
            self.read_serial(input)?;
        }
        if version >= 23 {
            input.slice(SGB_REGISTERS.len() + BORDER_BYTES)?;
        }
        self.bring_to_present(version, before);
        if input.data.is_empty() {
            Ok(())
        } else {
            Err(wrong(
                "there is data left over: the state is of another cartridge",
            ))
        }
    }

    /// Parts of which the format has no time stand where the CPU is.
    fn bring_to_present(&mut self, version: u8, before: u64) {
        let now = self.cycles;
        if version < WHOLE_SOUND && now != before {
            if before == 0 {
                // the reference's sound unit runs through all cycles up to the present one, silently
                self.apu.sampling = false;
                self.apu.advance(now);
            }
            self.apu.synced_at = now;
        }
        if version < 15 {
            self.serial.synced_at = now;
        }
        if version < 12 {
            self.lcd.synced_at = now;
            self.timer.synced_at = now;
        }
    }

    fn read_hdma(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let ports: [u8; 5] = input.array()?;
        self.hdma.control = ports[4];
        if input.version == 8 {
            input.u8()?; // a second copy of that port
        }
        self.hdma.active = input.flag()?;
        self.hdma.source = input.u16()?;
        self.hdma.target = input.u16()?;
        Ok(())
    }

    fn read_cpu(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let cpu = &mut self.cpu;
        let [b, c, d, e];
        [cpu.a, cpu.f, b, c, d, e] = input.array()?;
        cpu.bc = u16::from_be_bytes([b, c]);
        cpu.de = u16::from_be_bytes([d, e]);
        cpu.hl = input.u16()?;
        cpu.sp = input.u16()?;
        cpu.pc = input.u16()?;
        cpu.ime = input.flag()?;
        cpu.ei_delay = if input.version >= 19 { input.u8()? } else { 0 };
        cpu.halted = input.flag()?;
        input.u8()?; // "stopped" is never set
        if input.layout.stat {
            cpu.enabled = input.u8()?;
        }
        if input.version >= 8 {
            input.u8()?; // set only while a debugger steps
            cpu.pending = input.u8()?;
        }
        if input.version >= 12 {
            self.cycles = input.u64()?;
        }
        Ok(())
    }

    fn read_lcd(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let version = input.version;
        let lcd = &mut self.lcd;
        input.fill(&mut lcd.vram[..VRAM_BANK])?;
        input.fill(&mut lcd.oam)?;
        let control = input.u8()?;
        if version >= 13 {
            lcd.control = control;
        } else {
            // as in the reference: an LCD that was off in this console begins anew
            lcd.write_control(control);
        }
        lcd.bgp = input.u8()?;
        lcd.obp = input.array()?;
        if input.layout.stat {
            lcd.stat.restore(input.u8()?);
            [lcd.ly, lcd.lyc] = input.array()?;
        }
        [lcd.scy, lcd.scx, lcd.wy, lcd.wx] = input.array()?;
        if version >= 16 {
            lcd.object_priority = input.u8()?;
        }
        if version >= 11 {
            for position in &mut lcd.line_positions {
                *position = input.array()?;
            }
        }
        if version >= 8 {
            self.read_lcd_clock(input)?;
        }
        if self.lcd.ly > 153 || self.lcd.speed_shift > 1 {
            return Err(wrong("an LCD register is out of its range"));
        }
        Ok(())
    }

    fn read_lcd_clock(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let version = input.version;
        let lcd = &mut self.lcd;
        lcd.color = input.flag()?;
        let downgraded = version >= 17 && input.flag()?;
        if lcd.color == downgraded && self.model.is_color() || lcd.color && !self.model.is_color() {
            return Err(wrong("the state contradicts itself about colour"));
        }
        lcd.speed_shift = input.flag()?.into();
        if version >= 13 {
            lcd.frame_done = input.flag()?;
            lcd.first_frame = input.flag()?;
            lcd.restart = input.flag()?;
        }
        if version >= 12 {
            lcd.synced_at = input.u64()?;
        }
        // in double speed old LCDs counted the CPU's cycles
        let in_cycles = if version >= 13 { 0 } else { lcd.speed_shift };
        lcd.clock = input.u64()? >> in_cycles;
        lcd.due = input.u64()? >> in_cycles;
        lcd.next_mode = input.u8()?;
        lcd.step = match input.layout.lcd_step.then(|| input.u8()).transpose()? {
            None | Some(0) => Step::Plain,
            Some(1) => Step::NextLine,
            Some(2) => Step::ScanAfterNextLine,
            Some(3) => Step::VblankAnnounced,
            Some(_) => return Err(wrong("unknown LCD phase")),
        };
        if lcd.ly > 153 || lcd.speed_shift > 1 {
            return Err(wrong("an LCD register is out of its range"));
        }
        if lcd.stat.mode() == stat::DRAWING {
            lcd.mode3_extra = lcd.mode3_extra_dots(lcd.ly);
        }
        let left = lcd.due.wrapping_sub(lcd.clock) as i64;
        lcd.to_change = left << lcd.speed_shift;
        if lcd.announces_vblank() && left >= 4 {
            lcd.to_change -= 4 << lcd.speed_shift;
        }
        lcd.to_frame = (FRAME_DOTS.wrapping_sub(lcd.clock) as i64) << lcd.speed_shift;
        if lcd.color {
            input.fill(&mut lcd.vram[VRAM_BANK..])?;
            lcd.vram_bank = input.u8()? & 1;
            read_color_ram(&mut lcd.bg_colors, input)?;
            // index and data of a layer are stored one after the other, background first
            read_color_ram(&mut lcd.obj_colors, input)?;
        }
        if version < 16 && self.model.is_color() && !self.color_mode {
            // a monochrome cartridge on a colour console; PyBoy knew that of the cartridge, the console itself from KEY0
            self.key0 = COMPATIBILITY;
            self.lcd.color = false;
        }
        Ok(())
    }

    fn read_picture(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        match input.version {
            ..2 | 11.. => {}
            2 | 3 => self.read_positions::<4>(input)?,
            4..11 => self.read_positions::<5>(input)?,
        }
        if input.version < 6 {
            return Ok(());
        }
        let pixels: Vec<u32> = if input.version < 10 {
            // 0xRRGGBB above a byte of marks
            let stored = input.slice(WIDTH * HEIGHT * 4)?;
            let pixels = stored.chunks_exact(4);
            pixels
                .map(|p| u32::from_le_bytes([p[3], p[2], p[1], 0xFF]))
                .collect()
        } else {
            let stored = input.slice(WIDTH * HEIGHT * 5)?; // each pixel followed by its attribute byte
            let pixels = stored.chunks_exact(5);
            pixels
                .map(|p| u32::from_le_bytes([p[0], p[1], p[2], p[3]]))
                .collect()
        };
        let monochrome = !self.model.is_color();
        self.lcd.renderer.import(&pixels, &self.colors, monochrome);
        if input.version >= 18 {
            self.lcd.window_armed = input.flag()?;
        }
        Ok(())
    }

    /// Scroll positions of the lines, of which older formats have four values or five.
    fn read_positions<const VALUES: usize>(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        for position in &mut self.lcd.line_positions {
            let stored: [u8; VALUES] = input.array()?;
            position[..VALUES].copy_from_slice(&stored);
        }
        Ok(())
    }

    fn read_timer(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let timer = &mut self.timer;
        input.u8()?; // DIV is the high byte of the divider
        timer.counter = input.u8()?;
        timer.divider = input.u16()?;
        timer.reload_left = input.u16()?;
        timer.modulo = input.u8()?;
        timer.control = input.u8()?;
        timer.reload = Reload::Idle;
        if input.version >= 20 {
            timer.reload = match input.u8()? {
                0 => Reload::Idle,
                1 => Reload::Pending,
                2 => Reload::Loading,
                _ => return Err(wrong("unknown timer phase")),
            };
        }
        if input.version >= 12 {
            timer.synced_at = input.u64()?;
        }
        if input.version >= 13 {
            timer.distance = input.i64()?;
        }
        Ok(())
    }

    fn read_cartridge(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let banks = &mut self.cartridge.banks;
        banks.rom_high = usize::from(input.u8()?);
        banks.ram_selected = usize::from(input.u8()?);
        banks.ram_enabled = input.flag()?;
        let mode = input.u8()?;
        debug_assert_eq!(self.cartridge.ram.len(), banks.ram_count * RAM_BANK);
        input.fill(&mut self.cartridge.ram)?;
        match &mut self.cartridge.mapper {
            Mapper::Mbc1(mbc) => {
                mbc.advanced = mode == 1;
                if input.version >= 3 {
                    mbc.low = input.u8()?;
                    mbc.high = input.u8()?;
                } else {
                    let bank = banks.rom_high as u8;
                    mbc.low = bank & 0x1F;
                    mbc.high = bank >> 5 & 3;
                    banks.ram_selected = usize::from(mbc.high);
                }
            }
            Mapper::Mbc3(mbc) => {
                if let Some(rtc) = &mut mbc.rtc {
                    match input.version {
                        ..13 => {
                            let started = f64::from(input.f32()?).trunc();
                            rtc.count_from(
                                started,
                                input.host_time,
                                [input.flag()?, input.flag()?],
                            );
                        }
                        13..21 => {
                            let started = input.f64()?;
                            rtc.count_from(
                                started,
                                input.host_time,
                                [input.flag()?, input.flag()?],
                            );
                        }
                        21.. => rtc.read_pyboy(input.array()?),
                    }
                }
            }
            Mapper::Mbc5(mbc) => {
                if input.layout.rumble && input.flag()? {
                    mbc.rumbling = input.flag()?;
                }
            }
            Mapper::RomOnly | Mapper::Mbc2 => {}
        }
        Ok(())
    }

    fn read_serial(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let serial = &mut self.serial;
        input.u8()?; // SB
        serial.control = input.u8()?;
        serial.active = input.flag()?;
        input.u8()?; // clock source
        serial.synced_at = input.u64()?;
        serial.distance = input.i64()?;
        serial.clock = input.u64()?;
        serial.due = input.u64()?;
        Ok(())
    }
}

fn read_color_ram(ram: &mut ColorRam, input: &mut Reader) -> Result<(), EmuError> {
    ram.spec = input.u8()?;
    ram.auto_increment = input.flag()?;
    ram.index = input.u8()?;
    ram.high_byte = input.flag()?;
    for color in &mut ram.colors {
        *color = input.u16()?;
    }
    Ok(())
}
