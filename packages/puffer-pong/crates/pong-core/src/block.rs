//! One step of a few environments side by side.
//!
//! Moving is the same arithmetic for every lane and compiles to vector instructions.  Meeting an edge is rare and is
//! handled lane by lane.  A lane whose round ended stops at once in the original; here it moves on with the others,
//! unseen, and gets its state back after the last frame: cheaper than masking every frame.

use crate::action::Action;
use crate::observation::{Observation, observe};
use crate::params::Field;
use crate::physics::{self, Crossing, POINT_REWARD, Side};
use crate::rng::{CounterRng, GlibcRand};
use crate::state::{Motions, State};
use crate::vector::Log;

/// Environments per block.
pub const LANES: usize = 16;

/// [`LANES`] environments and the statistics of their finished episodes.
#[derive(Debug, Clone, Default)]
pub struct Block {
    motions: Motions,
    tick: [u32; LANES],
    bounces: [u32; LANES],
    score_left: [u32; LANES],
    score_right: [u32; LANES],
    rng: [CounterRng; LANES],
    /// Where a round ended: the motion before its last frame.  Meaningful only within a step.
    before: Motions,
    /// Statistics since they were last taken.
    pub log: Log,
}

/// Where the step of a block puts its results: one row per environment, at most [`LANES`] rows.
pub struct Rows<'a> {
    /// Observations after the step.
    pub observations: &'a mut [Observation],
    /// Rewards of the step.
    pub rewards: &'a mut [f32],
    /// Whether the step ended an episode.
    pub terminals: &'a mut [bool],
    /// The last observation of an ended episode; other rows are left alone.
    pub final_observations: &'a mut [Observation],
}

impl Block {
    /// One environment.
    pub fn state(&self, lane: usize) -> State {
        State {
            motion: self.motions.get(lane),
            score_left: self.score_left[lane],
            score_right: self.score_right[lane],
            tick: self.tick[lane],
            bounces: self.bounces[lane],
            rng: self.rng[lane],
        }
    }

    /// Replace one environment.
    pub fn set_state(&mut self, lane: usize, state: &State) {
        self.motions.set(lane, state.motion);
        self.score_left[lane] = state.score_left;
        self.score_right[lane] = state.score_right;
        self.tick[lane] = state.tick;
        self.bounces[lane] = state.bounces;
        self.rng[lane] = state.rng;
    }

    /// Replace the generator of one environment.
    pub fn seed(&mut self, lane: usize, rng: CounterRng) {
        self.rng[lane] = rng;
    }

    /// Begin an episode in one lane.
    pub fn reset(&mut self, lane: usize, field: &Field, glibc: Option<&mut GlibcRand>) {
        self.serve(lane, field, glibc);
        self.score_left[lane] = 0;
        self.score_right[lane] = 0;
    }

    /// Observe one lane.
    #[inline(always)]
    pub fn observe(&self, lane: usize, field: &Field) -> Observation {
        observe(self.motions.get(lane), self.score_left[lane], self.score_right[lane], field)
    }

    /// Begin a round in one lane.
    fn serve(&mut self, lane: usize, field: &Field, glibc: Option<&mut GlibcRand>) {
        let rand = match glibc {
            Some(shared) => shared.rand(),
            None => self.rng[lane].rand(),
        };
        self.motions.set(lane, physics::serve(field, rand));
        self.tick[lane] = 0;
        self.bounces[lane] = 0;
    }

    /// One step of every lane that has a row.
    #[inline(always)]
    pub fn step<A: Action>(
        &mut self,
        actions: &[A::Raw],
        field: &Field,
        mut glibc: Option<&mut GlibcRand>,
        rows: Rows<'_>,
    ) {
        let mut directions = [0.0; LANES];
        for (direction, &action) in directions.iter_mut().zip(actions) {
            *direction = A::direction(action);
        }
        for tick in &mut self.tick {
            *tick = tick.wrapping_add(1);
        }
        let mut rewards = [0.0; LANES];
        let mut winners = [Side::Left; LANES];
        let mut over: u32 = 0; // lanes whose round ended, as bits
        for _ in 0..field.params.frameskip {
            let mut moved = self.motions;
            let mut edges: u32 = 0;
            for (lane, &direction) in directions.iter().enumerate() {
                let motion = physics::advance(moved.get(lane), direction, field);
                edges |= u32::from(physics::at_edge(motion, field)) << lane;
                moved.set(lane, motion);
            }
            edges &= !over;
            if edges != 0 {
                over |= self.cross(edges, &mut moved, &directions, field, &mut rewards, &mut winners);
            }
            self.motions = moved;
        }
        // A round that ended shows its last frame before the point: the stale observation of the original.
        for lane in lanes(over) {
            self.motions.set(lane, self.before.get(lane));
        }
        for (lane, row) in rows.observations.iter_mut().enumerate() {
            *row = self.observe(lane, field);
        }
        let live = rows.rewards.len();
        rows.rewards.copy_from_slice(&rewards[..live]);
        rows.terminals.fill(false);
        for lane in lanes(over).take_while(|&lane| lane < live) {
            if self.score(lane, winners[lane], field) {
                rows.terminals[lane] = true;
                rows.final_observations[lane] = rows.observations[lane];
                self.reset(lane, field, glibc.as_deref_mut());
                rows.observations[lane] = self.observe(lane, field);
            } else {
                self.serve(lane, field, glibc.as_deref_mut());
            }
        }
    }

    /// Decide the balls beyond an edge, given as bits.  `self` still holds the frame before.  Returns the lanes whose
    /// round ended.
    fn cross(
        &mut self,
        edges: u32,
        moved: &mut Motions,
        directions: &[f32; LANES],
        field: &Field,
        rewards: &mut [f32; LANES],
        winners: &mut [Side; LANES],
    ) -> u32 {
        let mut over = 0;
        for lane in lanes(edges) {
            match physics::cross(moved.get(lane), directions[lane], field) {
                Crossing::Return(returned, reward) => {
                    moved.set(lane, returned);
                    self.bounces[lane] = self.bounces[lane].wrapping_add(1);
                    rewards[lane] = reward.unwrap_or(rewards[lane]);
                }
                Crossing::Point(winner) => {
                    over |= 1 << lane;
                    winners[lane] = winner;
                    self.before.set(lane, self.motions.get(lane));
                    rewards[lane] = if winner == Side::Right { POINT_REWARD } else { -POINT_REWARD };
                }
            }
        }
        over
    }

    /// Count a point.  Returns whether it ended the episode, which is then logged.
    fn score(&mut self, lane: usize, winner: Side, field: &Field) -> bool {
        let score = match winner {
            Side::Left => &mut self.score_left[lane],
            Side::Right => &mut self.score_right[lane],
        };
        *score += 1;
        let over = *score == field.params.max_score;
        if over {
            self.log.add(self.score_left[lane], self.score_right[lane], self.tick[lane]);
        }
        over
    }
}

/// The lanes whose bits are set, in order.
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lane
    })
}
