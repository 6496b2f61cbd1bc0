//! The eight buttons and the P1 port.
//!
//! The reference computes the port's value when P1 is *written*; reads return that stored byte.

/// Buttons as bits: right, left, up, down, A, B, select, start from bit 0 up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joypad {
    pub(crate) held: u8,
}

impl Joypad {
    /// Restores both half-rows from active-low nibbles.
    pub(crate) fn set_rows(&mut self, directions: u8, actions: u8) {
        self.held = (!directions & 0x0F) | ((!actions & 0x0F) << 4);
    }

    /// Changes one button; true if it went from released to pressed (the joypad interrupt).
    pub(crate) fn set(&mut self, button: u8, pressed: bool) -> bool {
        let mask = 1u8 << button;
        let newly = pressed && self.held & mask == 0;
        if pressed {
            self.held |= mask;
        } else {
            self.held &= !mask;
        }
        newly
    }

    /// The byte a write of `select` leaves in P1.
    pub(crate) fn latch(&self, select: u8) -> u8 {
        let row = match (select >> 4) & 3 {
            0b10 => self.held & 0x0F,
            0b01 => self.held >> 4,
            _ => 0, // both rows or none: nothing is pulled low
        };
        0xCF & !row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_selected_row_is_read() {
        let mut pad = Joypad::default();
        assert!(pad.set(0, true));
        assert!(!pad.set(0, true));
        assert!(pad.set(4, true));
        let values: Vec<u8> = [0x00, 0x10, 0x20, 0x30]
            .iter()
            .map(|&v| pad.latch(v))
            .collect();
        assert_eq!(values, [0xCF, 0xCE, 0xCE, 0xCF]);
    }
}
