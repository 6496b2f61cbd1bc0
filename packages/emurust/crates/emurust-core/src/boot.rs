//! Boot ROM images, given by the user.

use std::sync::Arc;

use crate::apu::Apu;
use crate::cartridge::Rom;
use crate::cpu::attention::BAIL;
use crate::error::EmuError;
use crate::interrupts::VBLANK;
use crate::lcd::{stat, FRAME_DOTS};
use crate::machine::{Machine, Options};
use crate::NEVER;

/// A boot ROM: 256 bytes, or 2,304 for the colour layout with a gap for the header.
#[derive(Debug, Clone)]
pub struct BootRom {
    data: Vec<u8>,
}

impl BootRom {
    /// # Errors
    /// `InvalidBootRom` for any other length.
    pub fn new(data: Vec<u8>) -> Result<Self, EmuError> {
        match data.len() {
            0x100 | 0x900 => Ok(Self { data }),
            other => Err(EmuError::InvalidBootRom(other)),
        }
    }

    /// The byte seen at `addr`, if the boot ROM covers it.
    #[inline]
    pub(crate) fn read(&self, addr: u16) -> Option<u8> {
        if (0x100..0x200).contains(&addr) {
            return None;
        }
        self.data.get(usize::from(addr)).copied()
    }

    /// The image, without the gap.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Changes a byte; gives the one before.
    pub(crate) fn patch(&mut self, offset: usize, value: u8) -> u8 {
        std::mem::replace(&mut self.data[offset], value)
    }
}

/// What differs between the machines when the reference's boot ROM hands over; equal for every cartridge.
struct HandOver {
    af: u16,
    bc: u16,
    de: u16,
    hl: u16,
    cycles: u64,
    /// Dots since the frame began.
    clock: u64,
    next_sample: f64,
    pulse_timer: i64,
    pulse_position: u8,
    pulse2_remnant: Option<(i64, u8)>,
    noise_alignment: u8,
    /// Low byte of a return address left under the stack pointer.
    stack_remnant: u8,
}

const MONOCHROME: HandOver = HandOver {
    af: 0x01D0,
    bc: 0x0013,
    de: 0x008F,
    hl: 0x0087,
    cycles: 4_507_360,
    clock: 66_232,
    next_sample: 4_507_391.317_337_462,
    pulse_timer: 84,
    pulse_position: 7,
    // monochrome channels run even when silent
    pulse2_remnant: Some((4, 3)),
    noise_alignment: 0,
    stack_remnant: 0xB1,
};

const COLOR: HandOver = HandOver {
    af: 0x1180,
    bc: 0x0000,
    de: 0x0008,
    hl: 0x007C,
    cycles: 4_507_420,
    clock: 66_292,
    next_sample: 4_507_478.698_670_795,
    pulse_timer: 36,
    pulse_position: 1,
    pulse2_remnant: None,
    noise_alignment: 2,
    stack_remnant: 0xB0,
};

/// A monochrome cartridge on a colour machine.
const COMPATIBILITY: HandOver = HandOver {
    cycles: 4_507_436,
    clock: 66_308,
    ..COLOR
};

const LINE_145_ENDS: u64 = 66_576;

impl Machine {
    /// A machine as the reference's boot ROM leaves it, at 0100h, except that video memory is empty (the
    /// boot ROM's logo is not ours to give) and nothing was drawn yet.
    #[must_use]
    pub fn after_boot(rom: Arc<Rom>, options: &Options) -> Self {
        let mut machine = Self::blank(rom, options);
        let table = match (machine.model.is_color(), machine.color_mode) {
            (false, _) => &MONOCHROME,
            (true, true) => &COLOR,
            (true, false) => &COMPATIBILITY,
        };
        let (now, sound) = (table.cycles, machine.apu.emulated);
        machine.cycles = now;
        let cpu = &mut machine.cpu;
        cpu.set_af(table.af);
        cpu.bc = table.bc;
        cpu.de = table.de;
        cpu.hl = table.hl;
        cpu.sp = 0xFFFE;
        cpu.pc = 0x0100;
        cpu.pending = VBLANK;
        cpu.attention = BAIL;
        machine.hram[0x7C] = table.stack_remnant;
        let lcd = &mut machine.lcd;
        lcd.control = 0x91;
        lcd.stat.restore(0x81);
        lcd.ly = 145;
        lcd.clock = table.clock;
        lcd.due = LINE_145_ENDS;
        lcd.synced_at = now;
        lcd.to_change = (LINE_145_ENDS - table.clock) as i64;
        lcd.to_frame = (FRAME_DOTS - table.clock) as i64;
        lcd.next_mode = stat::VBLANK;
        lcd.frame_done = true;
        if machine.model.is_color() && !machine.color_mode {
            machine.key0 = 4;
            lcd.color = false;
        }
        machine.timer.divider = now as u16;
        machine.timer.synced_at = now;
        machine.timer.distance = NEVER;
        machine.serial.synced_at = now;
        machine.serial.clock = now;
        machine.serial.distance = NEVER;
        machine.apu.synced_at = now;
        if sound {
            table.set_up_sound(&mut machine.apu);
        }
        machine
    }
}

