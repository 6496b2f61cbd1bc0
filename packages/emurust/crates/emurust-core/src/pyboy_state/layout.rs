//! Which fields a format has.
//!
//! | format | released with PyBoy | what it brought |
//! |---|---|---|
//! | 0, 1 | – | the first byte is no number yet, but whether the boot ROM is mapped |
//! | 2 | – | a number; scroll positions of the lines |
//! | 3 | – | MBC1's two registers |
//! | 4 | 1.0 | tile data of the lines |
//! | 5 | 1.1 to 1.3 | the timer |
//! | 6 | 1.4.0 | the picture; STAT, LY and LYC; IE stands with the CPU |
//! | 7 | 1.4.1 to 1.4.7 | held buttons |
//! | 8 | 1.5.0 to 1.5.5 | colour consoles (their HDMA with one byte more than later), IF, the LCD's clock |
//! | 9 | 1.5.6 to 1.6.14 | that byte of HDMA is gone |
//! | 10 | 2.0 to 2.2.1 | pixels as RGBA, each with its priority |
//! | 11 | 2.2.2, 2.3 | positions of the lines stand with the LCD |
//! | 12 | 2.4 | the cycle counter |
//! | 13 | – | sound channels; marks of the first frame; the clock's start in double precision |
//! | 14 | 2.5 | all of sound |
//! | 15 | 2.6, 2.7.0 | the serial port; with 2.7.0 NR50 |
//! | 16, 17 | 2.7.1 | KEY0; monochrome cartridges on colour consoles |
//! | 18 to 28 | – | window, OAM DMA, reload of the timer, the clock's counters, finer sound, Super Game Boy |
//! | 29 | 2.8 | the present one |
//!
//! Some fields came or went without a new number, so that a format can have several layouts. They differ in length, and
//! a state is of the one that fits.

use super::NEWEST;

/// A format, with what differs between states of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) format: u8,
    /// IE stands with the CPU, and STAT, LY and LYC are stored.
    pub(super) stat: bool,
    /// NR50 is stored.
    pub(super) master_volume: bool,
    /// How fine channels of sound are stored.
    pub(super) channels: Channels,
    /// The phase between two modes of the LCD is stored.
    pub(super) lcd_step: bool,
    /// A rumble motor is stored for MBC5.
    pub(super) rumble: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Channels {
    /// Registers, timers and volumes.
    Plain,
    /// The sweep's check, and whether the wave was just read, too.
    Checked,
    /// Whether the wave is silent until its next sample, too.
    Muted,
}

/// The first format that has STAT for sure; the one before had it in the end.
const STAT: u8 = 6;
/// The first format that has marks of the first frame and channels of sound; at first it was as the one before.
const FRAME_MARKS: u8 = 13;
/// The first format that has NR50; at first it had not.
const VOLUME: u8 = 15;
/// The first formats that have this kind of channels for sure.
const CHECKED: u8 = 19;
const MUTED: u8 = 21;
/// The first format written with PyBoy 2.8's phase of the LCD and rumble motor, at the earliest.
const UNCERTAIN: u8 = 22;

impl Layout {
    /// The usual layout of a format.
    pub(super) fn usual(format: u8) -> Self {
        let channels = match format {
            MUTED.. => Channels::Muted,
            CHECKED.. => Channels::Checked,
            _ => Channels::Plain,
        };
        let newest = format == NEWEST;
        Self {
            format,
            stat: format >= STAT,
            master_volume: format >= VOLUME,
            channels,
            lcd_step: newest,
            rumble: newest,
        }
    }

    /// What PyBoy 2.8.1 takes every format for from 8 on.
    pub(super) fn of_newest_reader(format: u8) -> Self {
        Self {
            format,
            stat: format >= STAT,
            master_volume: true,
            channels: Channels::Muted,
            lcd_step: format >= 8,
            rumble: true,
        }
    }

    /// All layouts of a format, the likeliest first.
    pub(super) fn candidates(format: u8) -> Vec<Self> {
        let usual = Self::usual(format);
        let mut found = vec![usual, Self::of_newest_reader(format)];
        if format == CHECKED - 1 {
            let channels = Channels::Checked;
            found.push(Self { channels, ..usual });
        }
        if (UNCERTAIN..NEWEST).contains(&format) {
            let (with, without) = (true, false);
            for (lcd_step, rumble) in [(with, without), (without, with)] {
                found.push(Self {
                    lcd_step,
                    rumble,
                    ..usual
                });
            }
        }
        if format == STAT - 1 {
            found.push(Self {
                stat: true,
                ..usual
            });
        }
        if format == FRAME_MARKS {
            found.push(Self {
                format: format - 1,
                ..usual
            });
        }
        if format == VOLUME {
            found.push(Self {
                master_volume: false,
                ..usual
            });
        }
        found.dedup();
        found
    }
}
