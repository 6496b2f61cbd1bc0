//! What instructions are made of: registers, PC and time in local variables, and accesses.
//!
//! `now` advances inside an instruction exactly as far as the reference has counted when it makes the
//! access: ports and timers see that moment. The machine's own clock is set only before an access that can
//! notice it; work RAM, high RAM and ROM cannot.

use super::alu::Registers;
use super::attention::{EI, LOOP};
use super::decode;
use crate::machine::Machine;

/// A machine whose CPU is running.
pub(super) struct Step<'m> {
    pub(super) machine: &'m mut Machine,
    /// The ROM image; empty while accesses to it have to go through the memory map.
    rom: &'m [u8],
    pub(super) registers: Registers,
    pub(super) pc: u16,
    pub(super) now: u64,
}

impl<'m> Step<'m> {
    #[inline(always)]
    pub(super) fn begin(machine: &'m mut Machine, rom: &'m [u8]) -> Self {
        Self {
            registers: Registers::of(&machine.cpu),
            pc: machine.cpu.pc,
            now: machine.cycles,
            machine,
            rom,
        }
    }

    /// Puts everything back into the machine.
    #[inline(always)]
    pub(super) fn finish(&mut self) {
        self.registers.store(&mut self.machine.cpu);
        self.machine.cpu.pc = self.pc;
        self.machine.cycles = self.now;
    }

    /// Fetches through the memory map.
    #[cold]
    #[inline(never)]
    fn fetch_mapped(machine: &mut Machine, pc: u16, now: u64) -> (u16, u16) {
        let (opcode, operand) = machine.fetch(pc, now);
        (decode::plain(opcode, operand), operand)
    }

    #[inline(always)]
    pub(super) fn fetch(&mut self) -> (u16, u16) {
        self.machine.cpu.hl = self.registers.hl;
        Self::fetch_mapped(self.machine, self.pc, self.now)
    }

    /// Finishes an instruction: its length and the cycles not yet counted.
    #[inline(always)]
    pub(super) fn done(&mut self, length: u16, cycles: u64) {
        self.pc = self.pc.wrapping_add(length);
        self.now += cycles;
    }

    /// Before an access that may look at the machine.
    #[inline(always)]
    pub(super) fn expose(&mut self) {
        self.machine.cycles = self.now;
        self.machine.cpu.hl = self.registers.hl;
    }

    /// The byte at `addr`, if it is in memory that nothing else has to know about.
    #[inline(always)]
    fn plain_byte(&mut self, addr: u16) -> Option<u8> {
        #[cfg(test)]
        if self.machine.flat.is_some() {
            return None;
        }
        if addr & 0xE000 == 0xC000 {
            return Some(self.machine.wram[self.machine.wram_offset(addr)]);
        }
        if addr < 0x8000 {
            let flat = self.machine.cartridge.banks.offset(addr);
            return self.rom.get(flat).copied();
        }
        if addr >= 0xFF80 {
            return self.machine.high_byte(addr as u8).copied();
        }
        None
    }

    #[inline(always)]
    pub(super) fn read(&mut self, addr: u16) -> u8 {
        if let Some(byte) = self.plain_byte(addr) {
            return byte;
        }
        self.expose();
        self.machine.read(addr)
    }

    #[inline(always)]
    fn write_plain(&mut self, addr: u16, value: u8) -> bool {
        #[cfg(test)]
        if self.machine.flat.is_some() {
            return false;
        }
        if addr & 0xE000 == 0xC000 {
            let offset = self.machine.wram_offset(addr);
            self.machine.wram[offset] = value;
            return true;
        }
        if addr >= 0xFF80 {
            if let Some(byte) = self.machine.high_byte(addr as u8) {
                *byte = value;
                return true;
            }
        }
        false
    }

    #[inline(always)]
    pub(super) fn write(&mut self, addr: u16, value: u8) {
        if !self.write_plain(addr, value) {
            self.expose();
            self.machine.write(addr, value);
        }
    }

    #[inline(always)]
    pub(super) fn read_high(&mut self, port: u8) -> u8 {
        if let Some(byte) = self.machine.high_byte(port) {
            return *byte;
        }
        self.expose();
        self.machine.read_port(port)
    }

    #[inline(always)]
    pub(super) fn write_high(&mut self, port: u8, value: u8) {
        if let Some(byte) = self.machine.high_byte(port) {
            *byte = value;
            return;
        }
        self.expose();
        self.machine.write_port(port, value);
    }

    /// A read of one of the three instructions whose access the LCD sees four cycles late.
    #[inline(always)]
    pub(super) fn read_late(&mut self, addr: u16) -> u8 {
        if let Some(byte) = self.plain_byte(addr) {
            return byte;
        }
        self.expose();
        self.machine.access_offset = 4;
        let value = self.machine.read(addr);
        self.machine.access_offset = 0;
        value
    }

    #[inline(always)]
    pub(super) fn write_late(&mut self, addr: u16, value: u8) {
        if !self.write_plain(addr, value) {
            self.expose();
            self.machine.access_offset = 4;
            self.machine.write(addr, value);
            self.machine.access_offset = 0;
        }
    }

