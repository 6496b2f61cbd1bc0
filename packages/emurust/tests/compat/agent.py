"""An agent in the manner of the published Pokémon Red experiments, on Windfall: the same script for both emulators.

    python tests/compat/agent.py pyboy          or emurust.pyboy
    python tests/compat/agent.py --compare      runs both and compares every step; writes results/agent.json

The environment hooks functions of the game by the names in its symbol file, patches its ROM so that lives are not
lost, reads its variables by name, and draws pictures as observations; Stable-Baselines3's PPO learns in it over
SubprocVecEnv, a process an environment.  Only the module that `PyBoy` is imported from differs.  `make agent-emurust`
sets up Stable-Baselines3 and compares.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
import record
import stable_baselines3
import torch
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnvWrapper

from emurust.games import windfall
from rlenv_shared.verification import locate

SIDES: Final = ("pyboy", "emurust.pyboy")
ACTIONS: Final = (None, "left", "right")
FRAMES: Final = 24
EPISODE_STEPS: Final = 200
ENVIRONMENTS: Final = 4
PPO: Final = {"n_steps": 128, "batch_size": 128, "n_epochs": 2, "learning_rate": 3e-4, "gamma": 0.99}
TOTAL_STEPS: Final = 4_096
SEED: Final = 7
RETURN: Final = 0xC9  # the instruction that patches a function away
# what must be equal
TRAJECTORY: Final = ("trajectories", "functions", "steps", "rewards", "weights")


class WindfallAgentEnv(gymnasium.Env[NDArray[np.uint8], int]):
    """Windfall as such scripts would wrap it.

    Observations are the last three pictures in half resolution, uint8 of shape (3, 72, 80); rewards are points, and
    0.01 for every thing taken.
    """

    def __init__(self, emulator: str, boot_rom: str):
        pyboy = importlib.import_module(emulator).PyBoy
        self.folder = tempfile.TemporaryDirectory()
        rom = Path(self.folder.name) / "windfall.gb"
        rom.write_bytes(windfall.rom())
        rom.with_suffix(".sym").write_text(windfall.symbols())
        self.pyboy = pyboy(str(rom), window="null", bootrom=boot_rom)
        self.observation_space = gymnasium.spaces.Box(0, 255, (3, 72, 80), np.uint8)
        self.action_space = gymnasium.spaces.Discrete(len(ACTIONS))
        self.counts = dict.fromkeys(("_spawn", "_take", "_sound", "_start_level"), 0)
        for name in self.counts:
            self.pyboy.hook_register(None, name, self._count, name)
        bank, address = self.pyboy.symbol_lookup("_lose_life")
        self.pyboy.memory[bank, address] = RETURN
        self.pyboy.tick(windfall.TITLE_FRAMES, False)
        self.pyboy.button("start")
        self.pyboy.tick(20)
        self.state = io.BytesIO()
        self.pyboy.save_state(self.state)
        self.digest = hashlib.sha256()
        self.frames = np.zeros((3, 72, 80), np.uint8)
        self.steps = 0
        self.cpu_seconds = 0.0

    def _count(self, name: str) -> None:
        self.counts[name] += 1

    def _read(self, name: str) -> int:
        return int(self.pyboy.memory[self.pyboy.symbol_lookup(name)])

    def _observe(self) -> NDArray[np.uint8]:
        grey = self.pyboy.screen.ndarray[:, :, 0].astype(np.uint16)
        small = (grey[::2, ::2] + grey[1::2, ::2] + grey[::2, 1::2] + grey[1::2, 1::2]) // 4
        self.frames = np.concatenate([self.frames[1:], small[None].astype(np.uint8)])
        self.digest.update(self.frames)
        return self.frames

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Back to the first frame of the game."""
        super().reset(seed=seed)
        self.state.seek(0)
        self.pyboy.load_state(self.state)
        self.steps, self.before, self.taken = 0, self._read("_score"), self.counts["_take"]
        return self._observe(), {}

    def step(self, action: int) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Presses a button for eight frames of twenty-four."""
        began = time.process_time()
        button = ACTIONS[int(action)]
        if button is not None:
            self.pyboy.button_press(button)
        self.pyboy.tick(8, False)
        if button is not None:
            self.pyboy.button_release(button)
        self.pyboy.tick(FRAMES - 9, False)
        self.pyboy.tick(1, True)
        score, taken = self._read("_score"), self.counts["_take"]
        reward = float(score - self.before) + 0.01 * (taken - self.taken)
        self.before, self.taken, self.steps = score, taken, self.steps + 1
        observation, won = self._observe(), self._read("_mode") == windfall.WON
        self.digest.update(repr((int(action), score, self._read("_basket_x"), self.counts, reward, won)).encode())
        self.cpu_seconds += time.process_time() - began
        return observation, reward, won, self.steps >= EPISODE_STEPS, {}

    def trajectory(self) -> tuple[str, dict[str, int], float]:
        """SHA-256 of every picture, action, variable and reward; how often hooks were reached; CPU seconds in steps."""
        return self.digest.hexdigest(), self.counts, self.cpu_seconds


class Stopwatch(VecEnvWrapper):
    """Measures how long the learner waits for its environments, and adds up rewards."""

    seconds = 0.0
    rewards = 0.0

    def reset(self) -> Any:
        """All environments."""
        return self.venv.reset()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Sends the actions."""
        self.began = time.perf_counter()
        self.venv.step_async(actions)

    def step_wait(self) -> Any:
        """Waits for what they give."""
        found = self.venv.step_wait()
        self.seconds += time.perf_counter() - self.began
        self.rewards += float(found[1].sum())
        return found


