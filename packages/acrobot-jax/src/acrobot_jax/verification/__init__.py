"""What this package is compared with, how closely, how fast, and how it is trained: `DECLARATION`."""

from pathlib import Path
from typing import Final

from rlenv_shared.verification import declaration as declare

HERE: Final = Path(__file__).resolve().parent
OURS: Final = "acrobot-jax float32"
EMITTED: Final = f"{OURS} emitted"
ENVPOOL: Final = "EnvPool 1.2.5 Acrobot-v1"
WORKLOADS: Final = f"{__name__}.benchmarks:workloads"
AGAINST_ENVPOOL: Final = f"{__name__}.benchmarks:against_envpool"
BATCHES: Final = (1, 64, 1024, 4096, 16384)
FULL: Final = {"episodes": {"random": 500, "swing": 2_000}, "seed": 2026}
QUICK: Final = {"episodes": {"random": 30, "swing": 200}, "seed": 11}
PPO: Final = {
    "update_epochs": 4,
    "num_minibatches": 4,
    "preset": "mlp-tiny",
    "entropy_coef": 0.01,
    "entropy_coef_final": 0.0,
    "normalise_returns": True,
}

DECLARATION: Final = declare.Declaration(
    package="acrobot-jax",
    environment="acrobot_jax/Acrobot-v1",
    references=("gymnasium_classic",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "jax": declare.Implementation("acrobot_jax:Acrobot"),
        "gymnasium": declare.Implementation(f"{__name__}.benchmarks:gymnasium_vector_env", host=True),
    },
    rollouts=(
        declare.RolloutSet("rollouts", f"{__name__}.rollouts:compare_episodes", full=FULL, quick=QUICK),
        declare.RolloutSet(
            "emitted", f"{__name__}.rollouts:compare_emitted", full=FULL, quick=QUICK, whole_episodes=False
        ),
    ),
    replays=tuple(
        declare.Replay(
            f"Gymnasium's Acrobot-v1, each step from its state, {dtype}",
            HERE / "episodes.npz",
            run=f"{__name__}.replay:replay",
            record=f"{__name__}.replay:record",
            settings={"dtype": dtype},
        )
        for dtype in ("float32", "float64")
    ),
    hyperparameters={
        # a mean return above -100 within seconds
        "fast": {**PPO, "total_steps": 2_000_000, "num_envs": 256, "rollout_length": 32, "learning_rate": 2.5e-3},
        # in JAX and in Gymnasium alike; seed and total_steps come from transfer.toml
        "transfer": {**PPO, "num_envs": 16, "rollout_length": 64, "learning_rate": 2e-3},
    },
    transfers=(declare.Transfer(HERE / "transfer.toml", hyperparameters="transfer"),),
    benchmarks=(
        declare.Benchmark(
            cases=(declare.BenchmarkCase(WORKLOADS, BATCHES, {"pools": True}, sweep=True),),
            quick=(declare.BenchmarkCase(WORKLOADS, (64, 1024), {"pools": False}),),
            claims=(
                declare.Claim(
                    "JAX against gymnax 1.0.1, each at its best batch",
                    ours={"workload": OURS},
                    theirs={"workload": "gymnax"},
                    at_least=3.0,
                ),
                declare.Claim(
                    "JAX against Gymnasium's environments side by side, each at its best batch",
                    ours={"workload": OURS},
                    theirs={"workload": "gymnasium side by side"},
                    at_least=100.0,
                ),
                *(
                    declare.Claim(
                        f"JAX against EnvPool 1.2.5 on {threads}, stepped all together, each at its best batch",
                        ours={"workload": OURS},
                        theirs={"workload": f"{ENVPOOL}, {threads}"},
                        at_least=10.0,
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
                    at_least=20.0,
                )
                for threads in ("1 thread", "2 threads")
                for how, name in (("stepped all together", ""), ("asynchronous", ", asynchronous"))
            ),
        ),
        declare.Benchmark.of_faces(
            f"{__name__}.benchmarks:faces",
            "gymnasium",
            {"acrobot-jax": {1: 0.5, 64: 5.0}, "acrobot-jax emitted": {1: 0.5, 64: 5.0}},
        ),
    ),
)
