"""The conformance suite accepts good environments, and each check catches what it is for."""

from __future__ import annotations

import functools
import re
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games.small_games import TakeAway
from rlenv_shared import control, counter_rng, spaces
from rlenv_shared.compiling import WITHOUT_FUSION
from rlenv_shared.generators import COUNTER, Generator
from rlenv_shared.struct import pytree_dataclass
from rlenv_testing import conformance as c
from rlenv_testing.conformance import CHECKS, check_env
from rlenv_testing.random_play import RandomPlay
from rlenv_testing.walk import RIGHT, Params, Reach, Walk

pytestmark = pytest.mark.l1
PLAY = {"num_steps": 48, "num_envs": 4}

BROKEN = []  # (check, what the message must say, environment class, RandomPlay options)


def broken(check, match, **options):
    """Register the decorated environment as one that ``check`` must refuse."""

    def register(cls):
        BROKEN.append(pytest.param(check, match, cls, options, id=f"{check.__name__}-{cls.__name__}"))
        return cls

    return register


@pytest.mark.parametrize(
    ("env", "options"),
    [(Walk(), {}), (Reach(), {"can_terminate": False})],
    ids=["Walk", "Reach"],
)
def test_good_environments_pass(env, options):
    assert check_env(env, **PLAY, **options) == [check.__name__ for check in CHECKS]


def test_parameters_key_and_compile_options_are_used():
    class WithOptions(Walk):
        compile_options = WITHOUT_FUSION

    class Refused(Walk):
        compile_options: ClassVar = {"cpu": {"no_such_option": 1}}

    play = RandomPlay(WithOptions(), Params(goal=4), key=jax.random.key(7), **PLAY)
    other = RandomPlay(Walk(), Params(goal=4), **PLAY)
    assert play.played.state.cell.max() == 3
    assert not np.array_equal(play.played.state.rng[0], other.played.state.rng[0])
    with pytest.raises(Exception, match="no_such_option"):
        _ = RandomPlay(Refused(), **PLAY).played


def test_a_whole_check_traces_the_step_twelve_times():
    class Counted(TakeAway):
        traces = 0

        def transition(self, *args):
            Counted.traces += 1
            return super().transition(*args)

    check_env(Counted(), **PLAY)
    assert Counted.traces <= 12


def test_every_check_has_a_broken_environment():
    assert {param.values[0] for param in BROKEN} == set(CHECKS)
    public = {value for name, value in vars(c).items() if name.startswith("check_") and name != "check_env"}
    assert public == set(CHECKS)


# --- protocol -------------------------------------------------------------------------------------------------------


@broken(c.check_protocol, "attribute name: got None, expected str")
class Nameless(Walk):
    name = None


@broken(c.check_protocol, "method legal_actions")
class Maskless(Walk):
    legal_actions = None


@broken(c.check_protocol, r"num_actions: got 4, expected 3")
class Miscounted(Walk):
    num_actions = 4


@broken(c.check_protocol, "num_players: got 2")
class PlayerTooMany(Walk):
    num_players = 2


@broken(c.check_protocol, "observation_space")
class ForeignSpace(Walk):
    def observation_space(self, params):
        return (2,)


# --- avals ----------------------------------------------------------------------------------------------------------


@broken(c.check_avals, r"reset_env .*time: got int32\[\] weak, expected no weak type")
class WeakTime(Walk):
    def begin(self, generator, params):
        return super().begin(generator, params).replace(time=jax.lax.full((), 0))  # int32, but weak


@broken(c.check_avals, r"state of step .*cell: got float32\[\], expected int32\[\]")
class DriftingDtype(Walk):
    def transition(self, *args):
        state, *rest = super().transition(*args)
        return state.replace(cell=state.cell.astype(jnp.float32)), *rest

    def step(self, key, state, action, params=None):
        obs, after, reward, terminated, info = self.step_env(key, state, action, params or self.default_params)
        truncated = self.is_truncated(after, params or self.default_params)
        info |= {"final_observation": obs, "terminated": terminated, "truncated": truncated}
        return obs, after, reward, terminated, truncated, info


