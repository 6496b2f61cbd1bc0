//! Breakpoints: places where a frame is interrupted so that the host can look and change things.
//!
//! The opcode at the place is exchanged for one that no program has. So a breakpoint costs nothing until it
//! is reached, and whoever reads the place sees that opcode. Reaching one ends the slice; its instruction
//! is then executed in a slice of its own, with the breakpoint lifted, as the reference does it: programs
//! can see the boundaries.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cartridge::{BANK, RAM_BANK};
use crate::cpu::decode::Code;
use crate::error::EmuError;
use crate::lcd::VRAM_BANK;
use crate::machine::Machine;

/// The opcode that stands for a breakpoint.
pub const BREAK: u8 = 0xDB;
/// The bank number of the boot ROM.
pub const BOOT_BANK: i32 = -1;

/// A place in memory: bank (of ROM, video or cartridge RAM; [`BOOT_BANK`]; 0 elsewhere) and address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub bank: i32,
    pub address: u16,
}

/// Why the machine stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The frame is over.
    Frame,
    /// A breakpoint was reached; its instruction, with this opcode, is executed next.
    Hook(Place, u8),
}

/// The breakpoints of a machine; no part of its saved state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hooks {
    /// The opcodes that were there.
    opcodes: BTreeMap<Place, u8>,
    /// The breakpoint whose instruction is being executed.
    lifted: Option<Place>,
    /// The next slice is one instruction.
    stepping: bool,
}

/// Where a place is stored.
enum Cell<'m> {
    Boot(usize),
    Rom(usize),
    Ram(&'m mut u8),
}

