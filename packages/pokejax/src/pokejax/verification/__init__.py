"""What this package is compared with and how: `DECLARATION`."""

from pathlib import Path
from typing import Final

from rlenv_shared.verification.declaration import (
    Benchmark,
    BenchmarkCase,
    Claim,
    Declaration,
    Implementation,
    Replay,
    RolloutSet,
    Transfer,
)

SOAKED: Final = ("transform", "illusion", "dancer", "ties", "equals", "items", "chains", "rare")
LASTED: Final = ("wishes", "poison", "blows", "rare")
REFERENCE: Final = "pokemon-showdown, one process"
EMITTED, TWO_THREADS = "pokejax, emitted, one core", "pokejax, emitted, two threads"
SEEN: Final = "pokejax, emitted, one core, both players observe"
XLA_FORM: Final = "pokejax, instructions carried out by XLA"
INTERPRETED: Final = "pokejax, instructions"
STAGES: Final = ("random", "base-power", "heuristics", "heuristics-meant")
"""Opponents of training, the weakest first (`pokejax.learning.curriculum`)."""
PPO: Final = {
    "total_steps": 12_000_000,
    "num_envs": 256,
    "rollout_length": 32,
    "update_epochs": 2,
    "num_minibatches": 8,
    "preset": "gru-tiny",
    "activation": "relu",
    "embedding": 8,
    "learning_rate": 1e-3,
    "gamma": 0.999,
    "gae_lambda": 0.95,
    "entropy_coef": 0.01,
    "entropy_coef_final": 0.001,
    "normalise_observations": True,
}
TRANSFER: Final = {**PPO, "num_envs": 64, "num_minibatches": 4}
"""The same for L4, with more updates of a small budget."""
WORKLOADS, INSTRUCTIONS = (f"{__name__}.benchmarks:{name}" for name in ("workloads", "instructions"))
DECLARATION: Final = Declaration(
    package="pokejax",
    environment="pokejax/Gen9RandomBattle-v0",
    references=("showdown",),
    smoke=f"{__name__}.smoke:smoke",
    implementations={
        "jax": Implementation(
            f"{__name__}.implementations:jax_env", curriculum=f"{__name__}.implementations:curriculum"
        ),
        "base-power": Implementation(f"{__name__}.implementations:base_power_env"),
        "showdown": Implementation(f"{__name__}.implementations:showdown_vector_env", host=True),
    },
    hyperparameters={"ppo": PPO, "transfer": TRANSFER},
    transfers=(Transfer(Path(__file__).resolve().parent / "transfer.toml", hyperparameters="transfer"),),
    rollouts=(
        RolloutSet(
            "battles",
            f"{__name__}.rollouts:compare_battles",
            full={"seeds": {"uniform": "0:10000", "attack": "0:10000"}, "processes": 2},
            quick={"seeds": {"uniform": "1000000:1000040", "attack": "1000000:1000060"}},
        ),
        RolloutSet(
            "fresh",
            f"{__name__}.rollouts:compare_battles",
            full={"seeds": {"uniform": "60000:65000", "attack": "65000:70000"}, "processes": 2},
            quick={"seeds": {"uniform": "1000200:1000205", "attack": "1000200:1000205"}},
        ),
        RolloutSet(
            "soak",
            f"{__name__}.rollouts:compare_soaked",
            full={"kinds": SOAKED, "battles": 2000, "seed": 50, "processes": 2},
            quick={"kinds": SOAKED, "battles": 8, "seed": 51},
        ),
        RolloutSet(
            "any",
            f"{__name__}.rollouts:compare_any",
            full={"kinds": {"any": 10000, "swarm": 10000}, "seed": 90, "processes": 2},
            quick={"kinds": {"any": 50, "swarm": 50}, "seed": 91},
        ),
        RolloutSet(
            "input-logs",
            f"{__name__}.rollouts:compare_input_logs",
            full={"battles": 1000, "seed": 95, "processes": 2},
            quick={"battles": 20, "seed": 96, "native": False},
        ),
        RolloutSet(
            "input-logs-out",
            f"{__name__}.rollouts:compare_input_logs_out",
            full={"battles": 500, "seed": 103, "processes": 2},
            quick={"battles": 10, "seed": 104, "native": False},
        ),
        RolloutSet(
            "positions",
            f"{__name__}.rollouts:compare_positions",
            full={"battles": 1002, "seed": 97, "processes": 2},
            quick={"battles": 30, "seed": 98, "native": False},
            whole_episodes=False,  # from their middles on
        ),
        RolloutSet(
            "viewpoints",
            f"{__name__}.rollouts:compare_viewpoints",
            full={"battles": 400, "seed": 99, "processes": 2},
            quick={"battles": 16, "seed": 100},
            whole_episodes=False,  # one decision each
        ),
        RolloutSet(
            "players",
            f"{__name__}.rollouts:compare_players",
            full={"battles": 400, "seed": 101, "processes": 2},
            quick={"battles": 10, "seed": 102, "native": False},
            whole_episodes=False,  # decisions, of which none is carried out
        ),
        RolloutSet(
            "local-battles",
            f"{__name__}.rollouts:compare_local_battles",
            full={"battles": 200, "seed": 103, "processes": 2},
            quick={"battles": 6, "seed": 104, "native": False},
            whole_episodes=False,  # decisions, of which none is carried out
        ),
        RolloutSet(
            "live",
            f"{__name__}.live:compare_live",
            full={
                "battles": {"random": 200, "base-power": 150, "heuristics": 150},
                "decide": "heuristics-meant",
                "seed": 105,
            },
            quick={
                "battles": {"random": 1, "base-power": 1, "heuristics": 2},
                "decide": "random",
                "seed": 106,
                "native": False,
            },
            whole_episodes=False,  # whole ones, but also what a server and its clients need
        ),
        RolloutSet(
            "lasting",
            f"{__name__}.rollouts:compare_lasting",
            full={
                "policies": {"stall": 200, "least-pp": 200, "status": 200, "ping-pong": 100, "marathon": 140},
                "kinds": LASTED,
                "seed": 80,
            },
            quick={
                "policies": {"stall": 4, "least-pp": 2, "status": 2, "ping-pong": 1, "marathon": 5},
                "kinds": LASTED,
                "seed": 82,
            },
        ),
        RolloutSet(
            "observations",
            f"{__name__}.rollouts:compare_observations",
            full={"seeds": {"uniform": "30000:30500", "attack": "30000:30500"}, "processes": 2},
            quick={"seeds": {"uniform": "1000100:1000120", "attack": "1000100:1000130"}},
        ),
        RolloutSet(
            "pairs",
            f"{__name__}.pairs:compare_pairs",
            full={"pairs": 5000, "seed": 85},
            quick={"pairs": 100, "seed": 86},
            whole_episodes=False,  # what a player sees in two battles of ours
        ),
        RolloutSet(
            "damages",
            f"{__name__}.damages:compare_damages",
            full={"battles": 13000, "seed": 60, "processes": 2},
            quick={"battles": 100, "seed": 61},
            whole_episodes=False,
        ),
        RolloutSet(
            "forms",
            f"{__name__}.forms:compare_forms",
            full={"battles": 1100, "seed": 70},
            quick={"battles": 100, "seed": 71},
            whole_episodes=False,  # of one form with another
        ),
    ),
    replays=(
        Replay(
            "Showdown's battles, every decision",
            Path(__file__).resolve().parent / "battles.npz",
            run=f"{__name__}.replay:replay",
            record=f"{__name__}.replay:record",
        ),
    ),
    benchmarks=(
        Benchmark(
            cases=(BenchmarkCase(WORKLOADS, (256, 1024, 4096, 16384)),),
            quick=(BenchmarkCase(WORKLOADS, (256,)),),
            claims=(
                Claim(
                    "emitted, on one core, against one Node process of Showdown",
                    ours={"workload": EMITTED},
                    theirs={"workload": REFERENCE},
                    at_least=100,
                ),
                Claim(
                    "emitted, on two threads, against itself on one core",
                    ours={"workload": TWO_THREADS},
                    theirs={"workload": EMITTED},
                    at_least=1.8,
                ),
                Claim(
                    "emitted, on one core, with both players' observations, against one Node process of Showdown",
                    ours={"workload": SEEN},
                    theirs={"workload": REFERENCE},
                    at_least=240,
                ),
                Claim(
                    "emitted, on one core, with both players' observations, against itself without",
                    ours={"workload": SEEN},
                    theirs={"workload": EMITTED},
                    at_least=0.5,
                ),
            ),
        ),
        Benchmark(
            cases=(BenchmarkCase(INSTRUCTIONS, (4096, 16384, 65536), sweep=True),),
            quick=(BenchmarkCase(INSTRUCTIONS, (64,)),),
            label="instructions",
            claims=(
                Claim(
                    "instructions, one thread, at their best batch, against one Node process of Showdown",
                    ours={"workload": INTERPRETED},
                    theirs={"workload": REFERENCE},
                    at_least=50,
                ),
                Claim(
                    "instructions carried out by XLA, one thread, at their best batch, against one Node process of"
                    " Showdown",
                    ours={"workload": XLA_FORM},
                    theirs={"workload": REFERENCE},
                    at_least=20,
                ),
            ),
        ),
    ),
)
