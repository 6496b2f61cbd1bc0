"""L4: train in one implementation, evaluate in both, for both directions, and say whether the returns are equivalent.

`run_transfer` does every training run and evaluation that a committed config demands (see
:mod:`rlenv_learn.transfer.verdict` for the file, the results and the verdict).  Whatever is finished stays in a cache
directory, and training runs checkpoint there, so a run that was killed continues where it was::

    cache/<digest>/<trained in>-<seed>/  checkpoint-*.npz  metrics.jsonl   the training run
                                         policy.npz                        its policy
                                         returns-<backend>.json            an evaluation

The digest covers both the config and the hyper-parameters: change either, and everything runs anew.  It does not cover
code; delete the cache after changing an environment.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rlenv_learn import HostVecEnv, Policy, PPOConfig, evaluate, evaluate_host, train, train_host
from rlenv_learn.transfer.verdict import TransferConfig, TransferVerdict, new_results, save_results, verdict
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

EVALUATED_AT_ONCE: Final = 16
"""Environments of an evaluation on the host, at most: those that are done go on until the last one is."""
SEED_STRIDE: Final = 100_000  # between evaluations, so that environments seeded seed, seed + 1, ... never overlap


@dataclasses.dataclass(frozen=True)
class Backend:
    """One implementation: how to train there, and how to evaluate there."""

    ppo: PPOConfig  # hyper-parameters; seed and total_steps are replaced by the transfer config's
    train: Callable[[PPOConfig, Path], Policy]  # ``(hyper-parameters, run directory) -> policy``; resumes if it can
    evaluate: Callable[[Policy, int, int], list[float]]  # ``(policy, episodes, seed) -> returns`` of complete episodes


def native_backend(env: Any, ppo: PPOConfig) -> Backend:
    """A JAX environment; policies act by sampling, as in training."""
    return Backend(
        ppo,
        lambda config, run_dir: train(env, config, run_dir=run_dir, resume=True).policy,
        lambda policy, episodes, seed: evaluate(policy, env, episodes=episodes, seed=seed).returns.ravel().tolist(),
    )


def host_backend(make_env: Callable[[int], HostVecEnv], ppo: PPOConfig) -> Backend:
    """A host vector environment; ``make_env(n)`` returns one of ``n`` environments."""

    def train_there(config: PPOConfig, run_dir: Path) -> Policy:
        return train_host(make_env(config.num_envs), config, run_dir=run_dir, resume=True).policy

    def evaluate_there(policy: Policy, episodes: int, seed: int) -> list[float]:
        slots = math.gcd(episodes, EVALUATED_AT_ONCE)
        return evaluate_host(policy, make_env(slots), episodes=episodes, seed=seed).returns.ravel().tolist()

    return Backend(ppo, train_there, evaluate_there)


def run_transfer(
    config: TransferConfig,
    backends: Mapping[str, Backend],
    *,
    results: str | Path,
    cache: str | Path,
    machine: Mapping[str, Any] | None = None,
    log: Callable[[str], None] = print,
) -> TransferVerdict:
    """Run an L4 experiment, write every episode's return to ``results``, and return the verdict on what was written.

    ``backends`` has the two names of ``config.backends``; ``cache`` keeps what is finished; ``log`` is called with a
    line after each training run and evaluation.  Raises InvalidParamsError: backends that are not the config's.
    """
    runs = _Runs.of(config, backends, cache, log)
    record = new_results(config, machine or {})
    for number, direction in enumerate(record["directions"]):
        direction["policies"] = [{"seed": seed, "returns": runs.make(number, seed)} for seed in config.training_seeds]
    save_results(record, results)
    return verdict(record, config)


def make_runs(
    config: TransferConfig,
    backends: Mapping[str, Backend],
    seeds: Sequence[int],
    *,
    cache: str | Path,
    log: Callable[[str], None] = print,
) -> None:
    """The runs of some training seeds, in both directions, for the cache: processes may share an experiment.

    Raises InvalidParamsError: backends or a seed that are not the config's.
    """
    if other := set(seeds) - set(config.training_seeds):
        raise InvalidParamsError("training seeds", sorted(other), f"of {list(config.training_seeds)}", "choose some")
    runs = _Runs.of(config, backends, cache, log)
    for number in range(len(config.backends)):
        for seed in seeds:
            runs.make(number, seed)


@dataclasses.dataclass(frozen=True)
class _Runs:
    """What an experiment runs, and where its cache is."""

    config: TransferConfig
    backends: Mapping[str, Backend]
    plan: Mapping[str, PPOConfig]
    directory: Path
    log: Callable[[str], None]

    @classmethod
    def of(
        cls, config: TransferConfig, backends: Mapping[str, Backend], cache: str | Path, log: Callable[[str], None]
    ) -> _Runs:
        """Raises InvalidParamsError: backends that are not the config's."""
        if set(backends) != set(config.backends):
            expected = f"the config's {list(config.backends)}"
            raise InvalidParamsError("backends", list(backends), expected, "name them alike")
        plan = {
            name: dataclasses.replace(backend.ppo, seed=0, total_steps=config.budgets[name])
            for name, backend in backends.items()
        }
        return cls(config, backends, plan, Path(cache) / _digest(config, plan), log)

    def make(self, direction: int, seed: int) -> dict[str, list[float]]:
        """The returns of a policy in each backend: trained and evaluated, or from the cache."""
        names, seeds = self.config.backends, self.config.training_seeds
        trained_in, returns = names[direction], {}
        run_dir = self.directory / f"{trained_in}-{seed}"
        policy = _trained(self.backends[trained_in], self.plan[trained_in].replace(seed=seed), run_dir, self.log)
        for number, name in enumerate(names):
            evaluation = (direction * len(seeds) + seeds.index(seed)) * len(names) + number
            evaluation_seed = self.config.evaluation_seed + SEED_STRIDE * evaluation
            path = run_dir / f"returns-{name}.json"
            returns[name] = _evaluated(self.backends[name], policy, self.config.episodes, evaluation_seed, path)
            mean = sum(returns[name]) / len(returns[name])
            self.log(f"{run_dir.name}: mean return {mean:.2f} over {len(returns[name])} episodes in {name}")
        return returns


def _trained(backend: Backend, ppo: PPOConfig, run_dir: Path, log: Callable[[str], None]) -> Policy:
    """The policy of one training run, from the cache if it is there."""
    path = run_dir / "policy.npz"
    if path.exists():
        return Policy.load(path)
    begin = time.perf_counter()
    policy = backend.train(ppo, run_dir)
    policy.save(path)
    log(f"{run_dir.name}: {ppo.total_steps:,} steps in {time.perf_counter() - begin:.0f} s")
    return policy


def _evaluated(backend: Backend, policy: Policy, episodes: int, seed: int, path: Path) -> list[float]:
    """Returns of one evaluation, from the cache if they are there."""
    if not path.exists():
        files.write_json(path, {"returns": backend.evaluate(policy, episodes, seed)})
    with files.reading(f"evaluation {path}", "the returns of its episodes", "delete it"):
        return files.read_json(path)["returns"]


def _digest(config: TransferConfig, plan: Mapping[str, PPOConfig]) -> str:
    settings = {name: ppo.to_dict() for name, ppo in sorted(plan.items())}
    return hashlib.sha256(f"{config.sha256}{json.dumps(settings, sort_keys=True)}".encode()).hexdigest()[:12]
