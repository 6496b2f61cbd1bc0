//! Telling lines that would be drawn exactly as they were in the frame before.
//!
//! A drawn line is a function of registers, objects, palettes, two rows of the tile maps, and tile data.
//! The small ones are compared as they are, the large ones by the number of their last change.

use super::objects::{LineObjects, MAX_PER_LINE, OAM_SIZE};
use super::renderer::HEIGHT;

const MAP_ROWS: usize = 64;
/// Offset of the tile maps in video memory.
pub(super) const MAPS: usize = 0x1800;

/// Numbers of the last changes of video memory.
#[derive(Debug, Clone)]
pub(crate) struct Changes {
    last: u64,
    tiles: u64,
    rows: [u64; MAP_ROWS],
    palettes: u64,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self {
            last: 1,
            tiles: 1,
            rows: [1; MAP_ROWS],
            palettes: 1,
        }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// A byte of video memory changed; both banks count as one.
    #[inline]
    pub(crate) fn note_vram(&mut self, offset: usize) {
        let offset = offset & (super::VRAM_BANK - 1);
        let number = self.next();
        match offset.checked_sub(MAPS) {
            Some(entry) => self.rows[entry / 32 % MAP_ROWS] = number,
            None => self.tiles = number,
        }
    }

    pub(crate) fn note_palettes(&mut self) {
        self.palettes = self.next();
    }
}

/// Everything a drawn line depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LineKey {
    /// Zero in the key of a line that was not drawn.
    tiles: u64,
    rows: [u64; 2],
    palettes: u64,
    pub(super) registers: [u8; 8],
    pub(super) window_line: Option<i32>,
    objects: [[u8; 4]; MAX_PER_LINE],
}

impl LineKey {
    /// Of a line that shows these rows of the tile maps (0 to 63) and these objects.
    pub(super) fn new(changes: &Changes, rows: [usize; 2]) -> Self {
        Self {
            tiles: changes.tiles,
            rows: rows.map(|row| changes.rows[row % MAP_ROWS]),
            palettes: changes.palettes,
            ..Self::default()
        }
    }

    pub(super) fn set_objects(&mut self, objects: &LineObjects, oam: &[u8; OAM_SIZE]) {
        for (slot, &offset) in self.objects.iter_mut().zip(objects.as_slice()) {
            let at = usize::from(offset);
            *slot = [oam[at], oam[at + 1], oam[at + 2], oam[at + 3]];
        }
    }
}

/// The keys of the lines in the picture.
pub(super) fn none_drawn() -> Vec<LineKey> {
    vec![LineKey::default(); HEIGHT]
}
