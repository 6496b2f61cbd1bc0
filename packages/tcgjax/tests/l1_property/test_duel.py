"""One seat against a script: the same games in both engines, whoever the opponent is, and returns that are results."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_learn.league import uniform_policy
from rlenv_shared.counter_rng import seed_words
from rlenv_shared.verification import locate
from tcgjax import engine, heuristic
from tcgjax.codec import CODEC
from tcgjax.decks import pool
from tcgjax.host import HostGame
from tcgjax.questions import NUM_ACTIONS, as_mask
from tcgjax.verification import same_games, search
from tcgjax.verification.duel import Duel
from tcgjax.verification.host_duel import ReferenceDuel
from tcgjax.verification.reference_players import Players

pytestmark = [pytest.mark.l1, pytest.mark.timeout(900)]
GAMES = 16
FORM = "bytecode"


@pytest.mark.parametrize("form", [FORM, pytest.param(None, marks=pytest.mark.slow, id="native")])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_policy_plays_the_same_games_in_both_engines(share, form):
    env = Duel(form=form, heuristic=share, points_weight=0.125)
    found = same_games.play_both(uniform_policy(env), env, GAMES, seed=3)
    assert not found.differences
    assert found.games == GAMES
    assert set(found.returns) <= {-1.0, 0.0, 1.0}  # what points bring on the way is taken back


def test_an_opponent_that_draws_otherwise_makes_other_games(monkeypatch):
    last = lambda players, game, word: game.choice.options[-1]  # noqa: E731
    monkeypatch.setattr(Players, "random", last)
    env = Duel(form=FORM, heuristic=0.0, points_weight=0.125)
    assert same_games.play_both(uniform_policy(env), env, GAMES, seed=3).differences


def test_what_a_search_chooses_are_the_game_s_own_actions(monkeypatch):
    def last(rows, key, params, truths, simulations):
        legal = jax.vmap(lambda row: as_mask(CODEC.unpack(tuple(row)).legal))(rows)
        return NUM_ACTIONS - 1 - jnp.argmax(legal[:, ::-1], axis=1).astype(jnp.int32)

    monkeypatch.setattr(search, "search", last)
    monkeypatch.setattr(search, "Duel", functools.partial(Duel, form=FORM))
    expected = []
    for word0, word1 in zip(*seed_words(3, GAMES), strict=True):
        duel = ReferenceDuel(Duel(heuristic=0.0).default_params)
        duel.deal(word0, word1)
        reward = 0.0
        while not duel.over:
            reward = duel.step(duel.game.choice.options[-1])
        expected.append(reward)
    assert search.play(GAMES, 3, truths=1, simulations=1).tolist() == expected
    assert {-1.0, 1.0} <= set(expected)


def test_an_illegal_action_becomes_the_first_legal_one():
    duels = [ReferenceDuel(Duel().default_params) for _ in range(2)]
    for duel in duels:
        duel.deal(5, 0)
    first = duels[0].game.choice.options[0]
    illegal = next(action for action in range(144) if action not in duels[0].game.choice.options)
    assert duels[0].step(illegal) == duels[1].step(first)
    assert duels[0].game.choice == duels[1].game.choice


def test_the_heuristic_in_the_reference_takes_the_same_actions():
    adapter = locate.reference("tcg_engine")
    reference, players = adapter.engine(), Players(adapter.part("modifiers").max_hp)
    decks, decisions = [deck for _, deck in sorted(pool().items())], 0
    for seed, two in enumerate([(5, 14), (30, 69), (48, 1)]):
        ours = HostGame(decks, seed, two)
        game = reference.new_game(*(reference.Deck(decks[n].cards, decks[n].energy) for n in two), seed)
        while game.winner < 0:
            word = np.uint32((2654435761 * (decisions + 1)) % 2**32)
            looked = engine.unpack(CODEC.pack(ours.state), ours.cards)
            with np.errstate(over="ignore"):
                action = int(heuristic.choose(looked, looked.actor.astype(np.int32), ours.cards, word))
            assert players.heuristic(game, word) == action
            ours.step(action)
            reference.step(game, action)
            decisions += 1
    assert decisions > 100
