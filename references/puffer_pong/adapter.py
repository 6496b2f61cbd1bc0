"""PufferLib's Pong, built from the unmodified ``pong.h`` of the pinned sdist.

`PufferPong` is the reference of the tests: its state and generators can be read and set.  `PufferPongVectorEnv` is the
same environment behind Gymnasium's vector interface, for training and evaluation.
``python -m references.puffer_pong.adapter`` fetches and builds.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import hashlib
import math
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from references.sdist import fetch_pypi_sdist

from rlenv_shared import counter_rng
from rlenv_shared.errors import IllegalActionError, InvalidParamsError, ReferenceUnavailableError, explain
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.trajectory import Trajectory

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = HERE.parents[1] / ".cache" / "refs" / "puffer_pong"
PONG_H: Final = "pufferlib/ocean/pong/pong.h"
# No fused multiply-add, so that the result does not depend on the machine; otherwise PufferLib's own -O2.
CFLAGS: Final = ("-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread")
COMPILE_TIMEOUT_S: Final = 120.0

RngKind = Literal["counter", "glibc"]
DEFINES: Final[Mapping[RngKind, tuple[str, ...]]] = {"counter": ("-DCOUNTER_RNG",), "glibc": ()}

# The constructor defaults of PufferLib's Python class, in the order of shim.c.
GEOMETRY: Final[Mapping[str, float]] = {
    "width": 500.0,
    "height": 640.0,
    "paddle_width": 20.0,
    "paddle_height": 70.0,
    "ball_width": 32.0,
    "ball_height": 32.0,
    "paddle_speed": 8.0,
    "ball_initial_speed_x": 10.0,
    "ball_initial_speed_y": 1.0,
    "ball_max_speed_y": 13.0,
    "ball_speed_y_increment": 3.0,
}
OBSERVATION_SIZE: Final = 8
NUM_ACTIONS: Final = 3

# Fields of a snapshot, in the order of shim.c.
REALS: Final = tuple(
    f"state.{name}" for name in ("paddle_left_y", "paddle_right_y", "ball_x", "ball_y", "ball_vx", "ball_vy")
)
COUNTS: Final = tuple(f"state.{name}" for name in ("score_left", "score_right", "tick", "bounces"))
WORDS: Final = ("rng.0", "rng.1", "rng.2")

_FLOATS, _BYTES = ctypes.POINTER(ctypes.c_float), ctypes.POINTER(ctypes.c_ubyte)
_INTS, _UINTS = ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_uint32)


def build() -> Mapping[RngKind, Path]:
    """Fetch the pinned source and compile both libraries; quick when they are there.

    Returns:
        Path of the shared library by generator.

    Raises:
        ReferenceUnavailableError: the sdist cannot be had or is not the pinned one, or there is no working C compiler.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    with _exclusive(CACHE / "build.lock"):
        source = _source()
        return {kind: _compile(source, kind) for kind in DEFINES}


def _source() -> Path:
    """The folder with the pinned ``pong.h`` and its licence; the rest of the 79 MB tree is not kept."""
    pin = Pin.load(HERE / "pin.json")
    source = CACHE / f"{pin.name}-{pin.version}"
    wanted = {source / Path(member).name: digest for member, digest in pin.members.items()}
    if not all(path.is_file() and _sha256(path) == digest for path, digest in wanted.items()):
        with tempfile.TemporaryDirectory(dir=CACHE, prefix="sdist-") as work:
            tree = fetch_pypi_sdist(pin, work)  # verifies archive and members
            source.mkdir(exist_ok=True)
            for member in pin.members:
                shutil.copyfile(tree / member, source / Path(member).name)
    return source


def _compile(source: Path, kind: RngKind) -> Path:
    """Compile the shim around ``source/pong.h``; the file name carries a digest of everything that went in."""
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    flags = [*CFLAGS, *DEFINES[kind], f"-I{HERE / 'raylib_stub'}", f"-I{source}"]
    inputs = [HERE / "shim.c", HERE / "raylib_stub" / "raylib.h", source / "pong.h"]
    digest = hashlib.sha256(repr((compiler, CFLAGS, DEFINES[kind], [_sha256(path) for path in inputs])).encode())
    library = CACHE / f"pong_{kind}_{digest.hexdigest()[:16]}.so"
    if library.is_file():
        return library
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="build-") as work:
        output = Path(work) / library.name
        command = [*compiler, *flags, str(HERE / "shim.c"), "-lm", "-o", str(output)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S, check=False)
            problem = done.stderr.strip()[-2000:] if done.returncode else ""
        except (OSError, subprocess.TimeoutExpired) as error:
            problem = str(error)
        if problem:
            raise ReferenceUnavailableError(
                explain(
                    "reference puffer_pong: C compiler",
                    got=problem,
                    expected=f"{shlex.join(compiler)!r} to compile shim.c",
                    remedy="install gcc or clang, or name the compiler in the environment variable CC",
                )
            )
        output.replace(library)
    return library


