//! Many machines, run side by side.

use rayon::prelude::*;

use crate::error::EmuError;
use crate::machine::Machine;

/// What every machine does in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Frames per step.
    pub frame_skip: u32,
    /// Frames for which the step's buttons are held; the rest of the step runs without them.
    pub press_frames: u32,
    /// Draw the last frame of the step.
    pub render: bool,
    /// Take sound samples in the last frame (their cuts are visible to colour programs).
    pub sound: bool,
}

impl Schedule {
    /// # Errors
    /// `InvalidArgument` for an empty step or more pressed frames than there are.
    pub fn check(&self) -> Result<(), EmuError> {
        if self.frame_skip == 0 || self.press_frames == 0 || self.press_frames > self.frame_skip {
            return Err(EmuError::InvalidArgument(format!(
                "frame_skip {} and press_frames {}: expected 1 <= press_frames <= frame_skip",
                self.frame_skip, self.press_frames
            )));
        }
        Ok(())
    }
}

impl Machine {
    /// Holds exactly the buttons of `mask`: releases first, then presses, each from bit 0 up.
    pub fn set_buttons(&mut self, mask: u8) {
        let held = self.joypad.held;
        for (change, pressed) in [(held & !mask, false), (mask & !held, true)] {
            for button in 0..8 {
                if change >> button & 1 != 0 {
                    self.set_button(button, pressed);
                }
            }
        }
    }

    /// One step with the buttons of `mask`.
    ///
    /// # Errors
    /// As [`Machine::run_frame`].
    pub fn run_step(&mut self, mask: u8, schedule: &Schedule) -> Result<(), EmuError> {
        self.set_buttons(mask);
        for frame in 0..schedule.frame_skip {
            if frame == schedule.press_frames {
                self.set_buttons(0);
            }
            let last = frame + 1 == schedule.frame_skip;
            self.run_frame(last && schedule.render, last && schedule.sound)?;
        }
        Ok(())
    }
}

/// Steps every machine, in parallel where there are several threads; `results[i]` belongs to machine `i`.
///
/// # Errors
/// `InvalidArgument` when the slices differ in length or the schedule is invalid.
pub fn step(
    machines: &mut [Machine],
    masks: &[u8],
    schedule: &Schedule,
) -> Result<Vec<Result<(), EmuError>>, EmuError> {
    schedule.check()?;
    if machines.len() != masks.len() {
        return Err(EmuError::InvalidArgument(format!(
            "got {} actions for {} machines",
            masks.len(),
            machines.len()
        )));
    }
    let one = |(machine, &mask): (&mut Machine, &u8)| machine.run_step(mask, schedule);
    Ok(machines
        .par_iter_mut()
        .with_max_len(1)
        .zip(masks)
        .map(one)
        .collect())
}
