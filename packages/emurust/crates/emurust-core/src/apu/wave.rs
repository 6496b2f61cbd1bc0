//! The wave channel.

use super::units::Length;

#[derive(Debug, Clone)]
pub(crate) struct Wave {
    pub(crate) table: [u8; 16],
    pub(crate) active: bool,
    pub(crate) dac_on: bool,
    pub(crate) volume_code: u8,
    /// 0 until the first write, although code 0 means silence.
    pub(crate) volume_shift: u8,
    pub(crate) length: Length,
    pub(crate) frequency: u16,
    pub(crate) timer: i64,
    pub(crate) period: i64,
    pub(crate) position: u8,
    /// Position whose sample is heard; differs from `position` just after a restart.
    pub(crate) heard: u8,
    /// The channel reads its memory in this very cycle (monochrome access window).
    pub(crate) reading: bool,
    pub(crate) muted_until_edge: bool,
    pub(crate) restarting: bool,
}

impl Wave {
    pub(crate) fn new() -> Self {
        Self {
            table: [0xFF; 16],
            active: false,
            dac_on: false,
            volume_code: 0,
            volume_shift: 0,
            length: Length::new(256),
            frequency: 0,
            timer: 0,
            period: 4, // until a frequency is written
            position: 0,
            heard: 0,
            reading: false,
            muted_until_edge: false,
            restarting: false,
        }
    }

    pub(crate) fn read(&self, register: u8) -> u8 {
        match register {
            0 => u8::from(self.dac_on) << 7 | 0x7F,
            2 => self.volume_code << 5 | 0x9F,
            4 => u8::from(self.length.enabled) << 6 | 0xBF,
            _ => 0xFF,
        }
    }

    fn set_frequency(&mut self, frequency: u16) {
        self.frequency = frequency;
        self.period = 2 * (0x800 - i64::from(frequency));
    }

    pub(crate) fn write(&mut self, register: u8, value: u8, color: bool) {
        match register {
            0 => {
                self.dac_on = value & 0x80 != 0;
                if !self.dac_on {
                    self.active = false;
                    self.restarting = false;
                }
            }
            1 => self.length.load(value),
            2 => {
                self.volume_code = value >> 5 & 3;
                self.volume_shift = [4, 0, 1, 2][usize::from(self.volume_code)];
            }
            3 => self.set_frequency(self.frequency & 0x700 | u16::from(value)),
            _ => {
                self.length.enabled = value & 0x40 != 0;
                self.set_frequency(u16::from(value & 7) << 8 | self.frequency & 0xFF);
                if value & 0x80 != 0 {
                    self.trigger(color);
                }
            }
        }
    }

    fn trigger(&mut self, color: bool) {
        if self.active && !color && self.timer == 1 {
            self.corrupt();
        }
        let was_active = self.active;
        self.active = self.dac_on;
        self.length.refill_if_empty();
        self.timer = self.period + 5;
        if color && was_active {
            self.heard = self.position;
            self.restarting = true;
        } else {
            self.heard = 0;
            self.muted_until_edge = true;
            self.restarting = false;
        }
        self.position = 0;
        self.reading = false;
    }

    /// A restart in the cycle of a read copies part of the table to its start (monochrome).
    fn corrupt(&mut self) {
        let at = usize::from(self.position.div_ceil(2) & 0x0F);
        if at < 4 {
            self.table[0] = self.table[at];
        } else {
            self.table.copy_within(at & 0x0C..(at & 0x0C) + 4, 0);
        }
    }

    /// The byte that programs reach at `offset` now; none while the channel keeps the table to itself.
    pub(crate) fn accessible(&self, offset: u8, color: bool) -> Option<usize> {
        if !self.active {
            Some(usize::from(offset))
        } else if color || self.reading {
            Some(usize::from(self.position / 2))
        } else {
            None
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, dots: i64) {
        if !self.active {
            return;
        }
        self.reading = false;
        self.timer -= dots;
        if self.timer > 0 {
            return;
        }
        let edges = -self.timer / self.period + 1;
        self.timer += edges * self.period;
        self.muted_until_edge = false;
        // the first edge after a restart goes to position 1, wherever the channel was
        let from = if std::mem::take(&mut self.restarting) {
            0
        } else {
            i64::from(self.position)
        };
        self.position = ((from + edges) & 31) as u8;
        self.heard = self.position;
        self.reading = self.timer >= self.period - 1;
    }

    pub(crate) fn clock_length(&mut self) {
        if self.length.clock() {
            self.active = false;
        }
    }

    pub(crate) fn sample(&self) -> u8 {
        if !self.active || !self.dac_on || self.muted_until_edge {
            return 0;
        }
        let byte = self.table[usize::from(self.heard / 2)];
        let nibble = if self.heard & 1 == 0 {
            byte >> 4
        } else {
            byte & 0x0F
        };
        nibble >> self.volume_shift
    }
}
