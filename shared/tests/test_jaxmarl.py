"""The JaxMARL face, by JaxMARL's own classes and against the native environment."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxmarl.environments import MultiAgentEnv, spaces
from jaxmarl.wrappers.baselines import CTRolloutManager, LogWrapper

from rlenv_games.small_games import Params, Standoff, TakeAway
from rlenv_shared import masking
from rlenv_shared.adapters.jaxmarl import JaxMARLEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1
NATIVE = Standoff()
ENV = JaxMARLEnv(NATIVE)
AGENTS = ["agent_0", "agent_1"]


def random_actions(env, state, key):
    masks = env.get_avail_actions(state)
    keys = jax.random.split(key, len(AGENTS))
    return {agent: masking.sample_legal(k, masks[agent]) for agent, k in zip(AGENTS, keys, strict=True)}


def test_it_has_what_a_jaxmarl_environment_has():
    assert isinstance(ENV, MultiAgentEnv)
    assert (ENV.agents, ENV.num_agents, ENV.name) == (AGENTS, 2, "game/Standoff-v0")
    assert ENV.agent_classes == {"player": AGENTS}
    for agent in AGENTS:
        assert isinstance(ENV.action_space(agent), spaces.Discrete)
        assert ENV.action_space(agent).n == 3
        assert ENV.observation_space(agent).shape == (3,)
        assert ENV.observation_space(agent).contains(ENV.observation_space(agent).sample(jax.random.key(0)))


def test_it_is_the_native_environment():
    params = NATIVE.default_params

    def body(carry, key):
        obs, state, native_obs, native_state = carry
        actions = random_actions(ENV, state, key)
        raw = ENV.step_env(key, state, actions)
        obs, state, rewards, dones, info = ENV.step(key, state, actions)
        stacked = jnp.stack([actions[agent] for agent in AGENTS])
        native_obs, native_state, reward, terminated, truncated, native_info = NATIVE.step(
            key, native_state, stacked, params
        )
        record = {
            "obs": (jnp.stack([obs[a] for a in AGENTS]), native_obs),
            "get_obs": (jnp.stack([ENV.get_obs(state)[a] for a in AGENTS]), native_obs),
            "state": (state, native_state),
            "reward": (jnp.stack([rewards[a] for a in AGENTS]), reward),
            "done": (jnp.stack([dones[a] for a in (*AGENTS, "__all__")]), jnp.tile(terminated | truncated, 3)),
            "flags": ((info["terminated"], info["truncated"]), (terminated, truncated)),
            "final": (
                jnp.stack([info["final_observation"][a] for a in AGENTS]),
                native_info["final_observation"],
            ),
            "mask": (
                jnp.stack([ENV.get_avail_actions(state)[a] for a in AGENTS]),
                NATIVE.legal_actions(native_state, params),
            ),
            "raw obs": (jnp.stack([raw[0][a] for a in AGENTS]), native_info["final_observation"]),
            "raw done": (raw[3]["__all__"], terminated | truncated),
        }
        return (obs, state, native_obs, native_state), (record, terminated)

    start = (*ENV.reset(jax.random.key(0)), *NATIVE.reset(jax.random.key(0), params))
    _, (record, terminated) = jax.lax.scan(body, start, jax.random.split(jax.random.key(1), 200))
    assert int(terminated.sum()) > 10
    for what, (ours, theirs) in record.items():
        for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
            np.testing.assert_array_equal(a, b, err_msg=what)


def test_a_reset_state_may_be_given():
    obs, state = ENV.reset(jax.random.key(0))
    given = state.replace(charge=(jnp.int32(3), jnp.int32(1)))
    over = JaxMARLEnv(NATIVE, Params(max_steps_in_episode=1))
    obs, after, _, dones, info = over.step(jax.random.key(0), state, dict.fromkeys(AGENTS, jnp.int32(0)), given)
    assert dones["__all__"]
    assert info["truncated"]
    assert not info["terminated"]
    assert [int(charge) for charge in after.charge] == [3, 1]
    np.testing.assert_allclose(obs["agent_0"][:2], [1, 1 / 3], rtol=1e-6)
    _, after, *_ = ENV.step(jax.random.key(0), state, dict.fromkeys(AGENTS, jnp.int32(0)), given)
    assert int(after.time) == 1


def test_jaxmarl_s_log_wrapper_counts_episodes():
    env = LogWrapper(ENV)

    def body(state, key):
        actions = random_actions(env, state.env_state, key)
        _, state, rewards, dones, info = env.step(key, state, actions)
        return state, (jnp.stack([rewards[a] for a in AGENTS]), dones["__all__"], info)

    _, state = env.reset(jax.random.key(0))
    _, (rewards, done, info) = jax.lax.scan(body, state, jax.random.split(jax.random.key(2), 200))
    np.testing.assert_array_equal(done, info["terminated"] | info["truncated"])
    ends = np.flatnonzero(info["terminated"] | info["truncated"])
    lengths = np.diff(np.concatenate([[-1], ends]))
    np.testing.assert_array_equal(info["returned_episode_lengths"][ends, 0], lengths)
    totals = [np.asarray(rewards)[e - n + 1 : e + 1].sum(0) for e, n in zip(ends, lengths, strict=True)]
    np.testing.assert_array_equal(info["returned_episode_returns"][ends], totals)
    assert len(ends) > 10


def test_jaxmarl_s_rollout_manager_steps_batches():
    manager = CTRolloutManager(ENV, batch_size=4, preprocess_obs=False)
    obs, state = manager.batch_reset(jax.random.key(0))
    assert obs["agent_1"].shape == (4, 3)
    masks = manager.get_valid_actions(state)
    actions = {agent: masking.first_legal(mask.astype(jnp.bool_)) for agent, mask in masks.items()}
    obs, state, rewards, dones, _ = manager.batch_step(jax.random.key(1), state, actions)
    assert rewards["agent_0"].shape == dones["__all__"].shape == (4,)
    assert state.time.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("env", [TakeAway(), Walk()], ids=["turns", "single"])
def test_other_turn_orders_are_refused(env):
    with pytest.raises(InvalidParamsError, match="JaxMARL adapter of"):
        JaxMARLEnv(env)
