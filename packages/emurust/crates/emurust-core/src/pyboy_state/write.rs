//! Writing PyBoy's formats. PyBoy goes on from such a state as this machine does, as far as the format has room for it.
//!
//! What nobody can see is written as zeroes: the priority bytes next to the pixels of a finished picture,
//! the initial values of length counters, debugger flags.

use super::layout::{Channels, Layout};
use super::{
    samples_per_frame, BORDER_BYTES, COLOR, OBJECT_PRIORITY, RELEASED, SGB_REGISTERS, UPPER_BYTES,
    WRAM_BANK,
};
use crate::apu::noise::{Noise, DIVISORS};
use crate::apu::pulse::Pulse;
use crate::apu::units::Envelope;
use crate::apu::Apu;
use crate::cartridge::Mapper;
use crate::error::EmuError;
use crate::lcd::palette::ColorRam;
use crate::lcd::{Step, FRAME_DOTS, VRAM_BANK};
use crate::machine::Machine;
use crate::timer::Reload;
use crate::{HEIGHT, WIDTH};

/// What is left of sound in the host's buffer.
#[derive(Debug, Clone, Copy, Default)]
pub struct SoundBuffer<'b> {
    /// The whole buffer, left and right in turns.
    pub samples: &'b [u8],
    /// How much of it is of the last frame.
    pub head: u64,
}

struct Writer {
    data: Vec<u8>,
    layout: Layout,
}

impl Writer {
    /// The format has what came with format `first`.
    fn since(&self, first: u8) -> bool {
        self.layout.format >= first
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.data.extend_from_slice(bytes);
    }

    fn zeroes(&mut self, count: usize) {
        self.data.resize(self.data.len() + count, 0);
    }

    fn flags<const N: usize>(&mut self, flags: [bool; N]) {
        self.bytes(&flags.map(u8::from));
    }

    fn u16s<const N: usize>(&mut self, values: [u16; N]) {
        values
            .iter()
            .for_each(|value| self.bytes(&value.to_le_bytes()));
    }

    fn u64s<const N: usize>(&mut self, values: [u64; N]) {
        values
            .iter()
            .for_each(|value| self.bytes(&value.to_le_bytes()));
    }

    fn i64s<const N: usize>(&mut self, values: [i64; N]) {
        self.u64s(values.map(|value| value as u64));
    }

    fn f64s<const N: usize>(&mut self, values: [f64; N]) {
        self.u64s(values.map(f64::to_bits));
    }

    fn color_ram(&mut self, ram: &ColorRam) {
        self.bytes(&[
            ram.spec,
            u8::from(ram.auto_increment),
            ram.index,
            u8::from(ram.high_byte),
        ]);
        self.u16s(ram.colors);
    }

    fn envelope(&mut self, envelope: &Envelope) {
        self.bytes(&[envelope.initial, u8::from(envelope.rising), envelope.pace]);
    }

    fn pulse(&mut self, pulse: &Pulse, enabled: u8) {
        self.bytes(&[pulse.duty, 0]);
        self.envelope(&pulse.envelope);
        self.u16s([pulse.frequency]);
        self.flags([pulse.length.enabled]);
        self.bytes(&[if pulse.active { enabled } else { 0 }]);
        self.i64s([
            pulse.length.left,
            pulse.envelope.timer,
            pulse.timer,
            pulse.period,
        ]);
        self.u64s([u64::from(pulse.position)]);
        self.i64s([pulse.envelope.volume]);
        if self.since(23) {
            self.flags([pulse.muted_until_edge]);
            self.bytes(&[pulse.late_duty.unwrap_or(pulse.duty)]);
            self.flags([pulse.late_duty.is_some()]);
        }
    }

    fn noise(&mut self, noise: &Noise) {
        self.bytes(&[0]);
        self.envelope(&noise.envelope);
        self.bytes(&[noise.shift, u8::from(noise.short), noise.divisor]);
        self.flags([noise.length.enabled]);
        self.bytes(&[if noise.active { 8 } else { 0 }]);
        self.i64s([
            noise.length.left,
            noise.timer,
            noise.envelope.timer,
            DIVISORS[usize::from(noise.divisor)] << noise.shift,
        ]);
        self.u64s([
            u64::from(noise.lfsr),
            if noise.short { 0x4040 } else { 0x4000 },
        ]);
        self.i64s([noise.envelope.volume]);
        if self.since(26) {
            self.u64s([u64::from(noise.counter)]);
            self.i64s([noise.countdown]);
            self.u64s([u64::from(noise.alignment)]);
            self.flags([noise.counting]);
        }
    }
}

