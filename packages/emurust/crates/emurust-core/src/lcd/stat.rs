//! The STAT register: mode and coincidence bits, and the one interrupt line they share.

pub(crate) const HBLANK: u8 = 0;
pub(crate) const VBLANK: u8 = 1;
pub(crate) const OAM_SCAN: u8 = 2;
pub(crate) const DRAWING: u8 = 3;

const COINCIDENCE: u8 = 0x04;
const COINCIDENCE_ENABLE: u8 = 0x40;
const HBLANK_ENABLE: u8 = 0x08;
pub(crate) const OAM_ENABLE: u8 = 0x20;

#[derive(Debug, Clone)]
pub(crate) struct Stat {
    pub(crate) value: u8,
    /// Level of the OR of all enabled sources; only its rising edge interrupts (STAT blocking).
    pub(crate) line: bool,
}

impl Stat {
    pub(crate) fn new() -> Self {
        Self {
            value: 0x80,
            line: false,
        }
    }

    #[inline]
    pub(crate) fn mode(&self) -> u8 {
        self.value & 3
    }

    /// An interrupt is wanted in some mode of every line.
    pub(crate) fn interrupts_by_mode(&self) -> bool {
        self.value & (HBLANK_ENABLE | OAM_ENABLE) != 0
    }

    /// An interrupt is wanted in line LYC.
    pub(crate) fn interrupts_by_line(&self) -> bool {
        self.value & COINCIDENCE_ENABLE != 0
    }

    /// Restores a saved value; the line follows without an edge.
    pub(crate) fn restore(&mut self, value: u8) {
        self.value = value;
        self.line = false;
        self.update_line();
    }

    /// Recomputes the line; true on a rising edge.
    #[inline]
    pub(crate) fn update_line(&mut self) -> bool {
        let mode = self.mode();
        let by_mode = mode != DRAWING && self.value & (8 << mode) != 0;
        let both = COINCIDENCE | COINCIDENCE_ENABLE;
        let level = by_mode || self.value & both == both;
        let rising = level && !self.line;
        self.line = level;
        rising
    }

    pub(crate) fn write(&mut self, value: u8) -> bool {
        self.value = (self.value & 0x87) | (value & 0x78);
        self.update_line()
    }

    #[inline]
    pub(crate) fn enter(&mut self, mode: u8) -> bool {
        if self.mode() == mode {
            return false;
        }
        self.value = (self.value & !3) | mode;
        self.update_line()
    }

    #[inline]
    pub(crate) fn set_coincidence(&mut self, equal: bool) -> bool {
        self.value = if equal {
            self.value | COINCIDENCE
        } else {
            self.value & !COINCIDENCE
        };
        self.update_line()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_source_is_blocked_while_the_line_is_high() {
        let mut stat = Stat::new();
        assert!(stat.write(0x48)); // mode 0 is on: rises at once
        assert!(!stat.set_coincidence(true));
        assert!(!stat.enter(OAM_SCAN)); // held up by the coincidence
        assert!(!stat.set_coincidence(false));
        assert!(stat.enter(HBLANK));
    }
}
