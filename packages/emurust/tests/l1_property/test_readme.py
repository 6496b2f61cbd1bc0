"""What the documentation shows works."""

import doctest
import json
import statistics
from pathlib import Path

import pytest

import emurust
import emurust.expressions
import emurust.vector_env
from emurust.games import windfall
from emurust.verification import tables
from rlenv_testing import readme

pytestmark = pytest.mark.l1

PACKAGE = Path(__file__).resolve().parents[2]
BLOCKS = readme.python_blocks(PACKAGE)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_code_of_the_readme_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.gb").write_bytes(windfall.rom())
    import numpy

    names = {"np": numpy}
    exec(BLOCKS[number], names)
    if "pyboy" in names:
        assert names["pyboy"].frame_count == 60
    else:
        assert len(names["obs"]) in (8, 16, 64)


@pytest.mark.parametrize("module", [emurust, emurust.expressions, emurust.vector_env], ids=lambda m: m.__name__)
def test_examples_in_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_every_test_the_readme_names_exists():
    assert readme.missing_tests(PACKAGE) == []


def test_measured_speeds_reach_what_is_required():
    for path in sorted(tables.SPEEDS.glob("*.json"))[-1:]:
        result = json.loads(path.read_text())
        threads = tables.scaling(result)
        assert threads.all >= tables.THREADS_REQUIRED
        assert threads.whole >= tables.THREADS_REQUIRED
        assert threads.whole_turns >= 10
        # 250 KB without cartridge RAM, of which these games have up to 128 KiB
        assert max(sizes["emurust"] for sizes in result["bytes_per_console"].values()) <= 250_000 + 128 * 1024
        for name, found in tables.ratios(result).items():
            assert statistics.geometric_mean(found) >= tables.REQUIRED[name][1], name
            assert len(found) == 24


def test_tables_follow_from_the_samples():
    times = {f"rom{n}": {"emurust": [1.0, 1.0, 9.0], "PyBoy": [4.0 * n, 4.0 * n, 0.1]} for n in (1, 4)}
    result = {
        "settings": dict.fromkeys(("drawn_sound", "skip24_sound", "skip24_silent"), times),
        "reset": times,
        "bytes_per_console": {name: {"emurust": 2048, "PyBoy": 1_048_576} for name in times},
        "machine": {"cpu": "toy", "cores": 2},
        "threads": {
            "batch": 8,
            "frames_per_s": {"1": [10, 20, 10], "2": [19, 21, 30]},
            "yardstick_s": {"1": [1.0, 1.0, 1.0, 1.0], "2": [1.1, 1.0, 1.2, 1.0]},
        },
    }
    lines = tables.homebrew(result).splitlines()
    assert "| skip 24, sound on | 8.00× | 4.00× – 16.00× | 4× | 5× |" in lines
    assert "toy, 2 cores.  A further console takes 2 KiB" in lines[-2]
    assert lines[-1].startswith("2 threads against one, 8 consoles of Windfall: 1.90× in the 1 turns")
    assert "2.10× in all 3; medians, required 1.85×" in lines[-1]
    counts = {"steps": 300, "mismatches": 0}
    games = {"pads": [1, 2], "frames": 60, "roms": {"a.gb": {"settings": {"one": counts, "other": counts}}}}
    found = tables.compared({"games": {"own": games}})
    assert "| 1 ROMs in 2 settings, 2 pads, 60 frames each | 600 | 0 |" in found


def test_a_turn_counts_only_between_yardsticks_on_whole_cores():
    assert tables.undisturbed({"1": [1, 1, 1], "2": [1, 1, 1.2]}) == [True, False]
    assert tables.undisturbed({"1": [1, 1.2, 1], "2": [1, 1, 1]}) == [False, False]
    slow_but_undisturbed = {"frames_per_s": {"1": [10], "2": [1]}, "yardstick_s": {"1": [1, 1], "2": [1, 1]}}
    assert tables.scaling({"threads": slow_but_undisturbed}).whole == 0.1
    never_whole = {"frames_per_s": {"1": [10], "2": [1]}, "yardstick_s": {"1": [1, 1], "2": [2, 2]}}
    assert tables.scaling({"threads": never_whole}).whole is None
