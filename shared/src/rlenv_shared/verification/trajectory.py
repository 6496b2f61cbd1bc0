"""The schema of a recording: named NumPy arrays with leading axes step and episode.

| field               | shape       | dtype    | meaning                                                      |
|---------------------|-------------|----------|--------------------------------------------------------------|
| `action`            | [T, B, ...] | any      | what was applied in this step                                |
| `state.<path>`      | [T, B, ...] | any      | decoded state after the step                                 |
| `rng`, `rng.<word>` | [T, B]      | unsigned | generator after the step                                     |
| `obs`, `obs.<path>` | [T, B, ...] | any      | observation after the step                                   |
| `reward`            | [T, B, ...] | float    |                                                              |
| `terminated`        | [T, B]      | bool     | the game's own end                                           |
| `truncated`         | [T, B]      | bool     | the time limit                                               |
| `valid`             | [T, B]      | bool     | False behind the end of a shorter episode; absent = all True |

``T`` steps, ``B`` episodes.  An environment with auto-reset fills one column with several games; its state and
observation in a row with an end are then those of the next game, and so is the state before the next row.  ``initial``
holds state, generator and observation after the reset, [B, ...], under the same names.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

FORMAT: Final = "rlenv-trajectory"
SCHEMA: Final = 1
FLAGS: Final = ("terminated", "truncated", "valid")
KINDS: Final = ("action", "state", "rng", "obs", "reward", *FLAGS)
INITIAL_KINDS: Final = ("state", "rng", "obs")
DTYPES: Final = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float16", "float32",
                 "float64")  # fmt: skip
reading: Final = functools.partial(
    files.reading, expected=f"a complete {FORMAT} file", remedy="record it again, or update rlenv-shared if it is newer"
)


@dataclasses.dataclass(frozen=True)
class CanonicalStep:
    """One step of one episode, as drivers in other languages write it."""

    episode: int  # column of the recording
    t: int  # row of the recording; -1 for what the reset returned (no action, reward or flags)
    fields: Mapping[str, Any]  # value by field name
    line: int = 0  # of the file it was read from; 0 for none


@dataclasses.dataclass(frozen=True, eq=False)
class Trajectory:
    """A recording; see the module.  Raises InvalidParamsError: a name, shape or dtype does not fit the schema."""

    steps: Mapping[str, NDArray[Any]]  # array by field name, [T, B, ...]
    initial: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)  # after the reset, [B, ...]
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # JSON: environment, seed, versions

    def __post_init__(self) -> None:
        for names in (self.steps, self.initial):
            both = sorted({name.split(".")[0] for name in names if "." in name} & set(names))
            if both:
                raise _bad("fields", f"{both} with and without a path", "one or the other", "name the one without")
        if "terminated" not in self.steps or "action" not in self.steps:
            raise _bad("fields", sorted(self.steps), "at least action and terminated", "record them")
        leading = np.shape(self.steps["terminated"])
        if len(leading) != 2:
            raise _bad("terminated", f"shape {leading}", "shape [T, B]", "put steps on axis 0, episodes on axis 1")
        for name, array in self.steps.items():
            self._check(name, array, KINDS, leading)
        for name, array in self.initial.items():
            self._check(f"{name}", array, INITIAL_KINDS, leading[1:])
            step = self.steps.get(name, array[None])
            if (array.dtype, array.shape[1:]) != (step.dtype, step.shape[2:]):
                got, expected = (f"{x.dtype} {shape}" for x, shape in ((array, array.shape), (step, step.shape[1:])))
                raise _bad(f"initial {name}", got, expected, "record both alike")

    @staticmethod
    def _check(name: str, array: Any, kinds: tuple[str, ...], leading: tuple[int, ...]) -> None:
        if not isinstance(array, np.ndarray) or str(array.dtype) not in DTYPES:
            got = getattr(array, "dtype", type(array).__name__)
            raise _bad(name, got, f"a NumPy array of one of {DTYPES}", "convert it with numpy.asarray")
        if name.split(".")[0] not in kinds or "" in name.split("."):
            raise _bad("field name", repr(name), f"one of {kinds}, with an optional .path", "rename the field")
        if array.shape[: len(leading)] != leading:
            raise _bad(name, f"shape {array.shape}", f"leading axes {leading}", "put steps and episodes first")
        if name in FLAGS and (array.dtype != np.bool_ or array.shape != leading):
            raise _bad(name, f"{array.dtype} {array.shape}", f"bool {leading}", "convert it with astype(bool)")

    @property
    def num_steps(self) -> int:
        """T, rows of the recording."""
        return self.steps["terminated"].shape[0]

    @property
    def num_episodes(self) -> int:
        """B, columns of the recording."""
        return self.steps["terminated"].shape[1]

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which rows were recorded, bool [T, B]."""
        return self.steps.get("valid", np.ones((self.num_steps, self.num_episodes), np.bool_))

    @property
    def ends(self) -> NDArray[np.bool_]:
        """``terminated | truncated``, bool [T, B]."""
        terminated = self.steps["terminated"]
        return terminated | self.steps.get("truncated", np.zeros_like(terminated))

    def before(self, name: str) -> NDArray[Any]:
        """A field as it was before each step, [T, B, ...].  Raises InvalidParamsError: its first value is not there."""
        if name not in self.steps or name not in self.initial:
            raise _bad(f"field {name!r}", sorted(self.initial), "a field with an initial value", "record the reset too")
        return np.concatenate([self.initial[name][None], self.steps[name]])[:-1]

    def canonical_steps(self) -> Iterator[CanonicalStep]:
        """Every recorded step, episode by episode, each beginning with its reset (``t = -1``)."""
        valid = self.valid
        names = [name for name in self.steps if name != "valid"]
        for episode in range(self.num_episodes):
            if self.initial:
                yield CanonicalStep(episode, -1, {name: array[episode] for name, array in self.initial.items()})
            for t in np.nonzero(valid[:, episode])[0]:
                yield CanonicalStep(episode, int(t), {name: self.steps[name][t, episode] for name in names})

    def save(self, path: str | Path) -> None:
        """Write an npz file.  Raises InvalidParamsError: metadata that is no JSON; StorageError: no place to write."""
        header = {"format": FORMAT, "schema": SCHEMA, "metadata": dict(self.metadata)}
        arrays = {f"steps/{name}": array for name, array in self.steps.items()}
        arrays |= {f"initial/{name}": array for name, array in self.initial.items()}
        files.write_npz(path, header, arrays, compress=True)

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Read what `save` wrote.  Raises SnapshotVersionError: missing, corrupt, foreign or of another version."""
        with reading(f"recording {path}"):
            header, arrays = files.read_npz(path)
            check_header(header, {"format", "schema", "metadata"})
            parts: dict[str, dict[str, NDArray[Any]]] = {"steps": {}, "initial": {}}
            for name, array in arrays.items():
                part, _, field = name.partition("/")
                parts[part][field] = array
            return cls(parts["steps"], parts["initial"], header["metadata"])


def check_header(header: Any, keys: set[str]) -> None:
    """Raise ValueError for a file's header, without its seal, that is foreign, of another version or has other keys."""
    if not isinstance(header, dict) or (header.get("format"), header.get("schema")) != (FORMAT, SCHEMA):
        about = {key: header.get(key) for key in ("format", "schema")} if isinstance(header, dict) else header
        raise ValueError(f"a header with {about}, not format {FORMAT}, schema {SCHEMA}")
    if set(header) != keys or not isinstance(header["metadata"], dict):
        raise ValueError(f"a header with the keys {sorted(header)}, not {sorted(keys)}, metadata an object")


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(f"trajectory: {what}", got, expected, remedy)
