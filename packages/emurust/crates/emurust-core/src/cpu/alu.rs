//! The working registers while instructions run, and arithmetic on them.
//!
//! The Z flag is kept as the last result: most results are overwritten before anyone looks at Z.

use super::Cpu;

const ZERO: u8 = 0x80;
const SUBTRACT: u8 = 0x40;
const HALF: u8 = 0x20;
const CARRY: u8 = 0x10;

/// Registers by the number that instructions use; 6 stands for the byte at HL.
pub(super) const B: u8 = 0;
pub(super) const C: u8 = 1;
pub(super) const D: u8 = 2;
pub(super) const E: u8 = 3;
pub(super) const H: u8 = 4;
pub(super) const L: u8 = 5;
pub(super) const A: u8 = 7;

#[derive(Clone, Copy)]
pub(super) struct Registers {
    pub(super) a: u8,
    /// Z is set if this is zero.
    zero: u8,
    /// The flags N, H and C at their places.
    rest: u8,
    pub(super) bc: u16,
    pub(super) de: u16,
    pub(super) hl: u16,
    pub(super) sp: u16,
}

#[inline(always)]
fn when(condition: bool, flag: u8) -> u8 {
    if condition {
        flag
    } else {
        0
    }
}

/// H and C of a sum or difference, from its operands and its result with the bit above.
#[inline(always)]
fn half_and_carry(left: u8, right: u8, result: u32) -> u8 {
    let changed = u32::from(left) ^ u32::from(right) ^ result;
    (changed << 1) as u8 & HALF | (result >> 4) as u8 & CARRY
}

