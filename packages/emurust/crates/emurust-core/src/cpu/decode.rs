//! ROM banks decoded once and shared by all machines that run the ROM: one entry per byte, so that a
//! program may jump anywhere.
//!
//! An entry holds what the bytes there mean as an instruction. Bytes whose fetch is special (the last two
//! of a bank, the boot ROM, everything outside ROM) are [`Operation::Slow`]: they are read through the memory map.

use super::idle;
use crate::cartridge::{Rom, BANK};
use crate::machine::Machine;

/// Defines [`Operation`] with the opcodes that are named here by their numbers, and a list of these.
macro_rules! operations {
    ($($opcode:ident)*) => {
        /// What an entry stands for: an opcode, or more or less than that.
        ///
        /// A type and not a number, so that matching it is a jump through a table without a check of its range.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms)] // hexadecimal numbers
        #[rustfmt::skip]
        pub(super) enum Operation {
            /// Not decoded: to be fetched through the memory map.
            Slow,
            /// An opcode that locks the CPU up, with the opcode as operand.
            Illegal,
            $($opcode,)*
            /// CB instructions by the register they are for, with their second byte as operand.
            CbB, CbC, CbD, CbE, CbH, CbL, CbAtHl, CbA,
            /// Jumps, by their opcodes, that close a loop that may be idle.
            Loop18, Loop20, Loop28, Loop30, Loop38, LoopC2, LoopC3, LoopCA, LoopD2, LoopDA,
        }
        const OPCODES: &[(Operation, &str)] = &[$((Operation::$opcode, stringify!($opcode))),*];
    };
}
use Operation::*;

operations! {
    X00 X01 X02 X03 X04 X05 X06 X07 X08 X09 X0A X0B X0C X0D X0E X0F
    X10 X11 X12 X13 X14 X15 X16 X17 X18 X19 X1A X1B X1C X1D X1E X1F
    X20 X21 X22 X23 X24 X25 X26 X27 X28 X29 X2A X2B X2C X2D X2E X2F
    X30 X31 X32 X33 X34 X35 X36 X37 X38 X39 X3A X3B X3C X3D X3E X3F
    X40 X41 X42 X43 X44 X45 X46 X47 X48 X49 X4A X4B X4C X4D X4E X4F
    X50 X51 X52 X53 X54 X55 X56 X57 X58 X59 X5A X5B X5C X5D X5E X5F
    X60 X61 X62 X63 X64 X65 X66 X67 X68 X69 X6A X6B X6C X6D X6E X6F
    X70 X71 X72 X73 X74 X75 X76 X77 X78 X79 X7A X7B X7C X7D X7E X7F
    X80 X81 X82 X83 X84 X85 X86 X87 X88 X89 X8A X8B X8C X8D X8E X8F
    X90 X91 X92 X93 X94 X95 X96 X97 X98 X99 X9A X9B X9C X9D X9E X9F
    XA0 XA1 XA2 XA3 XA4 XA5 XA6 XA7 XA8 XA9 XAA XAB XAC XAD XAE XAF
    XB0 XB1 XB2 XB3 XB4 XB5 XB6 XB7 XB8 XB9 XBA XBB XBC XBD XBE XBF
    XC0 XC1 XC2 XC3 XC4 XC5 XC6 XC7 XC8 XC9 XCA XCC XCD XCE XCF
    XD0 XD1 XD2 XD4 XD5 XD6 XD7 XD8 XD9 XDA XDC XDE XDF
    XE0 XE1 XE2 XE5 XE6 XE7 XE8 XE9 XEA XEE XEF
    XF0 XF1 XF2 XF3 XF5 XF6 XF7 XF8 XF9 XFA XFB XFE XFF
}

/// By opcode: what has no name above is illegal, and CB stands for the first of its eight.
const OPERATIONS: [Operation; 256] = {
    let mut operations = [Illegal; 256];
    operations[0xCB] = CbB;
    let mut i = 0;
    while i < OPCODES.len() {
        let (operation, name) = OPCODES[i];
        let Ok(opcode) = u8::from_str_radix(name.split_at(1).1, 16) else {
            panic!("expected a name of X and two hexadecimal digits")
        };
        operations[opcode as usize] = operation;
        i += 1;
    }
    operations
};
const CB: [Operation; 8] = [CbB, CbC, CbD, CbE, CbH, CbL, CbAtHl, CbA];
/// An illegal opcode.
pub(super) const LOCK_UP: u8 = 0xD3;

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

/// A decoded instruction.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(4))]
pub(crate) struct Op {
    pub(super) operation: Operation,
    pub(super) operand: u16,
}

