"""What a comparison with Gymnasium may differ by, and why."""

from __future__ import annotations

from rlenv_shared.verification.compare import Tolerance

# One step from the reference's state.  float64: XLA multiplies by reciprocals where NumPy divides, and its sin and cos
# differ in the last bit; states are below 4, so this is 22 ulp at most.
F64_STEP = Tolerance("F64_STEP", atol=1e-14)
# float32: the given state is rounded first; two ulp of values between 2 and 4.
F32_STEP = Tolerance("F32_STEP", atol=5e-7)
# 100 steps without synchronising: the pole falls as exp(4 t/s), which multiplies a first error by 3,000 in 2 s.
F64_100_STEPS = Tolerance("F64_100_STEPS", atol=1e-12)
# The observation is the float64 state rounded to float32: it may differ by what the state may, and by one rounding.
F64_STEP_OBS = Tolerance("F64_STEP_OBS", atol=F64_STEP.atol, ulp=1)
F64_100_STEPS_OBS = Tolerance("F64_100_STEPS_OBS", atol=F64_100_STEPS.atol, ulp=1)

STEP_TOLERANCES = {
    "float64": {"state.*": F64_STEP, "obs": F64_STEP_OBS},
    "float32": {"state.*": F32_STEP, "obs": F32_STEP},
}
NO_GENERATOR = {"rng.0": 0, "rng.1": 0, "rng.2": 0}  # a raw step draws nothing
