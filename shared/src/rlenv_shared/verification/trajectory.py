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
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError, explain

FORMAT: Final = "rlenv-trajectory"
SCHEMA: Final = 1
FLAGS: Final = ("terminated", "truncated", "valid")
KINDS: Final = ("action", "state", "rng", "obs", "reward", *FLAGS)
INITIAL_KINDS: Final = ("state", "rng", "obs")
HEADER: Final = "__header__"


@dataclasses.dataclass(frozen=True)
class CanonicalStep:
    """One step of one episode, as drivers in other languages write it.

    Attributes:
        episode: column of the recording.
        t: row of the recording; -1 for what the reset returned (no action, reward or flags).
        fields: value by field name.
    """

    episode: int
    t: int
    fields: Mapping[str, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Trajectory:
    """A recording; see the module for its fields.

    Attributes:
        steps: array by field name, [T, B, ...].
        initial: state, generator and observation after the reset, [B, ...].
        metadata: JSON-serialisable facts: environment, seed, parameters, versions.

    Raises:
        InvalidParamsError: a name, shape or dtype does not fit the schema.
    """

    steps: Mapping[str, NDArray[Any]]
    initial: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if "terminated" not in self.steps or "action" not in self.steps:
            raise _bad("fields", sorted(self.steps), "at least action and terminated", "record them")
        leading = np.shape(self.steps["terminated"])
        if len(leading) != 2:
            raise _bad("terminated", f"shape {leading}", "shape [T, B]", "put steps on axis 0, episodes on axis 1")
        for name, array in self.steps.items():
            self._check(name, array, KINDS, leading)
        for name, array in self.initial.items():
            self._check(f"{name}", array, INITIAL_KINDS, leading[1:])
            if name in self.steps and array.shape[1:] != self.steps[name].shape[2:]:
                raise _bad(f"initial {name}", array.shape, self.steps[name].shape[1:], "record both alike")

    @staticmethod
    def _check(name: str, array: Any, kinds: tuple[str, ...], leading: tuple[int, ...]) -> None:
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
            got = getattr(array, "dtype", type(array).__name__)
            raise _bad(name, got, "a NumPy array of bools, integers or floats", "convert it with numpy.asarray")
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
        """A state, generator or observation field as it was before each step, [T, B, ...].

        Raises:
            InvalidParamsError: the recording lacks the field or its initial value.
        """
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
        """Write a compressed npz file.

        Raises:
            InvalidParamsError: the metadata is not JSON.
        """
        header = {"format": FORMAT, "schema": SCHEMA, "metadata": dict(self.metadata)}
        try:
            text = json.dumps(header, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise _bad("metadata", error, "JSON-serialisable values", "convert arrays to lists") from error
        arrays = {f"steps/{name}": array for name, array in self.steps.items()}
        arrays |= {f"initial/{name}": array for name, array in self.initial.items()}
        with Path(path).open("wb") as file:
            np.savez_compressed(file, **{HEADER: np.frombuffer(text.encode(), np.uint8)}, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Read what `save` wrote.

        Raises:
            SnapshotVersionError: the file is corrupt, not a recording, or of another schema version.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, AttributeError, TypeError) as error:
            raise unreadable(path, error) from error
        try:
            header = json.loads(arrays.pop(HEADER).tobytes())
        except (KeyError, ValueError) as error:
            raise unreadable(path, f"no readable header ({error})") from error
        check_header(path, header)
        parts: dict[str, dict[str, NDArray[Any]]] = {"steps": {}, "initial": {}}
        for name, array in arrays.items():
            part, _, field = name.partition("/")
            if part not in parts:
                raise unreadable(path, f"entry {name!r}")
            parts[part][field] = array
        try:
            return cls(parts["steps"], parts["initial"], header["metadata"])
        except InvalidParamsError as error:
            raise unreadable(path, error) from error


def check_header(path: object, header: Any) -> None:
    """Check format and schema version of a file's header.

    Raises:
        SnapshotVersionError: it is foreign or of another version.
    """
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise unreadable(path, "another format")
    if header.get("schema") != SCHEMA:
        remedy = "record it again, or update rlenv-shared if the file is newer"
        raise SnapshotVersionError(
            explain(
                f"recording {path}", got=f"schema {header.get('schema')}", expected=f"schema {SCHEMA}", remedy=remedy
            )
        )
    if not isinstance(header.get("metadata"), dict):
        raise unreadable(path, "no metadata")


def unreadable(path: object, got: object) -> SnapshotVersionError:
    """The error for a file that is no recording."""
    message = explain(f"recording {path}", got=got, expected=f"a complete {FORMAT} file", remedy="record it again")
    return SnapshotVersionError(message)


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(explain(f"trajectory: {what}", got=got, expected=expected, remedy=remedy))
