"""What this package is compared with, how closely, how fast, and how it is trained: `DECLARATION`."""

from pathlib import Path
from typing import Final

from rlenv_shared.verification import declaration as declare

HERE: Final = Path(__file__).resolve().parent
OURS: Final = "cartpole-jax float32"
EMITTED: Final = f"{OURS} emitted"
ENVPOOL: Final = "EnvPool 1.2.5 CartPole-v1"
WORKLOADS: Final = f"{__name__}.benchmarks:workloads"
AGAINST_ENVPOOL: Final = f"{__name__}.benchmarks:against_envpool"
BATCHES: Final = (1, 64, 256, 1024, 4096, 16384, 65536)

DECLARATION: Final = declare.Declaration(
    package="cartpole-jax",
    environment="cartpole_jax/CartPole-v1",
    references=("gymnasium_classic",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "jax": declare.Implementation("cartpole_jax:CartPole"),
        "gymnasium": declare.Implementation(f"{__name__}.benchmarks:gymnasium_vector_env", host=True),
    },
    rollouts=(
        declare.RolloutSet(
            "rollouts",
            f"{__name__}.rollouts:compare_episodes",
            full={"episodes": {"random": 10_000, "balance": 1_000}, "seed": 2026},
            quick={"episodes": {"random": 1000, "balance": 100}, "seed": 11},
        ),
        declare.RolloutSet(
            "emitted",
            f"{__name__}.rollouts:compare_emitted",
            full={"episodes": {"random": 10_000, "balance": 1_000}, "seed": 2026},
            quick={"episodes": {"random": 1000, "balance": 100}, "seed": 11},
            whole_episodes=False,
        ),
    ),
    replays=tuple(
        declare.Replay(
            f"Gymnasium's CartPole-v1, each step from its state, {dtype}",
            HERE / "episodes.npz",
            run=f"{__name__}.replay:replay",
            record=f"{__name__}.replay:record",
            settings={"dtype": dtype},
        )
        for dtype in ("float32", "float64")
    ),
    hyperparameters={
        "fast": {  # a mean return of 475 and more within seconds
            "total_steps": 1_000_000,
            "num_envs": 256,
            "rollout_length": 32,
            "preset": "mlp-tiny",
            "learning_rate": 2.5e-3,
            "entropy_coef": 0.01,
            "entropy_coef_final": 0.0,
            "normalise_returns": True,
        },
        "transfer": {  # in JAX and in Gymnasium alike; seed and total_steps come from transfer.toml
            "num_envs": 16,
            "rollout_length": 64,
            "update_epochs": 4,
            "num_minibatches": 4,
            "preset": "mlp-tiny",
            "learning_rate": 2e-3,
            "entropy_coef": 0.01,
            "entropy_coef_final": 0.0,
            "normalise_returns": True,
        },
    },
    transfers=(
        declare.Transfer(HERE / "transfer.toml", hyperparameters="transfer"),
        declare.Transfer(HERE / "transfer_midway.toml", hyperparameters="transfer"),
    ),
    benchmarks=(
        declare.Benchmark(
            cases=(declare.BenchmarkCase(WORKLOADS, BATCHES, {"pools": True}, sweep=True),),
            quick=(declare.BenchmarkCase(WORKLOADS, (256, 1024), {"pools": False}),),
            claims=(
                declare.Claim(
                    "JAX against gymnax 1.0.1, each at its best batch",
                    ours={"workload": OURS},
                    theirs={"workload": "gymnax"},
                    at_least=5.0,
                ),
                declare.Claim(
                    "JAX against gymnax 1.0.1 at batch 4,096",
                    ours={"workload": OURS, "batch": 4096},
                    theirs={"workload": "gymnax", "batch": 4096},
                    at_least=5.0,
                ),
                declare.Claim(
                    "JAX against Gymnasium's CartPoleVectorEnv at batch 4,096",
                    ours={"workload": OURS, "batch": 4096},
                    theirs={"workload": "gymnasium CartPoleVectorEnv", "batch": 4096},
                    at_least=4.0,
                ),
                declare.Claim(
                    "JAX against Gymnasium's CartPoleVectorEnv, each at its best batch",
                    ours={"workload": OURS},
                    theirs={"workload": "gymnasium CartPoleVectorEnv"},
                    at_least=3.0,
                ),
                *(
                    declare.Claim(
                        f"JAX against EnvPool 1.2.5 on {threads}, stepped all together, each at its best batch",
                        ours={"workload": OURS},
                        theirs={"workload": f"{ENVPOOL}, {threads}"},
                        at_least=3.0,
                    )
                    for threads in ("1 thread", "2 threads")
                ),
            ),
        ),
        declare.Benchmark(
            cases=(declare.BenchmarkCase(AGAINST_ENVPOOL, (256, 1024, 4096)),),
            quick=(declare.BenchmarkCase(AGAINST_ENVPOOL, (1024,)),),
            label="emitted",
            claims=tuple(
                declare.Claim(
                    f"emitted against EnvPool 1.2.5, {how}, both on {threads}, each at its best batch",
                    ours={"workload": f"{EMITTED}, {threads}"},
                    theirs={"workload": f"{ENVPOOL}, {threads}{name}"},
                    at_least=10.0,
                )
                for threads in ("1 thread", "2 threads")
                for how, name in (("stepped all together", ""), ("asynchronous", ", asynchronous"))
            ),
        ),
        declare.Benchmark.of_faces(
            f"{__name__}.benchmarks:faces",
            "gymnasium",
            {
                "cartpole-jax": {1: 0.1, 64: 0.1, 4096: 0.1, 16_384: 0.1},
                "cartpole-jax emitted": {1: 0.1, 64: 1.0, 4096: 1.0, 16_384: 1.0},
            },
        ),
    ),
    gpu=declare.Gpu.of(
        f"{__name__}.gpu",
        budgets={
            "step": {"launches": 2, "bytes": 30, "spill_bytes": 0, "calibrated_steps_per_s": 50e9},
            # launches: one for 64 steps
            "kernel": {"launches": 0.02, "bytes": 10, "spill_bytes": 0, "calibrated_steps_per_s": 50e9},
        },
    ),
)
