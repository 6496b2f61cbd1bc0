//! DIV and TIMA.
//!
//! TIMA counts falling edges of one bit of the 16-bit divider. An overflow is followed by two windows
//! of four cycles: first the reload is pending (reads give 0), then it is being done (the interrupt was
//! raised at its start and writes to TIMA are ignored).

use crate::NEVER;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reload {
    Idle,
    Pending,
    Loading,
}

#[derive(Debug, Clone)]
pub(crate) struct Timer {
    pub(crate) divider: u16,
    pub(crate) counter: u8,
    pub(crate) modulo: u8,
    pub(crate) control: u8,
    pub(crate) reload: Reload,
    pub(crate) reload_left: u16,
    pub(crate) synced_at: u64,
    pub(crate) distance: i64,
}

const WINDOW: u16 = 4;

/// Distance in cycles between falling edges for a TAC value; a power of two.
fn period(control: u8) -> u32 {
    [1024, 16, 64, 256][usize::from(control & 3)]
}

impl Timer {
    pub(crate) fn new() -> Self {
        Self {
            divider: 0,
            counter: 0,
            modulo: 0,
            control: 0,
            reload: Reload::Idle,
            reload_left: 0,
            synced_at: 0,
            distance: 0,
        }
    }

    fn enabled(&self) -> bool {
        self.control & 4 != 0
    }

    /// The divider bit that clocks TIMA under `control`.
    fn input(&self, control: u8) -> bool {
        u32::from(self.divider) & (period(control) / 2) != 0
    }

    fn clock_counter(&mut self) {
        match self.counter.checked_add(1) {
            Some(next) => self.counter = next,
            None => {
                self.counter = self.modulo;
                self.reload = Reload::Pending;
                self.reload_left = WINDOW;
            }
        }
    }

    pub(crate) fn read_div(&self) -> u8 {
        (self.divider >> 8) as u8
    }

    pub(crate) fn read_counter(&self) -> u8 {
        if self.reload == Reload::Pending {
            0
        } else {
            self.counter
        }
    }

    pub(crate) fn reset_div(&mut self) {
        if self.enabled() && self.input(self.control) {
            self.clock_counter();
        }
        self.divider = 0;
    }

    pub(crate) fn write_counter(&mut self, value: u8) {
        if self.reload != Reload::Loading {
            self.counter = value;
        }
    }

    pub(crate) fn write_modulo(&mut self, value: u8) {
        self.modulo = value;
        if self.reload != Reload::Idle {
            self.counter = value;
        }
    }

    pub(crate) fn write_control(&mut self, value: u8) {
        let was_high = self.enabled() && self.input(self.control);
        let is_high = value & 4 != 0 && self.input(value);
        if was_high && !is_high {
            self.clock_counter();
        }
        self.control = value & 7;
    }

    /// Advances to `now`; true when the timer interrupt was raised on the way.
    #[inline]
    pub(crate) fn advance(&mut self, now: u64) -> bool {
        let elapsed = now.wrapping_sub(self.synced_at);
        if elapsed == 0 {
            return false;
        }
        self.synced_at = now;
        let raised = self.count(elapsed);
        self.distance = if self.enabled() {
            let overflow = self.to_overflow();
            if self.reload == Reload::Pending {
                overflow.min(i64::from(self.reload_left))
            } else {
                overflow
            }
        } else {
            NEVER
        };
        raised
    }

    /// Counts cycles: all at once up to an overflow, one by one through the windows after it.
    fn count(&mut self, cycles: u64) -> bool {
        let mut left = cycles;
        let mut raised = false;
        while left > 0 {
            let calm = match (self.reload, self.enabled()) {
                (Reload::Idle, true) => left.min(self.to_overflow() as u64 - 1),
                (Reload::Idle, false) => left,
                _ => 0,
            };
            if calm > 0 {
                if self.enabled() {
                    let shift = period(self.control).trailing_zeros();
                    let divider = u64::from(self.divider);
                    self.counter += (((divider + calm) >> shift) - (divider >> shift)) as u8;
                }
                self.divider = self.divider.wrapping_add(calm as u16);
                left -= calm;
            } else {
                raised |= self.count_one();
                left -= 1;
            }
        }
        raised
    }

    fn to_overflow(&self) -> i64 {
        let period = i64::from(period(self.control));
        let to_edge = period - (i64::from(self.divider) & (period - 1));
        to_edge + i64::from(0xFF - self.counter) * period
    }

    fn count_one(&mut self) -> bool {
        let mut raised = false;
        if self.reload != Reload::Idle {
            self.reload_left -= 1;
            if self.reload_left == 0 {
                if self.reload == Reload::Pending {
                    self.reload = Reload::Loading;
                    self.reload_left = WINDOW;
                    raised = true;
                } else {
                    self.reload = Reload::Idle;
                }
            }
        }
        let was_high = self.input(self.control);
        self.divider = self.divider.wrapping_add(1);
        if self.enabled() && was_high && !self.input(self.control) {
            self.clock_counter();
        }
        raised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near_overflow() -> Timer {
        let mut t = Timer::new();
        t.write_control(5);
        t.write_counter(0xFF);
        t.write_modulo(0x42);
        t
    }

    #[test]
    fn overflow_reads_zero_for_four_cycles_then_raises() {
        let mut t = near_overflow();
        assert!(!t.advance(16));
        assert_eq!((t.read_counter(), t.distance), (0, 4));
        assert!(!t.advance(19));
        assert!(t.advance(20));
        assert_eq!(t.read_counter(), 0x42);
        t.write_counter(7);
        assert_eq!(t.read_counter(), 0x42);
        t.advance(24);
        t.write_counter(7);
        assert_eq!(t.read_counter(), 7);
    }

    #[test]
    fn jumping_equals_stepping() {
        for tac in [4u8, 5, 6, 7] {
            let (mut jump, mut step) = (Timer::new(), Timer::new());
            for t in [&mut jump, &mut step] {
                t.write_control(tac);
                t.write_modulo(0xF0);
            }
            let mut raised = [0, 0];
            let mut now = 0u64;
            for k in 0..4000u64 {
                let hop = 1 + (k * 7919) % 123;
                for c in now + 1..=now + hop {
                    raised[1] += u32::from(step.advance(c));
                }
                now += hop;
                raised[0] += u32::from(jump.advance(now));
                assert_eq!((jump.divider, jump.counter), (step.divider, step.counter));
            }
            assert_eq!(raised[0], raised[1]);
        }
    }
}
