"""L2: what MuJoCo makes of unusual options, on, just below and just above each of its constants; baked in and traced.

Options that no step could work with are refused (``tests/l1_property/test_bad_input.py``).
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import EnvParams, model
from halfcheetah_jax.softness import LEAST_IMPEDANCE, LEAST_VALUE, MOST_IMPEDANCE, impedance, softness
from halfcheetah_jax.verification.states import States, draw, error, ours, theirs
from rlenv_testing import quick

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(900)]

TOL = 1e-9  # as for the default model
STATES = 24


def beside(*values):
    """Each value and the doubles next to it."""
    return [float(np.nextafter(v, way)) if way is not None else v for v in values for way in (None, -np.inf, np.inf)]


RANDOM = np.random.default_rng(5)
SOLIMP = [  # number by number around what MuJoCo clips it to, then at random
    *((d, 0.8, 0.01, 0.5, 2.0) for d in beside(LEAST_IMPEDANCE, MOST_IMPEDANCE, 0.8, 0.0, -1.0, 1.0, 3.0)),
    *((0.1, d, 0.01, 0.5, 2.0) for d in beside(LEAST_IMPEDANCE, MOST_IMPEDANCE, 0.1, 0.0, -1.0, 1.0, 3.0)),
    *((0.1, 0.9, w, 0.5, 2.0) for w in beside(0.0, LEAST_VALUE, -LEAST_VALUE, -1.0, 1e-9, 0.3)),
    *((0.1, 0.9, 0.02, m, 3.0) for m in beside(LEAST_IMPEDANCE, MOST_IMPEDANCE, 0.0, 1.0, -2.0, 2.0)),
    *((0.1, 0.9, 0.02, 0.4, p) for p in beside(1.0, 2.0, 0.0, -3.0, 40.0)),
    *((0.1, 0.9, 0.02, m, p) for m, p in [(0.5, 1023.0), (0.4, 774.0), (0.6, 774.0), (1e-4, 77.0), (0.9999, 77.0)]),
    *map(tuple, RANDOM.uniform((-0.3, -0.3, -0.01, -0.3, -1), (1.3, 1.3, 0.05, 1.3, 6), (40, 5)).tolist()),
]
SOLREF = [
    *itertools.product((0.02, 0.0, -300.0, 1e-9, -1e-9), (1.0, 0.0, -20.0, 1e-9, -1e-9)),
    *((t, 1.0) for t in beside(2 * model.TIME_STEP, 5e-324)),
    *((-100.0, b) for b in beside(-1.0)),
    *map(tuple, RANDOM.uniform((-400, -40), (0, 0), (20, 2)).tolist()),
    *map(tuple, RANDOM.uniform((0.005, 0.1), (0.2, 3), (20, 2)).tolist()),
]


def changes_of(kind, what, value):
    field = "geom" if kind == "contact" else "jnt"
    return {f"{field}_{what}": np.tile(value, (9, 1))}


@pytest.mark.parametrize("what", ["solref", "solimp"])
@pytest.mark.parametrize("kind", ["contact", "limit"])
def test_softness_of_any_numbers_is_that_of_mujoco(x64, kind, what):
    """One substep from falling and bent cheetahs for each of 74 and 138 values; every state's are its own, traced."""
    values = SOLREF if what == "solref" else SOLIMP
    states = draw("limits" if kind == "limit" else "deep", STATES, seed=8)
    many = States(*(np.tile(field, (len(values), 1)) for field in states))
    params = [EnvParams(**{f"{kind}_{what}": value}) for value in values]
    own = jax.tree.map(lambda *leaves: np.repeat(np.float64(leaves), STATES), *params)
    got = ours(many, jnp.float64, own, each=True, compile_options=quick.UNFUSED)
    for number, value in enumerate(values):
        mine = {name: array[number * STATES :][:STATES] for name, array in got.items()}
        expected = theirs(states, changes_of(kind, what, value))
        goes_on = np.abs(expected["qacc"]).max(axis=1) <= model.MAX_VALUE  # MuJoCo starts anew elsewhere
        for name in ("qacc", f"{kind}_D", "qvel", "qpos"):
            compared = goes_on if name in ("qvel", "qpos") else slice(None)
            found = error(name, mine[name][compared], expected[name][compared])
            assert found.max(initial=0) <= TOL, (value, name)


def test_numbers_of_python_and_traced_ones_are_as_soft(x64):
    """The formulas of constants of the program, which MuJoCo's results above hold for traced ones."""
    depth = -jnp.asarray([0.0, 1e-16, 1e-9, 0.003, 0.01, 0.02, 0.1])

    def all_of(solref, solimp, step):
        soft = softness(solref, solimp, step)
        return jnp.stack([*(jnp.zeros_like(depth) + n for n in soft[:4]), impedance(depth, soft)])

    traced = jax.jit(all_of)
    for solref, solimp in [*((r, model.CONTACT_SOLIMP) for r in SOLREF), *((model.SOLREF, i) for i in SOLIMP)]:
        expected = traced(jax.tree.map(jnp.float64, solref), jax.tree.map(jnp.float64, solimp), jnp.float64(0.01))
        np.testing.assert_allclose(all_of(solref, solimp, 0.01), expected, rtol=1e-12, err_msg=str((solref, solimp)))
