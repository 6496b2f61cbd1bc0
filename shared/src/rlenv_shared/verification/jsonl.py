"""Recordings as JSON lines, the form that drivers in other languages write.

The first line is a header ``{"format", "schema", "dtypes", "metadata"}``; every other line is one step::

    {"episode": 7, "t": 12, "action": [3, 0], "rng": "0x1f3a", "state": {"hp": 0}, "obs": null, "reward": 0.0,
     "terminated": false, "truncated": false}

A kind with one value stands there itself, a kind with paths is an object.  Generator words may be hexadecimal strings,
since JSON numbers are not exact beyond 2**53 everywhere.  Finite floats survive exactly; a NaN loses its payload.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.trajectory import (
    FORMAT,
    INITIAL_KINDS,
    KINDS,
    SCHEMA,
    CanonicalStep,
    Trajectory,
    check_header,
    unreadable,
)

WORD_BITS_EXACT_IN_JSON: Final = 32  # wider generator words are written as hexadecimal strings


def step_to_json(step: CanonicalStep) -> dict[str, Any]:
    """One step as the object of its line."""
    line: dict[str, Any] = {"episode": step.episode, "t": step.t}
    for name, value in step.fields.items():
        kind, _, path = name.partition(".")
        array = np.asarray(value)
        plain = hex(int(array)) if kind == "rng" and array.itemsize * 8 > WORD_BITS_EXACT_IN_JSON else array.tolist()
        if path:
            line.setdefault(kind, {})[path] = plain
        else:
            line[kind] = plain
    return line


def step_from_json(line: Any) -> CanonicalStep:
    """The step a line describes; kinds that are null or absent are left out.

    Raises:
        ValueError: the line is not a step.
    """
    if not isinstance(line, dict) or not isinstance(line.get("episode"), int) or not isinstance(line.get("t"), int):
        raise ValueError("a line without integer episode and t")
    fields: dict[str, Any] = {}
    for kind in KINDS:
        value = line.get(kind)
        if isinstance(value, dict):
            fields |= {f"{kind}.{path}": _word(part) for path, part in value.items()}
        elif value is not None:
            fields[kind] = _word(value)
    return CanonicalStep(line["episode"], line["t"], fields)


def write(trajectory: Trajectory, path: str | Path) -> None:
    """Write a recording as JSON lines."""
    dtypes = {name: array.dtype.name for name, array in trajectory.steps.items()}
    header = {"format": FORMAT, "schema": SCHEMA, "dtypes": dtypes, "metadata": dict(trajectory.metadata)}
    with Path(path).open("w") as file:
        file.write(json.dumps(header) + "\n")
        file.writelines(json.dumps(step_to_json(step)) + "\n" for step in trajectory.canonical_steps())


def read(path: str | Path) -> Trajectory:
    """Read a recording from JSON lines.

    Raises:
        SnapshotVersionError: the file is corrupt, not a recording, or of another schema version.
    """
    try:
        with Path(path).open() as file:
            header, *lines = [json.loads(line) for line in file if line.strip()]
    except ValueError as error:
        raise unreadable(path, error) from error
    check_header(path, header)
    try:
        return from_steps(map(step_from_json, lines), header.get("dtypes", {}), header["metadata"])
    except (ValueError, TypeError, OverflowError, InvalidParamsError) as error:
        raise unreadable(path, error) from error


def from_steps(
    steps: Iterable[CanonicalStep], dtypes: Mapping[str, str], metadata: Mapping[str, Any] | None = None
) -> Trajectory:
    """Assemble a recording; shorter episodes are padded with zeros and marked in ``valid``.

    Args:
        steps: any order; episodes are columns 0..B-1, rows are consecutive from 0.
        dtypes: NumPy dtype by field name; NumPy's own choice for a field that is not named.
        metadata: for the recording.

    Raises:
        ValueError: rows are missing or twice, or a field is not in every row.
    """
    rows: dict[tuple[int, int], Mapping[str, Any]] = {}
    resets: dict[int, Mapping[str, Any]] = {}
    for step in steps:
        key: Any = (step.t, step.episode) if step.t >= 0 else step.episode
        target: dict[Any, Mapping[str, Any]] = rows if step.t >= 0 else resets
        if key in target:
            raise ValueError(f"episode {step.episode}, step {step.t} is there twice")
        target[key] = step.fields
    if not rows:
        raise ValueError("no step")
    shape = (max(t for t, _ in rows) + 1, max(episode for _, episode in rows) + 1)
    valid = np.zeros(shape, np.bool_)
    valid[tuple(np.array(list(rows)).T)] = True
    if (valid[1:] & ~valid[:-1]).any() or not valid[0].all():
        raise ValueError("rows are missing inside an episode")
    arrays = _columns(rows, shape, dtypes)
    if not valid.all():
        arrays["valid"] = valid
    initial: dict[str, NDArray[Any]] = {}
    if resets:
        kept = {
            (episode,): {name: value for name, value in fields.items() if name.split(".")[0] in INITIAL_KINDS}
            for episode, fields in resets.items()
        }
        if sorted(resets) != list(range(shape[1])):
            raise ValueError("a reset is missing")
        initial = _columns(kept, shape[1:], dtypes)
    return Trajectory(arrays, initial, metadata or {})


def _columns(
    rows: Mapping[Any, Mapping[str, Any]], shape: tuple[int, ...], dtypes: Mapping[str, str]
) -> dict[str, NDArray[Any]]:
    """Gather rows of fields into zero-padded arrays."""
    names = list(next(iter(rows.values())))
    if any(set(fields) != set(names) for fields in rows.values()):
        raise ValueError("a field that is not in every row")
    arrays: dict[str, NDArray[Any]] = {}
    where = tuple(np.array(list(rows)).T)
    for name in names:
        values = np.array([fields[name] for fields in rows.values()], dtypes.get(name))
        arrays[name] = np.zeros(shape + values.shape[1:], values.dtype)
        arrays[name][where] = values
    return arrays


def _word(value: Any) -> Any:
    return int(value, 16) if isinstance(value, str) else value