impl HandOver {
    /// The sound of the boot ROM's jingle, dying away.
    fn set_up_sound(&self, apu: &mut Apu) {
        apu.dots = self.cycles;
        apu.next_sample = self.next_sample;
        apu.next_step = 4_508_632;
        apu.limit = self.next_sample.ceil() as i64;
        apu.powered = true;
        apu.sequencer = 513;
        apu.master_volume = 0x77;
        apu.panning = 0xF3;
        apu.pulse1.duty = 2;
        apu.pulse1.envelope.write(0xF3);
        apu.pulse1.envelope.timer = 2;
        apu.pulse1.envelope.volume = 6;
        apu.pulse1.set_frequency(0x770);
        apu.pulse1.timer = self.pulse_timer;
        apu.pulse1.position = self.pulse_position;
        apu.sweep.pace = 1;
        apu.sweep.shift = 3;
        apu.sweep.timer = 1;
        apu.sweep.enabled = true;
        apu.sweep.shadow = 0x770;
        if let Some((timer, position)) = self.pulse2_remnant {
            apu.pulse2.timer = timer;
            apu.pulse2.position = position;
        }
        apu.noise.alignment = self.noise_alignment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::decode::Code;
    use crate::machine::Model;
    use crate::test_rom::{color_rom, counting_rom};

    /// Runs the boot ROM to the slice in which it unmaps itself.
    fn booted(rom: &Arc<Rom>, boot: &Arc<BootRom>, model: Model) -> Machine {
        let options = Options {
            model: Some(model),
            ..Options::default()
        };
        let mut machine = Machine::with_boot_rom(rom.clone(), boot.clone(), &options);
        machine.apu.sampling = false;
        while machine.boot_mapped {
            let rom = machine.rom.clone();
            let mut code = Code::of(&rom, &machine);
            machine.run_one_slice(&mut code);
        }
        machine
    }

    /// Needs the reference's boot ROMs: `EMURUST_BOOT_ROMS` names the folder that holds them.
    #[test]
    fn the_table_is_what_the_boot_rom_leaves() {
        let Ok(folder) = std::env::var("EMURUST_BOOT_ROMS") else {
            eprintln!("skipped: set EMURUST_BOOT_ROMS to the folder of bootrom_dmg.bin and bootrom_cgb.bin");
            return;
        };
        let boot = |name| {
            Arc::new(BootRom::new(std::fs::read(format!("{folder}/{name}")).unwrap()).unwrap())
        };
        let mut wrong = Vec::new();
        for (rom, name, model) in [
            (counting_rom(), "bootrom_dmg.bin", Model::Monochrome),
            (color_rom(), "bootrom_cgb.bin", Model::Color),
            (counting_rom(), "bootrom_cgb.bin", Model::Color),
        ] {
            let mut real = booted(&rom, &boot(name), model);
            let options = Options {
                model: Some(model),
                ..Options::default()
            };
            let table = Machine::after_boot(rom, &options);
            real.lcd.vram.fill(0);
            real.lcd.renderer = table.lcd.renderer.clone();
            real.lcd.line_positions = table.lcd.line_positions.clone();
            real.boot = None;
            real.lcd.object_lines = table.lcd.object_lines.clone();
            real.lcd.changes = table.lcd.changes.clone();
            real.events = table.events.clone();
            real.apu.finish_frame();
            real.apu.sampling = table.apu.sampling;
            let (real, table) = (format!("{real:#?}"), format!("{table:#?}"));
            let differing = real
                .lines()
                .zip(table.lines())
                .enumerate()
                .filter(|(_, (a, b))| a != b);
            wrong.extend(
                differing.map(|(line, (a, b))| {
                    format!("{model:?} {line}: {} for {}", a.trim(), b.trim())
                }),
            );
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
