"""Every bad input has a typed error that says what, got, expected and remedy, whichever part of the core it reaches."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import counter_rng, errors, registry, spaces
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv, ResetNeededError
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError, UnknownEnvError
from rlenv_shared.reset_pool import ResetPool
from rlenv_testing.walk import Params, Reach, Walk

pytestmark = pytest.mark.l1
RNG = counter_rng.from_seed(0, 2)


def stepped(env, action, **reset):
    env.reset(seed=0, **reset)
    return env.step(action)


TABLE = [
    # what, expected type, call
    ("seed below zero", InvalidParamsError, lambda: counter_rng.from_seed(-1)),
    ("seed of 65 bits", InvalidParamsError, lambda: counter_rng.from_seed(2**64)),
    ("negative number of streams", InvalidParamsError, lambda: counter_rng.from_seed(0, -1)),
    ("streams beyond the last", InvalidParamsError, lambda: counter_rng.from_seed(0, 2, 2**32 - 1)),
    ("draw below zero", InvalidParamsError, lambda: counter_rng.below(RNG, 0)),
    ("draw below 2**31", InvalidParamsError, lambda: counter_rng.below(RNG, 2**31)),
    ("draw below a float", InvalidParamsError, lambda: counter_rng.below(RNG, 2.5)),
    ("draw below a float array", InvalidParamsError, lambda: counter_rng.below(RNG, np.float32([2, 3]))),
    ("unknown environment", UnknownEnvError, lambda: registry.make("nobody/Nothing-v0")),
    ("environment id that is no text", UnknownEnvError, lambda: registry.make(7)),
    ("malformed environment id", InvalidParamsError, lambda: registry.register("Nothing", Walk)),
    ("empty Discrete", InvalidParamsError, lambda: spaces.Discrete(0)),
    ("reversed Box", InvalidParamsError, lambda: spaces.Box(1, -1)),
    ("NaN bound", InvalidParamsError, lambda: spaces.Box(np.nan, 1)),
    ("Box beyond its dtype", InvalidParamsError, lambda: spaces.Box(-1, 1, (2,), jnp.uint8)),
    ("Dict of no spaces", InvalidParamsError, lambda: spaces.Dict({"a": 1})),
    ("pool of size 0", InvalidParamsError, lambda: ResetPool(Walk(), 0)),
    ("pool of negative size", InvalidParamsError, lambda: ResetPool(Walk(), -5)),
    ("no environments", InvalidParamsError, lambda: GymVectorEnv(Walk(), 0)),
    ("half an environment", InvalidParamsError, lambda: GymVectorEnv(Walk(), 0.5)),
    ("unknown render mode", InvalidParamsError, lambda: GymEnv(Walk(), render_mode="ansi")),
    ("seed that is no integer", InvalidParamsError, lambda: GymEnv(Walk()).reset(seed="0")),
    ("seed below zero for Gymnasium", InvalidParamsError, lambda: GymVectorEnv(Walk(), 2).reset(seed=-1)),
    ("too few seeds", InvalidParamsError, lambda: GymVectorEnv(Walk(), 2).reset(seed=[0])),
    ("reset options", InvalidParamsError, lambda: GymEnv(Walk()).reset(options={"x": 0})),
    ("step before reset", ResetNeededError, lambda: GymEnv(Walk()).step(0)),
    ("vector step before reset", ResetNeededError, lambda: GymVectorEnv(Walk(), 2).step([0, 0])),
    ("render before reset", ResetNeededError, lambda: GymEnv(Walk(), render_mode="rgb_array").render()),
    ("action out of range", IllegalActionError, lambda: stepped(GymEnv(Walk()), 3)),
    ("negative action", IllegalActionError, lambda: stepped(GymEnv(Walk()), -1)),
    ("action of float dtype", IllegalActionError, lambda: stepped(GymEnv(Walk()), 1.0)),
    ("action with an axis", IllegalActionError, lambda: stepped(GymEnv(Walk()), [1])),
    ("ragged actions", IllegalActionError, lambda: stepped(GymVectorEnv(Walk(), 2), [[1], [1, 2]])),
    ("actions for another number", IllegalActionError, lambda: stepped(GymVectorEnv(Walk(), 2), [1, 1, 1])),
    ("NaN action", IllegalActionError, lambda: stepped(GymEnv(Reach()), [0, np.nan])),
    ("infinite action", IllegalActionError, lambda: stepped(GymEnv(Reach()), [0, np.inf])),
    ("continuous action too large", IllegalActionError, lambda: stepped(GymEnv(Reach()), [0, 5])),
]


@pytest.mark.parametrize(("what", "kind", "call"), TABLE, ids=[row[0] for row in TABLE])
def test_bad_input_raises_a_typed_error(what, kind, call):
    with pytest.raises(kind, match=r"(?s)^.+: got .+, expected .+; .+") as caught:
        call()
    assert isinstance(caught.value, EnvError)


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        (errors.InvalidParamsError, ValueError),
        (errors.IllegalActionError, ValueError),
        (errors.UnknownEnvError, KeyError),
        (errors.ReferenceUnavailableError, RuntimeError),
        (errors.SnapshotVersionError, ValueError),
        (errors.StorageError, OSError),
        (errors.DivergenceError, AssertionError),
    ],
)
def test_errors_are_those_of_python_too_and_print_their_message(kind, base):
    error = kind(errors.explain("x", got=0, expected=1, remedy="add one"))
    assert isinstance(error, EnvError)
    assert isinstance(error, base)
    assert str(error) == "x: got 0, expected 1; add one"


def test_inside_a_compiled_step_bad_actions_are_flagged_and_do_no_harm():
    walk, reach = Walk(), Reach()
    _, state = walk.reset(jax.random.key(0))
    for action in (-1, 3, 2**31 - 1, -(2**31)):
        obs, _, _, _, _, info = jax.jit(walk.step)(jax.random.key(0), state, jnp.int32(action), Params())
        assert info["illegal_action"]
        assert obs in walk.observation_space(Params())
    _, state = reach.reset(jax.random.key(0))
    _, _, reward, _, _, info = jax.jit(reach.step)(jax.random.key(0), state, jnp.float32([0, np.nan]))
    assert info["illegal_action"]
    assert np.isfinite(reward)
