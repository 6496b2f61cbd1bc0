//! Interrupt flags (bits of IF and IE) and their vectors.

pub(crate) const VBLANK: u8 = 0x01;
pub(crate) const LCD: u8 = 0x02;
pub(crate) const TIMER: u8 = 0x04;
pub(crate) const SERIAL: u8 = 0x08;
pub(crate) const JOYPAD: u8 = 0x10;
pub(crate) const ALL: u8 = 0x1F;

/// Handler address of the most urgent of `flags`, and its flag.
pub(crate) fn most_urgent(flags: u8) -> (u8, u16) {
    let number = flags.trailing_zeros();
    (1 << number, 0x40 + 8 * number as u16)
}
