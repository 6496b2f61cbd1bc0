"""Hand: conformance, and its rules against a plain loop over the cards."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import masking
from rlenv_shared.testing.conformance import check_env
from rlenv_shared.testing.games import Hand
from rlenv_shared.testing.games.hand import DECK, GOAL, HAND, SCOUT, THIEF

pytestmark = pytest.mark.l1
ENV = Hand()
PARAMS = ENV.default_params


def plain(state, action):
    """One decision on lists: ``(hands, piles, points, pending, player, winner or None)``."""
    hands = [[int(c) for c in row] for row in state.hand]
    piles = [
        [int(c) for c in state.pile[p][int(state.drawn[p]) :]]
        + [int(c) for c in state.buried[p][max(int(state.drawn[p]) - len(DECK), 0) :] if c]
        for p in range(2)
    ]
    points, player, pending = [int(x) for x in state.points], int(state.current_player), int(state.pending)
    other = 1 - player

    def take(card):
        hands[player][hands[player].index(0)] = card

    if pending == THIEF:
        hands[other][action - HAND] = 0
        pending = 0
    elif pending == SCOUT:
        chosen = piles[player].pop(action - HAND)
        piles[player].append(piles[player].pop(0))
        take(chosen)
        pending = 0
    else:
        card = hands[player][action]
        hands[player][action] = 0
        if card <= 5:
            points[player] += card
        elif card == THIEF and any(hands[other]):
            pending = THIEF
        elif card == SCOUT and len(piles[player]) >= 2:
            pending = SCOUT
    winner = None
    if not pending:
        if piles[player] and 0 in hands[player]:
            take(piles[player].pop(0))
        if max(points) >= GOAL or not any(map(any, hands)):
            winner = int(np.sign(points[0] - points[1]))
        elif any(hands[other]):
            player = other
    return hands, piles, points, pending, player, winner


def test_every_decision_is_that_of_a_plain_loop():
    step = jax.jit(lambda s, a: ENV.transition(s, a, PARAMS))
    legal = jax.jit(lambda s: ENV.legal_actions(s, PARAMS))
    rng, met, winners = np.random.default_rng(0), set(), []
    for seed in range(60):
        state = jax.device_get(ENV.init((jnp.uint32(seed), jnp.uint32(1)), PARAMS))
        assert sorted(state.pile[0].tolist()) == sorted(DECK)
        while True:
            action = int(rng.choice(np.flatnonzero(legal(state))))
            hands, _, points, pending, player, winner = plain(state, action)
            met.add(int(state.pending))
            state, reward, over, info = jax.device_get(step(state, jnp.int32(action)))
            assert not info["illegal_action"]
            assert state.hand.tolist() == hands
            assert state.points.tolist() == points
            assert int(state.pending) == pending
            assert bool(over) == (winner is not None)
            if over:
                assert reward.tolist() == [winner, -winner]
                winners.append(winner)
                break
            assert int(state.current_player) == player
    assert met == {0, THIEF, SCOUT}
    assert set(winners) == {1, -1} or set(winners) == {1, 0, -1}


def test_it_conforms():
    check_env(ENV, num_steps=128, num_envs=8)


def test_a_thief_chooses_blindly_and_a_scout_sees_two_cards():
    state = ENV.init((jnp.uint32(3), jnp.uint32(1)), PARAMS)
    state = state.replace(current_player=jnp.int32(0), pending=jnp.int32(SCOUT))
    mine, theirs = (ENV.observe(state, p, PARAMS)["cards"] for p in (0, 1))
    assert mine[HAND:].tolist() == state.pile[0, HAND : HAND + 2].tolist()
    assert theirs[HAND:].tolist() == [0, 0]
    assert masking.first_legal(ENV.legal_actions(state, PARAMS)) == HAND
