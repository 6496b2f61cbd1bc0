//! Actions in the element types that callers have, and the paddle direction each one means.

/// How elements of an action buffer are read.
pub trait Action: Sync {
    /// Element type of the buffer.
    type Raw: Copy + Send + Sync + std::fmt::Display;
    /// The legal values, in words.
    const EXPECTED: &'static str;
    /// Whether the environment accepts the value.
    fn is_legal(raw: Self::Raw) -> bool;
    /// Direction of the agent's paddle: 1 up, -1 down, 0 still.
    fn direction(raw: Self::Raw) -> f32;
}

macro_rules! discrete {
    ($name:ident, $raw:ty, $one:literal, $two:literal) => {
        #[doc = concat!("0 still, 1 up, 2 down, as `", stringify!($raw), "`.")]
        pub struct $name;

        impl Action for $name {
            type Raw = $raw;
            const EXPECTED: &'static str = "0 (still), 1 (up) or 2 (down)";

            fn is_legal(raw: $raw) -> bool {
                raw == <$raw>::default() || raw == $one || raw == $two
            }

            #[inline(always)]
            fn direction(raw: $raw) -> f32 {
                (raw == $one) as u8 as f32 - (raw == $two) as u8 as f32
            }
        }
    };
}

discrete!(DiscreteI64, i64, 1, 2);
discrete!(DiscreteI32, i32, 1, 2);
discrete!(DiscreteF32, f32, 1.0, 2.0);

/// A direction between -1 and 1; values beyond are clipped, as PufferLib's Python wrapper does.
pub struct Continuous;

impl Action for Continuous {
    type Raw = f32;
    const EXPECTED: &'static str = "a number (clipped to [-1, 1])";

    fn is_legal(raw: f32) -> bool {
        !raw.is_nan()
    }

    #[inline(always)]
    fn direction(raw: f32) -> f32 {
        raw.clamp(-1.0, 1.0)
    }
}
