//! What one environment is, and the same for a block of environments side by side.

use crate::block::LANES;
use crate::rng::CounterRng;

/// The moving parts of one environment, in pixels (y grows upwards) and pixels per frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion {
    /// Lower edge of the left paddle, the computer's.
    pub paddle_left_y: f32,
    /// Lower edge of the right paddle, the agent's.
    pub paddle_right_y: f32,
    /// Left edge of the ball.
    pub ball_x: f32,
    /// Lower edge of the ball.
    pub ball_y: f32,
    /// Horizontal speed of the ball.
    pub ball_vx: f32,
    /// Vertical speed of the ball.
    pub ball_vy: f32,
}

/// Number of 32-bit words of a [`State`].
pub const STATE_WORDS: usize = 13;

/// One environment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct State {
    /// Paddles and ball.
    pub motion: Motion,
    /// Points of the computer.
    pub score_left: u32,
    /// Points of the agent.
    pub score_right: u32,
    /// Steps since the serve.
    pub tick: u32,
    /// Paddle hits since the serve.
    pub bounces: u32,
    /// The environment's own generator.
    pub rng: CounterRng,
}

impl State {
    /// The state as 32-bit words in the order of the fields, floats as their bits.
    pub fn to_words(&self) -> [u32; STATE_WORDS] {
        let (m, r) = (&self.motion, &self.rng);
        [
            m.paddle_left_y.to_bits(),
            m.paddle_right_y.to_bits(),
            m.ball_x.to_bits(),
            m.ball_y.to_bits(),
            m.ball_vx.to_bits(),
            m.ball_vy.to_bits(),
            self.score_left,
            self.score_right,
            self.tick,
            self.bounces,
            r.key0,
            r.key1,
            r.counter,
        ]
    }

    /// The state that [`State::to_words`] wrote.
    pub fn from_words(words: &[u32; STATE_WORDS]) -> Self {
        let float = |index: usize| f32::from_bits(words[index]);
        Self {
            motion: Motion {
                paddle_left_y: float(0),
                paddle_right_y: float(1),
                ball_x: float(2),
                ball_y: float(3),
                ball_vx: float(4),
                ball_vy: float(5),
            },
            score_left: words[6],
            score_right: words[7],
            tick: words[8],
            bounces: words[9],
            rng: CounterRng { key0: words[10], key1: words[11], counter: words[12] },
        }
    }
}

/// [`Motion`] of [`LANES`] environments, one array per field, so that one instruction moves several.
#[derive(Debug, Clone, Copy, Default)]
pub struct Motions {
    paddle_left_y: [f32; LANES],
    paddle_right_y: [f32; LANES],
    ball_x: [f32; LANES],
    ball_y: [f32; LANES],
    ball_vx: [f32; LANES],
    ball_vy: [f32; LANES],
}

impl Motions {
    /// One lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Motion {
        Motion {
            paddle_left_y: self.paddle_left_y[lane],
            paddle_right_y: self.paddle_right_y[lane],
            ball_x: self.ball_x[lane],
            ball_y: self.ball_y[lane],
            ball_vx: self.ball_vx[lane],
            ball_vy: self.ball_vy[lane],
        }
    }

    /// Replace one lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, motion: Motion) {
        self.paddle_left_y[lane] = motion.paddle_left_y;
        self.paddle_right_y[lane] = motion.paddle_right_y;
        self.ball_x[lane] = motion.ball_x;
        self.ball_y[lane] = motion.ball_y;
        self.ball_vx[lane] = motion.ball_vx;
        self.ball_vy[lane] = motion.ball_vy;
    }
}
