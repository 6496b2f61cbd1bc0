"""What this package is compared with, how closely, how fast, and how it is trained: `DECLARATION`."""

from pathlib import Path
from typing import Any, Final

from rlenv_shared.verification.declaration import (
    Benchmark,
    BenchmarkCase,
    Claim,
    Declaration,
    Gpu,
    Implementation,
    Replay,
    RolloutSet,
    Transfer,
)

HERE: Final = Path(__file__).resolve().parent
OURS: Final = "halfcheetah-jax float32"
EQUAL_BATCH: Final = 256  # what MJX can finish
OTHERS: Final = {
    "mjx": "MJX 3.17.0",
    "mjx-6-6": "MJX 3.17.0, 6 iterations",
    "brax-generalized": "Brax 0.14.2 generalized",
    "brax-positional": "Brax 0.14.2 positional",
    "brax-spring": "Brax 0.14.2 spring",
}
BEST_BATCHES: Final = (32, 1024)  # of MJX, beside `EQUAL_BATCH`; at 6 iterations its default ones would fill hours
PPO: Final[dict[str, Any]] = {
    "num_envs": 64,
    "rollout_length": 32,
    "update_epochs": 10,
    "num_minibatches": 8,
    "preset": "mlp-tiny",
    "learning_rate": 1e-3,
    "entropy_coef": 0.0,
    "normalise_observations": True,
    "normalise_returns": True,
    "initial_log_std": -0.5,
}


def _speeds(batches: tuple[int, ...], others: tuple[str, ...]) -> tuple[BenchmarkCase, ...]:
    """Against MuJoCo's C at large batches, against Gymnasium and the others at one that they can finish."""
    return (
        BenchmarkCase(f"{__name__}.benchmarks:against_mujoco", batches),
        BenchmarkCase(f"{__name__}.benchmarks:against_others", (EQUAL_BATCH,), {"others": others}),
    )


def _claim(text: str, theirs: str, batch: int, at_least: float) -> Claim:
    """A ratio at a batch size."""
    return Claim(text, {"workload": OURS, "batch": batch}, {"workload": theirs, "batch": batch}, at_least)


DECLARATION: Final = Declaration(
    package="halfcheetah-jax",
    environment="halfcheetah_jax/HalfCheetah-v5",
    references=("gymnasium_mujoco",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "jax": Implementation("halfcheetah_jax:HalfCheetah"),
        "mujoco": Implementation(f"{__name__}.benchmarks:mujoco_vector_env", host=True),
    },
    rollouts=(
        RolloutSet(
            "states",
            f"{__name__}.states:compare_states",
            full={"fresh": 20_000, "seed": 2026},
            quick={"fresh": 500, "seed": 11},
            whole_episodes=False,
        ),
        RolloutSet(
            "solver",
            f"{__name__}.states:fuzz_solver",
            full={"states": 1_000_000, "seed": 2026},
            quick={"states": 10_000, "seed": 11},
            whole_episodes=False,
        ),
        RolloutSet(
            "gradients",
            f"{__name__}.gradients:compare_gradients",
            full={"count": 12_000, "least_smooth": 10_000, "seed": 2026},
            quick={"count": 300, "least_smooth": 200, "seed": 11},
            whole_episodes=False,
        ),
        RolloutSet(
            "peer_gradients",
            f"{__name__}.gradients:compare_peers",
            full={"count": 256, "seed": 2026},
            quick={"count": 32, "seed": 11},
            whole_episodes=False,
        ),
        RolloutSet(
            "rollouts",
            f"{__name__}.rollouts:compare_episodes",
            full={"episodes": 100, "steps": 1000, "seed": 2026},
            quick={"episodes": 20, "steps": 200, "seed": 11},
        ),
    ),
    replays=tuple(
        Replay(
            f"MuJoCo, each step from its state, {dtype}, backend {backend}",
            HERE / "episodes.npz",
            run=f"{__name__}.replay:replay",
            record=f"{__name__}.replay:record",
            settings={"dtype": dtype, "backend": backend},
        )
        for dtype in ("float32", "float64")
        for backend in ("auto", "xla")
    ),
    hyperparameters={
        "fast": {"total_steps": 1_000_000, **PPO},  # a mean return of about 3,000 within a minute on two cores
        "transfer": PPO,  # in JAX and in MuJoCo alike; seed and total_steps come from transfer.toml
    },
    transfer=Transfer(HERE / "transfer.toml", hyperparameters="transfer"),
    benchmarks=(
        Benchmark(
            cases=_speeds((1024, 4096), tuple(OTHERS)),
            quick=_speeds((1024,), ()),
            claims=(
                _claim("JAX float32 against MJX at batch 256", OTHERS["mjx"], EQUAL_BATCH, 40.0),
                _claim("JAX float32 against Brax (generalized) at batch 256", OTHERS["brax-generalized"], EQUAL_BATCH, 10.0),
                _claim("JAX float32 against mujoco.rollout on one thread", "mujoco.rollout, 1 thread", 1024, 1.0),
                _claim("JAX float32 against mujoco.rollout on two threads", "mujoco.rollout, 2 threads", 1024, 1.0),
            ),
        ),
    ),
    gpu=Gpu(
        programs=f"{__name__}.gpu:PROGRAMS",
        budgets={
            "step, substeps in kernels": {
                "launches": 60,
                "bytes": 15e3,  # 14.4e3 counted: what the kernels themselves load and store, not all operands
                "instructions": 120e3,  # every substep at its most solves
                "spill_bytes": 0,
                "calibrated_steps_per_s": 50e6,
            },
        },
        learning=f"{__name__}.gpu:learning_env",
        comparisons=f"{__name__}.gpu:COMPARISONS",
    ),
)
