"""Several seeds of one run by the command ``train``."""

from pathlib import Path

import numpy as np
import pytest

from rlenv_learn import Policy, PPOConfig, commands, train_many
from rlenv_learn.probes import ActionReward
from rlenv_shared.verification.declaration import Declaration, Implementation

pytestmark = pytest.mark.l1
ENV = ActionReward()
PPO = {"total_steps": 4096, "num_envs": 64, "rollout_length": 16}
TOLD = []


def make():
    return ENV


def curriculum():
    def told(params, sums):
        TOLD.append(1)
        return params, {"ended": sums["episodes"]}

    return told


def declared(**options):
    here = f"{__name__}:"
    return Declaration(
        package="toy", environment=ENV.name, references=(), smoke=f"{here}make",
        implementations={"ours": Implementation(f"{here}make", curriculum=f"{here}curriculum", **options)},
        hyperparameters={"ppo": PPO},
    )  # fmt: skip


def test_each_seed_has_a_policy_of_its_own(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr(commands, "resolve", lambda entry: globals()[entry.partition(":")[2]])
    TOLD.clear()
    assert commands.train_command(declared(), ["--seeds", "3", "5", "--run-dir", str(tmp_path)]) == 0
    assert TOLD
    many = train_many(ENV, PPOConfig(**PPO), (3, 5), curriculum=curriculum())
    obs = np.array([[0.0], [1.0]], np.float32)
    for number, seed in enumerate((3, 5)):
        policy = Policy.load(tmp_path / f"seed-{seed}" / "policy.npz")
        np.testing.assert_allclose(policy.value(obs), many.policy(number).value(obs), atol=1e-6)
    assert not (tmp_path / "policy.npz").exists()
    assert "seed 5: mean return" in capsys.readouterr().out
    assert all("ended" in record for record in many.records[0])


@pytest.mark.parametrize("wrong", [["--resume"], ["--evaluate-every", "512"]])
def test_what_takes_one_seed_is_refused(wrong, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(commands, "resolve", lambda entry: globals()[entry.partition(":")[2]])
    assert commands.train_command(declared(), ["--seeds", "3", "--run-dir", str(tmp_path), *wrong]) == 2
    assert "--seeds" in capsys.readouterr().err
