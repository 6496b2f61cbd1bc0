"""The record of a transfer experiment and its recomputed verdict."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from rlenv_learn.stats.tost import tost_paired
from rlenv_learn.transfer.verdict import TransferConfig, load_results, new_results, save_results, verdict
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError

pytestmark = pytest.mark.l1

CONFIG = """
schema = 1
environment = "test/Game-v0"
margin = 1.0
alpha = 0.05
policies = 4
episodes = 6
learned = 18.0
backends = ["jax", "c"]
evaluation_seed = 1000
training_seeds = [0, 1, 2, 3]
[budgets]
jax = 1000
c = 500
"""


@pytest.fixture
def config(tmp_path):
    (tmp_path / "config.toml").write_text(CONFIG)
    return TransferConfig.load(tmp_path / "config.toml")


@pytest.fixture
def results(config):
    rng = np.random.default_rng(0)
    record = new_results(config, {"cpu": "test"})
    for direction in record["directions"]:
        for seed in config.training_seeds:
            level = rng.normal(20, 0.3)
            returns = {backend: rng.normal(level, 0.1, 6).tolist() for backend in config.backends}
            direction["policies"].append({"seed": seed, "returns": returns})
    return record


def test_verdict_is_the_paired_test_over_policy_means(config, results, tmp_path):
    save_results(results, tmp_path / "results.json")
    outcome = verdict(load_results(tmp_path / "results.json"), config)
    assert outcome.ok
    assert [d.trained_in for d in outcome.directions] == ["jax", "c"]
    policies = results["directions"][1]["policies"]
    ours, theirs = ([np.mean(p["returns"][b]) for p in policies] for b in ("jax", "c"))
    assert outcome.directions[1].tost == tost_paired(ours, theirs, 1.0, 0.05)
    assert "equivalent" in str(outcome)


def test_changed_returns_change_the_verdict(config, results):
    for policy in results["directions"][0]["policies"]:
        policy["returns"]["c"] = [x - 1.5 for x in policy["returns"]["c"]]
    outcome = verdict(results, config)
    assert not outcome.ok
    assert outcome.directions[0].tost.verdict == "not shown equivalent"
    assert outcome.directions[0].learned
    assert outcome.directions[1].tost.equivalent


def test_policies_that_did_not_learn_do_not_pass(config, results):
    for policy in results["directions"][0]["policies"]:
        policy["returns"] = {backend: [x - 5 for x in xs] for backend, xs in policy["returns"].items()}
    outcome = verdict(results, config)
    assert outcome.directions[0].tost.equivalent
    assert not outcome.ok
    assert "NOT LEARNED" in str(outcome)


def drop_direction(record):
    record["directions"].pop()


def drop_policy(record):
    record["directions"][0]["policies"].pop()


def repeat_policy(record):
    record["directions"][0]["policies"][1]["seed"] = 0


def drop_episode(record):
    record["directions"][1]["policies"][2]["returns"]["c"].pop()


def drop_backend(record):
    del record["directions"][1]["policies"][2]["returns"]["jax"]


def other_config(record):
    record["config_sha256"] = "0" * 64


def other_environment(record):
    record["environment"] = "test/Other-v0"


@pytest.mark.parametrize(
    "change",
    [drop_direction, drop_policy, repeat_policy, drop_episode, drop_backend, other_config, other_environment],
)
def test_incomplete_or_foreign_results_have_no_verdict(config, results, change):
    change(results)
    with pytest.raises(InvalidParamsError, match="transfer results"):
        verdict(results, config)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"format": "other"},
        {"directions": {}},
        {"environment": None},
        {"directions": [{"trained_in": "jax"}]},
        {"directions": [{"trained_in": "jax", "policies": [{"seed": 0, "returns": {"jax": [1.0, None]}}]}]},
        {"directions": [{"trained_in": "jax", "policies": [{"seed": 0, "returns": [1.0]}]}]},
        {"directions": [{"trained_in": "jax", "policies": [{"seed": "0", "returns": {}}]}]},
    ],
)
def test_damaged_results_are_refused(results, tmp_path, change):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({**results, **change}))
    with pytest.raises(SnapshotVersionError, match="transfer file"):
        load_results(path)
    path.write_text(json.dumps(results)[:-20])
    with pytest.raises(SnapshotVersionError):
        load_results(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SnapshotVersionError):
        load_results(path)


def test_results_that_would_not_load_are_not_written(results, tmp_path):
    broken = copy.deepcopy(results)
    broken["directions"][0]["policies"][0]["returns"]["jax"][0] = float("nan")
    with pytest.raises(SnapshotVersionError):
        save_results(broken, tmp_path / "results.json")
    assert not (tmp_path / "results.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("schema = 1", "schema = 2", SnapshotVersionError),
        ("margin = 1.0", "", SnapshotVersionError),
        ("margin = 1.0", "margin = 1.0\ncolour = 1", SnapshotVersionError),
        ("margin = 1.0", "margin = ", SnapshotVersionError),
        ("margin = 1.0", 'margin = "wide"', SnapshotVersionError),
        ("margin = 1.0", "margin = -1.0", InvalidParamsError),
        ("alpha = 0.05", "alpha = 0.9", InvalidParamsError),
        ("[0, 1, 2, 3]", "[0, 1, 2]", InvalidParamsError),
        ("[0, 1, 2, 3]", "[0, 1, 2, 2]", InvalidParamsError),
        ('"jax", "c"', '"jax", "jax"', InvalidParamsError),
        ("c = 500", "rust = 500", InvalidParamsError),
        ("jax = 1000", "jax = 0", InvalidParamsError),
        ("episodes = 6", "episodes = 0", InvalidParamsError),
    ],
)
def test_bad_configs_are_refused(tmp_path, old, new, error):
    assert CONFIG.count(old) == 1
    (tmp_path / "config.toml").write_text(CONFIG.replace(old, new))
    with pytest.raises(error, match=r"transfer|margin|alpha"):
        TransferConfig.load(tmp_path / "config.toml")
