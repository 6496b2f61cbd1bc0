//! The MBC3 clock on a virtual time base: it counts emulated CPU cycles and never host time.

pub(crate) const CYCLES_PER_SECOND: u64 = 4_194_304;
/// Length of the clock in PyBoy's states and `.rtc` files.
pub(crate) const PYBOY_BYTES: usize = 33;

#[derive(Debug, Clone, Default)]
pub(crate) struct Rtc {
    pub(crate) seconds: u8,
    pub(crate) minutes: u8,
    pub(crate) hours: u8,
    pub(crate) days: u16,
    pub(crate) halted: bool,
    pub(crate) day_carry: bool,
    pub(crate) subsecond: u64,
    pub(crate) synced_at: u64,
    pub(crate) latched: bool,
    pub(crate) latch: [u8; 5],
    /// The host stopped the clock; it shows zeroes then.
    pub(crate) locked: bool,
}

impl Rtc {
    /// Counts the cycles up to `now`; only accesses to the clock cause this.
    pub(super) fn advance(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.synced_at);
        self.synced_at = now;
        if self.halted || self.locked {
            return;
        }
        self.subsecond += elapsed;
        let whole = self.subsecond / CYCLES_PER_SECOND;
        self.subsecond %= CYCLES_PER_SECOND;
        self.add_seconds(whole);
    }

    fn add_seconds(&mut self, count: u64) {
        let regular = self.seconds < 60 && self.minutes < 60 && self.hours < 24;
        if count > 3600 && regular {
            let total = u64::from(self.hours) * 3600
                + u64::from(self.minutes) * 60
                + u64::from(self.seconds)
                + count;
            self.seconds = (total % 60) as u8;
            self.minutes = (total / 60 % 60) as u8;
            self.hours = (total / 3600 % 24) as u8;
            self.add_days(total / 86_400);
            return;
        }
        for _ in 0..count {
            self.tick_second();
        }
    }

    /// One second, with the counters' odd wrap from out-of-range values (no carry from those).
    fn tick_second(&mut self) {
        if !count_up(&mut self.seconds, 59, 0x3F) {
            return;
        }
        if !count_up(&mut self.minutes, 59, 0x3F) {
            return;
        }
        if count_up(&mut self.hours, 23, 0x1F) {
            self.add_days(1);
        }
    }

    fn add_days(&mut self, count: u64) {
        let days = u64::from(self.days) + count;
        if days > 0x1FF {
            self.day_carry = true;
        }
        self.days = (days & 0x1FF) as u16;
    }

    /// A write to 6000–7FFF: 0 arms the latch, 1 copies the running counters once.
    pub(super) fn command(&mut self, value: u8) {
        match value {
            0 => self.latched = false,
            1 => {
                if self.locked {
                    self.latch = [0; 5];
                } else if !self.latched {
                    self.latch = [
                        self.seconds,
                        self.minutes,
                        self.hours,
                        self.days as u8,
                        (self.days >> 8) as u8,
                    ];
                }
                self.latched = true;
            }
            _ => {}
        }
    }

    pub(super) fn read(&self, register: usize) -> u8 {
        let value = self.latch[register - 8];
        if register == 0x0C {
            // The two control bits are live, only the counters are latched.
            (value & 1) | (u8::from(self.halted) << 6) | (u8::from(self.day_carry) << 7)
        } else {
            value
        }
    }

    pub(super) fn write(&mut self, register: usize, value: u8) {
        if self.locked {
            return;
        }
        match register {
            0x08 => {
                self.seconds = value & 0x3F;
                self.subsecond = 0;
            }
            0x09 => self.minutes = value & 0x3F,
            0x0A => self.hours = value & 0x1F,
            0x0B => self.days = (self.days & 0x100) | u16::from(value),
            _ => {
                self.days = (self.days & 0xFF) | (u16::from(value & 1) << 8);
                self.halted = value & 0x40 != 0;
                self.day_carry = value & 0x80 != 0;
            }
        }
    }
}