def train(emulator: str) -> dict[str, Any]:
    """Learns in one emulator; what it saw, and how long it took."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    make = partial(WindfallAgentEnv, emulator, str(locate.reference("pyboy").boot_rom(False)))
    envs = Stopwatch(SubprocVecEnv([make] * ENVIRONMENTS, start_method="forkserver"))
    learner = stable_baselines3.PPO("CnnPolicy", envs, seed=SEED, device="cpu", **PPO)
    began = time.perf_counter()
    learner.learn(TOTAL_STEPS)
    seconds = time.perf_counter() - began
    digests, functions, cpu_seconds = zip(*envs.env_method("trajectory"), strict=True)
    weights = hashlib.sha256()
    for name, value in sorted(learner.policy.state_dict().items()):
        weights.update(name.encode() + value.numpy().tobytes())
    steps, rewards, waited = learner.num_timesteps, envs.rewards, envs.seconds
    envs.close()
    return {
        "emulator": emulator,
        "seconds": round(seconds, 3),
        "seconds_in_environments": round(waited, 3),
        "cpu_seconds_of_environments": round(sum(cpu_seconds), 3),
        "steps": steps,
        "rewards": rewards,
        "functions": functions,
        "trajectories": digests,
        "weights": weights.hexdigest(),
    }


def run(emulator: str) -> dict[str, Any]:
    """`train` in a process of its own."""
    done = subprocess.run([sys.executable, __file__, emulator], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def ratio(turns: Sequence[Sequence[dict[str, Any]]], key: str) -> float:
    """How many times as long PyBoy takes; median over the turns."""
    return round(statistics.median(pyboy[key] / ours[key] for pyboy, ours in turns), 2)


def compare(turns: int) -> int:
    """Runs both in turns, writes what they gave; 1 if anything differs."""
    facts = record.about()
    facts["machine"]["packages"] |= {"torch": torch.__version__, "stable-baselines3": stable_baselines3.__version__}
    found = [[run(side) for side in SIDES] for _ in range(turns)]
    same = all(one[key] == found[0][0][key] for pair in found for one in pair for key in TRAJECTORY)
    summary = {
        "same": same,
        "times_as_fast": ratio(found, "seconds"),
        "times_as_fast_in_environments": ratio(found, "seconds_in_environments"),
        "times_as_fast_in_cpu_time_of_environments": ratio(found, "cpu_seconds_of_environments"),
    }
    print(json.dumps(found, indent=1), summary)
    settings = {"environments": ENVIRONMENTS, "frames_a_step": FRAMES, "seed": SEED, **PPO}
    record.write("agent", {**summary, "settings": settings, "turns": found}, facts)
    return int(not same)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("emulator", nargs="?", choices=SIDES)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    if options.compare:
        return compare(options.turns)
    print(json.dumps(train(options.emulator)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
