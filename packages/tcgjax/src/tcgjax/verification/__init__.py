"""What this package is compared with: `DECLARATION`."""

from pathlib import Path
from typing import Final

from rlenv_shared.verification.declaration import (
    Benchmark,
    BenchmarkCase,
    Claim,
    Declaration,
    Implementation,
    RolloutSet,
    Transfer,
)

WORKLOADS, UNSEEN, BY_XLA = (f"{__name__}.benchmarks:{name}" for name in ("workloads", "unseen", "by_xla"))
HEURISTIC: Final = 0.95
"""Share of the games of training in which the heuristic is the opponent; in the others it is random legal play."""
POINTS_WEIGHT: Final = 0.25
"""What a point of the lead is worth in training until the game is over."""
PPO: Final = {
    "total_steps": 8_000_000,
    "num_envs": 256,
    "rollout_length": 64,
    "update_epochs": 2,
    "num_minibatches": 8,
    "preset": "mlp-tiny",
    "activation": "relu",
    "embedding": 8,
    "learning_rate": 2.5e-3,
    "gamma": 0.998,
    "gae_lambda": 0.92,
    "entropy_coef": 0.01,
    "entropy_coef_final": 0.001,
    "normalise_observations": True,  # most numbers are small beside the vectors of the cards
}
DECLARATION: Final = Declaration(
    package="tcgjax",
    environment="tcgjax/Tcg-v0",
    references=("tcg_engine",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "jax": Implementation(f"{__name__}.implementations:jax_env"),
        "tcg_engine": Implementation(f"{__name__}.implementations:reference_vector_env", host=True),
    },
    hyperparameters={"ppo": PPO},
    transfers=(Transfer(Path(__file__).resolve().parent / "transfer.toml", hyperparameters="ppo"),),
    rollouts=(
        RolloutSet("cases", f"{__name__}.cases:compare_cases", full={"form": "emitted"}, whole_episodes=False),
        RolloutSet(
            "games",
            f"{__name__}.rollouts:compare_games",
            full={"games": {"random": 10_000, "heuristic": 2000}, "seed": 0, "form": "emitted"},
            quick={"games": {"random": 112, "heuristic": 56}, "seed": 1_000_000, "form": "instructions"},
        ),
        RolloutSet(
            "instructions",
            f"{__name__}.rollouts:compare_games",
            full={"games": {"random": 1000, "heuristic": 200}, "seed": 2_000_000, "form": "instructions"},
            quick={"games": {"random": 28, "heuristic": 14}, "seed": 3_000_000, "form": "instructions"},
        ),
        RolloutSet(
            "pairs",
            f"{__name__}.pairs:compare_pairs",
            full={"positions": 3600, "seed": 0, "form": "emitted", "least": 20},
            quick={"positions": 100, "seed": 1_000_000, "form": "instructions"},
            whole_episodes=False,
        ),
    ),
    benchmarks=(
        Benchmark(
            cases=(
                BenchmarkCase(WORKLOADS, (16, 64, 256, 1024, 4096)),
                BenchmarkCase(UNSEEN, (16, 256, 4096, 65536, 262144)),
            ),
            quick=(BenchmarkCase(WORKLOADS, (64,)), BenchmarkCase(UNSEEN, (64,))),
            claims=(
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
                    at_least=300,
                ),
            ),
        ),
        Benchmark(
            cases=(BenchmarkCase(BY_XLA, (65536, 262144)),),
            quick=(BenchmarkCase(BY_XLA, (64,)),),
            label="xla",
            claims=(
                Claim(
                    "XLA's form for CPUs, one thread, at its best batch, against one process of the Python reference,"
                    " where nobody observes",
                    ours={"workload": "tcgjax without observations, instructions carried out by XLA"},
                    theirs={"workload": "tcg_engine without observations, one process"},
                    at_least=30,
                ),
            ),
        ),
    ),
)
