//! The two pulse channels, and the frequency sweep of the first.

use super::units::{Envelope, Length};

const DUTY: [u8; 4] = [0b1000_0000, 0b1000_0001, 0b1110_0001, 0b0111_1110];

#[derive(Debug, Clone)]
pub(crate) struct Pulse {
    pub(crate) active: bool,
    pub(crate) duty: u8,
    pub(crate) late_duty: Option<u8>,
    pub(crate) length: Length,
    pub(crate) envelope: Envelope,
    pub(crate) frequency: u16,
    pub(crate) timer: i64,
    pub(crate) period: i64,
    pub(crate) position: u8,
    pub(crate) muted_until_edge: bool,
}

impl Pulse {
    pub(crate) fn new() -> Self {
        Self {
            active: false,
            duty: 0,
            late_duty: None,
            length: Length::new(64),
            envelope: Envelope::default(),
            frequency: 0,
            timer: 0,
            period: 4, // until a frequency is written
            position: 0,
            muted_until_edge: false,
        }
    }

    pub(crate) fn read(&self, register: u8) -> u8 {
        match register {
            1 => self.late_duty.unwrap_or(self.duty) << 6 | 0x3F,
            2 => self.envelope.register(),
            4 => u8::from(self.length.enabled) << 6 | 0xBF,
            _ => 0xFF,
        }
    }

    pub(crate) fn set_frequency(&mut self, frequency: u16) {
        self.frequency = frequency;
        self.period = 4 * (0x800 - i64::from(frequency));
    }

    /// Writes NRx1–NRx4; true when the channel was triggered.
    pub(crate) fn write(&mut self, register: u8, value: u8, only_length: bool) -> bool {
        match register {
            1 => {
                if !only_length {
                    self.duty = value >> 6;
                }
                self.length.load(value & 0x3F);
            }
            2 => {
                self.envelope.write(value);
                if self.envelope.dac_off() {
                    self.active = false;
                }
            }
            3 => self.set_frequency(self.frequency & 0x700 | u16::from(value)),
            4 => {
                self.length.enabled = value & 0x40 != 0;
                self.set_frequency(u16::from(value & 7) << 8 | self.frequency & 0xFF);
                if value & 0x80 != 0 {
                    self.trigger();
                    return true;
                }
            }
            _ => {}
        }
        false
    }

    fn trigger(&mut self) {
        self.length.refill_if_empty();
        self.timer = self.period;
        self.envelope.restart();
        self.active = !self.envelope.dac_off();
    }

    /// On colour hardware an active channel takes a new duty only at its next edge.
    pub(crate) fn write_duty_late(&mut self, value: u8) {
        let before = self.duty;
        self.write(1, value, false);
        if self.active {
            self.late_duty = Some(self.duty);
            self.duty = before;
        } else {
            self.late_duty = None;
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, dots: i64) {
        self.timer -= dots;
        if self.timer > 0 {
            return;
        }
        let edges = -self.timer / self.period + 1;
        self.timer += edges * self.period;
        self.position = ((i64::from(self.position) + edges) & 7) as u8;
        if let Some(duty) = self.late_duty.take() {
            self.duty = duty;
        }
        self.muted_until_edge = false;
    }

    pub(crate) fn clock_length(&mut self) {
        if self.length.clock() {
            self.active = false;
        }
    }

    pub(crate) fn power_off_color(&mut self) {
        self.position = 0;
        self.duty = 0;
        self.late_duty = None;
        self.muted_until_edge = false;
    }

    pub(crate) fn sample(&self) -> u8 {
        let high = DUTY[usize::from(self.duty)] >> self.position & 1;
        if self.active && !self.muted_until_edge {
            self.envelope.volume as u8 * high
        } else {
            0
        }
    }
}

/// Sweep unit of channel 1; its delayed checks count whole chunks of time, as in the reference.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sweep {
    pub(crate) pace: u8,
    pub(crate) falling: bool,
    pub(crate) shift: u8,
    pub(crate) timer: i64,
    pub(crate) enabled: bool,
    pub(crate) shadow: i64,
    pub(crate) check_in: i64,
    pub(crate) calculate_in: i64,
    pub(crate) hold: i64,
    pub(crate) fell: bool,
}

