"""Deck files, the heuristic, the board in words, a game in the terminal, win rates."""

from __future__ import annotations

import numpy as np
import pytest

from rlenv_shared.intervals import wilson
from tcgjax import DeckError, deck_files, engine, heuristic, pool, table_view, terminal
from tcgjax.codec import CODEC
from tcgjax.decks import Deck
from tcgjax.host import HostGame
from tcgjax.questions import ATTACH, END, PLAY, RETREAT

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
FILE = """# a deck
Energy: Grass
2 Bulbasaur A1 001
2 A1-002
2 A1-004
2 Petilil A1 029
2 A1-023
2 A1-219
2 P-A 001
2 P-A-002
2 P-A 005
2 P-A-007
"""


def test_deck_files_are_read():
    deck = deck_files.parse(FILE)
    assert isinstance(deck, Deck)
    assert len(deck.cards) == 20
    assert deck.energy == 1


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("Energy: Grass", "Energy: Gras", "line 2: got Gras"),
        ("2 A1-002", "two A1-002", "line 4: got two A1-002"),
        ("2 A1-002", "2 A1-999", "line 4: got A1 999, expected a card of A1, whose last is 286"),
        ("2 P-A-007\n", "", "got 18 cards"),
    ],
)
def test_bad_deck_files_are_refused(before, after, message):
    with pytest.raises(DeckError, match=message):
        deck_files.parse(FILE.replace(before, after))


def test_a_deck_is_found_by_id_or_file(tmp_path):
    path = tmp_path / "grass.txt"
    path.write_text(FILE)
    assert deck_files.find(str(path)) == deck_files.parse(FILE)
    assert deck_files.find("altaria") == pool()["altaria"]
    with pytest.raises(DeckError, match="deck nowhere"):
        deck_files.find("nowhere")


def test_the_pool_has_71_decks():
    assert len(pool()) == 71
    assert all(len(deck.cards) == 20 for deck in pool().values())


def choice(game: HostGame, seed: int) -> int:
    looked = engine.unpack(CODEC.pack(game.state), game.cards)
    with np.errstate(over="ignore"):
        return int(heuristic.choose(looked, game.state.actor.astype(np.int32), game.cards, np.uint32(seed)))


def test_the_heuristic_plays_cards_and_attaches_energy_before_it_ends_its_turn():
    decks = [pool()["altaria"], pool()["blastoiseex"]]
    game, taken = HostGame(decks, 3, (0, 1)), []
    for number in range(14):
        action = choice(game, number)
        assert action in game.options
        if game.state.turn > 0 and action == END:
            assert not any(PLAY <= option < RETREAT for option in game.options)
        taken.append(action)
        game.step(action)
    assert any(PLAY <= action < ATTACH for action in taken)
    assert any(ATTACH <= action < RETREAT for action in taken)


def test_a_game_in_the_terminal(capsys):
    answers = iter(["nonsense", *["0"] * 3])

    class EnoughError(Exception):
        pass

    def ask(prompt: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise EnoughError from None

    with pytest.raises(EnoughError):
        terminal.play_against(pool()["altaria"], pool()["blastoiseex"], 1, ask)
    shown = capsys.readouterr().out
    assert "a number from 0 to" in shown
    assert "opponent: 0 points" in shown
    assert "hand: " in shown


def test_the_board_shows_no_card_of_the_opponent_s_hand():
    game = HostGame([pool()["altaria"], pool()["blastoiseex"]], 3, (0, 1))
    hand = [int(i) for i in np.flatnonzero(game.state.zone == 1) if i >= 20]
    names = {table_view.name(game.state, i) for i in hand}
    own = {table_view.name(game.state, i) for i in range(20)}
    assert names - own
    assert not any(name in table_view.show(game.state, 0) for name in names - own)


def test_intervals_hold_the_share():
    for share, num in ((0.0, 10), (0.5, 100), (1.0, 50)):
        low, high = wilson(share, num)
        assert low <= share + 1e-9
        assert share - 1e-9 <= high
        assert low + 1e-9 >= 0.0
        assert high <= 1.0 + 1e-9
