//! The CPU: registers, interrupt entry and the slice loop. Instructions are in [`execute`].

mod alu;
mod execute;
pub(crate) mod idle;
#[cfg(test)]
mod single_step_tests;

use crate::cartridge::BANK;
use crate::interrupts::{most_urgent, ALL};
use crate::machine::Machine;

#[derive(Debug, Clone, Default)]
pub(crate) struct Cpu {
    pub(crate) a: u8,
    pub(crate) f: u8,
    pub(crate) b: u8,
    pub(crate) c: u8,
    pub(crate) d: u8,
    pub(crate) e: u8,
    pub(crate) h: u8,
    pub(crate) l: u8,
    pub(crate) sp: u16,
    pub(crate) pc: u16,
    pub(crate) ime: bool,
    /// Instructions until EI takes effect.
    pub(crate) ei_delay: u8,
    /// While halted, PC stays on the HALT.
    pub(crate) halted: bool,
    /// HALT right after EI: the interrupt returns to the HALT itself.
    pub(crate) halted_in_ei: bool,
    /// Ends the slice after this instruction.
    pub(crate) bail: bool,
    /// The instruction was a taken jump to a lower address: perhaps an idle loop.
    pub(crate) jumped_back: bool,
    /// IE.
    pub(crate) enabled: u8,
    /// IF.
    pub(crate) pending: u8,
    /// Illegal opcode the program ran into.
    pub(crate) locked: Option<u8>,
}

macro_rules! pair {
    ($get:ident, $set:ident, $high:ident, $low:ident) => {
        #[inline]
        pub(crate) fn $get(&self) -> u16 {
            u16::from_be_bytes([self.$high, self.$low])
        }
        #[inline]
        pub(crate) fn $set(&mut self, value: u16) {
            [self.$high, self.$low] = value.to_be_bytes();
        }
    };
}

impl Cpu {
    pair!(bc, set_bc, b, c);
    pair!(de, set_de, d, e);
    pair!(hl, set_hl, h, l);
    pair!(af, set_af_raw, a, f);

    #[inline]
    pub(crate) fn set_af(&mut self, value: u16) {
        self.set_af_raw(value & 0xFFF0);
    }

    #[inline]
    pub(crate) fn requested(&self) -> u8 {
        self.pending & self.enabled & ALL
    }
}

impl Machine {
    /// Runs the CPU for `target` cycles, or to the first instruction that ends the slice.
    pub(crate) fn run_slice(&mut self, target: i64) {
        let end = self.cycles + target as u64;
        self.enter_interrupt();
        self.cpu.bail = false;
        if self.cpu.halted {
            self.cycles = self.cycles.max(end);
            return;
        }
        self.resume_idle_loop(end);
        let (mut pc, mut now) = (self.cpu.pc, self.cycles);
        while now < end {
            let (opcode, operand) = self.fetch(pc, now);
            (pc, now) = self.execute(opcode, operand, pc, now);
            let cpu = &mut self.cpu;
            if u8::from(cpu.bail) | u8::from(cpu.jumped_back) | cpu.ei_delay == 0 {
                continue;
            }
            self.count_down_ei();
            if self.cpu.bail {
                break;
            }
            if self.cpu.jumped_back {
                (self.cpu.pc, self.cycles) = (pc, now);
                self.at_loop_head(end);
                (pc, now) = (self.cpu.pc, self.cycles);
                self.cpu.jumped_back = false;
            }
        }
        self.cpu.jumped_back = false;
        (self.cpu.pc, self.cycles) = (pc, now);
    }

    /// Wakes the CPU and, if IME is set, enters the most urgent handler.
    fn enter_interrupt(&mut self) {
        if self.cpu.requested() == 0 || self.cpu.ei_delay != 0 {
            return;
        }
        if self.cpu.halted && !self.cpu.halted_in_ei {
            self.cpu.pc = self.cpu.pc.wrapping_add(1);
        }
        self.cpu.halted_in_ei = false;
        self.cpu.halted = false;
        if !self.cpu.ime {
            return;
        }
        self.cpu.ime = false;
        let [high, low] = self.cpu.pc.to_be_bytes();
        self.write(self.cpu.sp.wrapping_sub(1), high);
        // that write may have been to IE
        let requested = self.cpu.requested();
        if requested == 0 {
            self.cpu.pc = 0;
            return;
        }
        let (flag, handler) = most_urgent(requested);
        self.cpu.pending &= !flag;
        self.write(self.cpu.sp.wrapping_sub(2), low);
        self.cpu.sp = self.cpu.sp.wrapping_sub(2);
        self.cpu.pc = handler;
        self.cycles += 20;
    }

    /// One instruction outside the slice loop.
    #[cfg(test)]
    pub(super) fn step(&mut self) {
        let (pc, now) = (self.cpu.pc, self.cycles);
        let (opcode, operand) = self.fetch(pc, now);
        (self.cpu.pc, self.cycles) = self.execute(opcode, operand, pc, now);
        self.count_down_ei();
    }

    #[inline]
    fn count_down_ei(&mut self) {
        if self.cpu.ei_delay == 0 {
            return;
        }
        self.cpu.ei_delay -= 1;
        if self.cpu.ei_delay == 0 {
            self.cpu.ime = true;
            // an assignment: it takes back a request of the instruction itself to end the slice
            self.cpu.bail = self.cpu.requested() != 0 || self.cpu.locked.is_some();
        }
    }

    /// The opcode at `pc` and the two bytes after it (those that it needs, at least).
    #[inline(always)]
    pub(super) fn fetch(&mut self, pc: u16, now: u64) -> (u8, u16) {
        if self.boot_mapped || pc >= 0x7FFE {
            return self.fetch_slowly(pc, now);
        }
        let banks = &self.cartridge.banks;
        // just below 4000h a fetch reaches back into the bank before the selected one
        let start = if pc < 0x3FFE {
            banks.rom_low * BANK
        } else {
            (banks.rom_high * BANK).wrapping_sub(BANK)
        };
        let flat = start.wrapping_add(usize::from(pc));
        match self.rom.data.get(flat..flat.wrapping_add(3)) {
            Some(bytes) => (bytes[0], u16::from_le_bytes([bytes[1], bytes[2]])),
            // bank 0 selected: the reference reads memory that is not the ROM's; give up instead
            None => (execute::ILLEGAL, 0),
        }
    }

    /// Outside ROM an instruction is read byte by byte, each four cycles further for the LCD.
    fn fetch_slowly(&mut self, pc: u16, now: u64) -> (u8, u16) {
        self.cycles = now;
        self.access_offset = 0;
        let opcode = self.read(pc);
        let mut operand = [0; 2];
        let length = execute::LENGTHS[usize::from(opcode)];
        for i in 1..length {
            self.access_offset = 4 * i;
            operand[usize::from(i) - 1] = self.read(pc.wrapping_add(u16::from(i)));
        }
        self.access_offset = 0;
        (opcode, u16::from_le_bytes(operand))
    }
}
