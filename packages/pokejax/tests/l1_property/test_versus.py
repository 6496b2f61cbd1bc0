"""L1: one seat against opponents is the battle of two, with the other seat's choices made by the opponents' rules."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax.engine import ENGINE
from pokejax.learning.versus import Versus, VersusState
from pokejax.opponents import PLAYERS
from pokejax.rules.flow.queue import NUM_ACTIONS, PASS
from pokejax.state import LAYOUT
from pokejax.verification.battles import CHUNK, programs, random_legal
from rlenv_emit.env import bytecode_env
from rlenv_shared import compiling, counter_rng
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
MET = ("random", "heuristics")
DECISIONS = 45


@functools.cache
def compiled():
    env = bytecode_env(Versus(MET))
    begin = compiling.jit(jax.vmap(env.init, (0, None)), ENGINE)
    look = compiling.jit(
        jax.vmap(lambda *given: (env.legal_actions(*given), env.to_act(given[0])[0]), (0, None)), ENGINE
    )
    step = compiling.jit(jax.vmap(lambda *given: env.step_env(None, *given)[1:4], (0, 0, None)), ENGINE)
    return env, begin, look, step


@functools.cache
def replies():
    """Both seats' choices of each opponent, ``[CHUNK, opponents, 2]``."""
    env = Versus(MET)

    def of(state, params):
        word, _ = counter_rng.bits(env._chance(state))
        return jnp.stack(
            [jnp.stack([PLAYERS[name](state, seat, params, word) for seat in (0, 1)]) for name in MET]
        ).astype(jnp.int32)

    return compiling.jit(jax.vmap(of, (0, None)), ENGINE)


def by_hand(state, actions, params):
    """A step of each battle by the program of two seats: ``(state, reward, ended)``."""
    run, rows = programs("native"), np.arange(CHUNK)
    words, seats, opponents = state.battle, np.asarray(state.seat), np.asarray(state.opponent)
    before = np.asarray(LAYOUT.view([np.asarray(word) for word in words]).time)
    reward, ended, first = np.zeros(CHUNK, np.float32), np.zeros(CHUNK, bool), True
    going = np.ones(CHUNK, bool)
    while going.any():
        both = np.asarray(run.look(words, params))
        others = np.asarray(replies()(words, params))[rows, opponents, 1 - seats]
        joint = np.full((CHUNK, 2), PASS, np.int32)
        joint[rows, 1 - seats] = np.where(both[rows, 1 - seats, PASS], PASS, others)
        joint[rows, seats] = actions if first else PASS
        after, rewards, over = run.step(words, joint, params)
        after = with_time(after, before)
        words = tuple(np.where(going, new, old) for new, old in zip(after, words, strict=True))
        reward += np.where(going, np.asarray(rewards)[rows, seats], 0)
        ended |= going & np.asarray(over)
        asks = ~np.asarray(run.look(words, params))[rows, seats, PASS]
        going, first = going & ~asks & ~ended, False
    return VersusState(with_time(words, before + 1), seats, opponents), reward, ended


def with_time(words, time):
    """The same states after another number of steps."""
    view = LAYOUT.view([np.asarray(word) for word in words])
    view.time = time
    return view.words()


def test_a_step_is_that_of_the_battle_with_the_opponents_choice():
    env, begin, look, step = compiled()
    params, rng = jax.device_put(env.default_params), np.random.default_rng(5)
    words = tuple(rng.integers(0, 2**32, CHUNK, np.uint32) for _ in range(2))
    state = begin(words, params)
    assert not np.asarray(look(state, params)[1]).any()
    seats, opponents = np.asarray(state.seat), np.asarray(state.opponent)
    assert all(0.2 < share < 0.8 for share in (seats.mean(), opponents.mean()))
    ended = np.zeros(CHUNK, bool)
    for _ in range(DECISIONS):
        masks, _ = map(np.asarray, look(state, params))
        actions = random_legal(rng, masks)
        expected, reward, over = by_hand(state, actions, params.battle)
        state, got, terminated = step(state, actions, params)
        playing = ~ended
        np.testing.assert_array_equal(np.asarray(got)[playing], reward[playing])
        np.testing.assert_array_equal(np.asarray(terminated)[playing], over[playing])
        for name, one, other in zip(VersusState._fields, state, expected, strict=True):
            for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
                if name != "battle" or a.ndim != 1:
                    continue
                np.testing.assert_array_equal(np.asarray(a)[playing], np.asarray(b)[playing])
        ended |= np.asarray(terminated)
        asked = np.asarray(look(state, params)[1])
        assert (asked | ended).all()
    assert ended.sum() > CHUNK // 4


def test_opponents_are_met_as_often_as_their_shares_say():
    env, begin, *_ = compiled()
    params = jax.device_put(env.default_params.replace(shares=np.array([0.1, 0.9], np.float32)))
    rng = np.random.default_rng(6)
    met = np.concatenate([
        np.asarray(begin(tuple(rng.integers(0, 2**32, CHUNK, np.uint32) for _ in range(2)), params).opponent)
        for _ in range(20)
    ])  # fmt: skip
    assert met.mean() == pytest.approx(0.9, abs=4 * (0.09 / len(met)) ** 0.5)
    for share, only in (([1, 0], 0), ([0, 1], 1)):
        params = jax.device_put(env.default_params.replace(shares=np.array(share, np.float32)))
        words = tuple(rng.integers(0, 2**32, CHUNK, np.uint32) for _ in range(2))
        assert (np.asarray(begin(words, params).opponent) == only).all()


@pytest.mark.parametrize("opponents", [(), ("nobody",), ("random", "nobody")])
def test_unknown_opponents_are_refused(opponents):
    with pytest.raises(InvalidParamsError, match="heuristics-meant"):
        Versus(opponents)


def test_the_space_has_what_is_observed():
    env = Versus(MET)
    params = env.default_params
    state = jax.eval_shape(env.init, (jax.ShapeDtypeStruct((), jnp.uint32),) * 2, params)
    seen = jax.eval_shape(lambda state: env.observe(state, None, params), state)
    spaces = env.observation_space(params).spaces
    assert {name: (leaf.shape, leaf.dtype) for name, leaf in seen.items()} == {
        name: (tuple(space.shape), space.dtype) for name, space in spaces.items()
    }
    assert env.action_space(params).n == NUM_ACTIONS
