//! What instructions are made of: registers, PC and time in local variables, and accesses.
//!
//! An instruction is written once and compiled twice. As a *plain* one it knows work RAM, high RAM and ROM
//! only, which nothing else has to be told of; where it needs more it gives up, leaving no trace that
//! executing it in full would not overwrite. In full, the machine's clock is set before every access
//! exactly as far as the reference has counted: ports and timers see that moment.

use super::alu::Registers;
use super::attention::LOOP;
use super::decode::{Code, Space};
use crate::machine::Machine;

/// A plain instruction needs the whole machine.
pub(super) struct NotPlain;

pub(super) type Done = Result<(), NotPlain>;

/// A machine whose CPU is running.
pub(super) struct Step<'m, const PLAIN: bool> {
    pub(super) machine: &'m mut Machine,
    code: &'m Code<'m>,
    /// That of `code`, a load nearer: it is read for every instruction.
    space: &'m Space,
    pub(super) registers: Registers,
    pub(super) pc: u16,
    /// Cycles after `end`: negative until the slice is over.
    pub(super) time: i64,
    end: u64,
}

impl<'m, const PLAIN: bool> Step<'m, PLAIN> {
    #[inline(always)]
    pub(super) fn begin(machine: &'m mut Machine, code: &'m Code<'m>, end: u64) -> Self {
        Self {
            registers: Registers::of(&machine.cpu),
            pc: machine.cpu.pc,
            time: machine.cycles.wrapping_sub(end) as i64,
            end,
            machine,
            code,
            space: code.space,
        }
    }

    #[inline(always)]
    fn now(&self) -> u64 {
        self.end.wrapping_add_signed(self.time)
    }

    /// Puts everything back into the machine; gives the end of the slice.
    #[inline(always)]
    pub(super) fn finish(self) -> u64 {
        self.registers.store(&mut self.machine.cpu);
        self.machine.cpu.pc = self.pc;
        self.machine.cycles = self.now();
        self.end
    }

    /// Executes plain instructions until the slice is over, or up to one that is not plain.
    #[inline(always)]
    pub(super) fn run(&mut self) {
        loop {
            while self.time < 0 {
                let op = self.space[usize::from(self.pc)];
                let before = (self.registers, self.pc, self.time);
                if self.execute(op).is_err() {
                    (self.registers, self.pc, self.time) = before;
                    return;
                }
            }
            let now = self.now();
            let Some(end) = self.machine.end_slice_quietly(now) else {
                return;
            };
            self.end = end;
            self.time = now.wrapping_sub(end) as i64;
        }
    }

    /// Finishes an instruction: its length and the cycles not yet counted.
    #[inline(always)]
    pub(super) fn done(&mut self, length: u16, cycles: i64) -> Done {
        self.pc = self.pc.wrapping_add(length);
        self.time += cycles;
        Ok(())
    }

    /// Ends the slice after the present instruction.
    #[inline(always)]
    fn end_slice(&mut self) {
        self.end = self.now();
        self.time = 0;
    }

    /// Cycles before an access.
    #[inline(always)]
    pub(super) fn wait(&mut self, cycles: i64) {
        self.time += cycles;
    }

    /// The machine, at the present moment.
    #[inline(always)]
    pub(super) fn whole(&mut self) -> Result<&mut Machine, NotPlain> {
        if PLAIN {
            return Err(NotPlain);
        }
        self.machine.cycles = self.now();
        self.machine.cpu.hl = self.registers.hl;
        Ok(self.machine)
    }

    /// The byte at `addr`, if it is in plain memory.
    #[inline(always)]
    fn plain_byte(&mut self, addr: u16) -> Option<u8> {
        let offset = self.machine.wram_offset(addr);
        if let Some(&byte) = self.machine.wram.get(offset) {
            return Some(byte);
        }
        if addr < 0x8000 {
            return self.code.byte(addr);
        }
        if addr >= 0xFF80 {
            return self.machine.high_byte(addr as u8).copied();
        }
        None
    }