@functools.cache
def _library(kind: RngKind) -> ctypes.CDLL:
    library = ctypes.CDLL(str(build()[kind]))
    vec = ctypes.c_void_p
    library.vec_make.restype = vec
    library.vec_make.argtypes = [ctypes.c_int, _FLOATS, _FLOATS, _FLOATS, _BYTES, _FLOATS, _FLOATS]
    library.vec_make.argtypes += [ctypes.c_int, ctypes.c_int, ctypes.c_int]
    library.vec_free.argtypes = library.vec_step.argtypes = [vec]
    library.vec_reset.argtypes = [vec, ctypes.c_int, _UINTS]
    library.vec_get.argtypes = library.vec_set.argtypes = [vec, _FLOATS, _INTS, _UINTS]
    library.vec_rollout.argtypes = [vec, ctypes.c_long, _FLOATS, _FLOATS, _FLOATS, _BYTES, _FLOATS, _INTS, _UINTS]
    library.vec_bench.argtypes = [vec, ctypes.c_long, _FLOATS, ctypes.c_int, ctypes.POINTER(ctypes.c_double)]
    library.vec_bench.restype = ctypes.c_int
    for name in ("vec_free", "vec_reset", "vec_step", "vec_get", "vec_set", "vec_rollout"):
        getattr(library, name).restype = None
    return library


