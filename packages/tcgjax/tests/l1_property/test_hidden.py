"""What a player cannot know never shows in their observation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_testing import deadlines
from tcgjax import engine
from tcgjax.knowledge import flags_of
from tcgjax.layout import DECK, HAND
from tcgjax.tables import Cards
from tcgjax.verification.random_play import BATCH, ENV, STEPPED, look, play

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800), pytest.mark.usefixtures("stepped")]


@deadlines.once
def program():
    """Compiled ``(states, keys, player, params) -> (views before, views after, states after)`` of a batch."""

    def of(state, key, player, params):
        other = ENV.permute_hidden(state, key, player, params)
        views = jax.lax.map(lambda words: STEPPED.observe(words, player, params), jax.tree.map(both, state, other))
        return *(jax.tree.map(lambda leaf, i=i: leaf[i], views) for i in (0, 1)), other

    def both(*truths):
        return jnp.stack(truths)

    return jax.jit(jax.vmap(of, (0, 0, None, None)))


def of_both_players(state, key):
    """What `program` returns, for one player after the other."""
    return [program()(state, key, np.int32(player), ENV.default_params) for player in (0, 1)]


def moved(state, after):
    """How many of a batch's cards in hands and decks have another place."""
    games = [look(s) for s in (state, after)]
    hidden = (games[0].zone == DECK) | (games[0].zone == HAND)
    return int((hidden & ((games[0].zone != games[1].zone) | (games[0].position != games[1].position))).sum())


def check(steps, seed):
    """The number of states looked at; each is permuted for both players."""
    count = changed = 0
    for number, (state, *_) in enumerate(play(steps, seed)):
        keys = jax.random.split(jax.random.key(1000 * seed + number), BATCH)
        for before, after, other in of_both_players(state, keys):
            for name in before:
                assert np.array_equal(before[name], after[name]), name
            changed += moved(state, other)
        count += BATCH
    assert changed > 10 * count
    return count


def test_observations_do_not_depend_on_hidden_cards():
    assert check(20, 3) >= 1000


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_a_hundred_thousand_observations_do_not_depend_on_hidden_cards():
    assert check(1600, 4) >= 100_000


def test_permuted_cards_are_the_same_cards(played):
    state = played[40][0]
    keys = jax.random.split(jax.random.key(5), BATCH)
    games = look(state)
    for _, _, other in of_both_players(state, keys):
        after = look(other)
        for zone in range(7):
            sizes = [np.asarray((game.zone == zone).reshape(BATCH, 2, 20).sum(2)) for game in (games, after)]
            assert np.array_equal(*sizes)
        for name in ("cards", "tools", "energy", "damage", "legal", "sure", "some", "mixed"):
            assert np.array_equal(getattr(games, name), getattr(after, name))


def multiset(flags, copies):
    """Of each instance's card how many are flagged: [batch, 20]."""
    words = (flags * (1 << np.arange(20))).sum(-1).astype(np.uint32)
    return np.bitwise_count(copies & words[:, None])


def test_permuted_cards_fit_what_was_shown(stepped):
    """As many of "some" as must be are in the hand and on top of the deck, and what is surely held is held."""
    cards, seen = Cards(ENV.default_params.tables), 0
    copies_of = jax.jit(jax.vmap(lambda words: engine.unpack(words, cards).copies))
    for number, (state, *_) in enumerate(play(60, 11)[10:]):
        keys = jax.random.split(jax.random.key(number), BATCH)
        game, copies = look(state), np.asarray(copies_of(state))
        for player in (0, 1):
            after = look(of_both_players(state, keys)[player][2])
            foe = slice(20 * (1 - player), 20 * (2 - player))
            waits = (game.actor == player) & (game.turn > 0)
            hand, deck = ((after.zone[:, foe] == zone) for zone in (HAND, DECK))
            sure, some = (multiset(flags_of(getattr(game, name))[:, foe], copies[:, foe]) for name in ("sure", "some"))
            held, top = (multiset(flags, copies[:, foe]) for flags in (hand, deck))
            first = np.bitwise_count(copies[:, foe] & ((1 << np.arange(20)) - 1).astype(np.uint32)) == 0
            assert (sure <= held)[waits].all()
            in_hand = (np.minimum(np.maximum(0, held - sure), some) * first).sum(1)
            assert (in_hand >= game.in_hand[:, 1 - player])[waits].all()
            unknown = ~flags_of(game.known)[:, player, foe]
            in_top = deck & (after.position[:, foe] < game.depth[:, 1 - player, None]) & unknown
            top = multiset(in_top, copies[:, foe])
            assert ((np.minimum(top, some) * first).sum(1) >= game.in_deck[:, 1 - player]).all()
            seen += int((game.some[:, 1 - player] != 0).sum())
    assert seen > 100
