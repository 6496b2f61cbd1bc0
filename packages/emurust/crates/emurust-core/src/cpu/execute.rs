//! Every instruction. `self.cycles` advances inside an instruction exactly as far as the reference has
//! counted when it makes the access: ports and timers see that moment.
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

use super::alu::{CARRY, ZERO};
use crate::machine::Machine;

/// One of the opcodes that lock the CPU up.
pub(super) const ILLEGAL: u8 = 0xD3;

/// Bytes per instruction; CB counts its second byte, illegal opcodes have none.
pub(super) const LENGTHS: [u8; 256] = {
    let mut lengths = [1u8; 256];
    let two = [
        0x06, 0x0E, 0x10, 0x16, 0x18, 0x1E, 0x20, 0x26, 0x28, 0x2E, 0x30, 0x36, 0x38, 0x3E, 0xC6,
        0xCB, 0xCE, 0xD6, 0xDE, 0xE0, 0xE6, 0xE8, 0xEE, 0xF0, 0xF6, 0xF8, 0xFE,
    ];
    let three = [
        0x01, 0x08, 0x11, 0x21, 0x31, 0xC2, 0xC3, 0xC4, 0xCA, 0xCC, 0xCD, 0xD2, 0xD4, 0xDA, 0xDC,
        0xEA, 0xFA,
    ];
    let mut i = 0;
    while i < two.len() {
        lengths[two[i]] = 2;
        i += 1;
    }
    i = 0;
    while i < three.len() {
        lengths[three[i]] = 3;
        i += 1;
    }
    lengths
};

