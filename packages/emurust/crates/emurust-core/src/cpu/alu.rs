//! Arithmetic on the accumulator and on bytes, with flags.

use super::Cpu;

pub(crate) const ZERO: u8 = 0x80;
pub(crate) const SUBTRACT: u8 = 0x40;
pub(crate) const HALF: u8 = 0x20;
pub(crate) const CARRY: u8 = 0x10;

#[inline]
fn zero(value: u8) -> u8 {
    if value == 0 {
        ZERO
    } else {
        0
    }
}

#[inline]
fn when(condition: bool, flag: u8) -> u8 {
    if condition {
        flag
    } else {
        0
    }
}

impl Cpu {
    #[inline]
    fn carry_in(&self) -> u8 {
        self.f >> 4 & 1
    }

    #[inline]
    fn add_with(&mut self, value: u8, carry: u8) {
        let sum = u16::from(self.a) + u16::from(value) + u16::from(carry);
        let half = (self.a & 0x0F) + (value & 0x0F) + carry > 0x0F;
        self.a = sum as u8;
        self.f = zero(self.a) | when(half, HALF) | when(sum > 0xFF, CARRY);
    }

    #[inline]
    fn difference(&mut self, value: u8, carry: u8) -> u8 {
        let result = self.a.wrapping_sub(value).wrapping_sub(carry);
        let half = self.a & 0x0F < (value & 0x0F) + carry;
        let borrow = u16::from(self.a) < u16::from(value) + u16::from(carry);
        self.f = zero(result) | SUBTRACT | when(half, HALF) | when(borrow, CARRY);
        result
    }

    #[inline]
    pub(super) fn add(&mut self, value: u8) {
        self.add_with(value, 0);
    }

    #[inline]
    pub(super) fn adc(&mut self, value: u8) {
        self.add_with(value, self.carry_in());
    }

    #[inline]
    pub(super) fn sub(&mut self, value: u8) {
        self.a = self.difference(value, 0);
    }

    #[inline]
    pub(super) fn sbc(&mut self, value: u8) {
        self.a = self.difference(value, self.carry_in());
    }

    #[inline]
    pub(super) fn cp(&mut self, value: u8) {
        self.difference(value, 0);
    }

    #[inline]
    pub(super) fn and(&mut self, value: u8) {
        self.a &= value;
        self.f = zero(self.a) | HALF;
    }

    #[inline]
    pub(super) fn xor(&mut self, value: u8) {
        self.a ^= value;
        self.f = zero(self.a);
    }

    #[inline]
    pub(super) fn or(&mut self, value: u8) {
        self.a |= value;
        self.f = zero(self.a);
    }

    #[inline]
    pub(super) fn inc(&mut self, value: u8) -> u8 {
        let result = value.wrapping_add(1);
        self.f = self.f & CARRY | zero(result) | when(result & 0x0F == 0, HALF);
        result
    }

    #[inline]
    pub(super) fn dec(&mut self, value: u8) -> u8 {
        let result = value.wrapping_sub(1);
        self.f = self.f & CARRY | zero(result) | SUBTRACT | when(value & 0x0F == 0, HALF);
        result
    }

    #[inline]
    pub(super) fn add_hl(&mut self, value: u16) {
        let hl = self.hl();
        let (sum, carry) = hl.overflowing_add(value);
        let half = (hl & 0x0FFF) + (value & 0x0FFF) > 0x0FFF;
        self.f = self.f & ZERO | when(half, HALF) | when(carry, CARRY);
        self.set_hl(sum);
    }

    /// SP plus a signed byte; flags come from the unsigned addition of the low byte.
    #[inline]
    pub(super) fn sp_plus(&mut self, offset: u8) -> u16 {
        let low = self.sp as u8;
        let half = (low & 0x0F) + (offset & 0x0F) > 0x0F;
        let carry = low.checked_add(offset).is_none();
        self.f = when(half, HALF) | when(carry, CARRY);
        self.sp.wrapping_add_signed(i16::from(offset as i8))
    }

    pub(super) fn daa(&mut self) {
        let subtracting = self.f & SUBTRACT != 0;
        let low = self.f & HALF != 0 || !subtracting && self.a & 0x0F > 9;
        let high = self.f & CARRY != 0 || !subtracting && self.a > 0x99;
        let correction = when(low, 0x06) | when(high, 0x60);
        self.a = if subtracting {
            self.a.wrapping_sub(correction)
        } else {
            self.a.wrapping_add(correction)
        };
        self.f = self.f & SUBTRACT | zero(self.a) | when(high, CARRY);
    }

    #[inline]
    fn shifted(&mut self, result: u8, carry: bool) -> u8 {
        self.f = zero(result) | when(carry, CARRY);
        result
    }

    /// CB 00–3F: rotates, shifts and SWAP, by bits 3–5 of the opcode.
    #[inline]
    pub(super) fn rotate(&mut self, kind: u8, value: u8) -> u8 {
        let (top, bottom) = (value & 0x80 != 0, value & 1 != 0);
        let carry = self.carry_in();
        match kind & 7 {
            0 => self.shifted(value.rotate_left(1), top),
            1 => self.shifted(value.rotate_right(1), bottom),
            2 => self.shifted(value << 1 | carry, top),
            3 => self.shifted(value >> 1 | carry << 7, bottom),
            4 => self.shifted(value << 1, top),
            5 => self.shifted(value >> 1 | value & 0x80, bottom),
            6 => self.shifted(value.rotate_left(4), false),
            _ => self.shifted(value >> 1, bottom),
        }
    }

    /// RLCA, RRCA, RLA, RRA: as above, but Z is always cleared.
    #[inline]
    pub(super) fn rotate_a(&mut self, kind: u8) {
        self.a = self.rotate(kind, self.a);
        self.f &= CARRY;
    }

    #[inline]
    pub(super) fn test_bit(&mut self, bit: u8, value: u8) {
        self.f = self.f & CARRY | HALF | zero(value & 1 << bit);
    }
}
