//! The CPU: registers, interrupt entry and the slice loop. Instructions are in [`execute`].

mod alu;
pub(crate) mod decode;
mod execute;
pub(crate) mod idle;
#[cfg(test)]
mod single_step_tests;
mod step;

use crate::cartridge::BANK;
use crate::interrupts::{most_urgent, ALL};
use crate::machine::Machine;
use decode::{Code, Op, Operation};
use step::Step;

/// Reasons to look up after an instruction, as bits of [`Cpu::attention`].
pub(crate) mod attention {
    /// The slice ends after this instruction.
    pub(crate) const BAIL: u8 = 1;
    /// A taken jump closed a loop that may be an idle one.
    pub(crate) const LOOP: u8 = 2;
    /// EI counts down.
    pub(crate) const EI: u8 = 4;
    /// Other ROM is mapped than before.
    pub(crate) const REMAPPED: u8 = 8;
}

/// On a cache line of its own: across two of them batches cost 5 % more, and what else is in a machine decides that.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub(crate) struct Cpu {
    pub(crate) a: u8,
    pub(crate) f: u8,
    pub(crate) bc: u16,
    pub(crate) de: u16,
    pub(crate) hl: u16,
    pub(crate) sp: u16,
    pub(crate) pc: u16,
    pub(crate) ime: bool,
    /// Instructions until EI takes effect.
    pub(crate) ei_delay: u8,
    /// While halted, PC stays on the HALT.
    pub(crate) halted: bool,
    /// HALT right after EI: the interrupt returns to the HALT itself.
    pub(crate) halted_in_ei: bool,
    /// What the slice loop has to look at (see [`attention`]); zero after nearly every instruction.
    pub(crate) attention: u8,
    /// IE.
    pub(crate) enabled: u8,
    /// IF.
    pub(crate) pending: u8,
    /// Interrupts entered since power on or the last loaded state, as bits of IF.
    pub(crate) taken: u8,
    /// Illegal opcode the program ran into.
    pub(crate) locked: Option<u8>,
}

impl Cpu {
    pub(crate) fn af(&self) -> u16 {
        u16::from_be_bytes([self.a, self.f])
    }

    pub(crate) fn set_af(&mut self, value: u16) {
        [self.a, self.f] = (value & 0xFFF0).to_be_bytes();
    }

    #[inline]
    pub(crate) fn requested(&self) -> u8 {
        self.pending & self.enabled & ALL
    }
}

impl Machine {
    /// Runs the CPU to the cycle `end`, or to the first instruction that ends the slice. Where a slice ends
    /// quietly, the next one is run as well.
    pub(crate) fn run_slice(&mut self, code: &mut Code<'_>, end: u64) {
        if self.cpu.requested() != 0 {
            self.enter_interrupt();
            code.map(self);
        }
        self.cpu.attention = if self.cpu.ei_delay == 0 {
            0
        } else {
            attention::EI
        };
        if self.cpu.halted {
            self.cycles = self.cycles.max(end);
            return;
        }
        self.resume_idle_loop(end);
        let mut end = end;
        while self.cycles < end {
            if self.cpu.attention == 0 {
                let mut step = Step::<true>::begin(self, code, end);
                step.run();
                end = step.finish();
                if self.cycles >= end {
                    return;
                }
            }
            self.execute_in_full(code, end);
            if self.cpu.attention != 0 && self.attend(code, end) {
                return;
            }
        }
    }

    /// The instruction at PC, whatever it needs.
    #[inline(always)]
    fn execute_in_full(&mut self, code: &Code<'_>, end: u64) {
        let mut op = code.at(self.cpu.pc);
        if op.operation == Operation::Slow {
            self.skip_countdown(end);
            let (opcode, operand) = self.fetch(self.cpu.pc, self.cycles);
            op = decode::plain(opcode, operand);
        }
        self.execute_one(code, op);
    }

    /// Does what the last instruction asked for; true if the slice is over.
    fn attend(&mut self, code: &mut Code<'_>, end: u64) -> bool {
        self.count_down_ei();
        code.map(self);
        if self.cpu.attention & attention::BAIL != 0 {
            return true;
        }
        if self.cpu.attention & attention::LOOP != 0 {
            self.at_loop_head(code, end);
        }
        self.cpu.attention &= attention::EI;
        false
    }

    /// Wakes the CPU and, if IME is set, enters the most urgent handler.
    fn enter_interrupt(&mut self) {
        if self.cpu.ei_delay != 0 {
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
        self.cpu.taken |= flag;
        self.write(self.cpu.sp.wrapping_sub(2), low);
        self.cpu.sp = self.cpu.sp.wrapping_sub(2);
        self.cpu.pc = handler;
        self.cycles += 20;
    }

    /// One instruction outside the slice loop.
    #[cfg(test)]
    pub(super) fn step(&mut self) {
        let (opcode, operand) = self.fetch(self.cpu.pc, self.cycles);
        let rom = self.rom.clone();
        let code = Code::of(&rom, self);
        self.execute_one(&code, decode::plain(opcode, operand));
        self.count_down_ei();
    }

    /// Executes an instruction that was fetched at PC.
    #[inline(never)]
    pub(super) fn execute_one(&mut self, code: &Code<'_>, op: Op) {
        let end = self.cycles;
        let mut step = Step::<false>::begin(self, code, end);
        // only plain instructions fail
        let _ = step.execute(op);
        step.finish();
    }

    fn count_down_ei(&mut self) {
        let cpu = &mut self.cpu;
        if cpu.ei_delay == 0 {
            return;
        }
        cpu.ei_delay -= 1;
        if cpu.ei_delay == 0 {
            cpu.ime = true;
            cpu.attention &= !(attention::EI | attention::BAIL);
            // an assignment: it takes back a request of the instruction itself to end the slice
            if cpu.requested() != 0 || cpu.locked.is_some() {
                cpu.attention |= attention::BAIL;
            }
        }
    }

    /// The opcode at `pc` and the two bytes after it (those that it needs, at least).
    pub(super) fn fetch(&mut self, pc: u16, now: u64) -> (u8, u16) {
        if self.boot_mapped || pc >= 0x7FFE {
            return self.fetch_bytewise(pc, now);
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
            None => (decode::LOCK_UP, 0),
        }
    }

    /// Outside ROM an instruction is read byte by byte, each four cycles further for the LCD.
    fn fetch_bytewise(&mut self, pc: u16, now: u64) -> (u8, u16) {
        self.cycles = now;
        if !(0xA000..0xFDFE).contains(&pc) && pc < 0xFF80 {
            // the LCD may be asked for a moment and then for one before it
            self.disturb();
        }
        self.access_offset = 0;
        let opcode = self.read(pc);
        let mut operand = [0; 2];
        let length = decode::LENGTHS[usize::from(opcode)];
        for i in 1..length {
            self.access_offset = 4 * i;
            operand[usize::from(i) - 1] = self.read(pc.wrapping_add(u16::from(i)));
        }
        self.access_offset = 0;
        (opcode, u16::from_le_bytes(operand))
    }
}
