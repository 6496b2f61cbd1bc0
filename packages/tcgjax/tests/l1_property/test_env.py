"""The environment: rewards, ends, masks, illegal actions, the games that follow one another."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tcgjax
from rlenv_emit import emit_env
from rlenv_emit.env import EmittedEnv
from rlenv_shared import compiling
from rlenv_testing.random_play import RandomPlay
from rlenv_testing.traced_checks import check_action_dtypes
from tcgjax.codec import CODEC
from tcgjax.env import TcgParams
from tcgjax.observation import NUMBERS
from tcgjax.verification.random_play import BATCH, DRAWN, ENV, STEPPED, look, play, step_program

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]


def number(obs, name):
    """One of the numbers of observations."""
    begin = 0
    for other, (count, unit) in NUMBERS.items():
        if other == name:
            return obs["numbers"][..., begin : begin + count] * unit
        begin += count
    raise KeyError(name)


def test_games_end_with_a_winner_a_loser_or_a_tie(played):
    ends = 0
    for _, _, (_, _, reward, terminated, truncated, _) in played:
        assert np.array_equal(reward[:, 0], -reward[:, 1])
        assert set(np.unique(np.abs(reward[terminated]))) <= {0.0, 1.0}
        assert not reward[~terminated].any()
        assert not truncated.any()
        ends += terminated.sum()
    assert ends > 20


def test_a_new_game_follows_in_the_same_step(played):
    decks = set()
    for before, _, (_, after, _, terminated, _, info) in played:
        game, time = look(after), look(after).time
        assert (time[terminated] == 0).all()
        assert np.array_equal(time[~terminated], look(before).time[~terminated] + 1)
        assert np.array_equal(info["current_player"], game.actor.astype(np.int32))
        decks |= {tuple(pair) for pair in game.deck[terminated]}
    assert len(decks) > 15


def test_observations_are_in_their_space_and_of_who_is_asked(played):
    space = ENV.observation_space(ENV.default_params)
    for _, _, (obs, _, _, terminated, _, info) in played[::6]:
        for view in (obs, info["final_observation"]):
            for i in range(0, BATCH, 8):
                assert bool(space.contains({name: leaf[i] for name, leaf in view.items()}))
        assert (number(obs, "asked") == 1).all()
        assert (number(info["final_observation"], "asked")[:, 0] == ~terminated).all()


def test_nothing_overflows(played):
    assert not any(result[5]["overflow"].any() for _, _, result in played)


def test_an_illegal_action_is_the_first_legal_one(played):
    state, words = played[20][0], np.zeros((BATCH,), np.uint32)
    mask = np.asarray(jax.jit(jax.vmap(lambda s: ENV.legal_actions(s, None)))(state))
    illegal = np.where(mask.all(1), -1, np.argmin(mask, 1)).astype(np.int32)
    first = np.argmax(mask, 1).astype(np.int32)
    _, wrong = jax.device_get(step_program()(state, words, illegal, ENV.default_params))
    _, right = jax.device_get(step_program()(state, words, first, ENV.default_params))
    assert wrong[5]["illegal_action"].all()
    assert not right[5]["illegal_action"].any()
    assert all(np.array_equal(a, b) for a, b in zip(wrong[1], right[1], strict=True))


def test_points_and_knock_outs_are_rewarded_by_their_weights(stepped):
    weights = TcgParams(points_weight=np.float32(0.25), knock_out_weight=np.float32(0.5))
    plain, shaped = play(40, 11), play(40, 11, weights)
    more = 0.0
    for (_, _, first), (before, _, second) in zip(plain, shaped, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(first[1], second[1], strict=True))
        assert np.allclose(second[2][:, 0], -second[2][:, 1])
        on = ~first[3]
        games = [look(state) for state in (before, second[1])]
        points, lost = (np.asarray(getattr(games[1], n) - getattr(games[0], n)) for n in ("points", "lost_count"))
        wanted = 0.25 * (points[:, 0] - points[:, 1]) + 0.5 * (lost[:, 1] - lost[:, 0])
        assert np.allclose(second[2][on, 0], wanted[on])
        more += np.abs(second[2][on]).sum()
    assert more > 5


@pytest.mark.slow  # two minutes of g++; a quick one compares whole games of what make() gives with the reference
def test_what_make_gives_plays_as_native_steps_do(stepped):
    env = tcgjax.make()
    assert isinstance(env, EmittedEnv)  # instructions, where the tests run on a CPU
    assert env == STEPPED  # which `play` plays
    native = emit_env(ENV)
    step, ends = compiling.jit(jax.vmap(native.step, (None, 0, 0, None)), native), 0
    for state, action, found in play(90, 17):
        expected = jax.device_get(step(None, state, action, ENV.default_params))
        jax.tree.map(np.testing.assert_array_equal, found, expected)
        ends += found[3].sum()
    assert ends > 20


def test_decks_can_be_fixed(stepped):
    params = TcgParams(pair=np.array([3, -1], np.int32))
    state = play(1, 5, params)[0][0]
    decks = look(state).deck
    assert (decks[:, 0] == 3).all()
    assert len(set(decks[:, 1])) > 20


def test_a_new_generator_leaves_the_position_alone(played):
    state = played[10][0]
    keys = jax.random.split(jax.random.key(1), BATCH)
    again = jax.device_get(jax.vmap(ENV.reseed)(state, keys))
    games = [look(s) for s in (state, again)]
    for name in CODEC.shapes:
        same = np.array_equal(getattr(games[0], name), getattr(games[1], name))
        assert same == (name not in ("key0", "key1", "draws")), name


def test_states_copy_and_go_on_alike(played):
    state, words, drawn = played[30][0], np.arange(BATCH, dtype=np.uint32), np.full((BATCH,), DRAWN, np.int32)
    first, second = (jax.device_get(step_program()(s, words, drawn, ENV.default_params)) for s in (state, tuple(state)))
    assert jax.tree.all(jax.tree.map(np.array_equal, first, second))


def test_the_whole_truth_is_readable(played):
    state = tuple(word[0] for word in played[5][0])
    whole = ENV.observe_full(state)
    assert whole["turn"] == int(CODEC.unpack(state).turn)
    assert len(whole["place"]) == 8


def test_actions_of_64_bits_widen_nothing():
    check_action_dtypes(RandomPlay(ENV), ("int64",))
