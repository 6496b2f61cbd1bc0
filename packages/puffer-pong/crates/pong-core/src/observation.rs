//! The eight numbers an agent sees.  Source: `compute_observations` of `pong.h`.

use crate::params::Field;
use crate::state::Motion;

/// Length of an observation.
pub const OBSERVATION_SIZE: usize = 8;

/// One observation: paddles (left, right), ball x, y, vx, vy, scores (left, right); all but the ball in [0, 1].
pub type Observation = [f32; OBSERVATION_SIZE];

/// Observe one environment.
#[inline(always)]
pub fn observe(motion: Motion, score_left: u32, score_right: u32, field: &Field) -> Observation {
    let p = &field.params;
    let paddle_range = field.max_paddle_y - field.min_paddle_y;
    [
        (motion.paddle_left_y - field.min_paddle_y) / paddle_range,
        (motion.paddle_right_y - field.min_paddle_y) / paddle_range,
        motion.ball_x / p.width,
        motion.ball_y / p.height,
        (motion.ball_vx + p.ball_initial_speed_x) / (2.0 * p.ball_initial_speed_x),
        (motion.ball_vy + p.ball_max_speed_y) / (2.0 * p.ball_max_speed_y),
        score(score_left, field),
        score(score_right, field),
    ]
}

/// The original divides unsigned integers: every score below the maximum is observed as 0.
#[inline(always)]
fn score(points: u32, field: &Field) -> f32 {
    if field.params.float_scores { points as f32 / field.params.max_score as f32 } else { 0.0 }
}