impl Machine {
    /// Executes the instruction at `pc`, whose operand bytes are in `operand`, at the cycle `now`; gives both
    /// after it. They travel by value so that they stay in registers; `self.cycles` is brought up to date
    /// before every access.
    #[inline(always)]
    #[allow(clippy::self_assignment)] // LD B,B and its like are spelled as the others
    pub(super) fn execute(&mut self, opcode: u8, operand: u16, pc: u16, now: u64) -> (u16, u64) {
        let (mut pc, mut now) = (pc, now);
        let byte = operand as u8;

        macro_rules! cpu {
            () => {
                self.cpu
            };
        }
        // Finishes an instruction: its length and the cycles not yet counted.
        macro_rules! done {
            ($length:expr, $cycles:expr) => {{
                pc = pc.wrapping_add($length);
                now += $cycles;
            }};
        }
        // An access `$before` cycles into the instruction.
        macro_rules! read_at {
            ($before:expr, $addr:expr) => {{
                now += $before;
                self.cycles = now;
                let addr = $addr;
                self.read(addr)
            }};
        }
        macro_rules! write_at {
            ($before:expr, $addr:expr, $value:expr) => {{
                now += $before;
                self.cycles = now;
                let (addr, value) = ($addr, $value);
                self.write(addr, value);
            }};
        }
        // The three instructions whose access the LCD sees four cycles late.
        macro_rules! late {
            ($access:expr) => {{
                self.access_offset = 4;
                let result = $access;
                self.access_offset = 0;
                result
            }};
        }
        macro_rules! load {
            ($to:ident, byte) => {{
                self.cpu.$to = byte;
                done!(2, 8);
            }};
            ($to:ident, $from:ident) => {{
                self.cpu.$to = self.cpu.$from;
                done!(1, 4);
            }};
            ($to:ident, (hl)) => {{
                self.cpu.$to = read_at!(0, self.cpu.hl());
                done!(1, 8);
            }};
            ((hl), $from:ident) => {{
                write_at!(0, self.cpu.hl(), self.cpu.$from);
                done!(1, 8);
            }};
        }
        macro_rules! step {
            ($op:ident $register:ident) => {{
                self.cpu.$register = self.cpu.$op(self.cpu.$register);
                done!(1, 4);
            }};
            ($op:ident (hl)) => {{
                let value = read_at!(0, self.cpu.hl());
                let result = self.cpu.$op(value);
                write_at!(4, self.cpu.hl(), result);
                done!(1, 8);
            }};
            ($get:ident $set:ident $delta:expr) => {{
                let value = self.cpu.$get().wrapping_add_signed($delta);
                self.cpu.$set(value);
                done!(1, 8);
            }};
        }
        macro_rules! arithmetic {
            ($op:ident (hl)) => {{
                let value = read_at!(0, self.cpu.hl());
                self.cpu.$op(value);
                done!(1, 8);
            }};
            ($op:ident byte) => {{
                self.cpu.$op(byte);
                done!(2, 8);
            }};
            ($op:ident $register:ident) => {{
                self.cpu.$op(self.cpu.$register);
                done!(1, 4);
            }};
        }
        macro_rules! set {
            ($flag:expr) => {
                self.cpu.f & $flag != 0
            };
        }
        macro_rules! jump_relative {
            ($condition:expr) => {{
                if $condition {
                    pc = pc.wrapping_add_signed(i16::from(byte as i8));
                    self.cpu.jumped_back = byte & 0x80 != 0;
                    done!(2, 12);
                } else {
                    done!(2, 8);
                }
            }};
        }
        macro_rules! jump {
            ($condition:expr) => {{
                if $condition {
                    self.cpu.jumped_back = operand <= pc;
                    pc = operand;
                    now += 16;
                } else {
                    done!(3, 12);
                }
            }};
        }
        macro_rules! push_at {
            ($before:expr, $value:expr) => {{
                let [high, low] = u16::to_be_bytes($value);
                write_at!($before, self.cpu.sp.wrapping_sub(1), high);
                write_at!(4, self.cpu.sp.wrapping_sub(2), low);
                self.cpu.sp = self.cpu.sp.wrapping_sub(2);
            }};
        }
        macro_rules! pop_at {
            ($before:expr) => {{
                let low = read_at!($before, self.cpu.sp);
                let high = read_at!(4, self.cpu.sp.wrapping_add(1));
                self.cpu.sp = self.cpu.sp.wrapping_add(2);
                u16::from_le_bytes([low, high])
            }};
        }
        macro_rules! call {
            ($condition:expr) => {{
                pc = pc.wrapping_add(3);
                if $condition {
                    push_at!(16, pc);
                    pc = operand;
                    now += 4;
                } else {
                    now += 12;
                }
            }};
        }
        macro_rules! return_if {
            ($condition:expr) => {{
                if $condition {
                    pc = pop_at!(8);
                    now += 8;
                } else {
                    done!(1, 8);
                }
            }};
        }
        macro_rules! restart {
            ($target:expr) => {{
                pc = pc.wrapping_add(1);
                push_at!(8, pc);
                pc = $target;
                now += 4;
            }};
        }
        macro_rules! push {
            ($get:ident) => {{
                push_at!(8, self.cpu.$get());
                done!(1, 4);
            }};
        }
        macro_rules! pop {
            ($set:ident) => {{
                let value = pop_at!(0);
                self.cpu.$set(value);
                done!(1, 8);
            }};
        }

        match opcode {
            0x00 => done!(1, 4),
            0x01 => {
                cpu!().set_bc(operand);
                done!(3, 12);
            }
            0x02 => {
                write_at!(0, self.cpu.bc(), self.cpu.a);
                done!(1, 8);
            }
            0x03 => step!(bc set_bc 1),
            0x04 => step!(inc b),
            0x05 => step!(dec b),
            0x06 => load!(b, byte),
            0x07 | 0x0F | 0x17 | 0x1F => {
                cpu!().rotate_a(opcode >> 3);
                done!(1, 4);
            }
            0x08 => {
                let [low, high] = cpu!().sp.to_le_bytes();
                write_at!(0, operand, low);
                // wraps to 0000h, where it is a mapper command
                write_at!(0, operand.wrapping_add(1), high);
                done!(3, 20);
            }
            0x09 => {
                cpu!().add_hl(self.cpu.bc());
                done!(1, 8);
            }
            0x0A => {
                cpu!().a = read_at!(0, self.cpu.bc());
                done!(1, 8);
            }
            0x0B => step!(bc set_bc -1),
            0x0C => step!(inc c),
            0x0D => step!(dec c),
            0x0E => load!(c, byte),
            0x10 => {
                self.cycles = now;
                if self.model.is_color() {
                    self.switch_speed();
                    self.write(0xFF04, 0);
                }
                done!(2, 4);
            }
            0x11 => {
                cpu!().set_de(operand);
                done!(3, 12);
            }
            0x12 => {
                late!(write_at!(0, self.cpu.de(), self.cpu.a));
                done!(1, 8);
            }
            0x13 => step!(de set_de 1),
            0x14 => step!(inc d),
            0x15 => step!(dec d),
            0x16 => load!(d, byte),
            0x18 => jump_relative!(true),
            0x19 => {
                cpu!().add_hl(self.cpu.de());
                done!(1, 8);
            }
            0x1A => {
                cpu!().a = late!(read_at!(0, self.cpu.de()));
                done!(1, 8);
            }
            0x1B => step!(de set_de -1),
            0x1C => step!(inc e),
            0x1D => step!(dec e),
            0x1E => load!(e, byte),
            0x20 => jump_relative!(!set!(ZERO)),
            0x21 => {
                cpu!().set_hl(operand);
                done!(3, 12);
            }
            0x22 | 0x32 => {
                let hl = cpu!().hl();
                write_at!(0, hl, self.cpu.a);
                cpu!().set_hl(hl.wrapping_add_signed(if opcode == 0x22 { 1 } else { -1 }));
                done!(1, 8);
            }
            0x23 => step!(hl set_hl 1),
            0x24 => step!(inc h),
            0x25 => step!(dec h),
            0x26 => load!(h, byte),
            0x27 => {
                cpu!().daa();
                done!(1, 4);
            }
            0x28 => jump_relative!(set!(ZERO)),
            0x29 => {
                cpu!().add_hl(self.cpu.hl());
                done!(1, 8);
            }
            0x2A | 0x3A => {
                let hl = cpu!().hl();
                cpu!().a = read_at!(0, hl);
                cpu!().set_hl(hl.wrapping_add_signed(if opcode == 0x2A { 1 } else { -1 }));
                done!(1, 8);
            }
            0x2B => step!(hl set_hl -1),
            0x2C => step!(inc l),
            0x2D => step!(dec l),
            0x2E => load!(l, byte),
            0x2F => {
                cpu!().a = !cpu!().a;
                cpu!().f |= 0x60;
                done!(1, 4);
            }
            0x30 => jump_relative!(!set!(CARRY)),
            0x31 => {
                cpu!().sp = operand;
                done!(3, 12);
            }
            0x33 => {
                cpu!().sp = cpu!().sp.wrapping_add(1);
                done!(1, 8);
            }
            0x34 => step!(inc(hl)),
            0x35 => step!(dec(hl)),
            0x36 => {
                write_at!(4, self.cpu.hl(), byte);
                done!(2, 8);
            }
            0x37 => {
                cpu!().f = cpu!().f & ZERO | CARRY;
                done!(1, 4);
            }
            0x38 => jump_relative!(set!(CARRY)),
            0x39 => {
                cpu!().add_hl(self.cpu.sp);
                done!(1, 8);
            }
            0x3B => {
                cpu!().sp = cpu!().sp.wrapping_sub(1);
                done!(1, 8);
            }
            0x3C => step!(inc a),
            0x3D => step!(dec a),
            0x3E => load!(a, byte),
            0x3F => {
                cpu!().f = cpu!().f & (ZERO | CARRY) ^ CARRY;
                done!(1, 4);
            }
            0x40 => load!(b, b),
            0x41 => load!(b, c),
            0x42 => load!(b, d),
            0x43 => load!(b, e),
            0x44 => load!(b, h),
            0x45 => load!(b, l),
            0x46 => load!(b, (hl)),
            0x47 => load!(b, a),
            0x48 => load!(c, b),
            0x49 => load!(c, c),
            0x4A => load!(c, d),
            0x4B => load!(c, e),
            0x4C => load!(c, h),
            0x4D => load!(c, l),
            0x4E => load!(c, (hl)),
            0x4F => load!(c, a),
            0x50 => load!(d, b),
            0x51 => load!(d, c),
            0x52 => load!(d, d),
            0x53 => load!(d, e),
            0x54 => load!(d, h),
            0x55 => load!(d, l),
            0x56 => load!(d, (hl)),
            0x57 => load!(d, a),
            0x58 => load!(e, b),
            0x59 => load!(e, c),
            0x5A => load!(e, d),
            0x5B => load!(e, e),
            0x5C => load!(e, h),
            0x5D => load!(e, l),
            0x5E => load!(e, (hl)),
            0x5F => load!(e, a),
            0x60 => load!(h, b),
            0x61 => load!(h, c),
            0x62 => load!(h, d),
            0x63 => load!(h, e),
            0x64 => load!(h, h),
            0x65 => load!(h, l),
            0x66 => load!(h, (hl)),
            0x67 => load!(h, a),
            0x68 => load!(l, b),
            0x69 => load!(l, c),
            0x6A => load!(l, d),
            0x6B => load!(l, e),
            0x6C => load!(l, h),
            0x6D => load!(l, l),
            0x6E => load!(l, (hl)),
            0x6F => load!(l, a),
            0x70 => load!((hl), b),
            0x71 => load!((hl), c),
            0x72 => load!((hl), d),
            0x73 => load!((hl), e),
            0x74 => load!((hl), h),
            0x75 => load!((hl), l),
            0x76 => {
                cpu!().halted = true;
                cpu!().halted_in_ei = cpu!().ei_delay == 1;
                cpu!().bail = true;
                now += 4;
            }
            0x77 => load!((hl), a),
            0x78 => load!(a, b),
            0x79 => load!(a, c),
            0x7A => load!(a, d),
            0x7B => load!(a, e),
            0x7C => load!(a, h),
            0x7D => load!(a, l),
            0x7E => {
                cpu!().a = late!(read_at!(0, self.cpu.hl()));
                done!(1, 8);
            }
            0x7F => load!(a, a),
            0x80 => arithmetic!(add b),
            0x81 => arithmetic!(add c),
            0x82 => arithmetic!(add d),
            0x83 => arithmetic!(add e),
            0x84 => arithmetic!(add h),
            0x85 => arithmetic!(add l),
            0x86 => arithmetic!(add(hl)),
            0x87 => arithmetic!(add a),
            0x88 => arithmetic!(adc b),
            0x89 => arithmetic!(adc c),
            0x8A => arithmetic!(adc d),
            0x8B => arithmetic!(adc e),
            0x8C => arithmetic!(adc h),
            0x8D => arithmetic!(adc l),
            0x8E => arithmetic!(adc(hl)),
            0x8F => arithmetic!(adc a),
            0x90 => arithmetic!(sub b),
            0x91 => arithmetic!(sub c),
            0x92 => arithmetic!(sub d),
            0x93 => arithmetic!(sub e),
            0x94 => arithmetic!(sub h),
            0x95 => arithmetic!(sub l),
            0x96 => arithmetic!(sub(hl)),
            0x97 => arithmetic!(sub a),
            0x98 => arithmetic!(sbc b),
            0x99 => arithmetic!(sbc c),
            0x9A => arithmetic!(sbc d),
            0x9B => arithmetic!(sbc e),
            0x9C => arithmetic!(sbc h),
            0x9D => arithmetic!(sbc l),
            0x9E => arithmetic!(sbc(hl)),
            0x9F => arithmetic!(sbc a),
            0xA0 => arithmetic!(and b),
            0xA1 => arithmetic!(and c),
            0xA2 => arithmetic!(and d),
            0xA3 => arithmetic!(and e),
            0xA4 => arithmetic!(and h),
            0xA5 => arithmetic!(and l),
            0xA6 => arithmetic!(and(hl)),
            0xA7 => arithmetic!(and a),
            0xA8 => arithmetic!(xor b),
            0xA9 => arithmetic!(xor c),
            0xAA => arithmetic!(xor d),
            0xAB => arithmetic!(xor e),
            0xAC => arithmetic!(xor h),
            0xAD => arithmetic!(xor l),
            0xAE => arithmetic!(xor(hl)),
            0xAF => arithmetic!(xor a),
            0xB0 => arithmetic!(or b),
            0xB1 => arithmetic!(or c),
            0xB2 => arithmetic!(or d),
            0xB3 => arithmetic!(or e),
            0xB4 => arithmetic!(or h),
            0xB5 => arithmetic!(or l),
            0xB6 => arithmetic!(or(hl)),
            0xB7 => arithmetic!(or a),
            0xB8 => arithmetic!(cp b),
            0xB9 => arithmetic!(cp c),
            0xBA => arithmetic!(cp d),
            0xBB => arithmetic!(cp e),
            0xBC => arithmetic!(cp h),
            0xBD => arithmetic!(cp l),
            0xBE => arithmetic!(cp(hl)),
            0xBF => arithmetic!(cp a),
            0xC0 => return_if!(!set!(ZERO)),
            0xC1 => pop!(set_bc),
            0xC2 => jump!(!set!(ZERO)),
            0xC3 => jump!(true),
            0xC4 => call!(!set!(ZERO)),
            0xC5 => push!(bc),
            0xC6 => arithmetic!(add byte),
            0xC7 | 0xCF | 0xD7 | 0xDF | 0xE7 | 0xEF | 0xF7 | 0xFF => {
                restart!(u16::from(opcode & 0x38))
            }
            0xC8 => return_if!(set!(ZERO)),
            0xC9 => {
                pc = pop_at!(4);
                now += 8;
            }
            0xCA => jump!(set!(ZERO)),
            0xCB => {
                now = self.execute_cb(byte, now);
                pc = pc.wrapping_add(2);
            }
            0xCC => call!(set!(ZERO)),
            0xCD => call!(true),
            0xCE => arithmetic!(adc byte),
            0xD0 => return_if!(!set!(CARRY)),
            0xD1 => pop!(set_de),
            0xD2 => jump!(!set!(CARRY)),
            0xD4 => call!(!set!(CARRY)),
            0xD5 => push!(de),
            0xD6 => arithmetic!(sub byte),
            0xD8 => return_if!(set!(CARRY)),
            0xD9 => {
                cpu!().ime = true;
                cpu!().ei_delay = 0;
                cpu!().bail = cpu!().requested() != 0;
                pc = pop_at!(4);
                now += 8;
            }
            0xDA => jump!(set!(CARRY)),
            0xDC => call!(set!(CARRY)),
            0xDE => arithmetic!(sbc byte),
            0xE0 => {
                now += 4;
                self.cycles = now;
                self.write_port(byte, self.cpu.a);
                done!(2, 8);
            }
            0xE1 => pop!(set_hl),
            0xE2 => {
                self.cycles = now;
                self.write_port(self.cpu.c, self.cpu.a);
                done!(1, 8);
            }
            0xE5 => push!(hl),
            0xE6 => arithmetic!(and byte),
            0xE8 => {
                cpu!().sp = cpu!().sp_plus(byte);
                done!(2, 16);
            }
            0xE9 => {
                pc = cpu!().hl();
                now += 4;
            }
            0xEA => {
                write_at!(8, operand, self.cpu.a);
                done!(3, 8);
            }
            0xEE => arithmetic!(xor byte),
            0xF0 => {
                now += 4;
                self.cycles = now;
                cpu!().a = self.read_port(byte);
                done!(2, 8);
            }
            0xF1 => pop!(set_af),
            0xF2 => {
                self.cycles = now;
                cpu!().a = self.read_port(self.cpu.c);
                done!(1, 8);
            }
            0xF3 => {
                cpu!().ime = false;
                cpu!().ei_delay = 0;
                done!(1, 4);
            }
            0xF5 => push!(af),
            0xF6 => arithmetic!(or byte),
            0xF8 => {
                let sum = cpu!().sp_plus(byte);
                cpu!().set_hl(sum);
                done!(2, 12);
            }
            0xF9 => {
                cpu!().sp = cpu!().hl();
                done!(1, 8);
            }
            0xFA => {
                cpu!().a = read_at!(8, operand);
                done!(3, 8);
            }
            0xFB => {
                if cpu!().ei_delay == 0 {
                    cpu!().ei_delay = 2;
                }
                done!(1, 4);
            }
            0xFE => arithmetic!(cp byte),
            0xD3 | 0xDB | 0xDD | 0xE3 | 0xE4 | 0xEB..=0xED | 0xF4 | 0xFC | 0xFD => {
                cpu!().locked = Some(opcode);
                cpu!().bail = true;
            }
        }
        (pc, now)
    }

