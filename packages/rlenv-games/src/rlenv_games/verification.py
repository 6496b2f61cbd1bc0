"""What is declared of the two games, so that every command for packages serves them too.

``python -m rlenv_shared.verification rlenv-games verify | bench | smoke``
"""

from __future__ import annotations

from typing import Any, Final

from rlenv_bench.gpu.program import random_rollout
from rlenv_bench.workloads import jax_rollout
from rlenv_games import Hand, Skirmish, twins
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.declaration import Benchmark, BenchmarkCase, Declaration, Gpu, RolloutSet
from rlenv_shared.verification.verify import Findings

STEPS: Final = 64  # of a call
GAMES: Final = {"skirmish": Skirmish(), "hand": Hand()}


def against_twins(games: int) -> Findings:
    """Whole games of random legal play, here and in the twins' processes."""
    findings = Findings()
    for name in GAMES:
        findings.add(f"{name}, random legal play", compare(*twins.both(name, 1000, games)), games=games)
    return findings


def workloads(batch: int, game: str) -> list[Any]:
    """One game, with and without what a step yields kept."""
    env = GAMES[game]
    return [
        jax_rollout(env, None, batch, STEPS, name=f"{game}, outputs {'kept' if kept else 'summed'}", keep_outputs=kept)
        for kept in (True, False)
    ]


def programs() -> tuple[Any, ...]:
    """What is compiled for a GPU."""
    return tuple(random_rollout(name, env, batches=(65_536,)) for name, env in GAMES.items())


def smoke() -> str:
    """Both games say their names and sizes."""
    return ", ".join(f"{env.name}: {env.num_actions} actions" for env in GAMES.values())


def _benchmark(game: str) -> Benchmark:
    def case(*batches: int) -> tuple[BenchmarkCase, ...]:
        return (BenchmarkCase(f"{__name__}:workloads", batches, {"game": game}),)

    return Benchmark(case(256, 1024, 4096), case(64), label=game)


DECLARATION: Final = Declaration(
    package="rlenv-games",
    environment="game/Skirmish-v0, game/Hand-v0",
    references=(),
    smoke=f"{__name__}:smoke",
    rollouts=(RolloutSet("twins", f"{__name__}:against_twins", {"games": 2048}, {"games": 32}),),
    benchmarks=tuple(_benchmark(game) for game in GAMES),
    gpu=Gpu(
        programs=f"{__name__}:PROGRAMS",
        budgets={
            "skirmish": {"launches": 32, "bytes": 1800, "spill_bytes": 0, "calibrated_steps_per_s": 400e6},
            "hand": {"launches": 31, "bytes": 2515, "spill_bytes": 0, "calibrated_steps_per_s": 369e6},
        },
    ),
)
PROGRAMS: Final = programs()