impl Rtc {
    /// As PyBoy stores it: when the clock began in host time, the counters, and the host time of saving.
    pub(crate) fn to_pyboy(&self, host_time: f64) -> [u8; PYBOY_BYTES] {
        let (halted, carry) = (u8::from(self.halted), u8::from(self.day_carry));
        let [low, high] = self.days.to_le_bytes();
        let mut out = [0; PYBOY_BYTES];
        out[..8].copy_from_slice(&self.started(host_time).to_le_bytes());
        let counters = [self.seconds, self.minutes, self.hours, low, high & 1];
        out[8..10].copy_from_slice(&[halted, carry]);
        out[10..15].copy_from_slice(&counters);
        out[15..17].copy_from_slice(&[halted, carry]);
        out[17..25].copy_from_slice(&self.subsecond.to_le_bytes());
        out[25..].copy_from_slice(&host_time.to_le_bytes());
        out
    }

    /// When the clock would have been started to show what it shows, in seconds since 1970.
    pub(crate) fn started(&self, host_time: f64) -> f64 {
        let elapsed = f64::from(self.seconds)
            + 60.0 * f64::from(self.minutes)
            + 3600.0 * f64::from(self.hours)
            + 86_400.0 * f64::from(self.days)
            + self.subsecond as f64 / CYCLES_PER_SECOND as f64;
        host_time - elapsed
    }

    /// The counters of a clock that was started at `started` and shows `host_time` now (both in seconds since 1970);
    /// whether it is halted, and its carry.
    pub(crate) fn count_from(&mut self, started: f64, host_time: f64, marks: [bool; 2]) {
        let elapsed = (host_time - started).clamp(0.0, LONGEST);
        let whole = elapsed as u64;
        self.seconds = (whole % 60) as u8;
        self.minutes = (whole / 60 % 60) as u8;
        self.hours = (whole / 3600 % 24) as u8;
        let days = whole / 86_400;
        self.days = (days % 512) as u16;
        [self.halted, self.day_carry] = marks;
        self.day_carry |= days >= 512;
        self.subsecond = ((elapsed - whole as f64) * CYCLES_PER_SECOND as f64) as u64;
        self.synced_at = 0;
    }

    /// The counters from what PyBoy stored; host time that passed since then is not added.
    pub(crate) fn read_pyboy(&mut self, stored: [u8; PYBOY_BYTES]) {
        let number =
            |at: usize| u64::from_le_bytes(stored[at..at + 8].try_into().expect("8 bytes"));
        self.seconds = stored[10] & 0x3F;
        self.minutes = stored[11] & 0x3F;
        self.hours = stored[12] & 0x1F;
        self.days = u16::from_le_bytes([stored[13], stored[14] & 1]);
        self.halted = stored[15] & 1 != 0;
        self.day_carry = stored[16] & 1 != 0;
        self.subsecond = number(17) % CYCLES_PER_SECOND;
        self.synced_at = 0;
    }
}

/// Longer than any clock runs, in seconds; files may say anything.
const LONGEST: f64 = 1e12;

/// Increments a counter; true if it wrapped from its regular end, which carries on.
fn count_up(counter: &mut u8, last: u8, all_ones: u8) -> bool {
    let carry = *counter == last;
    *counter = if carry || *counter == all_ones {
        0
    } else {
        *counter + 1
    };
    carry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolls_over_and_sets_the_day_carry() {
        let mut rtc = Rtc {
            seconds: 59,
            minutes: 59,
            hours: 23,
            days: 0x1FF,
            ..Rtc::default()
        };
        rtc.advance(CYCLES_PER_SECOND);
        assert_eq!(
            (rtc.seconds, rtc.minutes, rtc.hours, rtc.days, rtc.day_carry),
            (0, 0, 0, 0, true)
        );
    }

    #[test]
    fn out_of_range_counters_wrap_without_a_carry() {
        let mut rtc = Rtc {
            seconds: 0x3F,
            minutes: 7,
            ..Rtc::default()
        };
        rtc.advance(CYCLES_PER_SECOND);
        assert_eq!((rtc.seconds, rtc.minutes), (0, 7));
    }
}