@broken(c.check_avals, r"reward of step value: got int32\[\], expected float32\[\]")
class IntegerReward(Walk):
    def transition(self, *args):
        state, reward, terminated, info = super().transition(*args)
        return state, reward.astype(jnp.int32), terminated, info


@broken(c.check_avals, r"terminated of step value: got float32\[\], expected bool\[\]")
class FloatTerminated(Walk):
    def step(self, *args):
        obs, state, reward, terminated, *rest = super().step(*args)
        return obs, state, reward, terminated.astype(jnp.float32), *rest


@broken(c.check_avals, r"info\['final_observation'\]: structure")
class NoFinalObservation(Walk):
    def step(self, *args):
        *rest, info = super().step(*args)
        return *rest, {key: value for key, value in info.items() if key != "final_observation"}


# --- numbers --------------------------------------------------------------------------------------------------------


@broken(c.check_strict_promotion, "strict promotion: .*int32.*float32|strict promotion: .*float32.*int32")
class MixedDtypes(Walk):
    def observe(self, state, player, params):
        return super().observe(state, player, params) + state.time * jnp.float32(0) * jnp.int32(1)


@broken(c.check_x64, r"state|obs|reset_env|step.* under x64 .*: got int64\[\]")
class WidensUnderX64(Walk):
    def begin(self, generator, params):
        return super().begin(generator, params).replace(time=jnp.zeros((), int))

    def transition(self, *args):
        state, *rest = super().transition(*args)
        return state.replace(time=state.time.astype(int)), *rest


@broken(c.check_x64, "observation under x64: got float32, expected float64")
class DeclaresFloat64(Walk):
    def observation_space(self, params):
        return spaces.Box(0, 1000, (2,), jnp.float64)


@broken(c.check_action_dtypes, r"after an action of int64 under x64 .*cell: got int64\[\], expected int32\[\]")
class AddsTheAction(Walk):
    def transition(self, state, action, params):
        moved = state.cell + action - action
        after, *rest = super().transition(state, action, params)
        return after.replace(cell=after.cell + moved - moved.astype(jnp.int32)), *rest


@broken(c.check_action_dtypes, r"after an action of float64 under x64 .*: got float64\[2\], expected at most 32 bits")
class ReportsTheAction(Reach):
    def transition(self, state, action, params):
        *rest, info = super().transition(state, action, params)
        return *rest, {**info, "taken": action}


# --- transformations ------------------------------------------------------------------------------------------------


@broken(c.check_params_are_traced, "traced params")
class BranchesOnParams(Walk):
    def transition(self, state, action, params):
        if params.goal > 3:
            action = action * jnp.int32(1)
        return super().transition(state, action, params)


@broken(c.check_params_are_traced, "options belong into the constructor")
class TextualParams(Walk):
    @pytree_dataclass
    class Named(Params):
        mode: str = "fast"

    default_params = Named()


@broken(c.check_jit_equals_eager, "step within a loop against a single one")
class CountsCalls(Walk):
    calls = 0

    def transition(self, *args):
        self.calls += 1
        state, reward, terminated, info = super().transition(*args)
        return state, reward + jnp.float32(self.calls), terminated, info


@functools.partial(jax.custom_batching.custom_vmap)
def _leaky(x):
    return x


@_leaky.def_vmap
def _leaky_rule(axis_size, in_batched, x):
    return jnp.flip(x), in_batched[0]


@broken(c.check_vmap_equals_loop, "a batch against itself in another order")
class NeighboursTouch(Walk):
    def transition(self, *args):
        state, reward, terminated, info = super().transition(*args)
        return state.replace(hidden=_leaky(state.hidden)), reward, terminated, info


@broken(c.check_gates, "gate gust: got a handler that changes a state it is not for")
class LeakyGate(Walk):
    needed_in: ClassVar = 2

    def transition(self, state, action, params):
        state, *rest = super().transition(state, action, params)

        def blow(state):
            return state.replace(hidden=state.hidden + jnp.uint32(1))

        return control.gate("gust", state.cell == self.needed_in, blow, state), *rest


@broken(c.check_vmap_equals_loop, "environment 0 of a batch against itself alone")
class GateNobodyNeeds(LeakyGate):
    needed_in: ClassVar = -1


