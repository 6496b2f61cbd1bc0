//! Parameters of the game, their validation, and what is derived from them once.

use crate::error::PongError;

/// Largest length or speed: beyond 2**24 a float32 no longer resolves one pixel.
pub const MAX_LENGTH: f32 = 16_777_216.0;

/// Everything that PufferLib's constructor takes, with its defaults.  Lengths are pixels, speeds pixels per frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Width of the field.
    pub width: f32,
    /// Height of the field.
    pub height: f32,
    /// Width of a paddle: drawing only, the ball meets a paddle at the field's edge.
    pub paddle_width: f32,
    /// Height of a paddle.
    pub paddle_height: f32,
    /// Width of the ball.
    pub ball_width: f32,
    /// Height of the ball.
    pub ball_height: f32,
    /// Most that a paddle moves in a frame.
    pub paddle_speed: f32,
    /// Horizontal speed of the ball, always; served to the right if positive.
    pub ball_initial_speed_x: f32,
    /// Downward speed of half of the serves; the other half is horizontal.
    pub ball_initial_speed_y: f32,
    /// Largest vertical speed after a hit by the agent.
    pub ball_max_speed_y: f32,
    /// What a hit by a moving agent adds to the vertical speed.
    pub ball_speed_y_increment: f32,
    /// Points that end an episode.
    pub max_score: u32,
    /// Frames per step.
    pub frameskip: u32,
    /// Observe `score / max_score` as a fraction; the original divides integers, which always gives 0.
    pub float_scores: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            width: 500.0,
            height: 640.0,
            paddle_width: 20.0,
            paddle_height: 70.0,
            ball_width: 32.0,
            ball_height: 32.0,
            paddle_speed: 8.0,
            ball_initial_speed_x: 10.0,
            ball_initial_speed_y: 1.0,
            ball_max_speed_y: 13.0,
            ball_speed_y_increment: 3.0,
            max_score: 21,
            frameskip: 1,
            float_scores: false,
        }
    }
}

/// Validated parameters and the constants that follow from them.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub(crate) params: Params,
    /// Lowest position of a paddle's lower edge: half of the paddle may leave the field.
    pub(crate) min_paddle_y: f32,
    /// Highest position of a paddle's lower edge.
    pub(crate) max_paddle_y: f32,
    /// Half a paddle.
    pub(crate) half_paddle: f32,
}

impl Field {
    /// Validate parameters.
    ///
    /// # Errors
    /// [`PongError::InvalidParameter`] names the first parameter with which the game cannot be played.
    pub fn new(params: Params) -> Result<Self, PongError> {
        let p = params;
        for (name, value) in [
            ("width", p.width),
            ("height", p.height),
            ("paddle_width", p.paddle_width),
            ("paddle_height", p.paddle_height),
            ("ball_width", p.ball_width),
            ("ball_height", p.ball_height),
            ("ball_max_speed_y", p.ball_max_speed_y),
        ] {
            let remedy = "pass a positive number of pixels";
            require(value > 0.0 && value <= MAX_LENGTH, name, value, "a number in (0, 2**24]", remedy)?;
        }
        let speeds = "a number in [0, 2**24]";
        require(
            (0.0..=MAX_LENGTH).contains(&p.paddle_speed),
            "paddle_speed",
            p.paddle_speed,
            speeds,
            "pass its absolute value",
        )?;
        for (name, value) in [
            ("ball_initial_speed_x", p.ball_initial_speed_x),
            ("ball_initial_speed_y", p.ball_initial_speed_y),
            ("ball_speed_y_increment", p.ball_speed_y_increment),
        ] {
            require(value.abs() <= MAX_LENGTH, name, value, "a number in [-2**24, 2**24]", "pass pixels per frame")?;
        }
        let moving = "a number other than 0";
        require(
            p.ball_initial_speed_x != 0.0,
            "ball_initial_speed_x",
            p.ball_initial_speed_x,
            moving,
            "let the ball move",
        )?;
        for (name, value) in [("max_score", p.max_score), ("frameskip", p.frameskip)] {
            require(
                value >= 1 && value <= i32::MAX as u32,
                name,
                value,
                "an integer in [1, 2**31)",
                "pass at least 1",
            )?;
        }
        let fits = "at most the field's height";
        require(p.paddle_height <= p.height, "paddle_height", p.paddle_height, fits, "shorten the paddle")?;
        require(p.ball_height <= p.height, "ball_height", p.ball_height, fits, "shrink the ball")?;
        require(p.ball_width < p.width, "ball_width", p.ball_width, "less than the field's width", "shrink the ball")?;
        // A point on the first frame after a serve would leave the agent with an observation of the round before.
        let first_x = p.width / 5.0 + p.ball_initial_speed_x;
        require(
            first_x >= 0.0 && first_x + p.ball_width <= p.width,
            "ball_initial_speed_x",
            p.ball_initial_speed_x,
            "a serve from a fifth of the width that stays in the field on its first frame",
            "slow the ball down, shrink it, or widen the field",
        )?;
        Ok(Self {
            params,
            min_paddle_y: -p.paddle_height / 2.0,
            max_paddle_y: p.height - p.paddle_height / 2.0,
            half_paddle: p.paddle_height / 2.0,
        })
    }

    /// The parameters as they were given.
    pub fn params(&self) -> &Params {
        &self.params
    }
}

fn require(
    ok: bool,
    name: &'static str,
    got: impl std::fmt::Display,
    expected: &'static str,
    remedy: &'static str,
) -> Result<(), PongError> {
    if ok { Ok(()) } else { Err(PongError::InvalidParameter { name, got: got.to_string(), expected, remedy }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(change: impl Fn(&mut Params)) -> &'static str {
        let mut params = Params::default();
        change(&mut params);
        match Field::new(params) {
            Err(PongError::InvalidParameter { name, .. }) => name,
            other => panic!("expected an invalid parameter, got {other:?}"),
        }
    }

    #[test]
    fn defaults_are_valid() {
        let field = Field::new(Params::default()).expect("defaults");
        assert_eq!((field.min_paddle_y, field.max_paddle_y, field.half_paddle), (-35.0, 605.0, 35.0));
    }

    #[test]
    fn impossible_parameters_are_named() {
        assert_eq!(rejected(|p| p.frameskip = 0), "frameskip");
        assert_eq!(rejected(|p| p.max_score = 0), "max_score");
        assert_eq!(rejected(|p| p.width = -1.0), "width");
        assert_eq!(rejected(|p| p.height = f32::NAN), "height");
        assert_eq!(rejected(|p| p.ball_max_speed_y = 0.0), "ball_max_speed_y");
        assert_eq!(rejected(|p| p.paddle_speed = f32::INFINITY), "paddle_speed");
        assert_eq!(rejected(|p| p.paddle_height = 641.0), "paddle_height");
        assert_eq!(rejected(|p| p.ball_height = 641.0), "ball_height");
        assert_eq!(rejected(|p| p.ball_width = 500.0), "ball_width");
        assert_eq!(rejected(|p| p.ball_speed_y_increment = f32::NAN), "ball_speed_y_increment");
        for speed in [0.0, 369.0, -101.0] {
            assert_eq!(rejected(|p| p.ball_initial_speed_x = speed), "ball_initial_speed_x");
        }
    }
}