impl Machine {
    /// The machine in one of PyBoy's formats; `host_time` (seconds since 1970) is kept for cartridges with a clock.
    ///
    /// # Errors
    /// `InvalidArgument`: no release of PyBoy wrote this format, or it does not know colour consoles.
    pub fn save_pyboy_state(
        &self,
        sound: SoundBuffer<'_>,
        host_time: f64,
        format: u8,
    ) -> Result<Vec<u8>, EmuError> {
        if !RELEASED.contains(&format) {
            return Err(EmuError::InvalidArgument(format!(
                "PyBoy state format {format}: expected one of PyBoy's releases, {RELEASED:?}"
            )));
        }
        if format < COLOR && self.model.is_color() {
            return Err(EmuError::InvalidArgument(format!(
                "PyBoy state format {format} of a colour console: expected {COLOR} or newer"
            )));
        }
        let mut out = Writer {
            data: Vec::with_capacity(160_000 + self.cartridge.ram.len()),
            layout: Layout::usual(format),
        };
        out.bytes(&[format, u8::from(self.boot_mapped)]);
        if out.since(16) {
            out.bytes(&[self.key0]);
        }
        if out.since(COLOR) {
            out.bytes(&[self.key1]);
            out.flags([self.double_speed, self.model.is_color()]);
        }
        if self.model.is_color() {
            self.write_hdma(&mut out);
        }
        self.write_cpu(&mut out);
        self.write_lcd(&mut out);
        if out.since(14) {
            self.write_apu(&mut out, sound);
        }
        self.write_picture(&mut out);
        out.bytes(&self.wram);
        out.bytes(&self.spare);
        out.bytes(&[self.p1]);
        out.zeroes(0x4B);
        out.bytes(&self.hram);
        if out.since(16) {
            out.bytes(&[self.wram_bank]);
        } else {
            let mut upper = [0; UPPER_BYTES];
            upper[OBJECT_PRIORITY] = self.lcd.object_priority;
            upper[WRAM_BANK] = self.wram_bank;
            out.bytes(&upper);
        }
        if !out.layout.stat {
            out.bytes(&[self.cpu.enabled]);
        }
        if out.since(5) {
            self.write_timer(&mut out);
        }
        self.write_cartridge(&mut out, host_time);
        if out.since(7) {
            let held = self.joypad.held;
            out.bytes(&[!held & 0x0F, !held >> 4]);
        }
        if out.since(15) {
            self.write_serial(&mut out);
        }
        if out.since(23) {
            out.bytes(&SGB_REGISTERS);
            out.zeroes(BORDER_BYTES);
        }
        Ok(out.data)
    }

    fn write_hdma(&self, out: &mut Writer) {
        let hdma = &self.hdma;
        out.bytes(&hdma.source.to_be_bytes());
        out.bytes(&hdma.target.to_be_bytes());
        out.bytes(&[hdma.control]);
        if out.layout.format == 8 {
            out.bytes(&[hdma.control]);
        }
        out.flags([hdma.active]);
        out.u16s([hdma.source, hdma.target]);
    }

    fn write_cpu(&self, out: &mut Writer) {
        let cpu = &self.cpu;
        out.bytes(&[cpu.a, cpu.f]);
        out.bytes(&cpu.bc.to_be_bytes());
        out.bytes(&cpu.de.to_be_bytes());
        out.u16s([cpu.hl, cpu.sp, cpu.pc]);
        // without a place for the delay of EI, its end is the nearest
        let delayed = !out.since(19) && cpu.ei_delay > 0;
        out.flags([cpu.ime || delayed]);
        if out.since(19) {
            out.bytes(&[cpu.ei_delay]);
        }
        out.flags([cpu.halted]);
        out.bytes(&[0]);
        if out.layout.stat {
            out.bytes(&[cpu.enabled]);
        }
        if out.since(8) {
            out.bytes(&[0, cpu.pending]);
        }
        if out.since(12) {
            out.u64s([self.cycles]);
        }
        if out.since(19) {
            let dma = &self.oam_dma;
            out.bytes(&[u8::from(dma.active), 0, dma.source, dma.index]);
            out.u64s([dma.start]);
        }
    }