@broken(c.check_vmap_equals_loop, "environment 0 of a batch against itself alone")
class LeakyLoop(Walk):
    def transition(self, state, action, params):
        state, *rest = super().transition(state, action, params)

        def more(state):
            return state.replace(hidden=state.hidden + jnp.uint32(1))

        goes_on = lambda state: (state.hidden & jnp.uint32(3)) != jnp.uint32(0)  # noqa: E731
        return control.loop(goes_on, more, state, 4), *rest


@broken(c.check_generator, "draws of a new generator and after one draw")
class UncountedDraws(Walk):
    random = Generator("uncounted", COUNTER.from_words, COUNTER.below, lambda generator: jnp.uint32(0))


@broken(c.check_generator, "draws of a new generator")
class SeedsAUsedGenerator(Walk):
    def seed_generator(self, word0, word1):
        return counter_rng.bits(super().seed_generator(word0, word1))[1]


# --- masks and actions ----------------------------------------------------------------------------------------------


@broken(c.check_masks, r"legal_actions value: got int32\[3\], expected bool\[3\]")
class IntegerMask(Walk):
    def legal_actions(self, state, params):
        return super().legal_actions(state, params).astype(jnp.int32)


@broken(c.check_masks, r"legal_actions value: got bool\[4\], expected bool\[3\]")
class LongMask(Walk):
    def legal_actions(self, state, params):
        return jnp.ones(4, jnp.bool_)


@broken(c.check_masks, r"legal_actions at \[\d+, \d+\]: got no legal action")
class Stuck(Walk):
    def legal_actions(self, state, params):
        return super().legal_actions(state, params) & (state.cell != jnp.int32(2))


@broken(c.check_illegal_actions, "expected the key 'illegal_action'")
class SilentAboutIllegal(Walk):
    def transition(self, *args):
        *rest, _ = super().transition(*args)
        return *rest, {}


@broken(c.check_illegal_actions, "for a legal action: got True")
class CriesWolf(Walk):
    def transition(self, *args):
        *rest, _ = super().transition(*args)
        return *rest, {"illegal_action": jnp.bool_(True)}


@broken(c.check_illegal_actions, r"for action -1: got False, expected True")
class NeverFlags(Walk):
    def transition(self, *args):
        *rest, _ = super().transition(*args)
        return *rest, {"illegal_action": jnp.bool_(False)}


@broken(c.check_illegal_actions, r"step with illegal action -1 against first legal 0")
class ClipsToLast(Walk):
    def transition(self, state, action, params):
        out_of_range = (action < jnp.int32(0)) | (action >= jnp.int32(3))
        *rest, info = super().transition(state, jnp.where(out_of_range, jnp.int32(RIGHT), action), params)
        return *rest, {"illegal_action": info["illegal_action"] | out_of_range}


@broken(c.check_illegal_actions, r"for action 1: got False, expected True")
class IgnoresItsMask(Walk):
    def transition(self, state, action, params):
        out_of_range = (action < jnp.int32(0)) | (action >= jnp.int32(3))
        *rest, _ = super().transition(state, jnp.where(out_of_range, jnp.int32(0), action), params)
        return *rest, {"illegal_action": out_of_range}


@broken(c.check_illegal_actions, "for NaN: got False", can_terminate=False)
class AcceptsNaN(Reach):
    def transition(self, *args):
        *rest, _ = super().transition(*args)
        return *rest, {"illegal_action": jnp.bool_(False)}


@broken(c.check_illegal_actions, "step with a NaN action", can_terminate=False)
class SpreadsNaN(Reach):
    def transition(self, state, action, params):
        state, reward, *rest = super().transition(state, action, params)
        return state, reward + jnp.float32(0) * jnp.sum(action), *rest


@broken(c.check_terminal_masks, "legal_actions at a terminal state: got .*, expected all True")
class MaskedAtTheEnd(Walk):
    def legal_actions(self, state, params):
        return (jnp.arange(3, dtype=jnp.int32) != 1) | ((state.cell > 0) & (state.cell < params.goal))


@broken(c.check_terminal_masks, "terminated episodes: got none")
class NeverTerminates(Walk):
    default_params = Params(goal=1000)


@broken(c.check_terminal_masks, "terminated: got True, expected never", can_terminate=False)
class TerminatesAfterAll(Walk):
    pass


