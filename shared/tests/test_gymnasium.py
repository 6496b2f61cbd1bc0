"""Gymnasium adapters."""

from __future__ import annotations

import warnings

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from rlenv_shared import counter_rng
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv, ResetNeededError, gymnasium_entry_points
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError
from rlenv_testing.walk import LEFT, RIGHT, STAY, Params, Reach, Walk

pytestmark = pytest.mark.l1
WALK, REACH = Walk(), Reach()


class Unmasked(Walk):
    """Left is always legal, so there is no mask to show."""

    def legal_actions(self, state, params):
        return jnp.ones((3,), jnp.bool_)


UNMASKED = Unmasked()


def legal(info, rng):
    """A random legal action for each row of the mask."""
    scores = rng.random(info["action_mask"].shape) * info["action_mask"]
    return scores.argmax(-1)


@pytest.mark.parametrize("env", [UNMASKED, REACH], ids=["Walk", "Reach"])
def test_gymnasium_s_checker_passes_without_a_warning(env):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(spec|Box observation space m|symmetric and normalized).*")
        check_env(GymEnv(env), skip_render_check=True)


def test_a_seed_is_reproducible_and_no_seed_goes_on():
    env, other = GymEnv(UNMASKED), GymEnv(UNMASKED)
    params = [env.reset(seed=7)[0] for env in (env, other)]
    assert np.array_equal(*params)
    firsts = [int(env._state.hidden), *(int(env.reset() and env._state.hidden) for _ in range(20))]
    again = [int(other._state.hidden), *(int(other.reset() and other._state.hidden) for _ in range(20))]
    assert firsts == again
    assert len(set(firsts)) == 21
    env.reset(seed=8)
    assert int(env._state.hidden) not in firsts


def test_without_a_seed_two_environments_differ():
    hidden = {int(env._state.hidden) for env in (GymEnv(WALK), GymEnv(WALK), GymEnv(WALK)) if env.reset()}
    assert len(hidden) == 3


def test_a_constructor_seed_is_used_by_the_first_reset():
    env, other = GymEnv(WALK, seed=3), GymEnv(WALK)
    env.reset()
    other.reset(seed=3)
    assert int(env._state.hidden) == int(other._state.hidden)


def test_the_generators_are_those_of_from_seed():
    """So that C and Rust ports and both adapters agree on what a seed means."""
    vector, single = GymVectorEnv(WALK, 5), GymEnv(WALK)
    vector.reset(seed=2**33 + 1)
    single.reset(seed=2**33 + 1)
    key0, key1, _ = counter_rng.from_seed(2**33 + 1, 5)
    assert np.array_equal(vector._state.rng[0], key0)
    assert np.array_equal(vector._state.rng[1], key1)
    assert single._state.rng[0] == key0[0]


def test_the_single_environment_is_the_native_one():
    env = GymEnv(WALK)
    obs, info = env.reset(seed=1)
    rng = tuple(word[0] for word in counter_rng.from_seed(1))
    state = WALK.begin(tuple(map(jnp.asarray, rng)), WALK.default_params)
    native_obs = WALK.view(state, WALK.default_params)
    assert np.array_equal(obs, native_obs)
    host, over = np.random.default_rng(0), False
    while not over:
        action = legal(info, host)
        obs, reward, terminated, truncated, info = env.step(action)
        native_obs, state, native_reward, native_terminated, _ = WALK.step_env(
            None, state, jnp.int32(action), WALK.default_params
        )
        assert np.array_equal(obs, native_obs)
        assert reward == native_reward
        assert terminated == native_terminated
        assert truncated == (state.time >= 12)
        assert np.array_equal(info["action_mask"], WALK.legal_actions(state, WALK.default_params))
        over = terminated or truncated
    assert type(reward) is float
    assert type(terminated) is type(truncated) is bool


def test_arrays_belong_to_the_caller():
    env, vector = GymEnv(WALK), GymVectorEnv(WALK, 3)
    obs, _ = env.reset(seed=0)
    later, *_ = env.step(STAY)
    obs[:] = later[:] = 99
    batch, _ = vector.reset(seed=0)
    kept, *_ = vector.step(np.full(3, STAY))
    before = kept.copy()
    batch[:] = 99
    vector.step(np.full(3, RIGHT))
    assert np.array_equal(kept, before)
    assert env.step(STAY)[0].max() < 99


