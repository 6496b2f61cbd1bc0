"""L1: legal actions and chips."""

import jax.numpy as jnp
import pytest
from leduc.betting import bet, legal, over
from leduc.state import CALL, CHECK, FOLD, RAISE, State


def state(raised=(1, 2), player=0, raises=0, quiet=0, round=0, folded=(False, False), chips=None):
    return State(
        jnp.array([0, 2], jnp.int32), jnp.int32(4), jnp.array(chips or raised, jnp.int32), jnp.array(raised, jnp.int32),
        jnp.array(folded), jnp.int32(player), jnp.int32(raises), jnp.int32(quiet), jnp.int32(round),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ({}, {CALL, RAISE, FOLD}),
        ({"raised": (2, 2), "player": 1, "quiet": 1}, {RAISE, FOLD, CHECK}),
        ({"raised": (4, 2), "player": 1, "raises": 1}, {CALL, RAISE, FOLD}),
        ({"raised": (4, 6), "raises": 2}, {CALL, FOLD}),
        ({"raised": (0, 0), "round": 1, "chips": (6, 6)}, {RAISE, FOLD, CHECK}),
        ({"folded": (True, False)}, set()),
        ({"round": 2}, set()),
    ],
)
def test_legal_actions(given, allowed):
    assert {i for i, one in enumerate(legal(state(**given)).tolist()) if one} == allowed


@pytest.mark.parametrize(
    ("given", "action", "raised", "chips", "raises", "quiet"),
    [
        ({}, CALL, [2, 2], [2, 2], 0, 1),
        ({}, RAISE, [4, 2], [4, 2], 1, 1),
        ({"raised": (2, 2), "player": 1, "quiet": 1}, CHECK, [2, 2], [2, 2], 0, 2),
        ({"raised": (2, 2), "player": 1, "quiet": 1}, RAISE, [2, 4], [2, 4], 1, 1),
        ({"raised": (0, 0), "round": 1, "chips": (2, 2), "player": 1}, RAISE, [0, 4], [2, 6], 1, 1),
        ({"raised": (0, 4), "round": 1, "chips": (2, 6), "raises": 1}, RAISE, [8, 4], [10, 6], 2, 1),
    ],
)
def test_chips_and_counters(given, action, raised, chips, raises, quiet):
    after = bet(state(**given), jnp.int32(action))
    assert after.raised.tolist() == raised
    assert after.chips.tolist() == chips
    assert (int(after.raises), int(after.quiet)) == (raises, quiet)
    assert int(after.player) == 1 - given.get("player", 0)


def test_a_fold_ends_the_game_and_asks_the_other():
    after = bet(state(), jnp.int32(FOLD))
    assert after.folded.tolist() == [True, False]
    assert bool(over(after))
    assert int(after.player) == 1
    assert not bool(over(state()))
    assert bool(over(state(round=2)))
