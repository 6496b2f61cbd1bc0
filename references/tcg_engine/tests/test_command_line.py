"""``python -m tcg_engine``."""

from __future__ import annotations

import builtins

import pytest
from references.tcg_engine.tests.play import FIRE, GRASS

from tcg_engine.__main__ import main


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, energy, cards in (("grass", "Grass", GRASS), ("fire", "Fire", FIRE)):
        path = tmp_path / f"{name}.txt"
        path.write_text(f"Energy: {energy}\n" + "".join(f"{count} {card}\n" for card, count in cards))
        paths.append(str(path))
    return paths


def test_simulate_counts_every_game(files, capsys):
    assert main(["simulate", *files, "--num", "4", "--players", "heuristic,random"]) == 0
    words = capsys.readouterr().out.replace(",", "").replace(";", "").split()
    assert sum(int(words[words.index(key) + 1]) for key in ("wins", "ties")) + int(words[7]) == 4


def test_show_tells_the_game(files, capsys):
    assert main(["show", *files, "--seed", "3"]) == 0
    text = capsys.readouterr().out
    assert "--- turn 1" in text
    assert text.strip().endswith(("wins", "tie", "reached"))


def test_play_asks_the_human(files, capsys, monkeypatch):
    answers = iter(["x", *["0"] * 10_000])
    monkeypatch.setattr(builtins, "input", lambda _: next(answers))
    assert main(["play", *files]) == 0
    text = capsys.readouterr().out
    assert "please" in text
    assert "hand:" in text


def test_bad_decks_are_named(tmp_path, files, capsys):
    bad = tmp_path / "bad.txt"
    bad.write_text("Energy: Grass\n2 Bulbasaur\n")
    assert main(["simulate", str(bad), files[0]]) == 2
    assert "line 2" in capsys.readouterr().err
