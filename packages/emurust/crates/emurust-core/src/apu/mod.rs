//! Sound: everything a program can read back, and samples.
//!
//! Time advances in chunks, cut at every 512 Hz step and, while sampling, at every sample. A few counters
//! see the chunks (the sweep's delayed checks, the noise divider's phase), so the cuts must be the
//! reference's.

mod clock;
mod journal;
pub(crate) mod noise;
pub(crate) mod pulse;
pub(crate) mod units;
pub(crate) mod wave;

use clock::whole;
use educe::Educe;
use journal::Journal;
use noise::Noise;
use pulse::{Pulse, Sweep};
use wave::Wave;

use crate::NEVER;

const SEQUENCER_DOTS: u64 = 8192;
pub(crate) const CLOCK_RATE: f64 = 4_194_304.0;
/// Samples per second unless asked otherwise.
pub const SAMPLE_RATE: u32 = 48_000;
/// How long after switching off (or a DIV write) switching on skips a sequencer step.
const POWER_WINDOW: u64 = 8192;
/// Beyond this, `limit` is farther than any other event and need not be kept up to date.
const SETTLED_LIMIT: i64 = 1 << 20;

/// Stereo samples of the last frame, interleaved.
pub(crate) type Samples = Vec<i8>;

#[derive(Debug, Educe)]
#[educe(Clone)]
pub(crate) struct Apu {
    pub(crate) emulated: bool,
    pub(crate) color: bool,
    /// Samples are taken in this frame; if not, the sample clock still advances but cuts no chunks.
    pub(crate) sampling: bool,
    /// Keep what samples are made from. Their values are not visible to programs, so headless runs leave this off.
    pub(crate) record: bool,
    /// A frame is played again for its samples.
    pub(crate) replays: bool,
    pub(crate) journal: Journal,
    pub(crate) samples: Samples,
    pub(crate) speed_shift: u8,
    pub(crate) dots: u64,
    pub(crate) synced_at: u64,
    pub(crate) next_sample: f64,
    /// Always whole, unlike the sample times.
    pub(crate) next_step: u64,
    pub(crate) sample_interval: f64,
    pub(crate) sample_rate: u32,
    /// An absolute cycle number, not a distance: it shortens slices only soon after power on.
    pub(crate) limit: i64,
    /// Dots of finished slices that the channels have not run yet.
    pub(crate) pending: u64,
    /// Postpone the channels until they are looked at or a step is due.
    pub(crate) lazy: bool,
    pub(crate) powered: bool,
    pub(crate) sequencer: u64,
    pub(crate) skip_state: u64,
    pub(crate) last_div_write: u64,
    pub(crate) last_power_off: u64,
    pub(crate) div_written: bool,
    pub(crate) master_volume: u8,
    pub(crate) panning: u8,
    pub(crate) pulse1: Pulse,
    pub(crate) sweep: Sweep,
    pub(crate) pulse2: Pulse,
    pub(crate) wave: Wave,
    pub(crate) noise: Noise,
}

impl Apu {
    pub(crate) fn new(emulated: bool, color: bool, sample_rate: u32) -> Self {
        let sample_interval = CLOCK_RATE / f64::from(sample_rate);
        let (next_sample, next_step) = if emulated {
            (sample_interval, SEQUENCER_DOTS)
        } else {
            (NEVER as f64, NEVER as u64)
        };
        Self {
            emulated,
            color,
            sampling: true,
            record: false,
            replays: false,
            journal: Journal::default(),
            samples: Samples::new(),
            speed_shift: 0,
            dots: 0,
            synced_at: 0,
            next_sample,
            next_step,
            sample_interval,
            sample_rate,
            limit: whole(next_sample).min(next_step) as i64,
            pending: 0,
            lazy: true,
            powered: false,
            sequencer: 3,
            skip_state: 0,
            last_div_write: 0,
            last_power_off: 0,
            div_written: false,
            master_volume: 0,
            panning: 0,
            pulse1: Pulse::new(),
            sweep: Sweep::default(),
            pulse2: Pulse::new(),
            wave: Wave::new(),
            noise: Noise::new(),
        }
    }

    /// Notes the end of a slice at `now`. As long as nobody looks and no step is due, only counters that
    /// see the cuts are kept; everything else is the same however the time is divided.
    #[inline]
    pub(crate) fn end_slice(&mut self, now: u64) {
        if now == self.synced_at {
            return;
        }
        let dots = now.wrapping_sub(self.synced_at) >> self.speed_shift;
        let reached = self.dots + self.pending + dots;
        let postponable = self.lazy
            && self.limit > SETTLED_LIMIT
            && reached < self.next_step
            && self.sweep.idle()
            && !self.records();
        if !self.emulated {
            self.synced_at = now;
        } else if postponable {
            self.synced_at = now;
            if self.color && self.powered {
                self.align_noise(dots);
            }
            self.pending += dots;
        } else {
            self.advance(now);
        }
    }

