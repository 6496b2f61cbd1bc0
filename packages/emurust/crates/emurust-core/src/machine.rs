//! One console: its parts, and the scheduler that runs them in slices.
//!
//! The CPU runs for a *slice*: the distance to the nearest event, at least four cycles. Interrupts are
//! looked at only between slices, and every part advances at most one event at a slice's end. Programs can
//! see the boundaries, so they are part of the behaviour.

use std::sync::Arc;

use educe::Educe;

use crate::apu::{Apu, SAMPLE_RATE};
use crate::boot::BootRom;
use crate::cartridge::{Cartridge, Rom};
use crate::cpu::decode::Code;
use crate::cpu::idle::IdleLoops;
use crate::cpu::Cpu;
use crate::error::EmuError;
use crate::events::Events;
use crate::hdma::Hdma;
use crate::hooks::{Hooks, Stop};
use crate::interrupts::{JOYPAD, SERIAL, TIMER};
use crate::joypad::Joypad;
use crate::lcd::palette::Colors;
use crate::lcd::Lcd;
use crate::oam_dma::OamDma;
use crate::serial::Serial;
use crate::timer::Timer;
use crate::NEVER;

/// Which console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    Monochrome,
    Color,
}

impl Model {
    pub(crate) fn is_color(self) -> bool {
        self == Self::Color
    }
}

/// How a machine is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// Console; by default what the cartridge asks for.
    pub model: Option<Model>,
    /// Emulate sound registers. Off, they read 0 and ignore writes, as in the reference.
    pub sound: bool,
    /// Keep the samples of frames that are sampled.
    pub record_samples: bool,
    /// Samples per second.
    pub sample_rate: u32,
    pub colors: Colors,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            model: None,
            sound: true,
            record_samples: false,
            sample_rate: SAMPLE_RATE,
            colors: Colors::default(),
        }
    }
}

/// What is done faster than the reference does it; none of it may change anything, so tests switch it off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortcuts {
    /// Idle loops are skipped to the end of a slice.
    pub idle_loops: bool,
    /// Sound is postponed until it is looked at.
    pub postponed_sound: bool,
    /// Parts without an event are not advanced at the end of a slice.
    pub quiet_slices: bool,
    /// Whole lines pass at once while the CPU waits.
    pub whole_lines: bool,
    /// ROM is decoded once.
    pub decoded_code: bool,
    /// Lines that would come out as in the frame before are not drawn again.
    pub unchanged_lines: bool,
}

impl Shortcuts {
    pub const ALL: Self = Self::switched(true);
    pub const NONE: Self = Self::switched(false);

    const fn switched(on: bool) -> Self {
        Self {
            idle_loops: on,
            postponed_sound: on,
            quiet_slices: on,
            whole_lines: on,
            decoded_code: on,
            unchanged_lines: on,
        }
    }
}

/// CPU registers and clocks, for inspection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registers {
    pub af: u16,
    pub bc: u16,
    pub de: u16,
    pub hl: u16,
    pub sp: u16,
    pub pc: u16,
    pub ime: bool,
    pub halted: bool,
    pub ie: u8,
    pub interrupt_flags: u8,
    pub cycles: u64,
}

/// Cycles of the shortest slice.
const SHORTEST_SLICE: u64 = 4;
const SPARE_BYTES: usize = 0x60;
const HRAM_BYTES: usize = 0x7F;

/// The table of [`Machine::wram_shifts`]; far beyond the end for addresses that are elsewhere.
fn wram_shifts(bank: u8) -> [usize; 16] {
    let shift = |offset: usize, page: usize| offset.wrapping_sub(page * 0x1000);
    let upper = usize::from(bank.max(1)) * 0x1000;
    let mut shifts = [usize::MAX / 2; 16];
    for first in [0xC, 0xE] {
        shifts[first] = shift(0, first);
    }
    shifts[0xD] = shift(upper, 0xD);
    shifts
}

