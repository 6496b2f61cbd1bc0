"""L2: changed parameters against MuJoCo with the same changed model, baked in and traced."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import EnvParams, model
from halfcheetah_jax.verification.states import draw, error, ours, theirs

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(600)]

TOL = 1e-9  # as for the default model


def scaled(values, seed):
    factors = np.random.default_rng(seed).uniform(0.5, 1.5, len(values))
    return tuple(float(v * f) for v, f in zip(values, factors, strict=True))


MASS, DAMPING, GEAR = scaled(model.MASS, 1), scaled(model.DAMPING, 2), scaled(model.GEAR, 3)
CASES = {
    "mass": ({"mass": MASS}, {"body_mass": [0, *MASS]}),
    "damping": ({"damping": DAMPING}, {"dof_damping": np.array([0, 0, 0, *DAMPING])}),
    "gear": ({"gear": GEAR}, {"actuator_gear": np.array([[g, 0, 0, 0, 0, 0] for g in GEAR])}),
    "gravity": ({"gravity": 1.62}, {"opt.gravity": [0, 0, -1.62]}),
    "friction": ({"friction": 0.9}, {"geom_friction": [0.9, 0.1, 0.1]}),
}


@pytest.mark.parametrize("case", CASES)
def test_changed_model(case):
    params, changes = CASES[case]
    states = draw("tumble", 512, seed=8)
    expected, default = theirs(states, changes), theirs(states)
    assert error("qvel", default["qvel"], expected["qvel"]).max() > 1e-3  # the change matters
    with jax.enable_x64(True):
        changed = EnvParams(**params)
        got = ours(states, jnp.float64, jax.tree.map(jnp.float64, changed))
    for name in ("qacc", "qvel", "qpos", "contact_D", "bias"):
        assert error(name, got[name], expected[name]).max() <= TOL, name