impl Sweep {
    pub(crate) fn read(&self) -> u8 {
        0x80 | self.pace << 4 | u8::from(self.falling) << 3 | self.shift
    }

    pub(crate) fn write(&mut self, value: u8, pulse: &mut Pulse) {
        let was_falling = self.falling;
        self.pace = value >> 4 & 7;
        self.falling = value & 8 != 0;
        self.shift = value & 7;
        if was_falling && !self.falling && self.fell {
            pulse.active = false;
        }
    }

    fn reload(&self) -> i64 {
        if self.pace == 0 {
            8
        } else {
            i64::from(self.pace)
        }
    }

    /// Follows a trigger of the pulse channel, which was `was_active` before it.
    pub(crate) fn trigger(&mut self, pulse: &mut Pulse, was_active: bool, color: bool) {
        let pending = self.check_in;
        self.shadow = i64::from(pulse.frequency);
        self.timer = self.reload();
        self.calculate_in = 0;
        self.hold = if color && was_active && self.shift == 0 {
            9
        } else {
            0
        };
        if pending != 0 {
            self.check_in = pending + 8;
        }
        self.fell = false;
        self.enabled = self.pace != 0 || self.shift != 0;
        if self.shift != 0 && pending == 0 {
            self.calculate(false, pulse);
        }
    }

    /// Computes the next frequency; true if it was stored.
    fn calculate(&mut self, store: bool, pulse: &mut Pulse) -> bool {
        let change = self.shadow >> self.shift;
        let next = if self.falling {
            self.fell = true;
            self.shadow - change
        } else {
            self.shadow + change
        };
        if next >= 0x800 {
            pulse.active = false;
            return false;
        }
        if !store || self.shift == 0 {
            return false;
        }
        self.shadow = next;
        if next == 0x7FF {
            self.check_in = 32;
        }
        pulse.set_frequency(next as u16);
        true
    }

    /// A step at the pace of the frame sequencer.
    fn iterate(&mut self, pulse: &mut Pulse) {
        if self.calculate(true, pulse) && self.check_in == 0 {
            self.calculate(false, pulse);
        }
    }

    pub(crate) fn clock(&mut self, pulse: &mut Pulse, color: bool) {
        if self.hold != 0 || !self.enabled || !pulse.active {
            return;
        }
        self.timer -= 1;
        if self.timer > 0 {
            return;
        }
        self.timer = self.reload();
        if self.pace == 0 {
            return;
        }
        if color && self.shift == 0 {
            self.calculate_in = 4;
        } else {
            self.iterate(pulse);
        }
    }

    #[inline]
    pub(crate) fn idle(&self) -> bool {
        self.hold | self.calculate_in | self.check_in == 0
    }

    /// Counts the delayed checks down by one chunk.
    pub(crate) fn advance(&mut self, dots: i64, pulse: &mut Pulse) {
        if self.hold != 0 {
            self.hold = (self.hold - dots).max(0);
        }
        if self.calculate_in != 0 {
            self.calculate_in = (self.calculate_in - dots).max(0);
            if self.calculate_in == 0 && self.pace != 0 {
                self.iterate(pulse);
            }
        } else if self.check_in != 0 {
            self.check_in = (self.check_in - dots).max(0);
            if self.check_in == 0 && self.shift != 0 {
                self.calculate(false, pulse);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflowing_sweep_stops_the_channel() {
        let (mut pulse, mut sweep) = (Pulse::new(), Sweep::default());
        pulse.write(2, 0xF0, false);
        pulse.write(3, 0xFF, false);
        sweep.write(0x11, &mut pulse);
        assert!(pulse.write(4, 0x87, false));
        sweep.trigger(&mut pulse, false, false);
        assert!(!pulse.active);
    }
}
