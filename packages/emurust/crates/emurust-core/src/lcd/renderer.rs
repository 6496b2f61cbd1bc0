//! Drawing: a whole line at the moment mode 0 begins, from the memory and registers of that moment.
//!
//! Pictures are kept as 16-bit cells and coloured only on export (see [`Cell`]).

use educe::Educe;

use super::objects::LineObjects;
use super::palette::Colors;
use super::unchanged::{none_drawn, LineKey, MAPS};
use super::{lcdc, Lcd, VRAM_BANK};

pub(crate) const WIDTH: usize = 160;
pub(crate) const HEIGHT: usize = 144;

/// A stored pixel. Bit 15 clear: a 15-bit colour. Bit 15 set: an entry of [`Colors`]
/// (palette number times four plus shade), [`UNDRAWN`], or an entry of the foreign-colour list.
pub(crate) type Cell = u16;

const INDEXED: Cell = 0x8000;
/// The buffer before anything was drawn: transparent black in the reference.
pub(crate) const UNDRAWN: Cell = INDEXED | 0x0F;
const FOREIGN: Cell = INDEXED | 0x10;

/// Line-buffer byte: bits 0–1 colour number, 2–4 palette, 5 background priority,
/// 6 set where a switched-off background still covers objects.
const PRIORITY: u8 = 0x20;
const COVERING: u8 = 0x40;

const BGP: usize = 0;

#[derive(Debug, Educe)]
#[educe(Clone)]
pub(crate) struct Renderer {
    pub(crate) enabled: bool,
    pub(crate) cells: Vec<Cell>,
    /// Colours of a loaded picture that are in no palette of this machine (RGBA, as stored).
    pub(crate) foreign: Vec<u32>,
    /// Window line of the last drawn window line; off by one before the first drawn frame's end.
    pub(crate) window_line: i32,
    pub(crate) skip_unchanged: bool,
    /// The picture as a whole was replaced, and nobody asked yet.
    pub(crate) replaced: bool,
    /// What the lines of the picture were drawn from.
    keys: Vec<LineKey>,
}