/// One console with a cartridge.
///
/// `clone_from` copies into the memory that is already there (Educe derives that, the standard derive does not):
/// a reset then allocates nothing.
#[derive(Debug, Educe)]
#[educe(Clone)]
pub struct Machine {
    pub(crate) cpu: Cpu,
    /// CPU cycles since power on (not halved in double speed).
    pub(crate) cycles: u64,
    /// How far the current access lies ahead of `cycles` for the LCD; zero for nearly all of them.
    pub(crate) access_offset: u8,
    pub(crate) boot_mapped: bool,
    pub(crate) double_speed: bool,
    pub(crate) color_mode: bool,
    pub(crate) model: Model,
    pub(crate) lcd: Lcd,
    pub(crate) timer: Timer,
    pub(crate) serial: Serial,
    pub(crate) apu: Apu,
    pub(crate) oam_dma: OamDma,
    pub(crate) hdma: Hdma,
    pub(crate) joypad: Joypad,
    pub(crate) p1: u8,
    pub(crate) key0: u8,
    pub(crate) key1: u8,
    pub(crate) undocumented: [u8; 4],
    pub(crate) wram_bank: u8,
    /// What to add to an address to find it in work RAM, by its upper four bits.
    pub(crate) wram_shifts: [usize; 16],
    pub(crate) wram: Vec<u8>,
    pub(crate) hram: [u8; HRAM_BYTES],
    pub(crate) spare: [u8; SPARE_BYTES],
    pub(crate) cartridge: Cartridge,
    pub(crate) rom: Arc<Rom>,
    pub(crate) boot: Option<Arc<BootRom>>,
    pub(crate) colors: Arc<Colors>,
    pub(crate) idle: IdleLoops,
    pub(crate) events: Events,
    pub(crate) shortcuts: Shortcuts,
    pub(crate) hooks: Hooks,
    /// 64 KiB of plain memory instead of the memory map, for single-instruction tests.
    #[cfg(test)]
    pub(crate) flat: Option<Vec<u8>>,
}

impl Machine {
    /// A machine at power on, about to run the boot ROM.
    #[must_use]
    pub fn with_boot_rom(rom: Arc<Rom>, boot: Arc<BootRom>, options: &Options) -> Self {
        let mut machine = Self::blank(rom, options);
        machine.boot = Some(boot);
        machine.boot_mapped = true;
        machine
    }

    /// A machine as this one was at power on; without a boot ROM, as it would leave it.
    #[must_use]
    pub fn powered_on(&self) -> Self {
        let options = self.options();
        match &self.boot {
            Some(boot) => Self::with_boot_rom(self.rom.clone(), boot.clone(), &options),
            None => Self::after_boot(self.rom.clone(), &options),
        }
    }

    /// A machine as this one is before its first cycle, whatever it begins with.
    pub(crate) fn unpowered(&self) -> Self {
        let mut machine = Self::blank(self.rom.clone(), &self.options());
        machine.boot.clone_from(&self.boot);
        machine.boot_mapped = self.boot.is_some();
        machine
    }