    /// Samples are taken as time passes.
    #[inline]
    fn records(&self) -> bool {
        self.replays
    }

    /// Ends the slices before the present one, which began at `slice_start`.
    #[inline]
    pub(crate) fn catch_up(&mut self, slice_start: u64) {
        if self.synced_at < slice_start {
            self.end_slice(slice_start);
        }
    }

    /// Leaves nothing postponed between frames, where states are saved.
    pub(crate) fn finish_frame(&mut self) {
        self.settle();
    }

    /// Runs the channels over the finished slices.
    #[inline]
    fn settle(&mut self) {
        if self.pending == 0 {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        self.run_channels(pending as i64);
        self.dots += pending;
        self.pass_marks();
        self.update_limit();
    }

    fn update_limit(&mut self) {
        self.limit = (whole(self.next_sample).min(self.next_step) << self.speed_shift) as i64;
    }

    /// Advances to the CPU cycle `now`.
    pub(crate) fn advance(&mut self, now: u64) {
        self.note_advance(now);
        let elapsed = now.wrapping_sub(self.synced_at);
        self.synced_at = now;
        if !self.emulated {
            return;
        }
        self.settle();
        let mut left = elapsed >> self.speed_shift;
        self.wave.reading = false;
        while left > 0 {
            let mut chunk = left;
            if self.sampling {
                chunk = chunk.min(whole(self.next_sample).wrapping_sub(self.dots));
            }
            chunk = chunk.min(self.next_step.wrapping_sub(self.dots));
            if chunk != 0 || self.dots < self.next_step {
                if self.color && self.powered {
                    self.noise.align(chunk);
                }
                self.run_channels(chunk as i64);
                self.dots += chunk;
                left -= chunk;
            }
            self.pass_marks();
        }
        self.update_limit();
    }

    fn pass_marks(&mut self) {
        while self.dots >= self.next_step {
            self.step_sequencer();
            self.next_step += SEQUENCER_DOTS;
        }
        if !self.records() {
            return self.pass_samples(self.dots);
        }
        while self.dots as f64 >= self.next_sample {
            self.take_sample();
            self.next_sample += self.sample_interval;
        }
    }

    #[inline]
    fn run_channels(&mut self, dots: i64) {
        if !self.powered {
            return;
        }
        if !self.color || self.pulse1.active {
            self.pulse1.advance(dots);
            if !self.sweep.idle() {
                self.sweep.advance(dots, &mut self.pulse1);
            }
        }
        if !self.color || self.pulse2.active {
            self.pulse2.advance(dots);
        }
        self.wave.advance(dots);
        // of use on monochrome hardware only, and there chunks end alike
        self.wave.reading &= !self.color;
        // the monochrome shift register can only be heard, and a trigger resets it
        if self.color || self.record {
            self.noise.advance(dots, self.color);
        }
    }

    fn step_sequencer(&mut self) {
        match self.skip_state {
            2 | 5 => {
                self.skip_state = 1;
                return;
            }
            1 => self.skip_state = 3,
            _ => self.sequencer += 1,
        }
        if !self.powered {
            return;
        }
        let step = self.sequencer % 8;
        if self.color && step.is_multiple_of(2) {
            self.for_each_envelope(units::Envelope::clock_late);
        }
        if step % 2 == 1 {
            self.pulse1.clock_length();
            self.pulse2.clock_length();
            self.wave.clock_length();
            self.noise.clock_length();
        }
        if step % 4 == 3 {
            self.sweep.clock(&mut self.pulse1, self.color);
        }
        if step == if self.color { 0 } else { 7 } {
            self.for_each_envelope(units::Envelope::clock);
        }
    }

    fn for_each_envelope(&mut self, apply: fn(&mut units::Envelope)) {
        apply(&mut self.pulse1.envelope);
        apply(&mut self.pulse2.envelope);
        apply(&mut self.noise.envelope);
    }

    /// A DIV write restarts the sequencer's period; it steps if the divider bit was high.
    pub(crate) fn div_written(&mut self, bit_was_high: bool) {
        self.note_div(bit_was_high);
        if bit_was_high {
            self.div_written = true;
            self.last_div_write = self.dots;
        }
        if !self.emulated {
            self.next_step = NEVER as u64;
            return;
        }
        if bit_was_high {
            self.step_sequencer();
        }
        self.next_step = self.dots + SEQUENCER_DOTS;
    }

    pub(crate) fn read(&self, port: u8) -> u8 {
        if !self.emulated {
            return 0;
        }
        match port {
            0x10 => self.sweep.read(),
            0x11..=0x14 => self.pulse1.read(port - 0x10),
            0x15..=0x19 => self.pulse2.read(port - 0x15),
            0x1A..=0x1E => self.wave.read(port - 0x1A),
            0x1F..=0x23 => self.noise.read(port - 0x1F),
            0x24 => self.master_volume,
            0x25 => self.panning,
            0x26 => self.status(),
            0x30..=0x3F => self
                .wave
                .accessible(port - 0x30, self.color)
                .map_or(0xFF, |at| self.wave.table[at]),
            _ => 0xFF,
        }
    }

    fn status(&self) -> u8 {
        0x70 | u8::from(self.powered) << 7
            | u8::from(self.noise.active) << 3
            | u8::from(self.wave.active) << 2
            | u8::from(self.pulse2.active) << 1
            | u8::from(self.pulse1.active)
    }

    pub(crate) fn pcm12(&self) -> u8 {
        self.pulse1.sample() & 0x0F | (self.pulse2.sample() & 0x0F) << 4
    }

    pub(crate) fn pcm34(&self) -> u8 {
        self.wave.sample() & 0x0F | (self.noise.sample() & 0x0F) << 4
    }

    /// Writes a port; `divider` is the CPU's 16-bit divider, whose phase matters when switching on.
    pub(crate) fn write(&mut self, port: u8, value: u8, divider: u16) {
        self.note_write(port, value, divider);
        let switches_on = port == 0x26 && value & 0x80 != 0;
        let div_bit = divider >> 8 & (0x10 << self.speed_shift) != 0;
        if switches_on && !self.powered {
            if self.color {
                self.div_written = self.dots.wrapping_sub(self.last_div_write) < POWER_WINDOW;
            }
            let recently_off =
                self.color && self.dots.wrapping_sub(self.last_power_off) < POWER_WINDOW;
            self.skip_state = if (recently_off || self.div_written) && div_bit {
                2
            } else {
                0
            };
        }
        if self.emulated {
            self.write_register(port, value);
        }
        if port == 0x14 {
            self.div_written = false;
        }
        if switches_on && self.skip_state != 0 {
            self.sequencer = 1;
            let period = 0x2000u64 << self.speed_shift;
            let to_edge = period - (u64::from(divider) & (period - 1));
            self.next_step = self.dots + (to_edge >> self.speed_shift);
        }
    }

    fn write_register(&mut self, port: u8, value: u8) {
        match port {
            0x10..=0x23 => {
                let (channel, register) = ((port - 0x10) / 5, (port - 0x10) % 5);
                // length counters stay writable on monochrome hardware that is off
                if self.powered || (!self.color && register == 1) {
                    self.write_channel(channel, register, value);
                }
            }
            0x24 if self.powered => self.master_volume = value,
            0x25 if self.powered => self.panning = value,
            0x26 if value & 0x80 == 0 => self.power_off(),
            0x26 if !self.powered => {
                self.powered = true;
                self.sequencer = 0;
                self.next_step = self.dots + SEQUENCER_DOTS;
            }
            0x30..=0x3F => {
                if let Some(at) = self.wave.accessible(port - 0x30, self.color) {
                    self.wave.table[at] = value;
                }
            }
            _ => {}
        }
    }

    fn power_off(&mut self) {
        let lengths = [
            self.pulse1.length.left,
            self.pulse2.length.left,
            self.wave.length.left,
            self.noise.length.left,
        ];
        for port in 0x10..=0x25 {
            self.write_register(port, 0);
        }
        if self.color {
            self.pulse1.power_off_color();
            self.pulse2.power_off_color();
            self.sweep.hold = 0;
        } else {
            [
                self.pulse1.length.left,
                self.pulse2.length.left,
                self.wave.length.left,
                self.noise.length.left,
            ] = lengths;
        }
        self.sweep.check_in = 0;
        self.powered = false;
        self.skip_state = 0;
        self.noise.power_off();
        self.last_power_off = self.dots;
    }

    fn length(&mut self, channel: u8) -> &mut units::Length {
        match channel {
            0 => &mut self.pulse1.length,
            1 => &mut self.pulse2.length,
            2 => &mut self.wave.length,
            _ => &mut self.noise.length,
        }
    }

    fn clock_length(&mut self, channel: u8) {
        match channel {
            0 => self.pulse1.clock_length(),
            1 => self.pulse2.clock_length(),
            2 => self.wave.clock_length(),
            _ => self.noise.clock_length(),
        }
    }

    fn write_channel(&mut self, channel: u8, register: u8, value: u8) {
        // Enabling the length counter in the half of a period in which it is not clocked clocks it once.
        let odd = register == 4 && self.sequencer % 2 == 1;
        let was_enabled = self.length(channel).enabled;
        let was_left = self.length(channel).left;
        let clock_first = odd && value & 0xC0 == 0xC0 && !was_enabled && was_left > 0;
        if clock_first {
            self.length(channel).enabled = true;
            self.clock_length(channel);
            self.length(channel).enabled = was_enabled;
        }
        match channel {
            0 => self.write_pulse1(register, value),
            1 => self.write_pulse2(register, value),
            2 => {
                self.wave.write(register, value, self.color);
                if register == 4 && value & 0x80 != 0 && self.speed_shift == 0 && !self.color {
                    self.wave.muted_until_edge = false;
                }
            }
            _ => self.write_noise(register, value),
        }
        if odd {
            let enabled_late = value & 0x40 != 0 && !clock_first && (!was_enabled || was_left == 0);
            let refilled = clock_first && was_left == 1 && value & 0x80 != 0;
            if enabled_late || refilled {
                self.clock_length(channel);
            }
        }
        if self.color && channel == 0 && register == 4 && value & 0x80 != 0 {
            let phase = self.phase(self.dots as i64 + self.pulse1.timer);
            self.pulse1.timer += (4 - phase) % 4;
        }
    }

    /// Phase of a time within the 1 MHz clock, which starts with the sequencer's period.
    fn phase(&self, dots: i64) -> i64 {
        let epoch = self.next_step.saturating_sub(SEQUENCER_DOTS) as i64;
        (dots - epoch).rem_euclid(4)
    }

    fn write_pulse1(&mut self, register: u8, value: u8) {
        let was_active = self.pulse1.active;
        if self.color && register == 2 && was_active {
            self.pulse1.envelope.disturb(value);
        }
        let check_pending = self.sweep.check_in != 0;
        match register {
            0 => self.sweep.write(value, &mut self.pulse1),
            1 if self.color => self.pulse1.write_duty_late(value),
            _ => {
                let only_length = !self.powered && !self.color;
                if !self.pulse1.write(register, value, only_length) {
                    return;
                }
                self.sweep.trigger(&mut self.pulse1, was_active, self.color);
                if self.color {
                    self.pulse1.timer += match (was_active, self.sweep.enabled, check_pending) {
                        (false, _, _) => {
                            self.pulse1.muted_until_edge = true;
                            8
                        }
                        (true, true, false) => 6,
                        (true, _, _) => 2,
                    };
                }
            }
        }
    }

    fn write_pulse2(&mut self, register: u8, value: u8) {
        let was_active = self.pulse2.active;
        if self.color && register == 2 && was_active {
            self.pulse2.envelope.disturb(value);
        }
        if self.color && register == 1 {
            self.pulse2.write_duty_late(value);
            return;
        }
        let only_length = !self.powered && !self.color;
        if !self.pulse2.write(register, value, only_length) || !self.color {
            return;
        }
        if was_active {
            self.pulse2.timer += 2;
            return;
        }
        self.pulse2.muted_until_edge = true;
        self.pulse2.timer += if self.speed_shift != 0 { 9 } else { 6 };
        if self.speed_shift != 0 && self.pulse2.period == 4 {
            self.pulse2.timer += self.phase(self.dots as i64) - 2;
        }
    }

    fn write_noise(&mut self, register: u8, value: u8) {
        if self.color && register == 2 && self.noise.active {
            self.noise.envelope.disturb(value);
        }
        self.noise.write(register, value, self.color);
    }

    fn take_sample(&mut self) {
        let channels = [
            self.pulse1.sample(),
            self.pulse2.sample(),
            self.wave.sample(),
            self.noise.sample(),
        ];
        let mix = |mask: u8| {
            let sum: i32 = channels
                .iter()
                .enumerate()
                .filter(|(i, _)| mask >> i & 1 != 0)
                .map(|(_, &s)| i32::from(s))
                .sum();
            sum.min(127) as i8
        };
        let (left, right) = if self.powered {
            (mix(self.panning >> 4), mix(self.panning & 0x0F))
        } else {
            (0, 0)
        };
        self.samples.push(left);
        self.samples.push(right);
    }
}
