"""L4 runs: both directions, resuming, nothing reused that should not be."""

import dataclasses
import json

import pytest

from rlenv_learn import PPOConfig, commands
from rlenv_learn.probes import ActionReward
from rlenv_learn.transfer import checks as committed
from rlenv_learn.transfer.experiment import SEED_STRIDE, make_runs, native_backend, run_transfer
from rlenv_learn.transfer.verdict import TransferConfig, load_results, save_results, verdict
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.declaration import Declaration, Implementation, Transfer

pytestmark = pytest.mark.l1

SETTINGS = {
    **{"schema": 1, "environment": "probe/ActionReward-v0", "backends": ["ours", "theirs"], "evaluation_seed": 1000},
    **{"margin": 0.2, "alpha": 0.05, "learned": 0.8, "policies": 3, "episodes": 64, "training_seeds": [3, 1, 2]},
    **{"budgets.ours": 8192, "budgets.theirs": 8192},
}
CONFIG = "".join(f"{key} = {json.dumps(value)}\n" for key, value in SETTINGS.items())


ENV = ActionReward()  # one object: compiled once


class Calls:
    """A backend that notes what it is asked to do."""

    def __init__(self):
        self.backend = native_backend(ENV, PPOConfig(num_envs=64, rollout_length=16))
        self.trained, self.seeds, self.fail_at = [], [], None

    def as_backend(self):
        return dataclasses.replace(self.backend, train=self.train, evaluate=self.evaluate)

    def train(self, ppo, run_dir):
        self.trained.append((ppo.seed, ppo.total_steps))
        if len(self.trained) == self.fail_at:
            raise KeyboardInterrupt
        return self.backend.train(ppo, run_dir)

    def evaluate(self, policy, episodes, seed):
        self.seeds.append(seed)
        return self.backend.evaluate(policy, episodes, seed)


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    return TransferConfig.load(path)


def run(config, tmp_path, ours, theirs):
    backends = {"ours": ours.as_backend(), "theirs": theirs.as_backend()}
    files = {"results": tmp_path / "results" / "r.json", "cache": tmp_path / "cache"}
    return run_transfer(config, backends, machine={"cpu": "any"}, log=lambda line: None, **files)


def test_both_directions_are_trained_evaluated_and_judged(config, tmp_path):
    ours, theirs = Calls(), Calls()
    outcome = run(config, tmp_path, ours, theirs)
    assert outcome.ok, str(outcome)
    assert ours.trained == [(3, 8192), (1, 8192), (2, 8192)]
    assert theirs.trained == [(3, 8192), (1, 8192), (2, 8192)]
    seeds = ours.seeds + theirs.seeds
    assert sorted(seeds) == [1000 + SEED_STRIDE * i for i in range(12)]
    results = load_results(tmp_path / "results" / "r.json")
    assert verdict(results, config) == outcome
    assert all(len(p["returns"][b]) == 64 for d in results["directions"] for p in d["policies"] for b in p["returns"])


def test_a_killed_run_continues_and_gives_the_same_results(config, tmp_path):
    whole, interrupted = tmp_path / "whole", tmp_path / "interrupted"
    run(config, whole, Calls(), Calls())
    theirs = Calls()
    theirs.fail_at = 2
    with pytest.raises(KeyboardInterrupt):
        run(config, interrupted, Calls(), theirs)
    ours, theirs = Calls(), Calls()
    run(config, interrupted, ours, theirs)
    assert ours.trained == []
    assert [seed for seed, _ in theirs.trained] == [1, 2]
    first, second = (json.loads((d / "results" / "r.json").read_text()) for d in (whole, interrupted))
    assert first == second


def test_processes_may_share_an_experiment(config, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run(config, whole, Calls(), Calls())
    for seeds in ([1], [2, 3]):
        backends = {"ours": Calls().as_backend(), "theirs": Calls().as_backend()}
        make_runs(config, backends, seeds, cache=parts / "cache", log=lambda line: None)
    ours, theirs = Calls(), Calls()
    run(config, parts, ours, theirs)
    assert [*ours.trained, *theirs.trained, *ours.seeds, *theirs.seeds] == []
    first, second = (json.loads((d / "results" / "r.json").read_text()) for d in (whole, parts))
    assert first == second
    with pytest.raises(InvalidParamsError, match="training seeds"):
        make_runs(config, backends, [1, 4], cache=parts / "cache")


def test_other_settings_do_not_reuse_what_is_cached(config, tmp_path):
    run(config, tmp_path, Calls(), Calls())
    ours, theirs = Calls(), Calls()
    run(dataclasses.replace(config, sha256="another"), tmp_path, ours, theirs)
    assert len(ours.trained) == len(theirs.trained) == 3


def test_backends_must_be_those_of_the_config(config, tmp_path):
    with pytest.raises(InvalidParamsError, match="name them alike"):
        run_transfer(config, {"ours": Calls().as_backend()}, results=tmp_path / "r.json", cache=tmp_path)


class Toy(Declaration):
    """A declaration whose results lie beside its config."""

    results = property(lambda self: self.transfers[0].config.parent)


def test_the_command_runs_what_is_declared_and_what_it_writes_is_accepted(tmp_path, monkeypatch):
    (tmp_path / "transfer.toml").write_text(CONFIG)
    toy = Toy(
        "toy",
        "toy/Toy-v0",
        references=(),
        smoke="",
        implementations={name: Implementation(name) for name in ("ours", "theirs", "other")},
        hyperparameters={"ppo": {"num_envs": 64, "rollout_length": 16}},
        transfers=(Transfer(tmp_path / "transfer.toml", "ppo"),),
    )
    given = []

    def backend(implementation, ppo):
        given.append((implementation.make, ppo))
        return Calls().as_backend()

    monkeypatch.setattr(commands, "_backend", backend)
    assert commands.transfer_command(toy, ["--cache", str(tmp_path / "cache")]) == 0
    assert given == [(name, PPOConfig(num_envs=64, rollout_length=16)) for name in ("ours", "theirs")]
    assert len(list((tmp_path / "cache").glob("*/ours-*/policy.npz"))) == 3

    promised = {"margin": 0.2, "alpha": 0.05, "learned": 0.8}
    with pytest.raises(AssertionError, match="3 policies"):
        committed.require_equivalence(toy, **promised)
    monkeypatch.setattr(committed, "MIN_POLICIES", 3)
    with pytest.raises(AssertionError, match="64 episodes"):
        committed.require_equivalence(toy, **promised)
    monkeypatch.setattr(committed, "MIN_EPISODES", 64)
    committed.require_equivalence(toy, **promised)
    with pytest.raises(AssertionError, match="promised are"):
        committed.require_equivalence(toy, **{**promised, "margin": 0.1})
    results = tmp_path / "transfer.json"
    text = results.read_text()
    results.unlink()
    with pytest.raises(AssertionError, match="no results"):
        committed.require_equivalence(toy, **promised)
    record = json.loads(text)
    record["directions"][0]["policies"][0]["returns"]["ours"] = [0.0] * 64
    record.pop("sha256", None)
    save_results(record, results)
    with pytest.raises(AssertionError, match=r"transfer\.json"):
        committed.require_equivalence(toy, **promised)