def test_the_single_environment_does_not_reset_itself():
    env = GymEnv(WALK, Params(max_steps_in_episode=1))
    with pytest.raises(ResetNeededError, match="call reset"):
        env.step(STAY)
    env.reset()
    assert env.step(STAY)[3] is True
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(STAY)
    with pytest.raises(EnvError):
        env.step(STAY)
    env.reset()
    env.step(STAY)


def test_vector_equals_single_environments_until_they_end():
    vector = GymVectorEnv(WALK, 4)
    obs, info = vector.reset(seed=[3, 4, 5, 6])
    singles = [GymEnv(WALK) for _ in range(4)]
    for env, seed, row in zip(singles, (3, 4, 5, 6), obs, strict=True):
        assert np.array_equal(env.reset(seed=seed)[0], row)
    host, running = np.random.default_rng(1), np.ones(4, bool)
    while running.any():
        actions = legal(info, host)
        obs, rewards, terminated, truncated, info = vector.step(actions)
        for i in np.flatnonzero(running):
            one = singles[i].step(actions[i])
            ended = one[2] or one[3]
            row = info["final_obs"][i] if ended else obs[i]
            assert np.array_equal(one[0], row)
            assert (one[1], one[2], one[3]) == (rewards[i], terminated[i], truncated[i])
            running[i] = not ended


def test_same_step_reset_and_final_observations():
    env = GymVectorEnv(WALK, 32)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    _, info = env.reset(seed=0)
    host, ends = np.random.default_rng(0), 0
    for _ in range(60):
        obs, rewards, terminated, truncated, info = env.step(legal(info, host))
        assert obs.dtype == rewards.dtype == np.float32
        assert terminated.dtype == truncated.dtype == bool
        done = terminated | truncated
        assert ("final_obs" in info) == ("_final_obs" in info) == done.any()
        assert info["action_mask"].dtype == np.int8
        assert np.array_equal(info["action_mask"][:, LEFT] == 0, obs[:, 0] == 0)
        assert np.array_equal(obs[:, 1] == 0, done)
        if done.any():
            ends += done.sum()
            assert np.array_equal(info["_final_obs"], done)
            assert np.array_equal(info["_final_info"], done)
            assert (info["final_obs"][done, 1] > 0).all()
            assert np.array_equal(info["final_obs"][~done], obs[~done])
            assert np.array_equal(terminated[done], info["final_obs"][done, 0] >= 6)
    assert ends > 100


def test_native_info_reaches_the_user_with_gymnasium_s_masks():
    class Chatty(Walk):
        def transition(self, *args):
            state, *rest, info = super().transition(*args)
            return state, *rest, {**info, "wind": state.cell}

    env = GymVectorEnv(Chatty(), 2, Params(max_steps_in_episode=1))
    _, info = env.reset(seed=0)
    assert "wind" not in info
    *_, info = env.step([STAY, STAY])
    assert not info["_wind"].any()
    assert info["final_info"]["_wind"].all()
    assert np.array_equal(info["final_info"]["wind"], info["final_obs"][:, 0])
    assert "illegal_action" not in info


def test_vector_seeds():
    env, other = GymVectorEnv(WALK, 64), GymVectorEnv(WALK, 64)
    for vector in (env, other):
        vector.reset(seed=5)
    first = np.array(env._state.hidden)
    assert np.array_equal(first, other._state.hidden)
    env.reset()
    second = np.array(env._state.hidden)
    assert not np.intersect1d(first, second).size
    env.reset(seed=list(range(64)))
    by_list = np.array(env._state.hidden)
    env.reset()
    assert not np.intersect1d(by_list, env._state.hidden).size
    fresh = GymVectorEnv(WALK, 64), GymVectorEnv(WALK, 64)
    assert not np.array_equal(*(vector.reset() and np.array(vector._state.hidden) for vector in fresh))


