"""The conformance suite accepts good environments, and each check catches what it is for."""

from __future__ import annotations

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from toy_env import RIGHT, Params, Reach, State, Walk

from rlenv_shared import counter_rng, masking, spaces
from rlenv_shared.autoreset import SameStepAutoReset
from rlenv_shared.protocol import TurnOrder
from rlenv_shared.struct import pytree_dataclass
from rlenv_shared.testing import conformance as c
from rlenv_shared.testing.conformance import CHECKS, check_env
from rlenv_shared.testing.games import TakeAway
from rlenv_shared.testing.random_play import WITHOUT_FUSION, Subject

pytestmark = pytest.mark.l1
PLAY = {"num_steps": 48, "num_envs": 4}

BROKEN = []  # (check, what the message must say, environment class, Subject options)


def broken(check, match, **options):
    """Register the decorated environment as one that ``check`` must refuse."""

    def register(cls):
        BROKEN.append(pytest.param(check, match, cls, options, id=f"{check.__name__}-{cls.__name__}"))
        return cls

    return register


class Duel(SameStepAutoReset):
    """Two simultaneous players: the first moves the token of `Walk`, the second can only watch."""

    name, version, turn_order, num_players, num_actions = "toy/Duel-v0", 0, TurnOrder.SIMULTANEOUS, 2, 3
    walk, default_params, reseed = Walk(), Walk.default_params, Walk.reseed
    action_space, state_space = Walk.action_space, Walk.state_space

    def begin_episode(self, rng, params):
        obs, state = self.walk.begin_episode(rng, params)
        return jnp.stack([obs, -obs]), state

    def step_env(self, key, state, action, params):
        action, illegal = masking.sanitise(action, self.legal_actions(state, params))
        obs, state, reward, terminated, _ = self.walk.step_env(key, state, action[0], params)
        return jnp.stack([obs, -obs]), state, jnp.stack([reward, -reward]), terminated, {"illegal_action": illegal}

    def legal_actions(self, state, params):
        return jnp.stack([self.walk.legal_actions(state, params), jnp.ones(3, jnp.bool_)])

    def observe(self, key, state, action, params):
        obs = self.walk.observe(key, state, action, params)
        return jnp.stack([obs, -obs])

    def observation_space(self, params):
        return spaces.Box(-1000, 1000, (2,), jnp.float32)


@pytest.mark.parametrize(
    ("env", "options"),
    [(Walk(), {}), (Reach(), {"can_terminate": False}), (Duel(), {})],
    ids=["Walk", "Reach", "Duel"],
)
def test_good_environments_pass(env, options):
    assert check_env(env, **PLAY, **options) == [check.__name__ for check in CHECKS]


def test_parameters_key_and_compiler_options_are_used():
    subject = Subject(Walk(), Params(goal=4), key=jax.random.key(7), compiler_options=WITHOUT_FUSION, **PLAY)
    other = Subject(Walk(), Params(goal=4), **PLAY)
    assert subject.rollout.state.cell.max() == 3
    assert not np.array_equal(subject.rollout.state.rng[0], other.rollout.state.rng[0])
    with pytest.raises(Exception, match="no_such_option"):
        _ = Subject(Walk(), compiler_options={"no_such_option": 1}).rollout


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
    def begin_episode(self, rng, params):
        obs, state = super().begin_episode(rng, params)
        return obs, state.replace(time=jax.lax.full((), 0))  # int32, but weak


@broken(c.check_avals, r"state of step .*cell: got float32\[\], expected int32\[\]")
class DriftingDtype(Walk):
    def step_env(self, *args):
        obs, state, *rest = super().step_env(*args)
        return obs, state.replace(cell=state.cell.astype(jnp.float32)), *rest

    def step(self, key, state, action, params=None):
        obs, after, reward, terminated, info = self.step_env(key, state, action, params or self.default_params)
        truncated = self.is_truncated(after, params or self.default_params)
        info |= {"final_observation": obs, "terminated": terminated, "truncated": truncated}
        return obs, after, reward, terminated, truncated, info


@broken(c.check_avals, r"reward of step value: got int32\[\], expected float32\[\]")
class IntegerReward(Walk):
    def step_env(self, *args):
        obs, state, reward, terminated, info = super().step_env(*args)
        return obs, state, reward.astype(jnp.int32), terminated, info


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
    def observe(self, key, state, action, params):
        return super().observe(key, state, action, params) + state.time * jnp.float32(0) * jnp.int32(1)


