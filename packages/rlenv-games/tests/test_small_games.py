"""The two games for two players: rules, and the conformance suite."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games import small_games
from rlenv_games.small_games import (
    CHARGE,
    FIRE,
    FULL,
    SHIELD,
    Standoff,
    StandoffState,
    TakeAway,
    TakeAwayState,
    duel,
)
from rlenv_shared import counter_rng
from rlenv_testing.conformance import CHECKS, check_env

pytestmark = pytest.mark.l1
RNG = tuple(jnp.asarray(word[0]) for word in counter_rng.from_seed(0))


@pytest.mark.parametrize("game", [Standoff(), TakeAway()], ids=["Standoff", "TakeAway"])
def test_games_conform(game):
    assert check_env(game, num_steps=64, num_envs=8) == [check.__name__ for check in CHECKS]


def test_every_decision_of_a_standoff():
    game = Standoff()
    step = jax.jit(lambda state, action: game.step_env(None, state, action, game.default_params))
    seen = set()
    for charge in itertools.product(range(FULL + 1), repeat=2):
        for action in itertools.product((CHARGE, SHIELD, FIRE), repeat=2):
            if any(a == FIRE and c == 0 for a, c in zip(action, charge, strict=True)):
                continue
            state = StandoffState(tuple(map(jnp.int32, charge)), jnp.bool_(False), jnp.int32(3), RNG)
            obs, after, reward, terminated, _ = step(state, jnp.array(action, jnp.int32))
            expected, winner = duel(charge, action)
            assert tuple(int(c) for c in after.charge) == expected, (charge, action)
            assert reward.tolist() == [winner, -winner], (charge, action)
            assert terminated == after.over == (winner != 0), (charge, action)
            mine, other = (np.float32(c) / np.float32(FULL) for c in expected)
            np.testing.assert_array_equal(obs, [[mine, other, 0.125], [other, mine, 0.125]])
            seen.add(winner)
    assert seen == {-1, 0, 1}


def test_a_shot_needs_a_charge():
    game = Standoff()
    state = StandoffState((jnp.int32(0), jnp.int32(1)), jnp.bool_(False), jnp.int32(0), RNG)
    assert game.legal_actions(state, game.default_params).tolist() == [[True, True, False], [True, True, True]]
    _, after, _, _, info = game.step_env(None, state, jnp.array([FIRE, SHIELD], jnp.int32), game.default_params)
    assert info["illegal_action"].tolist() == [True, False]
    assert after.charge[0] == 1  # CHARGE is the first legal action


def test_who_takes_the_last_wins():
    game = TakeAway()
    for pile, action, player in itertools.product(range(1, 8), range(3), range(2)):
        state = TakeAwayState(jnp.int32(pile), jnp.int32(player), jnp.int32(0), RNG)
        legal = game.legal_actions(state, game.default_params)
        assert legal.tolist() == [pile >= 1, pile >= 2, pile >= 3]
        _, after, reward, terminated, info = game.step_env(None, state, jnp.int32(action), game.default_params)
        taken = action + 1 if legal[action] else 1
        assert info["illegal_action"] == (not legal[action])
        assert (int(after.pile), int(after.current_player)) == (pile - taken, 1 - player)
        assert terminated == (pile == taken)
        won = [1.0 if i == player else -1.0 for i in range(2)] if pile == taken else [0.0, 0.0]
        assert reward.tolist() == won


def test_the_right_move_never_loses():
    """Backwards over all piles: a pile is lost where every move leaves a pile that the other wins."""
    game = TakeAway()
    lost = {0: True}
    for pile in range(1, small_games.MAX_PILE + 1):
        winning = [take for take in range(1, min(3, pile) + 1) if lost[pile - take]]
        lost[pile] = not winning
        state = TakeAwayState(jnp.int32(pile), jnp.int32(0), jnp.int32(0), RNG)
        assert int(game.right_move(state)) == (winning[0] - 1 if winning else -1)


def test_each_sees_the_position_with_their_own_eyes():
    game = TakeAway()
    state = TakeAwayState(jnp.int32(7), jnp.int32(1), jnp.int32(0), RNG)
    views = [game.observe(state, i, game.default_params) for i in (0, 1)]
    np.testing.assert_array_equal(views, [[*np.eye(22)[7], 0], [*np.eye(22)[7], 1]])
