//! The sound unit's time: when it has to be told of it, and the sample clock, which cuts time into chunks.

use super::{Apu, SETTLED_LIMIT};

/// First whole dot at or after a fractional time.
#[inline]
pub(super) fn whole(time: f64) -> u64 {
    // times are positive; `ceil` is a call on processors without an instruction for it
    let floor = time as u64;
    floor + u64::from((floor as f64) < time)
}

impl Apu {
    /// The cycle up to which ends of slices may be told later, all at once; none if they must be told as
    /// they come. Colour hardware counts the slices themselves, so it is told anyway.
    pub(crate) fn next_event(&self) -> Option<u64> {
        if self.limit <= SETTLED_LIMIT {
            return None;
        }
        if !self.emulated || self.color {
            return Some(u64::MAX);
        }
        let calm = self.lazy && self.sweep.idle() && !self.records();
        calm.then(|| self.next_step_at())
    }

    /// The cycle of the sequencer's next step.
    pub(crate) fn next_step_at(&self) -> u64 {
        if !self.emulated {
            return u64::MAX;
        }
        let left = self.next_step.saturating_sub(self.dots + self.pending);
        self.synced_at + (left << self.speed_shift)
    }

    /// Lines may pass at once: nothing counts the chunks of time but what [`Self::end_slice`] keeps up.
    pub(crate) fn may_pass_lines(&self) -> bool {
        !self.emulated || self.lazy && !self.records() && self.sweep.idle()
    }

    /// Ends of slices have to be told one by one.
    pub(crate) fn counts_slices(&self) -> bool {
        self.emulated && self.color && self.powered && self.sampling
    }

    /// The noise divider's phase after a slice of `dots`, which samples cut into chunks.
    pub(super) fn align_noise(&mut self, dots: u64) {
        let mut at = self.dots + self.pending;
        let end = at + dots;
        if self.sampling {
            loop {
                let cut = whole(self.next_sample);
                if cut > end {
                    break;
                }
                self.noise.align(cut - at);
                at = cut;
                self.pass_samples(at);
            }
        }
        self.noise.align(end - at);
    }

    /// Advances the sample clock past `dots`. Its times are sums of so many rounded additions; between two
    /// powers of two these all add the same, which can be multiplied.
    pub(super) fn pass_samples(&mut self, dots: u64) {
        let now = dots as f64;
        while now >= self.next_sample {
            let step = (self.next_sample + self.sample_interval) - self.next_sample;
            let count = ((now - self.next_sample) / step).floor();
            let last = self.next_sample + count * step;
            let power = |time: f64| time.to_bits() >> 52;
            let exact = count > 1.0 && last <= now;
            if exact && power(self.next_sample) == power(last + self.sample_interval) {
                self.next_sample = last;
            }
            self.next_sample += self.sample_interval;
        }
    }
}