    fn write_lcd(&self, out: &mut Writer) {
        let lcd = &self.lcd;
        out.bytes(&lcd.vram[..VRAM_BANK]);
        out.bytes(&lcd.oam);
        out.bytes(&[lcd.control, lcd.bgp, lcd.obp[0], lcd.obp[1]]);
        if out.layout.stat {
            out.bytes(&[lcd.stat.value, lcd.ly, lcd.lyc]);
        }
        out.bytes(&[lcd.scy, lcd.scx, lcd.wy, lcd.wx]);
        if out.since(16) {
            out.bytes(&[lcd.object_priority]);
        }
        if out.since(11) {
            lcd.line_positions.iter().for_each(|line| out.bytes(line));
        }
        if out.since(8) {
            self.write_lcd_clock(out);
        }
    }

    fn write_lcd_clock(&self, out: &mut Writer) {
        let lcd = &self.lcd;
        // before format 17 colour was the console's, not the picture's
        let color = lcd.color || !out.since(17) && self.model.is_color();
        out.flags([color]);
        if out.since(17) {
            out.flags([self.model.is_color() && !lcd.color]);
        }
        out.bytes(&[lcd.speed_shift]);
        if out.since(13) {
            out.flags([lcd.frame_done, lcd.first_frame, lcd.restart]);
        }
        if out.since(12) {
            out.u64s([lcd.synced_at]);
        }
        let in_cycles = if out.since(13) { 0 } else { lcd.speed_shift };
        out.u64s([lcd.clock << in_cycles, lcd.due << in_cycles]);
        out.bytes(&[lcd.next_mode]);
        if out.layout.lcd_step {
            out.bytes(&[match lcd.step {
                Step::Plain => 0,
                Step::NextLine => 1,
                Step::ScanAfterNextLine => 2,
                Step::VblankAnnounced => 3,
            }]);
        }
        if color {
            out.bytes(&lcd.vram[VRAM_BANK..]);
            out.bytes(&[lcd.vram_bank]);
            out.color_ram(&lcd.bg_colors);
            out.color_ram(&lcd.obj_colors);
        }
    }

    fn write_apu(&self, out: &mut Writer, sound: SoundBuffer<'_>) {
        let apu = &self.apu;
        // before PyBoy 2.8 a frame was a sixtieth of a second
        let old = !out.since(18);
        let per_frame = if old {
            u64::from(apu.sample_rate / 60)
        } else {
            samples_per_frame(apu.sample_rate)
        };
        let room = (per_frame as usize + 1) * 2;
        out.u64s([sound.head.min(room as u64), per_frame]);
        out.f64s([if old {
            FRAME_DOTS as f64 / per_frame.max(1) as f64
        } else {
            apu.sample_interval
        }]);
        let kept = &sound.samples[..sound.samples.len().min(room)];
        out.bytes(kept);
        out.zeroes(room - kept.len());
        out.bytes(&[apu.speed_shift]);
        out.f64s([apu.next_sample, apu.next_step as f64]);
        out.i64s([apu.limit]);
        out.u64s([apu.dots, apu.synced_at, apu.skip_state, apu.sequencer]);
        if out.since(22) {
            out.flags([apu.div_written]);
        }
        out.bytes(&[if apu.powered { 0x80 } else { 0 }]);
        out.flags([!apu.sampling]);
        for bit in (0..8).rev() {
            out.bytes(&[apu.panning & 1 << bit]);
        }
        if out.layout.master_volume {
            out.bytes(&[apu.master_volume]);
        }
        out.pulse(&apu.pulse1, 1);
        let sweep = &apu.sweep;
        let checked = out.layout.channels >= Channels::Checked;
        out.bytes(&[sweep.pace, u8::from(sweep.falling), sweep.shift]);
        out.i64s([sweep.timer]);
        if checked {
            out.i64s([sweep.check_in]);
        }
        if out.since(27) {
            out.i64s([sweep.calculate_in]);
        }
        if out.since(28) {
            out.i64s([sweep.hold]);
        }
        if checked {
            out.flags([sweep.fell]);
        }
        out.flags([sweep.enabled]);
        out.i64s([sweep.shadow]);
        out.pulse(&apu.pulse2, 2);
        write_wave(apu, out);
        out.noise(&apu.noise);
    }

    fn write_picture(&self, out: &mut Writer) {
        if !out.since(11) {
            let positions = &self.lcd.line_positions;
            positions.iter().for_each(|line| out.bytes(line));
        }
        if out.since(6) {
            let mut picture = vec![0; WIDTH * HEIGHT * 4];
            self.picture_rgba(&mut picture);
            for pixel in picture.chunks_exact(4) {
                if out.since(10) {
                    out.bytes(&[pixel[0], pixel[1], pixel[2], pixel[3], 0]);
                } else {
                    out.bytes(&[0, pixel[2], pixel[1], pixel[0]]);
                }
            }
        }
        if out.since(18) {
            out.flags([self.lcd.window_armed]);
        }
    }