def test_record_episode_statistics_single_and_vector():
    single = gymnasium.wrappers.RecordEpisodeStatistics(GymEnv(REACH))
    single.reset(seed=0)
    total = sum(single.step(np.zeros(2, np.float32))[1] for _ in range(2))
    _, reward, _, truncated, info = single.step(np.zeros(2, np.float32))
    assert truncated
    assert info["episode"]["l"] == 3
    assert info["episode"]["r"] == pytest.approx(total + reward)

    vector = gymnasium.wrappers.vector.RecordEpisodeStatistics(GymVectorEnv(UNMASKED, 16))
    vector.reset(seed=0)
    seen = np.zeros(16, bool)
    for _ in range(12):
        *_, terminated, truncated, info = vector.step(np.full(16, RIGHT))
        done = terminated | truncated
        if done.any():
            assert np.array_equal(info["_episode"], done)
        first = done & ~seen  # later episodes lack their first step up to Gymnasium 1.3.0
        if first.any():
            steps = info["final_obs"][first, 1]
            assert np.array_equal(info["episode"]["l"][first], steps)
            assert np.allclose(info["episode"]["r"][first], 1 - 0.125 * (steps - 1))
        seen |= done
    assert seen.all()


def test_dictionary_observations_are_batched():
    env = GymVectorEnv(REACH, 3)
    obs, _ = env.reset(seed=0)
    assert obs in env.observation_space
    for _ in range(3):
        obs, _, _, truncated, info = env.step(np.zeros((3, 2), np.float32))
    assert truncated.all()
    assert obs in env.observation_space
    assert info["final_obs"]["time"].tolist() == [3, 3, 3]


DISCRETE_BAD = [3, -1, 1.0, np.nan, [1], None, "1", True, np.float32(1), 2**40]
BOX_BAD = [
    np.zeros(3, np.float32),
    np.zeros((), np.float32),
    np.array([0, np.nan], np.float32),
    np.array([0, np.inf], np.float32),
    np.array([0, 4.5]),
    np.array([True, False]),
    ["a", "b"],
    None,
]


@pytest.mark.parametrize("action", DISCRETE_BAD, ids=repr)
def test_bad_discrete_actions_are_refused_and_change_nothing(action):
    env, vector = GymEnv(UNMASKED), GymVectorEnv(UNMASKED, 2)
    for one, bad in ((env, action), (vector, [action, action])):
        one.reset(seed=0)
        before = jax.tree.map(np.array, one._state)
        with pytest.raises(IllegalActionError, match=r"action \w+: got .*, expected .*; "):
            one.step(bad)
        assert jax.tree.all(jax.tree.map(np.array_equal, before, one._state))


@pytest.mark.parametrize("action", BOX_BAD, ids=repr)
def test_bad_continuous_actions_are_refused(action):
    env, vector = GymEnv(REACH), GymVectorEnv(REACH, 2)
    for one, bad in ((env, action), (vector, [action, action])):
        one.reset(seed=0)
        with pytest.raises(IllegalActionError, match=r"action \w+: got .*, expected .*; "):
            one.step(bad)


def test_actions_that_are_not_legal_now_are_refused():
    env = GymEnv(WALK, Params(max_steps_in_episode=100, goal=100))
    _, info = env.reset(seed=0)
    while info["action_mask"][LEFT]:
        info = env.step(LEFT)[4]
    with pytest.raises(IllegalActionError, match="action_mask"):
        env.step(LEFT)
    vector = GymVectorEnv(WALK, 64)
    _, info = vector.reset(seed=0)
    assert not info["action_mask"][:, LEFT].all()
    with pytest.raises(IllegalActionError, match="action_mask"):
        vector.step(np.full(64, LEFT))


@pytest.mark.parametrize("action", [np.int64(1), np.uint8(1), np.array(1), 1])
def test_integers_of_any_width_are_taken(action):
    env = GymEnv(WALK)
    env.reset(seed=0)
    env.step(action if env._mask[1] else STAY)


def test_masks_are_shown_only_where_they_depend_on_the_state():
    assert "action_mask" in GymEnv(WALK).reset()[1]
    assert "action_mask" not in GymEnv(UNMASKED).reset()[1]
    assert "action_mask" not in GymVectorEnv(REACH, 2).reset()[1]


