//! What the host may look at and change between instructions: registers, the cartridge's clock and RAM, colours.

use std::sync::Arc;

use crate::cartridge::rtc::Rtc;
use crate::cartridge::Mapper;
use crate::error::EmuError;
use crate::lcd::palette::Shades;
use crate::machine::Machine;

fn no_register(name: &str) -> EmuError {
    EmuError::InvalidArgument(format!(
        "register {name:?}: expected A, F, B, C, D, E, HL, SP or PC"
    ))
}

impl Machine {
    /// A CPU register: `A`, `F`, `B`, `C`, `D`, `E`, `HL`, `SP` or `PC`.
    ///
    /// # Errors
    /// `InvalidArgument` for another name.
    pub fn register(&self, name: &str) -> Result<u16, EmuError> {
        let cpu = &self.cpu;
        Ok(match name {
            "A" => cpu.a.into(),
            "F" => cpu.f.into(),
            "B" => cpu.bc >> 8,
            "C" => cpu.bc & 0xFF,
            "D" => cpu.de >> 8,
            "E" => cpu.de & 0xFF,
            "HL" => cpu.hl,
            "SP" => cpu.sp,
            "PC" => cpu.pc,
            other => return Err(no_register(other)),
        })
    }

    /// Sets a CPU register, to as many bits as it has (F to its upper half).
    ///
    /// # Errors
    /// As for [`Self::register`].
    pub fn set_register(&mut self, name: &str, value: u16) -> Result<(), EmuError> {
        let cpu = &mut self.cpu;
        let low = value & 0xFF;
        match name {
            "A" => cpu.a = low as u8,
            "F" => cpu.f = low as u8 & 0xF0,
            "B" => cpu.bc = cpu.bc & 0xFF | low << 8,
            "C" => cpu.bc = cpu.bc & 0xFF00 | low,
            "D" => cpu.de = cpu.de & 0xFF | low << 8,
            "E" => cpu.de = cpu.de & 0xFF00 | low,
            "HL" => cpu.hl = value,
            "SP" => cpu.sp = value,
            "PC" => cpu.pc = value,
            other => return Err(no_register(other)),
        }
        Ok(())
    }

    /// Whether the picture was replaced as a whole since the last call: by a blank one, or by a loaded one.
    pub fn take_replaced(&mut self) -> bool {
        std::mem::take(&mut self.lcd.renderer.replaced)
    }

    /// Sets the upper half of the divider, as if that much time had passed for it alone.
    pub fn set_divider(&mut self, value: u8) {
        self.timer.divider = u16::from(value) << 8 | self.timer.divider & 0xFF;
        self.disturb();
    }

    /// The buttons that are held, as a mask.
    pub fn buttons(&self) -> u8 {
        self.joypad.held
    }

    /// Whether the cartridge has a rumble motor, and whether it is on.
    pub fn rumble(&self) -> (bool, bool) {
        match &self.cartridge.mapper {
            Mapper::Mbc5(mbc) => (mbc.has_rumble, mbc.has_rumble && mbc.rumbling),
            _ => (false, false),
        }
    }

    /// The cartridge's clock, if it has one.
    pub(crate) fn clock(&mut self) -> Option<&mut Rtc> {
        match &mut self.cartridge.mapper {
            Mapper::Mbc3(mbc) => mbc.rtc.as_mut(),
            _ => None,
        }
    }

    /// The clock as PyBoy's `.rtc` files hold it; none without one.
    pub fn clock_file(&mut self, host_time: f64) -> Option<Vec<u8>> {
        Some(self.clock()?.to_pyboy(host_time).to_vec())
    }

    /// Sets the clock from such a file.
    ///
    /// # Errors
    /// `InvalidState` for another length, or without a clock.
    pub fn set_clock(&mut self, file: &[u8]) -> Result<(), EmuError> {
        let wrong = |why: &str| EmuError::InvalidState(why.into());
        let stored = file
            .try_into()
            .map_err(|_| wrong("a clock file has 33 bytes"))?;
        let clock = self
            .clock()
            .ok_or_else(|| wrong("this cartridge has no clock"))?;
        clock.read_pyboy(stored);
        Ok(())
    }

    /// Stops the cartridge's clock, which shows zeroes then, or lets it go on; false without one.
    pub fn lock_clock(&mut self, locked: bool) -> bool {
        let clock = self.clock();
        let found = clock.is_some();
        if let Some(clock) = clock {
            clock.locked = locked;
        }
        found
    }

    /// Fills the cartridge's RAM from its first byte on.
    ///
    /// # Errors
    /// `InvalidState` for another length.
    pub fn set_cartridge_ram(&mut self, bytes: &[u8]) -> Result<(), EmuError> {
        let ram = &mut self.cartridge.ram;
        if bytes.len() != ram.len() {
            return Err(EmuError::InvalidState(format!(
                "cartridge RAM of {} bytes: this cartridge has {}",
                bytes.len(),
                ram.len()
            )));
        }
        ram.copy_from_slice(bytes);
        Ok(())
    }

    /// Changes the colours of a monochrome machine; the picture takes them on as it is drawn.
    pub fn set_monochrome(&mut self, shades: Shades) {
        let mut colors = (*self.colors).clone();
        colors.monochrome = shades;
        self.colors = Arc::new(colors);
    }

    /// Samples of the frame, left and right in turns, if they are kept; they are made when they are first asked for.
    pub fn samples(&mut self) -> &[i8] {
        self.apu.catch_up(self.events.slice_start);
        self.apu.make_samples();
        &self.apu.samples
    }

    /// The sound is emulated.
    pub fn has_sound(&self) -> bool {
        self.apu.emulated
    }
}
