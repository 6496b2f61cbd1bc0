//! Read-only views of a machine for observations: pictures, tile maps, memory lists.

use std::sync::Arc;

use crate::cartridge::{BANK, RAM_BANK};
use crate::error::EmuError;
use crate::lcd::{lcdc, VRAM_BANK};
use crate::machine::{Machine, Model};
use crate::{HEIGHT, WIDTH};

/// Tiles of a bank of video memory.
const TILES: usize = 384;
/// Side of a tile map in tiles.
const MAP_SIDE: usize = 32;

/// A memory cell to read: an address, and a bank where the address alone does not name one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// `None` reads through the memory map as a program would.
    pub bank: Option<u16>,
    pub address: u16,
}

/// A part of a tile map, in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOut {
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
    /// It moves with the screen.
    pub follow: bool,
}

/// An object in pixels of the screen, with its (first) tile: 384 and up in the second bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenObject {
    pub y: i32,
    pub x: i32,
    pub tile: u32,
    pub tall: bool,
}

impl Machine {
    fn color_of(&self, cell: u16) -> u32 {
        self.lcd
            .renderer
            .rgba(cell, &self.colors, self.model == Model::Monochrome)
    }

    /// The picture as RGBA bytes, row by row (144 × 160 × 4).
    pub fn picture_rgba(&self, out: &mut [u8]) {
        let renderer = &self.lcd.renderer;
        let shades: [u32; 16] = std::array::from_fn(|i| match i {
            0..12 => self.color_of(0x8000 | i as u16),
            _ => 0,
        });
        let pairs: [[u8; 8]; 256] = std::array::from_fn(|i| {
            let [a, b] = [shades[i & 15], shades[i >> 4]].map(u32::to_le_bytes);
            [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
        });
        for (line, cells) in out
            .chunks_exact_mut(4 * WIDTH)
            .zip(renderer.cells.chunks_exact(WIDTH))
        {
            let (any, all) = cells
                .iter()
                .fold((0, !0), |(any, all), &cell| (any | cell, all & cell));
            if any & 0x8000 == 0 {
                for (pixel, &cell) in line.chunks_exact_mut(4).zip(cells) {
                    let channel = |shift: u32| (u32::from(cell) >> shift & 0x1F) << 3;
                    let rgba = 0xFF00_0000 | channel(10) << 16 | channel(5) << 8 | channel(0);
                    pixel.copy_from_slice(&rgba.to_le_bytes());
                }
            } else if all & 0x8000 != 0 && any & 0x7FF0 == 0 {
                for (two, cells) in line.chunks_exact_mut(8).zip(cells.chunks_exact(2)) {
                    let index = usize::from(cells[0] & 15) | usize::from(cells[1] & 15) << 4;
                    two.copy_from_slice(&pairs[index]);
                }
            } else {
                for (pixel, &cell) in line.chunks_exact_mut(4).zip(cells) {
                    pixel.copy_from_slice(&self.color_of(cell).to_le_bytes());
                }
            }
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

    /// The pixels of a tile, 0–383 or 767, row by row: RGBA in the colours of the background under its palette register.
    #[must_use]
    pub fn tile_pixels(&self, tile: u32) -> [u32; 64] {
        let (bank, number) = (tile as usize / TILES, tile as usize % TILES);
        let data = &self.lcd.vram[bank * VRAM_BANK + 16 * number..][..16];
        let shades = if self.model == Model::Color {
            self.colors.compatibility[0]
        } else {
            self.colors.monochrome
        };
        let colors = [0, 2, 4, 6].map(|bit| {
            let [blue, green, red, _] = shades[usize::from(self.lcd.bgp >> bit & 3)].to_le_bytes();
            u32::from_le_bytes([red, green, blue, 0xFF])
        });
        std::array::from_fn(|at| {
            let (row, bit) = (at / 8 * 2, 7 - at % 8);
            let number = data[row] >> bit & 1 | (data[row + 1] >> bit & 1) << 1;
            colors[usize::from(number)]
        })
    }

    /// Tile numbers 0–383 of a cut-out of the background or window map, row by row, read as a program would:
    /// from the video bank that is selected, laid out as LCDC `control` says. With `follow` it moves with the scroll registers that each
    /// row's first line was drawn with, and wraps around.
    ///
    /// # Errors
    /// `InvalidArgument` for a cut-out that leaves the map, or the screen where it follows it.
    pub fn tile_area(
        &mut self,
        window: bool,
        control: u8,
        cut: CutOut,
    ) -> Result<Vec<u32>, EmuError> {
        let last = if cut.follow { HEIGHT / 8 } else { MAP_SIDE };
        let right = if cut.follow {
            cut.x
        } else {
            cut.x.saturating_add(cut.width)
        };
        if right > MAP_SIDE || cut.y.saturating_add(cut.height) > last {
            return Err(EmuError::InvalidArgument(format!(
                "game area of {} x {} tiles at ({}, {}): it leaves the map of 32 x 32 tiles, or the 18 rows of \
                 the screen that it follows",
                cut.width, cut.height, cut.x, cut.y
            )));
        }
        let select = if window {
            lcdc::WINDOW_MAP
        } else {
            lcdc::BG_MAP
        };
        let base = if control & select != 0 {
            0x9C00
        } else {
            0x9800
        };
        let positions = self.line_positions();
        let mut area = Vec::with_capacity(cut.width * cut.height);
        for row in cut.y..cut.y + cut.height {
            let (shift_x, shift_y) = if cut.follow {
                let [scx, scy, ..] = positions[row * 8];
                (usize::from(scx / 8), usize::from(scy / 8))
            } else {
                (0, 0)
            };
            let start = (row + shift_y) % MAP_SIDE * MAP_SIDE;
            for column in cut.x..cut.x + cut.width {
                let at = start + (column + shift_x) % MAP_SIDE;
                let tile = self.read((base + at) as u16);
                area.push(if control & lcdc::TILES_LOW != 0 {
                    u32::from(tile)
                } else {
                    u32::from(tile ^ 0x80) + 128
                });
            }
        }
        Ok(area)
    }

    /// Objects of which a part is on the screen, in OAM order.
    pub fn objects_on_screen(&mut self) -> Vec<ScreenObject> {
        let tall = self.read(0xFF40) & lcdc::OBJ_TALL != 0;
        let height = if tall { 16 } else { 8 };
        let color = self.model == Model::Color;
        let mut found = Vec::new();
        for number in 0..40u16 {
            let [y, x, tile, attributes] =
                std::array::from_fn(|i| self.read(0xFE00 + 4 * number + i as u16));
            let (y, x) = (i32::from(y) - 16, i32::from(x) - 8);
            if y > -height && y < HEIGHT as i32 && x > -8 && x < WIDTH as i32 {
                let second_bank = color && attributes & 8 != 0;
                let tile = u32::from(tile) + if second_bank { 384 } else { 0 };
                found.push(ScreenObject { y, x, tile, tall });
            }
        }
        found
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

    /// The bytes of a bank from an address on, as they are stored.
    ///
    /// # Errors
    /// `InvalidArgument` as for [`Self::check_cell`].
    pub fn bank_from(&self, cell: Cell) -> Result<&[u8], EmuError> {
        self.check_cell(cell)?;
        let (bank, address) = (
            usize::from(cell.bank.unwrap_or(0)),
            usize::from(cell.address),
        );
        let (memory, size): (&[u8], usize) = match cell.address >> 12 {
            0..=7 => (&self.rom.data, BANK),
            8 | 9 => (&self.lcd.vram, VRAM_BANK),
            0xA | 0xB => (&self.cartridge.ram, RAM_BANK),
            _ => (&self.wram, 0x1000),
        };
        Ok(&memory[bank * size..][..size][address % size..])
    }

    /// The boot ROM, if there is one.
    pub fn boot_rom(&self) -> Option<&[u8]> {
        self.boot.as_ref().map(|boot| boot.bytes())
    }

    /// Changes a byte of this machine's boot ROM.
    ///
    /// # Errors
    /// `InvalidArgument` where there is none.
    pub fn patch_boot_rom(&mut self, offset: usize, value: u8) -> Result<(), EmuError> {
        match &mut self.boot {
            Some(boot) if offset < boot.bytes().len() => {
                Arc::make_mut(boot).patch(offset, value);
                Ok(())
            }
            _ => Err(EmuError::InvalidArgument(format!(
                "byte {offset:#x} of the boot ROM: there is none"
            ))),
        }
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

    /// Writes a banked cell directly. Of ROM that is a patch: it changes this machine's image alone, and states
    /// do not carry it.
    ///
    /// # Errors
    /// `InvalidArgument` for cells that do not exist or have no banks.
    pub fn write_cell(&mut self, cell: Cell, value: u8) -> Result<(), EmuError> {
        self.check_cell(cell)?;
        let (address, bank) = (
            usize::from(cell.address),
            usize::from(cell.bank.unwrap_or(0)),
        );
        let target = match cell.address >> 12 {
            0..=7 => {
                Arc::make_mut(&mut self.rom).patch(bank * BANK + address % BANK, value);
                self.idle.clear();
                return Ok(());
            }
            8 | 9 => {
                self.lcd
                    .write_vram_byte(bank * 0x2000 + (address & 0x1FFF), value);
                return Ok(());
            }
            0xA | 0xB => &mut self.cartridge.ram[bank * 0x2000 + (address & 0x1FFF)],
            0xC | 0xD => &mut self.wram[bank * 0x1000 + (address & 0x0FFF)],
            _ => {
                return Err(EmuError::InvalidArgument(format!(
                    "{:#06x} is not in a bank",
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
