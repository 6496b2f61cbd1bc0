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

use super::alu::{Registers, A, AT_HL, B, C, D, E, H, L};
use super::attention::{BAIL, EI};
use super::decode::{Op, CB, CODES, ILLEGAL, LOOP, SLOW};
use super::step::{Done, NotPlain, Step};

const CB_B: u16 = CB | B as u16;
const CB_C: u16 = CB | C as u16;
const CB_D: u16 = CB | D as u16;
const CB_E: u16 = CB | E as u16;
const CB_H: u16 = CB | H as u16;
const CB_L: u16 = CB | L as u16;
const CB_AT_HL: u16 = CB | AT_HL as u16;
const CB_A: u16 = CB | A as u16;
const LOOP_18: u16 = LOOP;
const LOOP_20: u16 = LOOP + 1;
const LOOP_28: u16 = LOOP + 2;
const LOOP_30: u16 = LOOP + 3;
const LOOP_38: u16 = LOOP + 4;
const LOOP_C2: u16 = LOOP + 5;
const LOOP_C3: u16 = LOOP + 6;
const LOOP_CA: u16 = LOOP + 7;
const LOOP_D2: u16 = LOOP + 8;
const LOOP_DA: u16 = LOOP + 9;

impl<const PLAIN: bool> Step<'_, PLAIN> {
    /// Executes the instruction at PC.
    #[inline(always)]
    pub(super) fn execute(&mut self, op: Op) -> Done {
        let (operand, byte) = (op.operand, op.operand as u8);
        match op.code & CODES {
            0x01 => {
                self.registers.bc = operand;
                self.done(3, 12)
            }
            0x02 => {
                self.write(self.registers.bc, self.registers.a)?;
                self.done(1, 8)
            }
            0x03 => {
                self.registers.bc = self.registers.bc.wrapping_add(1);
                self.done(1, 8)
            }
            0x04 => self.count::<B>(Registers::inc),
            0x05 => self.count::<B>(Registers::dec),
            0x06 => self.load_byte::<B>(byte),
            0x07 => {
                self.registers.rotate_a::<0>();
                self.done(1, 4)
            }
            0x08 => {
                let [low, high] = self.registers.sp.to_le_bytes();
                self.write(operand, low)?;
                // wraps to 0000h, where it is a mapper command
                self.write(operand.wrapping_add(1), high)?;
                self.done(3, 20)
            }
            0x09 => {
                self.registers.add_hl(self.registers.bc);
                self.done(1, 8)
            }
            0x0A => {
                self.registers.a = self.read(self.registers.bc)?;
                self.done(1, 8)
            }
            0x0B => {
                self.registers.bc = self.registers.bc.wrapping_sub(1);
                self.done(1, 8)
            }
            0x0C => self.count::<C>(Registers::inc),
            0x0D => self.count::<C>(Registers::dec),
            0x0E => self.load_byte::<C>(byte),
            0x0F => {
                self.registers.rotate_a::<1>();
                self.done(1, 4)
            }
            0x10 => self.stop(),
            0x11 => {
                self.registers.de = operand;
                self.done(3, 12)
            }
            0x12 => {
                self.write_late(self.registers.de, self.registers.a)?;
                self.done(1, 8)
            }
            0x13 => {
                self.registers.de = self.registers.de.wrapping_add(1);
                self.done(1, 8)
            }
            0x14 => self.count::<D>(Registers::inc),
            0x15 => self.count::<D>(Registers::dec),
            0x16 => self.load_byte::<D>(byte),
            0x17 => {
                self.registers.rotate_a::<2>();
                self.done(1, 4)
            }
            0x18 => self.jump_relative(true, byte),
            0x19 => {
                self.registers.add_hl(self.registers.de);
                self.done(1, 8)
            }
            0x1A => {
                self.registers.a = self.read_late(self.registers.de)?;
                self.done(1, 8)
            }
            0x1B => {
                self.registers.de = self.registers.de.wrapping_sub(1);
                self.done(1, 8)
            }
            0x1C => self.count::<E>(Registers::inc),
            0x1D => self.count::<E>(Registers::dec),
            0x1E => self.load_byte::<E>(byte),
            0x1F => {
                self.registers.rotate_a::<3>();
                self.done(1, 4)
            }
            0x20 => self.jump_relative(!self.registers.is_zero(), byte),
            0x21 => {
                self.registers.hl = operand;
                self.done(3, 12)
            }
            0x22 => {
                self.write(self.registers.hl, self.registers.a)?;
                self.registers.hl = self.registers.hl.wrapping_add(1);
                self.done(1, 8)
            }
            0x23 => {
                self.registers.hl = self.registers.hl.wrapping_add(1);
                self.done(1, 8)
            }
            0x24 => self.count::<H>(Registers::inc),
            0x25 => self.count::<H>(Registers::dec),
            0x26 => self.load_byte::<H>(byte),
            0x27 => {
                self.registers.daa();
                self.done(1, 4)
            }
            0x28 => self.jump_relative(self.registers.is_zero(), byte),
            0x29 => {
                self.registers.add_hl(self.registers.hl);
                self.done(1, 8)
            }
            0x2A => {
                self.registers.a = self.read(self.registers.hl)?;
                self.registers.hl = self.registers.hl.wrapping_add(1);
                self.done(1, 8)
            }
            0x2B => {
                self.registers.hl = self.registers.hl.wrapping_sub(1);
                self.done(1, 8)
            }
            0x2C => self.count::<L>(Registers::inc),
            0x2D => self.count::<L>(Registers::dec),
            0x2E => self.load_byte::<L>(byte),
            0x2F => {
                self.registers.complement();
                self.done(1, 4)
            }
            0x30 => self.jump_relative(!self.registers.is_carry(), byte),
            0x31 => {
                self.registers.sp = operand;
                self.done(3, 12)
            }
            0x32 => {
                self.write(self.registers.hl, self.registers.a)?;
                self.registers.hl = self.registers.hl.wrapping_sub(1);
                self.done(1, 8)
            }
            0x33 => {
                self.registers.sp = self.registers.sp.wrapping_add(1);
                self.done(1, 8)
            }
            0x34 => self.count_at_hl(Registers::inc),
            0x35 => self.count_at_hl(Registers::dec),
            0x36 => {
                self.wait(4);
                self.write(self.registers.hl, byte)?;
                self.done(2, 8)
            }
            0x37 => {
                self.registers.set_carry();
                self.done(1, 4)
            }
            0x38 => self.jump_relative(self.registers.is_carry(), byte),
            0x39 => {
                self.registers.add_hl(self.registers.sp);
                self.done(1, 8)
            }
            0x3A => {
                self.registers.a = self.read(self.registers.hl)?;
                self.registers.hl = self.registers.hl.wrapping_sub(1);
                self.done(1, 8)
            }
            0x3B => {
                self.registers.sp = self.registers.sp.wrapping_sub(1);
                self.done(1, 8)
            }
            0x3C => self.count::<A>(Registers::inc),
            0x3D => self.count::<A>(Registers::dec),
            0x3E => self.load_byte::<A>(byte),
            0x3F => {
                self.registers.flip_carry();
                self.done(1, 4)
            }
            0x40 => self.load::<B, B>(),
            0x41 => self.load::<B, C>(),
            0x42 => self.load::<B, D>(),
            0x43 => self.load::<B, E>(),
            0x44 => self.load::<B, H>(),
            0x45 => self.load::<B, L>(),
            0x46 => self.load_at_hl::<B>(),
            0x47 => self.load::<B, A>(),
            0x48 => self.load::<C, B>(),
            0x49 => self.load::<C, C>(),
            0x4A => self.load::<C, D>(),
            0x4B => self.load::<C, E>(),
            0x4C => self.load::<C, H>(),
            0x4D => self.load::<C, L>(),
            0x4E => self.load_at_hl::<C>(),
            0x4F => self.load::<C, A>(),
            0x50 => self.load::<D, B>(),
            0x51 => self.load::<D, C>(),
            0x52 => self.load::<D, D>(),
            0x53 => self.load::<D, E>(),
            0x54 => self.load::<D, H>(),
            0x55 => self.load::<D, L>(),
            0x56 => self.load_at_hl::<D>(),
            0x57 => self.load::<D, A>(),
            0x58 => self.load::<E, B>(),
            0x59 => self.load::<E, C>(),
            0x5A => self.load::<E, D>(),
            0x5B => self.load::<E, E>(),
            0x5C => self.load::<E, H>(),
            0x5D => self.load::<E, L>(),
            0x5E => self.load_at_hl::<E>(),
            0x5F => self.load::<E, A>(),
            0x60 => self.load::<H, B>(),
            0x61 => self.load::<H, C>(),
            0x62 => self.load::<H, D>(),
            0x63 => self.load::<H, E>(),
            0x64 => self.load::<H, H>(),
            0x65 => self.load::<H, L>(),
            0x66 => self.load_at_hl::<H>(),
            0x67 => self.load::<H, A>(),
            0x68 => self.load::<L, B>(),
            0x69 => self.load::<L, C>(),
            0x6A => self.load::<L, D>(),
            0x6B => self.load::<L, E>(),
            0x6C => self.load::<L, H>(),
            0x6D => self.load::<L, L>(),
            0x6E => self.load_at_hl::<L>(),
            0x6F => self.load::<L, A>(),
            0x70 => self.store_at_hl::<B>(),
            0x71 => self.store_at_hl::<C>(),
            0x72 => self.store_at_hl::<D>(),
            0x73 => self.store_at_hl::<E>(),
            0x74 => self.store_at_hl::<H>(),
            0x75 => self.store_at_hl::<L>(),
            0x76 => self.halt(),
            0x77 => self.store_at_hl::<A>(),
            0x78 => self.load::<A, B>(),
            0x79 => self.load::<A, C>(),
            0x7A => self.load::<A, D>(),
            0x7B => self.load::<A, E>(),
            0x7C => self.load::<A, H>(),
            0x7D => self.load::<A, L>(),
            0x7E => {
                self.registers.a = self.read_late(self.registers.hl)?;
                self.done(1, 8)
            }
            0x7F => self.load::<A, A>(),
            0x80 => self.with::<B>(Registers::add),
            0x81 => self.with::<C>(Registers::add),
            0x82 => self.with::<D>(Registers::add),
            0x83 => self.with::<E>(Registers::add),
            0x84 => self.with::<H>(Registers::add),
            0x85 => self.with::<L>(Registers::add),
            0x86 => self.with_at_hl(Registers::add),
            0x87 => self.with::<A>(Registers::add),
            0x88 => self.with::<B>(Registers::adc),
            0x89 => self.with::<C>(Registers::adc),
            0x8A => self.with::<D>(Registers::adc),
            0x8B => self.with::<E>(Registers::adc),
            0x8C => self.with::<H>(Registers::adc),
            0x8D => self.with::<L>(Registers::adc),
            0x8E => self.with_at_hl(Registers::adc),
            0x8F => self.with::<A>(Registers::adc),
            0x90 => self.with::<B>(Registers::sub),
            0x91 => self.with::<C>(Registers::sub),
            0x92 => self.with::<D>(Registers::sub),
            0x93 => self.with::<E>(Registers::sub),
            0x94 => self.with::<H>(Registers::sub),
            0x95 => self.with::<L>(Registers::sub),
            0x96 => self.with_at_hl(Registers::sub),
            0x97 => self.with::<A>(Registers::sub),
            0x98 => self.with::<B>(Registers::sbc),
            0x99 => self.with::<C>(Registers::sbc),
            0x9A => self.with::<D>(Registers::sbc),
            0x9B => self.with::<E>(Registers::sbc),
            0x9C => self.with::<H>(Registers::sbc),
            0x9D => self.with::<L>(Registers::sbc),
            0x9E => self.with_at_hl(Registers::sbc),
            0x9F => self.with::<A>(Registers::sbc),
            0xA0 => self.with::<B>(Registers::and),
            0xA1 => self.with::<C>(Registers::and),
            0xA2 => self.with::<D>(Registers::and),
            0xA3 => self.with::<E>(Registers::and),
            0xA4 => self.with::<H>(Registers::and),
            0xA5 => self.with::<L>(Registers::and),
            0xA6 => self.with_at_hl(Registers::and),
            0xA7 => self.with::<A>(Registers::and),
            0xA8 => self.with::<B>(Registers::xor),
            0xA9 => self.with::<C>(Registers::xor),
            0xAA => self.with::<D>(Registers::xor),
            0xAB => self.with::<E>(Registers::xor),
            0xAC => self.with::<H>(Registers::xor),
            0xAD => self.with::<L>(Registers::xor),
            0xAE => self.with_at_hl(Registers::xor),
            0xAF => self.with::<A>(Registers::xor),
            0xB0 => self.with::<B>(Registers::or),
            0xB1 => self.with::<C>(Registers::or),
            0xB2 => self.with::<D>(Registers::or),
            0xB3 => self.with::<E>(Registers::or),
            0xB4 => self.with::<H>(Registers::or),
            0xB5 => self.with::<L>(Registers::or),
            0xB6 => self.with_at_hl(Registers::or),
            0xB7 => self.with::<A>(Registers::or),
            0xB8 => self.with::<B>(Registers::cp),
            0xB9 => self.with::<C>(Registers::cp),
            0xBA => self.with::<D>(Registers::cp),
            0xBB => self.with::<E>(Registers::cp),
            0xBC => self.with::<H>(Registers::cp),
            0xBD => self.with::<L>(Registers::cp),
            0xBE => self.with_at_hl(Registers::cp),
            0xBF => self.with::<A>(Registers::cp),
            0xC0 => self.return_if(!self.registers.is_zero()),
            0xC1 => {
                self.registers.bc = self.pop(0)?;
                self.done(1, 8)
            }
            0xC2 => self.jump(!self.registers.is_zero(), operand),
            0xC3 => self.jump(true, operand),
            0xC4 => self.call(!self.registers.is_zero(), operand),
            0xC5 => self.push_register(self.registers.bc),
            0xC6 => self.with_byte(Registers::add, byte),
            0xC8 => self.return_if(self.registers.is_zero()),
            0xC9 => {
                self.pc = self.pop(4)?;
                self.done(0, 8)
            }
            0xCA => self.jump(self.registers.is_zero(), operand),
            0xCC => self.call(self.registers.is_zero(), operand),
            0xCD => self.call(true, operand),
            0xCE => self.with_byte(Registers::adc, byte),
            0xD0 => self.return_if(!self.registers.is_carry()),
            0xD1 => {
                self.registers.de = self.pop(0)?;
                self.done(1, 8)
            }
            0xD2 => self.jump(!self.registers.is_carry(), operand),
            0xD4 => self.call(!self.registers.is_carry(), operand),
            0xD5 => self.push_register(self.registers.de),
            0xD6 => self.with_byte(Registers::sub, byte),
            0xD8 => self.return_if(self.registers.is_carry()),
            0xD9 => self.return_from_interrupt(),
            0xDA => self.jump(self.registers.is_carry(), operand),
            0xDC => self.call(self.registers.is_carry(), operand),
            0xDE => self.with_byte(Registers::sbc, byte),
            0xE0 => {
                self.wait(4);
                self.write_high(byte, self.registers.a)?;
                self.done(2, 8)
            }
            0xE1 => {
                self.registers.hl = self.pop(0)?;
                self.done(1, 8)
            }
            0xE2 => {
                self.write_high(self.registers.get::<C>(), self.registers.a)?;
                self.done(1, 8)
            }
            0xE5 => self.push_register(self.registers.hl),
            0xE6 => self.with_byte(Registers::and, byte),
            0xE8 => {
                self.registers.sp = self.registers.sp_plus(byte);
                self.done(2, 16)
            }
            0xE9 => {
                self.pc = self.registers.hl;
                self.done(0, 4)
            }
            0xEA => {
                self.wait(8);
                self.write(operand, self.registers.a)?;
                self.done(3, 8)
            }
            0xEE => self.with_byte(Registers::xor, byte),
            0xF0 => {
                self.wait(4);
                self.registers.a = self.read_high(byte)?;
                self.done(2, 8)
            }
            0xF1 => {
                let value = self.pop(0)?;
                self.registers.set_af(value);
                self.done(1, 8)
            }
            0xF2 => {
                self.registers.a = self.read_high(self.registers.get::<C>())?;
                self.done(1, 8)
            }
            0xF3 => self.disable_interrupts(),
            0xF5 => self.push_register(self.registers.af()),
            0xF6 => self.with_byte(Registers::or, byte),
            0xF8 => {
                self.registers.hl = self.registers.sp_plus(byte);
                self.done(2, 12)
            }
            0xF9 => {
                self.registers.sp = self.registers.hl;
                self.done(1, 8)
            }
            0xFA => {
                self.wait(8);
                self.registers.a = self.read(operand)?;
                self.done(3, 8)
            }
            0xFB => self.enable_interrupts(),
            0xFE => self.with_byte(Registers::cp, byte),
            0xC7 | 0xCF | 0xD7 | 0xDF | 0xE7 | 0xEF | 0xF7 | 0xFF => self.restart(op.code & 0x38),
            CB_B => self.bits::<B>(byte),
            CB_C => self.bits::<C>(byte),
            CB_D => self.bits::<D>(byte),
            CB_E => self.bits::<E>(byte),
            CB_H => self.bits::<H>(byte),
            CB_L => self.bits::<L>(byte),
            CB_AT_HL => self.bits_at_hl(byte),
            CB_A => self.bits::<A>(byte),
            LOOP_18 => self.close_loop_relative(true, byte),
            LOOP_C3 => self.close_loop_absolute(true, operand),
            LOOP_20 => self.close_loop_relative(!self.registers.is_zero(), byte),
            LOOP_C2 => self.close_loop_absolute(!self.registers.is_zero(), operand),
            LOOP_28 => self.close_loop_relative(self.registers.is_zero(), byte),
            LOOP_CA => self.close_loop_absolute(self.registers.is_zero(), operand),
            LOOP_30 => self.close_loop_relative(!self.registers.is_carry(), byte),
            LOOP_D2 => self.close_loop_absolute(!self.registers.is_carry(), operand),
            LOOP_38 => self.close_loop_relative(self.registers.is_carry(), byte),
            LOOP_DA => self.close_loop_absolute(self.registers.is_carry(), operand),
            SLOW => Err(NotPlain),
            ILLEGAL => {
                let cpu = &mut self.whole()?.cpu;
                cpu.locked = Some(byte);
                cpu.attention |= BAIL;
                Ok(())
            }
            // NOP; as the case that is left it makes the jump table complete
            _ => self.done(1, 4),
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