/// The address space decoded, with two ROM banks mapped.
pub(crate) type Space = [Op; 0x10000];

/// An instruction without anything known about what is around it.
pub(super) fn plain(opcode: u8, operand: u16) -> Op {
    match (opcode, OPERATIONS[usize::from(opcode)]) {
        (0xCB, _) => Op {
            operation: CB[usize::from(operand & 7)],
            operand,
        },
        (_, Illegal) => Op {
            operation: Illegal,
            operand: u16::from(opcode),
        },
        (_, operation) => Op { operation, operand },
    }
}

/// The operation of a jump that closes a loop.
fn loop_closer(opcode: u8) -> Option<Operation> {
    Some(match opcode {
        0x18 => Loop18,
        0x20 => Loop20,
        0x28 => Loop28,
        0x30 => Loop30,
        0x38 => Loop38,
        0xC2 => LoopC2,
        0xC3 => LoopC3,
        0xCA => LoopCA,
        0xD2 => LoopD2,
        0xDA => LoopDA,
        _ => return None,
    })
}

/// Decodes the address space with bank `low` in its first and `high` in its second quarter.
pub(crate) fn decode(data: &[u8], low: usize, high: usize) -> Box<Space> {
    let nothing = Op {
        operation: Slow,
        operand: 0,
    };
    let mut space = vec![nothing; 0x10000];
    for (number, bank) in [low, high].into_iter().enumerate() {
        let bank = &data[bank * BANK..][..BANK];
        // in the last two bytes of a bank a fetch needs bytes of another
        for (at, bytes) in bank.windows(3).enumerate() {
            let operand = u16::from_le_bytes([bytes[1], bytes[2]]);
            let closer = loop_closer(bytes[0]).filter(|_| idle::closes_loop(bank, at));
            space[number * BANK + at] = match closer {
                Some(operation) => Op { operation, operand },
                None => plain(bytes[0], operand),
            };
        }
    }
    space.try_into().expect("the size is that of the space")
}

/// Decodes the instructions of a bank anew that contain the byte `at`, as plain ones.
pub(crate) fn decode_around(ops: &mut [Op], bank: &[u8], at: usize) {
    for (start, bytes) in bank
        .windows(3)
        .enumerate()
        .take(at + 1)
        .skip(at.saturating_sub(2))
    {
        ops[start] = plain(bytes[0], u16::from_le_bytes([bytes[1], bytes[2]]));
    }
}

/// The decoded ROM as it is mapped now.
pub(crate) struct Code<'r> {
    rom: &'r Rom,
    mapped: (usize, usize, bool),
    /// The image, or nothing while something covers it.
    pub(super) data: &'r [u8],
    /// What to add to an address in the second quarter to find it in the image.
    pub(super) high_shift: usize,
    pub(super) space: &'r Space,
}

static UNDECODED: Space = [Op {
    operation: Slow,
    operand: 0,
}; 0x10000];

impl<'r> Code<'r> {
    pub(crate) fn of(rom: &'r Rom, machine: &Machine) -> Self {
        let mut code = Self {
            rom,
            mapped: (0, 0, true),
            data: &[],
            high_shift: 0,
            space: &UNDECODED,
        };
        code.map(machine);
        code
    }

    /// Follows the machine's mapping.
    #[inline(always)]
    pub(crate) fn map(&mut self, machine: &Machine) {
        let banks = &machine.cartridge.banks;
        // multi-game cartridges with another bank at 0000h are not worth tables of their own
        let opaque = machine.boot_mapped || !machine.shortcuts.decoded_code || banks.rom_low != 0;
        let mapped = (banks.rom_low, banks.rom_high, opaque);
        if mapped != self.mapped {
            self.remap(mapped);
        }
    }

    #[inline(never)]
    fn remap(&mut self, mapped: (usize, usize, bool)) {
        self.mapped = mapped;
        let (_, high, opaque) = mapped;
        if opaque {
            self.data = &[];
            self.space = &UNDECODED;
        } else {
            self.data = &self.rom.data;
            self.high_shift = (high * BANK).wrapping_sub(BANK);
            self.space = self.rom.space(high);
        }
    }

    /// The instruction at `pc`.
    #[inline(always)]
    pub(super) fn at(&self, pc: u16) -> Op {
        self.space[usize::from(pc)]
    }

    /// The byte at `addr` below 8000h, unless something covers the ROM.
    #[inline(always)]
    pub(super) fn byte(&self, addr: u16) -> Option<u8> {
        let shift = if usize::from(addr) < BANK {
            0
        } else {
            self.high_shift
        };
        let at = usize::from(addr).wrapping_add(shift);
        self.data.get(at).copied()
    }
}
