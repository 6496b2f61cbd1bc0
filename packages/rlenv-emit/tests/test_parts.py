"""Steps in parts give the words of the step as one function, however a batch is made."""

import dataclasses
import sys
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit_env, folder
from rlenv_emit.processor import BYTECODE
from rlenv_shared import counter_rng, spaces
from rlenv_shared.env import Env
from rlenv_shared.struct import pytree_dataclass
from rlenv_shared.wrapper import Wrapper

BATCH = 37
TARGET = 40


@pytree_dataclass
class State:
    points: Any
    rolls: Any
    time: Any
    rng: Any


@pytree_dataclass
class Params:
    safe: Any = 3
    max_steps_in_episode: Any = 5


class Throw(NamedTuple):
    state: State
    bold: Any
    begins: Any


@dataclasses.dataclass(frozen=True)
class Dice(Env):
    """Throw a die until it shows the safe number or less, for the bold half of it; nobody throws beyond a target."""

    version: ClassVar[int] = 0
    name: ClassVar[str] = "emit/Dice-v0"
    num_actions: ClassVar[int] = 2
    steps_in_parts: ClassVar[bool] = True

    @property
    def default_params(self):
        return Params()

    def begin(self, generator, params):
        return State(jnp.int32(0), jnp.int32(0), jnp.int32(0), generator)

    def begin_step(self, state, action, params):
        return Throw(state, action == 1, state.points < TARGET // 2)

    def goes_on(self, under_way):
        return under_way.begins

    def go_on(self, under_way, params):
        word, rng = counter_rng.bits(under_way.state.rng)
        die = (word >> np.uint32(8)).astype(jnp.int32) % 6 + 1
        safe = params.safe // (1 + under_way.bold.astype(jnp.int32))
        state = under_way.state
        thrown = State(state.points + die, state.rolls + 1, state.time, rng)
        return Throw(thrown, under_way.bold, (die > safe) & (thrown.points < TARGET))

    def kind_of_part(self, under_way, params):
        return under_way.state.points - 100  # negative ones are kinds, too

    def end_step(self, under_way, params):
        state = dataclasses.replace(under_way.state, time=under_way.state.time + 1)
        return state, state.rolls.astype(jnp.float32), state.points >= TARGET, {"bold": under_way.bold}

    def transition(self, state, action, params):
        under_way = self.begin_step(state, action, params)
        thrown = jax.lax.while_loop(self.goes_on, lambda throw: self.go_on(throw, params), under_way)
        return self.end_step(thrown, params)

    def elapsed(self, state):
        return state.time

    def generator(self, state):
        return state.rng

    def alike(self, state, action, params):
        return action

    def observe(self, state, player, params):
        return state.points

    def action_space(self, params):
        return spaces.Discrete(2)

    def observation_space(self, params):
        return spaces.Box(0, TARGET + 6, (), np.int32)


def played(env, batch, params, steps=12):
    """Results of the steps of a batch of this shape."""
    size = int(np.prod(batch))
    shaped = lambda tree: jax.tree.map(lambda leaf: leaf.reshape(*batch, *leaf.shape[1:]), tree)  # noqa: E731
    state = shaped(jax.vmap(env.init, (0, None))(tuple(map(jnp.asarray, counter_rng.seed_words(3, size))), params))
    step = lambda state, action: env.step(None, state, action, params)  # noqa: E731
    for _ in batch:
        step = jax.vmap(step)
    step, found = jax.jit(step), []
    for number in range(steps):
        action = shaped(jax.random.randint(jax.random.key(number), (size,), 0, 2))
        found.append(step(state, action))
        state = found[-1][1]
    return jax.tree.map(np.asarray, found)


@pytest.mark.parametrize("form", [None, BYTECODE.name], ids=["native", "bytecode"])
@pytest.mark.parametrize("batch", [(), (1,), (BATCH,), (3, 5)], ids=["one", "batch-of-one", "batch", "nested"])
@pytest.mark.parametrize("params", [Params(), Params(safe=jnp.int32(2))], ids=["constants", "arrays"])
def test_steps_in_parts_are_the_steps(form, batch, params):
    env = Dice()
    ours = played(emit_env(env, form=form, threads=2), batch, params)
    jax.tree.map(np.testing.assert_array_equal, ours, played(env, batch, params))
    rewards = np.stack([step[2] for step in ours])
    assert batch != (BATCH,) or (np.unique(rewards).size > 10 and any(step[3].any() for step in ours))


def test_every_kind_of_step_is_made_of_parts():
    env, params = Dice(), Params()
    emitted = emit_env(env)
    state = jax.vmap(env.init, (0, None))(tuple(map(jnp.asarray, counter_rng.seed_words(4, BATCH))), params)
    action = jnp.arange(BATCH, dtype=jnp.int32) % 2
    for name, key in (("transition", ()), ("advance", ()), ("step_env", (None,)), ("step", (None,))):
        axes = (*(None for _ in key), 0, 0, None)
        theirs, ours = (
            jax.vmap(lambda *given, one=one, name=name: getattr(one, name)(*given), axes)(*key, state, action, params)
            for one in (env, emitted)
        )
        jax.tree.map(np.testing.assert_array_equal, theirs, ours)


def test_what_is_seen_of_a_large_environment_is_emitted_too():
    env, params = Dice(), Params()
    state = jax.vmap(env.init, (0, None))(tuple(map(jnp.asarray, counter_rng.seed_words(4, BATCH))), params)
    emitted = emit_env(env, threads=1)
    for look in (lambda one, state: one.observe(state, 0, params), lambda one, state: one.view(state, params)):
        seen = jax.jit(jax.vmap(lambda state, look=look: look(emitted, state)))
        assert "custom_call" in seen.lower(state).as_text()
        np.testing.assert_array_equal(seen(state), jax.vmap(lambda state, look=look: look(env, state))(state))


def test_what_was_traced_changes_no_identity(monkeypatch, tmp_path):
    """Else the next process, which traces nothing, looks for other names than the first one kept."""
    emitting, told = sys.modules["rlenv_emit.emit"], []
    of = emitting.identity_of
    monkeypatch.setattr(emitting, "identity_of", lambda *values: told.append(of(*values)) or told[-1])
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    for _ in range(2):
        played(emit_env(Dice(), form=BYTECODE.name), (3,), Params(), steps=1)
    first, again = told[: len(told) // 2], told[len(told) // 2 :]
    assert len(first) >= 4
    assert None not in first
    assert first == again


def test_a_wrapper_has_steps_of_its_own():
    """What its steps do besides is no part of the steps inside."""

    class Twice(Wrapper):
        def transition(self, state, action, params):
            state, reward, *others = self.env.transition(state, action, params)
            return state, 2 * reward, *others

    ours, theirs = (played(env, (BATCH,), Params(), steps=3) for env in (emit_env(Twice(Dice())), Twice(Dice())))
    jax.tree.map(np.testing.assert_array_equal, ours, theirs)


def test_a_step_is_a_beginning_a_loop_and_an_end():
    env, params = emit_env(Dice(), threads=1), Params()
    state = jax.vmap(Dice().init, (0, None))(tuple(map(jnp.asarray, counter_rng.seed_words(4, BATCH))), params)
    step = jax.jit(jax.vmap(lambda state, action: env.transition(state, action, params)))
    text = step.lower(state, jnp.zeros(BATCH, jnp.int32)).as_text()
    assert text.count("stablehlo.custom_call") == 3
    assert text.count("stablehlo.while") == 1


@pytest.mark.parametrize("read", [False, True])
def test_the_last_observation_of_an_episode_costs_who_reads_it(read):
    env, params = emit_env(Dice(), threads=1), Params()
    state = jax.vmap(Dice().init, (0, None))(tuple(map(jnp.asarray, counter_rng.seed_words(4, BATCH))), params)

    def step(state, action):
        obs, state, *_, info = env.step(None, state, action, params)
        return (obs, info["final_observation"]) if read else obs

    compiled = jax.jit(jax.vmap(step)).lower(state, jnp.zeros(BATCH, jnp.int32)).compile().as_text()
    assert compiled.count("custom_call_target=") == 3 + read
