"""What this package is compared with, how fast it is, and how it is trained: `DECLARATION`."""

from pathlib import Path
from typing import Final

from rlenv_shared.verification import declaration as declare

HERE: Final = Path(__file__).resolve().parent
FRAMESKIP: Final = 8  # PufferLib's shipped setting
C, C_2, RUST, RUST_2, JAX = "C, 1 thread", "C, 2 threads", "Rust, 1 thread", "Rust, 2 threads", "JAX"
PPO: Final = {
    # about 10 s on two cores to win 21 : 0
    "total_steps": 6_000_000,
    "num_envs": 1024,
    "rollout_length": 64,
    "update_epochs": 4,
    "num_minibatches": 4,
    "preset": "mlp-tiny",
    "learning_rate": 2e-3,
    "gamma": 0.99,
    "entropy_coef": 0.01,
    "normalise_observations": True,  # positions vary by a few hundredths: without this the policy never learns to aim
}


def _speeds(batches: tuple[int, ...]) -> tuple[declare.BenchmarkCase, ...]:
    """Every implementation with each frameskip."""
    entry = f"{__name__}.benchmarks:workloads"
    return tuple(declare.BenchmarkCase(entry, batches, {"frameskip": frameskip}, sweep=True) for frameskip in (1, 8))


def _learning(*sizes: tuple[str, int]) -> tuple[declare.BenchmarkCase, ...]:
    """PPO end to end with each network and number of environments."""
    entry = f"{__name__}.learning:workloads"
    return tuple(declare.BenchmarkCase(entry, (num_envs,), {"preset": preset}) for preset, num_envs in sizes)


def _claim(text: str, ours: str, theirs: str, frameskip: int, at_least: float) -> declare.Claim:
    """A ratio to the original, each at its best batch."""
    of = {"frameskip": frameskip}
    return declare.Claim(
        f"{text}, frameskip {frameskip}", {"workload": ours, **of}, {"workload": theirs, **of}, at_least
    )


DECLARATION: Final = declare.Declaration(
    package="puffer-pong",
    environment="puffer_pong/Pong-v0",
    references=("puffer_pong",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "jax": declare.Implementation(f"{__name__}.implementations:jax_env"),
        "c": declare.Implementation(f"{__name__}.implementations:c_vector_env", host=True),
        "rust": declare.Implementation(f"{__name__}.implementations:rust_vector_env", host=True),
    },
    rollouts=(
        declare.RolloutSet(
            "rollouts",
            f"{__name__}.rollouts:compare_rollouts",
            full={"envs": 256, "steps": 4_000, "seed": 2026, "least_ends": 8_000},
            quick={"envs": 64, "steps": 300, "seed": 6, "least_ends": 20},
        ),
        declare.RolloutSet(
            "emitted",
            f"{__name__}.rollouts:compare_emitted",
            full={"envs": 256, "steps": 4_000, "seed": 2026, "least_ends": 100},
            quick={"envs": 64, "steps": 300, "seed": 6, "least_ends": 1},
            whole_episodes=False,
        ),
        declare.RolloutSet(
            "search",
            f"{__name__}.search:compare_tunes",
            full={"steps": 10_000_000, "seed": 2026},
            quick={"steps": 100_000, "seed": 6},
        ),
    ),
    replays=tuple(
        declare.Replay(
            f"PufferLib's C, frameskip {frameskip}, every bit",
            HERE / f"frameskip-{frameskip}.npz",
            run=f"{__name__}.replay:replay",
            record=f"{__name__}.replay:record",
            settings={"frameskip": frameskip},
            record_settings={"frameskip": frameskip},
        )
        for frameskip in (1, 8)
    ),
    hyperparameters={"ppo": PPO},
    transfers=(declare.Transfer(HERE / "transfer.toml", hyperparameters="ppo"),),
    benchmarks=(
        declare.Benchmark(
            cases=_speeds((1, 64, 1024, 4096, 16384, 65536)),
            quick=_speeds((64, 1024)),
            claims=(
                _claim("Rust on 1 thread against C on 1 thread", RUST, C, 1, 1.0),
                _claim("Rust on 1 thread against C on 1 thread", RUST, C, 8, 1.0),
                _claim("Rust on 2 threads against C on 2 threads", RUST_2, C_2, 1, 1.0),
                _claim("Rust on 2 threads against C on 2 threads", RUST_2, C_2, 8, 1.0),
                _claim("JAX on a CPU with 2 cores against C on 2 threads", JAX, C_2, 8, 1.0),
            ),
        ),
        declare.Benchmark(
            cases=(declare.BenchmarkCase(f"{__name__}.benchmarks:faces", (1, 64, 4096, 16384)),),
            quick=(declare.BenchmarkCase(f"{__name__}.benchmarks:faces", (1, 64)),),
            label="gymnasium",
        ),
        # Large networks get few environments, so that an iteration on two cores takes seconds.
        declare.Benchmark(_learning(("gru-2m", 256), ("gru-20m", 64)), _learning(("gru-tiny", 256)), label="ppo"),
    ),
    gpu=declare.Gpu.of(
        f"{__name__}.gpu",
        budgets={
            "frameskip 1": {"launches": 4, "bytes": 200, "spill_bytes": 0, "calibrated_steps_per_s": 5e9},
            "frameskip 8": {"launches": 8, "bytes": 150, "spill_bytes": 0, "calibrated_steps_per_s": 3e9},
            # launches: one for 64 steps
            "frameskip 1, kernel": {"launches": 0.02, "bytes": 10, "spill_bytes": 0, "calibrated_steps_per_s": 50e9},
        },
    ),
)
