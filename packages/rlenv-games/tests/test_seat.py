"""One seat of a game for two through Gymnasium, as pokejax and tcgjax are registered."""

from __future__ import annotations

import copy
import functools
import pickle

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from rlenv_games import Hand
from rlenv_games.small_games import Standoff, TakeAway
from rlenv_shared.adapters.gymnasium import GymEnv
from rlenv_shared.adapters.host import ResetNeededError
from rlenv_shared.adapters.seat import SeatEnv, SeatVectorEnv, drawn_legal, seat_entry_points
from rlenv_shared.both_seats import BothSeats
from rlenv_shared.errors import IllegalActionError, InvalidParamsError
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1

GAMES = {"turns": TakeAway, "simultaneous": Standoff, "hidden cards": Hand}


def both(script=None, foe_sees=False, game="turns"):
    return BothSeats(GAMES[game](), script, foe_sees)


def making(game):
    return functools.partial(both, game=game)


def chosen(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def equal(one, other):
    return jax.tree.all(jax.tree.map(np.array_equal, one, other))


def right_move(state, player, params, word):
    return TakeAway().right_move(state)


@pytest.mark.parametrize("game", GAMES)
def test_gymnasium_s_checker(game):
    check_env(SeatEnv(making(game)), skip_render_check=True)


@pytest.mark.parametrize("game", GAMES)
def test_environment_0_plays_what_a_single_one_plays_and_rewards_are_those_of_the_seat(game):
    many, one, rng = SeatVectorEnv(making(game), 5), SeatEnv(making(game)), np.random.default_rng(0)
    (obs, info), (first, _) = many.reset(seed=3), one.reset(seed=3)
    results = []
    for _ in range(150):
        assert many.single_observation_space.contains(jax.tree.map(lambda leaf: leaf[0], obs))
        assert equal(jax.tree.map(lambda leaf: leaf[0], obs), first)
        actions = chosen(info["action_mask"], rng)
        obs, reward, terminated, truncated, info = many.step(actions)
        first, own, ended, cut, _ = one.step(int(actions[0]))
        assert (own, ended, cut) == (reward[0], terminated[0], truncated[0])
        done = terminated | truncated
        if done.any():
            assert np.array_equal(info["_final_obs"], done)
        if ended or cut:
            assert equal(jax.tree.map(lambda leaf: leaf[0], info["final_obs"]), first)
            break
        results += reward[terminated].tolist()
        assert not reward[~done].any()
        assert not info["illegal_action"].any()


def test_both_win_against_random_play_about_as_often():
    env, rng = SeatVectorEnv(making("turns"), 64), np.random.default_rng(0)
    _, info = env.reset(seed=0)
    results = []
    for _ in range(80):
        _, reward, terminated, _, info = env.step(chosen(info["action_mask"], rng))
        results += reward[terminated].tolist()
    assert len(results) > 800
    assert set(results) == {-1.0, 1.0}
    assert abs(np.mean(results)) < 0.15


@pytest.mark.parametrize("opponent", ["expert", "function"])
def test_a_better_opponent_wins(opponent):
    def best(obs, masks):
        return np.maximum(obs[:, :-1].argmax(axis=1) % 4 - 1, 0)

    given = best if opponent == "function" else opponent
    env = SeatVectorEnv(making("turns"), 32, opponent=given, opponents={"expert": right_move})
    rng, results = np.random.default_rng(0), []
    _, info = env.reset(seed=0)
    for _ in range(60):
        _, reward, terminated, _, info = env.step(chosen(info["action_mask"], rng))
        results += reward[terminated].tolist()
    assert np.mean(results) < -0.6


def seats_of(env, episodes=6):
    found = []
    for _ in range(episodes):
        env.reset(seed=None if found else 5)
        found.append(int(env._games.seats[0]))
    return found


def test_seats():
    assert seats_of(SeatEnv(making("turns"))) == [0, 1, 0, 1, 0, 1]
    assert seats_of(SeatEnv(making("turns"), seat=1)) == [1] * 6
    drawn = seats_of(SeatEnv(making("turns"), seat="random"), 40)
    assert set(drawn) == {0, 1}
    assert drawn == seats_of(SeatEnv(making("turns"), seat="random"), 40)


def test_illegal_actions_are_replaced_and_told_or_refused():
    env = SeatEnv(making("turns"))
    _, info = env.reset(seed=0)
    while info["action_mask"].all():
        _, _, terminated, _, info = env.step(0)
        if terminated:
            _, info = env.reset()
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    strict = pickle.loads(pickle.dumps(env))
    strict.illegal_actions = "error"
    with pytest.raises(IllegalActionError, match="legal action"):
        strict.step(illegal)
    first = int(info["action_mask"].argmax())
    other = pickle.loads(pickle.dumps(env))
    told = env.step(illegal)
    assert told[4]["illegal_action"]
    assert equal(told[:4], other.step(first)[:4])


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_copies_go_on_alike(mode):
    env, rng = SeatVectorEnv(making("hidden cards"), 4, autoreset_mode=mode), np.random.default_rng(0)
    _, info = env.reset(seed=1)
    for _ in range(5):
        info = env.step(chosen(info["action_mask"], rng))[4]
    others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for _ in range(30):
        actions = chosen(info["action_mask"], rng)
        step = env.step(actions)
        info = step[4]
        assert all(equal(step, other.step(actions)) for other in others)


def test_next_step_returns_the_last_observation_and_begins_with_the_step_after():
    env, rng = SeatVectorEnv(making("turns"), 8, autoreset_mode=AutoresetMode.NEXT_STEP), np.random.default_rng(0)
    _, info = env.reset(seed=1)
    before = np.zeros(8, bool)
    seen = 0
    for _ in range(40):
        _, reward, terminated, truncated, info = env.step(chosen(info["action_mask"], rng))
        assert not reward[before].any()
        assert not (terminated | truncated)[before].any()
        assert "final_obs" not in info
        seen += before.sum()
        before = terminated | truncated
    assert seen > 40


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"opponent": "nobody"}, "opponent: got 'nobody'.*random"),
        ({"seat": 2}, "seat: got 2"),
        ({"seat": True}, "seat: got True"),
        ({"illegal_actions": "ignore"}, "illegal_actions"),
        ({"render_mode": "human"}, "render_mode"),
        ({"num_envs": 0}, "num_envs"),
    ],
)
def test_what_it_cannot_do_is_refused(options, words):
    with pytest.raises(InvalidParamsError, match=words):
        SeatVectorEnv(making("turns"), **{"num_envs": 2, **options})


