"""The test beds as the learner meets them: eight devices as one, and the committed results of training."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rlenv_learn import PPOConfig
from rlenv_shared import files

pytestmark = pytest.mark.l1
HERE = Path(__file__).parent
games = SimpleNamespace(**runpy.run_path(str(HERE.parent / "examples" / "games.py")))
TINY = {"total_steps": 16 * 16 * 2, "num_envs": 16, "rollout_length": 16, "num_minibatches": 2, "embedding": 2}
ACTING = ("update", "step", "decisions", "episodes", "episode_return", "episode_length")
TOL_FIRST_UPDATE = 2e-5  # relative or absolute: float32 sums of 512 numbers in another order
TOL_THREE_UPDATES = 2e-3  # Adam divides small gradients by small numbers


def trained(out: Path, game: str, devices: int) -> dict[str, np.ndarray]:
    """Outcome of a child process with so many devices."""
    command = [sys.executable, str(HERE / "games_child.py"), str(out), game, str(devices)]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    with np.load(out) as file:
        return dict(file)


@pytest.mark.timeout(1800)
@pytest.mark.slow  # `test_parallel` has eight devices of a smaller environment
@pytest.mark.parametrize("game", ["hand", "skirmish"])
def test_eight_devices_train_as_one(game, tmp_path):
    """What is played in the first update is equal bit for bit; sums over environments are taken in another order."""
    one, eight = (trained(tmp_path / f"{n}.npz", game, n) for n in (1, 8))
    assert (one.pop("device_count"), eight.pop("device_count")) == (1, 8)
    for name in ACTING:
        np.testing.assert_array_equal(eight[name][0], one[name][0], err_msg=name)
    for name, expected in one.items():
        if name.startswith("policy"):
            np.testing.assert_allclose(eight[name], expected, TOL_THREE_UPDATES, TOL_THREE_UPDATES, err_msg=name)
        elif name not in ACTING:
            np.testing.assert_allclose(eight[name][0], expected[0], TOL_FIRST_UPDATE, TOL_FIRST_UPDATE, err_msg=name)


@pytest.mark.slow  # compiles for a minute; `make games-hand` measures the same in full
def test_self_play_in_hand_is_measured_by_best_responses():
    small = PPOConfig(preset="gru-tiny", **TINY)
    found = games.hand([3], small, small, games=64)
    (run,) = found["runs"]
    assert [decisions > 0 for decisions, _ in run["losses"]] == [False, True, True]
    assert all(-1 <= loss <= 1 for _, loss in run["losses"])
    lines = games.table("hand", found).splitlines()
    assert len(lines) == 4 + 3


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_training_in_skirmish_is_measured_against_who_looks_ahead():
    found = games.skirmish([0], PPOConfig(preset="gru-tiny", **TINY), games=512)
    assert found["random"] < 0.2
    assert found["runs"][0]["points"] < 0.3
    assert len(games.table("skirmish", found).splitlines()) == 4 + 2


def test_the_committed_result_is_sealed_and_the_table_shows_it():
    content = games.load("hand")
    assert len({run["seed"] for run in content["runs"]}) == len(content["runs"]) >= 5
    readme = (HERE.parent / "README.md").read_text()
    assert games.fill(readme, "hand") == readme


def test_a_changed_result_is_refused(tmp_path):
    text = (games.RESULTS / "hand.json").read_text()
    changed = tmp_path / "hand.json"
    changed.write_text(text.replace('"seed": 0', '"seed": 9', 1))
    with pytest.raises(ValueError, match="content other than what was written"):
        files.read_json(changed)


def test_self_play_halves_what_a_best_response_wins_in_hand():
    runs = games.load("hand")["runs"]
    first, last = (np.array([run["losses"][i][1] for run in runs]) for i in (0, -1))
    assert (last <= first / 2).all()


def test_who_looks_one_turn_ahead_is_beaten_in_skirmish():
    content = games.load("skirmish")
    points = [run["points"] for run in content["runs"]]
    assert len(points) >= 5
    assert np.mean(points) >= 0.75 > 0.25 > content["random"]
