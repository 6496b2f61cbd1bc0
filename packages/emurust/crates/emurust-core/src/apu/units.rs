//! Units that several channels share: the length counter and the volume envelope.

#[derive(Debug, Clone)]
pub(crate) struct Length {
    pub(crate) enabled: bool,
    pub(crate) left: i64,
    full: i64,
}

impl Length {
    pub(crate) fn new(full: i64) -> Self {
        Self {
            enabled: false,
            left: full,
            full,
        }
    }

    pub(crate) fn load(&mut self, value: u8) {
        self.left = self.full - i64::from(value);
    }

    /// One step; true when the channel must stop.
    pub(crate) fn clock(&mut self) -> bool {
        if !self.enabled || self.left <= 0 {
            return false;
        }
        self.left -= 1;
        self.left == 0
    }

    pub(crate) fn refill_if_empty(&mut self) {
        if self.left == 0 {
            self.left = self.full;
        }
    }
}

/// Marks an envelope timer that a register write started late; it gives one extra step.
pub(crate) const LATE_START: i64 = 8;

#[derive(Debug, Clone, Default)]
pub(crate) struct Envelope {
    pub(crate) initial: u8,
    pub(crate) rising: bool,
    pub(crate) pace: u8,
    pub(crate) timer: i64,
    pub(crate) volume: i64,
}

impl Envelope {
    pub(crate) fn register(&self) -> u8 {
        self.initial << 4 | u8::from(self.rising) << 3 | self.pace
    }

    pub(crate) fn write(&mut self, value: u8) {
        self.initial = value >> 4;
        self.rising = value & 8 != 0;
        self.pace = value & 7;
    }

    /// With volume 0 and a falling direction the converter is off.
    pub(crate) fn dac_off(&self) -> bool {
        self.initial == 0 && !self.rising
    }

    pub(crate) fn restart(&mut self) {
        self.timer = i64::from(self.pace);
        self.volume = i64::from(self.initial);
    }

    fn moved(&self) -> Option<i64> {
        let volume = self.volume + if self.rising { 1 } else { -1 };
        (0..=15).contains(&volume).then_some(volume)
    }

    pub(crate) fn clock(&mut self) {
        if self.timer == 0 {
            return;
        }
        self.timer -= 1;
        if self.timer == 0 {
            if let Some(volume) = self.moved() {
                self.timer = i64::from(self.pace);
                self.volume = volume;
            }
        }
    }

    /// The extra step of an envelope that was started late.
    pub(crate) fn clock_late(&mut self) {
        if self.timer & LATE_START != 0 {
            self.timer &= 7;
            if let Some(volume) = self.moved() {
                self.volume = volume;
            }
        }
    }

    /// What a write to NRx2 does to the running volume of an active channel on colour hardware.
    pub(crate) fn disturb(&mut self, value: u8) {
        if value & 0xF8 == 0 {
            return;
        }
        let old = self.register();
        let (starts, was_stopped) = (value & 7 != 0, old & 7 == 0);
        let mut step = starts && was_stopped || (value & 0x0F == 8 && old & 0x0F == 8);
        if (value ^ old) & 8 != 0 {
            if value & 8 != 0 {
                self.volume = if was_stopped {
                    self.volume ^ 0x0F
                } else {
                    (0x0E - self.volume) & 0x0F
                };
                step = false;
            } else {
                self.volume = (0x10 - self.volume) & 0x0F;
            }
        }
        if step {
            self.volume = (self.volume + if value & 8 != 0 { 1 } else { -1 }) & 0x0F;
        }
        if !starts {
            self.timer = 0;
        } else if was_stopped {
            self.timer = i64::from(value & 7) | LATE_START;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelope_stops_at_its_end() {
        let mut env = Envelope::default();
        env.write(0xE9); // volume 14, rising, pace 1
        env.restart();
        env.clock();
        assert_eq!((env.volume, env.timer), (15, 1));
        env.clock();
        assert_eq!((env.volume, env.timer), (15, 0));
    }

    #[test]
    fn length_stops_once() {
        let mut len = Length::new(64);
        len.load(63);
        len.enabled = true;
        assert!(len.clock());
        assert!(!len.clock());
    }
}
