"""Effects that lie on a Pokémon: equal ones that last while it is Active share a row."""

from __future__ import annotations

import numpy as np
import pytest
from references.tcg_engine import adapter

from tcgjax import board
from tcgjax.codec import CODEC
from tcgjax.codes import Duration, Kind, Op
from tcgjax.layout import EFFECTS, FOREVER
from tcgjax.verification.lasting import shared_rows

pytestmark = pytest.mark.l1

PLACES = np.arange(8) == 4


@pytest.mark.reference("tcg_engine")
def test_what_lasts_while_active_is_added_up_or_does_not_stack():
    """A row that is shared says how often; only damage asks (`modifiers.take_damage_rules`)."""
    table = adapter.engine().table()
    laying = [
        row for program in table.programs for row in program if row.op in (Op.TIMED, Op.TIMED_PLAYER, Op.LOCK_ATTACK)
    ]
    lasting = [row for row in laying if row.amount == Duration.WHILE_ACTIVE]
    assert {row.op for row in lasting} == {Op.TIMED}  # on Pokémon, and of no attack that was drawn
    modifiers = [table.modifiers[row.arg] for row in lasting]
    assert {modifier.kind for modifier in modifiers} == {Kind.DAMAGE_OUT, Kind.ATTACK_COIN, Kind.NO_ABILITY}
    assert all(modifier.amount for modifier in modifiers if modifier.kind == Kind.ATTACK_COIN)  # one coin at most


def laid(*effects):
    """A game in which effects were laid on place 4: modifier, first turn, last turn, owner."""
    game = CODEC.empty()
    for modifier, start, end, owner in effects:
        board.lay_effects(game, PLACES, np.int32(modifier), (np.int32(start), np.int32(end)), np.int32(owner))
    return game


def rows(game):
    columns = (game.fx_modifier, game.fx_start, game.fx_end, game.fx_owner)
    return [tuple(int(column[4, i]) for column in columns) for i in range(EFFECTS) if game.fx_modifier[4, i]]


def test_equal_effects_share_a_row():
    effects = [(7, turn, FOREVER, 0) for turn in range(5, 25, 2)]
    effects[3:3] = [(7, 6, FOREVER, 1), (9, 8, FOREVER, 0), (7, 9, 9, 0)]
    game = laid(*effects)
    expected = [(7, 5, FOREVER + 9, 0), (7, 6, FOREVER, 1), (9, 8, FOREVER, 0), (7, 9, 9, 0)]
    assert rows(game) == expected
    assert [row[:4] for row in shared_rows((*effect, 0) for effect in effects)] == expected
    assert not game.overflow
    assert [int(board.laid_times(game, np.int32(4 * EFFECTS + i))) for i in range(EFFECTS)] == [10, 1, 1, 1]
    assert int(board.laid_times(game, np.int32(-1))) == 1


def test_effects_of_one_turn_lie_beside_one_another():
    effects = [(7, 5, 5, 0)] * EFFECTS
    assert rows(laid(*effects)) == effects == [row[:4] for row in shared_rows((*effect, 0) for effect in effects)]
    assert not laid(*effects).overflow
    assert laid(*effects, (7, 5, 5, 0)).overflow
