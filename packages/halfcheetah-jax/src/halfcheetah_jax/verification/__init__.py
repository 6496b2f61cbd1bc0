"""What this package is compared with, how closely, how fast, and how it is trained: `DECLARATION`."""

from pathlib import Path
from typing import Any, Final

from rlenv_shared.verification import declaration as declare

HERE: Final = Path(__file__).resolve().parent
OURS: Final = {dtype: f"halfcheetah-jax {dtype}" for dtype in ("float32", "float64")}
FACES: Final = {  # environments through Gymnasium's interface: least ratio
    "halfcheetah-jax": {1: 0.01, 64: 0.01, 4096: 0.01},
    "halfcheetah-jax emitted": {1: 1.0, 64: 10.0, 4096: 20.0},
}
LARGE: Final = (1024, 4096)
SMALL: Final = (16, 64, 256)  # batches that MJX can finish
TRIED: Final = ", ".join(map(str, SMALL))  # in a report, so that one with fewer batches does not speak of the best
OTHERS: Final = {
    "mjx": "MJX 3.17.0",
    "mjx-6-6": "MJX 3.17.0, 6 iterations",
    "mjx-4-8": "MJX 3.17.0, 4 iterations, 8 of the line search",
    "brax-generalized": "Brax 0.14.2 generalized",
    "brax-positional": "Brax 0.14.2 positional",
    "brax-spring": "Brax 0.14.2 spring",
}
ENVPOOL: Final = "EnvPool 1.2.5 HalfCheetah-v5"
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


def _speeds(batches: tuple[int, ...], others: tuple[str, ...]) -> tuple[declare.BenchmarkCase, ...]:
    """Against MuJoCo's C at large batches, against Gymnasium and the others at batches that they can finish."""
    entry = f"{__name__}.benchmarks"
    apart = (declare.BenchmarkCase(f"{entry}:against_others", SMALL, {"others": others}),)
    return (
        declare.BenchmarkCase(f"{entry}:against_mujoco", batches, {"pools": bool(others)}),
        declare.BenchmarkCase(f"{entry}:one_environment", (1,)),
        *(apart if others else ()),
    )


def emitted(dtype: str, threads: int) -> str:
    """What the native step's workload is called."""
    return f"{OURS[dtype]} emitted, {declare.threads_in_words(threads)}"


def _claim(dtype: str, theirs: str, at_least: float, threads: int | None = None) -> declare.Claim:
    """A ratio, each side at its best batch of those that are tried; ours by XLA, or emitted on some threads."""
    apart = theirs in OTHERS.values()
    tried = TRIED if apart else ", ".join(map(str, (256, *LARGE) if threads else LARGE))
    bare = " (physics alone, float64)" if theirs.startswith("mujoco.rollout") else ""
    form, name = f"JAX {dtype}", OURS[dtype]
    if threads is not None:
        form, name = f"emitted {dtype} on {declare.threads_in_words(threads)}", emitted(dtype, threads)
    text = f"{form} against {theirs}{bare}, each at its best batch, theirs of {tried}"
    settings = {"batches": TRIED} if apart else {}
    return declare.Claim(text, {"workload": name}, {"workload": theirs, **settings}, at_least)


def _comparisons(
    name: str, entry: str, full: dict[str, int], quick: dict[str, int], whole_episodes: bool = False
) -> declare.RolloutSet:
    """A set of rollouts, seeded."""
    full, quick = {**full, "seed": 2026}, {**quick, "seed": 11}
    return declare.RolloutSet(name, f"{__name__}.{entry}", full, quick, whole_episodes)


DECLARATION: Final = declare.Declaration(
    package="halfcheetah-jax",
    environment="halfcheetah_jax/HalfCheetah-v5",
    references=("gymnasium_mujoco",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "jax": declare.Implementation("halfcheetah_jax:HalfCheetah"),
        "mujoco": declare.Implementation(f"{__name__}.benchmarks:mujoco_vector_env", host=True),
    },
    rollouts=(
        _comparisons("states", "states:compare_states", {"fresh": 20_000}, {"fresh": 500}),
        _comparisons("solver", "states:fuzz_solver", {"states": 1_000_000}, {"states": 10_000}),
        _comparisons(
            "gradients",
            "gradients:compare_gradients",
            {"count": 12_000, "least_smooth": 10_000},
            {"count": 300, "least_smooth": 200},
        ),
        _comparisons("peer_gradients", "gradients:compare_peers", {"count": 256}, {"count": 32}),
        _comparisons(
            "rollouts",
            "rollouts:compare_episodes",
            {"episodes": 100, "steps": 1000},
            {"episodes": 20, "steps": 200},
            whole_episodes=True,
        ),
        _comparisons(
            "emitted", "rollouts:compare_emitted", {"episodes": 100, "steps": 1000}, {"episodes": 20, "steps": 200}
        ),
    ),
    replays=tuple(
        declare.Replay(
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
    transfers=(declare.Transfer(HERE / "transfer.toml", hyperparameters="transfer"),),
    benchmarks=(
        declare.Benchmark(
            cases=(declare.BenchmarkCase(f"{__name__}.benchmarks:emitted_against_mujoco", (256, *LARGE)),),
            quick=(declare.BenchmarkCase(f"{__name__}.benchmarks:emitted_against_mujoco", (1024,)),),
            label="emitted",
            claims=tuple(
                _claim(dtype, theirs.format(declare.threads_in_words(threads)), 1.0, threads)
                for dtype in ("float64", "float32")  # the headline: native steps against C at what it does best
                for theirs in ("mujoco.rollout, {}", f"{ENVPOOL}, {{}}", f"{ENVPOOL}, {{}}, asynchronous")
                for threads in (2, 1)
            ),
        ),
        declare.Benchmark(
            cases=_speeds(LARGE, tuple(OTHERS)),
            quick=_speeds((1024,), ()),
            claims=(
                _claim("float32", "mujoco.rollout, 2 threads", 1.0),
                # the same engine in JAX, at settings that give up accuracy (1e-6) for speed
                _claim("float32", OTHERS["mjx-6-6"], 5.0),
                _claim("float32", OTHERS["mjx-4-8"], 5.0),
                _claim("float32", OTHERS["mjx"], 20.0),
                _claim("float32", OTHERS["brax-generalized"], 5.0),
                _claim("float32", OTHERS["brax-positional"], 1.0),
                _claim("float32", OTHERS["brax-spring"], 1.0),
                _claim("float64", "mujoco.rollout, 2 threads", 0.5),  # shown, not claimed: C does less
                _claim("float64", f"{ENVPOOL}, 2 threads", 1.0),
            ),
        ),
        declare.Benchmark.of_faces(f"{__name__}.benchmarks:faces", "gymnasium", FACES),
    ),
    gpu=declare.Gpu.of(
        f"{__name__}.gpu",
        budgets={
            "step, substeps in kernels": {
                "launches": 60,
                "bytes": 16e3,  # 15.4e3 counted: what the kernels load and store, 23 centres and rest coordinates too
                "instructions": 122e3,  # every substep at its most solves
                "spill_bytes": 0,
                "calibrated_steps_per_s": 50e6,
            },
        },
    ),
)