@broken(c.check_x64, r"state|obs|reset_env|step.* under x64 .*: got int64\[\]")
class WidensUnderX64(Walk):
    def begin_episode(self, rng, params):
        obs, state = super().begin_episode(rng, params)
        return obs, state.replace(time=jnp.zeros((), int))

    def step_env(self, *args):
        obs, state, *rest = super().step_env(*args)
        return obs, state.replace(time=state.time.astype(int)), *rest


@broken(c.check_x64, "observation under x64: got float32, expected float64")
class DeclaresFloat64(Walk):
    def observation_space(self, params):
        return spaces.Box(0, 1000, (2,), jnp.float64)


# --- transformations ------------------------------------------------------------------------------------------------


@broken(c.check_params_are_traced, "traced params")
class BranchesOnParams(Walk):
    def step_env(self, key, state, action, params):
        if params.goal > 3:
            action = action * jnp.int32(1)
        return super().step_env(key, state, action, params)


@broken(c.check_params_are_traced, "options belong into the constructor")
class TextualParams(Walk):
    @pytree_dataclass
    class Named(Params):
        mode: str = "fast"

    default_params = Named()


@broken(c.check_jit_equals_eager, "compiled step against eager step .*reward|compiled step against eager step")
class CountsCalls(Walk):
    calls = 0

    def step_env(self, *args):
        self.calls += 1
        obs, state, reward, terminated, info = super().step_env(*args)
        return obs, state, reward + jnp.float32(self.calls), terminated, info


@functools.partial(jax.custom_batching.custom_vmap)
def _leaky(x):
    return x


@_leaky.def_vmap
def _leaky_rule(axis_size, in_batched, x):
    return jnp.flip(x), in_batched[0]


@broken(c.check_vmap_equals_loop, "environment 0 of a batch against itself alone")
class NeighboursTouch(Walk):
    def step_env(self, *args):
        obs, state, reward, terminated, info = super().step_env(*args)
        return obs, state.replace(hidden=_leaky(state.hidden)), reward, terminated, info


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
    def step_env(self, *args):
        *rest, _ = super().step_env(*args)
        return *rest, {}


@broken(c.check_illegal_actions, "for a legal action: got True")
class CriesWolf(Walk):
    def step_env(self, *args):
        *rest, _ = super().step_env(*args)
        return *rest, {"illegal_action": jnp.bool_(True)}


@broken(c.check_illegal_actions, r"for action -1: got False, expected True")
class NeverFlags(Walk):
    def step_env(self, *args):
        *rest, _ = super().step_env(*args)
        return *rest, {"illegal_action": jnp.bool_(False)}


@broken(c.check_illegal_actions, r"step with illegal action -1 against first legal 0")
class ClipsToLast(Walk):
    def step_env(self, key, state, action, params):
        out_of_range = (action < jnp.int32(0)) | (action >= jnp.int32(3))
        *rest, info = super().step_env(key, state, jnp.where(out_of_range, jnp.int32(RIGHT), action), params)
        return *rest, {"illegal_action": info["illegal_action"] | out_of_range}


@broken(c.check_illegal_actions, r"for action 1: got False, expected True")
class IgnoresItsMask(Walk):
    def step_env(self, key, state, action, params):
        out_of_range = (action < jnp.int32(0)) | (action >= jnp.int32(3))
        *rest, _ = super().step_env(key, state, jnp.where(out_of_range, jnp.int32(0), action), params)
        return *rest, {"illegal_action": out_of_range}


@broken(c.check_illegal_actions, "for NaN: got False", can_terminate=False)
class AcceptsNaN(Reach):
    def step_env(self, *args):
        *rest, _ = super().step_env(*args)
        return *rest, {"illegal_action": jnp.bool_(False)}


@broken(c.check_illegal_actions, "step with a NaN action", can_terminate=False)
class SpreadsNaN(Reach):
    def step_env(self, key, state, action, params):
        obs, state, reward, *rest = super().step_env(key, state, action, params)
        return obs, state, reward + jnp.float32(0) * jnp.sum(action), *rest


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


@broken(c.check_determinism, "second rollout against the first")
class HostRandomness(Walk):
    def step_env(self, *args):
        obs, state, reward, *rest = super().step_env(*args)
        return obs, state, reward + jnp.float32(np.random.default_rng().random()), *rest


@broken(c.check_determinism, "1 distinct, expected 16")
class OneEpisodeForAllKeys(Walk):
    def reset_env(self, key, params):
        return super().reset_env(jax.random.key(0), params)


