"""While training goes on: evaluations on seeds of their own, the best policy, loggers."""

from __future__ import annotations

import json
import sys
import types

import jax
import numpy as np
import pytest

from rlenv_games.small_games import TakeAway
from rlenv_learn import EvaluationPlan, Policy, PPOConfig, SelfPlayConfig, cli, evaluate, probes, train, train_host
from rlenv_learn.loggers import TensorBoard, WeightsAndBiases, numbers
from rlenv_learn.progress import without_timing
from rlenv_shared.adapters.gymnasium import GymVectorEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1

CONFIG = PPOConfig(total_steps=4096, num_envs=32, rollout_length=8, num_minibatches=2, learning_rate=1e-2)
PLAN = EvaluationPlan(every=1000, episodes=16, greedy=True)
ENV = probes.ObservationAction()


def curve(records):
    return [without_timing(record) for record in records]


class Remembered:
    def __init__(self):
        self.records, self.closed = [], 0

    def write(self, record):
        assert not self.closed
        self.records.append(record)

    def close(self):
        self.closed += 1


def test_evaluations_are_recorded_and_change_nothing_that_is_learned(tmp_path):
    logger = Remembered()
    plain, watched = train(ENV, CONFIG), train(ENV, CONFIG, evaluation=PLAN, run_dir=tmp_path, loggers=[logger])
    assert list(watched.evaluations) == [1024, 2048, 3072, 4096]  # whole updates of 256 steps
    assert curve(plain.records) == [
        {name: value for name, value in record.items() if name != "evaluation"} for record in curve(watched.records)
    ]
    final = evaluate(watched.policy, ENV, episodes=16, seed=PLAN.seed, deterministic=True)
    last = watched.evaluations[4096]
    assert (last["return"], last["episodes"], last["lowest"]) == (final.mean_return, 16, final.returns.min())
    assert last["best"] == max(one["return"] for one in watched.evaluations.values())
    best = Policy.load(tmp_path / "best.npz")
    again = evaluate(best, ENV, episodes=16, seed=PLAN.seed, deterministic=True)
    assert again.mean_return == last["best"]
    assert jax.tree.all(jax.tree.map(np.array_equal, best.params, watched.best.params))
    assert (logger.records, logger.closed) == (watched.records, 1)
    written = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert written == watched.records


def test_a_run_that_went_on_has_the_same_evaluations_and_the_same_best(tmp_path):
    def stop(record):
        if record["update"] == 11:
            raise KeyboardInterrupt

    whole = train(ENV, CONFIG, evaluation=PLAN)
    with pytest.raises(KeyboardInterrupt):
        train(ENV, CONFIG, evaluation=PLAN, run_dir=tmp_path, checkpoint_every=4, log=stop)
    resumed = train(ENV, CONFIG, evaluation=PLAN, run_dir=tmp_path, checkpoint_every=4, resume=True)
    assert curve(resumed.records) == curve(whole.records)
    assert jax.tree.all(jax.tree.map(np.array_equal, resumed.best.params, whole.best.params))


def test_a_game_is_evaluated_against_scripts_or_random_play():
    config = CONFIG.replace(total_steps=2048)
    result = train(TakeAway(), config, selfplay=SelfPlayConfig(pool_size=2), evaluation=EvaluationPlan(1024, 32))
    assert all(-1 <= one["return"] <= 1 for one in result.evaluations.values())
    assert len(result.evaluations) == 2


def test_a_host_run_is_evaluated_in_environments_of_its_own():
    config = CONFIG.replace(total_steps=1024)
    env = GymVectorEnv(Walk(), 32)
    with pytest.raises(InvalidParamsError, match="environment to evaluate a host run in: got none"):
        train_host(env, config, evaluation=PLAN)
    with pytest.raises(InvalidParamsError, match="that of the training"):
        train_host(env, config, evaluation=EvaluationPlan(env=env))
    plan = EvaluationPlan(512, 8, env=GymVectorEnv(Walk(), 8))
    result = train_host(env, config, evaluation=plan)
    assert list(result.evaluations) == [512, 1024]
    assert result.best is not None