# --- randomness -----------------------------------------------------------------------------------------------------


@broken(c.check_determinism, "second play against the first")
class AnotherEpisodeEachTime(Walk):
    def transition(self, *args):
        state, reward, *rest = super().transition(*args)
        noise = jax.pure_callback(
            lambda _: np.random.default_rng().random(dtype=np.float32),
            jax.ShapeDtypeStruct((), jnp.float32),
            reward,
            vmap_method="sequential",
        )
        return state, reward + noise, *rest


@broken(c.check_determinism, "1 distinct, expected 16")
class OneEpisodeForAllKeys(Walk):
    def reset_env(self, key, params):
        return super().reset_env(jax.random.key(0), params)


@broken(c.check_keys_are_unused, "step: got reads its key")
class ResetsByKey(Walk):
    def step(self, key, state, action, params=None):
        obs, after, reward, terminated, truncated, info = super().step(key, state, action, params)
        return obs, self.reseed(after, key), reward, terminated, truncated, info


@broken(c.check_fresh_resets, "states after .* auto-resets: got .* distinct")
class CachedFirstState(Walk):
    def step(self, key, state, action, params=None):
        obs, after, reward, terminated, truncated, info = super().step(key, state, action, params)
        first = self.reset_env(jax.random.key(1), params or self.default_params)
        done = terminated | truncated
        obs, after = jax.tree.map(lambda a, b: jnp.where(done, a, b), first, (obs, after))
        return obs, after, reward, terminated, truncated, info


@broken(c.check_fresh_resets, "positions after .* auto-resets of environment .*: got all equal", num_steps=96)
class CachedPositionFreshGenerator(Walk):
    default_params = Params(max_steps_in_episode=4)

    def begin(self, generator, params):
        key0, key1, counter = generator
        state = super().begin((key0, key1, counter * jnp.uint32(0)), params)
        return state.replace(rng=(key0, key1, counter + jnp.uint32(2)))


@broken(c.check_fresh_resets, "auto-resets .*two are needed")
class NeverEnds(Walk):
    default_params = Params(goal=1000, max_steps_in_episode=1000)


@broken(c.check_secrets, "what player 0 sees after reseed")
class ShowsItsGenerator(Walk):
    def observe(self, state, player, params):
        word, _ = counter_rng.uniform(state.rng)
        return jnp.stack([state.cell.astype(jnp.float32), word])


@broken(c.check_secrets, "what player 0 sees after permute_hidden")
class ShowsWhatIsHidden(Walk):
    def observe(self, state, player, params):
        bit = (state.hidden & jnp.uint32(1)).astype(jnp.float32)
        return jnp.stack([state.cell.astype(jnp.float32), bit])


@broken(c.check_secrets, "reseed for player 0: got the same state")
class CannotBeReseeded(Walk):
    def reseed(self, state, key):
        return state


@broken(c.check_secrets, "reseed with two keys: got the same state")
class ReseedsAlike(Walk):
    def reseed(self, state, key):
        return super().reseed(state, jax.random.key(0))


# --- ends and observations ------------------------------------------------------------------------------------------


@broken(c.check_final_observation, r"info\['final_observation'\] against step_env")
class FinalObservationOfTheNewEpisode(Walk):
    def step(self, *args):
        obs, *rest, info = super().step(*args)
        return obs, *rest, {**info, "final_observation": obs}


@broken(c.check_final_observation, "state after the end of an episode: got at its time limit")
class ForgetsToReset(Walk):
    default_params = Params(goal=1000)

    def step(self, key, state, action, params=None):
        params = params or self.default_params
        obs, after, reward, terminated, info = self.step_env(key, state, action, params)
        truncated = self.is_truncated(after, params)
        info |= {"final_observation": obs, "terminated": terminated, "truncated": truncated}
        return obs, after, reward, terminated, truncated, info


@broken(c.check_final_observation, "truncated of step against is_truncated")
class CallsTimeOverTermination(Walk):
    def step(self, *args):
        obs, state, reward, terminated, truncated, info = super().step(*args)
        return obs, state, reward, terminated | truncated, jnp.bool_(False), info

    def transition(self, *args):
        state, reward, terminated, info = super().transition(*args)
        return state, reward, terminated | self.is_truncated(state, args[2]), info


