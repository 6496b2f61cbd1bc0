"""Whatever cannot be right raises an error of this package that says what was wrong, and changes nothing."""

import io
import runpy
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from emurust import BatchEnv, GameBoy
from emurust.games import windfall
from emurust.pyboy import PyBoy
from rlenv_shared.errors import EnvError

pytestmark = pytest.mark.l1

BAD = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "bad_calls.py")))
ROM = windfall.rom()
TARGETS = {
    "PyBoy": (lambda: PyBoy(io.BytesIO(ROM), window="null"), BAD.of_face),
    "GameBoy": (lambda: GameBoy(ROM), BAD.of_game_boy),
    "BatchEnv": (lambda: BatchEnv(ROM, 2, threads=1), BAD.of_batch),
    "construction": (lambda: None, lambda: BAD.constructions(ROM)),
}
LEAST = 250


def outcome(call, target):
    """``typed``, or what is wrong: nothing is raised, an exception that is not ours, or one that says nothing."""
    try:
        call(target)
    except EnvError as error:
        return "typed" if len(str(error)) > 20 else f"says nothing: {error}"
    except Exception as error:
        return f"bare {type(error).__name__}"
    return "none"


@pytest.mark.parametrize("name", TARGETS)
def test_every_bad_call_raises_a_typed_error(name):
    make, calls = TARGETS[name]
    outcomes = {what: outcome(call, make()) for what, call in calls()}
    assert {what: found for what, found in outcomes.items() if found != "typed"} == {}


def test_there_are_many_bad_calls():
    counts = Counter({name: sum(1 for _ in calls()) for name, (_, calls) in TARGETS.items()})
    assert counts.total() >= LEAST, counts


def test_a_bad_call_presses_no_button():
    for console in (GameBoy(ROM), PyBoy(io.BytesIO(ROM), window="null")):
        with pytest.raises(EnvError):
            console.button("a", -1)
        console.tick(5)
        assert console._machine.buttons == 0
        console.button("a", 0)
        console.tick(5)
        assert console._machine.buttons == 0
