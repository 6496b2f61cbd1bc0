"""What this package is compared with: `DECLARATION`."""

from typing import Final

from rlenv_shared.verification.declaration import Benchmark, BenchmarkCase, Claim, Declaration, RolloutSet

WORKLOADS: Final = f"{__name__}.benchmarks:workloads"
DECLARATION: Final = Declaration(
    package="tcgjax",
    environment="tcgjax/Tcg-v0",
    references=("tcg_engine",),
    smoke=f"{__name__}.smoke:smoke",
    rollouts=(
        RolloutSet("cases", f"{__name__}.cases:compare_cases", full={"form": "emitted"}, whole_episodes=False),
        RolloutSet(
            "games",
            f"{__name__}.rollouts:compare_games",
            full={"games": {"random": 10_000, "heuristic": 2000}, "seed": 0, "form": "emitted"},
            quick={"games": {"random": 112, "heuristic": 56}, "seed": 1_000_000},
        ),
    ),
    benchmarks=(
        Benchmark(
            cases=(BenchmarkCase(WORKLOADS, (16, 64, 256, 1024, 4096, 16384), sweep=True),),
            quick=(BenchmarkCase(WORKLOADS, (64,)),),
            claims=(
                Claim(
                    "JAX on a CPU, at its best batch, against one process of the Python reference",
                    ours={"workload": "tcgjax"},
                    theirs={"workload": "tcg_engine, one process"},
                ),
                Claim(
                    "emitted, on one core, at its best batch, against one process of the Python reference",
                    ours={"workload": "tcgjax, emitted, one core"},
                    theirs={"workload": "tcg_engine, one process"},
                ),
                Claim(
                    "emitted, on one core, at its best batch, against one process of the Python reference, where"
                    " nobody observes",
                    ours={"workload": "tcgjax without observations, emitted, one core"},
                    theirs={"workload": "tcg_engine without observations, one process"},
                ),
            ),
        ),
    ),
)