/// Spreads the bits of a byte over eight bytes, leftmost pixel (bit 7) lowest.
const SPREAD: [u64; 256] = {
    let mut table = [0u64; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte & (0x80 >> bit) != 0 {
                table[byte] |= 1 << (8 * bit);
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;
/// Room for a partial tile on either side of the line.
const LINE_BUFFER: usize = WIDTH + 16;

fn shade(palette: u8, color: u8) -> u8 {
    (palette >> (2 * color)) & 3
}

fn indexed(palette: usize, shade: u8) -> Cell {
    INDEXED | (palette as Cell * 4 + Cell::from(shade))
}

impl Renderer {
    pub(crate) fn new() -> Self {
        Self {
            enabled: false,
            cells: vec![UNDRAWN; WIDTH * HEIGHT],
            foreign: Vec::new(),
            window_line: 0,
            skip_unchanged: true,
            replaced: true,
            keys: none_drawn(),
        }
    }

    /// The picture is no longer what was drawn.
    pub(crate) fn forget(&mut self) {
        self.replaced = true;
        self.keys.fill(LineKey::default());
    }

    /// Colour of a cell as the reference's buffer holds it: R in the lowest byte, alpha in the highest.
    pub(crate) fn rgba(&self, cell: Cell, colors: &Colors, monochrome: bool) -> u32 {
        if cell & INDEXED == 0 {
            let channel = |shift: u32| u32::from(cell >> shift & 0x1F) << 3;
            return 0xFF00_0000 | channel(10) << 16 | channel(5) << 8 | channel(0);
        }
        if cell == UNDRAWN {
            return 0;
        }
        if cell >= FOREIGN {
            return self
                .foreign
                .get(usize::from(cell - FOREIGN))
                .copied()
                .unwrap_or(0);
        }
        let (palette, shade) = (usize::from(cell >> 2 & 3), usize::from(cell & 3));
        let shades = if monochrome {
            &colors.monochrome
        } else {
            &colors.compatibility[palette]
        };
        let rgb = shades[shade];
        0xFF00_0000 | (rgb & 0xFF) << 16 | (rgb & 0xFF00) | rgb >> 16 & 0xFF
    }

    /// Stores a picture given as the reference's 32-bit values.
    pub(crate) fn import(&mut self, pixels: &[u32], colors: &Colors, monochrome: bool) {
        self.foreign.clear();
        let known: Vec<(u32, Cell)> = (0..12)
            .map(|i| INDEXED | i)
            .chain([UNDRAWN])
            .map(|cell| (self.rgba(cell, colors, monochrome), cell))
            .collect();
        for (slot, &pixel) in self.cells.iter_mut().zip(pixels) {
            let found = known
                .iter()
                .find(|(value, _)| *value == pixel)
                .map(|&(_, cell)| cell);
            *slot = found.unwrap_or_else(|| {
                let five = |shift: u32| ((pixel >> shift & 0xFF) >> 3) as Cell;
                if pixel >> 24 == 0xFF && pixel & 0x0007_0707 == 0 && !monochrome {
                    return five(0) | five(8) << 5 | five(16) << 10;
                }
                let position = self
                    .foreign
                    .iter()
                    .position(|&c| c == pixel)
                    .unwrap_or_else(|| {
                        self.foreign.push(pixel);
                        self.foreign.len() - 1
                    });
                FOREIGN + position.min(0x7000) as Cell
            });
        }
    }
}

impl Lcd {
    /// Fills the picture with background colour 0; the reference does this in undrawn frames too.
    pub(super) fn blank(&mut self) {
        let cell = indexed(BGP, shade(self.bgp, 0));
        self.renderer.cells.fill(cell);
        self.renderer.forget();
    }

    /// Records the scroll registers of lines.
    pub(super) fn note_positions(&mut self, lines: std::ops::Range<usize>) {
        let tiles = self.control & lcdc::TILES_LOW;
        let position = [self.scx, self.scy, self.wx, self.wy, tiles];
        if let Some(lines) = self.line_positions.get_mut(lines) {
            lines.fill(position);
        }
    }

    /// Records the scroll registers of the line and draws it if this frame is drawn.
    pub(super) fn finish_line(&mut self) {
        let line = usize::from(self.ly);
        if line < HEIGHT {
            self.note_positions(line..line + 1);
            if self.renderer.enabled {
                self.draw_line();
            }
        }
    }

    fn draw_line(&mut self) {
        // x of the window's left edge; below zero the window starts off screen
        let window_x = i32::from(self.wx) - 7;
        let window =
            self.control & lcdc::WINDOW_ON != 0 && self.window_armed && window_x < WIDTH as i32;
        if window {
            self.renderer.window_line += 1;
        }
        let window_line = window.then_some(self.renderer.window_line);
        if usize::from(self.ly) == HEIGHT - 1 {
            self.renderer.window_line = -1;
        }
        let objects = (self.control & lcdc::OBJ_ON != 0).then(|| {
            let height = self.object_height();
            self.object_lines.on_line(&self.oam, self.ly, height)
        });
        let key = self.line_key(window_line, objects.as_ref());
        let known = &mut self.renderer.keys[usize::from(self.ly)];
        if self.renderer.skip_unchanged && *known == key {
            return;
        }
        *known = key;

        let mut buffer = [0u8; LINE_BUFFER];
        if let Some(line) = window_line {
            if window_x > 0 {
                self.fill_background(&mut buffer);
            }
            self.fill_window(&mut buffer, window_x, line as u8);
        } else if self.color || self.control & lcdc::BG_ON != 0 {
            self.fill_background(&mut buffer);
        } else {
            buffer.fill(COVERING);
        }
        let start = usize::from(self.ly) * WIDTH;
        let mut cells = [0 as Cell; WIDTH];
        if self.color {
            for (cell, &pixel) in cells.iter_mut().zip(&buffer) {
                *cell = self.bg_colors.colors[usize::from(pixel & 0x1F)] & 0x7FFF;
            }
        } else {
            let shades: [Cell; 4] =
                std::array::from_fn(|color| indexed(BGP, shade(self.bgp, color as u8)));
            // table[low + 2 * high] as a polynomial, which becomes vector instructions
            let low = shades[1].wrapping_sub(shades[0]);
            let high = shades[2].wrapping_sub(shades[0]);
            let both = shades[3].wrapping_sub(shades[2]).wrapping_sub(low);
            for (cell, &pixel) in cells.iter_mut().zip(&buffer) {
                let (l, h) = (Cell::from(pixel & 1), Cell::from(pixel >> 1 & 1));
                let offset = l.wrapping_mul(low).wrapping_add(h.wrapping_mul(high));
                *cell = shades[0]
                    .wrapping_add(offset)
                    .wrapping_add((l & h).wrapping_mul(both));
            }
        }
        if let Some(objects) = objects {
            self.draw_objects(objects, &buffer, &mut cells);
        }
        self.renderer.cells[start..start + WIDTH].copy_from_slice(&cells);
    }

    /// Row of the tile maps (0 to 63) that line `y` of the background or window lies in.
    fn map_row(&self, select: u8, y: u8) -> usize {
        let second = usize::from(self.control & select != 0);
        second * 32 + usize::from(y >> 3)
    }

    fn line_key(&self, window_line: Option<i32>, objects: Option<&LineObjects>) -> LineKey {
        let rows = [
            self.map_row(lcdc::BG_MAP, self.ly.wrapping_add(self.scy)),
            self.map_row(lcdc::WINDOW_MAP, window_line.unwrap_or(0) as u8),
        ];
        let mut key = LineKey::new(&self.changes, rows);
        key.registers = [
            self.scx,
            self.scy,
            self.wx,
            self.control,
            self.bgp,
            self.obp[0],
            self.obp[1],
            u8::from(self.color),
        ];
        key.window_line = window_line;
        if let Some(objects) = objects {
            key.set_objects(objects, &self.oam);
        }
        key
    }

    fn fill_background(&self, buffer: &mut [u8; LINE_BUFFER]) {
        let y = self.ly.wrapping_add(self.scy);
        let map = MAPS + 32 * self.map_row(lcdc::BG_MAP, y);
        let mut row = [0u8; LINE_BUFFER];
        let first = usize::from(self.scx >> 3);
        for (column, eight) in row.chunks_exact_mut(8).take(WIDTH / 8 + 1).enumerate() {
            let entry = map + ((first + column) & 31);
            eight.copy_from_slice(&self.tile_row(entry, y).to_le_bytes());
        }
        let fine = usize::from(self.scx & 7);
        buffer[..WIDTH].copy_from_slice(&row[fine..fine + WIDTH]);
    }

    fn fill_window(&self, buffer: &mut [u8; LINE_BUFFER], window_x: i32, y: u8) {
        let map = MAPS + 32 * self.map_row(lcdc::WINDOW_MAP, y);
        // shifting by eight keeps the index positive for windows that begin off screen
        let mut line = [0u8; LINE_BUFFER + 8];
        let start = (window_x + 8) as usize;
        line[8..8 + WIDTH].copy_from_slice(&buffer[..WIDTH]);
        let mut column = 0;
        let mut x = start;
        while x < 8 + WIDTH {
            let entry = map + (column & 31);
            line[x..x + 8].copy_from_slice(&self.tile_row(entry, y).to_le_bytes());
            x += 8;
            column += 1;
        }
        buffer[..WIDTH].copy_from_slice(&line[8..8 + WIDTH]);
    }

    /// Eight line-buffer bytes of the tile that the map names at `entry`.
    #[inline]
    fn tile_row(&self, entry: usize, y: u8) -> u64 {
        let tile = self.vram[entry];
        let number = if self.control & lcdc::TILES_LOW != 0 {
            usize::from(tile)
        } else {
            usize::from(tile ^ 0x80) + 128
        };
        let row = usize::from(y & 7);
        if !self.color {
            return pixels(&self.vram, number * 16 + row * 2, false);
        }
        let attributes = self.vram[VRAM_BANK + entry];
        let row = if attributes & 0x40 != 0 { 7 - row } else { row };
        let bank = usize::from(attributes >> 3 & 1) * VRAM_BANK;
        let extra = (attributes & 7) << 2 | if attributes & 0x80 != 0 { PRIORITY } else { 0 };
        let mirrored = attributes & 0x20 != 0;
        let row = pixels(&self.vram, bank + number * 16 + row * 2, mirrored);
        row | (u64::from(extra) * EVERY_BYTE)
    }

    fn draw_objects(
        &self,
        mut objects: LineObjects,
        buffer: &[u8; LINE_BUFFER],
        cells: &mut [Cell; WIDTH],
    ) {
        let height = self.object_height();
        let order = objects.as_mut_slice();
        // drawn from the lowest priority up, so that later ones overwrite
        order.reverse();
        if !self.color {
            order.sort_by_key(|&offset| std::cmp::Reverse(self.oam[usize::from(offset) + 1]));
        }
        for &offset in objects.as_slice() {
            let at = usize::from(offset);
            let [y, x, tile, attributes] = [0, 1, 2, 3].map(|i| self.oam[at + i]);
            let row = self.ly.wrapping_add(16).wrapping_sub(y);
            let row = usize::from(if attributes & 0x40 != 0 {
                height - 1 - row
            } else {
                row
            });
            let tile = usize::from(if height == 16 { tile & 0xFE } else { tile });
            let bank = if self.color && attributes & 8 != 0 {
                VRAM_BANK
            } else {
                0
            };
            let row = pixels(
                &self.vram,
                bank + tile * 16 + row * 2,
                attributes & 0x20 != 0,
            );
            if row == 0 {
                continue;
            }
            let palette: [Cell; 4] = if self.color {
                let first = usize::from(attributes & 7) * 4;
                std::array::from_fn(|color| self.obj_colors.colors[first + color] & 0x7FFF)
            } else {
                let which = usize::from(attributes >> 4 & 1);
                std::array::from_fn(|color| indexed(1 + which, shade(self.obp[which], color as u8)))
            };
            let behind = attributes & 0x80 != 0;
            let master = self.control & lcdc::BG_ON != 0;
            for (i, color) in row.to_le_bytes().into_iter().enumerate() {
                let Some(screen_x) = (usize::from(x) + i).checked_sub(8) else {
                    continue;
                };
                if color == 0 || screen_x >= WIDTH {
                    continue;
                }
                let under = buffer[screen_x];
                let yields = if self.color {
                    master && (under & PRIORITY != 0 || behind)
                } else {
                    behind
                };
                if !yields || under & (COVERING | 3) == 0 {
                    cells[screen_x] = palette[usize::from(color)];
                }
            }
        }
    }
}

/// Eight colour numbers of a tile row at `address` in video memory.
#[inline]
fn pixels(vram: &[u8], address: usize, mirrored: bool) -> u64 {
    let row = SPREAD[usize::from(vram[address])] | SPREAD[usize::from(vram[address + 1])] << 1;
    if mirrored {
        row.swap_bytes()
    } else {
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tile_rows_read_left_to_right() {
        let vram = [0b1001_0001, 0b0111_1100];
        assert_eq!(
            pixels(&vram, 0, false).to_le_bytes(),
            [1, 2, 2, 3, 2, 2, 0, 1]
        );
        assert_eq!(
            pixels(&vram, 0, true).to_le_bytes(),
            [1, 0, 2, 2, 3, 2, 2, 1]
        );
    }
}
