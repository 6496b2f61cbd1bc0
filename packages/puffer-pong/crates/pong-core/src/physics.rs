//! The rules of one frame, each a function.  Source: `pong.h` of PufferLib 3.0.0, `c_step` and `reset_round`.
//!
//! All arithmetic is f32 in the order of the C code and is never contracted.  A C `fminf`/`fmaxf` pair is
//! [`clamp`], which treats equal zeros and NaN as glibc does.

use crate::params::Field;
use crate::state::Motion;

/// Reward of a point for the agent; a point for the computer is the negative.
pub const POINT_REWARD: f32 = 1.0;
/// Reward of hitting the ball.
pub const HIT_REWARD: f32 = 0.1;
/// Vertical speed up to which a ball counts as horizontal after a hit.  C compares with the double 0.01, which lies
/// between this float and the next, so its `<` is `<=` here.
const HORIZONTAL: f32 = 0.01;

/// Who scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The computer.
    Left,
    /// The agent.
    Right,
}

/// What happens where the ball crosses the left or right edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Crossing {
    /// A paddle returned the ball; the agent's paddle earns a reward, the computer's leaves the step's as it is.
    Return(Motion, Option<f32>),
    /// Nobody returned it: a point, and the round is over.
    Point(Side),
}

/// `fminf(fmaxf(value, low), high)`.
#[inline(always)]
fn clamp(value: f32, low: f32, high: f32) -> f32 {
    let raised = if value > low { value } else { low };
    if raised < high { raised } else { high }
}

/// Paddles in the middle, ball served to the agent: half of the serves are horizontal, half descend.
pub fn serve(field: &Field, rand: u32) -> Motion {
    let p = &field.params;
    let paddle = p.height / 2.0 - p.paddle_height / 2.0;
    Motion {
        paddle_left_y: paddle,
        paddle_right_y: paddle,
        ball_x: p.width / 5.0,
        ball_y: p.height / 2.0 - p.ball_height / 2.0,
        ball_vx: p.ball_initial_speed_x,
        ball_vy: ((rand % 2) as f32 - 1.0) * p.ball_initial_speed_y,
    }
}

/// Everything that moves in a frame: paddles, ball, and the bounce off the upper and lower wall.
#[inline(always)]
pub fn advance(motion: Motion, direction: f32, field: &Field) -> Motion {
    let p = &field.params;
    let agent = motion.paddle_right_y + p.paddle_speed * direction;
    // The computer follows the ball's lower edge, before the ball moves.
    let offset = motion.ball_y - (motion.paddle_left_y + field.half_paddle);
    let computer = motion.paddle_left_y + clamp(offset, -p.paddle_speed, p.paddle_speed);
    let ball_y = motion.ball_y + motion.ball_vy;
    // The wall turns the ball round but does not put it back into the field.
    let outside = (ball_y < 0.0) | (ball_y + p.ball_height > p.height);
    Motion {
        paddle_left_y: clamp(computer, field.min_paddle_y, field.max_paddle_y),
        paddle_right_y: clamp(agent, field.min_paddle_y, field.max_paddle_y),
        ball_x: motion.ball_x + motion.ball_vx,
        ball_y,
        ball_vx: motion.ball_vx,
        ball_vy: if outside { -motion.ball_vy } else { motion.ball_vy },
    }
}

/// Whether the ball is beyond the left or right edge, so that [`cross`] decides.
#[inline(always)]
pub fn at_edge(motion: Motion, field: &Field) -> bool {
    (motion.ball_x < 0.0) | (motion.ball_x + field.params.ball_width > field.params.width)
}

/// A paddle returns a ball that overlaps it; otherwise the other side scores.
pub fn cross(motion: Motion, direction: f32, field: &Field) -> Crossing {
    let left = motion.ball_x < 0.0;
    let paddle = if left { motion.paddle_left_y } else { motion.paddle_right_y };
    match (overlaps(motion.ball_y, paddle, field), left) {
        (true, true) => Crossing::Return(Motion { ball_vx: -motion.ball_vx, ..motion }, None),
        (true, false) => Crossing::Return(hit_by_agent(motion, direction, field), Some(HIT_REWARD)),
        (false, true) => Crossing::Point(Side::Right),
        (false, false) => Crossing::Point(Side::Left),
    }
}

fn overlaps(ball_y: f32, paddle: f32, field: &Field) -> bool {
    ball_y + field.params.ball_height > paddle && ball_y < paddle + field.params.paddle_height
}

/// A moving paddle changes the ball's vertical speed; a horizontal ball is sent upwards; the ball is put back.
fn hit_by_agent(motion: Motion, direction: f32, field: &Field) -> Motion {
    let p = &field.params;
    let turned = motion.ball_vy + p.ball_speed_y_increment * direction;
    let limited = clamp(turned, -p.ball_max_speed_y, p.ball_max_speed_y);
    Motion {
        ball_x: clamp(motion.ball_x, 0.0, p.width - p.ball_width),
        ball_y: clamp(motion.ball_y, 0.0, p.height - p.ball_height),
        ball_vx: -motion.ball_vx,
        ball_vy: if limited.abs() <= HORIZONTAL { p.ball_speed_y_increment } else { limited },
        ..motion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn horizontal_threshold_is_that_of_the_double() {
        for bits in HORIZONTAL.to_bits() - 2..=HORIZONTAL.to_bits() + 2 {
            let speed = f32::from_bits(bits);
            assert_eq!(speed <= HORIZONTAL, f64::from(speed) < 0.01, "{speed}");
        }
    }
}