@broken(c.check_keys_are_unused, "step_env with another key")
class ReadsItsKey(Walk):
    def step_env(self, key, state, action, params):
        obs, state, reward, *rest = super().step_env(key, state, action, params)
        return obs, state, reward + jax.random.uniform(key, (), jnp.float32), *rest


@broken(c.check_keys_are_unused, "step with another key")
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

    def begin_episode(self, rng, params):
        key0, key1, counter = rng
        obs, state = super().begin_episode((key0, key1, counter * jnp.uint32(0)), params)
        return obs, state.replace(rng=(key0, key1, counter + jnp.uint32(2)))


@broken(c.check_fresh_resets, "auto-resets .*two are needed")
class NeverEnds(Walk):
    default_params = Params(goal=1000, max_steps_in_episode=1000)


@broken(c.check_no_generator_leak, "observation and mask after reseed")
class ShowsItsGenerator(Walk):
    def observe(self, key, state, action, params):
        word, _ = counter_rng.uniform(state.rng)
        return jnp.stack([state.cell.astype(jnp.float32), word])


@broken(c.check_no_generator_leak, "observation and mask after permute_hidden")
class ShowsWhatIsHidden(Walk):
    def observe(self, key, state, action, params):
        bit = (state.hidden & jnp.uint32(1)).astype(jnp.float32)
        return jnp.stack([state.cell.astype(jnp.float32), bit])


@broken(c.check_no_generator_leak, "reseed: got the same state")
class CannotBeReseeded(Walk):
    def reseed(self, state, key):
        return state


@broken(c.check_no_generator_leak, "reseed with two keys: got the same state")
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

    def step_env(self, *args):
        obs, state, reward, terminated, info = super().step_env(*args)
        return obs, state, reward, terminated | self.is_truncated(state, args[3]), info


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

    def observe(self, key, state, action, params):
        return super().observe(key, state, action, params) * jnp.array([1, 0], jnp.float32)


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
    def step_env(self, *args):
        obs, state, reward, *rest = super().step_env(*args)
        return obs, state, reward / jnp.float32(0), *rest


@broken(c.check_spaces, "dtype of action_space: got int8, expected int32")
class NarrowActions(Walk):
    def action_space(self, params):
        return spaces.Discrete(3, jnp.int8)


@broken(c.check_observe_after_reset, "observe after reset_env")
class TwoEncoders(Walk):
    def begin_episode(self, rng, params):
        obs, state = super().begin_episode(rng, params)
        return obs + jnp.float32(1), state


@broken(c.check_observe_after_reset, "observe after step_env")
class NotTheStateAlone(Walk):
    observes_state_alone = True

    def step_env(self, *args):
        obs, *rest = super().step_env(*args)
        return obs + jnp.float32(1), *rest


# --- turns ----------------------------------------------------------------------------------------------------------


@broken(c.check_turns, r"state.current_player value: got bool\[\], expected int32\[\]")
class NobodysTurn(Duel):
    turn_order = TurnOrder.SEQUENTIAL


@broken(c.check_turns, r"players who moved: got \[0\]")
class NeverTheOther(TakeAway):
    def begin_episode(self, rng, params):
        obs, state = super().begin_episode(rng, params)
        return obs, state.replace(current_player=jnp.int32(0))

    def step_env(self, *args):
        obs, state, *rest = super().step_env(*args)
        return obs, state.replace(current_player=jnp.int32(0)), *rest


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
        check(Subject(env(), **PLAY | options))
    assert re.search(match, str(caught.value))


def test_all_failures_are_reported_at_once():
    class Sloppy(IntegerReward, CriesWolf):
        pass

    with pytest.raises(AssertionError) as caught:
        check_env(Sloppy(), **PLAY)
    message = str(caught.value)
    assert "toy/Walk-v0 does not conform" in message
    assert "check_avals: reward" in message
    assert "check_illegal_actions: " in message
    assert "check_masks" not in message


def test_an_exception_of_the_environment_is_a_failure():
    class Raises(Walk):
        def reseed(self, state, key):
            raise NotImplementedError("later")

    with pytest.raises(AssertionError, match="NotImplementedError: later"):
        check_env(Raises(), **PLAY)


def test_the_state_is_what_the_test_environments_claim():
    """The suite would not notice a toy without hidden information."""
    _, state = Walk().reset(jax.random.key(0))
    assert isinstance(state, State)
    assert Walk().permute_hidden(jax.random.key(1), state).hidden != state.hidden
