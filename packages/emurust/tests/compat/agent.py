"""An agent in the manner of the published Pokémon Red experiments, on Windfall: the same script for both emulators.

    python tests/compat/agent.py pyboy          or emurust.pyboy
    python tests/compat/agent.py --compare      runs both and compares every step; writes results/agent.json

The environment hooks functions of the game by the names in its symbol file, patches its ROM so that lives are not
lost, reads its variables by name, and draws pictures as observations; a linear policy learns in it by policy gradient
over Gymnasium's AsyncVectorEnv, a process an environment.  Only the module that `PyBoy` is imported from differs.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import io
import json
import platform
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from emurust.games import windfall
from rlenv_shared.verification import locate

HERE: Final = Path(__file__).resolve().parent
RESULTS: Final = HERE / "results" / "agent.json"
ACTIONS: Final = (None, "left", "right")
FRAMES: Final = 24
STEPS: Final = 64
ENVIRONMENTS: Final = 2
UPDATES: Final = 4
RETURN: Final = 0xC9  # the instruction that patches a function away


class WindfallAgentEnv(gymnasium.Env[NDArray[np.uint8], int]):
    """Windfall as such scripts would wrap it."""

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

    def _count(self, name: str) -> None:
        self.counts[name] += 1

    def _read(self, name: str) -> int:
        return int(self.pyboy.memory[self.pyboy.symbol_lookup(name)])

    def _observe(self) -> NDArray[np.uint8]:
        grey = self.pyboy.screen.ndarray[:, :, 0].astype(np.uint16)
        small = (grey[::2, ::2] + grey[1::2, ::2] + grey[::2, 1::2] + grey[1::2, 1::2]) // 4
        self.frames = np.concatenate([self.frames[1:], small[None].astype(np.uint8)])
        return self.frames

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Back to the first frame of the game."""
        super().reset(seed=seed)
        self.state.seek(0)
        self.pyboy.load_state(self.state)
        self.steps, self.before = 0, self._read("_score")
        return self._observe(), {}

    def step(self, action: int) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Presses a button for eight frames of twenty-four."""
        button = ACTIONS[int(action)]
        if button is not None:
            self.pyboy.button_press(button)
        self.pyboy.tick(8, False)
        if button is not None:
            self.pyboy.button_release(button)
        self.pyboy.tick(FRAMES - 9, False)
        self.pyboy.tick(1, True)
        score = self._read("_score")
        reward = float(score - self.before) + 0.01 * self.counts["_take"]
        self.before, self.steps = score, self.steps + 1
        observation = self._observe()
        numbers = (int(action), score, self._read("_basket_x"), *self.counts.values())
        self.digest.update(observation.tobytes() + repr((numbers, reward)).encode())
        return (
            observation,
            reward,
            self._read("_mode") == windfall.WON,
            self.steps >= STEPS,
            {"digest": self.digest.hexdigest()},
        )


def train(emulator: str) -> dict[str, Any]:
    """Learns in one emulator; what it saw, and how long it took."""
    adapter = locate.reference("pyboy")

    make = partial(WindfallAgentEnv, emulator, str(adapter.boot_rom(False)))
    envs = gymnasium.vector.AsyncVectorEnv([make] * ENVIRONMENTS, context="forkserver")
    random = np.random.default_rng(7)
    weights = np.zeros((len(ACTIONS), 72 * 80))
    digests: list[str] = []
    rewards = 0.0
    began = time.perf_counter()
    observation, _ = envs.reset(seed=7)
    for _ in range(UPDATES):
        gradient = np.zeros_like(weights)
        for _ in range(STEPS):
            features = observation[:, -1].reshape(ENVIRONMENTS, -1) / 255 - 0.5
            logits = features @ weights.T
            chances = np.exp(logits - logits.max(1, keepdims=True))
            chances /= chances.sum(1, keepdims=True)
            actions = np.array([random.choice(len(ACTIONS), p=row) for row in chances])
            observation, reward, _, _, info = envs.step(actions)
            rewards += float(reward.sum())
            chosen = np.eye(len(ACTIONS))[actions]
            gradient += ((chosen - chances) * reward[:, None]).T @ features
            digests = list(info.get("digest", digests))  # none in the step that begins an episode
        weights += 1e-4 * gradient
    seconds = time.perf_counter() - began
    envs.close()
    learned = hashlib.sha256(weights.tobytes()).hexdigest()
    return {"emulator": emulator, "seconds": seconds, "rewards": rewards, "weights": learned, "trajectories": digests}


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("emulator", nargs="?")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if not options.compare:
        print(json.dumps(train(options.emulator)))
        return 0
    found = []
    for side in ("pyboy", "emurust.pyboy"):
        done = subprocess.run([sys.executable, __file__, side], capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    same = all(found[0][key] == found[1][key] for key in ("rewards", "weights", "trajectories"))
    print(json.dumps(found, indent=1), "the same" if same else "DIFFERENT")
    RESULTS.write_text(
        json.dumps(
            {
                "same": same,
                "machine": platform.machine(),
                "times_as_fast": found[0]["seconds"] / found[1]["seconds"],
                "runs": found,
            },
            indent=1,
        )
        + "\n"
    )
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