@pytest.mark.parametrize("plan", [{"every": 0}, {"episodes": 0}, {"every": True}, {"every": 1.5}])
def test_bad_plans_are_refused(plan):
    with pytest.raises(InvalidParamsError, match="EvaluationPlan"):
        EvaluationPlan(**plan)


def test_loggers_are_closed_when_training_fails():
    logger = Remembered()

    def stop(record):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(ENV, CONFIG, loggers=[logger], log=stop)
    assert logger.closed == 1


RECORD = {"step": 256, "loss": 0.5, "episode_return": None, "timing": {"sps": 7}, "evaluation": {"return": 1.0}}


def test_numbers_of_a_record():
    assert numbers(RECORD) == {"step": 256, "loss": 0.5, "timing/sps": 7, "evaluation/return": 1.0}


def test_tensorboard(monkeypatch, tmp_path):
    told = []
    writer = types.SimpleNamespace(
        add_scalar=lambda name, value, step: told.append((name, value, step)), close=lambda: told.append("closed")
    )
    monkeypatch.setitem(sys.modules, "tensorboardX", types.SimpleNamespace(SummaryWriter=lambda folder: writer))
    logger = TensorBoard(tmp_path)
    logger.write(RECORD)
    logger.close()
    assert ("evaluation/return", 1.0, 256) in told
    assert told[-1] == "closed"


def test_tensorboard_s_own_files(tmp_path):
    pytest.importorskip("tensorboardX")
    logger = TensorBoard(tmp_path)
    logger.write(RECORD)
    logger.close()
    assert b"evaluation/return" in next(tmp_path.iterdir()).read_bytes()


def test_weights_and_biases_is_offline_unless_told(monkeypatch, tmp_path):
    told = []
    run = types.SimpleNamespace(log=lambda values, step: told.append((values, step)), finish=lambda: told.append("end"))

    def init(**options):
        told.append(options)
        return run

    monkeypatch.setitem(sys.modules, "wandb", types.SimpleNamespace(init=init))
    logger = WeightsAndBiases("games", tmp_path / "run", {"seed": 1})
    logger.write(RECORD)
    logger.close()
    assert told[0] == {"project": "games", "dir": str(tmp_path / "run"), "config": {"seed": 1}, "mode": "offline"}
    assert told[1:] == [(numbers(RECORD), 256), "end"]
    with pytest.raises(InvalidParamsError, match="mode of Weights & Biases"):
        WeightsAndBiases("games", mode="cloud")


@pytest.mark.parametrize(("logger", "module"), [(TensorBoard, "tensorboardX"), (WeightsAndBiases, "wandb")])
def test_a_missing_extra_is_one_clear_line(monkeypatch, tmp_path, logger, module):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidParamsError, match=r"pip install 'rlenv-learn\[") as caught:
        logger("games")
    assert "\n" not in str(caught.value)


def test_options_of_the_command_line(tmp_path, monkeypatch):
    argv = ["--evaluate-every", "512", "--evaluation-episodes", "8", "--evaluation-greedy"]
    options = cli.parse(cli.TrainOptions(CONFIG), argv=argv)
    assert options.run()["evaluation"] == EvaluationPlan(512, 8, greedy=True)
    assert options.run(lambda count: count)["evaluation"].env == 8
    assert cli.parse(cli.TrainOptions(CONFIG), argv=[]).run()["evaluation"] is None
    with pytest.raises(InvalidParamsError, match="run_dir"):
        cli.parse(cli.TrainOptions(CONFIG), argv=["--tensorboard"]).run()
    monkeypatch.setitem(sys.modules, "tensorboardX", types.SimpleNamespace(SummaryWriter=lambda folder: folder))
    with_files = cli.parse(cli.TrainOptions(CONFIG), argv=["--tensorboard", "--run-dir", str(tmp_path)])
    assert len(with_files.run()["loggers"]) == 1
