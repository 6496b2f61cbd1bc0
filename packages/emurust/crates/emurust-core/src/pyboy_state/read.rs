//! Reading PyBoy's format 29 and the older ones that PyBoy 2.8.1 still reads.
//!
//! Fields that the format lacks keep their values, as in PyBoy: those of power on in a fresh machine.

use super::{samples_per_frame, BORDER_BYTES, NEWEST, OLDEST, SGB_REGISTERS};
use crate::apu::noise::Noise;
use crate::apu::pulse::Pulse;
use crate::apu::units::{Envelope, Length};
use crate::apu::Apu;
use crate::cartridge::{Mapper, RAM_BANK};
use crate::error::EmuError;
use crate::lcd::palette::ColorRam;
use crate::lcd::{stat, Step, FRAME_DOTS, VRAM_BANK};
use crate::machine::Machine;
use crate::timer::Reload;
use crate::{HEIGHT, WIDTH};

struct Reader<'a> {
    data: &'a [u8],
    version: u8,
}

impl<'a> Reader<'a> {
    fn slice(&mut self, length: usize) -> Result<&'a [u8], EmuError> {
        let (head, rest) = self.data.split_at_checked(length).ok_or_else(|| {
            EmuError::InvalidState(
                "the PyBoy state ends too early for this cartridge and model".into(),
            )
        })?;
        self.data = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], EmuError> {
        Ok(self.slice(N)?.try_into().expect("the length was asked for"))
    }

    fn u8(&mut self) -> Result<u8, EmuError> {
        Ok(self.array::<1>()?[0])
    }

    fn flag(&mut self) -> Result<bool, EmuError> {
        Ok(self.u8()? != 0)
    }

    fn u16(&mut self) -> Result<u16, EmuError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, EmuError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn i64(&mut self) -> Result<i64, EmuError> {
        Ok(self.u64()? as i64)
    }

    fn f64(&mut self) -> Result<f64, EmuError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// Fills `into` completely.
    fn fill(&mut self, into: &mut [u8]) -> Result<(), EmuError> {
        into.copy_from_slice(self.slice(into.len())?);
        Ok(())
    }
}

fn wrong(why: &str) -> EmuError {
    EmuError::InvalidState(why.into())
}

impl Machine {
    /// Loads a PyBoy state; the machine becomes what a freshly constructed PyBoy becomes by loading it. It keeps
    /// its ROM, model, sound setting, colours and breakpoints.
    ///
    /// # Errors
    /// `InvalidState` (too new, too old, cut short, of another model or cartridge); the machine is
    /// unchanged then. The format does not name the ROM: a state of another ROM with the same RAM size
    /// cannot be told apart.
    pub fn load_pyboy_state(&mut self, state: &[u8]) -> Result<(), EmuError> {
        let mut fresh = self.powered_on();
        fresh.hooks = self.hooks.clone();
        fresh.read_pyboy(state)?;
        fresh.adopt()?;
        *self = fresh;
        Ok(())
    }

    /// Loads a PyBoy state as the running PyBoy does: what the format lacks stays as it is.
    ///
    /// # Errors
    /// As for [`Self::load_pyboy_state`].
    pub fn load_pyboy_state_running(&mut self, state: &[u8]) -> Result<(), EmuError> {
        let mut loaded = self.clone();
        loaded.cpu.locked = None;
        loaded.cpu.attention = 0;
        loaded.read_pyboy(state)?;
        loaded.adopt()?;
        self.clone_from(&loaded);
        Ok(())
    }

    fn read_pyboy(&mut self, state: &[u8]) -> Result<(), EmuError> {
        let (&version, data) = state
            .split_first()
            .ok_or_else(|| wrong("the state is empty"))?;
        if !(OLDEST..=NEWEST).contains(&version) {
            return Err(EmuError::InvalidState(format!(
                "PyBoy state format {version} is not among the supported {OLDEST} to {NEWEST}"
            )));
        }
        let input = &mut Reader { data, version };
        self.boot_mapped = input.flag()?;
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
        self.read_cpu(input)?;
        if version >= 19 {
            self.oam_dma.active = input.flag()?;
            input.u8()?; // only set inside a transfer step
            self.oam_dma.source = input.u8()?;
            self.oam_dma.index = input.u8()?;
            self.oam_dma.start = input.u64()?;
        }
        self.read_lcd(input)?;
        read_apu(&mut self.apu, input)?;
        self.read_picture(input)?;
        input.fill(&mut self.wram)?;
        input.fill(&mut self.spare)?;
        let ports: [u8; 0x4C] = input.array()?;
        self.p1 = ports[0];
        input.fill(&mut self.hram)?;
        if version <= 15 {
            let ports: [u8; 0x34] = input.array()?;
            self.lcd.object_priority = ports[0x20];
            self.wram_bank = ports[0x24] & 7;
        } else {
            self.wram_bank = input.u8()? & 7;
        }
        self.read_timer(input)?;
        self.read_cartridge(input)?;
        let (directions, actions) = (input.u8()?, input.u8()?);
        self.joypad.set_rows(directions, actions);
        if version >= 15 {
            self.read_serial(input)?;
        }
        if version >= 23 {
            input.slice(SGB_REGISTERS.len() + BORDER_BYTES)?;
        }
        if input.data.is_empty() {
            Ok(())
        } else {
            Err(wrong(
                "there is data left over: the state is of another cartridge",
            ))
        }
    }

