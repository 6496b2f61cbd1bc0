"""What a comparison with Gymnasium may differ by, and why."""

from __future__ import annotations

from rlenv_shared.verification.compare import Tolerance

# One step from the reference's state, four evaluations of the rates of change.  float64: sines in place of shifted
# cosines, quotients regrouped, XLA's sine and cosine; fast links multiply a first error of an ulp by thousands.
F64_STEP = Tolerance("F64_STEP", atol=1e-12)
# float32: the given state is rounded first; a speed up to 28 rad/s has an ulp of 2e-6, and four stages round.
F32_SPEED = Tolerance("F32_SPEED", atol=2e-5)
F32_ANGLE = Tolerance("F32_ANGLE", atol=5e-6)  # cosine and sine of an angle
# Heights (m) so near the line that float32 cannot tell on which side they are; such steps are left out and counted.
F32_HEIGHT = 1e-5
# 50 steps without synchronising: while it only swings errors hardly grow.
F64_FREE = Tolerance("F64_FREE", atol=1e-12)
# The observation is the float64 state rounded to float32: it may differ by what the state may, and by one rounding.
F64_STEP_OBS = Tolerance("F64_STEP_OBS", atol=F64_STEP.atol, ulp=1)
F64_FREE_OBS = Tolerance("F64_FREE_OBS", atol=F64_FREE.atol, ulp=1)

STEP_TOLERANCES = {
    "float64": {"state.*": F64_STEP, "obs": F64_STEP_OBS},
    "float32": {"state.*": F32_SPEED, "obs": F32_ANGLE, "obs[4]": F32_SPEED, "obs[5]": F32_SPEED},
}
# In float32 an angle may be a whole turn from the reference's where that is one ulp from half a turn; the observation
# shows it all the same.
NOT_COMPARED = {"float64": ("rng.*",), "float32": ("rng.*", "state.theta*")}
NO_GENERATOR = {"rng.0": 0, "rng.1": 0, "rng.2": 0}  # a raw step draws nothing
