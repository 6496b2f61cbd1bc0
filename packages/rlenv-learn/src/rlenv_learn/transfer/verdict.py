"""The record of an L4 experiment: does what was learned in one implementation work in the other?

``config.toml`` is committed before the runs and fixes what counts as equivalent::

    schema = 1
    environment = "puffer_pong/Pong-v0"
    margin = 1.0            # difference of mean returns that does not matter
    alpha = 0.05
    policies = 10           # trained per direction, at least
    episodes = 100          # per policy and backend, at least
    learned = 20.0          # mean return that counts as having learned
    backends = ["jax", "c"] # ours first, then the reference
    evaluation_seed = 1000
    training_seeds = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    [budgets]               # environment steps per policy, by training backend
    jax = 20_000_000
    c = 20_000_000

The results file keeps every episode's return, so the verdict is recomputed, never believed::

    {"format": "rlenv-transfer", "schema": 1, "environment": "…", "config_sha256": "…", "machine": {…},
     "directions": [{"trained_in": "jax", "policies": [{"seed": 0, "returns": {"jax": [21.0, …], "c": [20.0, …]}}]}]}
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from rlenv_learn.stats.tost import TostResult, check_design, tost_paired
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError


@dataclasses.dataclass(frozen=True)
class TransferConfig:
    """What was decided before the runs; see the module for the file."""

    environment: str  # id
    margin: float  # equivalence margin in units of return
    alpha: float  # level
    policies: int  # least number of policies per training direction
    episodes: int  # least number of episodes per policy and backend
    learned: float  # least mean return, over policies, on either backend
    backends: tuple[str, str]  # ours, reference
    evaluation_seed: int  # first seed of the evaluations
    training_seeds: tuple[int, ...]  # one per policy
    budgets: Mapping[str, int]  # environment steps per policy by training backend
    sha256: str  # of the file

    @classmethod
    def load(cls, path: str | Path) -> TransferConfig:
        """Read ``config.toml``.

        Raises SnapshotVersionError: no such file, or of another schema version; InvalidParamsError: a value out of
        bounds.
        """
        with FORMAT.reading(path):
            content = Path(path).read_bytes()
            data = tomllib.loads(content.decode())
            expected = {field.name for field in dataclasses.fields(cls)} - {"sha256"} | {"schema"}
            if set(data) != expected or data.pop("schema") != FORMAT.schema:
                raise ValueError(f"missing {sorted(expected - set(data))}, unknown {sorted(set(data) - expected)}")
            tuples = {name: tuple(data[name]) for name in ("backends", "training_seeds")}
            config = cls(**{**data, **tuples, "sha256": hashlib.sha256(content).hexdigest()})
            sound = _is_sound(config)
            if not {type(number) for number in (config.margin, config.alpha)} <= {int, float}:
                raise TypeError("margin and alpha are not numbers")
        check_design(config.margin, config.alpha)
        if not sound:
            raise InvalidParamsError(
                f"transfer config {path}",
                config,
                "2 backends with budgets > 0, >= 2 policies, one distinct seed each, >= 1 episode",
                "correct it before the runs",
            )
        return config


@dataclasses.dataclass(frozen=True)
class DirectionVerdict:
    """One training direction."""

    trained_in: str  # backend the policies were trained in
    tost: TostResult  # paired over policies, mean return on our backend against the reference's
    learned: bool  # the mean return on both backends reaches the config's threshold


@dataclasses.dataclass(frozen=True)
class TransferVerdict:
    """Outcome of an experiment."""

    directions: tuple[DirectionVerdict, ...]  # one per training backend, ours first

    @property
    def ok(self) -> bool:
        """Every direction has learned and is equivalent."""
        return all(direction.learned and direction.tost.equivalent for direction in self.directions)

    def __str__(self) -> str:
        return "\n".join(
            f"trained in {d.trained_in}: {d.tost.verdict} ({d.tost.n_a} policies, mean returns {d.tost.mean_a:.3f} and "
            f"{d.tost.mean_b:.3f}, {d.tost.reason}){'' if d.learned else '; NOT LEARNED'}"
            for d in self.directions
        )


def new_results(config: TransferConfig, machine: Mapping[str, Any]) -> dict[str, Any]:
    """An empty results record; append to ``["directions"]``."""
    about = {"environment": config.environment, "config_sha256": config.sha256, "machine": dict(machine)}
    directions = [{"trained_in": backend, "policies": []} for backend in config.backends]
    return {**FORMAT.head, **about, "directions": directions}


def save_results(results: Mapping[str, Any], path: str | Path) -> None:
    """Write a results file.  Raises SnapshotVersionError: it would not load again; StorageError: no place for it."""
    FORMAT.write(path, results)


def verdict(results: Mapping[str, Any], config: TransferConfig) -> TransferVerdict:
    """Recompute the outcome from the raw returns: a paired TOST over policies for each training direction.

    Raises InvalidParamsError: the results do not belong to the config, or there are fewer policies or episodes than it
    demands.
    """
    got = (results["environment"], results["config_sha256"])
    if got != (config.environment, config.sha256):
        raise _unfit(got, (config.environment, config.sha256), "run again: margins must precede the runs")
    by_backend = {direction["trained_in"]: direction["policies"] for direction in results["directions"]}
    if len(by_backend) != len(results["directions"]) or set(by_backend) != set(config.backends):
        raise _unfit([d["trained_in"] for d in results["directions"]], config.backends, "run both directions once")
    return TransferVerdict(tuple(_direction(backend, by_backend[backend], config) for backend in config.backends))


def _direction(trained_in: str, policies: list[dict[str, Any]], config: TransferConfig) -> DirectionVerdict:
    seeds = [policy["seed"] for policy in policies]
    if len(policies) < config.policies or sorted(seeds) != sorted(config.training_seeds):
        expected = f"seeds {list(config.training_seeds)}, at least {config.policies}"
        raise _unfit(f"trained in {trained_in}: seeds {seeds}", expected, "train every policy of the config, once")
    means = []
    for policy in policies:
        sizes = {backend: len(policy["returns"].get(backend, ())) for backend in config.backends}
        if set(policy["returns"]) != set(config.backends) or min(sizes.values()) < config.episodes:
            raise _unfit(
                f"trained in {trained_in}, seed {policy['seed']}: episodes {sizes}",
                f"at least {config.episodes} on each of {config.backends}",
                "evaluate again",
            )
        means.append([float(np.mean(policy["returns"][backend])) for backend in config.backends])
    ours, theirs = np.array(means).T
    tost = tost_paired(ours, theirs, config.margin, config.alpha)
    return DirectionVerdict(trained_in, tost, min(tost.mean_a, tost.mean_b) >= config.learned)


def _is_sound(config: TransferConfig) -> bool:
    seeds = config.training_seeds
    return (
        len(set(config.backends)) == len(config.backends) == 2
        and set(config.budgets) == set(config.backends)
        and all(budget > 0 for budget in config.budgets.values())
        and math.isfinite(config.learned)
        and config.episodes >= 1
        and 2 <= config.policies <= len(set(seeds)) == len(seeds)
    )


def _check(data: Mapping[str, Any]) -> None:
    texts = {"format": str, "environment": str, "config_sha256": str}
    _check_keys("results", data, {**texts, "schema": int, "machine": dict, "directions": list})
    for direction in data["directions"]:
        _check_keys("direction", direction, {"trained_in": str, "policies": list})
        for policy in direction["policies"]:
            _check_keys("policy", policy, {"seed": int, "returns": dict})
            if not all(map(_is_number_list, policy["returns"].values())):
                raise ValueError(f"seed {policy['seed']}: returns that are not lists of finite numbers")


def _check_keys(what: str, found: Any, wanted: Mapping[str, type]) -> None:
    kinds = {key: type(value) for key, value in found.items()} if isinstance(found, dict) else type(found)
    if kinds != wanted:
        raise ValueError(f"{what} of {kinds}, not {wanted}")


def _is_number_list(values: Any) -> bool:
    return isinstance(values, list) and all(type(x) in (int, float) and math.isfinite(x) for x in values)


def _unfit(got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError("transfer results", got, expected, remedy)


FORMAT: Final = files.JsonFormat("rlenv-transfer", 1, "transfer file", "restore it", _check)
load_results: Final = FORMAT.read
"""Reads a results file; SnapshotVersionError: missing, corrupt, foreign or of another version."""
