"""Arrays without writes at traced places: flags as words, running counts, small numbers put into places."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from tcgjax import zones
from tcgjax.arrays import Record, arranged, first, lowest, nth_bit, ranks, running_sum, word_of
from tcgjax.layout import DECK, DISCARD, HAND, INSTANCES

pytestmark = pytest.mark.l1
FORMS = pytest.mark.parametrize("form", [np.asarray, jnp.asarray], ids=["numpy", "jax"])


@FORMS
@pytest.mark.parametrize("size", [1, 8, 24, 32, 40, 72])
def test_flags_are_found_and_counted(form, size):
    rng = np.random.default_rng(size)
    for share in (0.0, 0.1, 0.5, 1.0):
        flags = rng.random(size) < share
        true = np.flatnonzero(flags)
        assert int(first(form(flags))) == (true[0] if len(true) else -1)
        assert np.array_equal(ranks(form(flags)), np.cumsum(flags) - flags)
        assert np.array_equal(running_sum(form(flags.astype(np.int32))), np.cumsum(flags))


@FORMS
def test_bits_of_words_are_found(form):
    rng = np.random.default_rng(0)
    for share in (0.0, 0.1, 0.6, 1.0):
        flags = rng.random(32) < share
        word, true = word_of(form(flags)), np.flatnonzero(flags)
        assert int(word) == sum(1 << int(bit) for bit in true)
        assert int(lowest(word)) == (true[0] if len(true) else -1)
        for number in range(33):
            found = int(nth_bit(word, form(np.int32(number))))
            assert found == true[number] if number < len(true) else found >= 32


@FORMS
@pytest.mark.parametrize("size", [10, 20, 24])
def test_numbers_are_put_into_places(form, size):
    rng = np.random.default_rng(size)
    for count in (0, 1, size // 2, size):
        values = rng.integers(0, 255, size).astype(np.int32)
        places = rng.permutation(size).astype(np.int32)
        where = np.arange(size) < count
        expected = np.full((size,), -1)
        expected[places[where]] = values[where]
        assert np.array_equal(arranged(form(values), form(places), form(where), size), expected)


def dealt(seed):
    """Every card in a deck, a hand or a discard pile of its owner."""
    rng = np.random.default_rng(seed)
    zone = rng.choice([DECK, HAND, DISCARD], INSTANCES, p=[0.5, 0.2, 0.3]).astype(np.int32)
    position = np.zeros((INSTANCES,), np.int32)
    for player in (0, 1):
        for number in (DECK, HAND, DISCARD):
            here = np.flatnonzero((zone == number) & (player == zones.OWNER))
            position[here] = rng.permutation(len(here))
    return rng, Record(zone=zone, position=position)


def lists(game):
    """The cards of each player's zones in order."""
    return {
        (zone, player): [int(card) for card in zones.listed(game, zone, player, 20) if card >= 0]
        for zone in (DECK, HAND, DISCARD)
        for player in (0, 1)
    }


@pytest.mark.parametrize("seed", range(20))
def test_cards_taken_out_and_put_last_keep_their_order(seed):
    rng, game = dealt(seed)
    before = lists(game)
    chosen = (game.zone == DECK) & (rng.random(INSTANCES) < 0.4)
    order = game.position
    zones.take_out_all(game, chosen, DECK)
    zones.put_last_all(game, chosen, DISCARD, order)
    after = lists(game)
    for player in (0, 1):
        moved = [card for card in before[DECK, player] if chosen[card]]
        assert after[DECK, player] == [card for card in before[DECK, player] if not chosen[card]]
        assert after[DISCARD, player] == before[DISCARD, player] + moved
        assert after[HAND, player] == before[HAND, player]
        for place, card in enumerate(after[DISCARD, player]):
            assert int(zones.card_at(game, DISCARD, player, place)) == card


@pytest.mark.parametrize("held", [5, 8, 9, 10])
def test_cards_that_do_not_fit_into_the_hand_are_discarded(held):
    zone = np.full((INSTANCES,), DECK, np.int32)
    zone[:held], zone[17:20] = HAND, zones.LIMBO
    position = np.concatenate([np.arange(held), np.arange(INSTANCES - held)]).astype(np.int32)
    game = Record(zone=zone, position=position)
    back = zones.send(game, np.int32(0), [np.int32(card) for card in (18, -1, 17, 19)], [True, True, True, False])
    fits = [18, 17][: 10 - held]
    assert lists(game)[HAND, 0] == [*range(held), *fits]
    assert lists(game)[DISCARD, 0] == [*[18, 17][len(fits) :], 19]
    assert np.flatnonzero(back).tolist() == sorted(fits)
