"""The packed state: its size, its committed layout, and the arrays that are made of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rlenv_shared.packing import report
from tcgjax import xp
from tcgjax.codec import CODEC
from tcgjax.env import Tcg
from tcgjax.layout import HAND, LAYOUT
from tcgjax.questions import ABILITY, ATTACH, ATTACK, END, PLAY, RETREAT, TARGETS
from tcgjax.tables import Cards

pytestmark = pytest.mark.l1


def test_a_game_takes_at_most_700_bytes():
    assert LAYOUT.num_words * 4 <= 700


def test_layout_report_is_fresh():
    report.check(LAYOUT, Path(__file__).parents[2] / "docs" / "layout")


def test_arrays_are_what_the_layout_decodes():
    words = tuple(np.random.default_rng(3).integers(0, 2**32, (LAYOUT.num_words,), dtype=np.uint32))
    game, decoded = CODEC.unpack(words), LAYOUT.decode(words)
    assert game.energy.tolist() == [place["energy"] for place in decoded["place"]]
    assert game.zone_energy.tolist() == [side["zone_energy"] for side in decoded["side"]]
    assert game.fx_start.tolist() == [[e["fx_start"] for e in place["effect"]] for place in decoded["place"]]
    assert int(game.owed) == decoded["owed"]
    assert int(game.key0) == decoded["key0"]


def test_packing_keeps_every_field():
    words = tuple(np.random.default_rng(4).integers(0, 2**32, (LAYOUT.num_words,), dtype=np.uint32))
    game = CODEC.unpack(words)
    again = CODEC.unpack(CODEC.pack(game))
    for name in CODEC.shapes:
        assert np.array_equal(getattr(game, name), getattr(again, name)), name


def test_words_keep_the_fields_that_are_the_same_arrays():
    rng = np.random.default_rng(5)
    words = tuple(rng.integers(0, 2**32, (LAYOUT.num_words,), dtype=np.uint32))
    before, other = CODEC.unpack(words), CODEC.unpack(tuple(reversed(words)))
    assert all(new is old for new, old in zip(CODEC.repack(words, before, before.copy()), words, strict=True))
    for names in (["owed"], ["zone", "known"], ["draws", "winner", "fx_end"], list(CODEC.shapes)):
        after = before.copy()
        for name in names:
            setattr(after, name, getattr(other, name))
        packed = CODEC.repack(words, before, after)
        again = CODEC.unpack(packed)
        for name in CODEC.shapes:
            assert np.array_equal(getattr(again, name), getattr(other if name in names else before, name)), name


def test_work_that_differs_is_not_alike():
    """Of games that go on: what is next, and at which step."""
    env = Tcg(micro_steps=1)
    game = CODEC.empty()
    game.setup, game.main = np.int32(2), np.bool_(True)

    def alike():
        return int(env.alike(CODEC.pack(game), np.int32(END), env.default_params))

    kinds = [alike()]
    game.main, game.turn_step = np.bool_(False), np.int32(1)
    kinds.append(alike())
    game.turn_step = np.int32(2)
    kinds.append(alike())
    game.asked, game.stale = np.bool_(True), np.bool_(True)
    kinds.append(alike())
    game.stale = np.bool_(False)
    kinds.append(alike())
    assert len(set(kinds)) == len(kinds)


def test_games_are_alike_whose_decisions_are_of_one_kind():
    game, params = CODEC.empty(), Tcg().default_params
    game.main, game.deck = np.bool_(True), np.array([3, 4], np.int32)

    def alike(action):
        return int(Tcg().alike(CODEC.pack(game), np.int32(action), params))

    kinds = [alike(first) for first in (END, PLAY, PLAY + 1, ATTACH, RETREAT, ATTACK, ABILITY)]
    assert len(set(kinds)) == len(kinds)
    assert alike(ATTACH + 3) == kinds[3]
    cards = Cards(params.tables).deck(game.deck[0])
    assert cards[5] == cards[6] != cards[7]
    game.zone[5:8], game.position[5:8] = HAND, [0, 1, 2]
    assert alike(PLAY) == alike(PLAY + TARGETS) != alike(PLAY + 2 * TARGETS)
    game.programs = np.int32(1)
    assert alike(PLAY) not in kinds


def test_numbers_keep_the_dtype_of_arrays():
    assert xp.where(np.array([True, False]), 1, np.array([2, 3], np.int32)).dtype == np.int32
    assert xp.where(np.bool_(True), np.bool_(True), False).dtype == np.bool_
    assert xp.leading_zeros(np.uint32(1 << 28)) == 3
    assert xp.count_bits(np.uint32(0xF0F)) == 8
