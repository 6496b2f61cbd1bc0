//! Serial port without a peer: an internally clocked transfer ends after 1,024 CPU cycles.

use crate::NEVER;

const TRANSFER_CYCLES: u64 = 1024;

#[derive(Debug, Clone)]
pub(crate) struct Serial {
    pub(crate) control: u8,
    pub(crate) unused_bits: u8,
    pub(crate) active: bool,
    pub(crate) synced_at: u64,
    pub(crate) distance: i64,
    pub(crate) clock: u64,
    pub(crate) due: u64,
}

impl Serial {
    pub(crate) fn new(color: bool) -> Self {
        let unused_bits = if color { 0x7C } else { 0x7E };
        Self {
            control: unused_bits,
            unused_bits,
            active: false,
            synced_at: 0,
            distance: 0,
            clock: 0,
            due: NEVER as u64,
        }
    }

    pub(crate) fn write_control(&mut self, value: u8) {
        self.control = value | self.unused_bits;
        self.active = value & 0x81 == 0x81;
        if value & 1 != 0 {
            // Any internal-clock write restarts the countdown, even one that starts no transfer.
            self.due = self.clock + TRANSFER_CYCLES;
            self.distance = TRANSFER_CYCLES as i64;
        } else {
            self.due = NEVER as u64;
            self.distance = NEVER;
        }
    }

    /// Advances to `now`; true when a transfer completed.
    #[inline]
    pub(crate) fn advance(&mut self, now: u64) -> bool {
        let elapsed = now.wrapping_sub(self.synced_at);
        if elapsed == 0 {
            return false;
        }
        self.synced_at = now;
        self.clock = self.clock.wrapping_add(elapsed);
        let done = self.active && self.clock >= self.due;
        if done {
            self.control &= 0x7F;
            self.active = false;
            self.due = NEVER as u64;
        }
        self.distance = if self.active {
            (self.due - self.clock) as i64
        } else {
            NEVER
        };
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_takes_1024_cycles_and_clears_bit_7() {
        let mut port = Serial::new(false);
        port.advance(100);
        port.write_control(0x81);
        assert_eq!(port.control, 0xFF);
        assert!(!port.advance(1123));
        assert!(port.advance(1124));
        assert_eq!(port.control, 0x7F);
    }
}