    /// LD r,r'.
    #[inline(always)]
    pub(super) fn load<const TO: u8, const FROM: u8>(&mut self) {
        let value = self.registers.get::<FROM>();
        self.registers.set::<TO>(value);
        self.done(1, 4);
    }

    /// LD r,d8.
    #[inline(always)]
    pub(super) fn load_byte<const TO: u8>(&mut self, value: u8) {
        self.registers.set::<TO>(value);
        self.done(2, 8);
    }

    /// LD r,(HL), but for A.
    #[inline(always)]
    pub(super) fn load_at_hl<const TO: u8>(&mut self) {
        let value = self.read(self.registers.hl);
        self.registers.set::<TO>(value);
        self.done(1, 8);
    }

    /// LD (HL),r.
    #[inline(always)]
    pub(super) fn store_at_hl<const FROM: u8>(&mut self) {
        self.write(self.registers.hl, self.registers.get::<FROM>());
        self.done(1, 8);
    }

    /// An operation of A with a register.
    #[inline(always)]
    pub(super) fn with<const FROM: u8>(&mut self, operation: impl FnOnce(&mut Registers, u8)) {
        let value = self.registers.get::<FROM>();
        operation(&mut self.registers, value);
        self.done(1, 4);
    }

    /// An operation of A with (HL).
    #[inline(always)]
    pub(super) fn with_at_hl(&mut self, operation: impl FnOnce(&mut Registers, u8)) {
        let value = self.read(self.registers.hl);
        operation(&mut self.registers, value);
        self.done(1, 8);
    }

    /// An operation of A with a byte of the instruction.
    #[inline(always)]
    pub(super) fn with_byte(&mut self, operation: impl FnOnce(&mut Registers, u8), byte: u8) {
        operation(&mut self.registers, byte);
        self.done(2, 8);
    }

    /// INC r or DEC r.
    #[inline(always)]
    pub(super) fn count<const REGISTER: u8>(
        &mut self,
        operation: impl FnOnce(&mut Registers, u8) -> u8,
    ) {
        let value = self.registers.get::<REGISTER>();
        let result = operation(&mut self.registers, value);
        self.registers.set::<REGISTER>(result);
        self.done(1, 4);
    }

    /// INC (HL) or DEC (HL).
    #[inline(always)]
    pub(super) fn count_at_hl(&mut self, operation: impl FnOnce(&mut Registers, u8) -> u8) {
        let value = self.read(self.registers.hl);
        let result = operation(&mut self.registers, value);
        self.now += 4;
        self.write(self.registers.hl, result);
        self.done(1, 8);
    }

    #[inline(always)]
    pub(super) fn jump_relative(&mut self, condition: bool, distance: u8) {
        if condition {
            self.pc = self.pc.wrapping_add_signed(i16::from(distance as i8));
            self.done(2, 12);
        } else {
            self.done(2, 8);
        }
    }

    #[inline(always)]
    pub(super) fn jump(&mut self, condition: bool, target: u16) {
        if condition {
            self.pc = target;
            self.now += 16;
        } else {
            self.done(3, 12);
        }
    }

    /// A taken jump that closes a loop asks for a look at it.
    #[inline(always)]
    pub(super) fn close_loop(&mut self, taken: bool) {
        if taken {
            self.machine.cpu.attention |= LOOP;
        }
    }

    /// Pushes a word; the first byte goes out `before` cycles into the instruction.
    #[inline(always)]
    pub(super) fn push(&mut self, before: u64, value: u16) {
        let [high, low] = value.to_be_bytes();
        self.now += before;
        self.write(self.registers.sp.wrapping_sub(1), high);
        self.now += 4;
        self.write(self.registers.sp.wrapping_sub(2), low);
        self.registers.sp = self.registers.sp.wrapping_sub(2);
    }

    #[inline(always)]
    pub(super) fn pop(&mut self, before: u64) -> u16 {
        self.now += before;
        let low = self.read(self.registers.sp);
        self.now += 4;
        let high = self.read(self.registers.sp.wrapping_add(1));
        self.registers.sp = self.registers.sp.wrapping_add(2);
        u16::from_le_bytes([low, high])
    }

    #[inline(always)]
    pub(super) fn push_register(&mut self, value: u16) {
        self.push(8, value);
        self.done(1, 4);
    }

    #[inline(always)]
    pub(super) fn call(&mut self, condition: bool, target: u16) {
        self.pc = self.pc.wrapping_add(3);
        if condition {
            self.push(16, self.pc);
            self.pc = target;
            self.now += 4;
        } else {
            self.now += 12;
        }
    }

    #[inline(always)]
    pub(super) fn return_if(&mut self, condition: bool) {
        if condition {
            self.pc = self.pop(8);
            self.now += 8;
        } else {
            self.done(1, 8);
        }
    }

    #[inline(always)]
    pub(super) fn restart(&mut self, target: u16) {
        self.pc = self.pc.wrapping_add(1);
        self.push(8, self.pc);
        self.pc = target;
        self.now += 4;
    }

    /// EI: interrupts are on after the next instruction.
    #[inline(always)]
    pub(super) fn enable_interrupts(&mut self) {
        let cpu = &mut self.machine.cpu;
        if cpu.ei_delay == 0 {
            cpu.ei_delay = 2;
            cpu.attention |= EI;
        }
        self.done(1, 4);
    }
}
