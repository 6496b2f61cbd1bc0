"""L1: how a training run went, from its records."""

import json
from types import SimpleNamespace

import pytest

from pokejax.verification import training_curve
from rlenv_learn.config import PPOConfig
from rlenv_learn.loop import METRICS_FILE
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

CONFIG = PPOConfig(total_steps=8 * 512, num_envs=16, rollout_length=32)


def record(update, stage, episode_return, episodes):
    timing = {"wall_s": float(update), "sps": 1}
    return {
        "update": update, "step": 512 * update, "decisions": 500, "episodes": episodes,
        "episode_return": episode_return, "stage": stage, "points": 0.5, "timing": timing,
    }  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of eight updates, of which the records say that its second stage began with the third."""
    records = [record(1, 0, 0.0, 10), record(2, 0, 1.0, 40), *(record(k, 1, None, 40) for k in range(3, 9))]
    (tmp_path / METRICS_FILE).write_text("".join(json.dumps(one) + "\n" for one in records))
    found = SimpleNamespace(progress={"updates": 8, "steps": 4096, "wall_s": 8.5}, config=CONFIG)
    monkeypatch.setattr(training_curve.checkpoint, "latest", lambda directory: directory)
    monkeypatch.setattr(training_curve.checkpoint, "load_checkpoint", lambda path: found)
    return tmp_path, found


def test_stages_begin_with_their_first_record_and_points_are_those_of_battles(run, monkeypatch):
    monkeypatch.setattr(training_curve, "POINTS", 4)
    found = training_curve.curve(run[0])
    assert (found["steps"], found["decisions"], found["seconds"]) == (4096, 4000, 8.5)
    assert found["stages"] == [{"stage": 0, "steps": 512, "seconds": 1.0}, {"stage": 1, "steps": 1536, "seconds": 3.0}]
    assert [(one["steps"], one["stage"]) for one in found["points"]] == [(1024, 0), (2048, 1), (3072, 1), (4096, 1)]
    assert found["points"][0]["points"] == pytest.approx((10 * 0.5 + 30 * 1) / 40)
    assert [one["points"] for one in found["points"][1:]] == [None, None, None]  # no battle has ended


def test_runs_that_go_on_or_have_no_curriculum_are_refused(run, tmp_path):
    run[1].progress["updates"] = 7
    with pytest.raises(InvalidParamsError, match="7 of 8 updates"):
        training_curve.curve(run[0])
    run[1].progress["updates"] = 8
    (run[0] / METRICS_FILE).write_text('{"step": 512}\n')
    with pytest.raises(InvalidParamsError, match="records without a stage"):
        training_curve.curve(run[0])
