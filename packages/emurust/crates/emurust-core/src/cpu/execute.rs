//! Every instruction: what it does, its length, and its cycles in the parts before and after its accesses.
//!
//! | access | cycles counted before it |
//! |---|---|
//! | loads, stores and arithmetic through BC, DE, HL, and FF00+C | 0 |
//! | INC/DEC (HL) | read 0, write 4 |
//! | LD (HL),d8; LDH (a8) | 4 |
//! | LD (a16),A and back | 8 |
//! | POP | 0, 4 |
//! | RET, RETI | 4, 8 |
//! | RET cc; PUSH; RST | 8, 12 |
//! | CALL | 16, 20 |
//! | CB (HL) | read 4, write 8 |

use super::alu::{Registers, A, B, C, D, E, H, L};
use super::attention::{BAIL, EI};
use super::decode::Op;
use super::decode::Operation::*;
use super::step::{Done, NotPlain, Step};

impl<const PLAIN: bool> Step<'_, PLAIN> {
    /// Executes the instruction at PC.
    #[inline(always)]
    pub(super) fn execute(&mut self, op: Op) -> Done {
        let (operand, byte) = (op.operand, op.operand as u8);
        match op.operation {
            X01 => {
                self.registers.bc = operand;
                self.done(3, 12)
            }
            X02 => {
                self.write(self.registers.bc, self.registers.a)?;
                self.done(1, 8)
            }
            X03 => {
                self.registers.bc = self.registers.bc.wrapping_add(1);
                self.done(1, 8)
            }
            X04 => self.count::<B>(Registers::inc),
            X05 => self.count::<B>(Registers::dec),
            X06 => self.load_byte::<B>(byte),
            X07 => {
                self.registers.rotate_a::<0>();
                self.done(1, 4)
            }
            X08 => {
                let [low, high] = self.registers.sp.to_le_bytes();
                self.write(operand, low)?;
                // wraps to 0000h, where it is a mapper command
                self.write(operand.wrapping_add(1), high)?;
                self.done(3, 20)
            }
            X09 => {
                self.registers.add_hl(self.registers.bc);
                self.done(1, 8)
            }
            X0A => {
                self.registers.a = self.read(self.registers.bc)?;
                self.done(1, 8)
            }
            X0B => {
                self.registers.bc = self.registers.bc.wrapping_sub(1);
                self.done(1, 8)
            }
            X0C => self.count::<C>(Registers::inc),
            X0D => self.count::<C>(Registers::dec),
            X0E => self.load_byte::<C>(byte),
            X0F => {
                self.registers.rotate_a::<1>();
                self.done(1, 4)
            }
            X10 => self.stop(),
            X11 => {
                self.registers.de = operand;
                self.done(3, 12)
            }
            X12 => {
                self.write_late(self.registers.de, self.registers.a)?;
                self.done(1, 8)
            }
            X13 => {
                self.registers.de = self.registers.de.wrapping_add(1);
                self.done(1, 8)
            }
            X14 => self.count::<D>(Registers::inc),
            X15 => self.count::<D>(Registers::dec),
            X16 => self.load_byte::<D>(byte),
            X17 => {
                self.registers.rotate_a::<2>();
                self.done(1, 4)
            }
            X18 => self.jump_relative(true, byte),
            X19 => {
                self.registers.add_hl(self.registers.de);
                self.done(1, 8)
            }
            X1A => {
                self.registers.a = self.read_late(self.registers.de)?;
                self.done(1, 8)
            }
            X1B => {
                self.registers.de = self.registers.de.wrapping_sub(1);
                self.done(1, 8)
            }
            X1C => self.count::<E>(Registers::inc),
            X1D => self.count::<E>(Registers::dec),
            X1E => self.load_byte::<E>(byte),
            X1F => {
                self.registers.rotate_a::<3>();
                self.done(1, 4)
            }
            X20 => self.jump_relative(!self.registers.is_zero(), byte),
            X21 => {
                self.registers.hl = operand;
                self.done(3, 12)
            }
            X22 => {
                self.write(self.registers.hl, self.registers.a)?;
                self.registers.hl = self.registers.hl.wrapping_add(1);
                self.done(1, 8)
            }
            X23 => {
                self.registers.hl = self.registers.hl.wrapping_add(1);
                self.done(1, 8)
            }
            X24 => self.count::<H>(Registers::inc),
            X25 => self.count::<H>(Registers::dec),
            X26 => self.load_byte::<H>(byte),
            X27 => {
                self.registers.daa();
                self.done(1, 4)
            }
            X28 => self.jump_relative(self.registers.is_zero(), byte),
            X29 => {
                self.registers.add_hl(self.registers.hl);
                self.done(1, 8)
            }
            X2A => {
                self.registers.a = self.read(self.registers.hl)?;
                self.registers.hl = self.registers.hl.wrapping_add(1);
                self.done(1, 8)
            }
            X2B => {
                self.registers.hl = self.registers.hl.wrapping_sub(1);
                self.done(1, 8)
            }
            X2C => self.count::<L>(Registers::inc),
            X2D => self.count::<L>(Registers::dec),
            X2E => self.load_byte::<L>(byte),
            X2F => {
                self.registers.complement();
                self.done(1, 4)
            }
            X30 => self.jump_relative(!self.registers.is_carry(), byte),
            X31 => {
                self.registers.sp = operand;
                self.done(3, 12)
            }
            X32 => {
                self.write(self.registers.hl, self.registers.a)?;
                self.registers.hl = self.registers.hl.wrapping_sub(1);
                self.done(1, 8)
            }
            X33 => {
                self.registers.sp = self.registers.sp.wrapping_add(1);
                self.done(1, 8)
            }
            X34 => self.count_at_hl(Registers::inc),
            X35 => self.count_at_hl(Registers::dec),
            X36 => {
                self.wait(4);
                self.write(self.registers.hl, byte)?;
                self.done(2, 8)
            }
            X37 => {
                self.registers.set_carry();
                self.done(1, 4)
            }
            X38 => self.jump_relative(self.registers.is_carry(), byte),
            X39 => {
                self.registers.add_hl(self.registers.sp);
                self.done(1, 8)
            }
            X3A => {
                self.registers.a = self.read(self.registers.hl)?;
                self.registers.hl = self.registers.hl.wrapping_sub(1);
                self.done(1, 8)
            }
            X3B => {
                self.registers.sp = self.registers.sp.wrapping_sub(1);
                self.done(1, 8)
            }
            X3C => self.count::<A>(Registers::inc),
            X3D => self.count::<A>(Registers::dec),
            X3E => self.load_byte::<A>(byte),
            X3F => {
                self.registers.flip_carry();
                self.done(1, 4)
            }
            X40 => self.load::<B, B>(),
            X41 => self.load::<B, C>(),
            X42 => self.load::<B, D>(),
            X43 => self.load::<B, E>(),
            X44 => self.load::<B, H>(),
            X45 => self.load::<B, L>(),
            X46 => self.load_at_hl::<B>(),
            X47 => self.load::<B, A>(),
            X48 => self.load::<C, B>(),
            X49 => self.load::<C, C>(),
            X4A => self.load::<C, D>(),
            X4B => self.load::<C, E>(),
            X4C => self.load::<C, H>(),
            X4D => self.load::<C, L>(),
            X4E => self.load_at_hl::<C>(),
            X4F => self.load::<C, A>(),
            X50 => self.load::<D, B>(),
            X51 => self.load::<D, C>(),
            X52 => self.load::<D, D>(),
            X53 => self.load::<D, E>(),
            X54 => self.load::<D, H>(),
            X55 => self.load::<D, L>(),
            X56 => self.load_at_hl::<D>(),
            X57 => self.load::<D, A>(),
            X58 => self.load::<E, B>(),
            X59 => self.load::<E, C>(),
            X5A => self.load::<E, D>(),
            X5B => self.load::<E, E>(),
            X5C => self.load::<E, H>(),
            X5D => self.load::<E, L>(),
            X5E => self.load_at_hl::<E>(),
            X5F => self.load::<E, A>(),
            X60 => self.load::<H, B>(),
            X61 => self.load::<H, C>(),
            X62 => self.load::<H, D>(),
            X63 => self.load::<H, E>(),
            X64 => self.load::<H, H>(),
            X65 => self.load::<H, L>(),
            X66 => self.load_at_hl::<H>(),
            X67 => self.load::<H, A>(),
            X68 => self.load::<L, B>(),
            X69 => self.load::<L, C>(),
            X6A => self.load::<L, D>(),
            X6B => self.load::<L, E>(),
            X6C => self.load::<L, H>(),
            X6D => self.load::<L, L>(),
            X6E => self.load_at_hl::<L>(),
            X6F => self.load::<L, A>(),
            X70 => self.store_at_hl::<B>(),
            X71 => self.store_at_hl::<C>(),
            X72 => self.store_at_hl::<D>(),
            X73 => self.store_at_hl::<E>(),
            X74 => self.store_at_hl::<H>(),
            X75 => self.store_at_hl::<L>(),
            X76 => self.halt(),
            X77 => self.store_at_hl::<A>(),
            X78 => self.load::<A, B>(),
            X79 => self.load::<A, C>(),
            X7A => self.load::<A, D>(),
            X7B => self.load::<A, E>(),
            X7C => self.load::<A, H>(),
            X7D => self.load::<A, L>(),
            X7E => {
                self.registers.a = self.read_late(self.registers.hl)?;
                self.done(1, 8)
            }
            X7F => self.load::<A, A>(),
            X80 => self.with::<B>(Registers::add),
            X81 => self.with::<C>(Registers::add),
            X82 => self.with::<D>(Registers::add),
            X83 => self.with::<E>(Registers::add),
            X84 => self.with::<H>(Registers::add),
            X85 => self.with::<L>(Registers::add),
            X86 => self.with_at_hl(Registers::add),
            X87 => self.with::<A>(Registers::add),
            X88 => self.with::<B>(Registers::adc),
            X89 => self.with::<C>(Registers::adc),
            X8A => self.with::<D>(Registers::adc),
            X8B => self.with::<E>(Registers::adc),
            X8C => self.with::<H>(Registers::adc),
            X8D => self.with::<L>(Registers::adc),
            X8E => self.with_at_hl(Registers::adc),
            X8F => self.with::<A>(Registers::adc),
            X90 => self.with::<B>(Registers::sub),
            X91 => self.with::<C>(Registers::sub),
            X92 => self.with::<D>(Registers::sub),
            X93 => self.with::<E>(Registers::sub),
            X94 => self.with::<H>(Registers::sub),
            X95 => self.with::<L>(Registers::sub),
            X96 => self.with_at_hl(Registers::sub),
            X97 => self.with::<A>(Registers::sub),
            X98 => self.with::<B>(Registers::sbc),
            X99 => self.with::<C>(Registers::sbc),
            X9A => self.with::<D>(Registers::sbc),
            X9B => self.with::<E>(Registers::sbc),
            X9C => self.with::<H>(Registers::sbc),
            X9D => self.with::<L>(Registers::sbc),
            X9E => self.with_at_hl(Registers::sbc),
            X9F => self.with::<A>(Registers::sbc),
            XA0 => self.with::<B>(Registers::and),
            XA1 => self.with::<C>(Registers::and),
            XA2 => self.with::<D>(Registers::and),
            XA3 => self.with::<E>(Registers::and),
            XA4 => self.with::<H>(Registers::and),
            XA5 => self.with::<L>(Registers::and),
            XA6 => self.with_at_hl(Registers::and),
            XA7 => self.with::<A>(Registers::and),
            XA8 => self.with::<B>(Registers::xor),
            XA9 => self.with::<C>(Registers::xor),
            XAA => self.with::<D>(Registers::xor),
            XAB => self.with::<E>(Registers::xor),
            XAC => self.with::<H>(Registers::xor),
            XAD => self.with::<L>(Registers::xor),
            XAE => self.with_at_hl(Registers::xor),
            XAF => self.with::<A>(Registers::xor),
            XB0 => self.with::<B>(Registers::or),
            XB1 => self.with::<C>(Registers::or),
            XB2 => self.with::<D>(Registers::or),
            XB3 => self.with::<E>(Registers::or),
            XB4 => self.with::<H>(Registers::or),
            XB5 => self.with::<L>(Registers::or),
            XB6 => self.with_at_hl(Registers::or),
            XB7 => self.with::<A>(Registers::or),
            XB8 => self.with::<B>(Registers::cp),
            XB9 => self.with::<C>(Registers::cp),
            XBA => self.with::<D>(Registers::cp),
            XBB => self.with::<E>(Registers::cp),
            XBC => self.with::<H>(Registers::cp),
            XBD => self.with::<L>(Registers::cp),
            XBE => self.with_at_hl(Registers::cp),
            XBF => self.with::<A>(Registers::cp),
            XC0 => self.return_if(!self.registers.is_zero()),
            XC1 => {
                self.registers.bc = self.pop(0)?;
                self.done(1, 8)
            }
            XC2 => self.jump(!self.registers.is_zero(), operand),
            XC3 => self.jump(true, operand),
            XC4 => self.call(!self.registers.is_zero(), operand),
            XC5 => self.push_register(self.registers.bc),
            XC6 => self.with_byte(Registers::add, byte),
            XC8 => self.return_if(self.registers.is_zero()),
            XC9 => {
                self.pc = self.pop(4)?;
                self.done(0, 8)
            }
            XCA => self.jump(self.registers.is_zero(), operand),
            XCC => self.call(self.registers.is_zero(), operand),
            XCD => self.call(true, operand),
            XCE => self.with_byte(Registers::adc, byte),
            XD0 => self.return_if(!self.registers.is_carry()),
            XD1 => {
                self.registers.de = self.pop(0)?;
                self.done(1, 8)
            }
            XD2 => self.jump(!self.registers.is_carry(), operand),
            XD4 => self.call(!self.registers.is_carry(), operand),
            XD5 => self.push_register(self.registers.de),
            XD6 => self.with_byte(Registers::sub, byte),
            XD8 => self.return_if(self.registers.is_carry()),
            XD9 => self.return_from_interrupt(),
            XDA => self.jump(self.registers.is_carry(), operand),
            XDC => self.call(self.registers.is_carry(), operand),
            XDE => self.with_byte(Registers::sbc, byte),
            XE0 => {
                self.wait(4);
                self.write_high(byte, self.registers.a)?;
                self.done(2, 8)
            }
            XE1 => {
                self.registers.hl = self.pop(0)?;
                self.done(1, 8)
            }
            XE2 => {
                self.write_high(self.registers.get::<C>(), self.registers.a)?;
                self.done(1, 8)
            }
            XE5 => self.push_register(self.registers.hl),
            XE6 => self.with_byte(Registers::and, byte),
            XE8 => {
                self.registers.sp = self.registers.sp_plus(byte);
                self.done(2, 16)
            }
            XE9 => {
                self.pc = self.registers.hl;
                self.done(0, 4)
            }
            XEA => {
                self.wait(8);
                self.write(operand, self.registers.a)?;
                self.done(3, 8)
            }
            XEE => self.with_byte(Registers::xor, byte),
            XF0 => {
                self.wait(4);
                self.registers.a = self.read_high(byte)?;
                self.done(2, 8)
            }
            XF1 => {
                let value = self.pop(0)?;
                self.registers.set_af(value);
                self.done(1, 8)
            }
            XF2 => {
                self.registers.a = self.read_high(self.registers.get::<C>())?;
                self.done(1, 8)
            }
            XF3 => self.disable_interrupts(),
            XF5 => self.push_register(self.registers.af()),
            XF6 => self.with_byte(Registers::or, byte),
            XF8 => {
                self.registers.hl = self.registers.sp_plus(byte);
                self.done(2, 12)
            }
            XF9 => {
                self.registers.sp = self.registers.hl;
                self.done(1, 8)
            }
            XFA => {
                self.wait(8);
                self.registers.a = self.read(operand)?;
                self.done(3, 8)
            }
            XFB => self.enable_interrupts(),
            XFE => self.with_byte(Registers::cp, byte),
            XC7 => self.restart(0x00),
            XCF => self.restart(0x08),
            XD7 => self.restart(0x10),
            XDF => self.restart(0x18),
            XE7 => self.restart(0x20),
            XEF => self.restart(0x28),
            XF7 => self.restart(0x30),
            XFF => self.restart(0x38),
            CbB => self.bits::<B>(byte),
            CbC => self.bits::<C>(byte),
            CbD => self.bits::<D>(byte),
            CbE => self.bits::<E>(byte),
            CbH => self.bits::<H>(byte),
            CbL => self.bits::<L>(byte),
            CbAtHl => self.bits_at_hl(byte),
            CbA => self.bits::<A>(byte),
            Loop18 => self.close_loop_relative(true, byte),
            LoopC3 => self.close_loop_absolute(true, operand),
            Loop20 => self.close_loop_relative(!self.registers.is_zero(), byte),
            LoopC2 => self.close_loop_absolute(!self.registers.is_zero(), operand),
            Loop28 => self.close_loop_relative(self.registers.is_zero(), byte),
            LoopCA => self.close_loop_absolute(self.registers.is_zero(), operand),
            Loop30 => self.close_loop_relative(!self.registers.is_carry(), byte),
            LoopD2 => self.close_loop_absolute(!self.registers.is_carry(), operand),
            Loop38 => self.close_loop_relative(self.registers.is_carry(), byte),
            LoopDA => self.close_loop_absolute(self.registers.is_carry(), operand),
            Slow => Err(NotPlain),
            Illegal => {
                let cpu = &mut self.whole()?.cpu;
                cpu.locked = Some(byte);
                cpu.attention |= BAIL;
                Ok(())
            }
            X00 => self.done(1, 4),
        }
    }

    #[inline(always)]
    fn halt(&mut self) -> Done {
        let cpu = &mut self.whole()?.cpu;
        cpu.halted = true;
        cpu.halted_in_ei = cpu.ei_delay == 1;
        cpu.attention |= BAIL;
        self.done(0, 4)
    }

    /// EI: interrupts are on after the next instruction.
    #[inline(always)]
    fn enable_interrupts(&mut self) -> Done {
        let cpu = &mut self.whole()?.cpu;
        if cpu.ei_delay == 0 {
            cpu.ei_delay = 2;
            cpu.attention |= EI;
        }
        self.done(1, 4)
    }

    /// DI, which also takes back an EI.
    #[inline(always)]
    fn disable_interrupts(&mut self) -> Done {
        let cpu = &mut self.whole()?.cpu;
        cpu.ime = false;
        cpu.ei_delay = 0;
        cpu.attention &= !EI;
        self.done(1, 4)
    }

    #[inline(always)]
    fn stop(&mut self) -> Done {
        let machine = self.whole()?;
        if machine.model.is_color() {
            machine.switch_speed();
            machine.write(0xFF04, 0);
        }
        self.done(2, 4)
    }

    #[inline(always)]
    fn return_from_interrupt(&mut self) -> Done {
        let cpu = &mut self.whole()?.cpu;
        cpu.ime = true;
        cpu.ei_delay = 0;
        cpu.attention &= !(BAIL | EI);
        if cpu.requested() != 0 {
            cpu.attention |= BAIL;
        }
        self.pc = self.pop(4)?;
        self.done(0, 8)
    }

    /// The second page: rotates, BIT, RES and SET on a register.
    #[inline(always)]
    fn bits<const REGISTER: u8>(&mut self, opcode: u8) -> Done {
        let value = self.registers.get::<REGISTER>();
        if let Some(result) = self.changed(opcode, value) {
            self.registers.set::<REGISTER>(result);
        }
        self.done(2, 8)
    }

    /// The same on the byte at HL.
    #[inline(always)]
    fn bits_at_hl(&mut self, opcode: u8) -> Done {
        self.wait(4);
        let value = self.read(self.registers.hl)?;
        if let Some(result) = self.changed(opcode, value) {
            self.wait(4);
            self.write(self.registers.hl, result)?;
        }
        self.done(2, 8)
    }

    /// What the second page makes of a byte; nothing for BIT.
    #[inline(always)]
    fn changed(&mut self, opcode: u8, value: u8) -> Option<u8> {
        let bit = opcode >> 3 & 7;
        match opcode >> 6 {
            0 => Some(self.registers.rotate(bit, value)),
            1 => {
                self.registers.test_bit(bit, value);
                None
            }
            2 => Some(value & !(1 << bit)),
            _ => Some(value | 1 << bit),
        }
    }
}
