"""MJX and MuJoCo Warp on the GPU that JAX runs on, in this process; the latter needs `pip install mujoco-warp`.

On a CPU MJX and Brax are measured instead, each in a Python environment of its own (`other_python`).
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from halfcheetah_jax.verification.mjx_and_brax import SUBSTEPS, Rollout


def _model() -> Path:
    """Gymnasium's HalfCheetah."""
    import gymnasium

    return Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "half_cheetah.xml"


class Peer(Rollout):
    """MJX or Brax, compiled with JAX as it is here; ``name`` of `mjx_and_brax.PEERS`."""

    deterministic = False
    settings: Mapping[str, Any] = {"policy": "random", "reset_mode": "none", "outputs": "kept", "dtype": "float32"}

    def __init__(self, name: str, batch: int, steps: int) -> None:
        super().__init__(name, batch, steps, str(_model()))

    def decisions(self) -> None:
        """Every step is one."""

    def memory(self) -> Mapping[str, int | None]:
        """Unknown."""
        return {"peak_bytes": None, "state_bytes_per_env": None}


class MujocoWarp:
    """MuJoCo in Warp: the substeps of a step are one CUDA graph; no reward, no observation, no reset."""

    name = "mujoco_warp"
    modules = ("warp", "mujoco_warp")
    deterministic = False
    settings: Mapping[str, Any] = {"policy": "random", "reset_mode": "none", "outputs": "states", "dtype": "float32"}

    def __init__(self, batch: int, steps: int) -> None:
        self.batch, self.steps = batch, steps

    def compile(self) -> None:
        """Build the model and record the graph."""
        import mujoco

        # Not requirements of this package, so not imported by name.
        self._warp, mjwarp = (importlib.import_module(name) for name in self.modules)
        compiled = mujoco.MjModel.from_xml_path(str(_model()))
        rng = np.random.default_rng(0)
        self._model, self._data = (
            mjwarp.put_model(compiled),
            mjwarp.put_data(compiled, mujoco.MjData(compiled), nworld=self.batch),
        )
        self._start = (
            rng.uniform(-0.1, 0.1, (self.batch, 9)).astype(np.float32),
            0.1 * rng.standard_normal((self.batch, 9)).astype(np.float32),
        )
        drawn = rng.uniform(-1, 1, (self.steps, self.batch, 6)).astype(np.float32)
        self._controls = [self._warp.array(controls) for controls in drawn]

        def substeps() -> None:
            for _ in range(SUBSTEPS):
                mjwarp.step(self._model, self._data)

        substeps()  # compiles Warp's kernels
        self._advance: Callable[[], None] = substeps
        if self._warp.get_device().is_cuda:
            with self._warp.ScopedCapture() as capture:
                substeps()
            self._advance = lambda: self._warp.capture_launch(capture.graph)

    def begin(self) -> None:
        """Go to the start of a block."""
        for array, value in zip((self._data.qpos, self._data.qvel), self._start, strict=True):
            array.assign(value)
        self.finish()

    def call(self) -> None:
        """Dispatch the steps of all environments."""
        for controls in self._controls:
            self._warp.copy(self._data.ctrl, controls)
            self._advance()

    def finish(self) -> None:
        """Wait for the device."""
        self._warp.synchronize()

    def checksum(self) -> float:
        """Sum of the positions."""
        return float(self._data.qpos.numpy().sum())

    def decisions(self) -> None:
        """Every step is one."""

    def memory(self) -> Mapping[str, int | None]:
        """Unknown."""
        return {"peak_bytes": None, "state_bytes_per_env": None}


WORKLOADS: Final[Mapping[str, Callable[[int, int], Any]]] = {
    "MJX, 6/6 iterations": functools.partial(Peer, "mjx-6-6"),
    "MJX, 4/8 iterations": functools.partial(Peer, "mjx-4-8"),
    **{f"Brax {name}": functools.partial(Peer, f"brax-{name}") for name in ("generalized", "positional", "spring")},
    "MJX, the model's own": functools.partial(Peer, "mjx"),
    "MuJoCo Warp": MujocoWarp,
}