impl Machine {
    fn cell(&mut self, place: Place) -> Result<Cell<'_>, EmuError> {
        let address = usize::from(place.address);
        let refused = || {
            EmuError::InvalidArgument(format!(
                "no breakpoint can be set at {:#06x} in bank {}",
                place.address, place.bank
            ))
        };
        if place.bank == BOOT_BANK && address < 0x100 && self.boot.is_some() {
            return Ok(Cell::Boot(address));
        }
        let bank = usize::try_from(place.bank).map_err(|_| refused())?;
        let (memory, offset) = match place.address >> 12 {
            0..=7 if bank < self.rom.header().rom_banks => {
                return Ok(Cell::Rom(bank * BANK + address % BANK))
            }
            8 | 9 => (
                &mut self.lcd.vram,
                bank.min(1) * VRAM_BANK + address % VRAM_BANK,
            ),
            0xA | 0xB => (
                &mut self.cartridge.ram,
                bank * RAM_BANK + address % RAM_BANK,
            ),
            0xC | 0xD => (&mut self.wram, address - 0xC000),
            _ => return Err(refused()),
        };
        memory.get_mut(offset).map(Cell::Ram).ok_or_else(refused)
    }

    /// Exchanges the byte at a place for a while.
    fn exchange(&mut self, place: Place, value: u8) -> Result<u8, EmuError> {
        match self.cell(place)? {
            Cell::Ram(byte) => Ok(std::mem::replace(byte, value)),
            Cell::Rom(offset) => {
                let rom = Arc::make_mut(&mut self.rom);
                let before = rom.data[offset];
                rom.poke(offset, value);
                Ok(before)
            }
            Cell::Boot(offset) => {
                let boot = self.boot.as_mut().expect("the place was found in it");
                Ok(Arc::make_mut(boot).patch(offset, value))
            }
        }
    }

    /// Sets a breakpoint.
    ///
    /// # Errors
    /// `InvalidArgument` where there can be none.
    pub fn set_hook(&mut self, place: Place) -> Result<(), EmuError> {
        let opcode = self.exchange(place, BREAK)?;
        self.hooks.opcodes.insert(place, opcode);
        self.idle.clear();
        Ok(())
    }

    /// The opcode under a breakpoint, if there is one (it is not while its own instruction is executed).
    #[must_use]
    pub fn hook(&self, place: Place) -> Option<u8> {
        self.hooks.opcodes.get(&place).copied()
    }

    /// Takes a breakpoint away; gives the opcode that is there again.
    ///
    /// # Errors
    /// `InvalidArgument` where there is none.
    pub fn remove_hook(&mut self, place: Place) -> Result<u8, EmuError> {
        let opcode = self.hooks.opcodes.remove(&place).ok_or_else(|| {
            EmuError::InvalidArgument(format!(
                "there is no breakpoint at {:#06x} in bank {}",
                place.address, place.bank
            ))
        })?;
        self.exchange(place, opcode)?;
        Ok(opcode)
    }

    /// The breakpoint at PC.
    fn hook_at_pc(&self) -> Option<Place> {
        let address = self.cpu.pc;
        let banks = &self.cartridge.banks;
        let bank = match address >> 12 {
            0 if address < 0x100 && self.boot_mapped => BOOT_BANK,
            0..=3 | 0xC.. => 0,
            4..=7 => banks.rom_high as i32,
            0xA | 0xB => banks.ram_selected as i32,
            _ => return None,
        };
        let place = Place { bank, address };
        self.hooks.opcodes.contains_key(&place).then_some(place)
    }

    /// Stops before the instruction of a breakpoint, which is lifted for it.
    fn stop_at(&mut self, place: Place) -> Result<Stop, EmuError> {
        let opcode = self.remove_hook(place)?;
        self.hooks.lifted = Some(place);
        self.hooks.stepping = true;
        Ok(Stop::Hook(place, opcode))
    }

    /// Puts the breakpoint back whose instruction was executed.
    fn set_lifted_hook(&mut self) -> Result<(), EmuError> {
        match self.hooks.lifted.take() {
            Some(place) => self.set_hook(place),
            None => Ok(()),
        }
    }

    /// Goes on with the frame that [`Self::begin_frame`] began, to its end or to the next breakpoint.
    ///
    /// # Errors
    /// `LockedUp` when the program executed an illegal opcode; the machine stays there.
    pub fn run_to_stop(&mut self) -> Result<Stop, EmuError> {
        if std::mem::take(&mut self.hooks.stepping) {
            // a breakpoint in the frame's last slice was reported; its instruction belongs to the next frame
            if !self.lcd.frame_done {
                self.run_one_instruction();
            }
            self.set_lifted_hook()?;
            if self.cpu.locked.is_some() {
                return self.stop_at_locked();
            }
            match self.hook_at_pc() {
                Some(place) if !self.lcd.frame_done => return self.stop_at(place),
                _ => {}
            }
        }
        let rom = self.rom.clone();
        let mut code = Code::of(&rom, self);
        while !self.lcd.frame_done {
            self.run_one_slice(&mut code);
            if self.cpu.locked.is_some() {
                drop(rom);
                return self.stop_at_locked();
            }
        }
        self.finish_frame();
        Ok(Stop::Frame)
    }

    /// The CPU stands on an illegal opcode: a breakpoint, or the end.
    fn stop_at_locked(&mut self) -> Result<Stop, EmuError> {
        let place = match self.cpu.locked {
            Some(BREAK) => self.hook_at_pc(),
            _ => None,
        };
        let Some(place) = place else {
            return self.check_lock().map(|()| Stop::Frame);
        };
        self.cpu.locked = None;
        self.end_slice();
        self.idle.clear();
        self.disturb();
        self.stop_at(place)
    }

    fn run_one_instruction(&mut self) {
        let rom = self.rom.clone();
        let mut code = Code::of(&rom, self);
        self.run_shortest_slice(&mut code);
        self.end_slice();
        self.idle.clear();
        self.disturb();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_rom::counting_rom;
    use crate::Options;

    const LOOP: Place = Place {
        bank: 0,
        address: 0x158, // inc (hl)
    };

    fn hits(machine: &mut Machine) -> u32 {
        let mut hits = 0;
        machine.begin_frame(true, true);
        while let Stop::Hook(place, opcode) = machine.run_to_stop().expect("a running program") {
            assert_eq!((place, opcode, machine.cpu.pc), (LOOP, 0x34, 0x158));
            assert_eq!(
                machine.read_memory(0x158),
                0x34,
                "lifted while it is looked at"
            );
            hits += 1;
        }
        assert_eq!(machine.read_memory(0x158), BREAK);
        hits
    }

    #[test]
    fn a_breakpoint_is_reached_every_time_and_leaves_no_trace() {
        let mut machine = Machine::after_boot(counting_rom(), &Options::default());
        let mut plain = machine.clone();
        machine.set_hook(LOOP).expect("a place in ROM");
        machine.begin_frame(true, true);
        while machine.run_to_stop().expect("a running program") != Stop::Frame {}
        plain.run_frame(true, true).expect("a frame");
        let count = |m: &Machine| m.wram.iter().map(|&b| u32::from(b)).sum::<u32>();
        let before = count(&machine);
        let hits = hits(&mut machine);
        assert_eq!(count(&machine) - before, hits);
        assert_eq!(machine.remove_hook(LOOP), Ok(0x34));
        assert!(machine.remove_hook(LOOP).is_err());
        plain.run_frame(true, true).expect("a frame");
        assert!(hits > 1000 && plain.hook(LOOP).is_none());
        assert_eq!(
            plain.read_memory(0x158),
            0x34,
            "another machine of the same ROM"
        );
    }

    #[test]
    fn places_that_do_not_exist_are_refused() {
        let mut machine = Machine::after_boot(counting_rom(), &Options::default());
        for (bank, address) in [(2, 0), (-1, 0), (0, 0xE000), (0, 0xFF80), (1, 0xA000)] {
            assert!(machine.set_hook(Place { bank, address }).is_err());
        }
    }

    #[test]
    fn the_breakpoint_opcode_of_a_program_locks_up() {
        let mut machine =
            Machine::after_boot(crate::test_rom::rom_from(&[0xDB]), &Options::default());
        let locked = machine.run_frame(true, true);
        assert!(matches!(
            locked,
            Err(EmuError::LockedUp { opcode: 0xDB, .. })
        ));
    }
}
