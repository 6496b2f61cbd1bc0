//! MBC3 and MBC30 (8-bit ROM bank, eight RAM banks), optionally with a clock.

use super::{Banks, Rtc};

#[derive(Debug, Clone)]
pub(crate) struct Mbc3 {
    /// MBC30: told apart only by the sizes in the header.
    pub(crate) large: bool,
    pub(crate) rtc: Option<Rtc>,
}

impl Mbc3 {
    pub(super) fn write_control(&mut self, banks: &mut Banks, addr: u16, value: u8, now: u64) {
        match addr >> 13 {
            0 => banks.ram_enabled = value & 0x0F == 0x0A,
            1 => {
                let bank = if self.large { value } else { value & 0x7F };
                banks.rom_high = usize::from(bank.max(1)) % banks.rom_count;
            }
            2 => {
                banks.ram_selected = if is_clock(value.into()) {
                    value.into()
                } else {
                    usize::from(value) % banks.ram_count
                };
            }
            _ => {
                if let Some(rtc) = &mut self.rtc {
                    rtc.advance(now);
                    rtc.command(value);
                }
            }
        }
    }

    pub(super) fn writable_banks(&self) -> usize {
        if self.large {
            8
        } else {
            4
        }
    }

    /// The clock, if one of its registers is selected.
    pub(super) fn selected_clock(&mut self, banks: &Banks) -> Option<&mut Rtc> {
        if is_clock(banks.ram_selected) {
            self.rtc.as_mut()
        } else {
            None
        }
    }
}

pub(super) fn is_clock(selected: usize) -> bool {
    (0x08..=0x0C).contains(&selected)
}