    fn write_timer(&self, out: &mut Writer) {
        let timer = &self.timer;
        out.bytes(&[timer.read_div(), timer.counter]);
        out.u16s([timer.divider, timer.reload_left]);
        out.bytes(&[timer.modulo, timer.control]);
        if out.since(20) {
            out.bytes(&[match timer.reload {
                Reload::Idle => 0,
                Reload::Pending => 1,
                Reload::Loading => 2,
            }]);
        }
        if out.since(12) {
            out.u64s([timer.synced_at]);
        }
        if out.since(13) {
            out.i64s([timer.distance]);
        }
    }

    fn write_cartridge(&self, out: &mut Writer, host_time: f64) {
        let banks = &self.cartridge.banks;
        let advanced = matches!(&self.cartridge.mapper, Mapper::Mbc1(mbc) if mbc.advanced);
        out.bytes(&[
            banks.rom_high as u8,
            banks.ram_selected as u8,
            u8::from(banks.ram_enabled),
            u8::from(advanced),
        ]);
        out.bytes(&self.cartridge.ram);
        match &self.cartridge.mapper {
            Mapper::Mbc1(mbc) => out.bytes(&[mbc.low, mbc.high]),
            Mapper::Mbc3(mbc) => {
                if let Some(rtc) = &mbc.rtc {
                    let stored = rtc.to_pyboy(host_time);
                    match out.layout.format {
                        21.. => out.bytes(&stored),
                        13..21 => out.bytes(&stored[..10]),
                        ..13 => {
                            out.bytes(&(rtc.started(host_time) as f32).to_le_bytes());
                            out.bytes(&stored[8..10]);
                        }
                    }
                }
            }
            Mapper::Mbc5(mbc) if out.layout.rumble => {
                out.flags([mbc.has_rumble]);
                if mbc.has_rumble {
                    out.flags([mbc.rumbling]);
                }
            }
            Mapper::RomOnly | Mapper::Mbc2 | Mapper::Mbc5(_) => {}
        }
    }

    fn write_serial(&self, out: &mut Writer) {
        let serial = &self.serial;
        out.bytes(&[0xFF, serial.control]);
        // the reference keeps the flag as the bit of SC that it is
        out.bytes(&[if serial.active { 0x80 } else { 0 }]);
        out.bytes(&[serial.control & 1]);
        out.u64s([serial.synced_at]);
        out.i64s([serial.distance]);
        out.u64s([serial.clock, serial.due]);
    }
}

fn write_wave(apu: &Apu, out: &mut Writer) {
    let wave = &apu.wave;
    out.bytes(&wave.table);
    out.bytes(&[u8::from(wave.dac_on), 0, wave.volume_code]);
    out.u16s([wave.frequency]);
    out.flags([wave.length.enabled]);
    out.bytes(&[if wave.active { 4 } else { 0 }]);
    out.i64s([wave.length.left, wave.timer, wave.period]);
    out.u64s([u64::from(wave.position)]);
    if out.layout.channels >= Channels::Muted {
        out.flags([wave.muted_until_edge]);
    }
    out.u64s([u64::from(wave.volume_shift)]);
    if out.layout.channels >= Channels::Checked {
        out.flags([wave.reading]);
    }
    if out.since(24) {
        out.flags([wave.restarting]);
    }
    if out.since(25) {
        out.u64s([u64::from(wave.heard)]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::NEWEST;
    use super::*;
    use crate::test_rom::{color_rom, counting_rom};
    use crate::Options;

    #[test]
    fn what_is_written_reads_back() {
        for rom in [counting_rom(), color_rom()] {
            let mut machine = Machine::after_boot(rom, &Options::default());
            machine.set_button(3, true);
            for _ in 0..9 {
                machine.run_frame(true, true).expect("a frame");
            }
            let written = |m: &Machine| {
                let none = SoundBuffer::default();
                m.save_pyboy_state(none, 0.0, NEWEST).expect("a format")
            };
            let mut copy = machine.powered_on();
            copy.load_pyboy_state(&written(&machine), 0.0)
                .expect("a good state");
            assert!(written(&copy) == written(&machine));
            for _ in 0..9 {
                machine.run_frame(true, true).expect("a frame");
                copy.run_frame(true, true).expect("a frame");
            }
            assert!(written(&copy) == written(&machine));
        }
    }
}
