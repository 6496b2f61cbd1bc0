//! Samples made afterwards: what happened to the sound unit in a frame, played again on a copy of how it began.
//!
//! Most scripts never listen. So a frame only notes when the unit was brought up to date and what was written; samples
//! are made from that when somebody asks for them.

use super::{Apu, Samples};

/// What happened to the sound unit.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// It was brought up to a cycle.
    Advanced(u64),
    /// A port was written, with the CPU's divider and the phase of the noise at that time.
    Written {
        port: u8,
        value: u8,
        divider: u16,
        alignment: u8,
    },
    /// DIV was written; whether the bit that steps the sequencer was high.
    DivWritten(bool),
    /// The CPU's speed changed.
    Speed(u8),
}

/// The present frame, if samples are kept in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    start: Option<Box<Apu>>,
    events: Vec<Event>,
}

impl Journal {
    fn note(&mut self, event: Event) {
        if self.start.is_some() {
            self.events.push(event);
        }
    }
}

impl Apu {
    /// A frame begins; notes what happens in it, if its samples are kept.
    pub(crate) fn open_journal(&mut self) {
        let mut journal = std::mem::take(&mut self.journal);
        journal.events.clear();
        if !(self.record && self.sampling && self.emulated) {
            journal.start = None;
        } else if let Some(start) = &mut journal.start {
            start.as_mut().clone_from(self);
        } else {
            journal.start = Some(Box::new(self.clone()));
        }
        self.journal = journal;
    }

    /// What was noted is of no use any more: the unit was replaced.
    pub(crate) fn close_journal(&mut self) {
        self.journal.start = None;
    }

    #[inline]
    pub(super) fn note_advance(&mut self, now: u64) {
        if self.journal.start.is_some() {
            self.journal.events.push(Event::Advanced(self.synced_at));
            self.journal.events.push(Event::Advanced(now));
        }
    }

    pub(super) fn note_write(&mut self, port: u8, value: u8, divider: u16) {
        let alignment = self.noise.alignment;
        self.journal.note(Event::Written {
            port,
            value,
            divider,
            alignment,
        });
    }

    pub(super) fn note_div(&mut self, bit_was_high: bool) {
        self.journal.note(Event::DivWritten(bit_was_high));
    }

    /// Changes the CPU's speed, of which the unit is independent.
    pub(crate) fn set_speed(&mut self, shift: u8) {
        self.journal.note(Event::Speed(shift));
        self.speed_shift = shift;
    }

    /// Makes the samples of the frame up to where the unit stands, if they are kept and not yet made.
    pub(crate) fn make_samples(&mut self) {
        let Some(start) = self.journal.start.take() else {
            return;
        };
        let mut played = *start;
        played.replays = true;
        played.samples = Samples::with_capacity(self.samples.capacity());
        for &event in &self.journal.events {
            played.replay(event);
        }
        played.advance(self.synced_at);
        self.samples = played.samples;
    }

    fn replay(&mut self, event: Event) {
        match event {
            Event::Advanced(now) if now == self.synced_at => {}
            Event::Advanced(now) => self.advance(now),
            Event::Written {
                port,
                value,
                divider,
                alignment,
            } => {
                self.noise.alignment = alignment;
                self.write(port, value, divider);
            }
            Event::DivWritten(bit_was_high) => self.div_written(bit_was_high),
            Event::Speed(shift) => self.speed_shift = shift,
        }
    }
}