def test_an_opponent_s_illegal_reply_is_refused_and_no_game_runs_before_its_reset():
    env = SeatEnv(making("turns"), opponent=lambda obs, masks: np.full(len(masks), 99), seat=1)
    with pytest.raises(ResetNeededError):
        env.step(0)
    with pytest.raises(IllegalActionError, match="opponent's actions"):
        env.reset(seed=0)  # the opponent is first to move, or answers the player's move
    with pytest.raises(InvalidParamsError, match="both seats of toy/Walk"):
        BothSeats(Walk())
    assert issubclass(GymEnv, gymnasium.Env)


def test_uniform_draws_are_legal_and_reach_everything():
    masks = np.array([[0, 1, 1, 0, 1]] * 3000, bool)
    words = np.random.default_rng(0).integers(0, 2**32, 3000, np.uint32)
    counts = np.bincount(drawn_legal(words, masks), minlength=5)
    assert not counts[[0, 3]].any()
    assert (counts[[1, 2, 4]] > 900).all()


def test_registered_games_are_made_and_copied():
    name = "test/TakeAway-v0"
    gymnasium.register(name, **seat_entry_points(both, {"expert": right_move}))
    try:
        one = gymnasium.make(name, opponent="expert", seat=0)
        many = gymnasium.make_vec(name, num_envs=2, game="simultaneous", vectorization_mode="vector_entry_point")
        one.reset(seed=0)
        many.reset(seed=0)
        assert equal(pickle.loads(pickle.dumps(one)).step(0)[:4], one.step(0)[:4])
        assert pickle.loads(pickle.dumps(many)).num_envs == 2
    finally:
        del gymnasium.registry[name]
