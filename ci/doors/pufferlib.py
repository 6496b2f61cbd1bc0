"""PufferLib 3.0.0's own trainer on our Pong: ``python -m ci.doors.pufferlib [SEEDS]``.

PufferLib publishes no wheel, and its set-up fetches raylib and Box2D, or with ``NO_OCEAN=1`` ends in a NameError.  So
``python -m ci.doors.pufferlib --install`` puts the files of the pinned source distribution, unmodified and without its
own environments, into the environment that runs this, with its one C++ file as torch compiles it.

The settings are those of its ``default.ini`` and ``pong.ini``, numbers rounded after the eighth decimal, except that it
runs on the CPU, without the recurrent layer that ``pong.ini`` asks for, with its 4,096 environments in one process
instead of four of 1,024, and with no checkpoint on the way.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import sysconfig
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from ci.doors import record
from ci.workspace import REPO
from puffer_pong import PongBuffers

NUM_ENVS: Final = 4096
FRAMESKIP: Final = 8
TOTAL_STEPS: Final = 12_000_000
REQUIRED: Final = 0.9  # PufferLib's `perf`: share of the points won
SETTINGS: Final[dict[str, Any]] = {
    "torch_deterministic": True,
    "cpu_offload": False,
    "device": "cpu",
    "optimizer": "muon",
    "anneal_lr": True,
    "precision": "float32",
    "learning_rate": 0.07109386,
    "gamma": 0.96083785,
    "gae_lambda": 0.88542199,
    "update_epochs": 1,
    "clip_coef": 0.22131451,
    "vf_coef": 1.9960894,
    "vf_clip_coef": 2.70258419,
    "max_grad_norm": 1.78202036,
    "ent_coef": 0.002031,
    "adam_beta1": 0.97662953,
    "adam_beta2": 0.99981131,
    "adam_eps": 6.3017097e-9,
    "checkpoint_interval": 10_000,
    "batch_size": "auto",
    "minibatch_size": 32_768,
    "max_minibatch_size": 32_768,
    "bptt_horizon": 64,
    "compile": False,
    "compile_mode": "default",
    "use_rnn": False,
    "compile_fullgraph": True,
    "vtrace_rho_clip": 2.78415021,
    "vtrace_c_clip": 1.08731228,
    "prio_alpha": 0.1,
    "prio_beta0": 0.74756614,
    "total_timesteps": TOTAL_STEPS,
    "env": "puffer_pong",
    "name": "",
    "project": "",
}


def install() -> None:
    """Put PufferLib's trainer where this interpreter imports it."""
    from references.sdist import fetch_pypi_sdist
    from torch.utils import cpp_extension

    from rlenv_shared.verification.pinned import Pin

    pin = Pin.load(REPO / "references" / "puffer_pong" / "pin.json")
    site = Path(sysconfig.get_path("purelib"))
    with tempfile.TemporaryDirectory() as work:
        tree = fetch_pypi_sdist(pin, work)
        for name in ("pufferlib", "pufferlib.egg-info"):
            left_out = shutil.ignore_patterns("ocean", "resources")
            shutil.copytree(tree / name, site / name, ignore=left_out, dirs_exist_ok=True)
        built = Path(work) / "build"
        built.mkdir()
        (source,) = tree.glob("pufferlib/extensions/pufferlib.cpp")
        cpp_extension.load("_C", [str(source)], ["-O3"], build_directory=str(built), is_python_module=False)
        shutil.copy(built / "_C.so", site / "pufferlib" / "_C.so")


def environment(seed: int) -> Any:
    """Our Pong as PufferLib's programs expect an environment: it writes into their arrays."""
    import gymnasium
    import pufferlib

    class Pong(pufferlib.PufferEnv):
        def __init__(self) -> None:
            self.single_observation_space = PongBuffers(1).single_observation_space
            self.single_action_space = gymnasium.spaces.Discrete(3)  # PufferLib asks for Discrete's own class
            self.num_agents = self.agents_per_batch = NUM_ENVS
            super().__init__()
            names = ("observations", "actions", "rewards", "terminals", "truncations", "masks")
            arrays = {name: getattr(self, name) for name in names}
            self.pong = PongBuffers(NUM_ENVS, arrays, seed, frameskip=FRAMESKIP)

        def reset(self, seed: int | None = None) -> tuple[Any, list]:
            return self.pong.reset(seed)

        def step(self, actions: Any) -> tuple[Any, ...]:
            return self.pong.step(np.asarray(actions, np.int32))

        def close(self) -> None:
            """Nothing is held open."""

    return Pong()


def run(seed: int) -> dict[str, Any]:
    """Train once; PufferLib's own statistics of every epoch."""
    from pufferlib import models, pufferl

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    env = environment(seed)
    settings = {**SETTINGS, "seed": seed, "data_dir": os.getcwd()}
    trainer = pufferl.PuffeRL(settings, env, models.Default(env))
    curve: dict[str, list[float]] = defaultdict(list)
    while trainer.global_step < TOTAL_STEPS:
        trainer.evaluate()
        logs = trainer.train() or {}
        if "environment/perf" in logs:
            curve["step"].append(int(logs["agent_steps"]))
            curve["mean_return"].append(float(logs["environment/perf"]))
    trainer.close()
    return {"seed": seed, **curve, "final_return": curve["mean_return"][-1]}


def main(asked: str = "3") -> None:
    """Train with so many seeds and write the result; ``--install`` builds the trainer first, and nothing else."""
    if asked == "--install":
        install()
        return
    seeds = int(asked)
    # it writes checkpoints, and a link when it is imported
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        runs = [run(seed) for seed in range(seeds)]
    record.write(
        "pufferlib",
        ("pufferlib",),
        runs,
        trainer="pufferlib.pufferl.PuffeRL",
        environment=f"PongBuffers({NUM_ENVS}, frameskip={FRAMESKIP})",
        settings=SETTINGS,
        required=REQUIRED,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
