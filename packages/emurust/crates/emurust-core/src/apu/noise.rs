//! The noise channel.

use super::units::{Envelope, Length};

pub(crate) const DIVISORS: [i64; 8] = [8, 16, 32, 48, 64, 80, 96, 112];

/// Steps after which a short register is in its circle, and the length of that.
const SETTLED: u64 = 16;
const SHORT_TURN: u64 = 127;

#[derive(Debug, Clone)]
pub(crate) struct Noise {
    pub(crate) active: bool,
    pub(crate) length: Length,
    pub(crate) envelope: Envelope,
    pub(crate) shift: u8,
    pub(crate) short: bool,
    pub(crate) divisor: u8,
    pub(crate) lfsr: u16,
    pub(crate) timer: i64,
    pub(crate) counter: u16,
    pub(crate) countdown: i64,
    pub(crate) alignment: u8,
    pub(crate) counting: bool,
}

impl Noise {
    pub(crate) fn new() -> Self {
        Self {
            active: false,
            length: Length::new(64),
            envelope: Envelope::default(),
            shift: 0,
            short: false,
            divisor: 0,
            lfsr: 1,
            timer: 0,
            counter: 0,
            countdown: 0,
            alignment: 0,
            counting: false,
        }
    }

    fn period(&self) -> i64 {
        DIVISORS[usize::from(self.divisor)] << self.shift
    }

    fn counter_period(&self) -> i64 {
        DIVISORS[usize::from(self.divisor)] / 2
    }

    pub(crate) fn read(&self, register: u8) -> u8 {
        match register {
            2 => self.envelope.register(),
            3 => self.register(),
            4 => u8::from(self.length.enabled) << 6 | 0xBF,
            _ => 0xFF,
        }
    }

    fn register(&self) -> u8 {
        self.shift << 4 | u8::from(self.short) << 3 | self.divisor
    }

    fn tapped(&self) -> bool {
        self.counter >> self.shift & 1 != 0
    }

    fn step_lfsr(&mut self) {
        let feedback = (self.lfsr ^ self.lfsr >> 1) & 1 != 0;
        let mask = if self.short { 0x4040 } else { 0x4000 };
        self.lfsr >>= 1;
        if feedback {
            self.lfsr |= mask;
        } else {
            self.lfsr &= !mask;
        }
    }

    pub(crate) fn write(&mut self, register: u8, value: u8, color: bool) {
        match register {
            1 => self.length.load(value & 0x3F),
            2 => {
                self.envelope.write(value);
                if self.envelope.dac_off() {
                    self.active = false;
                }
            }
            3 => self.write_clock(value, color),
            4 => {
                self.length.enabled = value & 0x40 != 0;
                if value & 0x80 != 0 {
                    self.trigger(color);
                }
            }
            _ => {}
        }
    }

    fn write_clock(&mut self, value: u8, color: bool) {
        let old_divisor = self.divisor;
        let was_tapped = self.tapped();
        let old_countdown = self.countdown;
        self.shift = value >> 4;
        self.short = value & 8 != 0;
        self.divisor = value & 7;
        if !color {
            return;
        }
        if self.counting && old_divisor != self.divisor {
            self.countdown = self.counter_period();
            if self.divisor == 2 && self.shift == 1 && self.alignment == 0 {
                match old_divisor {
                    0 => self.countdown += 2,
                    1 => self.countdown = old_countdown,
                    _ => {}
                }
            }
        }
        if self.active && !was_tapped && self.tapped() {
            self.step_lfsr();
        }
    }

    fn trigger(&mut self, color: bool) {
        let was_active = self.active;
        self.length.refill_if_empty();
        self.timer = self.period();
        self.envelope.restart();
        self.lfsr = 0x7FFF;
        if color {
            if was_active {
                // the divider keeps running through a restart
                self.countdown += self.counter_period() + 2;
            } else {
                self.counter = 0;
                self.counting = true;
                self.countdown = self.first_countdown();
            }
        }
        self.active = !self.envelope.dac_off();
    }

    /// Time to the first count after a trigger: depends on the phase of the 2 MHz clock.
    fn first_countdown(&self) -> i64 {
        let divisor = i64::from(self.divisor);
        let late = self.alignment & 2 != 0;
        let mut half = divisor * 4 + 6;
        if self.alignment & 1 != 0 {
            half += if divisor == 0 { 1 } else { -1 };
            if divisor != 0 && late {
                half -= 2;
            }
        } else if divisor != 0 {
            half -= match (late, divisor > 1) {
                (true, _) => 2,
                (false, true) => 4,
                (false, false) => 0,
            };
        }
        half * 2
    }

    /// Advances by some time.
    #[inline]
    pub(crate) fn advance(&mut self, dots: i64, color: bool) {
        if color {
            self.advance_counter(dots);
            return;
        }
        self.timer -= dots;
        if self.timer <= 0 {
            let period = self.period();
            let steps = 1 - self.timer / period;
            self.timer += steps * period;
            self.step_lfsr_often(steps as u64);
        }
    }

    /// Keeps the phase of the 2 MHz clock, which loses the odd dot of every chunk.
    #[inline]
    pub(crate) fn align(&mut self, chunk: u64) {
        self.alignment = (u64::from(self.alignment) + (chunk >> 1)) as u8 & 3;
    }

    fn advance_counter(&mut self, dots: i64) {
        if !self.counting {
            return;
        }
        let period = self.counter_period();
        let mut left = dots;
        let mut countdown = if self.countdown == 0 {
            period
        } else {
            self.countdown
        };
        if left >= countdown {
            left -= countdown;
            let counts = 1 + left / period;
            left %= period;
            countdown = period;
            self.count(counts as u64);
        }
        self.countdown = countdown - left;
    }

    /// Counts the divider up; the register steps whenever the tapped bit rises.
    fn count(&mut self, counts: u64) {
        let (before, after) = (u64::from(self.counter), u64::from(self.counter) + counts);
        self.counter = (after & 0x3FFF) as u16;
        if self.active && self.shift < 14 {
            let rises = |count: u64| (count + (1 << self.shift)) >> (self.shift + 1);
            self.step_lfsr_often(rises(after) - rises(before));
        }
    }

    fn step_lfsr_often(&mut self, steps: u64) {
        let mut left = steps;
        if self.short && left > SHORT_TURN {
            for _ in 0..SETTLED {
                self.step_lfsr();
            }
            left = (left - SETTLED) % SHORT_TURN;
        }
        // the next 14 bits fed back are the differences of neighbouring bits
        while left >= 14 && !self.short {
            let fed_back = (self.lfsr ^ self.lfsr >> 1) & 0x3FFF;
            self.lfsr = self.lfsr >> 14 | fed_back << 1;
            left -= 14;
        }
        for _ in 0..left {
            self.step_lfsr();
        }
    }

    /// States that lack the divider get it in its idle position.
    pub(crate) fn restore_counter(&mut self) {
        self.counter = 0;
        self.countdown = self.counter_period();
        self.alignment = 0;
        self.counting = self.active;
    }

    pub(crate) fn clock_length(&mut self) {
        if self.length.clock() {
            self.active = false;
        }
    }

    pub(crate) fn power_off(&mut self) {
        self.counter = 0;
        self.countdown = 0;
        self.alignment = 0;
        self.counting = false;
    }

    pub(crate) fn sample(&self) -> u8 {
        if self.active && self.lfsr & 1 == 0 {
            self.envelope.volume as u8
        } else {
            0
        }
    }
}