impl Registers {
    #[inline(always)]
    pub(super) fn of(cpu: &Cpu) -> Self {
        Self {
            a: cpu.a,
            zero: !cpu.f & ZERO,
            rest: cpu.f & !ZERO,
            bc: cpu.bc,
            de: cpu.de,
            hl: cpu.hl,
            sp: cpu.sp,
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, cpu: &mut Cpu) {
        cpu.a = self.a;
        cpu.f = self.f();
        cpu.bc = self.bc;
        cpu.de = self.de;
        cpu.hl = self.hl;
        cpu.sp = self.sp;
    }

    #[inline(always)]
    fn f(&self) -> u8 {
        self.rest | when(self.zero == 0, ZERO)
    }

    #[inline(always)]
    pub(super) fn af(&self) -> u16 {
        u16::from_be_bytes([self.a, self.f()])
    }

    #[inline(always)]
    pub(super) fn set_af(&mut self, value: u16) {
        let [a, f] = value.to_be_bytes();
        self.a = a;
        self.zero = !f & ZERO;
        self.rest = f & (SUBTRACT | HALF | CARRY);
    }

    #[inline(always)]
    pub(super) fn is_zero(&self) -> bool {
        self.zero == 0
    }

    #[inline(always)]
    pub(super) fn is_carry(&self) -> bool {
        self.rest & CARRY != 0
    }

    #[inline(always)]
    pub(super) fn get<const REGISTER: u8>(&self) -> u8 {
        match REGISTER {
            B => (self.bc >> 8) as u8,
            C => self.bc as u8,
            D => (self.de >> 8) as u8,
            E => self.de as u8,
            H => (self.hl >> 8) as u8,
            L => self.hl as u8,
            _ => self.a,
        }
    }

    #[inline(always)]
    pub(super) fn set<const REGISTER: u8>(&mut self, value: u8) {
        let (high, low) = (u16::from(value) << 8, u16::from(value));
        match REGISTER {
            B => self.bc = self.bc & 0x00FF | high,
            C => self.bc = self.bc & 0xFF00 | low,
            D => self.de = self.de & 0x00FF | high,
            E => self.de = self.de & 0xFF00 | low,
            H => self.hl = self.hl & 0x00FF | high,
            L => self.hl = self.hl & 0xFF00 | low,
            _ => self.a = value,
        }
    }

    #[inline(always)]
    fn carry_in(&self) -> u32 {
        u32::from(self.rest >> 4 & 1)
    }

    #[inline(always)]
    fn add_with(&mut self, value: u8, carry: u32) {
        let sum = u32::from(self.a) + u32::from(value) + carry;
        self.rest = half_and_carry(self.a, value, sum);
        self.a = sum as u8;
        self.zero = self.a;
    }

    #[inline(always)]
    fn difference(&mut self, value: u8, carry: u32) -> u8 {
        let result = u32::from(self.a)
            .wrapping_sub(u32::from(value))
            .wrapping_sub(carry);
        self.rest = SUBTRACT | half_and_carry(self.a, value, result);
        self.zero = result as u8;
        self.zero
    }

    #[inline(always)]
    pub(super) fn add(&mut self, value: u8) {
        self.add_with(value, 0);
    }

    #[inline(always)]
    pub(super) fn adc(&mut self, value: u8) {
        self.add_with(value, self.carry_in());
    }

    #[inline(always)]
    pub(super) fn sub(&mut self, value: u8) {
        self.a = self.difference(value, 0);
    }

    #[inline(always)]
    pub(super) fn sbc(&mut self, value: u8) {
        self.a = self.difference(value, self.carry_in());
    }

    #[inline(always)]
    pub(super) fn cp(&mut self, value: u8) {
        self.difference(value, 0);
    }

    #[inline(always)]
    pub(super) fn and(&mut self, value: u8) {
        self.a &= value;
        self.zero = self.a;
        self.rest = HALF;
    }

    #[inline(always)]
    pub(super) fn xor(&mut self, value: u8) {
        self.a ^= value;
        self.zero = self.a;
        self.rest = 0;
    }

    #[inline(always)]
    pub(super) fn or(&mut self, value: u8) {
        self.a |= value;
        self.zero = self.a;
        self.rest = 0;
    }

    #[inline(always)]
    pub(super) fn inc(&mut self, value: u8) -> u8 {
        self.zero = value.wrapping_add(1);
        self.rest = self.rest & CARRY | when(self.zero & 0x0F == 0, HALF);
        self.zero
    }

    #[inline(always)]
    pub(super) fn dec(&mut self, value: u8) -> u8 {
        self.zero = value.wrapping_sub(1);
        self.rest = self.rest & CARRY | SUBTRACT | when(value & 0x0F == 0, HALF);
        self.zero
    }

    #[inline(always)]
    pub(super) fn add_hl(&mut self, value: u16) {
        let sum = u32::from(self.hl) + u32::from(value);
        let changed = u32::from(self.hl ^ value) ^ sum;
        self.rest = (changed >> 7) as u8 & HALF | (sum >> 12) as u8 & CARRY;
        self.hl = sum as u16;
    }

    /// SP plus a signed byte; flags come from the unsigned addition of the low byte.
    #[inline(always)]
    pub(super) fn sp_plus(&mut self, offset: u8) -> u16 {
        let low = self.sp as u8;
        self.rest = half_and_carry(low, offset, u32::from(low) + u32::from(offset));
        self.zero = 1;
        self.sp.wrapping_add_signed(i16::from(offset as i8))
    }

    #[inline(always)]
    pub(super) fn daa(&mut self) {
        let subtracting = self.rest & SUBTRACT != 0;
        let low = self.rest & HALF != 0 || !subtracting && self.a & 0x0F > 9;
        let high = self.rest & CARRY != 0 || !subtracting && self.a > 0x99;
        let correction = when(low, 0x06) | when(high, 0x60);
        self.a = if subtracting {
            self.a.wrapping_sub(correction)
        } else {
            self.a.wrapping_add(correction)
        };
        self.zero = self.a;
        self.rest = self.rest & SUBTRACT | when(high, CARRY);
    }

    #[inline(always)]
    pub(super) fn complement(&mut self) {
        self.a = !self.a;
        self.rest |= SUBTRACT | HALF;
    }

    #[inline(always)]
    pub(super) fn set_carry(&mut self) {
        self.rest = CARRY;
    }

    #[inline(always)]
    pub(super) fn flip_carry(&mut self) {
        self.rest = self.rest & CARRY ^ CARRY;
    }

    #[inline(always)]
    fn shifted(&mut self, result: u8, carry: u8) -> u8 {
        self.zero = result;
        self.rest = (carry & 1) << 4;
        result
    }

    /// CB 00–3F: rotates, shifts and SWAP, by bits 3–5 of the opcode.
    #[inline(always)]
    pub(super) fn rotate(&mut self, kind: u8, value: u8) -> u8 {
        let (top, bottom) = (value >> 7, value & 1);
        let carry = self.carry_in() as u8;
        match kind & 7 {
            0 => self.shifted(value.rotate_left(1), top),
            1 => self.shifted(value.rotate_right(1), bottom),
            2 => self.shifted(value << 1 | carry, top),
            3 => self.shifted(value >> 1 | carry << 7, bottom),
            4 => self.shifted(value << 1, top),
            5 => self.shifted(value >> 1 | value & 0x80, bottom),
            6 => self.shifted(value.rotate_left(4), 0),
            _ => self.shifted(value >> 1, bottom),
        }
    }

    /// RLCA, RRCA, RLA, RRA: as above, but Z is always cleared.
    #[inline(always)]
    pub(super) fn rotate_a<const KIND: u8>(&mut self) {
        self.a = self.rotate(KIND, self.a);
        self.zero = 1;
    }

    #[inline(always)]
    pub(super) fn test_bit(&mut self, bit: u8, value: u8) {
        self.rest = self.rest & CARRY | HALF;
        self.zero = value & 1 << bit;
    }
}