class PufferPong:
    """N environments of the original C, stepped together.

    Two generators: ``"counter"`` gives environment ``i`` stream ``first_stream + i`` of `counter_rng.from_seed`;
    ``"glibc"`` is PufferLib's own vector wrapper: ``srand(i + seed * N)`` before each environment's reset, and one
    stream *of the whole process* from then on (two instances, or anything else that calls ``rand``, share it).

    Args:
        num_envs: N, at least 1.
        frameskip: frames per step, at least 1.
        continuous: actions are float directions on [-1, 1] instead of 0 (stay), 1 (up), 2 (down).
        max_score: points that end an episode, at least 1.
        rng: where serves come from.
        geometry: any of `GEOMETRY`.

    Raises:
        InvalidParamsError: an argument is out of range.
        ReferenceUnavailableError: the library cannot be built.
    """

    def __init__(
        self,
        num_envs: int,
        frameskip: int = 1,
        continuous: bool = False,
        max_score: int = 21,
        rng: RngKind = "counter",
        **geometry: float,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("frameskip", frameskip), ("max_score", max_score)):
            if not isinstance(value, int | np.integer) or not 1 <= value < 2**31:
                raise _invalid(name, value, "an integer, 1 <= value < 2**31")
        if rng not in DEFINES:
            raise _invalid("rng", rng, f"one of {list(DEFINES)}")
        if unknown := set(geometry) - set(GEOMETRY):
            raise _invalid("geometry", sorted(unknown), f"names among {list(GEOMETRY)}")
        sizes = {**GEOMETRY, **geometry}
        if not all(math.isfinite(value) for value in sizes.values()):
            raise _invalid("geometry", geometry, "finite numbers")
        self.num_envs, self.frameskip, self.continuous = int(num_envs), int(frameskip), bool(continuous)
        self.max_score, self.rng, self.geometry = int(max_score), rng, sizes
        self.observations = np.zeros((num_envs, OBSERVATION_SIZE), np.float32)
        self.last_observations = np.zeros_like(self.observations)
        self.rewards = np.zeros(num_envs, np.float32)
        self.terminals = np.zeros(num_envs, np.uint8)
        self._actions = np.zeros(num_envs, np.float32)
        self._vec = None
        self._lib = _library(rng)
        buffers = (self.observations, self._actions, self.rewards, self.terminals, self.last_observations)
        self._vec = self._lib.vec_make(
            self.num_envs,
            *map(_pointer, buffers),
            _pointer(np.array(list(sizes.values()), np.float32)),
            self.max_score,
            self.frameskip,
            self.continuous,
        )
        if self._vec is None:
            raise MemoryError(f"PufferPong: no memory for {num_envs} environments")

    def __del__(self) -> None:
        if getattr(self, "_vec", None) is not None:
            self._lib.vec_free(self._vec)

    def reset(self, seed: int = 0, first_stream: int = 0) -> NDArray[np.float32]:
        """Begin all episodes.

        Args:
            seed: 0 <= seed < 2**64; for glibc ``(seed + 1) * N <= 2**31`` too.
            first_stream: counter stream of the first environment; 0 for glibc.

        Returns:
            Observations [N, 8], a view that the next step overwrites.

        Raises:
            InvalidParamsError: seed or stream out of range.
        """
        words = np.zeros((3, self.num_envs), np.uint32)
        if self.rng == "counter":
            words = np.array(counter_rng.from_seed(seed, self.num_envs, first_stream))
        elif not 0 <= seed <= _highest_glibc_seed(self.num_envs) or first_stream != 0:
            raise _invalid("seed", (seed, first_stream), "0 < (seed + 1) * num_envs <= 2**31 and first_stream 0")
        self._lib.vec_reset(self._vec, seed if self.rng == "glibc" else 0, _pointer(words))
        self.rewards[:], self.terminals[:] = 0, 0
        return self.observations

    def step(self, actions: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """One step of every environment; an episode that ends begins anew in the same step.

        Args:
            actions: [N]; integers 0..2, or floats, clipped to [-1, 1] as PufferLib's Python class does.

        Returns:
            Observations [N, 8], rewards [N] and terminals [N], views that the next step overwrites.  The observation of
            a terminal step is the next episode's first.

        Raises:
            IllegalActionError: wrong shape or dtype, out of range, or NaN.
        """
        self._actions[:] = self._checked(actions, (self.num_envs,))
        self._lib.vec_step(self._vec)
        return self.observations, self.rewards, self.terminals.view(np.bool_)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """State, generators (counter only), observation, and the last step's reward and flags: copies, each [N, ...].

        Names and meaning are those of a `rlenv_shared.verification` recording.
        """
        reals, counts, words = (np.empty((len(f), self.num_envs), d) for f, d in _STATE)
        self._lib.vec_get(self._vec, *map(_pointer, (reals, counts, words)))
        return {
            **self._name_state(reals, counts, words, axis=0),
            "obs": self.observations.copy(),
            "reward": self.rewards.copy(),
            "terminated": self.terminals.astype(np.bool_),
            "truncated": np.zeros(self.num_envs, np.bool_),
        }

    def set_state(self, fields: Mapping[str, NDArray[Any]]) -> None:
        """Overwrite some fields of a snapshot; ``obs`` is what a scoring step will leave standing.

        Raises:
            InvalidParamsError: a field does not exist, or has the wrong shape or a value its dtype cannot hold.
        """
        now = self.snapshot()
        settable = [name for name in now if name.split(".")[0] in ("state", "rng", "obs")]
        for name, value in fields.items():
            if name not in settable:
                raise _invalid("field", name, f"one of {settable}")
            array = np.asarray(value)
            with np.errstate(invalid="ignore"):
                converted = array.astype(now[name].dtype)
            kept = np.array_equal(converted, array, equal_nan=array.dtype.kind == "f")
            if array.shape != now[name].shape or not kept:
                raise _invalid(name, f"{array.dtype} {array.shape}", f"{now[name].dtype} {now[name].shape}")
            now[name] = converted
        blank = np.zeros(self.num_envs, np.uint32)
        state = (np.array([now.get(name, blank) for name in names], dtype) for names, dtype in _STATE)
        self._lib.vec_set(self._vec, *map(_pointer, state))
        self.observations[:] = now["obs"]

    def rollout(self, actions: NDArray[Any]) -> Trajectory:
        """Step through many actions without returning to Python, from the present state.

        Args:
            actions: [T, N], as for `step`.

        Returns:
            A recording with the state before the first step as its initial state.

        Raises:
            IllegalActionError: as `step`.
        """
        steps, n = len(actions), self.num_envs
        inputs = np.ascontiguousarray(self._checked(actions, (steps, n)), np.float32)
        first = self.snapshot()
        obs, reward = np.empty((steps, n, OBSERVATION_SIZE), np.float32), np.empty((steps, n), np.float32)
        terminal = np.empty((steps, n), np.uint8)
        reals, counts, words = (np.empty((steps, len(f), n), d) for f, d in _STATE)
        arrays = (inputs, obs, reward, terminal, reals, counts, words)
        self._lib.vec_rollout(self._vec, steps, *map(_pointer, arrays))
        recorded = {
            "action": np.asarray(actions),
            **self._name_state(reals, counts, words, axis=1),
            "obs": obs,
            "reward": reward,
            "terminated": terminal.astype(np.bool_),
            "truncated": np.zeros((steps, n), np.bool_),
        }
        initial = {name: value for name, value in first.items() if name in recorded and name.split(".")[0] in _BEFORE}
        return Trajectory(recorded, initial, {"reference": "pufferlib 3.0.0", "rng": self.rng})

    def bench(self, actions: NDArray[np.float32], threads: int = 1) -> float:
        """Tight C loop; with several threads each has its own environments and never waits for the others.

        Args:
            actions: float32 [T, N], as PufferLib's C reads them; not checked.
            threads: at least 1, at most N.

        Returns:
            The sum of all rewards.

        Raises:
            InvalidParamsError: actions of another shape or dtype, or an impossible number of threads.
            MemoryError: no more threads can be had.
        """
        if actions.dtype != np.float32 or actions.shape[1:] != (self.num_envs,) or not actions.flags.c_contiguous:
            raise _invalid("actions", f"{actions.dtype} {actions.shape}", f"contiguous float32 (T, {self.num_envs})")
        if not 1 <= threads <= self.num_envs:
            raise _invalid("threads", threads, f"1 to {self.num_envs}")
        if self.rng == "glibc" and threads > 1:
            raise _invalid("threads", threads, "1: the C library's generator is one for the whole process")
        reward_sum = ctypes.c_double()
        if self._lib.vec_bench(self._vec, len(actions), _pointer(actions), threads, ctypes.byref(reward_sum)):
            raise MemoryError(f"PufferPong: no {threads} threads")
        return reward_sum.value

    def _name_state(self, reals: Any, counts: Any, words: Any, axis: int) -> dict[str, NDArray[Any]]:
        """Split the stacked arrays of shim.c into named fields; the C library's generator has no words."""
        stacked = ((REALS, reals), (COUNTS, counts), (WORDS if self.rng == "counter" else (), words))
        return {
            name: np.ascontiguousarray(array.take(i, axis)) for names, array in stacked for i, name in enumerate(names)
        }

    def _checked(self, actions: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        array = np.asarray(actions)
        if self.continuous:
            legal = array.shape == shape and array.dtype.kind == "f" and not np.isnan(array).any()
            expected = f"floats {shape} without NaN"
        else:
            legal = array.shape == shape and array.dtype.kind in "iu"
            legal = legal and bool(((array >= 0) & (array < NUM_ACTIONS)).all())
            expected = f"integers {shape} in 0..{NUM_ACTIONS - 1}"
        if not legal:
            got = f"{array.dtype} {array.shape}" + (f", {array.min()} to {array.max()}" if array.size else "")
            raise IllegalActionError(explain("actions", got=got, expected=expected, remedy="correct them"))
        return np.clip(array, -1.0, 1.0) if self.continuous else array


class PufferPongVectorEnv(gymnasium.vector.VectorEnv):
    """The original C behind Gymnasium's vector interface, with same-step auto-reset.

    ``info["final_obs"]`` [N, 8] holds, where an episode ended, the last observation of it that the C code computed (it
    then overwrites it with the next episode's first).  Arguments and errors are those of `PufferPong`.
    """

    def __init__(self, num_envs: int, rng: RngKind = "glibc", **kwargs: Any) -> None:
        self.pong = PufferPong(num_envs, rng=rng, **kwargs)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space = gymnasium.spaces.Box(0.0, 1.0, (OBSERVATION_SIZE,), np.float32)
        self.single_action_space = (
            gymnasium.spaces.Box(-1.0, 1.0, (), np.float32)
            if self.pong.continuous
            else gymnasium.spaces.Discrete(NUM_ACTIONS)
        )
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """``(obs [N, 8], {})``; a random seed when None.

        Raises:
            InvalidParamsError: as `PufferPong.reset`, or options are given.
        """
        if options:
            raise _invalid("options", options, "none")
        if seed is None:
            seed = int(np.random.default_rng().integers(_highest_glibc_seed(self.num_envs), endpoint=True))
        return self.pong.reset(seed).copy(), {}

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """``(obs [N, 8], reward [N], terminated [N], truncated [N], info)``.

        Raises:
            IllegalActionError: as `PufferPong.step`.
        """
        obs, reward, terminated = self.pong.step(actions)
        info: dict[str, Any] = {}
        if terminated.any():
            info = {"final_obs": self.pong.last_observations.copy(), "_final_obs": terminated.copy()}
        return obs.copy(), reward.copy(), terminated.copy(), np.zeros(self.num_envs, np.bool_), info


_BEFORE: Final = ("state", "rng", "obs")
_STATE: Final = ((REALS, np.float32), (COUNTS, np.int32), (WORDS, np.uint32))
_CTYPES: Final = {"f4": _FLOATS, "u1": _BYTES, "i4": _INTS, "u4": _UINTS}


def _pointer(array: NDArray[Any]) -> Any:
    """Pointer for ctypes to a contiguous array; keeps the array alive."""
    return array.ctypes.data_as(_CTYPES[array.dtype.str[1:]])


def _highest_glibc_seed(num_envs: int) -> int:
    """So that PufferLib's ``i + seed * num_envs`` stays within a C int."""
    return 2**31 // num_envs - 1


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _invalid(what: str, got: object, expected: str) -> InvalidParamsError:
    return InvalidParamsError(explain(f"PufferPong {what}", got=got, expected=expected, remedy="correct the argument"))


@contextlib.contextmanager
def _exclusive(path: Path) -> Any:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    for generator, path in build().items():
        print(f"{generator}: {path}")
