//! The ROM image and its header.

use std::sync::OnceLock;

use crate::checksum::fingerprint;
use crate::cpu::decode::{decode, decode_around, Space};
use crate::EmuError;

pub(crate) const BANK: usize = 0x4000;
pub(crate) const RAM_BANK: usize = 0x2000;

/// A checked ROM image, shared by all machines that run it; a machine that patches it gets a copy of its own.
pub struct Rom {
    pub(crate) data: Vec<u8>,
    pub(crate) header: Header,
    pub(crate) fingerprint: u64,
    /// Decoded with every bank in the second quarter, when it is first mapped.
    spaces: Vec<OnceLock<Box<Space>>>,
}

/// What the header says about the cartridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Cartridge type byte (0147h).
    pub cartridge_type: u8,
    /// Number of 16 KiB ROM banks in the file.
    pub rom_banks: usize,
    /// RAM size code (0149h).
    pub ram_code: u8,
    /// Number of 8 KiB RAM banks that are emulated (at least one, as in the reference).
    pub ram_banks: usize,
    /// The cartridge asks for Game Boy Color functions (bit 7 of 0143h).
    pub color: bool,
}

/// A copy starts without decoded banks.
impl Clone for Rom {
    fn clone(&self) -> Self {
        Self {
            data: self.data.clone(),
            header: self.header,
            fingerprint: self.fingerprint,
            spaces: self.spaces.iter().map(|_| OnceLock::new()).collect(),
        }
    }
}

impl std::fmt::Debug for Rom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rom")
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl Rom {
    /// Checks an image: length a multiple of 16 KiB, header checksum, RAM code, supported mapper.
    ///
    /// # Errors
    /// `InvalidRom` or `UnsupportedMapper`.
    pub fn new(data: Vec<u8>) -> Result<Self, EmuError> {
        if data.is_empty() {
            return Err(EmuError::InvalidRom("got an empty file".into()));
        }
        if !data.len().is_multiple_of(BANK) || data.len() < 2 * BANK {
            return Err(EmuError::InvalidRom(format!(
                "got {} bytes, expected a multiple of 16384 and at least 32768",
                data.len()
            )));
        }
        let sum = data[0x134..0x14D]
            .iter()
            .fold(0u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
        if sum != data[0x14D] {
            return Err(EmuError::InvalidRom(format!(
                "header checksum is {:#04x}, computed {sum:#04x}",
                data[0x14D]
            )));
        }
        let ram_code = data[0x149];
        let ram_banks = match ram_code {
            0..=2 => 1,
            3 => 4,
            4 => 16,
            5 => 8,
            code => {
                return Err(EmuError::InvalidRom(format!(
                    "RAM size code {code:#04x} is none of 00 to 05"
                )))
            }
        };
        let header = Header {
            cartridge_type: data[0x147],
            rom_banks: data.len() / BANK,
            ram_code,
            ram_banks,
            color: data[0x143] & 0x80 != 0,
        };
        super::Mapper::for_type(header.cartridge_type, &header, &data)?;
        let spaces = (0..header.rom_banks).map(|_| OnceLock::new()).collect();
        Ok(Self {
            fingerprint: fingerprint(&data),
            data,
            header,
            spaces,
        })
    }

    /// An image with patches in it, and the fingerprint of the one that was patched.
    ///
    /// # Errors
    /// As [`Rom::new`].
    pub fn restored(data: Vec<u8>, fingerprint: u64) -> Result<Self, EmuError> {
        Ok(Self {
            fingerprint,
            ..Self::new(data)?
        })
    }

    /// Of the image as it was loaded, without patches: it identifies the ROM in saved states.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Changes a byte of the image for good: the banks it is seen in are decoded anew when they are run.
    pub(crate) fn patch(&mut self, offset: usize, value: u8) {
        self.data[offset] = value;
        let bank = offset / BANK;
        for (high, space) in self.spaces.iter_mut().enumerate() {
            if bank == 0 || high == bank {
                *space = OnceLock::new();
            }
        }
    }

    /// Changes a byte for a moment, as breakpoints do: only the instructions that contain it are decoded anew,
    /// and none of them is taken for the end of an idle loop.
    pub(crate) fn poke(&mut self, offset: usize, value: u8) {
        self.data[offset] = value;
        let (bank, at) = (offset / BANK, offset % BANK);
        let bytes = &self.data[bank * BANK..][..BANK];
        for (high, space) in self.spaces.iter_mut().enumerate() {
            let Some(space) = space.get_mut() else {
                continue;
            };
            if bank == 0 {
                decode_around(&mut space[..BANK], bytes, at);
            }
            if high == bank {
                decode_around(&mut space[BANK..2 * BANK], bytes, at);
            }
        }
    }

    /// Decoded with bank `high` in the second quarter and bank 0 in the first.
    pub(crate) fn space(&self, high: usize) -> &Space {
        self.spaces[high].get_or_init(|| decode(&self.data, 0, high))
    }

    pub fn header(&self) -> Header {
        self.header
    }

    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// The title up to the first NUL (15 bytes, 14 on colour cartridges).
    pub fn title(&self) -> String {
        let end = if self.header.color { 0x142 } else { 0x143 };
        self.data[0x134..end]
            .iter()
            .take_while(|&&b| b != 0)
            .map(|&b| char::from(b))
            .collect()
    }
}
