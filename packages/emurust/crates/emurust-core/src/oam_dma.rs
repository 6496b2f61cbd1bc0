//! OAM DMA: one byte every four cycles, caught up at slice ends and at I/O and OAM accesses.

use crate::lcd::objects::OAM_SIZE;
use crate::machine::Machine;

#[derive(Debug, Clone, Default)]
pub(crate) struct OamDma {
    pub(crate) active: bool,
    /// A byte is being fetched; the fetch itself must see ordinary memory.
    pub(crate) fetching: bool,
    pub(crate) source: u8,
    pub(crate) index: u8,
    pub(crate) start: u64,
}

impl Machine {
    pub(crate) fn start_oam_dma(&mut self, source: u8) {
        let restarted = self.oam_dma.active && self.oam_dma.index == 0;
        let delay = if restarted { 8 } else { 12 };
        self.oam_dma = OamDma {
            active: true,
            fetching: false,
            source,
            index: 0,
            start: self.cycles + delay,
        };
    }

    /// Copies the bytes due `offset` cycles from now.
    #[inline]
    pub(crate) fn sync_oam_dma(&mut self, offset: u8) {
        if self.oam_dma.active && !self.oam_dma.fetching {
            self.copy_oam_bytes(offset);
        }
    }

    fn copy_oam_bytes(&mut self, offset: u8) {
        let elapsed = (self.cycles + u64::from(offset)).wrapping_sub(self.oam_dma.start) as i64;
        if elapsed < 4 {
            return;
        }
        let due = (elapsed / 4).min(OAM_SIZE as i64) as u8;
        let mut page = self.oam_dma.source;
        if !self.model.is_color() && page >= 0xFE {
            page -= 0x20;
        }
        let work_ram = usize::from(page) << 8;
        if (0xC000..0xE000).contains(&work_ram) {
            let start = self.wram_offset(u16::from(page) << 8);
            for index in self.oam_dma.index..due {
                let value = self.wram[start + usize::from(index)];
                self.lcd.write_oam_byte(usize::from(index), value);
            }
            self.oam_dma.index = self.oam_dma.index.max(due);
        }
        while self.oam_dma.index < due {
            let index = self.oam_dma.index;
            self.oam_dma.fetching = true;
            let value = self.read(u16::from(page) << 8 | u16::from(index));
            self.oam_dma.fetching = false;
            self.lcd.write_oam_byte(usize::from(index), value);
            self.oam_dma.index = index + 1;
        }
        if usize::from(self.oam_dma.index) == OAM_SIZE {
            self.oam_dma.active = false;
        }
    }

    /// The transfer has begun to occupy OAM.
    pub(crate) fn oam_dma_running(&self, offset: u8) -> bool {
        self.oam_dma.active
            && !self.oam_dma.fetching
            && (self.cycles + u64::from(offset)).wrapping_sub(self.oam_dma.start) as i64 >= 0
    }
}
