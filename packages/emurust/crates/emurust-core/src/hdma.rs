//! Video DMA of colour machines: at once (GDMA) or 16 bytes in every HBlank (HDMA).

use crate::lcd::stat;
use crate::machine::Machine;

const BLOCK: u16 = 16;
/// CPU time of one HBlank block.
const BLOCK_CYCLES: u64 = 206;

#[derive(Debug, Clone)]
pub(crate) struct Hdma {
    pub(crate) active: bool,
    /// FF55 as read.
    pub(crate) control: u8,
    pub(crate) source: u16,
    pub(crate) target: u16,
}

impl Hdma {
    pub(crate) fn new() -> Self {
        Self {
            active: false,
            control: 0xFF,
            source: 0,
            target: 0,
        }
    }

    pub(crate) fn write_address(&mut self, port: u8, value: u8) {
        let high = u16::from(value) << 8;
        let low = u16::from(value & 0xF0);
        match port {
            0x51 => self.source = high | self.source & 0x00FF,
            0x52 => self.source = self.source & 0xFF00 | low,
            0x53 => self.target = 0x8000 | high & 0x1F00 | self.target & 0x00FF,
            _ => self.target = self.target & 0xFF00 | low,
        }
    }
}

impl Machine {
    /// An HBlank block has to be copied instead of running the CPU.
    #[inline]
    pub(crate) fn hdma_due(&self) -> bool {
        self.hdma.active
            && self.color_mode
            && !self.cpu.halted
            && self.lcd.on()
            && self.lcd.mode() == stat::HBLANK
    }

    pub(crate) fn write_hdma_control(&mut self, value: u8) {
        if self.hdma.active {
            if value & 0x80 == 0 {
                self.hdma.active = false;
                self.hdma.control = 0x80;
            } else {
                self.hdma.control = value & 0x7F;
            }
            return;
        }
        if value & 0x80 != 0 {
            self.hdma.control = value & 0x7F;
            self.hdma.active = true;
            if !self.lcd.on() {
                self.copy_block();
            }
            return;
        }
        // a transfer that runs over the ports reads this back and writes it
        self.hdma.control = value;
        let length = (u16::from(value) + 1) * BLOCK;
        let (source, target) = (self.hdma.source, self.hdma.target);
        self.copy(source, target, length);
        self.hdma.source = source.wrapping_add(length);
        self.hdma.target = target.wrapping_add(length);
        self.hdma.control = 0xFF;
    }

    fn copy(&mut self, source: u16, target: u16, length: u16) {
        for i in 0..length {
            let value = self.read(source.wrapping_add(i));
            self.write(target.wrapping_add(i), value);
        }
    }

    pub(crate) fn run_hdma_block(&mut self) {
        let now = self.cycles;
        self.copy_block();
        self.cycles = now + BLOCK_CYCLES;
    }

    fn copy_block(&mut self) {
        self.copy(
            self.hdma.source & 0xFFF0,
            self.hdma.target & 0x1FF0 | 0x8000,
            BLOCK,
        );
        let hdma = &mut self.hdma;
        hdma.target = hdma.target.wrapping_add(BLOCK);
        hdma.source = hdma.source.wrapping_add(BLOCK);
        if hdma.target == 0xA000 {
            hdma.target = 0x8000;
        }
        if hdma.source == 0x8000 {
            hdma.source = 0xA000;
        }
        match hdma.control.checked_sub(1) {
            Some(left) => hdma.control = left,
            None => {
                hdma.active = false;
                hdma.control = 0xFF;
            }
        }
    }
}