    /// How this machine was set up.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            model: Some(self.model),
            sound: self.apu.emulated,
            record_samples: self.apu.record,
            sample_rate: self.apu.sample_rate,
            colors: (*self.colors).clone(),
        }
    }

    pub(crate) fn blank(rom: Arc<Rom>, options: &Options) -> Self {
        let wanted = if rom.header().color {
            Model::Color
        } else {
            Model::Monochrome
        };
        let model = options.model.unwrap_or(wanted);
        let color = model.is_color();
        let color_mode = color && rom.header().color;
        let mut apu = Apu::new(options.sound, color, options.sample_rate);
        apu.record = options.record_samples;
        Self {
            cpu: Cpu::default(),
            cycles: 0,
            access_offset: 0,
            boot_mapped: false,
            double_speed: false,
            color_mode,
            model,
            lcd: Lcd::new(color),
            timer: Timer::new(),
            serial: Serial::new(color_mode),
            apu,
            oam_dma: OamDma::default(),
            hdma: Hdma::new(),
            joypad: Joypad::default(),
            p1: 0,
            key0: 0,
            key1: 0,
            undocumented: [0; 4],
            wram_bank: 0,
            wram_shifts: wram_shifts(0),
            wram: vec![0; if color { 0x8000 } else { 0x2000 }],
            hram: [0; HRAM_BYTES],
            spare: [0; SPARE_BYTES],
            cartridge: Cartridge::new(&rom),
            rom,
            boot: None,
            colors: Arc::new(options.colors.clone()),
            idle: IdleLoops::new(),
            events: Events::default(),
            shortcuts: Shortcuts::ALL,
            hooks: Hooks::default(),
            #[cfg(test)]
            flat: None,
        }
    }

    pub(crate) fn set_wram_bank(&mut self, bank: u8) {
        self.wram_bank = bank;
        self.wram_shifts = wram_shifts(bank);
    }

    /// Presses or releases a button (0 right, left, up, down, A, B, select, 7 start).
    pub fn set_button(&mut self, button: u8, pressed: bool) {
        if self.joypad.set(button & 7, pressed) {
            self.cpu.pending |= JOYPAD;
        }
    }

    /// Runs to the end of the frame, drawing it and taking samples if asked to; past every breakpoint.
    ///
    /// # Errors
    /// `LockedUp` when the program executed an illegal opcode; the machine stays there.
    pub fn run_frame(&mut self, render: bool, sound: bool) -> Result<(), EmuError> {
        self.begin_frame(render, sound);
        while self.run_to_stop()? != Stop::Frame {}
        Ok(())
    }

    /// Begins a frame, for [`Self::run_to_stop`].
    pub fn begin_frame(&mut self, render: bool, sound: bool) {
        self.lcd.frame_done = false;
        self.lcd.renderer.enabled = render;
        self.apu.sampling = sound;
        self.apu.samples.clear();
        self.apu.open_journal();
        self.idle.start_frame();
        self.disturb();
    }

    pub(crate) fn check_lock(&self) -> Result<(), EmuError> {
        match self.cpu.locked {
            Some(opcode) => Err(EmuError::LockedUp {
                opcode,
                pc: self.cpu.pc,
            }),
            None => Ok(()),
        }
    }

    pub(crate) fn finish_frame(&mut self) {
        self.advance_others();
        self.apu.finish_frame();
    }

    /// Chooses which shortcuts are taken (all by default); for tests.
    pub fn set_shortcuts(&mut self, shortcuts: Shortcuts) {
        self.shortcuts = shortcuts;
        self.apu.lazy = shortcuts.postponed_sound;
        self.lcd.renderer.skip_unchanged = shortcuts.unchanged_lines;
    }

    /// The CPU (or one HBlank DMA block) up to the nearest event, then everything else up to there.
    #[inline]
    pub(crate) fn run_one_slice(&mut self, code: &mut Code<'_>) {
        let now = self.cycles;
        if self.events.others == 0 {
            self.events.slice_start = 0;
            if self.hdma_due() {
                self.run_hdma_block();
            } else {
                let end = now + self.slice_length() as u64;
                self.run_slice(code, end);
            }
        } else {
            self.events.slice_start = now;
            let waits = self.cpu.halted || self.idle.waiting();
            let passed = waits
                && self.shortcuts.whole_lines
                && self.cpu.requested() == 0
                && self.pass_lines();
            if !passed {
                let end = self.events.lcd.min(self.events.counters).max(now + 4);
                self.run_slice(code, end);
            }
        }
        if self.cycles >= self.events.others {
            self.end_slice();
            self.plan();
            return;
        }
        if self.apu.color {
            self.apu.end_slice(self.cycles);
        }
        if self.cycles >= self.events.lcd {
            self.cpu.pending |= self.lcd.advance(self.cycles);
            self.plan_lcd(self.cycles);
        }
    }

    /// A slice of one instruction, or of an interrupt's entry or an HBlank DMA block.
    pub(crate) fn run_shortest_slice(&mut self, code: &mut Code<'_>) {
        self.events.slice_start = 0;
        if self.hdma_due() {
            self.run_hdma_block();
        } else {
            self.run_slice(code, self.cycles + SHORTEST_SLICE);
        }
    }

    /// Cycles to the nearest event.
    #[inline]
    fn slice_length(&mut self) -> i64 {
        let hblank = if self.hdma.active && self.color_mode {
            self.lcd.dots_to_hblank()
        } else {
            NEVER
        };
        self.timer
            .distance
            .min(self.lcd.to_change)
            .min(self.lcd.to_frame)
            .min(self.apu.limit)
            .min(self.serial.distance)
            .min(hblank)
            .max(SHORTEST_SLICE as i64)
    }

    pub(crate) fn end_slice(&mut self) {
        self.sync_oam_dma(0);
        self.advance_others();
        self.cpu.pending |= self.lcd.advance(self.cycles);
    }

    /// Everything that is not the LCD, up to the present cycle.
    fn advance_others(&mut self) {
        self.apu.catch_up(self.events.slice_start);
        self.apu.end_slice(self.cycles);
        if self.serial.advance(self.cycles) {
            self.cpu.pending |= SERIAL;
        }
        if self.timer.advance(self.cycles) {
            self.cpu.pending |= TIMER;
        }
    }

    /// Brings the sound unit up to date before it is accessed.
    pub(crate) fn sync_apu(&mut self) {
        self.apu.catch_up(self.events.slice_start);
        self.apu.advance(self.cycles);
    }

    /// Whether this is a colour console.
    pub fn model(&self) -> Model {
        self.model
    }

    pub fn rom(&self) -> &Arc<Rom> {
        &self.rom
    }

    /// CPU registers and the cycle counter.
    pub fn registers(&self) -> Registers {
        let cpu = &self.cpu;
        Registers {
            af: cpu.af(),
            bc: cpu.bc,
            de: cpu.de,
            hl: cpu.hl,
            sp: cpu.sp,
            pc: cpu.pc,
            ime: cpu.ime,
            halted: cpu.halted,
            ie: cpu.enabled,
            interrupt_flags: cpu.pending,
            cycles: self.cycles,
        }
    }

    /// Interrupts entered since power on, as bits of IF; for test coverage.
    pub fn interrupts_taken(&self) -> u8 {
        self.cpu.taken
    }

    /// Reads memory as a program would, with the side effects of that.
    pub fn read_memory(&mut self, addr: u16) -> u8 {
        self.read(addr)
    }

    /// Writes memory as a program would.
    pub fn write_memory(&mut self, addr: u16, value: u8) {
        self.write(addr, value);
    }

    /// Work RAM: 8 KiB, or eight banks of 4 KiB.
    pub fn wram(&self) -> &[u8] {
        &self.wram
    }

    /// Video RAM: one or two banks of 8 KiB.
    pub fn vram(&self) -> &[u8] {
        &self.lcd.vram
    }

    /// Cartridge RAM, all banks.
    pub fn cartridge_ram(&self) -> &[u8] {
        &self.cartridge.ram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_rom::counting_rom;

    #[test]
    fn a_copy_takes_the_memory_that_is_there() {
        let mut start = Machine::after_boot(counting_rom(), &Options::default());
        let mut machine = start.clone();
        for _ in 0..7 {
            machine.run_frame(true, true).expect("a frame");
        }
        let buffers = |m: &Machine| {
            (
                m.wram.as_ptr(),
                m.lcd.vram.as_ptr(),
                m.lcd.renderer.cells.as_ptr(),
            )
        };
        let before = buffers(&machine);
        machine.clone_from(&start);
        assert_eq!(buffers(&machine), before);
        for _ in 0..7 {
            machine.run_frame(true, true).expect("a frame");
            start.run_frame(true, true).expect("a frame");
        }
        assert_eq!(machine.save_state(), start.save_state());
    }
}
