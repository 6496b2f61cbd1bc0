"""Hidden L1: legal actions and bets against the original's round, from every reachable pair of bets."""

import itertools

import jax.numpy as jnp
import pytest
from leduc.betting import bet, legal
from leduc.state import State
from rlcard.games.leducholdem import Player, Round

NAMES = ("call", "raise", "fold", "check")
BETS = [(1, 2), (2, 2), (4, 2), (4, 6), (0, 0), (4, 0), (4, 8), (8, 8), (6, 6)]


@pytest.mark.parametrize(("raised", "player", "raises"), list(itertools.product(BETS, (0, 1), (0, 1, 2))))
def test_a_bet_is_the_originals(raised, player, raises):
    number = 1 if 0 in raised or 8 in raised else 0
    for action, name in enumerate(NAMES):
        original = Round(2 if number == 0 else 4, 2, 2, None)
        original.start_new_round(player, raised=list(raised))
        original.have_raised, original.not_raise_num = raises, 0
        players = [Player(i, None) for i in range(2)]
        for one, chips in zip(players, raised, strict=True):
            one.in_chips = chips
        state = State(
            jnp.array([0, 2], jnp.int32), jnp.int32(4), jnp.array(raised, jnp.int32), jnp.array(raised, jnp.int32),
            jnp.zeros(2, bool), jnp.int32(player), jnp.int32(raises), jnp.int32(0), jnp.int32(number),
        )  # fmt: skip
        allowed = original.get_legal_actions()
        assert {NAMES[i] for i, one in enumerate(legal(state).tolist()) if one} == set(allowed)
        if name not in allowed:
            continue
        original.proceed_round(players, name)
        after = bet(state, jnp.int32(action))
        assert after.raised.tolist() == original.raised
        assert after.chips.tolist() == [one.in_chips for one in players]
        assert after.folded.tolist() == [one.status == "folded" for one in players]
        assert (int(after.raises), int(after.quiet)) == (original.have_raised, original.not_raise_num)
        assert int(after.player) == original.game_pointer