    #[inline(always)]
    pub(super) fn read(&mut self, addr: u16) -> Result<u8, NotPlain> {
        if PLAIN {
            return self.plain_byte(addr).ok_or(NotPlain);
        }
        Ok(self.whole()?.read(addr))
    }

    #[inline(always)]
    pub(super) fn write(&mut self, addr: u16, value: u8) -> Done {
        if PLAIN {
            let offset = self.machine.wram_offset(addr);
            if let Some(byte) = self.machine.wram.get_mut(offset) {
                *byte = value;
                return Ok(());
            }
            if addr >= 0xFF80 {
                return self.write_high(addr as u8, value);
            }
        }
        self.whole()?.write(addr, value);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn read_high(&mut self, port: u8) -> Result<u8, NotPlain> {
        if PLAIN {
            if let Some(byte) = self.machine.high_byte(port) {
                return Ok(*byte);
            }
            let now = self.now();
            return self.machine.settled_port(port, now).ok_or(NotPlain);
        }
        Ok(self.whole()?.read_port(port))
    }

    #[inline(always)]
    pub(super) fn write_high(&mut self, port: u8, value: u8) -> Done {
        if PLAIN {
            if let Some(byte) = self.machine.high_byte(port) {
                *byte = value;
                return Ok(());
            }
            if !self.machine.write_settled_port(port, value) {
                return Err(NotPlain);
            }
            self.end_slice();
            return Ok(());
        }
        self.whole()?.write_port(port, value);
        Ok(())
    }

    /// A read of one of the three instructions whose access the LCD sees four cycles late.
    #[inline(always)]
    pub(super) fn read_late(&mut self, addr: u16) -> Result<u8, NotPlain> {
        if PLAIN {
            return self.read(addr);
        }
        self.machine.access_offset = 4;
        let value = self.read(addr);
        self.machine.access_offset = 0;
        value
    }

    #[inline(always)]
    pub(super) fn write_late(&mut self, addr: u16, value: u8) -> Done {
        if PLAIN {
            return self.write(addr, value);
        }
        self.machine.access_offset = 4;
        let done = self.write(addr, value);
        self.machine.access_offset = 0;
        done
    }

    /// LD r,r'.
    #[inline(always)]
    pub(super) fn load<const TO: u8, const FROM: u8>(&mut self) -> Done {
        let value = self.registers.get::<FROM>();
        self.registers.set::<TO>(value);
        self.done(1, 4)
    }

    /// LD r,d8.
    #[inline(always)]
    pub(super) fn load_byte<const TO: u8>(&mut self, value: u8) -> Done {
        self.registers.set::<TO>(value);
        self.done(2, 8)
    }

    /// LD r,(HL), but for A.
    #[inline(always)]
    pub(super) fn load_at_hl<const TO: u8>(&mut self) -> Done {
        let value = self.read(self.registers.hl)?;
        self.registers.set::<TO>(value);
        self.done(1, 8)
    }

    /// LD (HL),r.
    #[inline(always)]
    pub(super) fn store_at_hl<const FROM: u8>(&mut self) -> Done {
        self.write(self.registers.hl, self.registers.get::<FROM>())?;
        self.done(1, 8)
    }

    /// An operation of A with a register.
    #[inline(always)]
    pub(super) fn with<const FROM: u8>(
        &mut self,
        operation: impl FnOnce(&mut Registers, u8),
    ) -> Done {
        let value = self.registers.get::<FROM>();
        operation(&mut self.registers, value);
        self.done(1, 4)
    }

    /// An operation of A with (HL).
    #[inline(always)]
    pub(super) fn with_at_hl(&mut self, operation: impl FnOnce(&mut Registers, u8)) -> Done {
        let value = self.read(self.registers.hl)?;
        operation(&mut self.registers, value);
        self.done(1, 8)
    }

    /// An operation of A with a byte of the instruction.
    #[inline(always)]
    pub(super) fn with_byte(
        &mut self,
        operation: impl FnOnce(&mut Registers, u8),
        byte: u8,
    ) -> Done {
        operation(&mut self.registers, byte);
        self.done(2, 8)
    }

    /// INC r or DEC r.
    #[inline(always)]
    pub(super) fn count<const REGISTER: u8>(
        &mut self,
        operation: impl FnOnce(&mut Registers, u8) -> u8,
    ) -> Done {
        let value = self.registers.get::<REGISTER>();
        let result = operation(&mut self.registers, value);
        self.registers.set::<REGISTER>(result);
        self.done(1, 4)
    }

    /// INC (HL) or DEC (HL).
    #[inline(always)]
    pub(super) fn count_at_hl(&mut self, operation: impl FnOnce(&mut Registers, u8) -> u8) -> Done {
        let value = self.read(self.registers.hl)?;
        let result = operation(&mut self.registers, value);
        self.wait(4);
        self.write(self.registers.hl, result)?;
        self.done(1, 8)
    }

    #[inline(always)]
    pub(super) fn jump_relative(&mut self, condition: bool, distance: u8) -> Done {
        if condition {
            self.pc = self.pc.wrapping_add_signed(i16::from(distance as i8));
            self.done(2, 12)
        } else {
            self.done(2, 8)
        }
    }

    #[inline(always)]
    pub(super) fn jump(&mut self, condition: bool, target: u16) -> Done {
        if condition {
            self.pc = target;
            self.done(0, 16)
        } else {
            self.done(3, 12)
        }
    }

    /// A jump that closes a loop; if taken it asks for a look at the loop, unless that was in vain before.
    #[inline(always)]
    fn close_loop(&mut self, taken: bool, head: u16) -> Done {
        if taken && !self.machine.idle.left_alone(head) {
            self.whole()?.cpu.attention |= LOOP;
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn close_loop_relative(&mut self, condition: bool, distance: u8) -> Done {
        let head = self
            .pc
            .wrapping_add(2)
            .wrapping_add_signed(i16::from(distance as i8));
        self.close_loop(condition, head)?;
        self.jump_relative(condition, distance)
    }

    #[inline(always)]
    pub(super) fn close_loop_absolute(&mut self, condition: bool, target: u16) -> Done {
        self.close_loop(condition, target)?;
        self.jump(condition, target)
    }

    /// Pushes a word; the first byte goes out `before` cycles into the instruction.
    #[inline(always)]
    pub(super) fn push(&mut self, before: i64, value: u16) -> Done {
        let [high, low] = value.to_be_bytes();
        self.wait(before);
        self.write(self.registers.sp.wrapping_sub(1), high)?;
        self.wait(4);
        self.write(self.registers.sp.wrapping_sub(2), low)?;
        self.registers.sp = self.registers.sp.wrapping_sub(2);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn pop(&mut self, before: i64) -> Result<u16, NotPlain> {
        self.wait(before);
        let low = self.read(self.registers.sp)?;
        self.wait(4);
        let high = self.read(self.registers.sp.wrapping_add(1))?;
        self.registers.sp = self.registers.sp.wrapping_add(2);
        Ok(u16::from_le_bytes([low, high]))
    }

    #[inline(always)]
    pub(super) fn push_register(&mut self, value: u16) -> Done {
        self.push(8, value)?;
        self.done(1, 4)
    }

    #[inline(always)]
    pub(super) fn call(&mut self, condition: bool, target: u16) -> Done {
        self.pc = self.pc.wrapping_add(3);
        if condition {
            self.push(16, self.pc)?;
            self.pc = target;
            self.done(0, 4)
        } else {
            self.done(0, 12)
        }
    }

    #[inline(always)]
    pub(super) fn return_if(&mut self, condition: bool) -> Done {
        if condition {
            self.pc = self.pop(8)?;
            self.done(0, 8)
        } else {
            self.done(1, 8)
        }
    }

    #[inline(always)]
    pub(super) fn restart(&mut self, target: u16) -> Done {
        self.pc = self.pc.wrapping_add(1);
        self.push(8, self.pc)?;
        self.pc = target;
        self.done(0, 4)
    }
}
