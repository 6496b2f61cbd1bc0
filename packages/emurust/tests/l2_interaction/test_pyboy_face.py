"""`emurust.pyboy` does what PyBoy does: calls, random sequences of calls, states in PyBoy's format both ways."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.l2, pytest.mark.reference("pyboy")]

TIMEOUT_S = 110  # below that of a test, which would leave behind a PyBoy that hangs
COMPAT = Path(__file__).resolve().parents[1] / "compat"


def run(script, *arguments):
    """Output of a script of tests/compat, which fails where the two differ."""
    command = [sys.executable, str(COMPAT / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


SUBJECTS = (
    *("time", "input", "memory", "registers", "hooks", "screen", "sound", "sprites and tiles", "tile maps"),
    *("game area", "game wrappers", "states", "cartridge", "scanner", "cheats and utilities"),
)


def test_calls_give_what_they_give_in_pyboy(adapter):
    assert "'differs': 0, 'bare': 0" in run("table.py", *(f"{subject}: " for subject in SUBJECTS))


def test_consoles_are_constructed_as_in_pyboy(adapter):
    assert "'differs': 0, 'bare': 0" in run("table.py", "construction: ")


def test_random_sequences_of_calls_end_in_the_same_state(adapter):
    assert "'sequences'" in run("stateful.py", "--sequences", 12, "--seed", 5)


def test_states_go_on_alike_whoever_saved_and_loads_them(adapter):
    for rom in ("windfall", "hdma", "mbc3_clock"):
        assert "'differing': 0" in run("handover.py", "--only", rom, "--moments", 2, "--frames", 120)


def test_damaged_states_are_refused_or_run(adapter):
    assert "'states': 400" in run("mutated_states.py", "--count", 400)


def test_no_call_is_much_slower_than_recorded(adapter):
    assert "slower than it was: none" in run("access_speed.py", "--quick")
