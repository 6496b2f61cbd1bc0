//! Read-only views of a machine for observations: pictures, tile maps, memory lists.

use crate::error::EmuError;
use crate::lcd::lcdc;
use crate::machine::{Machine, Model};
use crate::{HEIGHT, WIDTH};

/// Side of a tile map in tiles.
const MAP_SIDE: usize = 32;

/// A memory cell to read: an address, and a bank where the address alone does not name one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// `None` reads through the memory map as a program would.
    pub bank: Option<u16>,
    pub address: u16,
}

impl Machine {
    fn color_of(&self, cell: u16) -> u32 {
        self.lcd
            .renderer
            .rgba(cell, &self.colors, self.model == Model::Monochrome)
    }

    /// The picture as RGBA bytes, row by row (144 × 160 × 4).
    pub fn picture_rgba(&self, out: &mut [u8]) {
        for (pixel, &cell) in out.chunks_exact_mut(4).zip(&self.lcd.renderer.cells) {
            pixel.copy_from_slice(&self.color_of(cell).to_le_bytes());
        }
    }

    /// The picture as RGB bytes (144 × 160 × 3).
    pub fn picture_rgb(&self, out: &mut [u8]) {
        for (pixel, &cell) in out.chunks_exact_mut(3).zip(&self.lcd.renderer.cells) {
            pixel.copy_from_slice(&self.color_of(cell).to_le_bytes()[..3]);
        }
    }

    /// The picture in grey (144 × 160): ITU-R 601 luma, rounded; shades of grey stay what they are.
    pub fn picture_grey(&self, out: &mut [u8]) {
        for (pixel, &cell) in out.iter_mut().zip(&self.lcd.renderer.cells) {
            *pixel = luma(self.color_of(cell));
        }
    }

    /// The grey picture at half size (72 × 80), each pixel the mean of four, rounded down.
    pub fn picture_half_grey(&self, out: &mut [u8]) {
        let cells = &self.lcd.renderer.cells;
        let grey = |y: usize, x: usize| u16::from(luma(self.color_of(cells[y * WIDTH + x])));
        for (y, row) in out.chunks_exact_mut(WIDTH / 2).take(HEIGHT / 2).enumerate() {
            for (x, pixel) in row.iter_mut().enumerate() {
                let (y, x) = (2 * y, 2 * x);
                *pixel =
                    ((grey(y, x) + grey(y, x + 1) + grey(y + 1, x) + grey(y + 1, x + 1)) / 4) as u8;
            }
        }
    }

    /// The 32 × 32 background or window map as tile numbers 0–383, row by row.
    pub fn tile_map(&self, window: bool, out: &mut [u16]) {
        let select = if window {
            lcdc::WINDOW_MAP
        } else {
            lcdc::BG_MAP
        };
        let base = if self.lcd.control & select != 0 {
            0x1C00
        } else {
            0x1800
        };
        let unsigned = self.lcd.control & lcdc::TILES_LOW != 0;
        let map = &self.lcd.vram[base..base + MAP_SIDE * MAP_SIDE];
        for (slot, &tile) in out.iter_mut().zip(map) {
            *slot = if unsigned {
                u16::from(tile)
            } else {
                u16::from(tile ^ 0x80) + 128
            };
        }
    }

    /// Per line SCX, SCY, WX and WY at the time it was drawn; zeroes while the LCD is off.
    pub fn line_positions(&self) -> Vec<[u8; 4]> {
        let on = self.lcd.on();
        self.lcd
            .line_positions
            .iter()
            .map(|p| if on { [p[0], p[1], p[2], p[3]] } else { [0; 4] })
            .collect()
    }

    /// OAM as it is stored, whether or not a transfer is running.
    pub fn oam(&self) -> &[u8] {
        &self.lcd.oam
    }

    /// 16 where objects are 8 × 16.
    pub fn object_height(&self) -> u8 {
        self.lcd.object_height()
    }

    /// Checks that a cell exists in this machine.
    ///
    /// # Errors
    /// `InvalidArgument` naming the cell.
    pub fn check_cell(&self, cell: Cell) -> Result<(), EmuError> {
        let Some(bank) = cell.bank.map(usize::from) else {
            return Ok(());
        };
        let color = self.model == Model::Color;
        let banks = match cell.address >> 12 {
            0..=7 => self.rom.header().rom_banks,
            8 | 9 => 1 + usize::from(color),
            0xA | 0xB => self.rom.header().ram_banks,
            0xC | 0xD if color => 8,
            0xC | 0xD => 2,
            _ => 0,
        };
        if bank < banks {
            return Ok(());
        }
        Err(EmuError::InvalidArgument(format!(
            "bank {bank} at {:#06x}: this machine has {banks} banks there",
            cell.address
        )))
    }

    /// Reads a checked cell.
    #[inline]
    pub fn read_cell(&mut self, cell: Cell) -> u8 {
        let address = usize::from(cell.address);
        let bank = usize::from(cell.bank.unwrap_or(0));
        match (cell.address >> 12, cell.bank) {
            (0xC, None) => self.wram[address & 0x0FFF],
            (0xD, None) => self.wram[self.wram_offset(cell.address)],
            (0xC | 0xD, Some(_)) => self.wram[bank * 0x1000 + (address & 0x0FFF)],
            (0xF, None) if (0xFF80..0xFFFF).contains(&address) => self.hram[address - 0xFF80],
            (0..=7, Some(_)) => self.rom.data[bank * 0x4000 + (address & 0x3FFF)],
            (8 | 9, Some(_)) => self.lcd.vram[bank * 0x2000 + (address & 0x1FFF)],
            (0xA | 0xB, Some(_)) => self.cartridge.ram[bank * 0x2000 + (address & 0x1FFF)],
            _ => self.read(cell.address),
        }
    }

    /// Writes a banked cell of video, work or cartridge RAM directly.
    ///
    /// # Errors
    /// `InvalidArgument` for cells that do not exist or are ROM (which all instances share).
    pub fn write_cell(&mut self, cell: Cell, value: u8) -> Result<(), EmuError> {
        self.check_cell(cell)?;
        let (address, bank) = (
            usize::from(cell.address),
            usize::from(cell.bank.unwrap_or(0)),
        );
        let target = match cell.address >> 12 {
            8 | 9 => {
                self.lcd
                    .write_vram_byte(bank * 0x2000 + (address & 0x1FFF), value);
                return Ok(());
            }
            0xA | 0xB => &mut self.cartridge.ram[bank * 0x2000 + (address & 0x1FFF)],
            0xC | 0xD => &mut self.wram[bank * 0x1000 + (address & 0x0FFF)],
            _ => {
                return Err(EmuError::InvalidArgument(format!(
                    "{:#06x} is not banked RAM",
                    cell.address
                )))
            }
        };
        *target = value;
        Ok(())
    }
}

/// 0.299 R + 0.587 G + 0.114 B in 16-bit fixed point.
fn luma(rgba: u32) -> u8 {
    let [r, g, b, _] = rgba.to_le_bytes().map(u32::from);
    ((19_595 * r + 38_470 * g + 7_471 * b + 0x8000) >> 16) as u8
}
