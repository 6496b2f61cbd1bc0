"""The same agent with Stable-Baselines3: PPO over SubprocVecEnv, once on PyBoy and once on `emurust.pyboy`.

    make agent-emurust                               both, in an environment of its own; writes results/agent_sb3.json
    python tests/compat/agent_sb3.py pyboy           or emurust.pyboy: one

The environment is that of `agent.py`: hooks on functions of the game by name, a patch of its ROM, variables read by
name, pictures as observations.  Nothing but the module that `PyBoy` is imported from differs; every step of every
environment and every weight of the network must be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch
from agent import WindfallAgentEnv
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnvWrapper

from rlenv_shared.verification import locate

HERE: Final = Path(__file__).resolve().parent
RESULTS: Final = HERE / "results" / "agent_sb3.json"
ENVIRONMENTS: Final = 4
STEPS: Final = 4_096
SETTINGS: Final[dict[str, Any]] = {"n_steps": 64, "batch_size": 128, "n_epochs": 2, "learning_rate": 2.5e-4, "seed": 7}


class Watched(VecEnvWrapper):
    """Adds up rewards and the time that steps take, and keeps the digest of what every environment showed so far."""

    def __init__(self, venv: SubprocVecEnv):
        super().__init__(venv)
        self.seconds, self.rewards = 0.0, 0.0
        self.digests: list[str] = []

    def reset(self) -> Any:
        """The first observations."""
        return self.venv.reset()

    def step_async(self, actions: Any) -> None:
        """Sends the actions."""
        self.began = time.perf_counter()
        super().step_async(actions)

    def step_wait(self) -> Any:
        """What came of them."""
        found = self.venv.step_wait()
        self.seconds += time.perf_counter() - self.began
        self.rewards += float(found[1].sum())
        self.digests = [info["digest"] for info in found[3]]
        return found


def train(emulator: str) -> dict[str, Any]:
    """Learns in one emulator; what it saw, what it learned, and how long it took."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    boot_rom = str(locate.reference("pyboy").boot_rom(False))
    envs = Watched(SubprocVecEnv([partial(WindfallAgentEnv, emulator, boot_rom)] * ENVIRONMENTS))
    model = PPO("CnnPolicy", envs, device="cpu", **SETTINGS)
    began = time.perf_counter()
    model.learn(STEPS)
    seconds = time.perf_counter() - began
    envs.close()
    weights = hashlib.sha256()
    for name, values in sorted(model.policy.state_dict().items()):
        weights.update(name.encode() + values.numpy().tobytes())
    return {
        "emulator": emulator,
        "seconds": seconds,
        "seconds_in_environments": envs.seconds,
        "rewards": envs.rewards,
        "weights": weights.hexdigest(),
        "trajectories": envs.digests,
    }


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("emulator", nargs="?", help="pyboy or emurust.pyboy; both without")
    options = parser.parse_args()
    if options.emulator:
        print(json.dumps(train(options.emulator)))
        return 0
    runs = []
    for side in ("pyboy", "emurust.pyboy"):
        done = subprocess.run([sys.executable, __file__, side], stdout=subprocess.PIPE, text=True, check=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    same = all(runs[0][key] == runs[1][key] for key in ("rewards", "weights", "trajectories"))
    ratios = {
        f"{name}_ratio": round(runs[0][name] / runs[1][name], 2) for name in ("seconds", "seconds_in_environments")
    }
    versions = {name: importlib.metadata.version(name) for name in ("pyboy", "stable-baselines3", "torch", "numpy")}
    found = {
        "same": same,
        **ratios,
        "steps": STEPS,
        "environments": ENVIRONMENTS,
        "settings": SETTINGS,
        "cores": os.cpu_count(),
        "versions": versions,
        "runs": runs,
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1), "the same" if same else "DIFFERENT")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
