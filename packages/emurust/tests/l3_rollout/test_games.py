"""What the full verification does with whole games, on ROMs of our own and for few frames."""

import pytest

from emurust.verification import collection, games, states
from emurust.verification.journal import Journal

pytestmark = [pytest.mark.l3, pytest.mark.reference("pyboy")]

ROMS = dict(collection.own())


def test_a_game_agrees_in_every_setting(adapter, tmp_path):
    game = [("windfall.gb", ROMS["windfall.gb"])]
    found = games.survey(Journal(tmp_path / "games.jsonl", ""), game, 120)
    counts = found["roms"]["windfall.gb"]["settings"]
    assert len(counts) == 2 * 2 * len(games.STEPPING)
    assert all(one["mismatches"] == 0 for one in counts.values()), counts
    assert counts["colour, silent, skip 24, last drawn"]["steps"] == 2 * 5


@pytest.mark.parametrize(("name", "color"), [("mbc5_rumble.gb", False), ("hdma.gb", True), ("mbc3_clock.gb", False)])
def test_saved_states_go_on_as_if_nothing_happened(name, color, adapter):
    assert states.compare_states(ROMS[name], color, frames=150, saves=4) == 0
