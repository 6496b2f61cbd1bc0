//! ROM banks decoded once and shared by all machines that run the ROM: one entry per byte, so that a
//! program may jump anywhere.
//!
//! An entry holds what the bytes there mean as an instruction. Bytes whose fetch is special (the last two
//! of a bank, the boot ROM, everything outside ROM) are [`SLOW`]: they are read through the memory map.

use super::idle;
use crate::cartridge::{Rom, BANK};
use crate::machine::Machine;

/// Codes below 100h are opcodes; CB instructions get one code per operand, with their byte as operand.
pub(super) const CB: u16 = 0x100;
/// A relative jump (by its opcode) that closes a loop that may be idle; likewise absolute ones.
pub(super) const LOOP: u16 = 0x200;
/// Not decoded: to be fetched through the memory map.
pub(super) const SLOW: u16 = 0x3FF;
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

/// A decoded instruction.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(4))]
pub(crate) struct Op {
    pub(super) code: u16,
    pub(super) operand: u16,
}

/// A decoded bank.
pub(crate) type Page = [Op; BANK];

static SLOW_PAGE: Page = [Op {
    code: SLOW,
    operand: 0,
}; BANK];

/// The code of an instruction without anything known about what is around it.
#[inline]
pub(super) fn plain(opcode: u8, operand: u16) -> u16 {
    if opcode == 0xCB {
        CB | operand & 7
    } else {
        u16::from(opcode)
    }
}

/// Decodes bank `number` of a ROM.
pub(crate) fn decode_bank(data: &[u8], number: usize) -> Box<Page> {
    let bank = &data[number * BANK..][..BANK];
    let mut page = vec![SLOW_PAGE[0]; BANK];
    for (at, bytes) in bank.windows(3).enumerate() {
        let operand = u16::from_le_bytes([bytes[1], bytes[2]]);
        page[at] = Op {
            code: if idle::closes_loop(bank, at) {
                LOOP | u16::from(bytes[0])
            } else {
                plain(bytes[0], operand)
            },
            operand,
        };
    }
    page.try_into().expect("a page has the size of a bank")
}

/// The decoded ROM as it is mapped now.
pub(crate) struct Code<'r> {
    rom: &'r Rom,
    /// The image, or nothing while the boot ROM covers part of it.
    pub(super) data: &'r [u8],
    mapped: (usize, usize, bool),
    pages: [&'r Page; 4],
}

impl<'r> Code<'r> {
    pub(crate) fn of(rom: &'r Rom, machine: &Machine) -> Self {
        let mut code = Self {
            rom,
            data: &[],
            mapped: (0, 0, true),
            pages: [&SLOW_PAGE; 4],
        };
        code.map(machine);
        code
    }

    /// Follows the machine's mapping.
    #[inline(always)]
    pub(crate) fn map(&mut self, machine: &Machine) {
        let banks = &machine.cartridge.banks;
        let opaque = machine.boot_mapped || !machine.shortcuts.decoded_code;
        let mapped = (banks.rom_low, banks.rom_high, opaque);
        if mapped != self.mapped {
            self.remap(mapped);
        }
    }

    #[inline(never)]
    fn remap(&mut self, mapped: (usize, usize, bool)) {
        self.mapped = mapped;
        let (low, high, opaque) = mapped;
        if opaque {
            self.data = &[];
            self.pages = [&SLOW_PAGE; 4];
        } else {
            self.data = &self.rom.data;
            self.pages[0] = self.rom.page(low);
            self.pages[1] = self.rom.page(high);
        }
    }

    /// The instruction at `pc`.
    #[inline(always)]
    pub(super) fn at(&self, pc: u16) -> Op {
        self.pages[usize::from(pc >> 14)][usize::from(pc) & (BANK - 1)]
    }
}