    /// The second page: rotates, BIT, RES and SET on any byte. Gives the cycle after it.
    fn execute_cb(&mut self, opcode: u8, now: u64) -> u64 {
        let mut now = now;
        let (kind, bit) = (opcode >> 6, opcode >> 3 & 7);
        let target = opcode & 7;
        let value = match target {
            0 => self.cpu.b,
            1 => self.cpu.c,
            2 => self.cpu.d,
            3 => self.cpu.e,
            4 => self.cpu.h,
            5 => self.cpu.l,
            6 => {
                now += 4;
                self.cycles = now;
                self.read(self.cpu.hl())
            }
            _ => self.cpu.a,
        };
        let result = match kind {
            0 => self.cpu.rotate(bit, value),
            1 => {
                self.cpu.test_bit(bit, value);
                return now + 8;
            }
            2 => value & !(1 << bit),
            _ => value | 1 << bit,
        };
        match target {
            0 => self.cpu.b = result,
            1 => self.cpu.c = result,
            2 => self.cpu.d = result,
            3 => self.cpu.e = result,
            4 => self.cpu.h = result,
            5 => self.cpu.l = result,
            6 => {
                now += 4;
                self.cycles = now;
                self.write(self.cpu.hl(), result);
            }
            _ => self.cpu.a = result,
        }
        now + 8
    }
}