def test_one_program_per_environment_and_batch_size():
    env = Walk()
    for num_envs in (3, 3, 4):
        vector = GymVectorEnv(env, num_envs)
        vector.reset(seed=0)
        before = vector._programs.host_step_many._cache_size()
        for _ in range(5):
            vector.step(np.full(num_envs, STAY))
        vector.reset()
        vector.step(np.full(num_envs, STAY))
        compiled = vector._programs.host_step_many._cache_size() - before
        assert compiled == (0 if num_envs == 3 and getattr(env, "seen", False) else 1)
        env.seen = True


@pytest.mark.parametrize(
    "build",
    [
        lambda: GymVectorEnv(WALK, 0),
        lambda: GymVectorEnv(WALK, -3),
        lambda: GymVectorEnv(WALK, 2.5),
        lambda: GymEnv(WALK, render_mode="human"),
        lambda: GymVectorEnv(REACH, 2, render_mode="rgb_array"),
        lambda: GymEnv(WALK).reset(seed=-1),
        lambda: GymEnv(WALK).reset(seed=2**64),
        lambda: GymEnv(WALK).reset(seed=1.5),
        lambda: GymEnv(WALK, seed="x"),
        lambda: GymVectorEnv(WALK, 2).reset(seed=[1]),
        lambda: GymVectorEnv(WALK, 2).reset(seed=[1, -1]),
        lambda: GymEnv(WALK).reset(options={"x": 1}),
        lambda: GymVectorEnv(WALK, 2).reset(options={"reset_mask": np.ones(2, bool)}),
    ],
)
def test_impossible_arguments_are_refused(build):
    with pytest.raises(InvalidParamsError, match=r"got .*, expected .*; "):
        build()


def test_several_players_are_refused():
    class Two(Walk):
        turn_order, num_players = TurnOrder.SIMULTANEOUS, 2

    for build in (lambda: GymEnv(Two()), lambda: GymVectorEnv(Two(), 2)):
        with pytest.raises(InvalidParamsError, match="one player"):
            build()


def test_rendering():
    env = GymEnv(WALK, render_mode="rgb_array")
    with pytest.raises(ResetNeededError):
        env.render()
    obs, _ = env.reset(seed=0)
    frame = env.render()
    assert frame.dtype == np.uint8
    assert frame[0, int(obs[0]) * 8, 0] == 255
    assert GymEnv(WALK).metadata["render_modes"] == ["rgb_array"]
    assert GymEnv(REACH).metadata["render_modes"] == []
    vector = GymVectorEnv(WALK, 3, render_mode="rgb_array")
    with pytest.raises(ResetNeededError):
        vector.render()
    obs, _ = vector.reset(seed=0)
    assert [frame[0, int(cell) * 8, 0] for frame, cell in zip(vector.render(), obs[:, 0], strict=True)] == [255] * 3
    assert GymVectorEnv(WALK, 3).render() is None


def test_the_frame_after_the_end_is_the_final_one():
    env = GymEnv(WALK, Params(goal=1), render_mode="rgb_array")
    env.reset(seed=0)
    obs, _, terminated, *_ = env.step(RIGHT)
    assert terminated
    assert env.render()[0, int(obs[0]) * 8, 0] == 255


@pytest.fixture
def gym_id():
    name = "toy/Walk-v0"
    gymnasium.register(id=name, **gymnasium_entry_points(Walk))
    yield name
    del gymnasium.registry[name]


def test_registration_gives_single_and_vector_environments(gym_id):
    env = gymnasium.make(gym_id, render_mode="rgb_array", params=Params(max_steps_in_episode=2))
    env.reset(seed=0)
    env.step(STAY)
    assert env.step(STAY)[3]
    assert env.render().shape == (8, 80, 3)
    vector = gymnasium.make_vec(gym_id, num_envs=3)
    assert isinstance(vector.unwrapped, GymVectorEnv)
    assert vector.reset(seed=0)[0].shape == (3, 2)
    with pytest.raises(TypeError, match="bogus"):
        gymnasium.make(gym_id, bogus=1)
