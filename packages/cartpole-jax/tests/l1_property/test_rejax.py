"""L1: rejax's PPO, unmodified and in an environment of its own, learns CartPole through the five-value face."""

import subprocess
from pathlib import Path

import pytest

from rlenv_shared import files
from rlenv_shared.verification.locate import reference

pytestmark = pytest.mark.l1
COMMITTED = Path(__file__).parents[2] / "results" / "rejax.json"


def check(curve: dict) -> None:
    """A learning curve from a random policy's return to nearly the highest possible one."""
    assert (curve["format"], curve["schema"]) == ("rlenv-learning-curve", 1)
    assert curve["versions"]["rejax"] == reference("rejax").PIN.version
    assert curve["versions"]["gymnax"] == "0.0.9"
    assert curve["step"] == [0, 32_768, 65_536, 98_304, 131_072]
    assert curve["lengths_are_returns"]  # reward 1 for every step
    assert curve["mean_return"][0] < 150
    assert curve["mean_return"][-1] > 450


def test_the_committed_learning_curve_is_one():
    check(files.read_json(COMMITTED))


@pytest.mark.reference("rejax")
def test_unmodified_rejax_trains_cartpole(tmp_path):
    adapter = reference("rejax")
    python, out = adapter.python(), tmp_path / "curve.json"
    done = subprocess.run(
        [python, adapter.TRAIN, out, "cartpole_jax:CartPole"], capture_output=True, text=True, timeout=110
    )
    assert done.returncode == 0, done.stderr[-3000:]
    check(files.read_json(out))
