"""What this package is compared with, how fast it is, and how it is trained: `DECLARATION`."""

from pathlib import Path
from typing import Any, Final

from rlenv_shared.verification import declaration as declare

HERE: Final = Path(__file__).resolve().parent
ENVIRONMENT: Final = "emurust/Windfall-v0"
PPO: Final[dict[str, Any]] = {
    "num_envs": 16,
    "rollout_length": 128,
    "update_epochs": 4,
    "num_minibatches": 4,
    "preset": "mlp-tiny",
    "learning_rate": 2.5e-3,
    "gamma": 0.99,
    "entropy_coef": 0.01,
    "entropy_coef_final": 0.0,
    "normalise_observations": True,
    "normalise_returns": True,
}


def _speeds(*batches: int) -> tuple[declare.BenchmarkCase, ...]:
    """Consoles of Windfall in both emulators."""
    return (declare.BenchmarkCase(f"{__name__}.benchmarks:workloads", batches),)


def _learning(*sizes: tuple[str, int]) -> tuple[declare.BenchmarkCase, ...]:
    """PPO end to end with each network and number of environments."""
    entry = f"{__name__}.learning:workloads"
    return tuple(declare.BenchmarkCase(entry, (num_envs,), {"preset": preset}) for preset, num_envs in sizes)


def _ppo_claim(text: str, preset: str, at_least: float = 0.0) -> declare.Claim:
    """PPO end to end, each implementation with its own environment."""
    ours, theirs = ({"workload": f"PPO on {name}, {preset}"} for name in ("emurust", "PyBoy in 2 processes"))
    return declare.Claim(f"PPO end to end, {text}, against PPO on PyBoy in 2 processes", ours, theirs, at_least)


DECLARATION: Final = declare.Declaration(
    package="emurust",
    environment=ENVIRONMENT,
    references=("pyboy",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "emurust": declare.Implementation(f"{__name__}.benchmarks:emurust_vector_env", host=True),
        "pyboy": declare.Implementation(f"{__name__}.benchmarks:pyboy_on_all_cores", host=True),
    },
    rollouts=(
        declare.RolloutSet(
            "programs", f"{__name__}.programs:compare_programs", full={"programs": 20_000}, quick={"programs": 100}
        ),
        declare.RolloutSet("games", f"{__name__}.games:compare_games", full={"frames": 3_600}, quick={"frames": 60}),
        declare.RolloutSet(
            "states", f"{__name__}.states:compare_saved_states", full={"frames": 3_600}, quick={"frames": 150}
        ),
    ),
    hyperparameters={"windfall": {"total_steps": 200_000, **PPO}},
    transfers=(declare.Transfer(HERE / "transfer.toml", hyperparameters="windfall"),),
    # The geometric means over the homebrew ROMs, and what threads give (1.85× required of 2, over all turns too), are
    # measured by `homebrew_speed` and recomputed from results/homebrew/ by tests/l1_property/test_readme.py.
    benchmarks=(
        declare.Benchmark(
            cases=_speeds(1, 4, 16, 64, 128, 256),
            quick=_speeds(1, 4),
            claims=(
                declare.Claim(
                    "emurust on 1 thread against PyBoy in 1 process, Windfall at 24 frames a step",
                    {"workload": "emurust, 1 thread"},
                    {"workload": "PyBoy, 1 process"},
                    at_least=4.0,
                ),
                declare.Claim(
                    "emurust on 2 threads against PyBoy in 2 processes, Windfall at 24 frames a step",
                    {"workload": "emurust, 2 threads"},
                    {"workload": "PyBoy, 2 processes"},
                    at_least=4.0,
                ),
            ),
        ),
        declare.Benchmark(
            # An iteration of a large network on two cores takes seconds.
            cases=_learning(("mlp-tiny", 64), ("cnn-tiny", 64), ("cnn-2m", 32)),
            quick=_learning(("mlp-tiny", 64), ("cnn-tiny", 64)),
            label="ppo",
            claims=(
                _ppo_claim("small network on memory", "mlp-tiny", 2.0),
                _ppo_claim("small convolutional network on pictures", "cnn-tiny"),
                _ppo_claim("convolutional network of 2 M parameters on pictures", "cnn-2m"),
            ),
        ),
    ),
    gpu=declare.Gpu(comparisons=f"{__name__}.gpu:COMPARISONS"),
    tables=f"{__name__}.tables:tables",
)