    fn read_hdma(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let ports: [u8; 5] = input.array()?;
        self.hdma.control = ports[4];
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
        cpu.enabled = input.u8()?;
        input.u8()?; // set only while a debugger steps
        cpu.pending = input.u8()?;
        self.cycles = input.u64()?;
        Ok(())
    }

    fn read_lcd(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let lcd = &mut self.lcd;
        input.fill(&mut lcd.vram[..VRAM_BANK])?;
        input.fill(&mut lcd.oam)?;
        lcd.control = input.u8()?;
        lcd.bgp = input.u8()?;
        lcd.obp = input.array()?;
        lcd.stat.restore(input.u8()?);
        [lcd.ly, lcd.lyc, lcd.scy, lcd.scx, lcd.wy, lcd.wx] = input.array()?;
        if input.version >= 16 {
            lcd.object_priority = input.u8()?;
        }
        for position in &mut lcd.line_positions {
            *position = input.array()?;
        }
        lcd.color = input.flag()?;
        let downgraded = input.version >= 17 && input.flag()?;
        if lcd.color == downgraded && self.model.is_color() || lcd.color && !self.model.is_color() {
            return Err(wrong("the state contradicts itself about colour"));
        }
        lcd.speed_shift = input.u8()?;
        lcd.frame_done = input.flag()?;
        lcd.first_frame = input.flag()?;
        lcd.restart = input.flag()?;
        lcd.synced_at = input.u64()?;
        lcd.clock = input.u64()?;
        lcd.due = input.u64()?;
        lcd.next_mode = input.u8()?;
        lcd.step = match input.u8()? {
            0 => Step::Plain,
            1 => Step::NextLine,
            2 => Step::ScanAfterNextLine,
            3 => Step::VblankAnnounced,
            _ => return Err(wrong("unknown LCD phase")),
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
        Ok(())
    }

    fn read_picture(&mut self, input: &mut Reader) -> Result<(), EmuError> {
        let stored = input.slice(WIDTH * HEIGHT * 5)?; // each pixel followed by its attribute byte
        let pixels: Vec<u32> = stored
            .chunks_exact(5)
            .map(|p| u32::from_le_bytes([p[0], p[1], p[2], p[3]]))
            .collect();
        let monochrome = !self.model.is_color();
        self.lcd.renderer.import(&pixels, &self.colors, monochrome);
        if input.version >= 18 {
            self.lcd.window_armed = input.flag()?;
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
        if input.version >= 20 {
            timer.reload = match input.u8()? {
                0 => Reload::Idle,
                1 => Reload::Pending,
                2 => Reload::Loading,
                _ => return Err(wrong("unknown timer phase")),
            };
        }
        timer.synced_at = input.u64()?;
        timer.distance = input.i64()?;
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
                mbc.low = input.u8()?;
                mbc.high = input.u8()?;
            }
            Mapper::Mbc3(mbc) => {
                if let Some(rtc) = &mut mbc.rtc {
                    if input.version < 21 {
                        return Err(wrong(
                            "clock cartridges need a PyBoy state of format 21 or newer",
                        ));
                    }
                    rtc.read_pyboy(input.array()?);
                }
            }
            Mapper::Mbc5(mbc) => {
                if input.flag()? {
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

fn read_apu(apu: &mut Apu, input: &mut Reader) -> Result<(), EmuError> {
    let head = input.u64()?; // how much of the sample buffer is of the last frame
    let per_frame = input.u64()?;
    // old states took a sixtieth of a second for a frame
    let legacy = u64::from(apu.sample_rate / 60);
    let usual = samples_per_frame(apu.sample_rate);
    if per_frame != usual && per_frame != legacy {
        return Err(wrong(
            "the state was saved with another sound sample rate than this console's",
        ));
    }
    let saved_interval = input.f64()?;
    let buffer = input.slice((per_frame as usize + 1) * 2)?;
    let last = usize::try_from(head).unwrap_or(0).min(buffer.len());
    apu.samples.clear();
    if apu.record {
        apu.samples
            .extend(buffer[..last].iter().map(|&sample| sample as i8));
    }
    apu.speed_shift = input.u8()?;
    apu.next_sample = input.f64()?;
    apu.next_step = input.f64()? as u64;
    apu.limit = input.i64()?;
    apu.dots = input.u64()?;
    apu.synced_at = input.u64()?;
    apu.skip_state = input.u64()?;
    apu.sequencer = input.u64()?;
    apu.div_written = input.version >= 22 && input.flag()?;
    apu.powered = input.flag()?;
    input.u8()?; // sampling is set per frame
    let sides: [u8; 8] = input.array()?;
    apu.panning = sides.iter().fold(0, |all, bit| all | bit);
    apu.master_volume = input.u8()?;
    read_pulse(&mut apu.pulse1, input)?;
    let sweep = &mut apu.sweep;
    sweep.pace = input.u8()?;
    sweep.falling = input.flag()?;
    sweep.shift = input.u8()?;
    sweep.timer = input.i64()?;
    sweep.check_in = input.i64()?;
    sweep.calculate_in = if input.version >= 27 { input.i64()? } else { 0 };
    sweep.hold = if input.version >= 28 { input.i64()? } else { 0 };
    sweep.fell = input.flag()?;
    sweep.enabled = input.flag()?;
    sweep.shadow = input.i64()?;
    read_pulse(&mut apu.pulse2, input)?;
    read_wave(apu, input)?;
    read_noise(&mut apu.noise, input)?;
    if per_frame != usual && apu.next_sample < crate::NEVER as f64 {
        // the reference rescales what is left of the interval
        let left = (apu.next_sample - apu.dots as f64).max(0.0);
        apu.next_sample = apu.dots as f64 + left * apu.sample_interval / saved_interval;
        apu.limit = (apu.next_sample.ceil() as i64).min(apu.next_step as i64) << apu.speed_shift;
    }
    Ok(())
}

fn read_envelope_registers(envelope: &mut Envelope, input: &mut Reader) -> Result<(), EmuError> {
    envelope.initial = input.u8()?;
    envelope.rising = input.flag()?;
    envelope.pace = input.u8()?;
    Ok(())
}

fn read_length(length: &mut Length, input: &mut Reader) -> Result<(), EmuError> {
    length.left = input.i64()?;
    Ok(())
}

fn read_pulse(pulse: &mut Pulse, input: &mut Reader) -> Result<(), EmuError> {
    pulse.duty = input.u8()?;
    input.u8()?; // initial length
    read_envelope_registers(&mut pulse.envelope, input)?;
    pulse.frequency = input.u16()?;
    pulse.length.enabled = input.flag()?;
    pulse.active = input.flag()?;
    read_length(&mut pulse.length, input)?;
    pulse.envelope.timer = input.i64()?;
    pulse.timer = input.i64()?;
    pulse.period = input.i64()?;
    pulse.position = input.u64()? as u8 & 7;
    pulse.envelope.volume = input.i64()?;
    if input.version >= 23 {
        pulse.muted_until_edge = input.flag()?;
        let late = input.u8()?;
        pulse.late_duty = input.flag()?.then_some(late);
    }
    Ok(())
}

fn read_wave(apu: &mut Apu, input: &mut Reader) -> Result<(), EmuError> {
    let wave = &mut apu.wave;
    wave.table = input.array()?;
    wave.dac_on = input.flag()?;
    input.u8()?; // initial length
    wave.volume_code = input.u8()?;
    wave.frequency = input.u16()?;
    wave.length.enabled = input.flag()?;
    wave.active = input.flag()?;
    read_length(&mut wave.length, input)?;
    wave.timer = input.i64()?;
    wave.period = input.i64()?;
    wave.position = input.u64()? as u8 & 31;
    wave.muted_until_edge = input.flag()?;
    wave.volume_shift = input.u64()? as u8 & 7;
    wave.reading = input.flag()?;
    wave.restarting = input.version >= 24 && input.flag()?;
    wave.heard = wave.position;
    if input.version >= 25 {
        wave.heard = input.u64()? as u8 & 31;
    } else if wave.restarting {
        wave.position = 0;
    }
    Ok(())
}

fn read_noise(noise: &mut Noise, input: &mut Reader) -> Result<(), EmuError> {
    input.u8()?; // initial length
    read_envelope_registers(&mut noise.envelope, input)?;
    noise.shift = input.u8()?;
    noise.short = input.flag()?;
    noise.divisor = input.u8()? & 7;
    noise.length.enabled = input.flag()?;
    noise.active = input.flag()?;
    read_length(&mut noise.length, input)?;
    noise.timer = input.i64()?;
    noise.envelope.timer = input.i64()?;
    input.i64()?; // period: follows from shift and divisor
    noise.lfsr = input.u64()? as u16;
    input.u64()?; // feedback mask: follows from the width
    noise.envelope.volume = input.i64()?;
    if input.version >= 26 {
        noise.counter = input.u64()? as u16;
        noise.countdown = input.i64()?;
        noise.alignment = input.u64()? as u8 & 3;
        noise.counting = input.flag()?;
    } else {
        noise.restore_counter();
    }
    Ok(())
}
