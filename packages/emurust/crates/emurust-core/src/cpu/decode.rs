//! ROM banks decoded once and shared by all machines that run the ROM: one entry per byte, so that a
//! program may jump anywhere.
//!
//! An entry holds what the bytes there mean as an instruction. Bytes whose fetch is special (the last two
//! of a bank, the boot ROM, everything outside ROM) are [`SLOW`]: they are read through the memory map.

use super::idle;
use crate::cartridge::{Rom, BANK};
use crate::machine::Machine;

/// Not decoded: to be fetched through the memory map. Zero, so that tables begin with it.
pub(super) const SLOW: u16 = 0;
/// The opcodes that lock the CPU up, with the opcode as operand.
pub(super) const ILLEGAL: u16 = 0x1FF;
/// Other codes below 100h are opcodes; NOP has its own.
pub(super) const NOP: u16 = 0x1FE;
/// CB instructions get one code per operand, with their byte as operand.
pub(super) const CB: u16 = 0x100;
/// Jumps that close a loop that may be idle, in the order of [`LOOP_CLOSERS`].
pub(super) const LOOP: u16 = 0x110;
pub(super) const LOOP_CLOSERS: [u8; 10] =
    [0x18, 0x20, 0x28, 0x30, 0x38, 0xC2, 0xC3, 0xCA, 0xD2, 0xDA];
/// Bits of a code.
pub(super) const CODES: u16 = 0x1FF;
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
    pub(super) code: u16,
    pub(super) operand: u16,
}

/// The address space decoded, with two ROM banks mapped.
pub(crate) type Space = [Op; 0x10000];

/// An instruction without anything known about what is around it.
pub(super) fn plain(opcode: u8, operand: u16) -> Op {
    match opcode {
        0x00 => Op { code: NOP, operand },
        0xCB => Op {
            code: CB | operand & 7,
            operand,
        },
        0xD3 | 0xDB | 0xDD | 0xE3 | 0xE4 | 0xEB..=0xED | 0xF4 | 0xFC | 0xFD => Op {
            code: ILLEGAL,
            operand: u16::from(opcode),
        },
        _ => Op {
            code: u16::from(opcode),
            operand,
        },
    }
}

/// Decodes the address space with bank `low` in its first and `high` in its second quarter.
pub(crate) fn decode(data: &[u8], low: usize, high: usize) -> Box<Space> {
    let nothing = Op {
        code: SLOW,
        operand: 0,
    };
    let mut space = vec![nothing; 0x10000];
    for (number, bank) in [low, high].into_iter().enumerate() {
        let bank = &data[bank * BANK..][..BANK];
        // in the last two bytes of a bank a fetch needs bytes of another
        for (at, bytes) in bank.windows(3).enumerate() {
            let operand = u16::from_le_bytes([bytes[1], bytes[2]]);
            let closer = LOOP_CLOSERS.iter().position(|&jump| jump == bytes[0]);
            space[number * BANK + at] = match closer.filter(|_| idle::closes_loop(bank, at)) {
                Some(closer) => Op {
                    code: LOOP + closer as u16,
                    operand,
                },
                None => plain(bytes[0], operand),
            };
        }
    }
    space.try_into().expect("the size is that of the space")
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
    code: SLOW,
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
