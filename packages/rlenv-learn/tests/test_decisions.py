"""What counts are decisions: steps in which nobody is asked change nothing; and what a network is told."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_learn import PPOConfig, evaluate, gae, learner, train
from rlenv_learn.actors import Actors, collect
from rlenv_learn.interface import Interface
from rlenv_learn.learner import Learner, Rollout
from rlenv_learn.networks import build
from rlenv_learn.policy import Policy
from rlenv_learn.probes import Memory, ObservationAction, Probe
from rlenv_shared import spaces
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1


def dilated(rng, array, asked, fill=None):
    """The rows of ``array`` where ``asked`` is true, in every column; noise (or ``fill``) elsewhere."""
    steps, batch = asked.shape
    out = (
        rng.normal(size=(steps, *array.shape[1:])).astype(array.dtype)
        if fill is None
        else np.full((steps, *array.shape[1:]), fill, array.dtype)
    )
    for b in range(batch):
        out[asked[:, b], b] = array[:, b]
    return out


def gaps(rng, steps, batch, more):
    """Bool [steps + more, batch] with ``steps`` true entries in every column, the last row of each true."""
    asked = np.zeros((steps + more, batch), bool)
    for b in range(batch):
        rows = rng.choice(steps + more - 1, steps - 1, replace=False)
        asked[rows, b] = True
        asked[-1, b] = True
    return asked


def test_advantages_of_decisions_do_not_change_when_steps_without_any_come_between():
    rng = np.random.default_rng(0)
    steps, batch = 20, 5
    asked = gaps(rng, steps, batch, 11)
    reward, value, final = (rng.normal(size=(steps, batch)).astype(np.float32) for _ in range(3))
    terminated, truncated = (rng.random((steps, batch)) < 0.2 for _ in range(2))
    last = rng.normal(size=batch).astype(np.float32)
    dense = gae.advantages(reward, value, terminated, truncated, np.ones_like(terminated), final, last, 0.9, 0.8)
    args = [
        dilated(rng, a, asked, fill)
        for a, fill in ((reward, 0), (value, None), (terminated, False), (truncated, False))
    ]
    sparse = np.asarray(gae.advantages(*args, asked, dilated(rng, final, asked), last, 0.9, 0.8))
    for b in range(batch):
        np.testing.assert_allclose(sparse[asked[:, b], b], np.asarray(dense)[:, b], atol=1e-5)
        np.testing.assert_array_equal(sparse[~asked[:, b], b], 0)


def test_what_a_step_without_decision_pays_belongs_to_the_decision_before():
    reward = np.array([[1.0], [2.0], [4.0], [8.0]], np.float32)
    asked = np.array([[True], [False], [False], [True]])
    nothing = np.zeros_like(asked)
    zeros = np.zeros_like(reward)
    found = gae.advantages(reward, zeros, nothing, nothing, asked, zeros, np.zeros(1, np.float32), 0.5, 1.0)
    np.testing.assert_allclose(np.asarray(found)[:, 0], [1 + 2 + 4 + 0.5 * 8, 0, 0, 8])


def rollout_of(config, start, asked=None):
    """A rollout with given decisions; the samples are those of a dense one."""
    rng = np.random.default_rng(3)
    shape = (config.rollout_length, config.num_envs)
    fields = {
        "obs": rng.normal(size=(*shape, 3)).astype(np.float32),
        "action": rng.integers(0, 4, shape).astype(np.int32),
        "reward": rng.normal(size=shape).astype(np.float32),
        "terminated": rng.random(shape) < 0.2,
        "log_prob": np.full(shape, -np.log(4), np.float32),
        "value": rng.normal(size=shape).astype(np.float32),
    }
    steps = shape[0]
    if asked is not None:
        fills = {"reward": 0.0, "terminated": False}
        fields = {name: dilated(rng, array, asked, fills.get(name, 0)) for name, array in fields.items()}
        fields["obs"][~asked] = 77.0
        steps = len(asked)
    resets = np.concatenate([np.zeros((1, shape[1]), bool), fields["terminated"][:-1]])
    return Rollout(
        **{name: jnp.asarray(array) for name, array in fields.items()},
        resets=jnp.asarray(resets),
        legal=None,
        asked=jnp.ones((steps, shape[1]), jnp.bool_) if asked is None else jnp.asarray(asked),
        truncated=jnp.zeros((steps, shape[1]), jnp.bool_),
        final_value=jnp.zeros((steps, shape[1]), jnp.float32),
        initial_carry=start.policy.initial_carry(shape[1])[None],
        last_value=jnp.zeros(shape[1], jnp.float32),
    )


@pytest.mark.parametrize("preset", ["mlp-tiny", "gru-tiny"])
def test_an_update_is_that_of_the_decisions_alone(preset):
    """Observations of other steps, however wild, reach neither losses nor moments nor the memory."""
    config = PPOConfig(
        num_envs=4, rollout_length=6, num_minibatches=1, update_epochs=2, total_steps=24, preset=preset,
        normalise_observations=True, normalise_returns=True,
    )  # fmt: skip
    start = Learner.create(Interface((3,), 4), config, jnp.uint32(1))
    asked = gaps(np.random.default_rng(4), 6, 4, 5)
    learn = jax.jit(learner.learn, static_argnames="config")
    dense, dense_metrics = learn(start, rollout_of(config, start), config)
    sparse, sparse_metrics = learn(start, rollout_of(config, start, asked), config)
    for name, value in dense_metrics.items():
        np.testing.assert_allclose(sparse_metrics[name], value, rtol=2e-4, atol=1e-5, err_msg=name)
    for ours, theirs in zip(jax.tree.leaves(sparse.policy), jax.tree.leaves(dense.policy), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=2e-5)
    assert float(sparse.policy.observation.count) == 24


class Interrupted(Memory):
    """`Memory` in which every other step asks for nothing and shows nonsense."""

    def transition(self, state, action, params):
        after, reward, terminated, info = super().transition(state, action, params)
        idle = ~self.to_act(state)[0]
        reward = jnp.where(idle, jnp.float32(0), reward)
        return after, reward, terminated & ~idle, info

    def reward(self, state, action):
        agreement = state.cue * (action.astype(jnp.float32) * np.float32(2) - np.float32(1))
        return jnp.where(self.terminates(state), agreement, jnp.zeros_like(agreement))

    def terminates(self, state):
        return state.time >= jnp.int32(2 * self.delay)

    def to_act(self, state):
        return (state.time % 2 == 0)[None]

    def observe(self, state, player, params):
        seen = super().observe(state.replace(time=state.time // 2), player, params)
        return jnp.where(self.to_act(state), seen, jnp.float32(1))


def test_memory_is_held_and_only_decisions_are_counted():
    config = PPOConfig(
        total_steps=96 * 1024, num_envs=64, rollout_length=16, preset="gru-tiny", num_minibatches=2, gamma=0.9
    )
    env = Interrupted(delay=2)
    result = train(env, config)
    played = evaluate(result.policy, env, episodes=64, deterministic=True)
    assert played.mean_return == 1.0
    np.testing.assert_array_equal(played.lengths, 3)
    assert result.records[-1]["decisions"] == pytest.approx(config.batch_size * 3 / 5, rel=0.05)
    assert result.records[-1]["episode_length"] == 3


def test_actors_remember_what_they_saw_when_they_were_asked():
    env, config = Interrupted(delay=2), PPOConfig(num_envs=8, rollout_length=10, total_steps=80, preset="gru-tiny")
    policy = Policy.create(Interface.from_env(env, env.default_params), config, jax.random.key(0))
    actors = Actors.create(env, env.default_params, policy, jnp.uint32(0), 8)
    _, rollout, _ = jax.jit(lambda actors: collect(policy, actors, env, env.default_params, config))(actors)
    network = build(policy.interface, config)
    _, _, values = network.apply(policy.params, rollout.initial_carry[0], rollout.obs, rollout.resets, rollout.asked)
    decided = np.asarray(rollout.asked)
    assert 0 < decided.sum() < decided.size
    np.testing.assert_allclose(np.asarray(values)[decided], np.asarray(rollout.value)[decided], atol=1e-5)


# --- observations that are dictionaries, and ids ----------------------------------------------------------------------


class Cards(Probe):
    """Ten cards, of which those in `GOOD` want action 1; the suit is a number, the card an id."""

    GOOD = (1, 4, 5, 8)

    def _card(self, state):
        return (state.rng[0] % jnp.uint32(10)).astype(jnp.int32)

    def reward(self, state, action):
        good = (self._card(state) == jnp.array(self.GOOD)).any()
        return (good == (action == 1)).astype(jnp.float32)

    def next_cue(self, state):
        return state.cue

    def begin(self, generator, params):
        state = super().begin(generator, params)
        key0, key1, counter = state.rng
        return state.replace(rng=(key0 * jnp.uint32(1664525) + jnp.uint32(1013904223) + counter, key1, counter))

    def observe(self, state, player, params):
        return {"card": self._card(state), "suit": state.cue[None]}

    def observation_space(self, params):
        return spaces.Dict({"card": spaces.Discrete(10), "suit": spaces.Box(-1.0, 1.0, (1,))})


def test_ids_in_a_dictionary_are_embedded_and_told_apart(tmp_path):
    env = Cards()
    interface = Interface.from_env(env, env.default_params)
    assert interface.observation_size == 2
    np.testing.assert_array_equal(interface.is_kept, [True, False])
    config = PPOConfig(total_steps=64 * 1024, num_envs=64, rollout_length=16, normalise_observations=True, embedding=8)
    policy = train(env, config).policy
    assert evaluate(policy, env, episodes=256, deterministic=True).mean_return > 0.97
    policy.save(tmp_path / "policy.npz")
    again = Policy.load(tmp_path / "policy.npz")
    obs = {"card": np.arange(10), "suit": np.zeros((10, 1), np.float32)}
    np.testing.assert_array_equal(again.act(obs), policy.act(obs))
    np.testing.assert_array_equal(again.act(obs), [int(card in env.GOOD) for card in range(10)])


# --- the curriculum ---------------------------------------------------------------------------------------------------


class Refreshing(ObservationAction):
    """Counts its refreshes in the parameters."""

    def refresh(self, params, key):
        return params.replace(max_steps_in_episode=params.max_steps_in_episode + 1)


def test_parameters_are_refreshed_before_every_rollout_and_scheduled():
    seen = []

    def schedule(params, progress):
        jax.debug.callback(lambda limit, p: seen.append((int(limit), float(p))), params.max_steps_in_episode, progress)
        return params

    config = PPOConfig(total_steps=8 * 4 * 4, num_envs=8, rollout_length=4)
    env = Refreshing()
    train(env, config, env.default_params.replace(max_steps_in_episode=jnp.int32(10)), schedule=schedule)
    jax.effects_barrier()
    assert seen == [(11, 0.0), (12, 0.25), (13, 0.5), (14, 0.75)]


def test_parameters_follow_success_and_the_record_tells_them():
    def harder(params, sums):
        limit = params.max_steps_in_episode + jnp.where(sums["return_sum"] > 0, 1, 0)
        return params.replace(max_steps_in_episode=limit), {"limit": limit}

    config = PPOConfig(total_steps=8 * 20, num_envs=8, rollout_length=1)
    env = ObservationAction()
    start = env.default_params.replace(max_steps_in_episode=jnp.int32(8))
    records = train(env, config, start, curriculum=harder).records
    limits, grown = [record["limit"] for record in records], np.array([r["episode_return"] > 0 for r in records])
    assert grown.any()
    assert not grown.all()
    np.testing.assert_array_equal(limits, 8 + np.cumsum(grown))


def test_progress_is_plain_lines_where_the_output_is_no_terminal(capsys):
    train(ObservationAction(), PPOConfig(total_steps=512, num_envs=8, rollout_length=4), show_progress=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("probe/ObservationAction-v0: 512 of 512 steps (100%), return ")
    assert lines[-1].endswith("decisions/s")


def test_snapshots_are_kept_on_the_way():
    config = PPOConfig(total_steps=8 * 4 * 12, num_envs=8, rollout_length=4)
    result = train(ObservationAction(), config, snapshots=3)
    assert sorted(result.snapshots) == [4, 8, 12]
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(result.snapshots))
    values = [snapshot.value([[-1.0], [1.0]]) for snapshot in result.snapshots.values()]  # each is still there
    assert not np.array_equal(values[0], values[1])
    last = jax.tree.leaves(result.snapshots[12].params)
    for ours, theirs in zip(last, jax.tree.leaves(result.policy.params), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_snapshots_outlive_a_run_that_was_killed(tmp_path):
    config = PPOConfig(total_steps=8 * 4 * 12, num_envs=8, rollout_length=4)
    whole = train(ObservationAction(), config, snapshots=3)

    def killed(record):
        if record["update"] == 9:
            raise KeyboardInterrupt

    options = {"run_dir": tmp_path, "snapshots": 3, "checkpoint_every": 4}
    with pytest.raises(KeyboardInterrupt):
        train(ObservationAction(), config, log=killed, **options)
    resumed = train(ObservationAction(), config, resume=True, **options)
    assert list(resumed.snapshots) == [4, 8, 12]
    jax.tree.map(np.testing.assert_array_equal, resumed.snapshots, whole.snapshots)


def test_training_begins_with_a_policy_that_is_given():
    config = PPOConfig(total_steps=8 * 4 * 12, num_envs=8, rollout_length=4)
    trained = train(ObservationAction(), config).policy
    still = config.replace(total_steps=8 * 4, learning_rate=1e-12)
    begun = train(ObservationAction(), still, begin_with=trained).policy
    for ours, theirs in zip(jax.tree.leaves(begun.params), jax.tree.leaves(trained.params), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    with pytest.raises(InvalidParamsError, match="begin_with"):
        train(ObservationAction(), still.replace(preset="mlp-small"), begin_with=trained)


def test_what_is_said_of_actions_is_weighed_alike_for_each():
    said = {"actions": spaces.Box(-9.0, 9.0, (4, 2)), "action_ids": spaces.MultiDiscrete(np.full((4, 3), 7))}
    interface = Interface.from_spaces(spaces.Dict({**said, "x": spaces.Box(-1.0, 1.0, (5,))}), spaces.Discrete(4))
    np.testing.assert_array_equal(interface.is_kept, [True] * 12 + [True] * 8 + [False] * 5)
    network = build(interface, PPOConfig(embedding=3))
    params = jax.tree.map(lambda leaf: leaf + 0.1, network.init_params(jax.random.key(0)))
    rng = np.random.default_rng(0)
    obs = {"actions": rng.normal(size=(1, 4, 2)).astype(np.float32), "action_ids": rng.integers(0, 7, (1, 4, 3))}
    obs["x"] = rng.normal(size=(1, 5)).astype(np.float32)
    nothing = {**obs, "actions": np.zeros_like(obs["actions"]), "action_ids": np.zeros_like(obs["action_ids"])}
    order = np.array([2, 0, 3, 1])
    turned = {**obs, "actions": obs["actions"][:, order], "action_ids": obs["action_ids"][:, order]}

    def logits(seen):
        carry, resets = network.initial_carry(1), jnp.ones((1,), jnp.bool_)
        return np.asarray(network.step(params, carry, interface.flatten(seen), resets)[1])[0]

    gained = logits(obs) - logits(nothing)
    assert len(set(gained.round(4))) == 4
    np.testing.assert_allclose(logits(turned) - logits(nothing), gained[order], atol=1e-5)


def test_of_a_set_the_order_means_nothing_and_nobody_adds_nothing():
    space = spaces.Dict({"card_sets": spaces.MultiDiscrete(np.full((2, 3), 7)), "x": spaces.Box(-1.0, 1.0, (5,))})
    interface = Interface.from_spaces(space, spaces.Discrete(4))
    network = build(interface, PPOConfig(embedding=3))
    params = network.init_params(jax.random.key(0))
    assert params["params"]["dense_0"]["kernel"].shape[0] == 2 * 3 + 5

    def value(sets):
        obs = {"card_sets": np.array([sets]), "x": np.zeros((1, 5), np.float32)}
        return float(network.step(params, network.initial_carry(1), interface.flatten(obs), jnp.ones((1,), bool))[2][0])

    first = value([[1, 2, 0], [5, 0, 0]])
    assert value([[0, 2, 1], [0, 5, 0]]) == pytest.approx(first, abs=1e-6)
    assert value([[1, 2, 2], [5, 0, 0]]) != pytest.approx(first, abs=1e-4)
    assert value([[5, 0, 0], [1, 2, 0]]) != pytest.approx(first, abs=1e-4)
    emptied = jax.tree.map(lambda leaf: leaf, params)
    table = emptied["params"]["embedding"]["ids_0"]["embedding"]
    emptied["params"]["embedding"]["ids_0"]["embedding"] = table.at[0].add(9.0)
    params = emptied
    assert value([[1, 2, 0], [5, 0, 0]]) == pytest.approx(first, abs=1e-6)


def test_other_parts_by_that_name_are_ordinary_ones():
    space = spaces.Dict({"actions": spaces.Box(-1.0, 1.0, (3, 2)), "x": spaces.Box(-1.0, 1.0, (5,))})
    interface = Interface.from_spaces(space, spaces.Discrete(4))
    assert not any(interface.says_of_actions(part) for part in interface.parts)
    assert "query" not in build(interface, PPOConfig()).init_params(jax.random.key(0))["params"]