@broken(c.check_final_observation, "step against step_env within an episode")
class ExtraDrawInStep(Walk):
    def step(self, *args):
        obs, state, *rest = super().step(*args)
        return obs, state.replace(rng=counter_rng.bits(state.rng)[1]), *rest


@broken(c.check_final_observation, "ends of episodes: got none")
class OutlivesTheProbe(Walk):
    default_params = Params(goal=1000, max_steps_in_episode=1000)


@broken(c.check_spaces, r"final observation at \[\d+, \d+\]: .*expected an element of Box")
class LeavesItsSpaceAtTheEnd(Walk):
    def observation_space(self, params):
        return spaces.Box(0, 5, (2,), jnp.float32)

    def observe(self, state, player, params):
        return super().observe(state, player, params) * jnp.array([1, 0], jnp.float32)


@broken(c.check_spaces, r"observation against its space value: got float32\[2\], expected float32\[3\]")
class WrongShape(Walk):
    def observation_space(self, params):
        return spaces.Box(0, 1000, (3,), jnp.float32)


@broken(c.check_spaces, r"observation against its space value: got float32\[2\], expected int32\[2\]")
class WrongDtype(Walk):
    def observation_space(self, params):
        return spaces.Box(0, 1000, (2,), jnp.int32)


@broken(c.check_spaces, "reward: got NaN")
class InfiniteReward(Walk):
    def transition(self, *args):
        state, reward, *rest = super().transition(*args)
        return state, reward / jnp.float32(0), *rest


@broken(c.check_spaces, "dtype of action_space: got int8, expected int32")
class NarrowActions(Walk):
    def action_space(self, params):
        return spaces.Discrete(3, jnp.int8)


@broken(c.check_observe_after_reset, "view after reset_env")
class TwoEncoders(Walk):
    def reset_env(self, *args):
        obs, state = super().reset_env(*args)
        return obs + jnp.float32(1), state


@broken(c.check_observe_after_reset, "view after step_env")
class NotTheStateAlone(Walk):
    def step_env(self, *args):
        obs, *rest = super().step_env(*args)
        return obs + jnp.float32(1), *rest


# --- turns ----------------------------------------------------------------------------------------------------------


@broken(c.check_turns, r"current_player value: got bool\[\], expected int32\[\]")
class NobodysTurn(TakeAway):
    def current_player(self, state):
        return super().current_player(state) > 0


@broken(c.check_turns, r"to_act: got another player than the current one")
class AsksEverybody(TakeAway):
    def to_act(self, state):
        return jnp.ones(2, jnp.bool_)


@broken(c.check_turns, r"players who were asked to act: got \[0\]")
class NeverTheOther(TakeAway):
    def begin(self, generator, params):
        return super().begin(generator, params).replace(current_player=jnp.int32(0))

    def transition(self, *args):
        state, *rest = super().transition(*args)
        return state.replace(current_player=jnp.int32(0)), *rest


@broken(c.check_turns, r"info of step: .*expected the key 'current_player'")
class KeepsTheTurnSecret(TakeAway):
    def step(self, *args):
        *rest, info = super().step(*args)
        return *rest, {key: value for key, value in info.items() if key != "current_player"}


@broken(c.check_turns, r"info\['final_player'\]")
class NamesTheWrongViewer(TakeAway):
    def step(self, *args):
        *rest, info = super().step(*args)
        return *rest, {**info, "final_player": info["current_player"]}


@pytest.mark.parametrize(("check", "match", "env", "options"), BROKEN)
def test_a_broken_environment_is_refused(check, match, env, options):
    with pytest.raises(AssertionError, match=r"(?s)got .*expected .*; \w+") as caught:
        check(RandomPlay(env(), **PLAY | options))
    assert re.search(match, str(caught.value))


def test_all_failures_are_reported_at_once():
    sloppy = type("Sloppy", (IntegerReward, CriesWolf), {})
    with pytest.raises(AssertionError) as caught:
        check_env(sloppy(), **PLAY)
    message = str(caught.value)
    assert "toy/Walk-v0 does not conform" in message
    assert "check_avals: reward" in message
    assert "check_illegal_actions: " in message
    assert "check_masks" not in message
