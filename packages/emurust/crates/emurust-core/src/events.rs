//! When something is going to happen, so that slices in which nothing does cost nothing.
//!
//! The reference advances every part at the end of every slice. Between two events that only moves clocks,
//! and moving them in one go leaves the same state. So after a slice's end at which everything was advanced,
//! the next events are noted here as absolute cycles; a part is advanced when its event is reached or when
//! a program looks at it. Whatever may change the plan calls [`Machine::disturb`], and the current slice
//! then ends in full again.

use crate::lcd::LINE_DOTS;
use crate::machine::Machine;
use crate::timer::Reload;
use crate::NEVER;

/// The next events; zero means not known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Events {
    /// The first cycle at which the LCD does more than count.
    pub(crate) lcd: u64,
    /// Likewise of timer and serial port. These two and the LCD end slices.
    pub(crate) counters: u64,
    /// Likewise of all but the LCD, that is with sound (of monochrome consoles; others are told every end).
    pub(crate) others: u64,
    /// Start of the present slice, if the ends of those before it were not told to every part.
    pub(crate) slice_start: u64,
}

/// More dots than a frame has.
const LONG_FRAME: u64 = 1 << 20;
/// More cycles than any instruction with an interrupt entry takes.
const OVERSHOOT: u64 = 64;

impl Machine {
    /// Forgets the plan.
    #[inline]
    pub(crate) fn disturb(&mut self) {
        self.events.lcd = 0;
        self.events.others = 0;
    }

    /// Advances parts that a port write may look at without asking for the present moment, to the end of the
    /// last slice.
    pub(crate) fn catch_up(&mut self) {
        let start = self.events.slice_start;
        self.apu.catch_up(start);
        if self.timer.synced_at < start {
            self.timer.advance(start);
        }
    }

    /// Makes a plan, right after everything was advanced to the present cycle.
    pub(crate) fn plan(&mut self) {
        let calm = self.shortcuts.quiet_slices
            && !self.oam_dma.active
            && !(self.hdma.active && self.color_mode)
            && self.timer.reload == Reload::Idle;
        let sound = self.apu.next_event();
        let (true, Some(sound)) = (calm, sound) else {
            return self.disturb();
        };
        let now = self.cycles;
        let after = |distance: i64| {
            if distance == NEVER {
                u64::MAX
            } else {
                now.wrapping_add_signed(distance)
            }
        };
        self.events.counters = after(self.timer.distance).min(after(self.serial.distance));
        self.events.others = self.events.counters.min(sound);
        self.plan_lcd(now);
    }

    /// Notes the LCD's next event after it was advanced to `now`.
    #[inline]
    pub(crate) fn plan_lcd(&mut self, now: u64) {
        if self.lcd.clock > LONG_FRAME {
            // asked for a moment before one it had reached, in double speed: that throws it far off
            return self.disturb();
        }
        let distance = self.lcd.to_change.min(self.lcd.to_frame);
        self.events.lcd = now.wrapping_add_signed(distance);
    }

    /// Ends a slice at which only the LCD has something to do, and gives the end of the next one. None if
    /// more than that is to do, or if the CPU has to look up.
    #[inline(never)]
    pub(crate) fn end_slice_quietly(&mut self, now: u64) -> Option<u64> {
        if now >= self.events.others {
            return None;
        }
        if self.apu.color {
            self.apu.end_slice(now);
        }
        if now >= self.events.lcd {
            self.cpu.pending |= self.lcd.advance(now);
            self.plan_lcd(now);
        }
        let looks_up = self.cpu.requested() != 0 || self.lcd.frame_done || self.idle.waiting();
        if looks_up || self.events.others == 0 {
            return None;
        }
        self.events.slice_start = now;
        Some(self.events.lcd.min(self.events.counters).max(now + 4))
    }

    /// With the CPU halted or in an idle loop that sees only memory, lines pass one like the other: goes
    /// straight to the end of the slice in which a later line enters mode 3. False if that is not possible.
    pub(crate) fn pass_lines(&mut self) -> bool {
        if self.cycles >= self.events.lcd {
            return false;
        }
        self.lcd.advance(self.cycles); // only counts: no event is due
        let lines = self.lcd.uniform_lines();
        if lines == 0 || !self.apu.may_pass_lines() {
            return false;
        }
        // dots from now to the end of mode 2 of this line, which is past
        let origin = self.lcd.mode3_start().wrapping_sub(self.lcd.clock) as i64;
        let shift = self.lcd.speed_shift;
        let end = self.events.others.min(self.apu.next_step_at());
        let room = end.saturating_sub(self.cycles + OVERSHOOT) >> shift;
        let mut lines = lines.min(room.saturating_add_signed(-origin) / LINE_DOTS);
        if !self.cpu.halted {
            lines = self.unnoticed_lines(lines);
        }
        if lines == 0 {
            return false;
        }
        let start = self.cycles;
        let cycle_of = |dots: i64| start.wrapping_add_signed(dots << shift);
        let Some(pace) = self.pace() else {
            return false;
        };
        if self.apu.counts_slices() {
            let mut reached = start;
            for line in 0..lines {
                let began = origin + (line * LINE_DOTS) as i64;
                for dots in self.lcd.changes_after_mode3(line) {
                    reached = pace.first_from(cycle_of(began + dots).max(reached + 4));
                    self.apu.end_slice(reached);
                }
            }
        }
        let arrival = cycle_of(origin + (lines * LINE_DOTS) as i64);
        self.arrive(&pace, arrival, self.lcd.ly + lines as u8);
        self.lcd.skip_lines(lines);
        true
    }
}
